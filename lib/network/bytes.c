/* SPDX-License-Identifier: MIT */
/*
 * Bytes of heaps, which the host puts and gets. A get asks for pieces of a node buffer's size, some at a time, and
 * stores the replies.
 *
 * Path:    a put: control.c -> bytes.c -> the heap; a get: job.c -> bytes.c -> transport -> the other node's control.c
 *          -> bytes.c -> transport -> control.c -> bytes.c -> the caller's memory.
 * Threads: the network thread.
 */
#include "base/error.h"
#include "base/rounding.h"
#include "memory/memory.h"
#include "network/parts.h"

#include <stdio.h>
#include <string.h>

#define LOCAL_PIECE_BYTES (UINT64_C(4) << 20) /* a millisecond or two */
#define GET_WINDOW (16u * 65536u)             /* [bytes] asked for and not yet answered */

/* ---- the node that has them ------------------------------------------------------------------ */

/* Returns whether bytes [offset, offset + n) lie in one live allocation. @param text  [out] if not, why. */
static bool has_bytes(struct gravel_network *network, uint32_t node, uint64_t offset, uint64_t n,
                      char text[GRAVEL_REFUSAL_BYTES])
{
    char why[GRAVEL_HEAP_TEXT_BYTES];
    if (gravel_heap_has(network->shape.heap, offset, n, why))
        return true;
    snprintf(text, GRAVEL_REFUSAL_BYTES, "node %u's heap: %s", node, why);
    return false;
}

int gravel_bytes_store(struct gravel_network *network, const void *whole,
                       const struct gravel_received *received)
{
    const struct gravel_bytes_frame *frame = whole;
    const uint64_t n = received->bytes - sizeof *frame;
    const uint32_t node = received->destination;
    char text[GRAVEL_REFUSAL_BYTES];
    gravel_counter_add(&network->counts.resolved_buffers, 1);
    if (!has_bytes(network, node, frame->offset, n, text)) {
        gravel_counter_add(&network->counts.refused_buffers, 1);
        gravel_resolving_refuse(network, GRAVEL_ERANGE, text, received->source, node);
        return 0;
    }
    gravel_network_check(network, gravel_memory_write(network->shape.memory,
                                                      gravel_network_heap_of(network, node),
                                                      frame->offset, frame->data, n));
    gravel_counter_add(&network->counts.resolved_messages, 1);
    return 0;
}

/* Returns how much one get may ask for, so that a reply fits into a node buffer. */
static uint64_t piece_bytes(const struct gravel_network *network)
{
    return network->shape.config->buffer_bytes - sizeof(struct gravel_reply_frame);
}

int gravel_bytes_answer(struct gravel_network *network, const void *frame,
                        const struct gravel_received *received)
{
    const struct gravel_get_frame *get = frame;
    const uint64_t n = get->bytes, most = piece_bytes(network);
    const uint32_t node = network->node;
    char text[GRAVEL_REFUSAL_BYTES];
    if (n == 0 || n > most)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "count of bytes that it asks for (%" PRIu64 ", not 1 to %" PRIu64 ")", n,
                           most);
    const bool is_here = has_bytes(network, node, get->offset, n, text);
    const struct gravel_reply_frame head = {
        .id = get->id, .position = get->position, .code = is_here ? 0 : GRAVEL_ERANGE};
    struct gravel_buffer *buffer =
        gravel_network_frame(network, GRAVEL_FRAME_REPLY, received->source, &head, sizeof head,
                             is_here ? (uint32_t)n : 0);
    if (!buffer)
        return 0;
    struct gravel_reply_frame *reply = (struct gravel_reply_frame *)buffer->frame;
    if (is_here)
        reply->code =
            gravel_network_check(network, gravel_memory_read(network->shape.memory,
                                                             gravel_network_heap_of(network, node),
                                                             get->offset, reply->data, n));
    if (reply->code)
        buffer->frame->bytes = sizeof *reply;
    gravel_network_put(network, buffer);
    return 0;
}

/* ---- the node that asks ---------------------------------------------------------------------- */

/* Returns the bytes of a piece that begins at `position` of the job's. */
static uint64_t bytes_at(const struct gravel_network *network, const struct gravel_job *job,
                         uint64_t position)
{
    return gravel_piece_bytes(job->offset + position, job->bytes - position, piece_bytes(network));
}

