/* SPDX-License-Identifier: MIT */
/*
 * Kernels that send a message in each form. Global size: N_ITEMS in groups of GROUP. Work-item i sends message i of the arrays,
 * if active[i].
 *
 * Path:  plan.c fills the arrays -> kernels of conformance.cl, requests.cl and device_calls.cl, which this is joined with.
 */
#include "gravel.cl.h"

#define PARAMETERS(values_of)                                                      \
    GRAVEL_ARENA, ulong base, global const uint *active, global const uint *nodes, \
        global const uint *indices, global const values_of *values
#if !defined(INDEX) /* with ulong, numbers of elements are of 64 bits */
#define INDEX uint
#endif
#define INDEX_OF(i) (INDEX) indices[i]

#define START       \
    GRAVEL_OPEN(g); \
    uint i = (uint)get_global_id(0);

/* ...: what the call takes between g, or the predicate, and the node. */
#define FORMS(name, CALL, VALUES, ...)                              \
    kernel void name(PARAMETERS(VALUES))                            \
    {                                                               \
        START                                                       \
        gravel_##CALL##_wg(g, __VA_ARGS__, nodes[i]);               \
    }                                                               \
    kernel void name##_if(PARAMETERS(VALUES))                       \
    {                                                               \
        START                                                       \
        gravel_##CALL##_wg_if(g, active[i], __VA_ARGS__, nodes[i]); \
    }                                                               \
    kernel void name##_wi(PARAMETERS(VALUES))                       \
    {                                                               \
        START                                                       \
        if (active[i])                                              \
            gravel_##CALL##_wi(g, __VA_ARGS__, nodes[i]);           \
    }

/* Arguments of active messages are the value and what follows from it: see calls.c. */
#define A(k) values[i] + k * 0x100000001ul
