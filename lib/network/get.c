/* SPDX-License-Identifier: MIT */
/*
 * Reads bytes of another node's heap: asks for pieces of a node buffer's size, some at a time, and stores the replies.
 *
 * Path:    job.c -> get.c -> transport; the answering node's control.c -> get.c -> the caller's memory.
 * Threads: the network thread.
 */
#include "base/clock.h"
#include "base/piece.h"
#include "memory/memory.h"
#include "network/parts.h"

#include <stdio.h>
#include <string.h>

#define GET_WINDOW (16u * 65536u) /* [bytes] asked for and not yet answered */

static uint64_t piece_bytes(const struct gravel_network *network)
{
    return network->shape.config->buffer_bytes - sizeof(struct gravel_reply_frame);
}

/* @return false: no memory, and the node has failed. */
static bool ask(struct gravel_network *network, struct gravel_job *job)
{
    uint64_t left = job->bytes - job->asked, most = piece_bytes(network);
    struct gravel_buffer *buffer =
        gravel_network_frame(network, GRAVEL_FRAME_GET, job->node, sizeof(struct gravel_get_frame));
    if (!buffer)
        return false;
    struct gravel_get_frame *get = (struct gravel_get_frame *)buffer->frame;
    get->id = job->id;
    get->offset = job->offset + job->asked;
    get->position = job->asked;
    get->bytes = gravel_piece_bytes(get->offset, left, most);
    job->asked += get->bytes;
    gravel_network_send(network, buffer);
    return true;
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

bool gravel_job_step_get(struct gravel_network *network, struct gravel_job *job)
{
    while (job->asked < job->bytes && job->asked - job->answered < GET_WINDOW)
        if (!ask(network, job))
            return false;
    if (job->answered < job->bytes)
        return false;
    gravel_job_end(network, job, 0);
    return true;
}

void gravel_job_begin_get(struct gravel_network *network, struct gravel_job *job)
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
        snprintf(job->text, sizeof job->text, "node %u: %llu bytes from offset %llu on %s",
                 job->node, (unsigned long long)job->bytes, (unsigned long long)job->offset,
                 was_refused ? "are not in one allocation" : "could not be read there");
        remove_job(&network->jobs, job);
        gravel_job_end(network, job, was_refused ? GRAVEL_ERANGE : reply->code);
        return;
    }
    memcpy(job->data + reply->position, reply->data, n);
    job->answered += n;
    job->moved_ns = gravel_clock_ns();
}
