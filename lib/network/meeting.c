/* SPDX-License-Identifier: MIT */
/*
 * The end of a round for a node: it posts its parts, and waits for all others'. See exchange.c.
 *
 * Path:    rounds/nodes.c -> this -> exchange.c; job.c, between machines.
 * Threads: the host thread that runs rounds.
 * Memory:  Y6.
 */
#include "base/await.h"
#include "base/error.h"
#include "network/parts.h"

/* Says whether a wait for another node's post may continue: a node that ends is a failure of this one. */
static int continues(void *context, struct gravel_wait *wait)
{
    const struct gravel_network *network = context;
    (void)wait;
    if (gravel_network_is_lost(network))
        return gravel_fail(GRAVEL_ETIMEOUT, "the network thread is in a call of the driver");
    return gravel_network_has_aborted(network) ? gravel_failure_report(network->shape.failure) : 0;
}

/* Waits for what a node of this machine posts. */
static int read_part(struct gravel_network *network, uint32_t node, uint64_t number)
{
    struct gravel_exchange_peer *peer = &network->exchange.peers[node];
    const struct gravel_post *post =
        gravel_exchange_post(network, &peer->outbox, network->node, number);
    struct gravel_wait wait = {.limit = {.check = continues, .context = network},
                               .what = "another node's part of a round"};
    int code = 0;
    while (!code && atomic_load_explicit(&post->number, memory_order_acquire) != number) /* Y6 */
        code = gravel_wait_pause(&wait);
    gravel_wait_end(&wait);
    struct gravel_part *part = &peer->parts[number % 2];
    *part = (struct gravel_part){.number = number,
                                 .sum = post->sum,
                                 .flags = post->flags,
                                 .n = post->n,
                                 .n_come = post->n,
                                 .messages = part->messages};
    if (code || part->n <= network->exchange.room)
        return code;
    return gravel_network_check(
        network, gravel_fail(GRAVEL_ECORRUPT,
                             "a part of a round from node %u has a bad count of messages (%u, not "
                             "0 to %u)",
                             node, part->n, network->exchange.room));
}

int gravel_exchange_run(struct gravel_network *network, uint64_t number, uint64_t sum,
                        uint32_t flags, const uint32_t *counts)
{
    const struct gravel_exchange *exchange = &network->exchange;
    bool is_sent = false;
    for (uint32_t node = 0; node < network->n_nodes; node++) {
        struct gravel_post *post = gravel_exchange_post(network, &exchange->outbox, node, number);
        post->sum = sum;
        post->flags = flags;
        post->n = counts[node];
        atomic_store_explicit(&post->number, number, memory_order_release); /* Y6 */
        is_sent |= node != network->node && (!gravel_exchange_is_read_by(network, node) ||
                                             !exchange->peers[node].outbox.begin);
    }
    struct gravel_job job = {.kind = GRAVEL_JOB_EXCHANGE, .is_rest = true, .number = number};
    if (is_sent)
        GRAVEL_TRY(gravel_network_run(network, &job));
    for (uint32_t node = 0; node < network->n_nodes; node++)
        if (exchange->peers[node].outbox.begin)
            GRAVEL_TRY(read_part(network, node, number));
    return 0;
}
