/* SPDX-License-Identifier: MIT */
/*
 * Packages that work-items of a group share which append to one stream at about the same time, each on its own in
 * divergent code: a package for each record would cost the host more than the record.
 *
 *     0  ->  open: a stream, and how many have joined  ->  closed: how many have left too  ->  0
 *
 * The work-item that finds none opens one, and takes a ticket. Until the ticket's slot is free, others join; then the
 * first one closes the package. How many have joined by then says where each record is, so that all write theirs, and
 * leave; the last one publishes. Who finds a package that is closed, full, or of another stream, sends alone.
 *
 * There is no barrier. A work-item waits for the host, as any that sends alone, or for the one that opened its package,
 * which has begun to send, waits for no other work-item, and says so when it gives up. All go round one loop, in which
 * each look is short: work-items of a wavefront run in lockstep. Where one thread runs a group, nobody ever meets.
 *
 * Order: the ticket is taken before a package is closed, and so before any call that shares it returns.
 *
 * Path:    cl/print.cl.h -> this -> record.cl.h, queue.cl.h -> the host.
 * Owner:   word and ticket are in the group's local memory; GRAVEL_OPEN clears the word in programs that print.
 * Memory:  J4, J5 hand ticket and slot to those who have joined, J6, J7 gather the records, which P2 hands to the host,
 *          and J8, J9 keep the next ticket from those who still read this one.
 */
#ifndef GRAVELP_JOINT_CL_H
#define GRAVELP_JOINT_CL_H

#include "record.cl.h"

#if defined(GRAVELP_ONE_THREAD) || (defined(GRAVEL_CHECK) && GRAVEL_CHECK)

#define GRAVELP_RECORD_WI(g, ...) gravelp_record_alone(g, GRAVELP_NO_ARRIVAL, 1, __VA_ARGS__)

#else

#undef GRAVELP_OPEN_JOINT
#define GRAVELP_OPEN_JOINT gravelp_joint_clear
#define GRAVELP_RECORD_WI gravelp_record_wi

/* The word: those who have joined, those who have left, the stream, and how far the package is. */
#define GRAVELP_JOINT_COUNT 1024u
#define GRAVELP_JOINT_LEFT GRAVELP_JOINT_COUNT /* one */
#define GRAVELP_JOINT_OPEN(command) (GRAVELP_RECORD_STREAM(command) << 20 | 1u << 27)
#define GRAVELP_JOINT_CLOSED (1u << 28)
#define GRAVELP_JOINT_DROPPED (1u << 29) /* for good: the node has failed */
#define GRAVELP_JOINT_N(state) ((state) % GRAVELP_JOINT_COUNT)
#define GRAVELP_JOINT_N_LEFT(state) ((state) / GRAVELP_JOINT_LEFT % GRAVELP_JOINT_COUNT)

/* GRAVEL_OPEN: every work-item of the group. */
GRAVELP_INLINE void gravelp_joint_clear(struct gravel_group g)
{
    if (gravelp_is_leader())
        g.scratch->joint = 0;
    gravelp_group_meet(g.arena); /* G1: no package is open */
}

/* How a work-item sends one record. */
struct gravelp_joining {
    uint place;    /* the record's, in its package */
    bool is_alone; /* in a package of its own */
    bool waits;    /* for the ticket's slot, which it has taken; else it has joined one who does */
    uint ticket;
    uint n; /* records of the package; 0: not known yet */
};

/* Open a package, or join the open one, unless it has no place. Each turn somebody's succeeds. */
GRAVELP_INLINE struct gravelp_joining gravelp_joint_enter(local uint *joint, uint command,
                                                          uint most)
{
    const uint open = GRAVELP_JOINT_OPEN(command);
    struct gravelp_joining own = {0, true, true, 0, 0};
    bool may_join = true;
    while (may_join) {
        const uint seen = gravelp_local_load_relaxed(joint); /* J0: only the swap counts */
        const uint n = GRAVELP_JOINT_N(seen);
        may_join = seen == 0 || (seen - n == open && n < most);
        if (may_join && gravelp_local_swap_relaxed(joint, seen, open + n + 1)) { /* J0 */
            own = (struct gravelp_joining){n, false, n == 0, 0, 0};
            may_join = false;
        }
    }
    return own;
}

