/* SPDX-License-Identifier: MIT */
/*
 * A mirror: who wants which words, and where they lie while they travel.
 *
 * A node that wants words has a block of them for each owner, its *near* words: copies, or slots. An owner has a block
 * for each node that wants words of it, its *given* words. Words travel from given to near, or from near to given.
 * Where they arrive there are two of each, by the parity of rounds: a node that is ahead sends the next values while
 * another one still reads the last ones.
 *
 * Path:    gravel/mirror.h -> create.c, share.c -> cl/kernels/mirror.cl; gravel_node_put_heap.
 * Owner:   the caller of gravel_mirror_create.
 * Threads: one at a time.
 */
#ifndef GRAVEL_MIRROR_MIRROR_H
#define GRAVEL_MIRROR_MIRROR_H

#include "gravel/mirror.h"
#include "node/object.h"

#define GRAVEL_MIRROR_MOST_WORDS UINT32_MAX /* of a plan, or of those of one owner */

/* Words that one node has for another. */
struct gravel_mirror_block {
    uint64_t n;     /* words */
    uint64_t first; /* number of the block's first word among all here */
    uint64_t there; /* and there, where they arrive or come from */
    uint64_t from;  /* heap offset from which they are sent */
};

/* What nodes want of a local heap's part. */
struct gravel_mirror_owner {
    struct gravel_mirror_block *given; /* [n_nodes] to each node, behind those of `near` */
    uint64_t n_given, n_targets;
    cl_mem lists;   /* see cl/kernels/mirror.cl; a mirror has targets alone, one a given word */
    bool is_packed; /* some block of a mirror's is not in a row in the array */
};

/* How far an exchange has come. share.c changes it. */
enum gravel_mirror_state {
    GRAVEL_MIRROR_ENDED,  /* none is under way */
    GRAVEL_MIRROR_BROKEN, /* gravel_mirror_begin has failed, and sends all again */
    GRAVEL_MIRROR_SENT,   /* slots are to be cleared */
    GRAVEL_MIRROR_BEGUN,
};

struct gravel_mirror {
    struct gravel_object object; /* whose part of the heap has all words */
    uint64_t array;              /* heap offset */
    bool is_read;                /* of copies; else of slots */
    uint32_t type, op;           /* op GRAVEL_PUT of a mirror */
    uint32_t word_bytes;
    struct gravel_mirror_block *near; /* [n_nodes] of each owner, and the owners' */
    uint64_t n_near;
    struct gravel_mirror_owner *owners; /* [n_heaps] of the node */
    uint64_t near_at[2], given_at[2];   /* heap offsets, by parity */
    uint64_t n_shared;                  /* times */
    enum gravel_mirror_state state;
};

/* Its kernels. */
enum { GRAVEL_MIRROR_GATHER, GRAVEL_MIRROR_CLEAR, GRAVEL_MIRROR_COMBINE };

/** Returns the local heap that is this node's own. */
static inline uint32_t gravel_mirror_own_heap(const struct gravel_mirror *mirror)
{
    const struct gravel *gravel = mirror->object.gravel;
    return gravel_node_heap(gravel, gravel->network.transport->node);
}

/** share.c: slots as they begin. @return 0; GRAVEL_ECL. */
int gravel_mirror_clear(struct gravel_mirror *mirror);

#endif
