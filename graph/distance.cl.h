/* SPDX-License-Identifier: MIT */
/*
 * Distances as words whose order is theirs: whole numbers, or the bits of reals that are not negative. The host defines
 * WEIGHT_UINT, WEIGHT_FLOAT or WEIGHT_DOUBLE; with WEIGHT_NONE weights are 1 each, and there is no array of them.
 *
 * Path:    sssp.cl, parents.cl -> this
 */
#include "gravel.cl.h"

#if defined(WEIGHT_DOUBLE)
typedef ulong distance_bits;
#define FAR 0x7ff0000000000000ul
#define ADD(from, weight) as_ulong(as_double(from) + as_double(weight))
#define LESSEN atom_min
#define gravel_min_bits_wi gravel_min_ulong_wi
#else
typedef uint distance_bits;
#define LESSEN atomic_min
#define gravel_min_bits_wi gravel_min_uint_wi
#if defined(WEIGHT_FLOAT)
#define FAR 0x7f800000u
#define ADD(from, weight) as_uint(as_float(from) + as_float(weight))
#else
#define FAR 0xffffffffu
#define ADD(from, weight) add_sat((uint)(from), (uint)(weight))
#endif
#endif
