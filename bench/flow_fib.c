/* SPDX-License-Identifier: MIT */
/*
 * Fibonacci in bench-flow, by the kernel of apps/fib: a call is a task. See flow_problem.h.
 *
 * Path: bench_flow.c -> this -> apps/fib/fib.cl, flow_tbb.cpp
 */
#include "flow_problem.h"
#include "flow_tbb.h"
#include "fib/fib.h"

extern const char fib_cl[];

static uint32_t number;
static uint64_t result, expected;

static uint64_t fib_of(uint32_t n)
{
    return n < 2 ? n : fib_of(n - 1) + fib_of(n - 2);
}

static void solve_serial(void)
{
    result = fib_of(number);
}

#ifdef BENCH_HAVE_TBB
static void solve_tbb(void)
{
    result = flow_tbb_fib(number);
}
#endif

static double set_up(uint32_t n, uint32_t base)
{
    (void)base;
    number = n;
    expected = fib_of(n);
    return 2 * (double)fib_of(n + 1) - 1; /* calls */
}

static int make(struct flow_runner *runner)
{
    static const struct gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    static const struct gravel_channel channels[] = {
        {"fib", sizeof(struct fib), GRAVEL_SPAWN, 0, 2, edges},
        {"sum", sizeof(struct sum), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 2, .depth = number + 1);
    return flow_runner_build(runner, &graph, "fib.cl", fib_cl, NULL, "fib_flow");
}

static int call(const struct flow_runner *runner)
{
    struct fib root = {.n = number};
    return flow_runner_call(runner, "fib", &root, offsetof(struct fib, to), &result);
}

static bool is_right(const struct flow_runner *runner)
{
    (void)runner;
    return result == expected;
}

const struct flow_problem flow_fib = {.name = "fib",
                                      .unit = "calls/s",
                                      .n = 30,
                                      .most_n = 47,
                                      .open = set_up,
                                      .serial = solve_serial,
#ifdef BENCH_HAVE_TBB
                                      .tbb = solve_tbb,
#endif
                                      .make = make,
                                      .call = call,
                                      .is_right = is_right};
