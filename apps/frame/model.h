/* SPDX-License-Identifier: MIT */
/*
 * What an application's node needs to know of a way to send small messages from kernels; apps/models has them all.
 *
 * Path:    --model -> node.c -> this -> apps/models
 * Owner:   the table is constant; what `open` makes, `close` frees.
 * Threads: main's.
 */
#ifndef APPS_MODEL_H
#define APPS_MODEL_H

#include <gravel/gravel.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node;

/* What a launch sends at most. */
struct node_bound {
    uint64_t n_messages;    /* of a work-item; or, if is_of_group, of a whole group to one node */
    uint32_t message_bytes; /* the widest: 4 for an index and 4 or 8 for a value, 8 an argument */
    bool is_of_group;
};

struct model {
    const char *name;
    const char *aggregation; /* GRAVEL_AGGREGATION */
    const char *prelude;     /* OpenCL C ahead of the application's program */
    uint32_t
        queue_bytes; /* of one destination's queue, where the host sends: coprocessor.c; else 0 */
};

/** Heap that the host takes to send [bytes]. @param n_local  loop-back nodes; 1 if the process may be one of several. */
uint64_t coprocessor_heap_bytes(uint32_t queue_bytes, uint32_t n_local);

/** Before the program is built. Collective. @return  to be freed. */
struct coprocessor *coprocessor_open(struct node *node);

/** Write the compiler's options for the prelude. */
void coprocessor_options(const struct coprocessor *coprocessor, char *options, size_t bytes);

/** Launch n_items work-items, and have what they send applied. Collective. */
void coprocessor_send(struct coprocessor *coprocessor, cl_kernel kernel, uint64_t n_items,
                      struct node_bound bound);

/** All, in the order of --model. */
extern const struct model models[];

/** The one that is Gravel. */
extern const struct model *const model_gravel;

#endif
