/* SPDX-License-Identifier: MIT */
/*
 * Waits of kernels for words of their own heap, which answers, signals or messages of other nodes change.
 *
 * Path:    gravel.cl.h -> this -> gravelp_wait_ask in queue.cl.h.
 * Memory:  Q2 acquires what the resolver released with the signal (Q1), and with it the answers.
 * Source:  OpenSHMEM 1.5, section 9.9 (point-to-point synchronization).
 */
#ifndef GRAVELP_WAIT_CL_H
#define GRAVELP_WAIT_CL_H

#include "send.cl.h"

/* Comparisons: the even ones, and what each negates. */
#define GRAVEL_CMP_EQ 0u
#define GRAVEL_CMP_NE 1u
#define GRAVEL_CMP_GT 2u
#define GRAVEL_CMP_LE 3u
#define GRAVEL_CMP_LT 4u
#define GRAVEL_CMP_GE 5u

GRAVELP_INLINE bool gravelp_compares(ulong word, uint compare, ulong value)
{
    bool holds = compare < GRAVEL_CMP_GT   ? word == value
                 : compare < GRAVEL_CMP_LT ? word > value
                                           : word < value;
    return holds != (compare & 1u);
}

#define GRAVELP_WORD_YIELDS 128u /* times the polls for room before a wait sleeps */

/* A wait for one of n words of the own heap, for those that hold by then, or for all. */
struct gravelp_awaited {
    ulong offset; /* of the first word [bytes] */
    ulong flip;   /* what makes the type's order that of ulong */
    ulong value;
    uint compare;
    uint bytes; /* of a word */
    uint n;
    bool is_all;
    global const uint *status; /* [n] not 0: the word is left out; or NULL */
    global uint *indices;      /* [n] [out] of words that hold; NULL: the first one ends the wait */
};

GRAVELP_INLINE ulong gravelp_await_load(global uchar *word, uint bytes)
{
#ifdef GRAVEL_HAS_LONG_WAITS
    if (bytes > sizeof(uint))
        return gravelp_long_load_acquire((global ulong *)word); /* Q2, pairs with R1 */
#endif
    return gravelp_load_acquire((global uint *)word); /* Q2, pairs with Q1 */
}

/*
 * Any work-item: wait, by the host's clock in queue 0. Returns how many indices it has stored, or whether all have
 * held, or the index of a word that holds; that is n if no word is waited for, or the wait has failed.
 */
GRAVELP_OUT_OF_LINE uint gravelp_await(struct gravel_group g, struct gravelp_origin origin,
                                       struct gravelp_awaited awaited)
{
    global struct gravelp_queue_words *words = gravelp_queue_words(g.arena, 0);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    uint first = 0, n_held = 0; /* first: all before it have held, of a wait for all */
    for (uint polls = 0;; polls++) {
        ulong seen = first, now = 0, offset = 0; /* of words that do not hold; of the last one */
        bool waits = false;
        for (uint i = first; i < awaited.n && !(waits && awaited.is_all); i++) {
            if (awaited.status && awaited.status[i])
                continue;
            const ulong at = awaited.offset + (ulong)i * awaited.bytes;
            const ulong word = gravelp_await_load(gravelp_heap(g.arena, at), awaited.bytes);
            if (!gravelp_compares(word ^ awaited.flip, awaited.compare,
                                  awaited.value ^ awaited.flip)) {
                waits = true;
                seen = seen * 31 + word;
                now = word;
                offset = at;
            } else if (awaited.indices) {
                awaited.indices[n_held++] = i;
            } else if (!awaited.is_all) {
                return i;
            } else {
                first = i + 1;
            }
        }
        uint verdict = n_held || !waits
                           ? GRAVELP_WAIT_FAILED
                           : gravelp_wait_ask(g.arena, words, seen, g.arena->wait_ms, &patience);
        if (verdict & GRAVELP_WAIT_IS_LATE)
            gravelp_fault_at(g.arena, origin,
                             GRAVELP_FAULT_WAIT | (verdict & GRAVELP_FAULT_CUT_OFF),
                             awaited.compare, awaited.value, now, offset);
        if (verdict != GRAVELP_WAITS_ON)
            return awaited.indices ? n_held : awaited.is_all ? !waits : awaited.n;
        patience.least_ns += gravelp_pause(polls / GRAVELP_WORD_YIELDS, true);
    }
}

