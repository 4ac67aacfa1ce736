/* SPDX-License-Identifier: MIT */
/*
 * Reductions, and barriers, which rest on them. Each round says which call it is of (transport/round.h), so that calls
 * that do not fit together fail.
 *
 * Barrier:  sum the frames sent and resolved over all nodes, again and again, until two rounds in a row give equal,
 *           unchanged sums: then nothing was under way between the rounds, and nothing can start. A node that has
 *           parked or unwritten records takes part in no round.
 *
 * Tally:    the counters of a gravel_barrier_sum travel with the frames' sums. A node takes its own out of the heap
 *           before each round that may be the last. If it is, no node has resolved a frame since, so all are taken; if
 *           not, what comes later is taken before the next one. Counters are zeroed before the node contributes: a
 *           node that has returned may add to those of one that has not.
 *
 * Path:     job.c -> collective.c -> transport.
 * Threads:  the network thread.
 * Source:   Mattern, Algorithms for distributed termination detection, 1987 (four-counter method).
 */
#include "base/error.h"
#include "memory/memory.h"
#include "network/parts.h"
#include "spool/spool.h"

#include <stdio.h>
#include <string.h>

#define ROUND_TEXT_BYTES GRAVEL_REFUSAL_BYTES
#define N_COUNTS 2u /* of frames, that a barrier's round sums */

_Static_assert(N_COUNTS + GRAVEL_MAX_COUNTERS <= GRAVEL_ROUND_VALUES, "they travel together");
_Static_assert(GRAVEL_MAX_COUNTERS * sizeof(cl_uint) <= GRAVEL_TAKEN_BYTES,
               "they are taken at once");

static void begin_round(struct gravel_network *network, const struct gravel_job *job,
                        const void *values)
{
    struct gravel_transport *transport = network->transport;
    struct gravel_round *round = transport->round;
    round->first = job->call;
    round->first.node = transport->node;
    round->first.number = network->n_calls;
    round->other = (struct gravel_collective_call){.kind = GRAVEL_CALL_NONE};
    round->op = job->op;
    round->type = job->type;
    round->n = job->n;
    if (job->n)
        memcpy(round->values, values, job->n * sizeof *round->values);
    network->late.n_rounds++;
    network->late.begun_ns = gravel_network_lived_ns(network);
    network->late.node = 0;
    network->late.kind = job->call.kind;
    if (!gravel_transport_is_alone(transport))
        gravel_network_check(network, transport->operations->merge(transport));
}

/* Ends a job whose calls do not fit with an error if they are of one kind. Else the nodes are out of step, and the node
 * fails: every node sees that, so none needs to report it. @return whether the job has ended */
static bool end_misfit(struct gravel_network *network, struct gravel_job *job)
{
    const struct gravel_round *round = network->transport->round;
    char text[ROUND_TEXT_BYTES];
    gravel_round_describe(round, text, sizeof text);
    if (gravel_round_is_in_step(round)) {
        snprintf(job->text, sizeof job->text, "%s", text);
        job->code = GRAVEL_EMISMATCH;
        return true;
    }
    gravel_liveness_set_death(network, GRAVEL_DEATH_SENT);
    network->transport->has_disagreed = true;
    gravel_network_fail(network, GRAVEL_EMISMATCH, "%s", text);
    return false;
}

/* Returns whether the round that was begun last has ended; the node fails if it cannot end. */
static bool has_ended(struct gravel_network *network)
{
    struct gravel_transport *transport = network->transport;
    int ended =
        gravel_transport_is_alone(transport) ? 1 : transport->operations->has_merged(transport);
    gravel_network_check(network, ended < 0 ? ended : 0);
    if (ended == 0)
        gravel_late_poll(network);
    if (ended == 1)
        gravel_late_end(network);
    return ended == 1;
}

bool gravel_job_step_reduce(struct gravel_network *network, struct gravel_job *job)
{
    const struct gravel_round *round = network->transport->round;
    if (job->state == GRAVEL_JOB_NEW)
        begin_round(network, job, job->values);
    job->state = GRAVEL_JOB_REDUCES;
    if (!has_ended(network))
        return false;
    if (!gravel_round_fits(round))
        return end_misfit(network, job);
    if (job->n)
        memcpy(job->values, round->values, job->n * sizeof *round->values);
    return true;
}

