/* SPDX-License-Identifier: MIT */
/*
 * How nodes that close together leave each other: each receives all that was sent to it. MPI would keep what comes
 * later, and take it for a message of the next communicator that has the number of this one.
 *
 * All nodes say that they leave, by a round of gravel_close; until then they send heartbeats, so a node that dies first
 * is found. Then none sends, a sum for each says how many frames are for it, and each receives that many.
 *
 * Path:    gravel_close -> start.c, after the loop -> leave.c -> network.c, transport.
 * Threads: the network thread.
 * Source:  Hoefler, Siebert, Lumsdaine, Scalable Communication Protocols for Dynamic Sparse Data Exchange, 2010
 *          (personalized census).
 */
#include "base/timeouts.h"
#include "network/parts.h"

#include <stdio.h>

/* Has a round add up, over all nodes, the frames for each node from `first` on, as many as it has values. */
static struct gravel_job make_sum(const struct gravel_network *network, uint32_t first,
                                  uint64_t values[GRAVEL_ROUND_VALUES])
{
    uint32_t n = 0;
    for (uint32_t node = first; node < network->n_nodes && n < GRAVEL_ROUND_VALUES; node++, n++) {
        const uint64_t *n_sent = network->peers[node].n_sent;
        values[n] = gravel_transport_is_local(network->transport, node) ? 0 : n_sent[0] + n_sent[1];
    }
    return (struct gravel_job){.kind = GRAVEL_JOB_REDUCE,
                               .call.kind = GRAVEL_CALL_CLOSE,
                               .op = GRAVEL_ADD,
                               .type = GRAVEL_ULONG,
                               .n = n,
                               .values = values};
}

/* Receives what is left. */
static void receive_rest(struct gravel_network *network)
{
    /* no node beats now, and a busy machine may let one be late */
    const uint64_t limit_ns =
        gravel_limit_ns(GRAVEL_LIMIT_LEAVING, network->shape.config->timeout_ms);
    const uint64_t until_ns = gravel_network_lived_ns(network) + limit_ns;
    const uint32_t node = network->node;
    uint64_t values[GRAVEL_ROUND_VALUES], n_for_us = 0;
    uint32_t first = 0;
    struct gravel_job sum = make_sum(network, first, values);
    while (!gravel_network_has_aborted(network)) {
        bool has_moved = gravel_network_exchange(network);
        if (first < network->n_nodes && gravel_job_step_reduce(network, &sum)) {
            if (node >= first && node - first < GRAVEL_ROUND_VALUES)
                n_for_us = values[node - first];
            first += GRAVEL_ROUND_VALUES;
            sum = make_sum(network, first, values);
        }
        gravel_late_end(network); /* no node beats, so none is late */
        uint64_t n_received = 0;
        for (uint32_t i = 0; i < network->n_nodes; i++)
            if (!gravel_transport_is_local(network->transport, i))
                n_received += network->peers[i].n_received[0] + network->peers[i].n_received[1];
        if (first >= network->n_nodes && n_received == n_for_us)
            return;
        if (gravel_network_lived_ns(network) > until_ns)
            gravel_network_fail(network, GRAVEL_EPEER,
                                "closing: of the frames for this node only %" PRIu64
                                " have come after %.1f s (GRAVEL_TIMEOUT is %u ms)",
                                n_received, gravel_seconds(limit_ns),
                                network->shape.config->timeout_ms);
        if (has_moved)
            gravel_idle_reset(&network->idle);
        else
            gravel_idle_wait(&network->idle, &network->event, GRAVEL_NS_PER_S);
    }
}

void gravel_network_leave(struct gravel_network *network)
{
    struct gravel_job meeting = {.kind = GRAVEL_JOB_REDUCE, .call.kind = GRAVEL_CALL_CLOSE};
    uint64_t until_ns = gravel_network_lived_ns(network) + GRAVEL_NS_PER_S, due_ns;
    /* What is under way leaves, so that others learn why we go; but not for longer than a second. */
    for (uint32_t quiet_rounds = 0;
         quiet_rounds < 8 && gravel_network_lived_ns(network) < until_ns;) {
        bool has_moved = gravel_network_step(network, gravel_clock_ns(), &due_ns);
        quiet_rounds = has_moved ? 0 : quiet_rounds + 1;
    }
    if (!gravel_transport_is_alone(network->transport)) {
        /* As a barrier does: for a slow node as long as it lives, which heartbeats say. */
        while (!gravel_network_has_aborted(network) && !gravel_job_step_reduce(network, &meeting))
            gravel_network_progress(network);
        receive_rest(network);
    }
    if (network->n_kept) /* buffers return, and the device has read what the transport unmaps */
        gravel_resolver_finish(network->resolver);
}
