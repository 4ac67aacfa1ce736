/* SPDX-License-Identifier: MIT */
/*
 * Bins a run of packages on the device: groups their messages by destination, in one block for the host.
 *
 * Three kernels, one after the other: every group counts the destinations of its packages, one group turns the
 * counts into places, every group then stores its messages at their places. No group waits for another. Messages
 * of a run commute, so those for one destination stand in any order.
 *
 * Destinations that do not exist, and packages that are not what the host took them for, are counted as messages
 * for node n_nodes: then nothing is stored, and the host looks at the packages itself.
 *
 * Path:    lib/pump/device_aggregator.c enqueues these; slots (queue.cl.h) -> block.h.
 * Memory:  K1 acquires what a leader released by P2; the block is the host's when its copy has ended.
 * Source:  Orr 2016, section 5.6.1 (dedicated aggregator work-groups). Different there: aggregators stay on the
 *          device and poll; here they are launched for packages that are ready, and never wait.
 */
#define GRAVELP_INTERNAL
#include "gravel.cl.h"

/*
 * A run of packages: slots that follow one another from slots_at [bytes] on, the first with `ticket`; each group
 * takes packages_each of them, and `team` lanes of it one at a time. All have one command and one base.
 */
#define RUN                                                                             \
    global uchar *arena, ulong slots_at, uint slot_bytes, uint ticket, uint n_packages, \
        uint packages_each, uint team, uint command, ulong base, uint n_nodes

GRAVELP_INLINE global struct gravelp_package *slot_of(global uchar *arena, ulong slots_at,
                                                      uint slot_bytes, uint i)
{
    return (global struct gravelp_package *)(arena + slots_at + (ulong)i * slot_bytes);
}

/* Messages of a package; 0 if it is not one of this run, or malformed. */
GRAVELP_INLINE uint length_of(global struct gravelp_package *package, uint slot_bytes, uint ticket,
                              uint command, ulong base)
{
    if (gravelp_device_load_acquire(&package->published) != ticket + 1) /* K1, pairs with P2 */
        return 0;
    uint n = package->n_messages, stride = package->stride;
    bool is_right = package->command == command && package->base == base && n <= stride &&
                    stride % 16 == 0 && stride <= GRAVELP_SLOT_COLUMNS(slot_bytes, command);
    return is_right ? n : 0;
}

/* Packages of this group: the first of them, and how many. */
#define FIRST_PACKAGE ((uint)get_group_id(0) * packages_each)
#define N_PACKAGES min(packages_each, n_packages - FIRST_PACKAGE)

/*
 * Any local size that is a multiple of team; as many groups as the packages need. matrix [n_nodes + 1][groups]:
 * messages of each group to each node. counts [n_nodes + 1][n_replicas], a power of two of them, so that lanes that
 * count for the same node seldom meet; lengths [packages_each].
 */
kernel void count_messages(RUN, global uint *matrix, uint n_replicas, local uint *counts,
                           local uint *lengths)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    uint first = FIRST_PACKAGE, n = N_PACKAGES, n_groups = (uint)get_num_groups(0);
    for (uint i = lane; i < (n_nodes + 1) * n_replicas; i += n_lanes)
        counts[i] = 0;
    gravelp_barrier_group();
    for (uint p = lane; p < n; p += n_lanes) {
        lengths[p] = length_of(slot_of(arena, slots_at, slot_bytes, first + p), slot_bytes,
                               ticket + first + p, command, base);
        if (lengths[p] == 0)
            atomic_inc(&counts[n_nodes * n_replicas]);
    }
    gravelp_barrier_group();
    for (uint p = lane / team; p < n; p += n_lanes / team) {
        global const uint *nodes =
            (global const uint *)(slot_of(arena, slots_at, slot_bytes, first + p) + 1);
        for (uint i = lane % team; i < lengths[p]; i += team)
            atomic_inc(&counts[min(nodes[i], n_nodes) * n_replicas + (lane & (n_replicas - 1))]);
    }
    gravelp_barrier_group();
    for (uint node = lane; node <= n_nodes; node += n_lanes) {
        uint sum = 0;
        for (uint i = 0; i < n_replicas; i++)
            sum += counts[node * n_replicas + i];
        matrix[node * n_groups + (uint)get_group_id(0)] = sum;
    }
}

