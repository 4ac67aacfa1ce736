/* SPDX-License-Identifier: MIT */
/*
 * A thing that all nodes make together, of whatever kind. What one node refuses, or cannot make, fails at every node
 * and leaves nothing behind; what has been made guards its part of the heap until all nodes destroy it.
 *
 * Path:    gravel_block_pool_create -> object.h -> agree.c, heap.c; aggregate/guard.h.
 * Owner:   the caller of the call that makes it.
 * Threads: create and destroy are collective; else one at a time for an object.
 */
#ifndef GRAVEL_NODE_OBJECT_H
#define GRAVEL_NODE_OBJECT_H

#include "node/node.h"

struct gravel_object;

/* What a kind does by itself. What fails has set the error's text. */
struct gravel_object_kind {
    const char *name;         /* "mirror", of the calls gravel_mirror_... */
    uint32_t create, destroy; /* enum gravel_call_kind: the calls that make and destroy it */
    size_t bytes;             /* of its structure, which begins with struct gravel_object */
    /* takes over this node's request, and writes to `call` what nodes must have in common */
    int (*check)(struct gravel_object *object, const void *request);
    /* makes the rest; collective: each of its steps fails at all nodes, or the last one does */
    int (*make)(struct gravel_object *object, const void *request);
    void (*free)(
        struct gravel_object *object); /* also a half-made one; NULL: has nothing to free */
};

struct gravel_object {
    const struct gravel_object_kind *kind;
    struct gravel *gravel;
    struct gravel_collective_call call; /* that makes it */
    uint64_t memory, memory_bytes;      /* its part of the heap; 0 bytes: it has none */
    struct gravel_guard guard;          /* of that part */
};

/**
 * Makes an object, or fails at all nodes with what one of them met. Collective.
 *
 * @param out      [out] NULL on failure; NULL itself is refused, at all nodes.
 * @param request  this node's, as the kind's functions take it.
 * @return         0; GRAVEL_EINVAL; GRAVEL_ENOMEM; GRAVEL_EMISMATCH if the calls differ; as the kind's functions.
 */
int gravel_object_create(struct gravel_object **out, struct gravel *gravel,
                         const struct gravel_object_kind *kind, const void *request);

/** Allocates the object's part of the heap, which is freed with the object. Collective. @return as gravel_alloc. */
int gravel_object_alloc(struct gravel_object *object, uint64_t bytes);

/**
 * Destroys an object, behind a barrier. NULL is allowed. Collective.
 *
 * @return  0; as gravel_free. After an error it stays, unless the node has failed.
 */
int gravel_object_destroy(struct gravel_object *object);

#endif
