/* SPDX-License-Identifier: MIT */
/*
 * A problem of bench-flow: its rivals, and its flow.
 *
 * Path:    bench_flow.c -> this -> flow_fib.c, flow_queens.c, flow_sort.c
 * Owner:   the problem's file owns its input and results, as long as the process lives; bench_flow.c the runners.
 * Threads: the main thread calls.
 */
#ifndef GRAVEL_BENCH_FLOW_PROBLEM_H
#define GRAVEL_BENCH_FLOW_PROBLEM_H

#include <sys/types.h>
#include <gravel/flow.h>
#include <stdbool.h>

/* One scheduler's flow, on a node of its own. */
struct flow_runner {
    struct gravel *gravel;
    struct gravel_flow *flow;
    cl_mem arrays[3]; /* NULL where the problem has none */
};

/* Solves the problem of the size that it was opened with. */
typedef void flow_rival(void);

struct flow_problem {
    const char *name, *unit;
    uint32_t n, base; /* if no option says; base is 0 where the problem has none */
    uint32_t most_n;

    /* Take a size, and find the result that all others are compared with. @return  what a run does [units]. */
    double (*open)(uint32_t n, uint32_t base);

    /* Rivals, which leave a result. NULL: the problem has none of the kind. */
    flow_rival *serial, *tbb, *radix;

    /* Create and build the flow, and arrays. @return  0, or the library's error, behind which nothing is left. */
    int (*make)(struct flow_runner *runner);
    /* A run of it. @return  0, or the library's error. */
    int (*call)(const struct flow_runner *runner);

    /* Around each run, outside its time. @param runner  NULL: of a rival. */
    void (*reset)(const struct flow_runner *runner); /* NULL: the input stays as it is */
    bool (*is_right)(const struct flow_runner *runner);
};

extern const struct flow_problem flow_fib, flow_queens, flow_sort;

/** Create and build the flow of a runner. @return 0, or the library's error. */
int flow_runner_build(struct flow_runner *runner, const struct gravel_graph *graph,
                      const char *name, const char *source, const char *options,
                      const char *function);

/**
 * Spawn a root and wait for what it returns.
 *
 * @param to   offset of its slot in the root [bytes].
 * @param sum  [out] as it returns it, a uint.
 * @return     0, or the library's error.
 */
int flow_runner_call(const struct flow_runner *runner, const char *channel, void *root, size_t to,
                     uint64_t *sum);

#endif
