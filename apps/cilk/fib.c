/* SPDX-License-Identifier: MIT */
/*
 * Fibonacci numbers by the recursion: what a task costs, and nothing else.
 *
 * Every node computes the number on its own, every call of the function a task of a flow. The check is the plain
 * recursion in C.
 *
 * Path: cilk.c -> this -> fib.cl
 * Source: Orr 2016, section 4.3 and table 4-3.
 */
#include <sys/types.h>

#include "cilk.h"

#include <gravel/channel.h>

#include "fib.h"

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

/* ---- as a flow ------------------------------------------------------------------------------- */

static void set_up_flow(void)
{
    const struct gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    const struct gravel_channel channels[] = {
        {"fib", sizeof(struct fib), GRAVEL_SPAWN, 0, 2, edges},
        {"sum", sizeof(struct sum), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 2, .depth = own.cilk.n + 1);
    cilk_open_flow(&graph, "fib.cl", fib_cl, own.by_item ? "-DBY_ITEM" : NULL, "fib_flow");
}

static void call(uint32_t n)
{
    struct fib root = {.n = n};
    cl_uint result;
    TRY(gravel_flow_call(own.cilk.flow, "fib", &root, offsetof(struct fib, to), &result,
                         sizeof result));
    own.cilk.result = result;
}

static void run_flow(void)
{
    call(own.cilk.n);
}

/* Runs both nodes, if there are two, so that the clock sees no compiler. */
static void warm_up(void)
{
    call(own.cilk.n < 2 ? own.cilk.n : 2);
}

/* ---- report and check ------------------------------------------------------------------------ */

static uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Counts calls of the function: those that return a number of its own 0 or 1 are one more than the sums. */
static double n_calls(uint32_t n)
{
    double before = 1, at = 1; /* calls of n - 1 and n */
    for (uint32_t i = 1; i < n; i++) {
        double next = before + at + 1;
        before = at;
        at = next;
    }
    return at;
}

static void describe(struct trials *trials)
{
    snprintf(trials->input, sizeof trials->input, "fib(%u)", own.cilk.n);
    trials->work = own.cilk.node.n_processes * n_calls(own.cilk.n);
}

static void solve(void)
{
    own.cilk.expected = fib(own.cilk.n);
}

const struct cilk_program cilk_program = {.name = "fib",
                                          .unit = "calls/s",
                                          .doc = "Compute a Fibonacci number by the recursion, "
                                                 "every call a task of a channel-flow graph.",
                                          .options = options,
                                          .cilk = &own.cilk,
                                          .forms[CILK_FLOW] = {set_up_flow, run_flow},
                                          .warm_up = warm_up,
                                          .describe = describe,
                                          .solve = solve};
