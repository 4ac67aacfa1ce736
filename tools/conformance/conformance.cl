/* SPDX-License-Identifier: MIT */
/*
 * One kernel for every operation, type and form, from the table in operation.h, and the same for active
 * messages. Global size: N_ITEMS in groups of GROUP. Work-item i sends message i of the arrays, if active[i].
 *
 * Path:  plan.c fills the arrays -> these kernels -> conformance.c compares heaps with interpret.c.
 */
#include "gravel.cl.h"

#define COMMA ,
#define EMPTY

#define PARAMETERS                                                                 \
    GRAVEL_ARENA, ulong base, global const uint *active, global const uint *nodes, \
        global const uint *indices

/* VALUE is empty, or a comma and the value. */
#define FORMS(name, VALUES, VALUE)                                             \
    kernel void name(PARAMETERS, global const VALUES *values)                  \
    {                                                                          \
        GRAVEL_OPEN(g);                                                        \
        size_t i = get_global_id(0);                                           \
        gravel_##name##_wg(g, base, indices[i] VALUE, nodes[i]);               \
    }                                                                          \
    kernel void name##_if(PARAMETERS, global const VALUES *values)             \
    {                                                                          \
        GRAVEL_OPEN(g);                                                        \
        size_t i = get_global_id(0);                                           \
        gravel_##name##_wg_if(g, active[i], base, indices[i] VALUE, nodes[i]); \
    }                                                                          \
    kernel void name##_wi(PARAMETERS, global const VALUES *values)             \
    {                                                                          \
        GRAVEL_OPEN(g);                                                        \
        size_t i = get_global_id(0);                                           \
        if (active[i])                                                         \
            gravel_##name##_wi(g, base, indices[i] VALUE, nodes[i]);           \
    }

#define VALUE_FORMS(OP, op, TYPE, type) FORMS(op##_##type, type, COMMA values[i])
#define INC_FORMS(TYPE, type) FORMS(inc_##type, uint, EMPTY)

GRAVEL_VALUE_OPERATIONS(VALUE_FORMS)
#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_OPERATIONS(VALUE_FORMS)
#endif
GRAVEL_INC_TYPES(INC_FORMS)

/* Active messages: the arguments are the value and what follows from it (see calls.c). */
#define AM_FORMS(n, ARGUMENTS)                                                           \
    kernel void am##n(PARAMETERS, global const ulong *values)                            \
    {                                                                                    \
        GRAVEL_OPEN(g);                                                                  \
        size_t i = get_global_id(0);                                                     \
        gravel_am##n##_wg(g, GRAVEL_HANDLER(take##n) ARGUMENTS, nodes[i]);               \
    }                                                                                    \
    kernel void am##n##_if(PARAMETERS, global const ulong *values)                       \
    {                                                                                    \
        GRAVEL_OPEN(g);                                                                  \
        size_t i = get_global_id(0);                                                     \
        gravel_am##n##_wg_if(g, active[i], GRAVEL_HANDLER(take##n) ARGUMENTS, nodes[i]); \
    }                                                                                    \
    kernel void am##n##_wi(PARAMETERS, global const ulong *values)                       \
    {                                                                                    \
        GRAVEL_OPEN(g);                                                                  \
        size_t i = get_global_id(0);                                                     \
        if (active[i])                                                                   \
            gravel_am##n##_wi(g, GRAVEL_HANDLER(take##n) ARGUMENTS, nodes[i]);           \
    }

#define ARGUMENT(k) COMMA values[i] + k * 0x100000001u
AM_FORMS(0, EMPTY)
AM_FORMS(1, ARGUMENT(0))
AM_FORMS(2, ARGUMENT(0) ARGUMENT(1))
AM_FORMS(3, ARGUMENT(0) ARGUMENT(1) ARGUMENT(2))
AM_FORMS(4, ARGUMENT(0) ARGUMENT(1) ARGUMENT(2) ARGUMENT(3))