#define gravelp_await_wi(g, awaited) gravelp_await(g, gravelp_origin(), awaited)

/* Every work-item of the group: the leader waits. */
GRAVELP_INLINE uint gravelp_await_wg(struct gravel_group g, struct gravelp_awaited awaited)
{
    /* G3: no work-item is in a _wi call, whose answer the leader might wait for */
    gravelp_group_meet_apart(g.arena);
    if (gravelp_is_leader())
        g.scratch->most = gravelp_await_wi(g, awaited);
    gravelp_group_meet(g.arena); /* G4: what the leader has acquired is the whole group's */
    return g.scratch->most;
}

/* ---- the calls ---------------------------------------------------------------------------------- */

#define GRAVELP_AWAITED(bits, flip, n, is_all, status, indices)                                    \
    ((struct gravelp_awaited){offset, flip, (bits)value, compare, sizeof(bits), n, is_all, status, \
                              indices})
#define GRAVELP_DEFINE_WAIT(scope, type, bits, flip)                                             \
    GRAVELP_INLINE bool gravel_wait_until_##type##_##scope(struct gravel_group g, ulong offset,  \
                                                           uint compare, type value)             \
    {                                                                                            \
        return gravelp_await_##scope(g, GRAVELP_AWAITED(bits, flip, 1, true, 0, 0));             \
    }                                                                                            \
    GRAVELP_INLINE bool gravel_wait_until_all_##type##_##scope(                                  \
        struct gravel_group g, ulong offset, uint n, global const uint *status, uint compare,    \
        type value)                                                                              \
    {                                                                                            \
        return gravelp_await_##scope(g, GRAVELP_AWAITED(bits, flip, n, true, status, 0));        \
    }                                                                                            \
    GRAVELP_INLINE uint gravel_wait_until_any_##type##_##scope(                                  \
        struct gravel_group g, ulong offset, uint n, global const uint *status, uint compare,    \
        type value)                                                                              \
    {                                                                                            \
        return gravelp_await_##scope(g, GRAVELP_AWAITED(bits, flip, n, false, status, 0));       \
    }                                                                                            \
    GRAVELP_INLINE uint gravel_wait_until_some_##type##_##scope(                                 \
        struct gravel_group g, ulong offset, uint n, global uint *indices,                       \
        global const uint *status, uint compare, type value)                                     \
    {                                                                                            \
        return gravelp_await_##scope(g, GRAVELP_AWAITED(bits, flip, n, false, status, indices)); \
    }
#define GRAVELP_DEFINE_WAITS(type, bits, flip) \
    GRAVELP_DEFINE_WAIT(wg, type, bits, flip)  \
    GRAVELP_DEFINE_WAIT(wi, type, bits, flip)
GRAVELP_DEFINE_WAITS(uint, uint, 0)
GRAVELP_DEFINE_WAITS(int, uint, 0x80000000u)
#ifdef GRAVEL_HAS_LONG_WAITS
GRAVELP_DEFINE_WAITS(ulong, ulong, 0)
GRAVELP_DEFINE_WAITS(long, ulong, (ulong)1 << 63)
#else
#define GRAVELP_REFUSED_WAIT gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_32_bits
#define gravel_wait_until_ulong_wg(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_ulong_wi(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_long_wg(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_long_wi(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_all_ulong_wg(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_all_ulong_wi(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_all_long_wg(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_all_long_wi(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_any_ulong_wg(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_any_ulong_wi(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_any_long_wg(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_any_long_wi(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_some_ulong_wg(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_some_ulong_wi(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_some_long_wg(...) GRAVELP_REFUSED_WAIT
#define gravel_wait_until_some_long_wi(...) GRAVELP_REFUSED_WAIT
#endif

#endif
