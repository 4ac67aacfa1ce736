/* SPDX-License-Identifier: MIT */
/*
 * Fibonacci numbers by the recursion: what a task costs, and nothing else.
 *
 * Path: cilk.c -> this -> fib.cl
 * Source: Orr 2016, section 4.3 and table 4-3.
 */
#include "cilk.h"

#include <stdio.h>

extern const char fib_cl[];

static struct own {
    struct cilk cilk;
    bool by_item; /* each work-item reserves for itself */
} own = {.cilk = {.n = 30}};

static const struct app_option options[] = {
    {"[N]", OPTION_ARGUMENT, NULL, "Which Fibonacci number (30)",
     OPTION_NUMBER(struct own, cilk.n, 0, 47)},
    {"by-item", 0, NULL, "Each work-item reserves channel elements for itself, not its group",
     OPTION_FLAG(struct own, by_item)},
    {0}};

static void set_up_flow(void)
{
    const struct gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    const struct gravel_channel channels[] = {
        {"fib", sizeof(struct fib), GRAVEL_SPAWN, 0, 2, edges},
        {"sum", sizeof(struct sum), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 2, .depth = own.cilk.n + 1);
    cilk_open_flow(&graph, fib_cl, own.by_item ? "-DBY_ITEM" : NULL);
}

static void run_flow(void)
{
    struct fib root = {.n = own.cilk.n};
    cl_uint result;
    TRY(gravel_flow_call(own.cilk.flow, "fib", &root, offsetof(struct fib, to), &result,
                         sizeof result));
    own.cilk.result = result;
}

static uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Sets the work to the calls of the function: those of n are one more than those of n - 1 and n - 2. */
static void describe(struct trials *trials)
{
    double before = 1, calls = 1; /* of n - 1 and n */
    for (uint32_t n = 2; n <= own.cilk.n; n++) {
        const double next = before + calls + 1;
        before = calls;
        calls = next;
    }
    snprintf(trials->input, sizeof trials->input, "fib(%u)", own.cilk.n);
    trials->work = own.cilk.node.n_processes * calls;
}

static uint64_t check(void)
{
    return own.cilk.result != fib(own.cilk.n);
}

const struct cilk_program cilk_program = {.name = "fib",
                                          .unit = "calls/s",
                                          .doc = "Compute a Fibonacci number by the recursion, "
                                                 "every call a task of a channel-flow graph.",
                                          .options = options,
                                          .cilk = &own.cilk,
                                          .flow = {set_up_flow, run_flow},
                                          .describe = describe,
                                          .check = check};