bool gravel_job_step_get(struct gravel_network *network, struct gravel_job *job)
{
    if (job->state == GRAVEL_JOB_NEW)
        job->id = network->next_id++;
    job->state = GRAVEL_JOB_RUNS;
    if (job->code)
        return true;
    if (gravel_transport_is_local(network->transport, job->node)) {
        /* The next piece; between two, the thread does its other work. Bounds were checked by the caller, who shares
         * the allocation table. */
        const uint64_t at = job->offset + job->answered,
                       n = gravel_piece_bytes(at, job->bytes - job->answered, LOCAL_PIECE_BYTES);
        gravel_resolving_finish(network);
        if (gravel_network_check(network,
                                 gravel_memory_read(network->shape.memory,
                                                    gravel_network_heap_of(network, job->node), at,
                                                    job->data + job->answered, n)))
            return false; /* the node has failed, which ends the job */
        job->answered += n;
        job->moved_ns = gravel_network_lived_ns(network);
        gravel_idle_reset(&network->idle); /* the rest is not waited for */
        return job->answered == job->bytes;
    }
    while (job->asked < job->bytes && job->asked - job->answered < GET_WINDOW) {
        const struct gravel_get_frame get = {.id = job->id,
                                             .offset = job->offset + job->asked,
                                             .position = job->asked,
                                             .bytes = bytes_at(network, job, job->asked)};
        struct gravel_buffer *buffer =
            gravel_network_frame(network, GRAVEL_FRAME_GET, job->node, &get, sizeof get, 0);
        if (!buffer)
            return false; /* the node has failed */
        job->asked += get.bytes;
        job->n_due++;
        gravel_network_transmit(network, buffer);
    }
    return job->answered == job->bytes;
}

/* Checks an answer. A node answers in the order in which it is asked: a get gets its pieces in order. */
static int check_reply(const struct gravel_network *network, const struct gravel_job *job,
                       const struct gravel_reply_frame *reply,
                       const struct gravel_received *received)
{
    const uint64_t n = received->bytes - sizeof *reply;
    if (job ? job->node != received->source || !job->n_due
            : !network->peers[received->source].n_stray)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "request number (%" PRIu64 ", which is answered, or not asked)",
                           reply->id);
    if (reply->code && (!gravel_is_error(reply->code) || n))
        return gravel_fail(GRAVEL_ECORRUPT, "code (%" PRId64 ", with %" PRIu64 " bytes)",
                           reply->code, n);
    if (job && reply->position != job->answered)
        return gravel_fail(GRAVEL_ECORRUPT, "offset (%" PRIu64 ", and %" PRIu64 " bytes have come)",
                           reply->position, job->answered);
    if (job && !reply->code && n != bytes_at(network, job, reply->position))
        return gravel_fail(GRAVEL_ECORRUPT, "count of bytes (%" PRIu64 " for %" PRIu64 ")", n,
                           bytes_at(network, job, reply->position));
    return 0;
}

int gravel_bytes_take_reply(struct gravel_network *network, const void *frame,
                            const struct gravel_received *received)
{
    const struct gravel_reply_frame *reply = frame;
    struct gravel_job *job = network->jobs;
    while (job && (job->kind != GRAVEL_JOB_GET || job->id != reply->id ||
                   job->state == GRAVEL_JOB_NEW || job->code))
        job = job->next;
    GRAVEL_TRY(check_reply(network, job, reply, received));
    if (!job) { /* the get has failed */
        network->peers[received->source].n_stray--;
        return 0;
    }
    job->n_due--;
    if (reply->code) {
        snprintf(
            job->text, sizeof job->text, "node %u: %" PRIu64 " bytes from offset %" PRIu64 " on %s",
            job->node, job->bytes, job->offset,
            reply->code == GRAVEL_ERANGE ? "are not in one allocation" : "could not be read there");
        network->peers[job->node].n_stray += job->n_due;
        job->code = (int)reply->code; /* the job's next step ends it */
        return 0;
    }
    memcpy(job->data + reply->position, reply->data, received->bytes - sizeof *reply);
    job->answered += received->bytes - sizeof *reply;
    job->moved_ns = gravel_network_lived_ns(network);
    return 0;
}
