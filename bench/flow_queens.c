/* SPDX-License-Identifier: MIT */
/*
 * Queens in bench-flow, by the kernel of apps/queens: a board is a task but for its last rows. See flow_problem.h.
 *
 * Path: bench_flow.c -> this -> apps/queens/queens.cl, flow_tbb.cpp
 */
#include "flow_problem.h"
#include "flow_tbb.h"
#include "queens/queens.h"

#include <stdio.h>

extern const char queens_cl[];

static uint32_t side, base_rows;
static uint64_t result, expected;

static uint32_t full_row(void)
{
    return (UINT32_C(1) << side) - 1;
}

static uint64_t solutions(uint32_t columns, uint32_t left, uint32_t right)
{
    uint64_t n = 0;
    if (columns == full_row())
        return 1;
    for (uint32_t places = full_row() & ~(columns | left | right); places; places &= places - 1) {
        uint32_t place = places & -places;
        n += solutions(columns | place, (left | place) << 1, (right | place) >> 1);
    }
    return n;
}

static void solve_serial(void)
{
    result = solutions(0, 0, 0);
}

#ifdef BENCH_HAVE_TBB
static void solve_tbb(void)
{
    result = flow_tbb_queens(side, base_rows);
}
#endif

static double set_up(uint32_t n, uint32_t base)
{
    side = n;
    base_rows = base;
    expected = solutions(0, 0, 0);
    return (double)expected;
}

static int make(struct flow_runner *runner)
{
    const uint32_t full = full_row();
    const struct gravel_edge edges[] = {{"queens", side}, {"solve", side}, {"total", 1}};
    const struct gravel_channel channels[] = {
        {"queens", sizeof(struct queens), GRAVEL_SPAWN, 0, 3, edges},
        {"solve", sizeof(struct solve), GRAVEL_SPAWN, 0, 0, NULL},
        {"total", sizeof(struct total), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 3, .depth = side - base_rows + 1);
    char options[64];
    snprintf(options, sizeof options, "-DQUEENS_BASE=%u -DQUEENS_DEAL=0u", base_rows);
    int code = flow_runner_build(runner, &graph, "queens.cl", queens_cl, options, "queens_flow");
    if (!code)
        code = gravel_flow_set_argument(runner->flow, 2, sizeof full, &full);
    return code ? code : gravel_flow_set_argument(runner->flow, 3, sizeof full, &full);
}

static int call(const struct flow_runner *runner)
{
    struct queens root = {0};
    return flow_runner_call(runner, "queens", &root, offsetof(struct queens, to), &result);
}

static bool is_right(const struct flow_runner *runner)
{
    (void)runner;
    return result == expected;
}

const struct flow_problem flow_queens = {.name = "queens",
                                         .unit = "solutions/s",
                                         .n = 12,
                                         .base = 4,
                                         .most_n = 18,
                                         .open = set_up,
                                         .serial = solve_serial,
#ifdef BENCH_HAVE_TBB
                                         .tbb = solve_tbb,
#endif
                                         .make = make,
                                         .call = call,
                                         .is_right = is_right};
