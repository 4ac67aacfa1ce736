/* SPDX-License-Identifier: MIT */
/*
 * Frames between nodes of one machine stay where they are: a note says where in the sender's segment a frame
 * lies, the receiver resolves it there, and counts in the sender's segment that it is done with it.
 *
 * A *note* is a small frame. It is sent among all others, so it keeps a frame's position in their order. A
 * peer is done with frames in the order of their notes, so a count is all that comes back.
 *
 * Path:    sender.c -> transport -> handover.c (note) -> transport of another node -> handover.c (the frame) ->
 *          resolver.
 * Owner:   a frame handed over is the receiver's, to change as well, until it counts; then the sender's again.
 * Threads: the network thread.
 * Note:    a note is checked as any input is. What a frame holds is checked where it lies, so a process of this
 *          machine that still writes to frames it has handed over harms its receiver.
 */
#ifndef GRAVEL_TRANSPORT_HANDOVER_H
#define GRAVEL_TRANSPORT_HANDOVER_H

#include "transport/frames.h"
#include "transport/list.h"
#include "transport/segment.h"

/* MPI copies shorter frames as fast as it carries notes of them (measured). */
#define GRAVEL_HANDOVER_LEAST_BYTES 4096u

/* Between this node and one other of its machine. */
struct gravel_handover_peer {
    bool takes;                                 /* it has mapped our segment */
    struct gravel_fifo in_flight;               /* buffers it has */
    const struct gravel_segment_peer *its_back; /* in our segment: frames it is done with */
    uint32_t n_returned;                        /* of those, frames whose buffers are returned */

    struct gravel_segment_head *view;     /* its segment; NULL: not mapped */
    struct gravel_segment_peer *our_back; /* there: frames of its we are done with */
};

struct gravel_handover {
    struct gravel_segment *segment;        /* ours; NULL: nothing is handed over */
    struct gravel_handover_peer *peers;    /* [n_nodes]; NULL before gravel_handover_create */
    uint32_t takers[GRAVEL_SEGMENT_PEERS]; /* [n_takers] nodes that take: others have no buffers */
    uint32_t n_nodes, n_takers;
    unsigned char *views[GRAVEL_SEGMENT_PEERS]; /* [n_views] frames of segments mapped here */
    uint32_t n_views;
    char why_not[160]; /* "of node 3 (...)", the first whose segment cannot be mapped; or empty */
    uint32_t n_in_flight;      /* buffers that peers have */
    uint32_t next;             /* of the takers, whose buffers are read first */
    uint32_t at_hand;          /* node whose frame is at hand; n_nodes: none */
    _Atomic uint64_t n_handed; /* buffers handed over. A counter: relaxed */
};

/** @return 0; GRAVEL_ENOMEM. */
int gravel_handover_create(struct gravel_handover *handover, struct gravel_segment *segment,
                           uint32_t n_nodes);
/** Unmaps views; buffers that peers still have stay where they are. Allowed if it was never created. */
void gravel_handover_destroy(struct gravel_handover *handover);

/** Map another node's segment, in which this node has number `local`, until destroy. @return whether it could be. */
bool gravel_handover_take_from(struct gravel_handover *handover, uint32_t node, uint32_t local,
                               const struct gravel_segment_card *card);
/** Notes that another node, number `local` of the machine, has mapped ours. */
void gravel_handover_give_to(struct gravel_handover *handover, uint32_t node, uint32_t local);

/** Returns whether this buffer's frame can be handed to its destination, and is worth it. */
bool gravel_handover_suits(const struct gravel_handover *handover,
                           const struct gravel_buffer *buffer);
/** Makes the note to send instead of such a buffer; NULL without memory. It is freed when it has been sent. */
struct gravel_buffer *gravel_handover_note(const struct gravel_handover *handover,
                                           const struct gravel_buffer *buffer);
/** Lists a buffer, whose note is sent, as in flight. */
void gravel_handover_sent(struct gravel_handover *handover, struct gravel_buffer *buffer);
/** Takes a buffer that its receiver is done with. @return NULL if there is none. */
struct gravel_buffer *gravel_handover_returned(struct gravel_handover *handover);

/** Returns whether what has arrived is a note. */
bool gravel_handover_is_note(const struct gravel_frame *frame, uint32_t bytes);
/**
 * Finds the frame that a note from `source` names. It is at hand until gravel_handover_leave.
 *
 * @param most_bytes  longest frame there may be.
 * @param bytes       [out] its length, as the note says.
 * @return            NULL if the note cannot be right, and the error's text says why.
 */
struct gravel_frame *gravel_handover_open(struct gravel_handover *handover,
                                          const struct gravel_frame *note, uint32_t source,
                                          uint32_t most_bytes, uint32_t *bytes);
/** Give the frame at hand back, if there is one; or keep it until gravel_handover_give_back. */
void gravel_handover_leave(struct gravel_handover *handover, bool is_kept);
/** Give the oldest frame back that was kept, or is at hand, from this node. */
void gravel_handover_give_back(struct gravel_handover *handover, uint32_t source);

#endif
