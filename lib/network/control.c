/* SPDX-License-Identifier: MIT */
/*
 * What the network thread does with each kind of frame, which is a row of a table here, and what its header can hold.
 *
 * A field that is not what its sender can have written ends the node, and is named: no frame behind it can be trusted,
 * nor a barrier's count. What a field means is checked where it is used. Messages have a stricter check of their own
 * (lib/resolve/decode.c), which refuses them.
 *
 * Path:    transport (or a local sender) -> control.c, maybe by way of ahead.c -> resolving.c, records.c, bytes.c,
 *          liveness.c.
 * Threads: the network thread.
 */
#include "network/parts.h"

#include <stdio.h>
#include <string.h>

static int fail_length(const char *name, uint64_t bytes, const char *bound)
{
    return gravel_fail(GRAVEL_ECORRUPT, "length (%s has %" PRIu64 " bytes%s)", name, bytes, bound);
}

/* Reports a refusal, or news of a death, which its finder sends to all nodes. */
static int handle_error(struct gravel_network *network, const void *frame,
                        const struct gravel_received *received)
{
    const struct gravel_error_frame *error = frame;
    (void)received;
    if (!gravel_is_error(error->code))
        return gravel_fail(GRAVEL_ECORRUPT, "code (%" PRId32 " is not an error)", error->code);
    if (!memchr(error->text, '\0', GRAVEL_FRAME_TEXT_BYTES))
        return gravel_fail(GRAVEL_ECORRUPT, "text (%u bytes without an end)",
                           GRAVEL_FRAME_TEXT_BYTES);
    if (error->frame.kind == GRAVEL_FRAME_REFUSAL) {
        network->shape.report(network->shape.context, error->code, false, error->text);
    } else {
        gravel_liveness_set_death(network, GRAVEL_DEATH_SENT);
        gravel_network_fail(network, GRAVEL_EPEER, "%s", error->text);
    }
    return 0;
}

/* Answers a flush. All frames before it have been resolved, for they are handled in order, except records, which take
 * longer; answers go first. */
static int handle_flush(struct gravel_network *network, const void *frame,
                        const struct gravel_received *received)
{
    (void)frame;
    if (network->sees_attached)
        gravel_sender_flush_urgent(network->handler_sender);
    gravel_records_acknowledge(network, received->source, received->sequence + 1);
    return 0;
}

static int handle_ack(struct gravel_network *network, const void *frame,
                      const struct gravel_received *received)
{
    const uint64_t acked = ((const struct gravel_ack_frame *)frame)->acked;
    struct gravel_network_peer *peer = &network->peers[received->source];
    if (acked > peer->n_sent[0])
        return gravel_fail(GRAVEL_ECORRUPT,
                           "acknowledgement (of %" PRIu64 " frames, of which %" PRIu64
                           " were sent)",
                           acked, peer->n_sent[0]);
    if (acked > peer->n_acked)
        peer->n_acked = acked;
    for (struct gravel_job *job = network->jobs; job; job = job->next)
        if (job->kind == GRAVEL_JOB_QUIET) /* the node works on what it waits for */
            job->moved_ns = gravel_network_lived_ns(network);
    return 0;
}

/* Frames of each kind. */
static const struct kind {
    const char *name;             /* NULL: there is no such kind */
    uint64_t bytes;               /* least */
    bool is_fixed;                /* and most */
    bool is_apart;                /* relies on no frame before it having been applied */
    gravel_frame_handler *handle; /* NULL: messages, which may be kept */
} kinds[] = {
    [GRAVEL_FRAME_MESSAGES] = {"messages", sizeof(struct gravel_frame), false, true, NULL},
    [GRAVEL_FRAME_BYTES] = {"a put", sizeof(struct gravel_bytes_frame), false, false,
                            gravel_bytes_store},
    [GRAVEL_FRAME_REFUSAL] = {"a refusal", sizeof(struct gravel_error_frame), true, false,
                              handle_error},
    [GRAVEL_FRAME_FLUSH] = {"a flush", sizeof(struct gravel_frame), true, false, handle_flush},
    [GRAVEL_FRAME_ACK] = {"an acknowledgement", sizeof(struct gravel_ack_frame), true, false,
                          handle_ack},
    [GRAVEL_FRAME_GET] = {"a get", sizeof(struct gravel_get_frame), true, false,
                          gravel_bytes_answer},
    [GRAVEL_FRAME_REPLY] = {"a reply", sizeof(struct gravel_reply_frame), false, false,
                            gravel_bytes_take_reply},
    [GRAVEL_FRAME_HEARTBEAT] = {"a heartbeat", sizeof(struct gravel_heartbeat_frame), true, false,
                                gravel_late_read},
    [GRAVEL_FRAME_DEATH] = {"news of a death", sizeof(struct gravel_error_frame), true, false,
                            handle_error},
    [GRAVEL_FRAME_RECORDS] = {"records", sizeof(struct gravel_frame), false, true,
                              gravel_records_take},
    [GRAVEL_FRAME_ROUND] = {"a round", sizeof(struct gravel_round_frame), false, true,
                            gravel_exchange_take},
    [GRAVEL_FRAME_CREDIT] = {"credit", sizeof(struct gravel_credit_frame), true, true,
                             gravel_records_hear},
};

