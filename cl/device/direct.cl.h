/* SPDX-License-Identifier: MIT */
/*
 * Messages of a kernel that stays for many rounds on a node that is alone: each is applied at once, by an atomic
 * operation of the device on the node's own word. Messages that run a handler, and records, go to the host as they do
 * elsewhere; that is reported to the host, and the launch ends with the round.
 *
 * Path:    gravel.cl.h's calls (forms.cl.h) -> check.cl.h -> this, instead of send.cl.h -> the heap.
 * Memory:  operations are relaxed, at device scope (Y2): the meeting behind a phase orders them (Y1). A
 *          signal is raised with release (Y3).
 */
#ifndef GRAVELP_DIRECT_CL_H
#define GRAVELP_DIRECT_CL_H

#include "apply.cl.h"
#include "layout/rounds.h"

/* Local memory of a group: what its leader knows of the round, and what the group adds to it. */
struct gravelp_rounds_scratch {
    uint member, n_members; /* this group's number among the launch's members */
    uint n_rounds;          /* whole ones of the launch */
    uint set;               /* which the part of the round up to the next meeting adds to */
    uint goes_on;
    ulong sum,
        sum_so_far; /* counted in the round before, and in this one's parts that have ended */
    uint is_sent, is_refused;
    uint count;     /* in this part, atomic; any work-item */
    uint has_added; /* 1: some work-item has added to the set's other words, and sets this */
    ulong nodes_at; /* as in struct gravelp_rounds_begin */
    uint room, n_met, has_come; /* has_come: frames of other nodes hold messages */
};

#ifdef GRAVELP_STAYS

/* Any work-item: the words of the round that its group adds to. */
GRAVELP_INLINE global struct gravelp_rounds_set *gravelp_round_set(struct gravel_group g)
{
    gravelp_local_store_relaxed(&g.round->has_added, 1); /* Y2 */
    return &g.rounds->sets[g.round->set];
}

#endif

#ifdef GRAVELP_DIRECT

/* ---- words ------------------------------------------------------------------------------------- */

/* Any work-item: a message is to no word of this node's. The first is described. */
GRAVELP_OUT_OF_LINE void gravelp_direct_refuse(struct gravel_group g, uint line, ulong base,
                                               ulong index, ulong node)
{
    global struct gravelp_rounds *rounds = g.rounds;
    gravelp_device_store_relaxed(&gravelp_round_set(g)->is_refused, 1); /* Y2 */
    if (gravelp_device_fetch_add_relaxed(&rounds->n_refused, 1) != 0)   /* Y2 */
        return;
    rounds->refused_line = line;
    rounds->refused_base = base;
    rounds->refused_index = index;
    rounds->refused_node = node;
}

