/* SPDX-License-Identifier: MIT */
/*
 * Hands frames over to other nodes of the machine. See handover.h.
 *
 * Memory:  what carries the note orders the sender's frame before its receiver's reads; Y1 and Y2 order the receiver's
 *          last use before the sender's next.
 */
#include "transport/handover.h"

#include "base/counter.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gravel_handover_create(struct gravel_handover *handover, struct gravel_segment *segment,
                           uint32_t n_nodes)
{
    struct gravel_handover_peer *peers = calloc(n_nodes, sizeof *peers);
    if (!peers)
        return gravel_fail(GRAVEL_ENOMEM, "handing buffers over to %u nodes", n_nodes);
    *handover = (struct gravel_handover){
        .segment = segment, .peers = peers, .n_nodes = n_nodes, .at_hand = n_nodes};
    return 0;
}

void gravel_handover_destroy(struct gravel_handover *handover)
{
    for (uint32_t i = 0; handover->peers && i < handover->n_nodes; i++)
        gravel_segment_unmap(handover->peers[i].view);
    free(handover->peers);
    handover->peers = NULL;
}

bool gravel_handover_take_from(struct gravel_handover *handover, uint32_t node, uint32_t local,
                               const struct gravel_segment_card *card)
{
    struct gravel_handover_peer *peer = &handover->peers[node];
    if (gravel_segment_map(card, &peer->view)) {
        if (!handover->why_not[0])
            snprintf(handover->why_not, sizeof handover->why_not, "of node %u (%.120s)", node,
                     gravel_last_error());
        return false;
    }
    peer->our_back = &peer->view->peers[local];
    handover->views[handover->n_views++] = (unsigned char *)peer->view + GRAVEL_SEGMENT_FRAMES;
    return true;
}

void gravel_handover_give_to(struct gravel_handover *handover, uint32_t node, uint32_t local)
{
    struct gravel_handover_peer *peer = &handover->peers[node];
    handover->takers[handover->n_takers++] = node;
    peer->takes = true;
    peer->its_back = &handover->segment->head->peers[local];
    peer->n_returned =
        atomic_load_explicit(&peer->its_back->n_back, memory_order_relaxed); /* none yet */
}

/* ---- sender ---------------------------------------------------------------------------------- */

bool gravel_handover_suits(const struct gravel_handover *handover,
                           const struct gravel_buffer *buffer)
{
    const struct gravel_frame *frame = buffer->frame;
    return frame->bytes >= GRAVEL_HANDOVER_LEAST_BYTES &&
           handover->peers[frame->destination].takes &&
           gravel_segment_offset(handover->segment, frame);
}

struct gravel_buffer *gravel_handover_note(const struct gravel_handover *handover,
                                           const struct gravel_buffer *buffer)
{
    struct gravel_buffer *note = gravel_buffer_create(sizeof(struct gravel_note_frame));
    const struct gravel_frame *frame = buffer->frame;
    if (!note) {
        gravel_fail(GRAVEL_ENOMEM, "note of a node buffer for node %u", frame->destination);
        return NULL;
    }
    *(struct gravel_note_frame *)note->frame = (struct gravel_note_frame){
        .frame = *frame,
        .offset = gravel_segment_offset(handover->segment, frame),
        .bytes = frame->bytes,
    };
    note->frame->kind = GRAVEL_FRAME_NOTE;
    note->frame->bytes = sizeof(struct gravel_note_frame);
    return note;
}

void gravel_handover_sent(struct gravel_handover *handover, struct gravel_buffer *buffer)
{
    gravel_fifo_push(&handover->peers[buffer->frame->destination].in_flight, buffer);
    handover->n_in_flight++;
    gravel_counter_add(&handover->n_handed, 1);
}

struct gravel_buffer *gravel_handover_returned(struct gravel_handover *handover)
{
    for (uint32_t i = 0; handover->n_in_flight && i < handover->n_takers; i++) {
        struct gravel_handover_peer *peer = &handover->peers[handover->takers[handover->next]];
        if (peer->in_flight.first &&
            atomic_load_explicit(&peer->its_back->n_back, memory_order_acquire) !=
                peer->n_returned) { /* Y2 */
            peer->n_returned++;
            handover->n_in_flight--;
            return gravel_fifo_pop(&peer->in_flight);
        }
        handover->next = (handover->next + 1) % handover->n_takers;
    }
    return NULL;
}

/* ---- receiver -------------------------------------------------------------------------------- */

bool gravel_handover_is_note(const struct gravel_frame *frame, uint32_t bytes)
{
    return bytes == sizeof(struct gravel_note_frame) && frame->magic == GRAVEL_FRAME_MAGIC &&
           frame->kind == GRAVEL_FRAME_NOTE;
}

struct gravel_frame *gravel_handover_open(struct gravel_handover *handover,
                                          const struct gravel_frame *note, uint32_t source,
                                          uint32_t most_bytes, uint32_t *bytes)
{
    const struct gravel_note_frame *said = (const struct gravel_note_frame *)note;
    struct gravel_handover_peer *peer = &handover->peers[source];
    const bool is_inside =
        said->offset >= GRAVEL_SEGMENT_FRAMES && said->offset < GRAVEL_SEGMENT_BYTES &&
        said->offset % GRAVELP_CACHELINE == 0 && said->bytes >= sizeof(struct gravel_frame) &&
        said->bytes <= most_bytes && said->bytes <= GRAVEL_SEGMENT_BYTES - said->offset;
    if (!peer->view || !is_inside) {
        gravel_fail(GRAVEL_ECORRUPT,
                    "note from node %u: %" PRIu64 " bytes at %" PRIu64 " of its shared memory, %s",
                    source, said->bytes, said->offset,
                    peer->view ? "where no node buffer can be" : "which is not mapped here");
        return NULL;
    }
    handover->at_hand = source;
    *bytes = (uint32_t)said->bytes;
    return (struct gravel_frame *)((unsigned char *)peer->view + said->offset);
}

void gravel_handover_leave(struct gravel_handover *handover, bool is_kept)
{
    if (!is_kept && handover->at_hand != handover->n_nodes)
        gravel_handover_give_back(handover, handover->at_hand);
    handover->at_hand = handover->n_nodes;
}

void gravel_handover_give_back(struct gravel_handover *handover, uint32_t source)
{
    _Atomic uint32_t *n_back = &handover->peers[source].our_back->n_back;
    uint32_t n = atomic_load_explicit(n_back, memory_order_relaxed); /* one writer: this node */
    atomic_store_explicit(n_back, n + 1, memory_order_release);      /* Y1 */
}
