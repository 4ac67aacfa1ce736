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
 * Memory:   J1 tells the host thread that its job is done, and hands over its results.
 */
#include "base/error.h"
#include "base/await.h"
#include "network/parts.h"
#include "spool/spool.h"

#include <stdio.h>

/* It may be gone then. The text of an error is set. */
static void end(struct gravel_network *network, struct gravel_job *job, int code)
{
    gravel_resolving_finish(network);
    if (job->kind == GRAVEL_JOB_QUIET || job->kind == GRAVEL_JOB_BARRIER)
        gravel_records_tell_lost(network);
    job->code = code;
    atomic_store_explicit(&job->is_done, true, memory_order_release); /* J1; job may be gone now */
    gravel_event_signal(&network->job_done);
}

/* ---- quiet ----------------------------------------------------------------------------------- */

static void begin_quiet(struct gravel_network *network, struct gravel_job *job)
{
    for (uint32_t node = 0; node < network->transport->n_nodes; node++) {
        const struct gravel_network_peer *peer = &network->peers[node];
        job->targets[node] = peer->n_sent[0];
        if (peer->n_acked >= peer->n_sent[0])
            continue;
        const struct gravel_frame flush = {.bytes = 0};
        gravel_network_transmit(network, gravel_network_frame(network, GRAVEL_FRAME_FLUSH, node,
                                                              &flush, sizeof flush, 0));
    }
    job->owing = 0;
    job->lines = gravel_spool_mark(network->spool);
}

void gravel_job_note_life(struct gravel_network *network)
{
    for (struct gravel_job *job = network->jobs; job; job = job->next)
        if (job->kind == GRAVEL_JOB_QUIET)
            job->moved_ns = gravel_network_lived_ns(network);
}

