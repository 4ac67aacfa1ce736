/* SPDX-License-Identifier: MIT */
/*
 * What a word becomes: NEXT_add(int, old, value), for every operation and type.
 *
 * Path:    the build joins it with programs that change words, resolve.cl and the coprocessor model's apply.cl.
 */
#ifndef GRAVEL_NEXT_CL_H
#define GRAVEL_NEXT_CL_H

/* Signed sums wrap. */
#define SUM_int(a, b) as_int(as_uint(a) + as_uint(b))
#define SUM_uint(a, b) ((a) + (b))
#define SUM_long(a, b) as_long(as_ulong(a) + as_ulong(b))
#define SUM_ulong(a, b) ((a) + (b))
#define SUM_float(a, b) ((a) + (b))
#define SUM_double(a, b) ((a) + (b))

/* What `old` becomes. */
#define NEXT_put(type, old, value) (value)
#define NEXT_inc(type, old, value) SUM_##type(old, (type)1)
#define NEXT_add(type, old, value) SUM_##type(old, value)
#define NEXT_min(type, old, value) min((type)(old), value)
#define NEXT_max(type, old, value) max((type)(old), value)
#define NEXT_and(type, old, value) ((old) & (value))
#define NEXT_or(type, old, value) ((old) | (value))
#define NEXT_xor(type, old, value) ((old) ^ (value))
#define NEXT_add_bits(type, old, value) sum_doubles(old, value)

#endif
