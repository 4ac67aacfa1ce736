/* SPDX-License-Identifier: MIT */
/*
 * What host threads wait for: quiet, get, reduction, barrier. Each is a small state machine of the network
 * thread, while the host thread sleeps.
 *
 * Quiet:    ask every node that has frames of ours outstanding for an acknowledgement of all so far.
 * Barrier:  sum the frames sent and resolved over all nodes, again and again, until two rounds in a row give
 *           the same, equal sums: then nothing was under way between the rounds, and nothing can start.
 *
 * Path:     gravel_quiet and others -> gravel_network_run -> job.c -> transport.
 * Memory:   J1 tells the host thread that its job is done, and hands over its results.
 * Source:   Mattern, Algorithms for distributed termination detection, 1987 (four-counter method).
 */
#include "base/clock.h"
#include "base/error.h"
#include "memory/memory.h"
#include "network/parts.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#define GET_WINDOW (16u * 65536u) /* [bytes] asked for and not yet answered */

static void end_job(struct gravel_network *network, struct gravel_job *job, int code)
{
    gravel_network_finish_resolving(network);
    job->code = code;
    atomic_store_explicit(&job->is_done, true, memory_order_release); /* J1; job may be gone now */
    gravel_event_signal(&network->job_done);
}

static void fail_job(struct gravel_network *network, struct gravel_job *job, int code,
                     const char *text)
{
    snprintf(job->text, sizeof job->text, "%s", text);
    end_job(network, job, code);
}

/* ---- quiet ----------------------------------------------------------------------------------- */

static void begin_quiet(struct gravel_network *network, struct gravel_job *job)
{
    gravel_network_drain(network);
    for (uint32_t node = 0; node < network->transport->n_nodes; node++) {
        job->targets[node] = network->n_sent[node];
        if (network->n_acked[node] >= network->n_sent[node])
            continue;
        struct gravel_buffer *buffer =
            gravel_network_frame(network, GRAVEL_FRAME_FLUSH, node, sizeof(struct gravel_frame));
        if (buffer)
            gravel_network_send(network, buffer);
    }
}

static bool step_quiet(struct gravel_network *network, struct gravel_job *job)
{
    for (uint32_t node = 0; node < network->transport->n_nodes; node++)
        if (network->n_acked[node] < job->targets[node])
            return false;
    end_job(network, job, 0);
    return true;
}

/* ---- get ------------------------------------------------------------------------------------- */

static uint64_t piece_bytes(const struct gravel_network *network)
{
    return network->shape.config->buffer_bytes - sizeof(struct gravel_reply_frame);
}

static void ask(struct gravel_network *network, struct gravel_job *job)
{
    uint64_t left = job->bytes - job->asked, most = piece_bytes(network);
    struct gravel_buffer *buffer =
        gravel_network_frame(network, GRAVEL_FRAME_GET, job->node, sizeof(struct gravel_get_frame));
    if (!buffer)
        return;
    struct gravel_get_frame *get = (struct gravel_get_frame *)buffer->frame;
    get->id = job->id;
    get->offset = job->offset + job->asked;
    get->position = job->asked;
    get->bytes = left < most ? left : most;
    job->asked += get->bytes;
    gravel_network_send(network, buffer);
}

/* Of a node in this process: copy. Bounds were checked by the caller, who shares the heap's books. */
static void get_local(struct gravel_network *network, struct gravel_job *job)
{
    uint32_t heap = network->transport->is_loopback ? job->node : 0;
    gravel_network_finish_resolving(network);
    int code = gravel_memory_read(network->shape.memory, heap, job->offset, job->data, job->bytes);
    job->asked = job->bytes;
    if (code)
        gravel_network_fail(network, code, gravel_last_error()); /* which ends the job */
    else
        job->answered = job->bytes;
}

static bool step_get(struct gravel_network *network, struct gravel_job *job)
{
    while (job->asked < job->bytes && job->asked - job->answered < GET_WINDOW)
        ask(network, job);
    if (job->answered < job->bytes)
        return false;
    end_job(network, job, 0);
    return true;
}

static void begin_get(struct gravel_network *network, struct gravel_job *job)
{
    gravel_network_drain(network);
    job->id = network->next_id++;
    if (gravel_network_is_local(network, job->node))
        get_local(network, job);
}

