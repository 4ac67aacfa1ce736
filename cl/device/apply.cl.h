/* SPDX-License-Identifier: MIT */
/*
 * What commands do to words: the list of all that change or read one, and each by an atomic operation of the device.
 *
 * Path:    direct.cl.h, of a kernel that stays, and programs that define GRAVELP_APPLIES -> this -> portable.cl.h
 * Memory:  operations are relaxed, at device scope.
 */
#ifndef GRAVELP_APPLY_CL_H
#define GRAVELP_APPLY_CL_H

#include "portable.cl.h"
#include "send.cl.h"

/* Elsewhere than in OpenCL C the program has gravelp_apply. */
#if defined(__OPENCL_C_VERSION__) && (defined(GRAVELP_DIRECT) || defined(GRAVELP_APPLIES))

/* VALUE(OP, op, TYPE, type) of each that has one value, whose request is GRAVEL_FETCH + OP; OTHER(OP, TYPE, type) of
 * the rest, except puts with signals. `type` is one that atomics have: what is only stored or read is bits. Sums of
 * doubles, which not every device has, are not in the list. */
#define GRAVELP_INTEGER_COMMANDS(VALUE, OTHER, TYPE, type) \
    GRAVEL_INTEGER_OPERATIONS(VALUE, TYPE, type)           \
    OTHER(INC, TYPE, type)                                 \
    OTHER(GET, TYPE, type)                                 \
    OTHER(CAS, TYPE, type)
#define GRAVELP_COMMANDS_OF_4_BYTES(VALUE, OTHER)      \
    GRAVELP_INTEGER_COMMANDS(VALUE, OTHER, INT, int)   \
    GRAVELP_INTEGER_COMMANDS(VALUE, OTHER, UINT, uint) \
    VALUE(PUT, put, FLOAT, uint)                       \
    VALUE(ADD, add, FLOAT, float)                      \
    OTHER(GET, FLOAT, uint)
#define GRAVELP_COMMANDS_OF_8_BYTES(VALUE, OTHER)        \
    GRAVELP_INTEGER_COMMANDS(VALUE, OTHER, LONG, long)   \
    GRAVELP_INTEGER_COMMANDS(VALUE, OTHER, ULONG, ulong) \
    VALUE(PUT, put, DOUBLE, ulong)                       \
    OTHER(GET, DOUBLE, ulong)

/* A value of its bits. */
#define GRAVELP_FROM_int(bits) as_int((uint)(bits))
#define GRAVELP_FROM_uint(bits) ((uint)(bits))
#define GRAVELP_FROM_float(bits) as_float((uint)(bits))
#define GRAVELP_FROM_long(bits) as_long(bits)
#define GRAVELP_FROM_ulong(bits) (bits)
#define GRAVELP_FROM_double(bits) as_double(bits)

#define GRAVELP_APPLY_AT(type) ((volatile global type *)word)
/* An update leaves the old value out, as a device need not wait for it then. */
#define GRAVELP_APPLY_VALUE(OP, op, TYPE, type)                                        \
    case GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE):                                  \
        GRAVELP_UPDATE_##op(type, GRAVELP_APPLY_AT(type), GRAVELP_FROM_##type(value)); \
        break;                                                                         \
    case GRAVELP_COMMAND(GRAVEL_FETCH + GRAVEL_##OP, GRAVEL_##TYPE):                   \
        return gravelp_bits_##type(                                                    \
            GRAVELP_UPDATE_##op(type, GRAVELP_APPLY_AT(type), GRAVELP_FROM_##type(value)));
#define GRAVELP_APPLY_OTHER(OP, TYPE, type)           \
    case GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE): \
        GRAVELP_APPLY_##OP(type)
#define GRAVELP_APPLY_INC(type)                          \
    GRAVELP_UPDATE_inc(type, GRAVELP_APPLY_AT(type), 1); \
    break;
#define GRAVELP_APPLY_GET(type) \
    return gravelp_bits_##type(GRAVELP_PEEK(type, GRAVELP_APPLY_AT(type)));
#define GRAVELP_APPLY_CAS(type)                                \
    return gravelp_bits_##type(GRAVELP_ATOMIC_##type(cmpxchg)( \
        GRAVELP_APPLY_AT(type), GRAVELP_FROM_##type(expected), GRAVELP_FROM_##type(value)));

/* Any work-item: applies a command of the list to a word. @return  the old bits, of a request. */
GRAVELP_INLINE ulong gravelp_apply(uint command, global uchar *word, ulong value, ulong expected)
{
    switch (command) {
        GRAVELP_COMMANDS_OF_4_BYTES(GRAVELP_APPLY_VALUE, GRAVELP_APPLY_OTHER)
#ifdef GRAVELP_HAS_LONG_UPDATES
        GRAVELP_COMMANDS_OF_8_BYTES(GRAVELP_APPLY_VALUE, GRAVELP_APPLY_OTHER)
#ifdef GRAVEL_HAS_DOUBLE
        GRAVELP_APPLY_VALUE(ADD, add, DOUBLE, double)
#endif
#endif
    }
    return 0;
}

#endif

#endif
