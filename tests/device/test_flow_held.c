/* SPDX-License-Identifier: MIT */
/*
 * Held channels: elements of a grid that wait for their neighbours, by every form of the calls; elements that are read
 * after their round; and what the calls may not do.
 *
 * Path: meson test -> this -> cl/flow.cl.h, cl/device/held.cl.h, lib/flow
 */
#include "expect.h"

#include <gravel/flow.h>

#include <string.h>

#define GROUP_ITEMS 7u
#define SIDE 4u /* of a grid */
#define N_CELLS (SIDE * SIDE)
#define WIDTH 64u

enum form { BY_WI, BY_WG, LINE, N_FORMS };
enum fault {
    NONE,
    KEEP,
    FREE_TWICE,
    FREE_EARLY,
    ARRIVE_TWICE,
    MANY,
    JOINS,
    HUGE_WG,
    HUGE_WI,
    HUGE_SUM
};

/*
 * grid: makes SIDE x SIDE cells, or a line of so many. cell: the sum of what its left and upper neighbours have, and 1 at
 * the edges; it gives that to its right and lower neighbours, and frees itself. In a line it reads the cell to its left,
 * which it frees, and its own `value` is what the next one reads.
 */
static const char held_cl[] =
    "#include \"gravel.cl.h\"\n"
    "struct grid { uint number, form; };\n"
    "struct cell { uint number, form, at, first; ulong left; uint up, value; };\n"
    "struct out { uint number, at, value; };\n"
    "GRAVEL_RECORD(grid)\n"
    "GRAVEL_RECORD(cell)\n"
    "GRAVEL_RECORD(out)\n"
    "#define CELL GRAVEL_CHANNEL(cell)\n"
    "uint joins_of(uint form, uint at)\n"
    "{\n"
    "    return form == 2 ? at != 0 : (at % SIDE != 0) + (at / SIDE != 0);\n"
    "}\n"
    "void grid_task(struct gravel_flow_group f, uint active, struct grid it, uint fault)\n"
    "{\n"
    "    uint n = fault == MANY ? 2 * SIDE * SIDE : SIDE * SIDE, by_item = active && it.form == "
    "0;\n"
    "    if (fault == HUGE_WI && active)\n"
    "        gravel_talloc_wi(f, CELL, 0x80000020u);\n"
    "    uint huge = fault == HUGE_WG ? 0x80000020u : 1u << 30;\n"
    "    gravel_talloc_wg_if(f, active && (fault == HUGE_WG || fault == HUGE_SUM), CELL, huge);\n"
    "    gravel_enq_wg(f, CELL);\n"
    "    gravel_ce first = gravel_talloc_wg_if(f, active && !by_item, CELL, n);\n"
    "    for (uint at = 0; at < n; at++)\n"
    "        gravel_hold_cell_wg_if(f, active && !by_item, first + at, joins_of(it.form, at),\n"
    "                               (struct cell){it.number, it.form, at, first, 0, 0, 0});\n"
    "    gravel_enq_wg(f, CELL);\n"
    "    if (fault == JOINS && active)\n"
    "        gravel_hold_cell_wi(f, first + 1, GRAVEL_MOST_JOINS + 1, (struct cell){0});\n"
    "    gravel_barrier_wg(f.group);\n"
    "    if (by_item) {\n"
    "        first = gravel_talloc_wi(f, CELL, n);\n"
    "        for (uint at = 0; at < n; at++)\n"
    "            gravel_hold_cell_wi(f, first + at, joins_of(it.form, at),\n"
    "                                (struct cell){it.number, it.form, at, first, 0, 0, 0});\n"
    "        gravel_enq_wi(f, CELL);\n"
    "    }\n"
    "    gravel_barrier_wg(f.group);\n"
    "}\n"
    "void cell_task(struct gravel_flow_group f, uint active, struct cell it, uint fault)\n"
    "{\n"
    "    gravel_ce own = gravel_deq_wi(f, CELL);\n"
    "    uint is_line = active && it.form == 2, is_grid = active && !is_line, by_item = active && "
    "it.form == 0;\n"
    "    uint is_left = it.at % SIDE == 0, is_top = it.at / SIDE == 0;\n"
    "    uint is_last = it.at == SIDE * SIDE - 1, gives_right = it.at % SIDE != SIDE - 1, "
    "gives_down = it.at / SIDE != SIDE - 1;\n"
    "    uint before = is_line && it.at ? gravel_peek_cell_wi(f, own - 1).value : 0;\n"
    "    uint value = is_line ? before + it.at : is_left || is_top ? 1 : (uint)(it.left >> 32) + "
    "it.up;\n"
    "    gravel_return_ulong_wg_if(f, is_grid && gives_right, GRAVEL_SLOT(f, own + 1, cell, left), "
    "(ulong)value << 32);\n"
    "    gravel_return_uint_wg_if(f, is_grid && gives_down, GRAVEL_SLOT(f, own + SIDE, cell, up), "
    "value);\n"
    "    gravel_return_uint_wg_if(f, is_line, GRAVEL_SLOT(f, own, cell, value), value);\n"
    "    gravel_arrive_wg_if(f, (is_grid && !by_item && gives_right) || (is_line && !is_last), "
    "CELL, own + 1);\n"
    "    gravel_arrive_wg_if(f, is_grid && !by_item && gives_down, CELL, own + SIDE);\n"
    "    gravel_arrive_wg_if(f, active && fault == ARRIVE_TWICE && it.at == 0, CELL, own + 1);\n"
    "    gravel_tfree_wg_if(f, is_line && it.at, CELL, own - 1);\n"
    "    gravel_tfree_wg_if(f, active && ((!by_item && is_grid) || is_last) && fault != KEEP, "
    "CELL, own);\n"
    "    gravel_tfree_wg_if(f, active && fault == FREE_TWICE && is_last, CELL, own);\n"
    "    gravel_tfree_wg_if(f, active && fault == FREE_EARLY && it.at == 1, CELL, own + SIDE + "
    "1);\n"
    "    gravel_push_out_wg_if(f, active, (struct out){it.number, it.at, value});\n"
    "    if (by_item) {\n"
    "        if (gives_right)\n"
    "            gravel_arrive_wi(f, CELL, own + 1);\n"
    "        if (gives_down)\n"
    "            gravel_arrive_wi(f, CELL, own + SIDE);\n"
    "        if (!is_last)\n"
    "            gravel_tfree_wi(f, CELL, own);\n"
    "    }\n"
    "    gravel_barrier_wg(f.group);\n"
    "}\n"
    "kernel void held(GRAVEL_ARENA, GRAVEL_FLOW, uint fault)\n"
    "{\n"
    "    GRAVEL_FLOW_OPEN(f);\n"
    "    GRAVEL_ROUNDS(f) {\n"
    "        GRAVEL_NODE(f, grid) grid_task(f, f.active, gravel_read_grid_wi(f), fault);\n"
    "        GRAVEL_NODE(f, cell) cell_task(f, f.active, gravel_read_cell_wi(f), fault);\n"
    "    }\n"
    "}\n";

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
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 3, .group_items = GROUP_ITEMS);
    struct gravel_flow *flow;
    char options[256];
    snprintf(options, sizeof options,
             "-DSIDE=%uu -DKEEP=%u -DFREE_TWICE=%u -DFREE_EARLY=%u -DARRIVE_TWICE=%u -DMANY=%u "
             "-DJOINS=%u -DHUGE_WG=%u -DHUGE_WI=%u -DHUGE_SUM=%u",
             SIDE, KEEP, FREE_TWICE, FREE_EARLY, ARRIVE_TWICE, MANY, JOINS, HUGE_WG, HUGE_WI,
             HUGE_SUM);
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_flow_build(flow, "held.cl", held_cl, options, "held"));
    return flow;
}

