/* SPDX-License-Identifier: MIT */
/*
 * The producers of bench-aggregation: increments of pseudo-random nodes, by way of the queue or straight to buffers
 * of their destinations.
 *
 * Message m of work-item i is number i * rounds + m; that is its index, and node_of its destination.
 *
 * Path:    bench_aggregation.c, aggregation_direct.c launch them.
 * Source:  Orr 2016, section 3.2.2 (SIMT-direct: the work-group itself bins what it sends).
 */
#include "gravel.cl.h"

GRAVELP_INLINE uint node_of(uint number, uint n_nodes)
{
    return mul_hi(number * 2654435761u, n_nodes);
}

/* Any local size; every work-item sends `rounds` increments. */
kernel void send_packages(GRAVEL_ARENA, uint rounds, uint n_nodes)
{
    GRAVEL_OPEN(g);
    uint first = (uint)get_global_id(0) * rounds;
    for (uint round = 0; round < rounds; round++)
        gravel_inc_ulong_wg(g, 0, first + round, node_of(first + round, n_nodes));
}

/*
 * Without a queue, from number `first` on. fill [n_nodes]: indices in each buffer so far; buffers
 * [n_nodes][capacity]; what does not fit is dropped, but counted in fill. counts, starts [n_nodes].
 */
kernel void send_direct(global uint *fill, global uint *buffers, uint capacity, uint first,
                        uint rounds, uint n_nodes, local uint *counts, local uint *starts)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    first += (uint)get_global_id(0) * rounds;
    for (uint round = 0; round < rounds; round++) {
        for (uint i = lane; i < n_nodes; i += n_lanes)
            counts[i] = 0;
        gravelp_barrier_group();
        uint node = node_of(first + round, n_nodes), rank = atomic_inc(&counts[node]);
        gravelp_barrier_group();
        for (uint i = lane; i < n_nodes; i += n_lanes)
            starts[i] = counts[i] ? atomic_add(&fill[i], counts[i]) : 0;
        gravelp_barrier_group();
        uint place = starts[node] + rank;
        if (place < capacity)
            buffers[(ulong)node * capacity + place] = first + round;
    }
}
