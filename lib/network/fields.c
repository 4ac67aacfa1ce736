/* SPDX-License-Identifier: MIT */
/*
 * What the fields of a frame can hold. One that is not what its sender can have written ends the node, and is named:
 * no frame behind it can be trusted, nor a barrier's count.
 *
 * Here is what all frames have in common; what a field means is checked where it is used. Messages have a stricter
 * check of their own (lib/resolve/decode.c), which refuses them.
 *
 * Path:    control.c, liveness.c, get.c -> fields.c -> the node's failure.
 * Threads: the network thread.
 */
#include "base/error.h"
#include "network/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool gravel_fields_fail(struct gravel_network *network, const struct gravel_received *received,
                        const char *format, ...)
{
    char text[320];
    int used = snprintf(text, sizeof text,
                        "frame %" PRIu64 " of %" PRIu64 " bytes from node %u has a bad ",
                        received->sequence, received->bytes, received->source);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    gravel_counter_add(&network->counts.refused_buffers, 1);
    gravel_network_fail(network, GRAVEL_ECORRUPT, text);
    return false;
}

/* Of the frames of each kind [bytes]. */
static const struct length {
    const char *name; /* NULL: there is no such kind */
    uint64_t bytes;   /* least */
    bool is_fixed;    /* and most */
} lengths[] = {
    [GRAVEL_FRAME_MESSAGES] = {"messages", sizeof(struct gravel_frame), false},
    [GRAVEL_FRAME_BYTES] = {"a put", sizeof(struct gravel_bytes_frame), false},
    [GRAVEL_FRAME_REFUSAL] = {"a refusal", sizeof(struct gravel_refusal_frame), true},
    [GRAVEL_FRAME_FLUSH] = {"a flush", sizeof(struct gravel_frame), true},
    [GRAVEL_FRAME_ACK] = {"an acknowledgement", sizeof(struct gravel_ack_frame), true},
    [GRAVEL_FRAME_GET] = {"a get", sizeof(struct gravel_get_frame), true},
    [GRAVEL_FRAME_REPLY] = {"a reply", sizeof(struct gravel_reply_frame), false},
    [GRAVEL_FRAME_HEARTBEAT] = {"a heartbeat", sizeof(struct gravel_heartbeat_frame), true},
    [GRAVEL_FRAME_DEATH] = {"news of a death", sizeof(struct gravel_death_frame), true},
    [GRAVEL_FRAME_RECORDS] = {"records", sizeof(struct gravel_frame), false},
    [GRAVEL_FRAME_CREDIT] = {"credit", sizeof(struct gravel_credit_frame), true},
};

bool gravel_fields_check(struct gravel_network *network, const struct gravel_frame *frame,
                         const struct gravel_received *received)
{
    if (received->bytes < sizeof *frame)
        return gravel_fields_fail(network, received, "length (a header has %zu bytes)",
                                  sizeof *frame);
    const struct length length =
        frame->kind < sizeof lengths / sizeof *lengths ? lengths[frame->kind] : (struct length){0};
    if (frame->magic != GRAVEL_FRAME_MAGIC || frame->version != GRAVEL_FRAME_VERSION ||
        frame->bytes != received->bytes || frame->source != received->source ||
        frame->destination != received->destination || frame->sequence != received->sequence ||
        !length.name)
        return gravel_fields_fail(network, received,
                                  "header (kind %u, sequence %" PRIu64 ", %u bytes)", frame->kind,
                                  frame->sequence, frame->bytes);
    /* Read for messages alone, which come once the node is attached (N2). A part of a block may be longer. */
    const uint64_t most =
        frame->kind <= GRAVEL_FRAME_BYTES ? network->shape.config->buffer_bytes : UINT64_MAX;
    if (!received->buffer && received->bytes > most)
        return gravel_fields_fail(network, received, "length (%s has %" PRIu64 " bytes at most)",
                                  length.name, most);
    if (length.is_fixed ? received->bytes == length.bytes : received->bytes >= length.bytes)
        return true;
    return gravel_fields_fail(network, received, "length (%s has %" PRIu64 " bytes%s)", length.name,
                              length.bytes, length.is_fixed ? "" : " or more");
}

bool gravel_fields_check_error(struct gravel_network *network,
                               const struct gravel_received *received, int64_t code,
                               const char text[GRAVEL_FRAME_TEXT_BYTES])
{
    if (!gravel_is_error(code))
        return gravel_fields_fail(network, received, "code (%" PRId64 " is no error)", code);
    return memchr(text, '\0', GRAVEL_FRAME_TEXT_BYTES) ||
           gravel_fields_fail(network, received, "text (%u bytes without an end)",
                              GRAVEL_FRAME_TEXT_BYTES);
}