static void set_fault(struct gravel_flow *flow, enum fault fault)
{
    const cl_uint number = fault;
    OK(gravel_flow_set_argument(flow, 2, sizeof number, &number));
}

static int open_all(void **state)
{
    (void)state;
    gravel = open_loopback(1, NULL);
    held = make();
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    OK(gravel_flow_destroy(held));
    OK(gravel_close(gravel));
    return 0;
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
static void cells_run_when_their_neighbours_have(void **state)
{
    (void)state;
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

static void held_channel_takes_nothing_from_the_host(void **state)
{
    (void)state;
    const cl_uint cell[8] = {0};
    expect_error(gravel_flow_push(held, "cell", cell, 1), GRAVEL_EINVAL, "'cell' is held");
    expect_error(gravel_flow_post(held, "cell", cell, 1), GRAVEL_EINVAL, "'cell' is held");
}

/* Two grids whose cells have been processed and are kept, and one that finds no room for a third. */
static void cells_that_are_not_freed_are_counted(void **state)
{
    (void)state;
    struct gravel_flow *flow = make();
    set_fault(flow, KEEP);
    push_grids(flow, 5, BY_WG);
    expect_error(gravel_flow_run(flow), GRAVEL_ESTUCK,
                 "grid, level 0: 1 of 64\ncell, level 0: 64 of 64: 0 wait for arrivals, 0 are "
                 "enqueued, 64 have been processed and not freed");
    OK(gravel_flow_destroy(flow));
}

static void broken_rule_ends_the_run_with_its_name(void **state)
{
    (void)state;
    static const struct {
        enum fault fault;
        const char *text;
    } cases[] = {
        {FREE_TWICE, "node 'cell', level 0: gravel_tfree of an element of channel 'cell' that has "
                     "been freed"},
        {FREE_EARLY,
         "node 'cell', level 0: gravel_tfree of an element of channel 'cell' that waits "
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
        push_grids(flow, cases[i].fault >= HUGE_WG ? 4 : 1, BY_WG);
        expect_error(gravel_flow_run(flow), GRAVEL_EKERNEL, cases[i].text);
        expect_error(gravel_flow_run(flow), GRAVEL_EKERNEL, "failed before");
        OK(gravel_flow_destroy(flow));
    }
    expect_works(gravel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_run_when_their_neighbours_have),
        cmocka_unit_test(held_channel_takes_nothing_from_the_host),
        cmocka_unit_test(cells_that_are_not_freed_are_counted),
        cmocka_unit_test(broken_rule_ends_the_run_with_its_name),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
