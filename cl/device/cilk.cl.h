/* SPDX-License-Identifier: MIT */
/*
 * Cilk's words over channels: results go to slots, words of a continuation or held CE; records are read and written by
 * word.
 *
 * Path:    GRAVEL_RECORD and gravel_return of flow.cl.h -> this -> channel.cl.h.
 * Memory:  a result is a plain store, or a relaxed addition, that the continuation's round reads later (K4).
 * Source:  Orr 2016, section 4.3 (spawn, sync, figures 4-6 to 4-9).
 */
#ifndef GRAVELP_CILK_CL_H
#define GRAVELP_CILK_CL_H

#include "channel.cl.h"

#ifdef GRAVELP_FLOW_SIGN

/* The slot that is a word of a continuation made at this level, or of a held CE. */
GRAVELP_INLINE uint gravelp_ce_slot(struct gravel_flow_group f, uint after, gravel_ce ce, uint word)
{
    uint slot = gravelp_rows_at(after, f.level) + word * gravelp_channels[after].width +
                gravelp_column(after, ce);
    return ce < GRAVELP_NO_CE ? slot : GRAVELP_NO_SLOT;
}

GRAVELP_INLINE bool gravelp_slot_is_held(gravel_slot slot)
{
    return slot - GRAVELP_FLOW_HELD_AT < GRAVELP_FLOW_HELD_WORDS;
}

/*
 * Words between the two halves of a long: all continuations are of one width, and so are held CEs; the caller's result
 * has no columns.
 */
GRAVELP_INLINE uint gravelp_slot_stride(gravel_slot slot)
{
    if (slot < GRAVEL_RESULT_WORDS)
        return 1;
    return gravelp_slot_is_held(slot) ? GRAVELP_FLOW_HELD_STRIDE : GRAVELP_FLOW_SLOT_STRIDE;
}

/* Whether there is such a slot; a fault if not. */
GRAVELP_INLINE bool gravelp_has_slot(struct gravel_flow_group f, gravel_slot slot)
{
    uint in_levels = slot - GRAVELP_FLOW_LEVELS_AT;
    if (slot < GRAVEL_RESULT_WORDS || gravelp_slot_is_held(slot) ||
        (in_levels < f.flow->n_level_words &&
         in_levels % GRAVELP_FLOW_LEVEL_WORDS < GRAVELP_FLOW_AFTER_WORDS))
        return true;
    gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_SLOT, f.channel, slot, 0);
    return false;
}

GRAVELP_INLINE void gravelp_return_word(struct gravel_flow_group f, gravel_slot slot, uint value)
{
    if (gravelp_has_slot(f, slot))
        GRAVELP_ROW_STORE(gravelp_rows(f) + slot, value); /* K4 */
}
GRAVELP_INLINE void gravelp_return_words(struct gravel_flow_group f, gravel_slot slot, ulong value)
{
    gravelp_return_word(f, slot, (uint)value);
    gravelp_return_word(f, slot + gravelp_slot_stride(slot), (uint)(value >> 32));
}
GRAVELP_INLINE void gravelp_return_add_word(struct gravel_flow_group f, gravel_slot slot,
                                            uint value)
{
    if (gravelp_has_slot(f, slot))
        gravelp_device_fetch_add_relaxed(gravelp_rows(f) + slot, value); /* K4 */
}

/* Sums of float by compare and swap: among n work-items that add to one slot, n turns of all who are left. */
GRAVELP_INLINE void gravelp_return_add_real(struct gravel_flow_group f, gravel_slot slot,
                                            float value)
{
    volatile global uint *word = gravelp_rows(f) + slot;
    uint adds = gravelp_has_slot(f, slot), seen = adds ? *word : 0;
    while (adds) {
        uint old = seen;
        seen = atomic_cmpxchg(word, old, as_uint(as_float(old) + value)); /* K4 */
        adds = seen != old;
    }
}

/*
 * A record by word, in straight code: where a compiler turns a group into a loop over its work-items (PoCL), an array
 * with a changing index stays in memory that all of them share, and is taken for memory that each has of its own.
 */
#define GRAVELP_WORDS_OF(name) (sizeof(struct name) / sizeof(uint))
#define GRAVELP_RECORD_UNION(name)                          \
    union {                                                 \
        struct name record;                                 \
        uint word[GRAVEL_RECORD_MOST_BYTES / sizeof(uint)]; \
    }
#define GRAVELP_FOUR_WORDS(X, name, i) X(name, i) X(name, i + 1) X(name, i + 2) X(name, i + 3)
#define GRAVELP_EACH_WORD(X, name)  \
    GRAVELP_FOUR_WORDS(X, name, 0)  \
    GRAVELP_FOUR_WORDS(X, name, 4)  \
    GRAVELP_FOUR_WORDS(X, name, 8)  \
    GRAVELP_FOUR_WORDS(X, name, 12) \
    GRAVELP_FOUR_WORDS(X, name, 16) \
    GRAVELP_FOUR_WORDS(X, name, 20) \
    GRAVELP_FOUR_WORDS(X, name, 24) \
    GRAVELP_FOUR_WORDS(X, name, 28)
#define GRAVELP_WRITE_WORD(name, i) \
    if (GRAVELP_WORDS_OF(name) > i) \
        gravelp_write_word(f, channel, ce, i, words.word[i]);
#define GRAVELP_READ_WORD(name, i)  \
    if (GRAVELP_WORDS_OF(name) > i) \
        words.word[i] = gravelp_read_word(f, GRAVEL_CHANNEL(name), ce, i);

#endif

#endif
