/* SPDX-License-Identifier: MIT */
/*
 * The node, buffers and kernels that conformance cases run on, and the lines they print (TAP).
 *
 * Path:    words.c, calls.c and their kind -> stage.c.
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
    bool is_of_singles; /* see stage_read */
    bool is_new;        /* the kernel at hand has not run: see stage_run */
    char why[200];      /* the first difference of the case at hand: stage_differs */
};

/**
 * Opens a node, makes the arrays, allocates the heap, and builds the program from its text: the same on every step, so
 * that a driver that keeps what it compiled (PoCL) compiles a kernel once for all of them. Node 0 goes ahead; the other
 * nodes find it there.
 */
void stage_open(struct stage *stage, const struct gravel_bindings *bindings, uint64_t heap_bytes,
                const char *text);

/**
 * As stage_open. @return false, once the plan says so for all ranks, where the device lacks the step that GRAVEL_STEP names
 *                        or what handlers of the device need; else stage_open ends the program there.
 */
bool stage_open_if_able(struct stage *stage, const struct gravel_bindings *bindings,
                        uint64_t heap_bytes, const char *text);

/** End the program, after a line that tells the limit, if more nodes send than a plan has room for. */
void stage_require_nodes(const struct stage *stage, uint32_t n);

/** An array of a kernel's. It is the caller's. */
cl_mem stage_array(const struct stage *stage, size_t bytes);
void stage_write(const struct stage *stage, cl_mem array, const void *data, size_t bytes);
void stage_read_back(const struct stage *stage, cl_mem array, void *data, size_t bytes);

void stage_set(cl_kernel kernel, cl_uint index, size_t bytes, const void *value);

/** Make the arrays hold a plan; values are packed to `value_bytes` each. */
void stage_load(struct stage *stage, const struct plan *plan, uint32_t value_bytes);

/**
 * Makes the test's kernel of its form, with all arguments but the values set; NULL, and a line that says so, if the
 * device lacks the type.
 */
cl_kernel stage_kernel(struct stage *stage, const struct test_case *test, uint64_t base);

/**
 * Launch the kernel that stage_kernel has made, and wait for the messages of all nodes. The first time node 0 goes
 * ahead of the other nodes: compiling a kernel takes longer than its cases.
 *
 * @return what gravel_launch or gravel_barrier returned.
 */
int stage_run(struct stage *stage, cl_kernel kernel, uint32_t n_items);

/**
 * Reads the suite's arguments: with "singles" stage_operations runs a tenth, in which each operation is, each type and
 * each form. Every kernel is compiled, which takes longer than its cases.
 */
void stage_read(struct stage *stage, int n_arguments, char **arguments);

/** Keeps why a case does not hold. @return false */
bool stage_differs(struct stage *stage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Agree with all nodes whether a case held, count it, and report at node 0, with what stage_differs kept, if it did not. */
bool stage_judge(struct stage *stage, const struct test_case *test, bool holds);

/** Runs a case and judges it: stage_judge. @param kernel  as given. @param context  as well. */
typedef bool stage_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                        void *context);

/**
 * Runs the cases of an operation and form, of every target and activity, and prints their line.
 *
 * @param kernel  released here; NULL: the host sends.
 */
void stage_cases(struct stage *stage, struct test_case test, cl_kernel kernel, stage_case *run,
                 void *context);

/** Runs the cases of n operations in each form from `first` to `last` that the suite takes. */
void stage_operations(struct stage *stage, const struct test_case *operations, size_t n,
                      enum form first, enum form last, stage_case *run, void *context);

/** Print a line: a form of an operation, over its cases. */
void stage_line(struct stage *stage, const char *name, enum form form, unsigned n_cases,
                unsigned n_failed);
void stage_skip(struct stage *stage, const char *name, const char *reason);
/** Prints the plan and the sums, and closes the node. @return what the suite does: 1 if a line failed */
int stage_end(struct stage *stage);

#define WORDS_HEAP_BYTES ((N_WORDS + 2 * N_GUARDS) * 8u)

/** Returns where the words that a case changes lie in the heap [bytes], with guards around them (words.c). */
uint64_t words_offset(const struct stage *stage);

/** Gives every local node its first words, and guards around them. */
void words_prepare(struct stage *stage, const struct test_case *test);

/** Returns whether every local node has the interpreter's words. */
bool words_hold(struct stage *stage, const struct test_case *test);

/** calls.c: active messages. */
void run_calls(struct stage *stage);

/** The handlers of calls.c; their table, the same at every node. */
extern const struct gravel_handler call_handlers[GRAVEL_AM_MAX_ARGS + 1];

#endif
