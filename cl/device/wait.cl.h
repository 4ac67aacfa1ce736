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

/* A wait for a word of the own heap. */
struct gravelp_awaited {
    ulong offset; /* [bytes] */
    ulong flip;   /* what makes the type's order that of ulong */
    ulong value;
    uint compare;
    bool is_long;
};

/* Any work-item: wait, by the host's clock in queue 0. */
GRAVELP_OUT_OF_LINE bool gravelp_await(struct gravel_group g, struct gravelp_origin origin,
                                       struct gravelp_awaited awaited)
{
    global struct gravelp_queue_words *words = gravelp_queue_words(g.arena, 0);
    global uchar *word = gravelp_heap(g.arena, awaited.offset);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    for (uint polls = 0;; polls++) {
        ulong now;
#ifdef GRAVEL_HAS_LONG_WAITS
        if (awaited.is_long)
            now = gravelp_long_load_acquire((global ulong *)word); /* Q2, pairs with R1 */
        else
#endif
            now = gravelp_load_acquire((global uint *)word); /* Q2, pairs with Q1 */
        if (gravelp_compares(now ^ awaited.flip, awaited.compare, awaited.value ^ awaited.flip))
            return true;
        uint verdict = gravelp_wait_ask(g.arena, words, now, g.arena->wait_ms, &patience);
        if (verdict & GRAVELP_WAIT_IS_LATE)
            gravelp_fault_at(g.arena, origin,
                             GRAVELP_FAULT_WAIT | (verdict & GRAVELP_FAULT_CUT_OFF),
                             awaited.compare, awaited.value, now, awaited.offset);
        if (verdict != GRAVELP_WAITS_ON)
            return false;
        patience.least_ns += gravelp_pause(polls / GRAVELP_WORD_YIELDS, true);
    }
}

#define gravelp_await_wi(g, awaited) gravelp_await(g, gravelp_origin(), awaited)

/* Every work-item of the group: the leader waits. */
GRAVELP_INLINE bool gravelp_await_wg(struct gravel_group g, struct gravelp_awaited awaited)
{
    /* G3: no work-item is in a _wi call, whose answer the leader might wait for */
    gravelp_group_meet_apart(g.arena);
    if (gravelp_is_leader())
        g.scratch->most = gravelp_await_wi(g, awaited);
    gravelp_group_meet(g.arena); /* G4: what the leader has acquired is the whole group's */
    return g.scratch->most;
}

/* ---- the calls ---------------------------------------------------------------------------------- */

#define GRAVELP_DEFINE_WAIT(scope, type, bits, flip)                                              \
    GRAVELP_INLINE bool gravel_wait_until_##type##_##scope(struct gravel_group g, ulong offset,   \
                                                           uint compare, type value)              \
    {                                                                                             \
        return gravelp_await_##scope(                                                             \
            g, ((struct gravelp_awaited){offset, flip, (bits)value, compare, sizeof(bits) > 4})); \
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
#define gravel_wait_until_ulong_wg(...) \
    gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_a_uint
#define gravel_wait_until_ulong_wi(...) \
    gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_a_uint
#define gravel_wait_until_long_wg(...) \
    gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_an_int
#define gravel_wait_until_long_wi(...) \
    gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_an_int
#endif

#endif
