/* SPDX-License-Identifier: MIT */
/*
 * An application's node: Gravel opened with a heap of the right size, one program, and calls that
 * end the process in one line instead of returning an error.
 *
 * Path:    an application -> this -> gravel/gravel.h
 * Owner:   node_open makes what node_close frees, kernels and device arrays too.
 * Threads: main's.
 */
#ifndef APPS_NODE_H
#define APPS_NODE_H

#include "frame/options.h"

#include <gravel/gravel.h>

/* Largest work-group that gravel.cl.h's `_if` forms take without more local memory. */
#define NODE_MAX_GROUP 1024

/* Room for what node_close releases. */
enum { NODE_MOST_ARRAYS = 16, NODE_MOST_KERNELS = 16 };

/* How much a launch sends at most. */
struct node_bound {
    uint64_t n_messages;    /* of a work-item */
    uint32_t message_bytes; /* the widest: 4 for an index and 4 or 8 for a value, 8 an argument */
};

/* A way to send small messages from kernels. */
struct model {
    const char *name;
    const char *aggregation; /* GRAVEL_AGGREGATION */
    const char *prelude;     /* OpenCL C ahead of the application's program */
    uint32_t queue_bytes;    /* of a destination's queue, where the host sends; else 0 */
};

/** The one that is Gravel. */
extern const struct model *const model_gravel;

struct node {
    struct gravel_config config; /* loaded by app_main; node_open adds the heap */
    struct gravel *gravel;
    cl_program program;
    uint32_t group_items;            /* of a work-group: --group; if 0, node_open chooses */
    struct gravel_bindings bindings; /* of gravel_open; the caller's; models call its one handler */
    const struct model *model;       /* set by --model */
    struct coprocessor *coprocessor; /* NULL where Gravel sends */
    bool is_cpu;                     /* its device */
    size_t most_items;               /* of a work-group there */
    uint32_t number;                 /* of this node */
    uint32_t n_nodes;
    uint32_t n_processes; /* n_nodes, or 1 if this process stands for them all (loop-back) */
    uint32_t n_local; /* nodes whose heaps are in this process, from `number` on: 1, or then all */
    cl_mem arrays[NODE_MOST_ARRAYS];
    cl_kernel kernels[NODE_MOST_KERNELS];
    uint32_t n_arrays, n_kernels;
    uint64_t array_bytes; /* of all arrays */
};

/* Before options are parsed and node_open. */
#define NODE_DEFAULT ((struct node){.model = model_gravel, .bindings = GRAVEL_BINDINGS()})

/* --model and --group; the offset is of a struct node. Applications that send under one model alone have the second. */
extern const struct app_option options_of_nodes[];

/** End the process with "program: what Gravel says" if a Gravel call has failed: TRY(gravel_barrier(node->gravel)). */
void node_check(int code);
#define TRY(call) node_check(call)

/** Checks, as node_check, an OpenCL call, whose name `call` begins with. */
void node_check_cl(cl_int error, const char *call);
#define TRY_CL(call) node_check_cl(call, #call)

/** Open the node, with a heap for what the application will allocate unless GRAVEL_HEAP is set, and agree on options. Collective. */
void node_open(struct node *node, uint64_t heap_bytes);

/** End the process, naming `what` and a node, unless all nodes have the same word: a hash of options, or a file's, since
 * node-local copies of a file may differ. Collective. */
void node_agree(struct node *node, const char *what, uint64_t word);

/** Build the node's one program, OpenCL C, which the compiler's messages name. @param options  the compiler's; or NULL. */
void node_build(struct node *node, const char *name, const char *source, const char *options);

/** Make a kernel of the one program, or of another; its argument 0 is set if it is GRAVEL_ARENA. */
#define node_kernel(node, name) node_kernel_of(node, (node)->program, name)
cl_kernel node_kernel_of(struct node *node, cl_program program, const char *name);

struct node_argument {
    size_t bytes;
    const void *value;
};

/** Set arguments of a kernel that follow each other, each of the type that the kernel declares:
 * NODE_SET(kernel, 2, ARRAY(points), ULONG(n), {sizeof problem, &problem}). */
