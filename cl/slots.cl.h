/* SPDX-License-Identifier: MIT */
/*
 * Any work-item, in any divergent code, updates a slot of a mirror (gravel/mirror.h).
 *
 *     gravel_slot_OP_TYPE_wi(g, slots, slot, value)       OP: add, min, max, and, or, xor; of float, double: add
 *     gravel_slot_inc_TYPE_wi(g, slots, slot)
 *
 * `slots` is gravel_mirror_offset of a mirror of slots of this operation and type (inc: add), `slot` the word's
 * position in the plan. Unchecked: a slot outside the plan is another word of this node's heap. Calls of 64-bit types
 * exist where the device has 64-bit atomics.
 *
 * Path:    the user's kernel -> this -> the slot; lib/mirror/share.c sends it.
 * Memory:  relaxed, at device scope (V4): a slot is read when the kernel has ended.
 */
#ifndef GRAVELP_SLOTS_CL_H
#define GRAVELP_SLOTS_CL_H

#include "workgroup.cl.h"

#if defined(__OPENCL_C_VERSION__)

#define GRAVELP_DEFINE_SLOT(OP, op, TYPE, type)                                                   \
    GRAVELP_INLINE void gravel_slot_##op##_##type##_wi(struct gravel_group g, ulong slots,        \
                                                       ulong slot, type value)                    \
    {                                                                                             \
        volatile global type *word = (volatile global type *)gravelp_heap(g.arena, slots) + slot; \
        GRAVELP_UPDATE_##op(type, word, value); /* V4 */                                          \
    }
#define GRAVELP_DEFINE_SLOT_INTEGER(TYPE, type)                                         \
    GRAVEL_INTEGER_COMBINATIONS(GRAVELP_DEFINE_SLOT, TYPE, type)                        \
    GRAVELP_INLINE void gravel_slot_inc_##type##_wi(struct gravel_group g, ulong slots, \
                                                    ulong slot)                         \
    {                                                                                   \
        gravel_slot_add_##type##_wi(g, slots, slot, 1);                                 \
    }

GRAVELP_DEFINE_SLOT_INTEGER(INT, int)
GRAVELP_DEFINE_SLOT_INTEGER(UINT, uint)
GRAVELP_DEFINE_SLOT(ADD, add, FLOAT, float)
#ifdef GRAVELP_HAS_LONG_UPDATES
GRAVELP_DEFINE_SLOT_INTEGER(LONG, long)
GRAVELP_DEFINE_SLOT_INTEGER(ULONG, ulong)
#ifdef GRAVEL_HAS_DOUBLE
GRAVELP_DEFINE_SLOT(ADD, add, DOUBLE, double)
#endif
#endif

#endif

#endif
