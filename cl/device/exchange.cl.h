/* SPDX-License-Identifier: MIT */
/*
 * The end of a round of several nodes, whose kernels stay: a node reports what it has counted and which messages lie in
 * its frames; its groups wait for the host's answer, apply the messages that have come, and report that.
 *
 * Path:    rounds.cl.h -> this -> apply.cl.h; the host: lib/rounds/nodes.c
 * Threads: leaders of groups; apply: every work-item.
 * Memory:  Y4 to the host, Y5 from it; what is applied is relaxed (Y2), a meeting follows (Y1), then Y7.
 */
#ifndef GRAVELP_EXCHANGE_CL_H
#define GRAVELP_EXCHANGE_CL_H

#include "meeting.cl.h"

#if defined(GRAVELP_ROUNDS) && defined(GRAVELP_NODES)

/* Member 0: report what the node has counted, and its messages. */
GRAVELP_INLINE void gravelp_round_report(struct gravel_round_group r, ulong sum)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    const uint n_nodes = r.group.arena->n_nodes, number = own->n_met;
    global uint *report = (global uint *)gravelp_heap(r.group.arena, own->nodes_at);
    global uint *counts = report + GRAVELP_ROUNDS_COUNTS(n_nodes) / 4 + number % 2 * n_nodes;
    for (uint i = 0; i < GRAVELP_ROUNDS_FLAGS; i++)
        gravelp_store_relaxed(report + i, GRAVELP_ROUNDS_WORD(number, sum >> 16 * i));      /* Y4 */
    gravelp_store_relaxed(report + GRAVELP_ROUNDS_APPLIED, GRAVELP_ROUNDS_WORD(number, 0)); /* Y4 */
    for (uint i = 0; i < 2 * n_nodes; i++) {
        const uint count = counts[i / 2] < own->room ? counts[i / 2] : own->room;
        gravelp_store_relaxed(report + GRAVELP_ROUNDS_PARTS + i,
                              GRAVELP_ROUNDS_WORD(number, count >> i % 2 * 16)); /* Y4 */
    }
    gravelp_store_release(
        report + GRAVELP_ROUNDS_FLAGS,
        GRAVELP_ROUNDS_WORD(number, (own->is_sent ? GRAVELP_ROUNDS_SENT : 0) |
                                        (own->is_refused ? GRAVELP_ROUNDS_REFUSED : 0))); /* Y4 */
}

/* Leader: poll an answer once. @return whether all of it is there */
GRAVELP_INLINE bool gravelp_round_has_answer(struct gravel_round_group r, global uint *answer)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    const uint n = GRAVELP_ROUNDS_WORDS(r.group.arena->n_nodes), number = own->n_met & 0xffff;
    const uint flags = gravelp_load_acquire(answer + GRAVELP_ROUNDS_FLAGS); /* Y5 */
    if (flags >> 16 != number)
        return false;
    ulong sum = 0;
    own->has_come = 0;
    for (uint i = 0; i < n; i++) {
        const uint word = gravelp_load_relaxed(answer + i); /* Y5 */
        if (word >> 16 != number)
            return false;
        sum |= i < GRAVELP_ROUNDS_FLAGS ? (ulong)(word & 0xffff) << 16 * i : 0;
        own->has_come |= i >= GRAVELP_ROUNDS_PARTS ? word & 0xffff : 0;
    }
    own->sum = sum;
    own->goes_on = flags & GRAVELP_ROUNDS_GO_ON;
    return true;
}

/* Leader: the node has ended its part of a round; wait until all nodes have, and take what they came to. */
GRAVELP_INLINE void gravelp_round_meet_nodes(struct gravel_round_group r, ulong sum)
{
    local struct gravelp_rounds_scratch *own = r.scratch;
    const uint n_nodes = r.group.arena->n_nodes;
    global struct gravelp_queue_words *clock = gravelp_queue_words(r.group.arena, 0);
    global uint *report = (global uint *)gravelp_heap(r.group.arena, own->nodes_at);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    own->n_met++;
    if (own->member == 0)
        gravelp_round_report(r, sum);
    for (uint polls = 1; !gravelp_round_has_answer(r, report + GRAVELP_ROUNDS_ANSWER(n_nodes) / 4);
         polls++) {
        /* The host's own waits have limits: while its clock advances no group is late. */
        if (polls % GRAVELP_ROUND_POLLS == 0 &&
            !gravelp_round_keeps_waiting(r, gravelp_load_relaxed(&clock->beat),
                                         &patience)) { /* H6 */
            own->goes_on = own->has_come = 0;
            return;
        }
        patience.least_ns += gravelp_pause(polls, false);
    }
    if (own->member == 0)
        for (uint i = 0; i < n_nodes; i++)
            report[GRAVELP_ROUNDS_COUNTS(n_nodes) / 4 + own->n_met % 2 * n_nodes + i] = 0;
}

#ifdef GRAVELP_DIRECT

/* Every work-item: apply its part of the messages that have come. */
GRAVELP_INLINE void gravelp_round_apply(struct gravel_round_group r)
{
    const uint n_nodes = r.group.arena->n_nodes, room = r.scratch->room;
    global uchar *nodes = gravelp_heap(r.group.arena, r.scratch->nodes_at);
    global uint *answer = (global uint *)(nodes + GRAVELP_ROUNDS_ANSWER(n_nodes));
    global struct gravelp_round_message *frames =
        (global struct gravelp_round_message *)(nodes + GRAVELP_ROUNDS_IN(n_nodes, room));
    for (uint node = 0; node < n_nodes; node++) {
        const uint n = GRAVELP_ROUNDS_COUNT(answer, node); /* Y5 */
        for (uint i = gravelp_round_item(r); i < n; i += gravelp_round_items(r)) {
            const struct gravelp_round_message message = frames[node * room + i];
            const uint command = GRAVELP_ROUND_COMMAND(message);
            const ulong offset = GRAVELP_ROUND_OFFSET(message);
            global uchar *word =
                gravelp_direct_word(r.group, offset, 0, GRAVELP_VALUE_BYTES(command));
            if (word)
                gravelp_apply(command, word, message.value, 0); /* Y2 */
            else
                gravelp_direct_refuse(r.group, 0, offset, 0, node);
        }
    }
}

/* Member 0's leader, when groups have met: all of them have applied their parts. */
GRAVELP_INLINE void gravelp_round_report_applied(struct gravel_round_group r)
{
    global uint *report = (global uint *)gravelp_heap(r.group.arena, r.scratch->nodes_at);
    gravelp_store_release(report + GRAVELP_ROUNDS_APPLIED,
                          GRAVELP_ROUNDS_WORD(r.scratch->n_met, 1)); /* Y7 */
}

#endif

#endif

#endif
