/* SPDX-License-Identifier: MIT */
/*
 * Coalesced APIs: a work-group sorts its messages by destination and calls the library once for each.
 *
 * The programmer writes the sort, and pays for it in local memory and barriers. With GRAVEL_AGGREGATION=group each call
 * is a network message, of as many bytes as a work-group has for one destination: model `coalesced`. With
 * `destination` the calls are aggregated over the whole device: model `coalesced-aggregated`, and the sort is useless.
 *
 * Path:    calls.cl.h -> by_destination.cl.h -> this -> the queue
 * Memory:  as gravelp_send.
 * Source:  Orr 2016, sections 3.3 and 5.5.
 */

/* Every work-item of the group: n messages, which have one destination; those who send one know their rank. */
GRAVELP_INLINE void model_call(struct gravel_group g, uint is_sender, uint n, uint command,
                               ulong base, uint index, struct gravelp_values values, uint node)
{
    gravelp_barrier_group(); /* G3: the last call is over */
    if (gravelp_is_leader())
        gravelp_send_begin(g, command, n);
    gravelp_barrier_group(); /* G1: the slot is known */
    if (is_sender && g.scratch->n_sent)
        gravelp_write_column_of_many(g, command, g.scratch->ticket, n, model_rank(g), index, values,
                                     node);
    gravelp_barrier_group(); /* G2: the package is written */
    if (gravelp_is_leader())
        gravelp_send_end(gravelp_own_ring(g), command, base, GRAVELP_NO_REPLY, values,
                         g.scratch->ticket, g.scratch->n_sent);
}

GRAVELP_INLINE void model_send(struct gravel_group g, uint active, uint command, ulong base,
                               uint index, struct gravelp_values values, uint node)
{
    model_sort(g, active, node);
    for (uint d = 0; d < MODEL_NODES; d++)
        model_call(g, active && node == d, model_scratch(g)->n_to[d], command, base, index, values,
                   d);
}
