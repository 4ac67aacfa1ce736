/* SPDX-License-Identifier: MIT */
/*
 * The check: the whole network by one thread, neuron after neuron. A spike goes at once to its targets, along a list.
 *
 * Path:    microcircuit.c -> this
 * Owner:   nothing outlives a call.
 * Threads: main's.
 */
#ifndef APPS_MICROCIRCUIT_CHECK_H
#define APPS_MICROCIRCUIT_CHECK_H

#include "frame/node.h"
#include "microcircuit/network.h"

#include <stdlib.h>

/** Simulate the network serially. @param spikes  [n_spikes] of the node, ascending: time * 2^32 + number. @return  how many of
 * the node's differ. */
static inline uint64_t check_spikes(const struct tables *tables, uint64_t n_synapses, uint64_t seed,
                                    uint32_t n_steps, const struct node *node,
                                    const uint64_t *spikes, uint64_t n_spikes)
{
    const uint64_t n = tables->first[POPULATIONS];
    struct listed {
        struct synapse is;
        uint64_t before; /* of its source; 0: none */
    } *list = app_array(n_synapses + 1, sizeof *list, "the check");
    uint64_t *last = app_array(n, sizeof *last, "the check"), n_listed = 0, n_found = 0,
             n_wrong = 0;
    struct neuron *neurons = app_array(n, sizeof *neurons, "the check");
    int32_t *ring = app_array(n * SLOTS, sizeof *ring, "the check");
    for (uint32_t of = 0; of < POPULATIONS * POPULATIONS; of++)
        for (uint32_t i = 0; i < tables->n_synapses[of / POPULATIONS][of % POPULATIONS]; i++) {
            const struct synapse is =
                synapse_draw(tables, seed, of / POPULATIONS, of % POPULATIONS, i);
            list[++n_listed] = (struct listed){is, last[is.source]};
            last[is.source] = n_listed;
        }
    for (uint64_t time = 0; time < n_steps; time++)
        for (uint32_t i = 0; i < n; i++) {
            int32_t *arrives = &ring[time % SLOTS * n + i];
            const bool fires =
                neuron_advance(tables, seed, i, (uint32_t)time, *arrives, &neurons[i]);
            *arrives = 0;
            for (uint64_t k = fires ? last[i] : 0; k; k = list[k].before) {
                const struct synapse to = list[k].is;
                const uint32_t row = weights_of(tables, population_of(tables, i), to.target);
                ring[(time + to.delay) % SLOTS * n + to.target] += tables->weights[row][to.level];
            }
            if (!fires || i % node->n_nodes != node->number)
                continue;
            n_wrong += n_found >= n_spikes || spikes[n_found] != (time << 32 | i);
            n_found++;
        }
    free(last);
    free(list);
    free(neurons);
    free(ring);
    return n_wrong + (n_found < n_spikes ? n_spikes - n_found : 0);
}

#endif