/* Any work-item: element `index`, of `bytes` [bytes], of the array at a heap offset; NULL if it is in no allocation. */
GRAVELP_INLINE global uchar *gravelp_direct_word(struct gravel_group g, ulong base, ulong index,
                                                 uint bytes)
{
    global const struct gravelp_rounds *rounds = g.rounds;
    uint first = 0, end = rounds->n_spans;
    while (first < end) {
        const uint middle = first + (end - first) / 2;
        const struct gravelp_bounds_span span = rounds->spans[middle];
        if (base < span.offset)
            end = middle;
        else if (base - span.offset >= span.bytes)
            first = middle + 1;
        else
            return base % bytes == 0 && index < (span.bytes - (base - span.offset)) / bytes
                       ? gravelp_heap(g.arena, base + index * bytes)
                       : 0;
    }
    return 0;
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* Any work-item: what it takes part in sending is the host's to apply. */
GRAVELP_INLINE struct gravel_group gravelp_direct_pass(struct gravel_group g)
{
    gravelp_device_store_relaxed(&gravelp_round_set(g)->is_sent, 1); /* Y2 */
    return g;
}

/* Whether a command is applied by the device: it is a constant. On several nodes, one that commutes with its like: what
 * comes in a frame is applied in any order. */
#ifndef GRAVELP_NODES
#define GRAVELP_IS_DIRECT(command) (!GRAVELP_IS_CALL(command) && !GRAVELP_IS_RECORD(command))
#else
#define GRAVELP_IS_DIRECT(command)                                                               \
    (!GRAVELP_IS_CALL(command) && !GRAVELP_IS_RECORD(command) && !GRAVELP_IS_REQUEST(command) && \
     !GRAVELP_HAS_SIGNAL(command) && GRAVELP_COMMAND_OP(command) != GRAVEL_PUT)

/* Any work-item: adds a message to its node's frame, while that has room. */
GRAVELP_INLINE uint gravelp_round_send(struct gravel_group g, uint line, uint command, ulong base,
                                       ulong index, struct gravelp_values values, ulong node)
{
    const uint n_nodes = g.arena->n_nodes, room = g.round->room;
    if (node >= n_nodes || !gravelp_direct_word(g, base, index, GRAVELP_VALUE_BYTES(command))) {
        gravelp_direct_refuse(g, line, base, index, node);
        return 1;
    }
    global uchar *nodes = gravelp_heap(g.arena, g.round->nodes_at);
    const ulong at =
        GRAVELP_ROUNDS_COUNTS(n_nodes) + 4 * ((g.round->n_met + 1) % 2 * n_nodes + node);
    global uint *count = (global uint *)(nodes + at);
    const uint n = room ? gravelp_take_place(count) : 0; /* Y2 */
    if (n >= room) {
        if (n >> 31) /* each work-item sets it back before it adds again, so it never wraps */
            gravelp_device_store_relaxed(count, room); /* Y2 */
        return gravelp_send_wi(gravelp_direct_pass(g), command, base, GRAVELP_NO_REPLY, index,
                               values, node);
    }
    const ulong offset = base + index * GRAVELP_VALUE_BYTES(command);
    ((global struct gravelp_round_message *)(nodes +
                                             GRAVELP_ROUNDS_OUT(n_nodes)))[node * room + n] =
        (struct gravelp_round_message){GRAVELP_ROUND_TO(command & ~GRAVELP_COMMAND_FAR, offset),
                                       values.value[0]};
    return 1;
}
#endif

/* Any work-item: apply its message, if it is active, and answer it. All words are there, or nothing is done. */
GRAVELP_INLINE uint gravelp_direct(struct gravel_group g, uint line, uint active, uint command,
                                   ulong base, struct gravel_reply reply, ulong index,
                                   struct gravelp_values values, ulong node)
{
    const uint bytes = GRAVELP_VALUE_BYTES(command);
    const bool is_request = GRAVELP_IS_REQUEST(command);
    const bool has_signal = GRAVELP_HAS_SIGNAL(command) && reply.signal != GRAVEL_NO_SIGNAL;
    if (!active)
        return 0;
#ifdef GRAVELP_NODES
    if (node != g.arena->node)
        return gravelp_round_send(g, line, command, base, index, values, node);
#endif
    global uchar *word = gravelp_direct_word(g, base, index, bytes);
    global uchar *answer =
        is_request ? gravelp_direct_word(g, reply.result, values.position, bytes) : word;
    global uchar *signal = has_signal ? gravelp_direct_word(g, reply.signal, 0, 4) : word;
    if (node != g.arena->node || !word || !answer || !signal) {
        gravelp_direct_refuse(g, line,
                              !word     ? base
                              : !answer ? reply.result
                                        : reply.signal,
                              !word     ? index
                              : !answer ? values.position
                                        : 0,
                              node);
        return 1;
    }
    /* A constant, so one case is left: of a put with a signal, which is raised below, the put. */
    const uint change = GRAVELP_COMMAND_OP(command) == GRAVEL_PUT_SIGNAL
                            ? GRAVELP_COMMAND(GRAVEL_PUT, GRAVELP_COMMAND_TYPE(command))
                            : command & ~GRAVELP_COMMAND_FAR;
    const ulong old = gravelp_apply(change, word, values.value[0], values.value[1]); /* Y2 */
    if (is_request && bytes == 4)
        *(volatile global uint *)answer = (uint)old;
    else if (is_request)
        *(volatile global ulong *)answer = old;
    if (has_signal)
        gravelp_fetch_add_release((global uint *)signal, 1); /* Y3, pairs with Q2 */
    return 1;
}

/* Every work-item of the group: how many are active. */
GRAVELP_INLINE uint gravelp_direct_count(struct gravel_group g, uint active)
{
    gravelp_compact(g, active);
    gravelp_group_meet(g.arena); /* G1: their number is known */
    return g.scratch->n_active;
}

#endif

#endif
