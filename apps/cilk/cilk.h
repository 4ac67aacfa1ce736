/* SPDX-License-Identifier: MIT */
/*
 * The recursions of MIT Cilk: each a program of its own, NAME.c, whose main, report and options these share.
 *
 * Path:    NAME.c defines cilk_program -> cilk.c, which has main -> frame/app.h
 * Owner:   NAME.c has the program's one struct, which begins with a struct cilk.
 */
#ifndef APPS_CILK_H
#define APPS_CILK_H

#include <sys/types.h>

#include "frame/app.h"

#include <gravel/channel.h>
#include <gravel/flow.h>

#include "records.h"

struct cilk {
    struct options options;
    struct node node;
    uint32_t n;               /* the argument */
    uint32_t base;            /* --base, of a program that has it */
    uint32_t form;            /* --form: flow or plain */
    struct gravel_flow *flow; /* NULL of form plain */
    uint64_t result;          /* of programs whose result is a number */
};

/* A way to write the recursion. */
struct cilk_form {
    void (*open)(void); /* build its program; the node is open */
    void (*run)(void);  /* a trial */
};

struct cilk_program {
    const char *name, *unit, *doc;    /* as struct app has them */
    const struct app_option *options; /* of the program's struct */
    struct cilk *cilk;
    void (*open)(void);           /* open the node, and make the input; NULL: there is none */
    struct cilk_form flow, plain; /* tasks; kernels that the host launches, or none */
    void (*reset)(void);          /* before a trial; NULL: the result is a number */
    void (*describe)(struct trials *trials); /* set input and work */
    uint64_t (*check)(void); /* by a serial method, which is timed. @return what is wrong [count] */
};

/** The program that cilk.c is linked with. */
extern const struct cilk_program cilk_program;

/** Make the program's flow, whose groups are the node's (--group), and build its kernel, NAME_flow of NAME.cl. */
void cilk_open_flow(const struct gravel_channel_graph *graph, const char *source,
                    const char *options);

/** Set an argument of its kernel, from 2 on, by value, of the type that the kernel declares. */
#define CILK_SET(index, type, value) \
    TRY(gravel_flow_set_argument(cilk_program.cilk->flow, index, sizeof(type), &(type){value}))

#endif
