/* SPDX-License-Identifier: MIT */
/*
 * Cilk's words over channels: results go to slots, words of a continuation; records are read and written by word.
 *
 * Path:    GRAVEL_RECORD and gravel_return of flow.cl.h -> this -> channel.cl.h.
 * Memory:  a result is a plain store, or a relaxed addition, that the continuation's round reads later (X3).
 * Source:  Orr 2016, section 4.3 (spawn, sync, figures 4-6 to 4-9).
 */
#ifndef GRAVELP_CILK_CL_H
#define GRAVELP_CILK_CL_H

#include "channel.cl.h"

#ifdef GRAVELP_FLOW_SIGN

/* The slot that is a word of a continuation made at this level. */
GRAVELP_INLINE gravel_slot gravelp_slot(struct gravel_flow_group f, uint after, gravel_ce ce,
                                        uint word)
{
    uint column = gravelp_column(after, ce);
    uint slot = gravelp_channels[after].base + gravelp_channels[after].level_words * f.level +
                word * gravelp_channels[after].width + column;
    return ce < GRAVELP_NO_CE ? slot : GRAVELP_NO_SLOT;
}

/* Words between the two halves of a long: rows of continuations all have one width, the caller's result has none. */
GRAVELP_INLINE uint gravelp_slot_stride(gravel_slot slot)
{
    return slot < GRAVEL_RESULT_WORDS ? 1 : GRAVELP_FLOW_SLOT_STRIDE;
}

/* The word of a slot; NULL, after a fault, if there is no such slot. */
GRAVELP_INLINE volatile global uint *gravelp_slot_word(struct gravel_flow_group f, gravel_slot slot)
{
    if (slot < f.flow->n_slots)
        return gravelp_flow_words(f.flow, f.flow->slots_at) + slot;
    gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_SLOT, f.channel, slot, f.flow->n_slots);
    return 0;
}

GRAVELP_INLINE void gravelp_return_word(struct gravel_flow_group f, gravel_slot slot, uint value)
{
    volatile global uint *word = gravelp_slot_word(f, slot);
    if (word)
        *word = value; /* X3 */
}
GRAVELP_INLINE void gravelp_return_words(struct gravel_flow_group f, gravel_slot slot, ulong value)
{
    gravelp_return_word(f, slot, (uint)value);
    gravelp_return_word(f, slot + gravelp_slot_stride(slot), (uint)(value >> 32));
}
GRAVELP_INLINE void gravelp_return_add_word(struct gravel_flow_group f, gravel_slot slot,
                                            uint value)
{
    volatile global uint *word = gravelp_slot_word(f, slot);
    if (word)
        gravelp_device_fetch_add_relaxed((global uint *)word, value); /* X3 */
}

/* Sums of float by compare and swap: among n work-items that add to one slot, n turns of all who are left. */
GRAVELP_INLINE void gravelp_return_add_real(struct gravel_flow_group f, gravel_slot slot,
                                            float value)
{
    volatile global uint *word = gravelp_slot_word(f, slot);
    for (uint old = 0, seen = word ? *word : 0, adds = word != 0; adds; adds = seen != old) {
        old = seen;
        seen = atomic_cmpxchg(word, old, as_uint(as_float(old) + value)); /* X3 */
    }
}

/* The record of `name`, by word. */
#define GRAVELP_WORDS_OF(name) (sizeof(struct name) / sizeof(uint))
#define GRAVELP_RECORD_UNION(name)         \
    union {                                \
        struct name record;                \
        uint word[GRAVELP_WORDS_OF(name)]; \
    }

#endif

#endif
