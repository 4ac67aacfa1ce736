/* SPDX-License-Identifier: MIT */
/*
 * A step of the network is a round: the spikes of the step before are delivered along the rows of the neurons that fired; then
 * each own neuron takes what arrives now, and may fire. Delays are a step at least, so a spike is delivered before any input of
 * it arrives. A spike travels as a bit, once to each other node. Bits of even and of odd times have words of their own, since
 * another node may be a phase ahead.
 *
 * The host defines N_NODES; TEAM, work-items that share a piece of a row, and PIECE, its synapses. Without them this is the
 * program that makes synapses.
 *
 * Path:    make_synapses, run of microcircuit.c -> this, network.h -> the host reads spikes.
 * Memory:  what a phase stored, the next one reads. Sums of a ring are by relaxed atomics.
 */
#include "gravel.cl.h"

#ifndef N_NODES

/*
 * Draw the synapses to population `to` from `from`, and take those to own neurons. Global size: at least as many. Rows, by
 * source, are in any order: whole numbers add up to the same.
 *
 * rows: [1 + neurons]. The first time, when `synapses` is NULL, a row's synapses are counted in the word behind it; the
 * second time that word is where the row begins, and becomes its end. sums: [1 + own neurons] magnitudes of a target's weights,
 * behind a word that is 1 if some come to more than MOST_WEIGHTS.
 */
kernel void draw_synapses(ulong seed, uint to, uint from, uint node, uint n_nodes,
                          global const struct tables *tables, global volatile uint *rows,
                          global uint *synapses, global volatile uint *sums)
{
    const uint i = (uint)get_global_id(0);
    if (i >= tables->n_synapses[to][from])
        return;
    const struct synapse synapse = synapse_draw(tables, seed, to, from, i);
    if (synapse.target % n_nodes != node)
        return;
    const uint at = atomic_inc(rows + 1 + synapse.source), own = synapse.target / n_nodes;
    if (!synapses)
        return;
    synapses[at] = own | synapse.delay << TARGET_BITS | synapse.level << (TARGET_BITS + DELAY_BITS);
    const uint row = weights_of(tables, from, synapse.target),
               weight = abs(tables->weights[row][synapse.level]);
    if (atomic_add(sums + 1 + own, weight) + weight > MOST_WEIGHTS)
        sums[0] = 1;
}

#else

#define SPIKES 2 /* of `known`; before it the lengths of both lists */
#define EACH(i, n) for (uint i = gravel_round_item(r); i < (n); i += gravel_round_items(r))

/*
 * begin: time of round 0 of this run. come: heap offset of uint [2][words of a bit a neuron], by time % 2: what has fired at
 * other nodes. rows, synapses: of draw_synapses. ring: [SLOTS][n_own] input by time % SLOTS. n_pieces: of the longest row.
 * lists: [2][neurons] that fired, by time % 2. spikes: number and time of own ones, of this run.
 */
kernel void microcircuit(GRAVEL_ARENA, GRAVEL_ROUND, uint begin, ulong seed, uint n_own,
                         uint n_pieces, ulong come, global const struct tables *restrict tables,
                         global const uint *restrict rows, global const uint *restrict synapses,
                         global int *ring, global struct neuron *neurons, global uint *lists,
                         global uint2 *spikes, global volatile uint *known)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
#if N_NODES > 1
        GRAVEL_PHASE(r, take)
        {
            const uint before = (begin + (uint)gravel_round_number(r) + 1) % 2,
                       n_neurons = tables->first[POPULATIONS], n_words = (n_neurons + 31) / 32;
            global uint *fired = (global uint *)gravel_local(r.group, come) + before * n_words;
            EACH(w, n_words)
            {
                uint bits = fired[w];
                if (!bits)
                    continue;
                fired[w] = 0; /* no node sends to it in this round */
                uint at = atomic_add(known + before, popcount(bits));
                for (; bits; bits &= bits - 1)
                    lists[before * n_neurons + at++] = w * 32 + 31 - clz(bits & -bits);
            }
        }
#endif
        GRAVEL_PHASE(r, deliver)
        {
            const uint time = begin + (uint)gravel_round_number(r), before = (time + 1) % 2,
                       node = gravel_node(r.group), item = gravel_round_item(r),
                       n_items = gravel_round_items(r), n_lanes = (uint)get_local_size(0),
                       n_groups = n_items / n_lanes, n_all = known[before] * n_pieces,
                       share = n_lanes % TEAM ? 1 : TEAM, /* teams of all groups take turns */
                team = item % n_lanes / share * n_groups + item / n_lanes;
            global const uint *list = lists + before * tables->first[POPULATIONS];
            for (uint i = team; i < n_all; i += n_items / share) {
                const uint source = list[i / n_pieces], population = population_of(tables, source),
                           first = rows[source] + i % n_pieces * PIECE,
                           end = min(first + PIECE, rows[source + 1]);
                for (uint k = first + item % share; k < end; k += share) {
                    const uint synapse = synapses[k], own = synapse & ((1u << TARGET_BITS) - 1),
                               arrives = time - 1 + (synapse >> TARGET_BITS) % SLOTS,
                               row = weights_of(tables, population, own * N_NODES + node);
                    atomic_add(ring + arrives % SLOTS * (size_t)n_own + own,
                               tables->weights[row][synapse >> (TARGET_BITS + DELAY_BITS)]);
                }
            }
        }
        GRAVEL_PHASE(r, update)
        {
            const uint time = begin + (uint)gravel_round_number(r), now = time % 2,
                       node = gravel_node(r.group), n_neurons = tables->first[POPULATIONS];
            global int *arrived = ring + time % SLOTS * (size_t)n_own;
            if (gravel_round_item(r) == 0)
                known[now ^ 1] = 0; /* all of it is delivered */
            EACH(i, n_own)
            {
                const uint number = i * N_NODES + node;
                struct neuron neuron = neurons[i];
                const bool fires = neuron_advance(tables, seed, number, time, arrived[i], &neuron);
                arrived[i] = 0;
                neurons[i] = neuron;
                if (!fires)
                    continue;
                lists[now * n_neurons + atomic_inc(known + now)] = number;
                spikes[atomic_inc(known + SPIKES)] = (uint2)(number, time);
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

#endif
