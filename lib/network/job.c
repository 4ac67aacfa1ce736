/* SPDX-License-Identifier: MIT */
/*
 * What host threads wait for: fence, quiet, get, reduction, barrier. Each is a small state machine of the network
 * thread, while the host thread sleeps. Those of get and of collective calls are in bytes.c and collective.c.
 *
 * Fence:    ends once what handlers have sent so far has left, ahead of what senders ship from then on.
 *
 * Quiet:    once all records that were parked for want of credit have left, ask every node that has frames of ours
 *           outstanding for an acknowledgement of all so far; then wait until the records that have come here so far
 *           are written.
 *
 * Path:     gravel_quiet and others -> gravel_network_run -> job.c -> bytes.c, collective.c, transport.
 * Memory:   J1 publishes to the host thread that its job is done, and its results.
 */
#include "base/error.h"
#include "base/await.h"
#include "network/parts.h"
#include "spool/spool.h"

#include <stdio.h>

/* Ends a job, which may be gone then. The text of an error is set. */
static void end(struct gravel_network *network, struct gravel_job *job, int code)
{
    gravel_resolving_finish(network);
    if ((job->kind == GRAVEL_JOB_QUIET || job->kind == GRAVEL_JOB_BARRIER) && network->spool) {
        const int lost = gravel_spool_lost(network->spool); /* lines, since the last wait */
        if (lost)
            network->shape.report(network->shape.context, lost, false, gravel_last_error());
    }
    job->code = code;
    atomic_store_explicit(&job->is_done, true, memory_order_release); /* J1; job may be gone now */
    gravel_event_signal(&network->job_done);
}

/* ---- jobs by kind ---------------------------------------------------------------------------- */

/* Lets records that were parked when a quiet came be sent first: no acknowledgement covers them. */
static bool step_quiet(struct gravel_network *network, struct gravel_job *job)
{
    if (job->state == GRAVEL_JOB_NEW)
        job->parked = network->credit.n_parked;
    if (job->state < GRAVEL_JOB_RUNS) {
        job->moved_ns = gravel_network_lived_ns(network); /* the node that writes has a limit */
        job->state =
            gravel_records_have_left(network, job->parked) ? GRAVEL_JOB_RUNS : GRAVEL_JOB_PARKED;
        if (job->state == GRAVEL_JOB_PARKED)
            return false;
        /* Every node that has frames of ours outstanding is to acknowledge all so far. */
        const struct gravel_frame flush = {.bytes = 0};
        for (uint32_t node = 0; node < network->n_nodes; node++) {
            const struct gravel_network_peer *peer = &network->peers[node];
            job->targets[node] = peer->n_sent[0];
            if (peer->n_acked < peer->n_sent[0])
                gravel_network_transmit(network,
                                        gravel_network_frame(network, GRAVEL_FRAME_FLUSH, node,
                                                             &flush, sizeof flush, 0));
        }
        job->node = 0;
        job->lines = gravel_spool_mark(network->spool);
    }
    /* What is acknowledged stays so: each step begins with the node at which the last one stopped. */
    while (job->node < network->n_nodes &&
           network->peers[job->node].n_acked >= job->targets[job->node])
        job->node++;
    if (job->node < network->n_nodes)
        return false;
    if (gravel_spool_has_passed(network->spool, job->lines))
        return true;
    job->moved_ns = gravel_network_lived_ns(network); /* the spool has a limit of its own */
    return false;
}

static const struct kind {
    bool (*step)(struct gravel_network *network, struct gravel_job *job);
    /* Gets it further; sets its state. @return whether it has ended, with job->code. NULL: it ends at once */
    enum gravel_job_state ready; /* before it, all that has been shipped so far must be sent */
    bool is_collective;          /* one at a time, in order */
    const char *name, *owes;     /* what a node whose heartbeat comes has not done for it */
} kinds[] = {
    [GRAVEL_JOB_FENCE] = {NULL, GRAVEL_JOB_RUNS, false, "fence", ""},
    [GRAVEL_JOB_QUIET] = {step_quiet, GRAVEL_JOB_RUNS, false, "quiet", "acknowledged"},
    [GRAVEL_JOB_GET] = {gravel_job_step_get, GRAVEL_JOB_RUNS, false, "get", "answered"},
    [GRAVEL_JOB_REDUCE] = {gravel_job_step_reduce, GRAVEL_JOB_NEW, true, "", ""},
    [GRAVEL_JOB_BARRIER] = {gravel_job_step_barrier, GRAVEL_JOB_REDUCES, true, "", ""},
    [GRAVEL_JOB_EXCHANGE] = {gravel_job_step_exchange, GRAVEL_JOB_NEW, true, "", ""},
};

