/* SPDX-License-Identifier: MIT */
/*
 * A mirror: who wants which words, and where they lie while they travel.
 *
 * A node that wants words has a block of them for each owner, its *near* words: copies, or slots. An owner has a block
 * for each node that wants words of it, its *given* words. Words travel from given to near, or from near to given.
 * Where they arrive there are two of each, used in turn: a node that is ahead sends the next values while another one
 * still reads the last ones.
 *
 * Path:    gravel/mirror.h -> create.c (plan.c, order.c), share.c -> cl/kernels/mirror.cl; gravel_node_put_heap.
 * Owner:   the caller of gravel_mirror_create.
 * Threads: one at a time.
 */
#ifndef GRAVEL_MIRROR_MIRROR_H
#define GRAVEL_MIRROR_MIRROR_H

#include "gravel/mirror.h"
#include "node/node.h"

#define GRAVEL_MIRROR_MOST_WORDS UINT32_MAX /* of a plan, or of those of one owner */

/* Words that one node has for another. */
struct gravel_mirror_block {
    uint64_t n;     /* words */
    uint64_t first; /* number of the block's first word among all here */
    uint64_t there; /* and there, where they arrive or come from */
};

/* What nodes want of a local heap's part. */
struct gravel_mirror_owner {
    struct gravel_mirror_block *given; /* [n_nodes] to each node */
    uint64_t n_given;
    uint32_t *indices; /* [n_given] until the device has them */
    uint64_t n_targets;
    cl_mem targets, starts,
        places; /* see cl/kernels/mirror.cl; a mirror has targets alone, one a given word */
};

/* How far an exchange has come. share.c changes it. */
enum gravel_mirror_state {
    GRAVEL_MIRROR_ENDED,  /* none is under way */
    GRAVEL_MIRROR_BROKEN, /* gravel_mirror_begin has failed, and sends all again */
    GRAVEL_MIRROR_SENT,   /* slots are to be cleared */
    GRAVEL_MIRROR_BEGUN,
};

struct gravel_mirror {
    struct gravel *gravel;
    const char *call;  /* that made it, for errors */
    uint64_t array;    /* heap offset */
    bool is_read;      /* of copies; else of slots */
    uint32_t type, op; /* op GRAVEL_PUT of a mirror */
    uint32_t word_bytes;
    struct gravel_mirror_block *near; /* [n_nodes] of each owner */
    uint64_t n_near;
    struct gravel_mirror_owner *owners; /* [gravel->n_heaps] */
    uint64_t memory;                    /* heap offset of all words; 0 bytes: none */
    uint64_t memory_bytes;
    struct gravel_guard guards[2];    /* of the array, and of that memory */
    uint64_t near_at[2], given_at[2]; /* heap offsets, in turn */
    uint64_t n_shared;                /* times */
    enum gravel_mirror_state state;
    cl_program program;
    cl_kernel gather, clear, combine;
    size_t group; /* [work-items] */
};

/** Which node a local heap is of. */
static inline uint32_t gravel_mirror_owner_node(const struct gravel_mirror *mirror, uint32_t heap)
{
    const struct gravel_transport *transport = mirror->gravel->network.transport;
    return transport->is_loopback ? heap : transport->node;
}

/** Which local heap is this node's own. */
static inline uint32_t gravel_mirror_own_heap(const struct gravel_mirror *mirror)
{
    const struct gravel_transport *transport = mirror->gravel->network.transport;
    return transport->is_loopback ? transport->node : 0;
}

/**
 * plan.c: every owner learns what is wanted of it, and the heap gets room for it. Collective.
 *
 * @return  0; GRAVEL_ENOMEM; GRAVEL_ERANGE: more words than an owner can count; as gravel_alloc.
 */
int gravel_mirror_exchange(struct gravel_mirror *mirror, const struct gravel_words *words);

/** Which call makes it. */
static inline uint32_t gravel_mirror_call(bool is_read)
{
    return is_read ? GRAVEL_CALL_MIRROR : GRAVEL_CALL_SLOTS;
}

/** All nodes succeed or none. Collective. @param code  of this node. @return 0; what one of them met. */
static inline int gravel_mirror_agree(const struct gravel_mirror *mirror, int code)
{
    return gravel_node_agree_on_code(mirror->gravel, gravel_mirror_call(mirror->is_read),
                                     mirror->call, code);
}

/** share.c: slots as they begin. @return 0; GRAVEL_ECL. */
int gravel_mirror_clear(struct gravel_mirror *mirror);

/** An index of a list, and its place there. */
struct gravel_mirror_item {
    uint32_t index, place;
};

/**
 * order.c: sort by index, those of one index by place. Fast where the list is made of few ascending stretches.
 *
 * @param items    [n] sorted on return, in either array.
 * @param scratch  [n]
 * @return         the array that has them.
 */
struct gravel_mirror_item *gravel_mirror_sort(struct gravel_mirror_item *items,
                                              struct gravel_mirror_item *scratch, uint64_t n);

#endif
