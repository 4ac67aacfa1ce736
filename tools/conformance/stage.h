/* SPDX-License-Identifier: MIT */
/*
 * The node, buffers and kernels that conformance cases run on, and the lines they print (TAP).
 *
 * Path:    words.c, calls.c and their kind -> stage.c.
 * Threads: main's, except stage_differs.
 */
#ifndef TOOLS_CONFORMANCE_STAGE_H
#define TOOLS_CONFORMANCE_STAGE_H

#include "plan.h"

struct stage {
    struct gravel *gravel;
    cl_program program;
    cl_mem active, nodes, indices, values; /* [N_ITEMS] each, what the kernel at hand sends */
    uint64_t heap; /* offset of N_GUARDS | N_WORDS | N_GUARDS words of 8 bytes */
    uint32_t node, n_nodes, n_origins;
    unsigned n_lines, n_cases, n_failed_lines;
    bool waits;         /* kernels may, on this step */
    bool is_of_singles; /* see suite_run */
    bool is_new;        /* the kernel at hand has not run: see stage_run */
    struct plan plan;   /* this node's messages of the case at hand: stage_cases */
    char why[200];      /* the first difference of the case at hand, or "": stage_differs */
};

/** Ends the program, with the limit, if more nodes send than a plan has room for. */
void stage_require_nodes(const struct stage *stage, uint32_t n);

/** Returns an array for a kernel's argument; the caller's. */
cl_mem stage_array(const struct stage *stage, size_t bytes);
void stage_write(const struct stage *stage, cl_mem array, const void *data, size_t bytes);
void stage_read_back(const struct stage *stage, cl_mem array, void *data, size_t bytes);

void stage_set(cl_kernel kernel, cl_uint index, size_t bytes, const void *value);

/**
 * Makes a kernel of a form, its arena set; the caller's. @return NULL, after a line that says so, if the device lacks the
 *                                                         type.
 */
cl_kernel stage_kernel(struct stage *stage, const char *name, enum form form);

/** Makes the arrays hold a plan; values are packed to `value_bytes` each. */
void stage_load(struct stage *stage, const struct plan *plan, uint32_t value_bytes);

/**
 * Launches the kernel that stage_kernel has made, and waits for the messages of all nodes. The first time node 0 goes
 * ahead of the other nodes: compiling a kernel takes longer than its cases.
 *
 * @return what gravel_launch or gravel_barrier returned.
 */
int stage_run(struct stage *stage, cl_kernel kernel, uint32_t n_items);

/** Keeps why a case does not hold, if it is the case's first difference. Any thread. @return false */
bool stage_differs(struct stage *stage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Compares bytes in words of `word_bytes`; stage_differs with `what` and the first word that differs. */
bool stage_same(struct stage *stage, const void *found, const void *expected, size_t bytes,
                uint32_t word_bytes, const char *what);

/** Compares, as stage_same, a part of a local node's heap. */
bool stage_heap_is(struct stage *stage, uint32_t node, uint64_t at, const void *expected,
                   size_t bytes, uint32_t word_bytes, const char *what);

/** Agrees with all nodes whether a case held, counts it, and reports what stage_differs kept if it did not here. */
bool stage_judge(struct stage *stage, const char *name, bool holds);

/** Runs the case whose messages are in stage->plan. @param kernel  NULL: the host sends. @return whether it holds here */
typedef bool stage_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                        void *context);

/**
 * Runs the cases of an operation and form, of every target and activity, and prints their line.
 *
 * @param base  the kernel's first argument, a heap offset; then the arrays follow.
 */
void stage_cases(struct stage *stage, struct test_case test, uint64_t base, stage_case *run,
                 void *context);

/** Runs the cases of n operations in each form from `first` to `last` that the suite takes. */
void stage_operations(struct stage *stage, const struct test_case *operations, size_t n,
                      enum form first, enum form last, stage_case *run, void *context);

/** Prints a line: a form of an operation, over its cases. */
void stage_line(struct stage *stage, const char *name, enum form form, unsigned n_cases,
                unsigned n_failed);

#define WORDS_HEAP_BYTES ((N_WORDS + 2 * N_GUARDS) * 8u)

/** Returns where the words that a case changes lie in the heap [bytes], with guards around them (words.c). */
uint64_t words_offset(const struct stage *stage);

/** Gives every local node its first words, and guards around them, and the arrays a plan, its values packed. */
void words_prepare(struct stage *stage, const struct test_case *test, const struct plan *plan);

/** Returns whether every local node has the interpreter's words. */
bool words_hold(struct stage *stage, const struct test_case *test);

/** calls.c: active messages. */
void run_calls(struct stage *stage);

/** The handlers of calls.c; their table, the same at every node. */
extern const struct gravel_handler call_handlers[GRAVEL_AM_MAX_ARGS + 1];

#endif