/* Checks a frame's header, and whether its length is one of its kind. */
static int check(const struct gravel_network *network, const struct gravel_frame *frame,
                 const struct gravel_received *received)
{
    if (received->bytes < sizeof *frame)
        return fail_length("a header", sizeof *frame, "");
    const struct kind kind =
        frame->kind < sizeof kinds / sizeof *kinds ? kinds[frame->kind] : (struct kind){0};
    if (frame->magic != GRAVEL_FRAME_MAGIC || frame->version != GRAVEL_FRAME_VERSION ||
        frame->bytes != received->bytes || frame->source != received->source ||
        frame->destination != received->destination || frame->sequence != received->sequence ||
        !kind.name)
        return gravel_fail(GRAVEL_ECORRUPT, "header (kind %u, sequence %" PRIu64 ", %u bytes)",
                           frame->kind, frame->sequence, frame->bytes);
    const uint32_t applied =
        atomic_load_explicit(&network->exchange.applied, memory_order_acquire); /* Y7 */
    if ((int32_t)(frame->round - applied) > (int32_t)GRAVEL_AHEAD_MOST)
        return gravel_fail(GRAVEL_ECORRUPT, "round (%u, not %u at most)", frame->round,
                           applied + GRAVEL_AHEAD_MOST);
    /* Read for messages alone, which come once the node is attached (N2). A part of a block may be longer. */
    const uint64_t most =
        frame->kind <= GRAVEL_FRAME_BYTES ? network->shape.config->buffer_bytes : UINT64_MAX;
    if (!received->buffer && received->bytes > most)
        return fail_length(kind.name, most, " at most");
    if (kind.is_fixed ? received->bytes == kind.bytes : received->bytes >= kind.bytes)
        return 0;
    return fail_length(kind.name, kind.bytes, kind.is_fixed ? "" : " or more");
}

/* Fails the node for a frame that its sender cannot have sent. */
static void fail(struct gravel_network *network, const struct gravel_received *received)
{
    gravel_counter_add(&network->counts.refused_buffers, 1);
    gravel_network_fail(network, GRAVEL_ECORRUPT,
                        "frame %" PRIu64 " of %" PRIu64 " bytes from node %u has a bad %s",
                        received->sequence, received->bytes, received->source, gravel_last_error());
}

bool gravel_control_act(struct gravel_network *network, struct gravel_frame *frame,
                        const struct gravel_received *received)
{
    const uint16_t kind = frame->kind; /* the frame may be another one later */
    bool is_kept = false;
    int code = 0;
    if (kind == GRAVEL_FRAME_MESSAGES) {
        is_kept = gravel_resolving_take(network, frame, received);
    } else {
        if (!kinds[kind].is_apart)
            gravel_resolving_finish(network);
        code = kinds[kind].handle(network, frame, received);
    }
    if (code)
        fail(network, received);
    else
        network->n_counted_resolved += gravel_frame_is_counted(kind) && !is_kept;
    return is_kept;
}

bool gravel_control_handle(struct gravel_network *network, struct gravel_frame *frame,
                           const struct gravel_received *received)
{
    if (!check(network, frame, received))
        return !gravel_ahead_hold(network, frame, received) &&
               gravel_control_act(network, frame, received);
    fail(network, received);
    return false;
}
