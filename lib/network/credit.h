/* SPDX-License-Identifier: MIT */
/*
 * Credit for frames of records: of each source at most `window` are unwritten at a node, so the memory of spools is
 * bounded and no frame is refused. A frame beyond that is parked at its sender, behind which other messages pass.
 *
 * A node counts what it has sent to each other, and hears how many of these frames are written there: after each half
 * of a window, and after each frame with questions, by a frame of kind CREDIT. Both sides know the window, so a frame
 * beyond it is noticed; and a node knows whether all that it has asked is answered.
 *
 * Path:    network.c -> credit.c -> network.c; records.c -> credit.c -> a CREDIT frame -> credit.c of the sender.
 * Owner:   parked buffers are the credit's until gravel_credit_take.
 * Threads: the network thread; create and destroy: one that opens and closes the node; n_unanswered: any.
 */
#ifndef GRAVEL_NETWORK_CREDIT_H
#define GRAVEL_NETWORK_CREDIT_H

#include "transport/buffer.h"

#include <stdatomic.h>

/* Between this node and one other. Counts of frames of records, since the node opened. */
struct gravel_credit_side {
    uint64_t n_sent;                     /* to it */
    uint64_t n_written;                  /* of them, those it says it has written */
    struct gravel_buffer *parked, **end; /* for it, oldest first */
    uint64_t n_parked;                   /* of them, now */
    uint64_t n_asking;       /* up to the last one with questions, parked ones included */
    uint64_t n_come;         /* from it */
    uint64_t n_done, n_told; /* of them, those that are written here; and that it has heard of */
    struct gravel_credit_side *next_heard;
    bool is_heard; /* in the list of those whose parked frames may have credit now */
};

struct gravel_credit {
    struct gravel_credit_side *sides; /* [n_nodes] */
    uint32_t n_nodes;
    uint64_t window;                  /* frames */
    struct gravel_credit_side *heard; /* whose parked frames may have credit now */
    uint64_t n_waiting;               /* frames that are parked now */
    uint64_t n_parked; /* so far: the next one's number, which stands in its frame as `sequence` */
    _Atomic uint32_t n_unanswered; /* U10: nodes that have not answered all questions of this one */
};

/**
 * Frames of each source that may be unwritten at a node.
 *
 * @param spool_bytes  that all of a node's may take; 2 frames of each are allowed even if it is less.
 */
uint64_t gravel_credit_window(uint64_t spool_bytes, uint32_t n_nodes);

/** @return 0; GRAVEL_ENOMEM. */
int gravel_credit_create(struct gravel_credit *credit, uint32_t n_nodes, uint64_t window);
/** Parked buffers go home. Allowed if it was never created: zeroed. */
void gravel_credit_destroy(struct gravel_credit *credit);

/* ---- who sends -------------------------------------------------------------------------------- */

/** Whether a frame of records may leave now: it counts as sent then. Else it is parked. @param asks  has questions */
bool gravel_credit_admit(struct gravel_credit *credit, struct gravel_buffer *buffer, bool asks);
/** A parked frame that may leave now, the oldest of its destination; NULL: none. */
struct gravel_buffer *gravel_credit_take(struct gravel_credit *credit);
/** The other node has written so many frames in all. @return false: it cannot have. */
bool gravel_credit_hear(struct gravel_credit *credit, uint32_t node, uint64_t n_written);
/** A frame to a node of this process is written. */
void gravel_credit_written_here(struct gravel_credit *credit, uint32_t node);

/** Mark what has been parked so far; ask whether so much has been sent. */
uint64_t gravel_credit_mark(const struct gravel_credit *credit);
bool gravel_credit_has_passed(const struct gravel_credit *credit, uint64_t mark);

/* ---- who writes ------------------------------------------------------------------------------- */

/** A frame of another process's node has come. @return false: beyond its credit. */
bool gravel_credit_come(struct gravel_credit *credit, uint32_t source);
/**
 * One of them is written, or refused.
 *
 * @param is_awaited  it had questions: the source is to hear now.
 * @return            whether the source is to hear now that n_told frames are.
 */
bool gravel_credit_done(struct gravel_credit *credit, uint32_t source, bool is_awaited);

#endif