void node_set(cl_kernel kernel, cl_uint index, const struct node_argument *arguments, size_t n);
#define NODE_SET(kernel, index, ...)                                     \
    node_set(kernel, index, (const struct node_argument[]){__VA_ARGS__}, \
             sizeof((const struct node_argument[]){__VA_ARGS__}) / sizeof(struct node_argument))
#define NODE_VALUE(type, value) ((struct node_argument){sizeof(type), &(type){value}})
#define ARRAY(array) NODE_VALUE(cl_mem, array)
#define UINT(number) NODE_VALUE(cl_uint, (cl_uint)(number))
#define ULONG(number) NODE_VALUE(cl_ulong, number)
#define FLOAT(number) NODE_VALUE(cl_float, number)

/** Make a device array [bytes, 0 is allowed] with a copy of `data`, or not filled if that is NULL. _upload: frees it. */
cl_mem node_array(struct node *node, size_t bytes, const void *data);
cl_mem node_upload(struct node *node, size_t bytes, void *data);

/** Set n words of the heap, at each node of this process. */
void node_fill_heaps(struct node *node, uint64_t offset, uint64_t n, cl_uint word);

/** Set the words at the beginning of a device array [bytes], or copy to it, from a byte on, before the kernels launched next;
 * copy it back, after all kernels launched so far. */
void node_fill(struct node *node, cl_mem array, cl_uint word, size_t bytes);
void node_write(struct node *node, cl_mem array, size_t at, size_t bytes, const void *data);
void node_read(struct node *node, cl_mem array, size_t bytes, void *data);

/** Launches `n_items` work-items (0 is allowed) of a kernel that sends within a bound, or dies: groups of group_items, and
 * one smaller group for the rest, so that every work-item of every group has work. Argument 1 of the kernel is `ulong
 * first`: the number of the launch's first work-item. Collective, as under some models its messages are exchanged here. */
void node_send(struct node *node, cl_kernel kernel, uint64_t n_items, struct node_bound bound);

/** As node_send, for a kernel that sends nothing and waits for nothing: whole, also where launches are sliced. A barrier
 * does not wait for it: read what it made, or finish, before another node may rely on it. */
#define node_run(node, kernel, n_items) \
    node_start(node, kernel, 0, n_items, (node)->group_items, true)

/** Start work-items from a number on, argument 1, in groups of a size and one of the rest. @param is_whole  not sliced. */
void node_start(struct node *node, cl_kernel kernel, uint64_t from, uint64_t n_items,
                uint64_t group_items, bool is_whole);

/** Enqueue, whole, a kernel that sends nothing and waits for nothing, in full groups for n_items (0 is allowed); and wait for
 * such kernels. */
void node_enqueue(struct node *node, cl_kernel kernel, size_t n_items, size_t group_items);
#define node_finish(node) TRY_CL(clFinish(gravel_cl_queue((node)->gravel)))

/** Reduce over all nodes: n words in place, or one. Collective. */
void node_reduce(struct node *node, uint32_t operation, uint64_t *words, uint32_t n);
uint64_t node_reduce_word(struct node *node, uint32_t operation, uint64_t value);
#define node_sum(node, value) node_reduce_word(node, GRAVEL_ADD, value)
#define node_most(node, value) node_reduce_word(node, GRAVEL_MAX, value)

/** Close it. Collective. */
void node_close(struct node *node);

/* ---- where the host sends: models/coprocessor.c --------------------------------------------------- */

/** Heap that the host takes to send [bytes]. @param n_local  loop-back nodes; 1 if the process may be one of several. */
uint64_t coprocessor_heap_bytes(uint32_t queue_bytes, uint32_t n_local);

/** Before the program is built. Collective. @param options  [bytes] of the compiler, for the prelude. @return  to be freed. */
struct coprocessor *coprocessor_open(struct node *node, char *options, size_t bytes);

/** Launch n_items work-items, and have what they send applied. Collective. */
void coprocessor_send(struct coprocessor *coprocessor, cl_kernel kernel, uint64_t n_items,
                      struct node_bound bound);

#endif
