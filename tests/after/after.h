/* SPDX-License-Identifier: MIT */
/*
 * What must hold after an error: a row names an object, how its error is made, and what its other calls then do.
 *
 * Path:    after.h -> a file of rows for each object -> main.c, which runs them on each step, on 1 to 3 nodes.
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_AFTER_H
#define GRAVEL_TESTS_AFTER_H

#include "support/bodies.h"

/** Kinds of calls that fail in turn (device/failing_opencl.h): all that a call of the library makes. */
#define AFTER_DRIVER 0x1fu /* of OpenCL */
#define AFTER_MEMORY 0x20u /* of the C library's allocator */

struct after_row {
    const char *object, *error, *holds; /* its name: "object: error: holds" */
    void (*configure)(
        struct gravel_config *config);      /* before the node opens; NULL: a heap of 4 MiB */
    const struct gravel_bindings *bindings; /* NULL: none */
    void (*prepare)(struct gravel *gravel); /* makes the object; NULL: nothing to make */
    int (*act)(struct gravel *gravel);      /* the call that fails. @return its code */
    /** The other calls of the object, to its destroy. @param code  what act returned: with `fails` it may be 0 */
    void (*hold)(struct gravel *gravel, int code);
    unsigned
        fails; /* during act, the 1st, 2nd, ... call of these kinds fails, until act makes no more; 0: none. Not of ranks */
    uint32_t least_nodes; /* the row is for jobs of as many nodes and more; 0: for all */
    const char *step;     /* the row is for this step alone; NULL: for all */
    bool
        is_end; /* the error ends the node: all later calls, and its close, return it. Not of ranks */
};

/** Rows of each object; a row without an object ends them. */
extern const struct after_row accumulator_rows[], mirror_rows[], node_rows[], refused_rows[],
    steal_rows[], flow_rows[], heap_rows[], call_rows[], function_rows[];

/** Whether a call failed, with `part` in gravel_last_error(); else the row fails. */
void after_expect(int code, int expected, const char *part);

/** The program of a source and options, both literals, built once for the nodes that are open and released with them. */
cl_program after_program(struct gravel *gravel, const char *source, const char *options);

/** Limits kernels: to wait for one that does not end takes 0.3 s. Commands that end take a few ms, once they are built. */
void after_limit_kernels(struct gravel_config *config);

/** Sum of n words of all local nodes' parts of an array of uint. */
uint64_t after_sum(struct gravel *gravel, uint64_t offset, uint32_t n);

#endif
