/* SPDX-License-Identifier: MIT */
/*
 * How a sub-group sends.
 *
 * Path:    subgroup.cl.h's calls (subgroup_forms.cl.h) -> this -> queue.cl.h.
 * Memory:  G5; P2 as in every form.
 * Source:  Orr 2016, section 5.3 (control flow of wavefronts); his leaders are of work-groups only.
 */
#ifndef GRAVELP_SUBGROUP_SEND_CL_H
#define GRAVELP_SUBGROUP_SEND_CL_H

#include "send.cl.h"
#include "wavefront.cl.h"

#if defined(GRAVEL_HAS_SUBGROUPS)

/* Work-item 0 of the sub-group: slots for n messages. True with the first ticket if they can be sent. */
GRAVELP_INLINE bool gravelp_sg_begin(struct gravel_group g, uint command, uint n, uint *ticket)
{
    uint columns = GRAVELP_SLOT_COLUMNS(g.arena->slot_bytes, command);
    return n &&
           gravelp_queue_reserve(g.arena, gravelp_ring(g.arena, gravelp_queue_of_group(g.arena)),
                                 (n + columns - 1) / columns, ticket);
}

/* Active work-items: write the position-th of n messages. */
GRAVELP_INLINE void gravelp_sg_write(struct gravel_group g, uint command,
                                     struct gravelp_sg_count mine, uint ticket, ulong index,
                                     struct gravelp_values values, ulong node)
{
    uint columns = GRAVELP_SLOT_COLUMNS(g.arena->slot_bytes, command);
    uint package = mine.position / columns, left = mine.n - package * columns;
    global uchar *slot =
        gravelp_queue_slot(g.arena, gravelp_queue_of_group(g.arena), ticket + package);
    gravelp_write_column(slot, command, GRAVELP_PACKAGE_STRIDE(left < columns ? left : columns),
                         mine.position - package * columns, index, values, node);
}

/* Work-item 0 of the sub-group, after the barrier: publish. */
GRAVELP_INLINE void gravelp_sg_end(struct gravel_group g, uint command, ulong base, uint n,
                                   uint ticket)
{
    uint columns = GRAVELP_SLOT_COLUMNS(g.arena->slot_bytes, command);
    uint queue = gravelp_queue_of_group(g.arena);
    for (uint left = n; left; ticket++) {
        uint now = left < columns ? left : columns;
        gravelp_queue_publish(gravelp_queue_slot(g.arena, queue, ticket), ticket, command, now,
                              base);
        left -= now;
    }
}

/* Every work-item of the sub-group: the active ones send one message each. */
GRAVELP_INLINE void gravelp_send_sg(struct gravel_group g, uint active, uint command, ulong base,
                                    ulong index, struct gravelp_values values, ulong node)
{
    GRAVELP_ADDRESS(g, command, values, node);
    GRAVELP_WIDTH(g, command, base, GRAVELP_NO_REPLY);
    struct gravelp_sg_count mine = gravelp_sg_count(active);
    uint ticket = 0, is_sent = 0;
    if (gravelp_sg_lane() == 0)
        is_sent = gravelp_sg_begin(g, command, mine.n, &ticket);
    ticket = gravelp_sg_first(ticket);
    is_sent = gravelp_sg_first(is_sent);
    gravelp_barrier_subgroup(); /* G5: the slots are free, which work-item 0 has acquired (P1) */
    if (is_sent && active)
        gravelp_sg_write(g, command, mine, ticket, index, values, node);
    gravelp_barrier_subgroup(); /* G5: the package is written; with P2 it reaches the host */
    if (is_sent && gravelp_sg_lane() == 0)
        gravelp_sg_end(g, command, base, mine.n, ticket);
}

#endif
#endif
