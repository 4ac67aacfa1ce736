/* SPDX-License-Identifier: MIT */
/*
 * The recursions of MIT Cilk: each a program of its own, NAME.c, whose main, report and options these share.
 *
 * Path:    NAME.c defines cilk_program -> cilk.c, which has main -> frame/app.h
 * Owner:   NAME.c has the program's one struct, which begins with a struct cilk.
 * Threads: main's.
 */
#ifndef APPS_CILK_H
#define APPS_CILK_H

#include "frame/app.h"
#include "frame/die.h"

#include <gravel/flow.h>

enum cilk_form_number { CILK_FLOW, CILK_PLAIN };

struct cilk {
    struct options options;
    struct node node;
    uint32_t n;                 /* the argument */
    enum cilk_form_number form; /* --form */
    struct gravel_flow *flow;   /* NULL of form plain */
    uint64_t result;            /* of programs whose result is a number */
    uint64_t expected;          /* what `solve` has found */
};

typedef void cilk_step(void);

/* One way to write the recursion. */
struct cilk_form {
    cilk_step *open; /* build its program; the node is open */
    cilk_step *run;  /* a trial */
};

struct cilk_program {
    const char *name, *unit, *doc;    /* as struct app has them */
    const struct app_option *options; /* of the program's struct */
    struct cilk *cilk;
    cilk_step *open;           /* open the node, and make the input; NULL: there is none */
    struct cilk_form forms[2]; /* as a flow; as kernels that the host launches, or none */
    cilk_step *warm_up;        /* NULL: a trial is the warm-up */
    cilk_step *reset;          /* NULL: the result is a number */
    void (*describe)(struct trials *trials); /* set input and work, add own parameters */
    cilk_step *solve;                        /* by a serial method, which is timed */
    uint64_t (*count_wrong)(void); /* compares with what `solve` has found; NULL as of reset */
    cilk_step *close;              /* NULL: there is nothing to free */
};

/** The program that cilk.c is linked with. */
extern const struct cilk_program cilk_program;

/** Make the program's flow, whose groups are the node's (--group), and build its kernel. */
void cilk_open_flow(const struct gravel_channel_graph *graph, const char *name, const char *source,
                    const char *options, const char *function);

/** Set an argument of its kernel, from 2 on, by value, of the type that the kernel declares. */
#define CILK_SET(index, type, value) \
    TRY(gravel_flow_set_argument(cilk_program.cilk->flow, index, sizeof(type), &(type){value}))

#endif
