/* SPDX-License-Identifier: MIT */
/*
 * A piece of a node's memory that the other nodes of its machine can map: its node buffers lie there, so that
 * they need no copy.
 *
 *     segment = struct gravel_segment_head | frames, as gravel_segment_take gives them out
 *
 * It has no name and ends with the last process that maps it. Its size is address space: memory is used where
 * frames are written. A peer finds it by a card (process, descriptor, token), which the transport carries; the
 * token shows that it is the one meant, for process numbers mean nothing across containers.
 *
 * Path:    node/open.c makes it, aggregators fill frames in it -> handover.c -> resolver of another node.
 * Owner:   the node; a view belongs to the node that mapped it, and outlives the owner.
 * Threads: create, take and destroy by the thread that opens and closes the node; map and unmap by any.
 */
#ifndef GRAVEL_TRANSPORT_SEGMENT_H
#define GRAVEL_TRANSPORT_SEGMENT_H

#include "layout/base.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GRAVEL_SEGMENT_PEERS 256u /* nodes of one machine that can take frames from a segment */
#define GRAVEL_SEGMENT_FRAMES (UINT64_C(2) << 20) /* [bytes] where frames begin */
#define GRAVEL_SEGMENT_BYTES (GRAVEL_SEGMENT_FRAMES + (UINT64_C(1) << 30)) /* of all of it */

/* Written by one peer only, a line each. */
struct gravel_segment_peer {
    _Alignas(GRAVELP_CACHELINE) _Atomic uint32_t n_back; /* Y1, Y2: frames it is done with; wraps */
};

struct gravel_segment_head {
    uint64_t token[2];
    _Atomic uint64_t outbox; /* Y6: bytes from the start to that of rounds; 0: none */
    struct gravel_segment_peer peers[GRAVEL_SEGMENT_PEERS]; /* by their number on the machine */
};
_Static_assert(sizeof(struct gravel_segment_head) <= GRAVEL_SEGMENT_FRAMES, "frames follow it");

struct gravel_segment {
    struct gravel_segment_head *head; /* the mapping's start */
    int descriptor;
    uint64_t used; /* [bytes] given out, from the mapping's start */
};

/* How to find a segment. All zero: there is none. */
struct gravel_segment_card {
    int64_t process;
    int64_t descriptor;
    uint64_t token[2];
};

/** @return 0; GRAVEL_ENOMEM; GRAVEL_ESYSTEM. */
int gravel_segment_create(struct gravel_segment **out);
/** Frees it; NULL is allowed. Peers may still use its frames, this process may not. */
void gravel_segment_destroy(struct gravel_segment *segment);

/** Takes memory for frames, at a multiple of a page; NULL if there is not so much left, or no segment. */
unsigned char *gravel_segment_take(struct gravel_segment *segment, uint64_t bytes);

/** @param segment  or NULL. */
struct gravel_segment_card gravel_segment_card(const struct gravel_segment *segment);

/**
 * Map another process's segment.
 *
 * @param view  [out] GRAVEL_SEGMENT_BYTES, to read and write.
 * @return      0; GRAVEL_ESYSTEM: not available here, and the text says why.
 */
int gravel_segment_map(const struct gravel_segment_card *card, struct gravel_segment_head **view);
/** Unmaps it; NULL is allowed. */
void gravel_segment_unmap(struct gravel_segment_head *view);

/** Returns the bytes from the start of the segment to a frame; 0 if it lies elsewhere. */
static inline uint64_t gravel_segment_offset(const struct gravel_segment *segment,
                                             const void *frame)
{
    uint64_t offset = segment ? (uintptr_t)frame - (uintptr_t)segment->head : 0;
    return offset < GRAVEL_SEGMENT_BYTES ? offset : 0;
}

#endif
