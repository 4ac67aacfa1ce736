/* SPDX-License-Identifier: MIT */
/*
 * Whom a collective call waits for: after 5 s, or GRAVEL_TIMEOUT if that is less, the log names a node that has not
 * made it. The late node's right neighbour prints that line if no function gets its log.
 *
 * A round alone does not tell who is missing. Heartbeats say how many rounds their sender has begun: a node sees that
 * its left neighbour is behind it, and a node whose left neighbour waits too passes on whom that one waits for.
 *
 * Path:    collective.c -> late.c -> liveness.c (heartbeats), the log.
 * Threads: the network thread.
 */
#include "network/parts.h"

#include <stdio.h>

void gravel_late_begin(struct gravel_network *network, uint32_t kind)
{
    network->late.n_rounds++;
    network->late.begun_ns = gravel_network_lived_ns(network);
    network->late.node = 0;
    network->late.kind = kind;
}

void gravel_late_end(struct gravel_network *network)
{
    network->late.begun_ns = 0;
    network->late.node = 0;
}

static uint32_t left_of(const struct gravel_network *network)
{
    const uint32_t n_nodes = network->transport->n_nodes;
    return (network->transport->node + n_nodes - 1) % n_nodes;
}

/* As far as our left neighbour knows. @return its number plus 1, or 0. */
static uint32_t find_late(const struct gravel_network *network)
{
    const struct gravel_late *late = &network->late;
    return late->left_n_rounds < late->n_rounds ? left_of(network) + 1 : late->left_node;
}

void gravel_late_look(struct gravel_network *network)
{
    struct gravel_late *late = &network->late;
    uint64_t timeout_ns = network->shape.config->timeout_ms * UINT64_C(1000000);
    uint64_t limit_ns = timeout_ns < GRAVEL_WARN_NS ? timeout_ns : GRAVEL_WARN_NS;
    uint64_t waited_ns = gravel_network_lived_ns(network) - late->begun_ns;
    char text[160];
    if (late->begun_ns == 0 || late->node || waited_ns < limit_ns)
        return;
    late->node = find_late(network);
    if (late->node == 0 || late->node == network->transport->node + 1)
        return;
    snprintf(text, sizeof text, "%s waits for node %u, which has not made that call for %.1f s",
             gravel_call_name(late->kind), late->node - 1, (double)waited_ns * 1e-9);
    gravel_tell_function *tell = /* a job prints one line for each node that is late */
        late->node == left_of(network) + 1 ? network->shape.warn : network->shape.tell;
    tell(network->shape.context, text);
}

void gravel_late_write(const struct gravel_network *network, struct gravel_heartbeat_frame *beat)
{
    beat->n_rounds = network->late.n_rounds;
    beat->late_node = network->late.node;
}

/* A round ends when all have begun it, so a node is one round ahead at most. */
static bool check_beat(struct gravel_network *network, const struct gravel_heartbeat_frame *beat,
                       const struct gravel_loan *loan)
{
    const struct gravel_late *late = &network->late;
    const uint32_t n_nodes = network->transport->n_nodes;
    if (loan->source != left_of(network))
        return gravel_fields_fail(network, loan, "sender (node %u hears node %u)",
                                  network->transport->node, left_of(network));
    if (beat->n_rounds < late->left_n_rounds || beat->n_rounds > late->n_rounds + 1)
        return gravel_fields_fail(network, loan, "count of rounds (%llu, not %llu to %llu)",
                                  (unsigned long long)beat->n_rounds,
                                  (unsigned long long)late->left_n_rounds,
                                  (unsigned long long)late->n_rounds + 1);
    return beat->late_node <= n_nodes ||
           gravel_fields_fail(network, loan, "late node (%u of %u)", beat->late_node - 1, n_nodes);
}

void gravel_late_read(struct gravel_network *network, const struct gravel_heartbeat_frame *beat,
                      const struct gravel_loan *loan)
{
    if (!check_beat(network, beat, loan))
        return;
    network->late.left_n_rounds = beat->n_rounds;
    network->late.left_node = beat->late_node;
}
