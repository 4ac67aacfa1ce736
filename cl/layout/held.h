/* SPDX-License-Identifier: MIT */
/*
 * Held channels: elements that are enqueued when as many arrivals have come as each waits for, and that stay until they
 * are freed, in any order.
 *
 * A layer's head and tail say which channel elements (CEs) are held: room is admitted by them as in any channel. Two
 * rows behind the records are not part of them:
 *
 *     states     of each column: the lap of its CE, and how many arrivals the CE waits for; 0: enqueued
 *     enqueued   a ring of CEs in the order in which they were; its head and tail are words of the channel
 *
 * A CE is enqueued once while it is held, so that the ring has room; its entry dies with its round. *Done counts* say
 * how many of 64 neighbouring CEs have been freed. They are never reset: all 64 are free at 64 times the laps so far.
 * The chooser moves the head over CEs that are all free. It may stop among the 64, and those before it be of a lap
 * later, so even and odd laps have counts of their own.
 *
 * Path:    flow.h -> this -> choose.h, cl/device/held.cl.h.
 * Source:  Orr 2016, section 4.1 (control array, done counts). Different there: producers and consumers work on one
 *          channel at once, so an entry is published by a second tail; here an entry is read in a later round.
 */
#ifndef GRAVELP_HELD_H
#define GRAVELP_HELD_H

#include "base.h"

#define GRAVELP_DONE_SPAN 64u /* CEs that have a done count */
#define GRAVELP_CE_MASK \
    0x3fffffffu /* of a free-running index: what names a CE; some may be added */
#define GRAVELP_LAP_SHIFT 24u
#define GRAVELP_JOINS_FREED 0xffffffu /* instead of a number of arrivals */

/* The state of a CE that waits for `joins` arrivals; of neighbouring laps they differ. */
static inline gravelp_u32 gravelp_held_state(gravelp_u32 width, gravelp_u32 ce, gravelp_u32 joins)
{
    return (ce & GRAVELP_CE_MASK) / width << GRAVELP_LAP_SHIFT | joins;
}

/* Neighbours that share done counts, and how many counts a channel has. */
static inline gravelp_u32 gravelp_held_span(gravelp_u32 width)
{
    return width < GRAVELP_DONE_SPAN ? width : GRAVELP_DONE_SPAN;
}
static inline gravelp_u32 gravelp_held_n_done(gravelp_u32 width)
{
    return width / gravelp_held_span(width) * 2;
}

/* The number of a CE's done count. */
static inline gravelp_u32 gravelp_held_done_of(gravelp_u32 width, gravelp_u32 ce)
{
    return (ce & (width - 1)) / gravelp_held_span(width) * 2 + (ce / width & 1);
}

/*
 * Whether n CEs from index `first` on, the first of a span, have been freed.
 *
 * @param done  their count, which wraps later than indices do: bits of both that neither has are left out.
 */
static inline int gravelp_held_is_done(gravelp_u32 width, gravelp_u32 first, gravelp_u32 n,
                                       gravelp_u32 done)
{
    gravelp_u32 expected = first / width / 2 * gravelp_held_span(width) + n;
    return ((done - expected) & 0xffffffffu / gravelp_held_n_done(width)) == 0;
}

#endif