/* Who opened it, and whose ticket's slot is free: nobody joins any more. */
GRAVELP_INLINE void gravelp_joint_close(local struct gravelp_scratch *scratch, uint ticket)
{
    (void)gravelp_local_load_acquire(&scratch->joint); /* J9, pairs with J8 */
    scratch->joint_ticket = ticket;
    gravelp_local_add_release(&scratch->joint, GRAVELP_JOINT_CLOSED); /* J4, pairs with J5 */
}

/* Who has opened or joined it: one look. @return false if the one that opened it has given up. */
GRAVELP_INLINE bool gravelp_joint_look(local struct gravelp_scratch *scratch,
                                       struct gravelp_joining *own)
{
    const uint state = gravelp_local_load_acquire(&scratch->joint); /* J5, pairs with J4 */
    if (state & GRAVELP_JOINT_CLOSED) {
        own->ticket = scratch->joint_ticket;
        own->n = GRAVELP_JOINT_N(state);
    } else {
        gravelp_pause(0, false);
    }
    return !(state & GRAVELP_JOINT_DROPPED);
}

/* Who has written its record of n: whether it is the last one, and the next package may be opened. */
GRAVELP_INLINE bool gravelp_joint_leave(local struct gravelp_scratch *scratch, uint n)
{
    const uint before =
        gravelp_local_add_release(&scratch->joint, GRAVELP_JOINT_LEFT); /* J6, pairs with J7 */
    if (GRAVELP_JOINT_N_LEFT(before) + 1 < n)
        return false;
    (void)gravelp_local_load_acquire(&scratch->joint); /* J7, pairs with J6 */
    gravelp_local_store_release(&scratch->joint, 0);   /* J8, pairs with J9 */
    return true;
}

/* Any work-item: one record without a text. It waits for room as gravelp_send_alone does. */
static inline void gravelp_record_jointly(struct gravel_group g, uint command, const uint *words,
                                          uint node)
{
    const uint columns = GRAVELP_SLOT_COLUMNS(g.arena->slot_bytes, command);
    if (!gravelp_record_fits(g, command))
        return;
    const uint queue = gravelp_queue_of_group(g.arena);
    global struct gravelp_queue_words *queue_words = gravelp_queue_words(g.arena, queue);
    struct gravelp_joining own =
        gravelp_joint_enter(&g.scratch->joint, command,
                            columns < GRAVELP_JOINT_COUNT ? columns : GRAVELP_JOINT_COUNT - 1);
    if (own.waits)
        own.ticket = gravelp_device_fetch_add_relaxed(&queue_words->reserved, 1);
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    bool is_sending = true;
    while (is_sending) {
        if (own.waits && gravelp_queue_has_room(g.arena, queue_words, own.ticket)) {
            own.waits = false;
            own.n = own.is_alone;
            if (!own.is_alone)
                gravelp_joint_close(g.scratch, own.ticket);
        } else if (own.waits) {
            is_sending =
                gravelp_queue_keep_waiting(g.arena, gravelp_origin(), queue, own.ticket, &patience);
            if (!is_sending && !own.is_alone)
                gravelp_local_add_relaxed(&g.scratch->joint, GRAVELP_JOINT_DROPPED); /* J0 */
        }
        if (is_sending && !own.is_alone)
            is_sending = gravelp_joint_look(g.scratch, &own);
        if (own.n) {
            global uchar *slot = gravelp_queue_slot(g.arena, queue, own.ticket);
            gravelp_write_record(slot, command, own.n, own.place, words, node);
            if (own.is_alone || gravelp_joint_leave(g.scratch, own.n)) {
                gravelp_queue_set_reply(slot, (struct gravel_reply){0, GRAVEL_NO_SIGNAL});
                gravelp_queue_publish(slot, own.ticket, command, own.n, 0);
            }
            is_sending = false;
        }
    }
}

/* Any work-item: lines of two calls have two texts, so that they share nothing. */
GRAVELP_INLINE void gravelp_record_wi(struct gravel_group g, uint command, struct gravelp_text text,
                                      const uint *words, uint node)
{
    if (GRAVELP_TEXT_BYTES(command))
        gravelp_record_alone(g, GRAVELP_NO_ARRIVAL, 1, command, text, words, node);
    else
        gravelp_record_jointly(g, command, words, node);
}

#endif
#endif
