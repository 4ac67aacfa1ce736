/* SPDX-License-Identifier: MIT */
/*
 * A kernel for each type: an active work-item updates its slot by its value, or, of the operation put, reads its copy.
 *
 * Path:  mirror.c fills arrays -> these kernels -> slots, which mirror.c shares; copies -> these kernels -> mirror.c.
 */
#include "gravel.cl.h"

/* The operations of every type, and those of integers. */
#define UPDATE(op, OP, type)      \
    if (operation == GRAVEL_##OP) \
        gravel_slot_##op##_##type##_wi(g, base, indices[i], values[i]);
#define UPDATE_REAL(type) UPDATE(add, ADD, type)
#define UPDATE_INTEGER(type) \
    UPDATE(add, ADD, type)   \
    UPDATE(min, MIN, type)   \
    UPDATE(max, MAX, type)   \
    UPDATE(and, AND, type)   \
    UPDATE(or, OR, type)     \
    UPDATE(xor, XOR, type)

#define MIRRORS(type, UPDATES)                                                           \
    kernel void mirror_##type##_wi(GRAVEL_ARENA, ulong base, global const uint *active,  \
                                   global const uint *nodes, global const uint *indices, \
                                   global type *values, uint operation)                  \
    {                                                                                    \
        GRAVEL_OPEN(g);                                                                  \
        size_t i = get_global_id(0);                                                     \
        if (!active[i])                                                                  \
            return;                                                                      \
        if (operation == GRAVEL_PUT)                                                     \
            values[i] = ((global const type *)gravel_local(g, base))[indices[i]];        \
        UPDATES(type)                                                                    \
    }

MIRRORS(int, UPDATE_INTEGER)
MIRRORS(uint, UPDATE_INTEGER)
MIRRORS(float, UPDATE_REAL)
#ifdef GRAVELP_HAS_LONG_UPDATES
MIRRORS(long, UPDATE_INTEGER)
MIRRORS(ulong, UPDATE_INTEGER)
#ifdef GRAVEL_HAS_DOUBLE
MIRRORS(double, UPDATE_REAL)
#endif
#endif