static void remove_job(struct gravel_job **list, struct gravel_job *job)
{
    for (; *list; list = &(*list)->next)
        if (*list == job) {
            *list = job->next;
            return;
        }
}

void gravel_job_reply(struct gravel_network *network, const struct gravel_reply_frame *reply,
                      uint32_t bytes)
{
    uint64_t n = bytes - sizeof *reply;
    struct gravel_job *job = network->jobs;
    while (job && (job->kind != GRAVEL_JOB_GET || job->id != reply->id))
        job = job->next;
    if (!job) /* the get has failed */
        return;
    if (reply->code || reply->position > job->bytes || n > job->bytes - reply->position) {
        bool was_refused = !reply->code || reply->code == GRAVEL_ERANGE;
        char text[128];
        snprintf(text, sizeof text, "node %u: bytes %llu to %llu %s", job->node,
                 (unsigned long long)job->offset, (unsigned long long)(job->offset + job->bytes),
                 was_refused ? "are not in one allocation" : "could not be read there");
        remove_job(&network->jobs, job);
        fail_job(network, job, was_refused ? GRAVEL_ERANGE : reply->code, text);
        return;
    }
    memcpy(job->data + reply->position, reply->data, n);
    job->answered += n;
    job->moved_ns = gravel_clock_ns();
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void begin_reduce(struct gravel_network *network, struct gravel_job *job)
{
    if (network->transport->operations->reduce(network->transport, job->op, job->type, job->values,
                                               job->n))
        gravel_network_fail(network, GRAVEL_EMPI, gravel_last_error());
}

static bool reduction_has_ended(struct gravel_network *network)
{
    int ended = network->transport->operations->reduce_test(network->transport);
    if (ended < 0)
        gravel_network_fail(network, GRAVEL_EMPI, gravel_last_error());
    return ended == 1;
}

static bool step_reduce(struct gravel_network *network, struct gravel_job *job)
{
    if (!reduction_has_ended(network))
        return false;
    end_job(network, job, 0);
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
    if (has_unsent(network)) {
        check_chain(network, job);
        return;
    }
    if (job->last_counts[0] == UINT64_MAX) /* no round has ended: other nodes may be yet to come */
        job->chain_ns = 0;
    job->counts[0] = network->n_counted_sent;
    job->counts[1] = network->n_counted_resolved;
    job->op = GRAVEL_ADD;
    job->type = GRAVEL_ULONG;
    job->values = job->counts;
    job->n = 2;
    job->is_reducing = true;
    begin_reduce(network, job);
}

/* Last sums no round can give, so that the first round never ends a barrier. */
static void begin_barrier(struct gravel_job *job)
{
    job->last_counts[0] = UINT64_MAX;
    job->last_counts[1] = 0;
    job->is_reducing = false;
    job->chain_ns = 0;
}

static bool step_barrier(struct gravel_network *network, struct gravel_job *job)
{
    if (!job->is_reducing)
        try_round(network, job);
    if (!job->is_reducing || !reduction_has_ended(network))
        return false;
    bool is_quiet = job->counts[0] == job->counts[1];
    bool is_same = job->counts[0] == job->last_counts[0] && job->counts[1] == job->last_counts[1];
    if (is_quiet && is_same) {
        end_job(network, job, 0);
        return true;
    }
    memcpy(job->last_counts, job->counts, sizeof job->last_counts);
    job->is_reducing = false;
    check_chain(network, job);
    return false;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_collective(const struct gravel_job *job)
{
    return job->kind == GRAVEL_JOB_REDUCE || job->kind == GRAVEL_JOB_BARRIER;
}

static void begin(struct gravel_network *network, struct gravel_job *job, uint64_t now_ns)
{
    job->has_begun = true;
    job->moved_ns = now_ns;
    if (job->kind == GRAVEL_JOB_QUIET)
        begin_quiet(network, job);
    else if (job->kind == GRAVEL_JOB_GET)
        begin_get(network, job);
    else if (job->kind == GRAVEL_JOB_REDUCE)
        begin_reduce(network, job);
    else
        begin_barrier(job);
}

/* @return true if the job has ended; it may be gone then. */
static bool step(struct gravel_network *network, struct gravel_job *job)
{
    switch (job->kind) {
    case GRAVEL_JOB_QUIET:
        return step_quiet(network, job);
    case GRAVEL_JOB_GET:
        return step_get(network, job);
    case GRAVEL_JOB_REDUCE:
        return step_reduce(network, job);
    default:
        return step_barrier(network, job);
    }
}

/* Give up on a node whose heartbeat comes but no answer. */
static void check_progress(struct gravel_network *network, const struct gravel_job *job,
                           uint64_t now_ns)
{
    uint64_t limit_ns = gravel_network_patience_ms(network) * UINT64_C(1000000);
    bool has_just_moved = now_ns < job->moved_ns; /* since the caller looked at the clock */
    if (is_collective(job) || has_just_moved || now_ns - job->moved_ns < limit_ns)
        return;
    char text[160];
    if (job->kind == GRAVEL_JOB_GET) {
        snprintf(text, sizeof text, "get: node %u has not answered for %.1f s", job->node,
                 (double)(now_ns - job->moved_ns) * 1e-9);
    } else {
        uint32_t node = 0;
        while (node + 1 < network->transport->n_nodes &&
               network->n_acked[node] >= job->targets[node])
            node++;
        snprintf(text, sizeof text, "quiet: node %u has not acknowledged for %.1f s", node,
                 (double)(now_ns - job->moved_ns) * 1e-9);
    }
    gravel_network_fail(network, GRAVEL_ETIMEOUT, text);
}

static void take_new_jobs(struct gravel_network *network)
{
    pthread_mutex_lock(&network->job_lock);
    struct gravel_job *job = network->new_jobs;
    network->new_jobs = NULL;
    network->new_jobs_end = &network->new_jobs;
    pthread_mutex_unlock(&network->job_lock);
    while (job) {
        struct gravel_job *next = job->next;
        struct gravel_job **end = is_collective(job) ? &network->collectives : &network->jobs;
        while (*end)
            end = &(*end)->next;
        job->next = NULL;
        *end = job;
        job = next;
    }
}

static bool step_first(struct gravel_network *network, struct gravel_job **place, uint64_t now_ns)
{
    struct gravel_job *job = *place, *next = job->next;
    if (!job->has_begun)
        begin(network, job, now_ns);
    if (step(network, job)) {
        *place = next;
        return true;
    }
    check_progress(network, job, now_ns);
    return false;
}

bool gravel_job_step(struct gravel_network *network, uint64_t now_ns)
{
    bool has_moved = false;
    take_new_jobs(network);
    for (struct gravel_job **place = &network->jobs; *place;)
        if (step_first(network, place, now_ns))
            has_moved = true;
        else
            place = &(*place)->next;
    while (network->collectives && step_first(network, &network->collectives, now_ns))
        has_moved = true;
    return has_moved;
}

static void fail_list(struct gravel_network *network, struct gravel_job **list)
{
    struct gravel_job *job = *list;
    *list = NULL;
    while (job) {
        struct gravel_job *next = job->next;
        end_job(network, job, GRAVEL_EPEER);
        job = next;
    }
}

void gravel_job_fail_all(struct gravel_network *network)
{
    take_new_jobs(network);
    fail_list(network, &network->jobs);
    fail_list(network, &network->collectives);
}

static void submit(struct gravel_network *network, struct gravel_job *job)
{
    job->next = NULL;
    job->has_begun = false;
    atomic_store_explicit(&job->is_done, false, memory_order_relaxed);
    pthread_mutex_lock(&network->job_lock);
    *network->new_jobs_end = job;
    network->new_jobs_end = &job->next;
    pthread_mutex_unlock(&network->job_lock);
    gravel_event_signal(&network->event);
}

int gravel_network_run(struct gravel_network *network, struct gravel_job *job)
{
    submit(network, job);
    for (uint32_t round = 0;; round++) {
        if (atomic_load_explicit(&job->is_done, memory_order_acquire)) /* J1 */
            break;
        if (round < 4) {
            sched_yield();
            continue;
        }
        uint32_t key = gravel_event_prepare(&network->job_done);
        if (atomic_load_explicit(&job->is_done, memory_order_acquire)) { /* J1 */
            gravel_event_cancel(&network->job_done);
            break;
        }
        gravel_event_wait(&network->job_done, key, GRAVEL_NS_PER_S);
    }
    return job->code ? gravel_fail(job->code, "%s", job->text) : 0;
}
