/* SPDX-License-Identifier: MIT */
/*
 * Held channels: elements of a grid that wait for their neighbours, by every form of the calls; elements that are read
 * after their round; and what the calls may not do.
 *
 * Path: meson test -> this -> cl/flow.cl.h, lib/flow
 */
#include "expect.h"

#include <gravel/flow.h>

#include <string.h>

#define GROUP_ITEMS 7u
#define SIDE 4u /* of a grid, there too */
#define N_CELLS (SIDE * SIDE)
#define WIDTH 64u

enum form { BY_WI, BY_WG, LINE, N_FORMS };
/* As in kernels/flow_held.cl. */
enum fault { NONE, KEEP, FREE_TWICE, EARLY, ARRIVE_TWICE, MANY, JOINS, HUGE_WG, HUGE_WI, HUGE_SUM };

extern const char flow_held_cl[]; /* kernels/flow_held.cl */

struct grid {
    cl_uint number, form;
};
struct out {
    cl_uint number, at, value;
};

static const struct gravel_edge grid_edges[] = {{"cell", N_CELLS}};
static const struct gravel_edge cell_edges[] = {{"out", 1}};
static const struct gravel_channel channels[] = {
    {"grid", sizeof(struct grid), GRAVEL_STREAM, 64, 1, grid_edges},
    {"cell", 32, GRAVEL_HELD, WIDTH, 1, cell_edges},
    {"out", sizeof(struct out), GRAVEL_OUTPUT, 1024, 0, NULL}};

static struct gravel *gravel;
static struct gravel_flow *held;

static struct gravel_flow *make(void)
{
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 3, .group_items = GROUP_ITEMS);
    struct gravel_flow *flow;
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_flow_build(flow, "held.cl", flow_held_cl, NULL, "held"));
    return flow;
}

static void set_fault(struct gravel_flow *flow, enum fault fault)
{
    const cl_uint number = fault;
    OK(gravel_flow_set_argument(flow, 2, sizeof number, &number));
}

static void open_all(void)
{
    gravel = open_loopback(1, NULL);
    held = make();
}

static void close_all(void)
{
    OK(gravel_flow_destroy(held));
    OK(gravel_close(gravel));
}

/* A binomial coefficient, or the sum of a line up to a cell. */
static cl_uint expected_value(enum form form, uint32_t at)
{
    cl_uint paths[SIDE][SIDE];
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++)
            paths[i][j] = i && j ? paths[i - 1][j] + paths[i][j - 1] : 1;
    return form == LINE ? at * (at + 1) / 2 : paths[at / SIDE][at % SIDE];
}

static void push_grids(struct gravel_flow *flow, uint32_t n, enum form form)
{
    struct grid grids[64];
    for (uint32_t i = 0; i < n; i++)
        grids[i] = (struct grid){i, form == N_FORMS ? i % N_FORMS : form};
    OK(gravel_flow_push(flow, "grid", grids, n));
}

/* Each cell of n grids comes out once, with its value. */
static void expect_grids(struct gravel_flow *flow, uint32_t n, enum form form)
{
    static struct out cells[1024];
    static bool seen[1024];
    uint32_t n_taken;
    memset(seen, 0, sizeof seen);
    OK(gravel_flow_take(flow, "out", cells, 1024, &n_taken));
    assert_int_equal(n_taken, n * N_CELLS);
    for (uint32_t i = 0; i < n_taken; i++) {
        const struct out *cell = &cells[i];
        assert_in_range(cell->number, 0, n - 1);
        assert_in_range(cell->at, 0, N_CELLS - 1);
        assert_false(seen[cell->number * N_CELLS + cell->at]);
        seen[cell->number * N_CELLS + cell->at] = true;
        assert_int_equal(
            cell->value,
            expected_value(form == N_FORMS ? (enum form)(cell->number % N_FORMS) : form, cell->at));
    }
}

/* More cells than the channel has room for, so that its columns are used again and again. */
TEST(cells_run_when_their_neighbours_have)
{
    uint32_t width, peak;
    set_fault(held, NONE);
    for (enum form form = 0; form <= N_FORMS; form++)
        for (uint32_t n = 1; n <= 41; n += 20) {
            push_grids(held, n, form);
            OK(gravel_flow_run(held));
            expect_grids(held, n, form);
        }
    OK(gravel_flow_channel_read(held, "cell", &width, &peak));
    assert_int_equal(width, WIDTH);
    assert_int_equal(peak, WIDTH);
}

TEST(held_channel_takes_nothing_from_the_host)
{
    const cl_uint cell[8] = {0};
    expect_error(gravel_flow_push(held, "cell", cell, 1), GRAVEL_EINVAL, "'cell' is held");
    expect_error(gravel_flow_post(held, "cell", cell, 1), GRAVEL_EINVAL, "'cell' is held");
}

TEST(broken_rule_ends_the_run_with_its_name)
{
    static const struct {
        enum fault fault;
        const char *text;
    } cases[] = {
        /* cells that are kept leave no room for those of another grid */
        {KEEP, "grid, level 0: 1 of 64\ncell, level 0: 64 of 64: 0 wait for arrivals, 0 are "
               "enqueued, 64 have been processed and not freed"},
        {FREE_TWICE, "node 'cell', level 0: gravel_tfree of an element of channel 'cell' that has "
                     "been freed"},
        {EARLY, "node 'cell', level 0: gravel_tfree of an element of channel 'cell' that waits "
                "for 2 arrivals"},
        {ARRIVE_TWICE,
         "node 'cell', level 0: an arrival at an element of channel 'cell' that waits for no more"},
        {MANY, "node 'grid', level 0: 1 elements made at least 16 of channel 'cell' more than the "
               "16 each"},
        {JOINS,
         "node 'grid', level 0: gravel_hold of channel 'cell' with 16777215 joins; an element "
         "waits for at most 16777214 arrivals"},
        {HUGE_WG,
         "node 'grid', level 0: a work-item asks for 2147483680 elements of channel 'cell' "
         "in a call of its group, which reserves at most 268435455 for each"}, /* 2^31 / 8 lanes - 1 */
        {HUGE_WI,
         "node 'grid', level 0: 4 elements made at least 2147483616 of channel 'cell' more "
         "than the 16 each"},
        {HUGE_SUM,
         "node 'grid', level 0: a work-item asks for 1073741824 elements of channel 'cell' "
         "in a call of its group"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gravel_flow *flow = make();
        set_fault(flow, cases[i].fault);
        const int code = cases[i].fault == KEEP ? GRAVEL_ESTUCK : GRAVEL_EKERNEL;
        push_grids(flow, cases[i].fault == KEEP ? 5 : cases[i].fault >= HUGE_WG ? 4 : 1, BY_WG);
        expect_error(gravel_flow_run(flow), code, cases[i].text);
        expect_error(gravel_flow_run(flow), code, code == GRAVEL_ESTUCK ? "" : "failed before");
        OK(gravel_flow_destroy(flow));
    }
    expect_works(gravel);
}

const struct fixture fixture = {.open = open_all, .close = close_all};
