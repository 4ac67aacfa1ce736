/* SPDX-License-Identifier: MIT */
/*
 * Kernels that send a message in each form. Global size: N_ITEMS in groups of GROUP. Work-item i sends message i of the arrays,
 * if active[i].
 *
 * Path:  plan.c fills the arrays -> kernels of conformance.cl and device_calls.cl, which this is joined with.
 */
#include "gravel.cl.h"

#define PARAMETERS                                                                 \
    GRAVEL_ARENA, ulong base, global const uint *active, global const uint *nodes, \
        global const uint *indices

/* ...: what the call takes between g, or the predicate, and the node. */
#define FORMS(name, CALL, VALUES, ...)                              \
    kernel void name(PARAMETERS, global const VALUES *values)       \
    {                                                               \
        GRAVEL_OPEN(g);                                             \
        uint i = (uint)get_global_id(0);                            \
        gravel_##CALL##_wg(g, __VA_ARGS__, nodes[i]);               \
    }                                                               \
    kernel void name##_if(PARAMETERS, global const VALUES *values)  \
    {                                                               \
        GRAVEL_OPEN(g);                                             \
        uint i = (uint)get_global_id(0);                            \
        gravel_##CALL##_wg_if(g, active[i], __VA_ARGS__, nodes[i]); \
    }                                                               \
    kernel void name##_wi(PARAMETERS, global const VALUES *values)  \
    {                                                               \
        GRAVEL_OPEN(g);                                             \
        uint i = (uint)get_global_id(0);                            \
        if (active[i])                                              \
            gravel_##CALL##_wi(g, __VA_ARGS__, nodes[i]);           \
    }

/* Arguments of active messages are the value and what follows from it: see calls.c. */
#define A(k) values[i] + k * 0x100000001ul
