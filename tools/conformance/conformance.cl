/* SPDX-License-Identifier: MIT */
/*
 * One kernel for every operation, type and form, from the table in operation.h, and the same for active
 * messages. Global size: N_ITEMS in groups of GROUP. Work-item i sends message i of the arrays, if active[i].
 *
 * Path:  plan.c fills the arrays -> these kernels -> conformance.c compares heaps with interpret.c.
 */
#include "gravel.cl.h"

#define PARAMETERS                                                                 \
    GRAVEL_ARENA, ulong base, global const uint *active, global const uint *nodes, \
        global const uint *indices

/* ...: what the call takes between g, or the predicate, and the node. */
#define FORMS(name, VALUES, ...)                                    \
    kernel void name(PARAMETERS, global const VALUES *values)       \
    {                                                               \
        GRAVEL_OPEN(g);                                             \
        size_t i = get_global_id(0);                                \
        gravel_##name##_wg(g, __VA_ARGS__, nodes[i]);               \
    }                                                               \
    kernel void name##_if(PARAMETERS, global const VALUES *values)  \
    {                                                               \
        GRAVEL_OPEN(g);                                             \
        size_t i = get_global_id(0);                                \
        gravel_##name##_wg_if(g, active[i], __VA_ARGS__, nodes[i]); \
    }                                                               \
    kernel void name##_wi(PARAMETERS, global const VALUES *values)  \
    {                                                               \
        GRAVEL_OPEN(g);                                             \
        size_t i = get_global_id(0);                                \
        if (active[i])                                              \
            gravel_##name##_wi(g, __VA_ARGS__, nodes[i]);           \
    }

#define VALUE_FORMS(OP, op, TYPE, type) FORMS(op##_##type, type, base, indices[i], values[i])
#define INC_FORMS(TYPE, type) FORMS(inc_##type, uint, base, indices[i])

GRAVEL_VALUE_OPERATIONS(VALUE_FORMS)
#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_OPERATIONS(VALUE_FORMS)
#endif
GRAVEL_INC_TYPES(INC_FORMS)

/* Active messages: the arguments are the value and what follows from it (see calls.c). */
#define A(k) values[i] + k * 0x100000001u
FORMS(am0, ulong, GRAVEL_HANDLER(take0))
FORMS(am1, ulong, GRAVEL_HANDLER(take1), A(0))
FORMS(am2, ulong, GRAVEL_HANDLER(take2), A(0), A(1))
FORMS(am3, ulong, GRAVEL_HANDLER(take3), A(0), A(1), A(2))
FORMS(am4, ulong, GRAVEL_HANDLER(take4), A(0), A(1), A(2), A(3))
