/* SPDX-License-Identifier: MIT */
/*
 * Maximum flows by push-relabel, with a critical section for each vertex.
 *
 * The network is a mesh as the Washington generator's: each vertex has an arc to the nearest three of the next row,
 * which wraps around; the source has one to each of the first row, and each of the last row one to the sink.
 *
 * Rounds: exact heights, and then active vertices are discharged until none is left, or so many have risen that exact
 * heights are worth their time. What cannot reach the sink stays where it is: the result is a preflow and a least cut. So the
 * source's arcs are full from the beginning, and the source is no vertex.
 *
 * Path:    main -> form.c -> maxflow.cl -> check
 * Owner:   set_up makes what close_all frees; the rest is the node's.
 * Threads: main's.
 * Source:  Goldberg and Tarjan 1988; Cherkassky and Goldberg, On Implementing the Push-Relabel Method for the Maximum
 * Flow Problem, 1997 (global relabeling); Wang, Fussell, Lin 2019, section 4 (MF); first DIMACS challenge, 1991.
 */
#include "frame/random.h"
#include "sections/form.h"

#include <stdlib.h>

#define NEAREST 3u          /* arcs to the next row */
#define MOST_CAPACITY 1000u /* of these; the largest mesh's excesses still fit a word */

extern const char maxflow_cl[];

/* As maxflow.cl has them. */
enum { VERTICES, N_RELABELS, N_ARRAYS };
struct vertex {
    cl_uint height, excess, is_active, lock;
    cl_uint room[2 * NEAREST], incoming[2 * NEAREST];
};

struct maxflow {
    struct options options;
    struct node node;
    struct sections sections;
    uint64_t rows, columns;
    uint64_t n;           /* vertices, and the sink behind them */
    struct vertex *begin; /* [n + 1] with full arcs of the source */
    cl_kernel receive, step_back, discharge;
    cl_mem count;
    uint64_t n_rounds; /* of the last trial */
};

/* ---- set-up -------------------------------------------------------------------------------------- */

/* Returns where an arc to the next row leads. */
static uint64_t head_of(const struct maxflow *maxflow, uint64_t vertex, uint64_t side)
{
    const uint64_t columns = maxflow->columns, column = vertex % columns;
    if (vertex + columns >= maxflow->n)
        return maxflow->n;
    return vertex - column + columns + (column + columns - 1 + side) % columns;
}

static void make_network(struct maxflow *maxflow)
{
    const uint64_t columns = maxflow->columns;
    const uint64_t key = random_key(maxflow->options.seed), n = maxflow->rows * columns;
    maxflow->n = n;
    maxflow->begin = app_array(n + 1, sizeof *maxflow->begin, "the network");
    for (uint64_t v = 0; v < n - columns; v++)
        for (uint64_t side = 0; side < NEAREST; side++)
            maxflow->begin[v].room[side] =
                (cl_uint)(1 + random_at(key, NEAREST * v + side) % MOST_CAPACITY);
    for (uint64_t column = 0; column < columns; column++) {
        maxflow->begin[column].excess = NEAREST * MOST_CAPACITY;
        maxflow->begin[n - columns + column].room[0] = NEAREST * MOST_CAPACITY;
    }
}

static void set_up(void *self)
{
    struct maxflow *maxflow = self;
    struct sections *sections = &maxflow->sections;
    make_network(maxflow);
    const struct gravel_handler handler = {
        .name = "discharge",
        .n_args = 1,
        .serve = {.n_keys = 1, .max_pending = maxflow->n}}; /* one message a vertex may wait */
    sections_open(
        sections, &maxflow->node,
        &(struct sections_program){"maxflow.cl",
                                   maxflow_cl,
                                   &handler,
                                   1,
                                   {(maxflow->n + 1) * sizeof(struct vertex), sizeof(cl_uint)}});
    TRY(gravel_set_constant(maxflow->node.gravel, N_ARRAYS, maxflow->n));
    TRY(gravel_set_constant(maxflow->node.gravel, N_ARRAYS + 1, maxflow->columns));
    maxflow->count = node_array(&maxflow->node, sizeof(cl_uint), NULL);
    maxflow->receive = sections_kernel(sections, "receive");
    maxflow->step_back = sections_kernel(sections, "step_back");
    maxflow->discharge = sections_kernel_of_form(sections, "discharge");
}

static void close_all(void *self)
{
    struct maxflow *maxflow = self;
    free(maxflow->begin);
}

