/* SPDX-License-Identifier: MIT */
/*
 * A step of the network is a round: the spikes of the step before are delivered along the rows of the neurons that fired, a step
 * or more before they arrive; then each own neuron takes what arrives now, and may fire. A spike travels as a bit to each other
 * node. Bits of even and of odd times have words of their own: another node may be a phase ahead.
 * The host defines N_NODES; TEAM, work-items that share a piece of a row, and PIECE, its synapses.
 *
 * Path:    make_rounds, run of microcircuit.c -> this, network.h -> the host reads spikes.
 * Memory:  what a phase stored, the next one reads. Sums of a ring are by relaxed atomics.
 */
#include "gravel.cl.h"

/* Every work-item: makes the group's copy of the tables, as caches of what is global are emptied with each phase. */
static inline void tables_copy(local struct tables *own, global const struct tables *tables)
{
    for (uint i = (uint)get_local_id(0); i < sizeof *own / 4; i += (uint)get_local_size(0))
        ((local uint *)own)[i] = ((global const uint *)tables)[i];
    barrier(CLK_LOCAL_MEM_FENCE);
}

/*
 * Draw all synapses in n_items work-items. Rows, by source, take those to own neurons, in any order: sums are the same.
 *
 * rows: [1 + neurons]. The first time, when `synapses` is NULL, a row's synapses are counted in the word behind it; the
 * second time that word is where the row begins, and becomes its end.
 */
kernel void draw_synapses(ulong seed, uint n_items, uint node, global const struct tables *all,
                          global volatile uint *rows, global uint *synapses)
{
    local struct tables own_tables, *const tables = &own_tables;
    tables_copy(tables, all);
    const uint item = (uint)get_global_id(0);
    for (uint pair = 0; item < n_items && pair < PAIRS; pair++)
        for (uint i = item; i < tables->n_synapses[pair]; i += n_items) {
            const struct synapse synapse = synapse_draw(tables, seed, pair, i);
            if (synapse.target % N_NODES != node)
                continue;
            const uint at = atomic_inc(rows + 1 + synapse.source);
            if (synapses)
                synapses[at] = synapse.target / N_NODES | synapse.delay << TARGET_BITS |
                               synapse.level << (TARGET_BITS + DELAY_BITS);
        }
}

static inline struct fired fired_make(local const struct tables *tables, global const uint *rows,
                                      uint number)
{
    return (struct fired){rows[number], rows[number + 1], population_of(tables, number)};
}

/*
 * begin: time of round 0 of this run. come: heap offset of uint [2][words of a bit a neuron], by time % 2: what has fired at
 * other nodes. rows, synapses: of draw_synapses. ring: [SLOTS][n_own] input by time % SLOTS. n_pieces: of the longest row.
 * lists: [2][2][neurons] that fired, by time % 2, own ones and others'; known: how many. spikes: own (number, time)s.
 */
GRAVEL_ROUND_KERNEL void
microcircuit(GRAVEL_ARENA, GRAVEL_ROUND, uint begin, ulong seed, uint n_own, uint n_pieces,
             ulong come, global const struct tables *restrict all, global const uint *restrict rows,
             global const uint *restrict synapses, global int *ring, global struct neuron *neurons,
             global struct fired *lists, global uint2 *spikes, global struct known *known)
{
    local struct tables own_tables, *const tables = &own_tables;
    GRAVEL_ROUND_OPEN(r);
    tables_copy(tables, all);
    GRAVEL_EACH_ROUND(r)
    {
#if N_NODES > 1
        GRAVEL_PHASE(r, take)
        {
            const uint before = (begin + (uint)gravel_round_number(r) + 1) % 2,
                       n_neurons = tables->first[POPULATIONS], n_words = (n_neurons + 31) / 32;
            global uint *fired = (global uint *)gravel_local(r.group, come) + before * n_words;
            global struct fired *others = lists + (2 * before + 1) * n_neurons;
            for (uint w = gravel_round_item(r); w < n_words; w += gravel_round_items(r)) {
                uint bits = fired[w];
                if (!bits)
                    continue;
                fired[w] = 0; /* no node sends to it in this round */
                uint at = atomic_add(&known[before].others, popcount(bits));
                for (; bits; bits &= bits - 1)
                    others[at++] = fired_make(tables, rows, w * 32 + 31 - clz(bits & -bits));
            }
        }
#endif
        GRAVEL_PHASE(r, deliver)
        {
            const uint time = begin + (uint)gravel_round_number(r), before = (time + 1) % 2,
                       node = N_NODES > 1 ? gravel_node(r.group) : 0, item = gravel_round_item(r),
                       n_items = gravel_round_items(r), n_lanes = (uint)get_local_size(0),
                       n_groups = n_items / n_lanes, n_neurons = tables->first[POPULATIONS],
                       share = n_lanes % TEAM ? 1 : TEAM, /* teams of all groups take turns */
                team = item % n_lanes / share * n_groups + item / n_lanes;
            global const struct fired *restrict own_ones = lists + 2 * before * n_neurons;
            const uint n_fired = known[before].own,
                       n_all = (n_fired + known[before].others) * n_pieces;
            if (item == 0)
                known[time % 2].older = gravel_round_number(r) ? known[before].older + n_fired : 0;
#if TEAM > 1
#pragma unroll 6 /* loads of several pieces are in flight */
#endif
            for (uint i = team; i < n_all; i += n_items / share) {
                const uint at = i / n_pieces;
                const struct fired fired = own_ones[at < n_fired ? at : n_neurons + at - n_fired];
                const uint first = fired.first + i % n_pieces * PIECE,
                           end = min(first + PIECE, fired.end);
                for (uint k = first + item % share; k < end; k += share) {
                    const uint synapse = synapses[k], own = synapse & ((1u << TARGET_BITS) - 1),
                               arrives = time - 1 + (synapse >> TARGET_BITS) % SLOTS,
                               row = weights_of(tables, fired.population, own * N_NODES + node);
                    atomic_add(ring + arrives % SLOTS * (size_t)n_own + own,
                               tables->weights[row][synapse >> (TARGET_BITS + DELAY_BITS)]);
                }
            }
        }
        GRAVEL_PHASE(r, update)
        {
            const uint time = begin + (uint)gravel_round_number(r), now = time % 2,
                       node = N_NODES > 1 ? gravel_node(r.group) : 0,
                       n_neurons = tables->first[POPULATIONS], older = known[now].older;
            global int *arrived = ring + time % SLOTS * (size_t)n_own;
            global struct fired *list = lists + 2 * now * n_neurons;
            if (gravel_round_item(r) == 0)
                known[now ^ 1].own = known[now ^ 1].others = 0; /* all of it is delivered */
            for (uint i = gravel_round_item(r); i < n_own; i += gravel_round_items(r)) {
                const uint number = i * N_NODES + node;
                const struct fired fired = fired_make(tables, rows, number); /* loads at once */
                struct neuron neuron = neurons[i];
                const bool fires = neuron_advance(tables, seed, number, time, arrived[i], &neuron);
                arrived[i] = 0;
                neurons[i] = neuron;
                if (!fires)
                    continue;
                const uint at = atomic_inc(&known[now].own);
                list[at] = fired;
                spikes[older + at] = (uint2)(number, time);
#if N_NODES > 1
                for (uint to = 0; to < N_NODES; to++)
                    if (to != node)
                        gravel_or_uint_wi(r.group, come,
                                          now * ((n_neurons + 31) / 32) + number / 32,
                                          1u << number % 32, to);
#endif
            }
        }
    }
}