/* Checks whether messages still come though all nodes wait: a chain of handlers that may not end. */
static void check_chain(struct gravel_network *network, struct gravel_job *job)
{
    uint64_t now_ns = gravel_network_lived_ns(network);
    uint64_t limit_ns = network->shape.config->chain_limit_ms * GRAVEL_NS_PER_MS;
    if (job->chain_ns == 0)
        job->chain_ns = now_ns;
    if (limit_ns == 0 || now_ns - job->chain_ns < limit_ns)
        return;
    gravel_network_fail(network, GRAVEL_ETIMEOUT,
                        "barrier: handlers still send after %.1f s (GRAVEL_CHAIN_LIMIT is %u ms); "
                        "this node has sent %" PRIu64 " frames and resolved %" PRIu64,
                        gravel_seconds(now_ns - job->chain_ns),
                        network->shape.config->chain_limit_ms, network->n_counted_sent,
                        network->n_counted_resolved);
}

/* @return 0, or why the node has failed. */
static int take_counters(struct gravel_network *network, struct gravel_tally *tally)
{
    const struct gravel_transport *transport = network->transport;
    const uint32_t n_heaps = transport->is_loopback ? transport->n_nodes : 1;
    const uint32_t mine = gravel_network_heap_of(network, transport->node);
    uint32_t counters[GRAVEL_MAX_COUNTERS];
    int code = 0;
    for (uint32_t heap = 0; heap < n_heaps && !code; heap++) {
        code = gravel_network_check(network, gravel_memory_take(network->shape.memory, heap,
                                                                tally->offset, counters, tally->n));
        for (uint32_t i = 0; i < tally->n && !code; i++) {
            tally->taken[i] += counters[i];
            tally->mine[i] += heap == mine ? counters[i] : 0;
        }
    }
    return code;
}

/* Contribute to a round once everything we know of has been sent, which the loop does first, and counted. */
static void try_round(struct gravel_network *network, struct gravel_job *job)
{
    if (!gravel_spool_is_empty(network->spool) || network->credit.n_waiting)
        return; /* they have limits of their own */
    /* The round may end the barrier, if its sums are those of the last one. */
    const bool takes = job->tally && job->last_counts[0] == job->last_counts[1];
    if (takes)
        gravel_resolving_finish(network); /* and messages of its own may follow */
    if (network->pending.first || network->handler_sender->oldest) { /* unsent */
        check_chain(network, job);
        return;
    }
    if (takes && (gravel_network_has_aborted(network) || take_counters(network, job->tally)))
        return;
    if (job->last_counts[0] == UINT64_MAX) /* no round has ended: other nodes may not wait yet */
        job->chain_ns = 0;
    uint64_t values[N_COUNTS + GRAVEL_MAX_COUNTERS] = {network->n_counted_sent,
                                                       network->n_counted_resolved};
    if (job->tally)
        memcpy(values + N_COUNTS, job->tally->taken, job->tally->n * sizeof *values);
    job->state = GRAVEL_JOB_REDUCES;
    if (network->sees_attached) /* the wait for every frame so far, which ends the barrier */
        gravel_network_check(network, gravel_resolver_begin_finish(network->resolver));
    begin_round(network, job, values);
}

bool gravel_job_step_barrier(struct gravel_network *network, struct gravel_job *job)
{
    if (job->state == GRAVEL_JOB_NEW) {
        job->last_counts[0] = UINT64_MAX; /* no round gives such sums: the first ends no barrier */
        job->last_counts[1] = 0;
        job->op = GRAVEL_ADD;
        job->type = GRAVEL_ULONG;
        job->n = N_COUNTS + (job->tally ? job->tally->n : 0);
        job->state = GRAVEL_JOB_RUNS;
        job->chain_ns = 0;
    }
    if (job->state == GRAVEL_JOB_RUNS)
        try_round(network, job);
    if (job->state == GRAVEL_JOB_RUNS || !has_ended(network))
        return false;
    if (!gravel_round_fits(network->transport->round))
        return end_misfit(network, job);
    const uint64_t *values = network->transport->round->values;
    const bool is_over =
        values[0] == values[1] && !memcmp(values, job->last_counts, sizeof job->last_counts);
    const struct gravel_tally *tally = is_over ? job->tally : NULL;
    if (tally)
        memcpy(tally->sums, values + N_COUNTS, tally->n * sizeof *values);
    if (tally && tally->own)
        memcpy(tally->own, tally->mine, tally->n * sizeof *tally->mine);
    if (is_over)
        return true;
    memcpy(job->last_counts, values, sizeof job->last_counts);
    job->state = GRAVEL_JOB_RUNS;
    check_chain(network, job);
    return false;
}
