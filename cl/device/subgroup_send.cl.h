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

/* Every work-item of the sub-group: the active ones send one message each. */
GRAVELP_INLINE void gravelp_send_sg(struct gravel_group g, uint active, uint command, ulong base,
                                    ulong index, struct gravelp_values values, ulong node)
{
    GRAVELP_ADDRESS(g, command, values, node);
    GRAVELP_WIDTH(g, command, base, GRAVELP_NO_REPLY);
    struct gravelp_sg_count mine = gravelp_sg_count(active);
    const struct gravelp_ring ring = gravelp_ring(g.arena, gravelp_queue_of_group(g.arena));
    uint ticket = 0, is_sent = 0;
    if (gravelp_sg_lane() == 0)
        is_sent = gravelp_send_reserve(g, ring, command, mine.n, &ticket) != 0;
    ticket = gravelp_sg_first(ticket);
    is_sent = gravelp_sg_first(is_sent);
    gravelp_barrier_subgroup(); /* G5: the slots are free, which work-item 0 has acquired (P1) */
    if (is_sent && active)
        gravelp_write_column_of_many(g, command, ticket, mine.n, mine.position, index, values,
                                     node);
    gravelp_barrier_subgroup(); /* G5: the package is written; with P2 it reaches the host */
    if (is_sent && gravelp_sg_lane() == 0)
        gravelp_send_end(ring, command, base, GRAVELP_NO_REPLY, values, ticket, mine.n);
}

#endif
#endif