/* ---- rounds ----------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct maxflow *maxflow = self;
    TRY(gravel_put(maxflow->node.gravel, maxflow->sections.at[VERTICES], maxflow->begin,
                   (maxflow->n + 1) * sizeof *maxflow->begin, 0));
    TRY(gravel_quiet(maxflow->node.gravel));
}

/* Runs a kernel for all vertices. @return  how many it has counted. */
static cl_uint launch(struct maxflow *maxflow, cl_kernel kernel, uint32_t height)
{
    cl_uint count;
    node_fill(&maxflow->node, maxflow->count, 0, sizeof count);
    SECTIONS_SET(&maxflow->sections, kernel, UINT(maxflow->columns), ARRAY(maxflow->count),
                 UINT(height));
    if (kernel == maxflow->discharge)
        sections_run(&maxflow->sections, kernel, maxflow->n);
    else
        sections_enqueue(&maxflow->sections, kernel, maxflow->n);
    node_read(&maxflow->node, maxflow->count, sizeof count, &count);
    return count;
}

/* Makes heights the distances to the sink. */
static void find_heights(struct maxflow *maxflow)
{
    launch(maxflow, maxflow->receive, 0);
    for (uint32_t height = 1; launch(maxflow, maxflow->step_back, height);)
        height++;
}

/* Have so few vertices risen since heights were exact that these may go on? */
static bool are_heights_good(const struct maxflow *maxflow)
{
    cl_uint n;
    TRY(gravel_get(maxflow->node.gravel, maxflow->sections.at[N_RELABELS], &n, sizeof n, 0));
    return n < maxflow->n;
}

static void run(void *self)
{
    struct maxflow *maxflow = self;
    bool is_done = false;
    for (maxflow->n_rounds = 0; !is_done; maxflow->n_rounds++) {
        find_heights(maxflow);
        is_done = true;
        while (are_heights_good(maxflow) && launch(maxflow, maxflow->discharge, 0))
            is_done = false;
    }
}

static void describe(void *self, struct trials *trials)
{
    const struct maxflow *maxflow = self;
    const uint64_t columns = maxflow->columns;
    sections_describe(&maxflow->sections, trials, NEAREST * (maxflow->n - columns) + 2 * columns,
                      "mesh %llu x %llu", (unsigned long long)maxflow->rows,
                      (unsigned long long)columns);
}

static void result(void *self, struct trials *trials)
{
    const struct maxflow *maxflow = self;
    struct vertex sink;
    TRY(gravel_get(maxflow->node.gravel, maxflow->sections.at[VERTICES] + maxflow->n * sizeof sink,
                   &sink, sizeof sink, 0));
    trials_add_number(trials, "flow", sink.excess);
    trials_add_number(trials, "rounds", maxflow->n_rounds);
    trials_say(trials, "  flow %u, in %llu rounds\n", sink.excess,
               (unsigned long long)maxflow->n_rounds);
}

/* Checks a preflow, and that a cut has its capacity, which prove each other: vertices with a height are at the sink's side. */
static uint64_t check(void *self, struct trials *trials)
{
    const struct maxflow *maxflow = self;
    const uint64_t n = maxflow->n;
    const struct vertex *begin = maxflow->begin;
    struct vertex *end = sections_read(&maxflow->sections, VERTICES, (n + 1) * sizeof *end, 0);
    uint64_t n_wrong = 0, cut = 0;
    int64_t flow = 0;
    (void)trials;
    for (uint64_t v = 0; v < n; v++) {
        const bool is_near = end[v].height <= n;
        int64_t excess = begin[v].excess;
        cut += is_near ? begin[v].excess : 0;
        for (uint64_t side = 0; side < 2 * NEAREST; side++)
            excess -= (int64_t)begin[v].room[side] - (int64_t)end[v].room[side];
        n_wrong += excess != (int64_t)end[v].excess;
        for (uint64_t side = 0; side < NEAREST; side++) {
            const uint64_t to = head_of(maxflow, v, side), room = end[v].room[side];
            cut += !is_near && end[to].height <= n ? begin[v].room[side] : 0;
            flow += to == n ? (int64_t)begin[v].room[side] - (int64_t)room : 0;
            n_wrong += to == n ? room > begin[v].room[side]
                               : room + end[to].room[NEAREST + side] != begin[v].room[side];
        }
    }
    n_wrong += (flow != (int64_t)end[n].excess) + (cut != end[n].excess);
    free(end);
    return n_wrong;
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app_option own_options[] = {
    {"rows", 0, "N", "A mesh of N rows (64)", OPTION_NUMBER(struct maxflow, rows, 1, 1 << 14)},
    {"columns", 0, "N", "of N vertices each (64)",
     OPTION_NUMBER(struct maxflow, columns, 1, 1 << 14)},
    {0}};

static const struct app app = {
    .name = "maxflow",
    .unit = "arcs/s",
    .doc = "Find the maximum flow of a network by push-relabel, with a critical section for each "
           "vertex, on one node.",
    .result = result,
    .close = close_all,
    SECTIONS_APP(struct maxflow, {"Network:", 1, own_options, 0})};

int main(int argc, char **argv)
{
    struct maxflow maxflow = {
        .sections = {.without = "atomic", .is_of_one_node = true}, .rows = 64, .columns = 64};
    return app_main(&app, &maxflow, argc, argv);
}