/*
 * One group of any size. Every element of the matrix becomes the sum of those before it, and its element behind the
 * last one the sum of all; totals [n_nodes + 1], from totals_at [bytes] on: messages to each node. sums [local size].
 */
kernel void find_places(global uint *matrix, uint n_groups, uint n_nodes, global uchar *blocks,
                        ulong totals_at, local uint *sums)
{
    global uint *totals = (global uint *)(blocks + totals_at);
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    uint n = (n_nodes + 1) * n_groups, each = (n + n_lanes - 1) / n_lanes;
    uint begin = min(lane * each, n), end = min(begin + each, n), sum = 0;
    for (uint i = begin; i < end; i++)
        sum += matrix[i];
    sums[lane] = sum;
    gravelp_barrier_group();
    for (uint step = 1; step < n_lanes; step *= 2) {
        uint left = lane >= step ? sums[lane - step] : 0;
        gravelp_barrier_group(); /* all have read */
        sums[lane] += left;
        gravelp_barrier_group(); /* all have added */
    }
    uint place = sums[lane] - sum;
    for (uint i = begin; i < end; i++) {
        uint count = matrix[i];
        matrix[i] = place;
        place += count;
    }
    if (lane == n_lanes - 1)
        matrix[n] = place;
    gravelp_barrier_group();
    for (uint node = lane; node <= n_nodes; node += n_lanes)
        totals[node] = matrix[(node + 1) * n_groups] - matrix[node * n_groups];
}

/* Copies one element. */
GRAVELP_INLINE void move(global uchar *to, uint place, global const uchar *from, uint i, uint bytes)
{
    if (bytes == 8)
        ((global ulong *)to)[place] = ((global const ulong *)from)[i];
    else
        ((global uint *)to)[place] = ((global const uint *)from)[i];
}

/*
 * The sizes and the run of count_messages, after find_places. blocks: indices of all n_messages from indices_at
 * [bytes] on, values from values_at on; untouched if the packages hold not just so many messages that may go.
 * places [n_nodes + 1], lengths and starts [packages_each].
 */
kernel void group_by_node(RUN, global const uint *matrix, global uchar *blocks, uint n_messages,
                          ulong indices_at, ulong values_at, local uint *places,
                          local uint *lengths, local uint *starts)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    uint first = FIRST_PACKAGE, n_groups = (uint)get_num_groups(0), group = (uint)get_group_id(0);
    bool is_right =
        matrix[n_nodes * n_groups] == n_messages && matrix[(n_nodes + 1) * n_groups] == n_messages;
    uint n = is_right ? N_PACKAGES : 0; /* the same for all lanes */
    for (uint node = lane; node <= n_nodes; node += n_lanes)
        places[node] = matrix[node * n_groups + group];
    for (uint p = lane; p < n; p += n_lanes)
        lengths[p] = length_of(slot_of(arena, slots_at, slot_bytes, first + p), slot_bytes,
                               ticket + first + p, command, base);
    gravelp_barrier_group();
    if (lane == 0 && n_nodes == 1) /* every place is known without counting */
        for (uint p = 0, start = places[0]; p < n; start += lengths[p++])
            starts[p] = start;
    gravelp_barrier_group();
    for (uint p = lane / team; p < n; p += n_lanes / team) {
        global uchar *slot = (global uchar *)slot_of(arena, slots_at, slot_bytes, first + p);
        uint stride = ((global const struct gravelp_package *)slot)->stride;
        global const uint *nodes = (global const uint *)(slot + GRAVELP_NODE_ROW);
        for (uint i = lane % team; i < lengths[p]; i += team) {
            uint place = n_nodes == 1 ? starts[p] + i : atomic_inc(&places[min(nodes[i], n_nodes)]);
            if (place >= n_messages)
                continue; /* somebody changed a published package: stay in the block */
            move(blocks + indices_at, place, slot + GRAVELP_INDEX_ROW(stride), i,
                 GRAVELP_INDEX_BYTES(command));
            if (GRAVELP_N_VALUES(command))
                move(blocks + values_at, place, slot + GRAVELP_VALUE_ROW(command, stride, 0), i,
                     GRAVELP_VALUE_BYTES(command));
        }
    }
}
