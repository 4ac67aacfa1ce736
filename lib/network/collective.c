/* SPDX-License-Identifier: MIT */
/*
 * Reductions, and barriers, which rest on them.
 *
 * Barrier:  sum the frames sent and resolved over all nodes, again and again, until two rounds in a row give equal,
 *           unchanged sums: then nothing was under way between the rounds, and nothing can start.
 *
 * Path:     job.c -> collective.c -> transport.
 * Threads:  the network thread.
 * Source:   Mattern, Algorithms for distributed termination detection, 1987 (four-counter method).
 */
#include "base/clock.h"
#include "base/error.h"
#include "network/parts.h"
#include "network/transactions.h"

#include <stdio.h>
#include <string.h>

void gravel_job_begin_reduce(struct gravel_network *network, struct gravel_job *job)
{
    if (network->transport->operations->reduce(network->transport, job->op, job->type, job->values,
                                               job->n))
        gravel_network_fail(network, GRAVEL_EMPI, gravel_last_error());
}

bool gravel_reduction_has_ended(struct gravel_network *network)
{
    int ended = network->transport->operations->reduce_test(network->transport);
    if (ended < 0)
        gravel_network_fail(network, GRAVEL_EMPI, gravel_last_error());
    return ended == 1;
}

bool gravel_job_step_reduce(struct gravel_network *network, struct gravel_job *job)
{
    if (!gravel_reduction_has_ended(network))
        return false;
    gravel_job_end(network, job, 0);
    return true;
}

/* Whether a frame that termination counts, or a message not yet in one, still waits here. */
static bool has_unsent(const struct gravel_network *network)
{
    return network->pending || network->handler_sender->oldest_ns != UINT64_MAX;
}

/* Messages still come though we, or all nodes, wait: a chain of handlers that may not end. */
static void check_chain(struct gravel_network *network, struct gravel_job *job)
{
    uint64_t now_ns = gravel_clock_ns();
    uint64_t limit_ns = network->shape.config->chain_limit_ms * UINT64_C(1000000);
    char text[200];
    if (job->chain_ns == 0)
        job->chain_ns = now_ns;
    if (limit_ns == 0 || now_ns - job->chain_ns < limit_ns)
        return;
    snprintf(text, sizeof text,
             "barrier: handlers still send after %.1f s (GRAVEL_CHAIN_LIMIT is %u ms); this node "
             "has sent "
             "%llu frames and resolved %llu",
             (double)(now_ns - job->chain_ns) * 1e-9, network->shape.config->chain_limit_ms,
             (unsigned long long)network->n_counted_sent,
             (unsigned long long)network->n_counted_resolved);
    gravel_network_fail(network, GRAVEL_ETIMEOUT, text);
}

/* Contribute to a round once everything we know of has been sent and counted. */
static void try_round(struct gravel_network *network, struct gravel_job *job)
{
    gravel_network_drain(network);
    if (gravel_transactions_are_open(network->transactions))
        return; /* they have a limit of their own */
    if (has_unsent(network)) {
        check_chain(network, job);
        return;
    }
    if (job->last_counts[0] == UINT64_MAX) /* no round has ended: other nodes may not wait yet */
        job->chain_ns = 0;
    job->counts[0] = network->n_counted_sent;
    job->counts[1] = network->n_counted_resolved;
    job->op = GRAVEL_ADD;
    job->type = GRAVEL_ULONG;
    job->values = job->counts;
    job->n = 2;
    job->is_reducing = true;
    gravel_job_begin_reduce(network, job);
}

/* Last sums no round can give, so that the first round never ends a barrier. */
void gravel_job_begin_barrier(struct gravel_job *job)
{
    job->last_counts[0] = UINT64_MAX;
    job->last_counts[1] = 0;
    job->is_reducing = false;
    job->chain_ns = 0;
}

bool gravel_job_step_barrier(struct gravel_network *network, struct gravel_job *job)
{
    if (!job->is_reducing)
        try_round(network, job);
    if (!job->is_reducing || !gravel_reduction_has_ended(network))
        return false;
    bool is_quiet = job->counts[0] == job->counts[1];
    bool is_same = job->counts[0] == job->last_counts[0] && job->counts[1] == job->last_counts[1];
    if (is_quiet && is_same) {
        gravel_job_end(network, job, 0);
        return true;
    }
    memcpy(job->last_counts, job->counts, sizeof job->last_counts);
    job->is_reducing = false;
    check_chain(network, job);
    return false;
}