/* Whether all is acknowledged. What is, stays so: each call begins with the node at which the last one stopped. */
static bool are_acknowledged(const struct gravel_network *network, struct gravel_job *job)
{
    const uint32_t n_nodes = network->transport->n_nodes;
    while (job->owing < n_nodes && network->peers[job->owing].n_acked >= job->targets[job->owing])
        job->owing++;
    return job->owing == n_nodes;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_collective(const struct gravel_job *job)
{
    return job->kind == GRAVEL_JOB_REDUCE || job->kind == GRAVEL_JOB_BARRIER;
}

static void begin(struct gravel_network *network, struct gravel_job *job)
{
    job->has_begun = true;
    job->code = 0;
    job->moved_ns = gravel_network_lived_ns(network);
    if (is_collective(job) && !job->is_rest && job->call.kind != GRAVEL_CALL_OPEN)
        network->n_calls++;
    if (job->kind == GRAVEL_JOB_FENCE)
        return;
    if (job->kind == GRAVEL_JOB_QUIET)
        begin_quiet(network, job);
    else if (job->kind == GRAVEL_JOB_GET)
        job->id = network->next_id++;
    else if (job->kind == GRAVEL_JOB_REDUCE)
        gravel_job_begin_reduce(network, job);
    else
        gravel_job_begin_barrier(job);
}

/* @return whether the job has ended, with job->code. */
static bool step(struct gravel_network *network, struct gravel_job *job)
{
    switch (job->kind) {
    case GRAVEL_JOB_FENCE:
        return true;
    case GRAVEL_JOB_QUIET:
        if (!are_acknowledged(network, job))
            return false;
        if (gravel_spool_has_passed(network->spool, job->lines))
            return true;
        job->moved_ns = gravel_network_lived_ns(network); /* the spool has a limit of its own */
        return false;
    case GRAVEL_JOB_GET:
        return gravel_job_step_get(network, job);
    case GRAVEL_JOB_REDUCE:
        return gravel_job_step_reduce(network, job);
    default:
        return gravel_job_step_barrier(network, job);
    }
}

/* Give up on a node whose heartbeat comes but no answer. */
static void check_progress(struct gravel_network *network, const struct gravel_job *job)
{
    uint64_t limit_ns = gravel_network_patience_ns(network);
    uint64_t stood_ns = gravel_network_lived_ns(network) - job->moved_ns;
    if (is_collective(job) || stood_ns < limit_ns)
        return;
    char text[160];
    const bool is_get = job->kind == GRAVEL_JOB_GET;
    snprintf(text, sizeof text, "%s: node %u has not %s for %.1f s", is_get ? "get" : "quiet",
             is_get ? job->node : job->owing, is_get ? "answered" : "acknowledged",
             (double)stood_ns * 1e-9);
    gravel_network_fail(network, GRAVEL_ETIMEOUT, text);
}

void gravel_job_take_new(struct gravel_network *network)
{
    struct gravel_job **end = &network->jobs;
    while (*end)
        end = &(*end)->next;
    pthread_mutex_lock(&network->job_lock);
    *end = network->new_jobs;
    network->new_jobs = NULL;
    network->new_jobs_end = &network->new_jobs;
    pthread_mutex_unlock(&network->job_lock);
}

static bool step_first(struct gravel_network *network, struct gravel_job **link)
{
    struct gravel_job *job = *link, *next = job->next;
    if (!job->has_begun && job->kind == GRAVEL_JOB_QUIET) {
        if (!job->has_parked)
            job->parked = gravel_credit_mark(&network->credit);
        job->has_parked = true;
        /* Records that were parked when a quiet came leave first: no acknowledgement covers them. The node that writes
         * them has a limit. */
        if (!gravel_credit_has_passed(&network->credit, job->parked))
            return false;
    }
    if (!job->has_begun)
        begin(network, job);
    if (step(network, job)) {
        *link = next;
        end(network, job, job->code);
        return true;
    }
    check_progress(network, job);
    return false;
}

static bool waits_for_sends(const struct gravel_job *job)
{
    switch (job->kind) {
    case GRAVEL_JOB_QUIET:
    case GRAVEL_JOB_FENCE:
    case GRAVEL_JOB_GET:
        return !job->has_begun;
    case GRAVEL_JOB_BARRIER:
        return !job->has_begun || !job->is_reducing;
    default:
        return false;
    }
}

/* Whether a job is behind another collective one. @param has_collective  [in, out] whether there was one so far. */
static bool is_behind(const struct gravel_job *job, bool *has_collective)
{
    const bool is = is_collective(job) && *has_collective;
    *has_collective |= is_collective(job);
    return is;
}

bool gravel_job_waits_for_sends(const struct gravel_network *network)
{
    const struct gravel_job *job = network->jobs;
    bool has_collective = false;
    while (job && (is_behind(job, &has_collective) || !waits_for_sends(job)))
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

static void submit(struct gravel_network *network, struct gravel_job *job)
{
    job->next = NULL;
    job->has_begun = job->has_parked = false;
    atomic_store_explicit(&job->is_done, false, memory_order_relaxed);
    pthread_mutex_lock(&network->job_lock);
    if (!gravel_network_is_lost(network)) {
        *network->new_jobs_end = job;
        network->new_jobs_end = &job->next;
    }
    pthread_mutex_unlock(&network->job_lock);
    gravel_event_signal(&network->event);
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
    network->new_jobs_end = &network->new_jobs;
    gravel_thread_advance(&network->thread, GRAVEL_THREAD_LOST);
    pthread_mutex_unlock(&network->job_lock);
    gravel_event_signal(&network->job_done);
    gravel_heap_give_up(network->shape.heap);
}

int gravel_network_run(struct gravel_network *network, struct gravel_job *job)
{
    submit(network, job);
    struct gravel_wait wait = {.event = &network->job_done}; /* the job has its limit */
    while (!is_done(job) && !gravel_network_is_lost(network))
        gravel_wait_pause(&wait);
    gravel_wait_end(&wait);
    if (!is_done(job))
        return gravel_fail(GRAVEL_ETIMEOUT, "the network thread is in a call of the driver");
    return job->code ? gravel_fail(job->code, "%s", job->text) : 0;
}
