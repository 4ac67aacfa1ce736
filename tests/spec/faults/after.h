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
#define AFTER_ALL (AFTER_DRIVER | AFTER_MEMORY)

struct after_row {
    const char *object; /* a line of output names the row: "object: error: what holds" */
    const char *error;  /* with `fails`: in which call of the library */
    const char *holds;
    void (*configure)(struct gravel_config *config); /* NULL: a heap of 4 MiB */
    const struct gravel_bindings *bindings;          /* NULL: none */
    void (*prepare)(void);                           /* makes the object; NULL: nothing to make */
    int (*act)(void);                                /* the call that fails. @return its code */
    int code;                                        /* that act returns */
    const char *part;   /* of gravel_last_error() there; NULL: hold judges what act returned */
    void (*hold)(void); /* the other calls of the object, to its destroy; NULL: none */
    /** During act, the 1st, 2nd, ... call of these kinds fails, until act makes no more; 0: none. */
    unsigned fails;
    /** With `fails`: without memory at one node, node 1 of ranks, act fails at all; else the row is not of ranks. */
    bool is_of_all;
    bool is_lost;         /* during act the device is, for the test's thread, which ends the node */
    bool is_repeated;     /* with `fails`: act is called again if it failed, and succeeds */
    bool meets_the_end;   /* with `fails`: hold is also of a node that has ended. Else drop is, */
    void (*drop)(void);   /* which frees the object; NULL: nothing is left */
    uint32_t least_nodes; /* the row is for jobs of as many nodes and more; 0: for all */
    const char *step;     /* the row is for this step alone; NULL: for all */
};

/** Rows of each object; a row without an object ends them. */
extern const struct after_row accumulator_rows[], mirror_rows[], steal_rows[], flow_rows[],
    heap_rows[], call_rows[], server_rows[];

extern struct gravel *gravel; /**< the nodes that are open */
extern int acted;             /**< what the row's act returned: with `fails` it may be 0 */

/** The object of the row that runs. */
const char *after_object(void);

/** Whether this process has node 0; where one process is all nodes, it has. */
bool after_is_first(void);

/** Whether this process is all nodes. */
bool after_is_alone(void);

/** Whether a call failed, with `part` in gravel_last_error(); else the row fails. */
void after_expect(int code, int expected, const char *part);

/** The program of a source and options, both literals, built once for the nodes that are open and released with them. */
cl_program after_program(const char *source, const char *options);

/** Limits kernels: to wait for one that does not end takes 0.3 s. Commands that end take a few ms, once they are built. */
void after_limit_kernels(struct gravel_config *config);

/** Makes what is enqueued from now on wait for after_open_gate(), which returns when it has ended. */
void after_close_gate(void);
void after_open_gate(void);

/** Sum of n words of all local nodes' parts of an array of uint. */
uint64_t after_sum(uint64_t offset, uint32_t n);

#endif