/* ---- all of them ----------------------------------------------------------------------------- */

void gravel_job_take_new(struct gravel_network *network)
{
    struct gravel_job **end = &network->jobs;
    while (*end)
        end = &(*end)->next;
    pthread_mutex_lock(&network->job_lock);
    *end = network->new_jobs;
    network->new_jobs = NULL;
    pthread_mutex_unlock(&network->job_lock);
}

/* Gets a job further, and takes it off the list if it has ended. @return whether it has */
static bool step_first(struct gravel_network *network, struct gravel_job **link)
{
    struct gravel_job *job = *link, *next = job->next;
    const struct kind *kind = &kinds[job->kind];
    if (job->state == GRAVEL_JOB_NEW) {
        job->code = 0;
        job->moved_ns = gravel_network_lived_ns(network);
        network->n_calls +=
            kind->is_collective && !job->is_rest && job->call.kind != GRAVEL_CALL_OPEN;
    }
    if (!kind->step || kind->step(network, job)) {
        *link = next;
        end(network, job, job->code);
        return true;
    }
    /* A node whose heartbeat comes but no answer is given up. */
    const uint64_t idle_ns = gravel_network_lived_ns(network) - job->moved_ns;
    if (!kind->is_collective && idle_ns >= gravel_network_patience_ns(network))
        gravel_network_fail(network, GRAVEL_ETIMEOUT, "%s: node %u has not %s for %.1f s",
                            kind->name, job->node, kind->owes, gravel_seconds(idle_ns));
    return false;
}

/* Returns whether a job is behind another collective one. @param has_collective [in, out] whether one came. */
static bool is_behind(const struct gravel_job *job, bool *has_collective)
{
    const bool is_collective = kinds[job->kind].is_collective,
               is = is_collective && *has_collective;
    *has_collective |= is_collective;
    return is;
}

bool gravel_job_waits_for_sends(const struct gravel_network *network)
{
    const struct gravel_job *job = network->jobs;
    bool has_collective = false;
    while (job && (is_behind(job, &has_collective) || job->state >= kinds[job->kind].ready))
        job = job->next;
    return job;
}

bool gravel_job_step(struct gravel_network *network)
{
    bool has_moved = false, has_collective = false;
    for (struct gravel_job **link = &network->jobs; *link;)
        if (!is_behind(*link, &has_collective) && step_first(network, link))
            has_moved = true; /* a collective one behind it may wait for sends */
        else
            link = &(*link)->next;
    return has_moved;
}

void gravel_job_fail_all(struct gravel_network *network)
{
    gravel_job_take_new(network);
    struct gravel_job *job = network->jobs;
    network->jobs = NULL;
    while (job) {
        struct gravel_job *next = job->next;
        end(network, job, GRAVEL_EPEER);
        job = next;
    }
}

static bool is_done(const struct gravel_job *job)
{
    return atomic_load_explicit(&job->is_done, memory_order_acquire); /* J1 */
}

void gravel_network_give_up(struct gravel_network *network, struct gravel_mark *mark, uint64_t n,
                            pthread_t thread)
{
    if (!pthread_equal(thread, network->thread.id) || !gravel_mark_give_up(mark, n))
        return;
    pthread_mutex_lock(&network->job_lock);
    network->new_jobs = NULL; /* on the stacks of threads that return now */
    gravel_thread_advance(&network->thread, GRAVEL_THREAD_LOST);
    pthread_mutex_unlock(&network->job_lock);
    gravel_event_signal(&network->job_done);
    gravel_heap_give_up(network->shape.heap);
}

int gravel_network_run(struct gravel_network *network, struct gravel_job *job)
{
    job->next = NULL;
    job->state = GRAVEL_JOB_NEW;
    atomic_store_explicit(&job->is_done, false, memory_order_relaxed);
    pthread_mutex_lock(&network->job_lock);
    struct gravel_job **end = &network->new_jobs;
    while (*end)
        end = &(*end)->next;
    if (!gravel_network_is_lost(network))
        *end = job;
    pthread_mutex_unlock(&network->job_lock);
    gravel_event_signal(&network->event);
    struct gravel_wait wait = {.event = &network->job_done}; /* the job has its limit */
    while (!is_done(job) && !gravel_network_is_lost(network))
        gravel_wait_pause(&wait);
    gravel_wait_end(&wait);
    if (!is_done(job))
        return gravel_fail(GRAVEL_ETIMEOUT, "the network thread is in a call of the driver");
    return job->code ? gravel_fail(job->code, "%s", job->text) : 0;
}
