/* SPDX-License-Identifier: MIT */
/*
 * A thing that all nodes make together, of whatever kind. What one node refuses, or cannot make, fails at every node
 * and leaves nothing behind; what has been made guards its part of the heap, and is flushed before a fence, a quiet or
 * a barrier waits, until all nodes destroy it.
 *
 * Path:    gravel_accumulator_create -> object.h -> agree.c, heap.c, enqueue.c; aggregate/guard.h; waits.c -> object.h.
 * Owner:   the caller of the call that makes it.
 * Threads: create and destroy are collective; flushes: any, one at a time; else one at a time for an object.
 */
#ifndef GRAVEL_NODE_OBJECT_H
#define GRAVEL_NODE_OBJECT_H

#include "node/node.h"
#include "opencl/objects.h"

struct gravel_object;

/* What a kind does by itself. What fails has set the error's text. */
struct gravel_object_kind {
    const char *name;  /* "mirror", of the calls gravel_mirror_... */
    uint32_t destroy;  /* enum gravel_call_kind */
    size_t bytes;      /* of its structure, which begins with struct gravel_object */
    bool changes_heap; /* by its kernels, for which quiet waits then */
    /* takes over this node's request; writes what nodes must have in common to `range.begin` and `call.name` */
    int (*check)(struct gravel_object *object, const void *request);
    /* makes the rest; collective: each of its steps fails at all nodes, or the last one does */
    int (*make)(struct gravel_object *object, const void *request);
    /* sends what waits in it; the node's objects are entered. NULL: nothing waits. @return what the wait returns */
    int (*flush)(struct gravel_object *object);
    /* whether this node lets all nodes destroy it; NULL: they do, behind a barrier */
    int (*check_end)(struct gravel_object *object);
    /* frees what it has except kernels and structure, also half-made; NULL: nothing. @return false: all stays, for the
     * device may still use it */
    bool (*free)(struct gravel_object *object);
};

#define GRAVEL_OBJECT_KERNELS 3u

struct gravel_object {
    const struct gravel_object_kind *kind;
    struct gravel *gravel;
    const char *name;                   /* of the call that makes it */
    struct gravel_collective_call call; /* the same; argument 0 is where the range begins */
    uint64_t memory, memory_bytes;      /* its part of the heap; 0 bytes: it has none */
    struct gravel_guard guard;          /* of that part */
    struct gravel_guard range;          /* of what it is made for; 0 bytes: nothing */
    cl_program program;
    cl_kernel kernels[GRAVEL_OBJECT_KERNELS];
    size_t group;               /* [work-items] of the kernels */
    struct gravel_object *next; /* of the node's */
};

/**
 * Makes an object, or fails at all nodes with what one of them met. Collective.
 *
 * @param out      [out] pointer to what begins with struct gravel_object, NULL on failure; NULL itself is refused, at
 *                 all nodes.
 * @param create   enum gravel_call_kind
 * @param request  this node's, as the kind's functions take it.
 * @return         0; GRAVEL_EINVAL; GRAVEL_ENOMEM; GRAVEL_EMISMATCH if the calls differ; as the kind's functions.
 */
int gravel_object_create(void *out, struct gravel *gravel, uint32_t create,
                         const struct gravel_object_kind *kind, const void *request);

/**
 * Checks the words at `offset` that an object is for.
 *
 * @param combines  whether kernels apply `op` to them, GRAVEL_ADD to GRAVEL_XOR; else they are copied.
 * @return          0; GRAVEL_EINVAL: no such operation or type, or no multiple of its size; GRAVEL_ECAPABILITY.
 */
int gravel_object_check_words(const struct gravel_object *object, bool combines, uint32_t op,
                              uint32_t type, uint64_t offset);

/** @return the bits of what changes no word by an operation that combines, or a put. */
uint64_t gravel_object_neutral(uint32_t op, uint32_t type);

/** Copies to a buffer of the device, and waits. @return 0; GRAVEL_ECL; as gravel_wait_command. */
int gravel_object_write(const struct gravel_object *object, cl_mem buffer, const void *from,
                        uint64_t bytes);

/** Takes the next bytes of a layout, in whole cache lines. @return where they begin */
static inline uint64_t gravel_object_take(uint64_t *end, uint64_t bytes)
{
    const uint64_t at = *end;
    *end += (bytes + GRAVELP_CACHELINE - 1) / GRAVELP_CACHELINE * GRAVELP_CACHELINE;
    return at;
}

/** Allocates the object's part of the heap, instead of the part it has, if any; freed with the object. Collective.
 * @return as gravel_alloc. */
int gravel_object_alloc(struct gravel_object *object, uint64_t bytes);

/**
 * Builds the object's kernels.
 *
 * @param names   [GRAVEL_OBJECT_KERNELS]
 * @param memory  their first argument; NULL: the arena.
 * @return        as gravel_device_build; GRAVEL_ECL.
 */
int gravel_object_build(struct gravel_object *object, const struct gravel_program_request *request,
                        const char *const *names, cl_mem memory);

/**
 * Enqueues one of the object's kernels, a work-item for each of `n_items`, in whole groups. The kernel waits for
 * nothing, so that it is one command on every step.
 *
 * @param arguments  [n] all but the first.
 * @return           as gravel_node_enqueue.
 */
int gravel_object_run(const struct gravel_object *object, uint32_t kernel,
                      const struct gravel_argument *arguments, size_t n, uint64_t n_items);

/** Enqueues it with the arguments of an array. */
#define GRAVEL_OBJECT_RUN(object, kernel, arguments, n_items) \
    gravel_object_run(object, kernel, arguments, sizeof(arguments) / sizeof *(arguments), n_items)

/**
 * Destroys an object, as its kind allows. NULL is allowed. Collective.
 *
 * @return  0; as check_end, or gravel_free. After an error it stays, unless the node has failed.
 */
int gravel_object_destroy(struct gravel_object *object);

/**
 * Refuses a call that waits or sends for an object.
 *
 * @param made  what begins with the struct gravel_object; or NULL
 * @param name  of the call's parameter
 * @return      0; GRAVEL_EINVAL; the node's failure.
 */
int gravel_object_refuse(const void *made, const char *name, const char *call);

/**
 * Enters the node's objects, which no other thread then lists, flushes or frees.
 *
 * @return  0; the node's failure, if a thread that flushes does not come back.
 */
static inline int gravel_objects_enter(struct gravel *gravel)
{
    return gravel_node_lock(gravel, &gravel->objects_lock,
                            "another thread, which flushes accumulators");
}
static inline void gravel_objects_leave(struct gravel *gravel)
{
    pthread_mutex_unlock(&gravel->objects_lock);
}

#endif
