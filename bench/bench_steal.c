/* SPDX-License-Identifier: MIT */
/*
 * bench-steal: uneven tasks by each policy of work stealing, timed by the device's events.
 *
 *     bench-steal --shape tree --groups 132 --items 256 --rounds 64
 *     bench-steal --shape skewed --groups 528
 *
 * Shapes: `tree`, nodes that push four others or none, from many roots that are shared out evenly, and `root`, all of
 * them in the first deque; `rows`, rows of a sparse matrix of 8 entries each, and `skewed`, where a tenth of them, in
 * one stretch, has 128. The variants are the policies; counter runs rows only. Each result is compared with the host's.
 *
 * Path:    options -> a node for each policy, all on one context -> bench_steal.cl -> a line for each policy.
 * Owner:   all of it lives as long as the process.
 * Threads: the main thread, and the library's own.
 */
#include "bench.h"
#include "bench_gravel.h"

#include <gravel/steal.h>

#include <stdlib.h>
#include <string.h>

#define SHORT_ROW 8u
#define LONG_ROW 128u
#define CHANCE 0x3fa00000u /* of 2^32: 0.2485, four children each */

extern const char bench_steal_cl[];

enum { TREE, ROOT, ROWS, SKEWED };
static const char *const shapes[] = {"tree", "root", "rows", "skewed"};

/* Policies. */
static const struct bench_variant variants[] = {
    {"promoted", "tasks/s"}, {"private", "tasks/s"}, {"counter", "tasks/s"}};
enum { COUNTER = 2, N_POLICIES };

struct runner {
    struct gravel *gravel;
    struct gravel_steal *steal;
    struct gravel_steal_stats stats; /* of the last run */
    cl_command_queue queue;
    cl_kernel kernel;
};

struct place {
    uint32_t shape, n_groups, n_items, n_rounds,
        n_each; /* options; n_each: tasks or roots of a group */
    cl_context context;
    cl_device_id device;
    struct runner runners[N_POLICIES];
    uint64_t *tasks; /* [n_tasks] filled in */
    uint32_t n_tasks;
    uint64_t n_all; /* tasks that run */
    uint32_t sum;   /* of a tree's nodes, or of y */
    uint32_t *host; /* [n_rows] y, or [work-items] sums */
    uint32_t n_rows;
    cl_mem first, columns, x, y;
};

static bool is_tree(const struct place *place)
{
    return place->shape == TREE || place->shape == ROOT;
}

/* ---- what the host expects -------------------------------------------------------------------- */

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static void *make(uint64_t n, size_t bytes)
{
    void *memory = calloc(n ? n : 1, bytes);
    must(memory ? 0 : GRAVEL_ENOMEM, "calloc");
    return memory;
}

static void search(struct place *place, uint32_t root, uint32_t *stack, uint32_t capacity)
{
    uint32_t n = 0;
    stack[n++] = root;
    while (n) {
        uint32_t node = stack[--n];
        place->sum += node;
        place->n_all++;
        for (uint32_t lane = 0; lane < 4 && mix(node) < CHANCE && n < capacity; lane++)
            stack[n++] = mix(node * 4 + lane + 0x9e3779b9u);
    }
}

static void make_tree(struct place *place)
{
    enum { STACK = 1 << 20 };
    uint32_t *stack = make(STACK, sizeof *stack);
    for (uint32_t i = 0; i < place->n_tasks; i++) {
        place->tasks[i] = mix(i + 1);
        search(place, (uint32_t)place->tasks[i], stack, STACK);
    }
    free(stack);
}

static uint32_t row_length(const struct place *place, uint32_t row)
{
    uint32_t tenth = place->n_rows / 10;
    bool is_long = place->shape == SKEWED && row >= 3 * tenth && row < 4 * tenth;
    return is_long ? LONG_ROW : SHORT_ROW;
}

static cl_mem make_array(const struct place *place, size_t bytes, const void *data)
{
    cl_int error;
    cl_mem array = clCreateBuffer(place->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                  (void *)(uintptr_t)data, &error);
    must_cl(error, "clCreateBuffer");
    return array;
}

static void make_rows(struct place *place)
{
    uint32_t n = place->n_rows, n_entries = 0;
    uint32_t *first = make(n + 1, sizeof *first), *x = make(n, sizeof *x);
    for (uint32_t row = 0; row < n; row++) {
        x[row] = mix(row);
        first[row] = n_entries;
        n_entries += row_length(place, row);
    }
    first[n] = n_entries;
    uint32_t *columns = make(n_entries, sizeof *columns);
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t e = first[row]; e < first[row + 1]; e++) {
            columns[e] = (uint32_t)((uint64_t)mix(e) * n >> 32);
            place->host[row] += x[columns[e]];
        }
    place->first = make_array(place, (n + 1) * sizeof *first, first);
    place->columns = make_array(place, n_entries * sizeof *columns, columns);
    place->x = make_array(place, n * sizeof *x, x);
    place->y = bench_buffer(place->context, 0, n * sizeof *x);
    free(first);
    free(columns);
    free(x);
    for (uint32_t i = 0; i < place->n_tasks; i++)
        place->tasks[i] = i;
    place->n_all = place->n_tasks;
}

static void make_input(struct place *place)
{
    place->n_tasks = place->n_groups * place->n_each;
    place->tasks = make(place->n_tasks, sizeof *place->tasks);
    place->n_rows = is_tree(place) ? 0 : place->n_tasks * place->n_items;
    place->host = make(place->n_rows, sizeof *place->host);
    if (!is_tree(place)) {
        make_rows(place);
        return;
    }
    make_tree(place);
    place->y =
        bench_buffer(place->context, 0, (size_t)place->n_groups * place->n_items * sizeof(cl_uint));
}

/* ---- a node for each policy ---------------------------------------------------------------------- */

static struct gravel *open_node(const struct gravel_bindings *bindings, const char *policy)
{
    struct gravel_config config;
    struct gravel *gravel;
    must(gravel_config_load(&config, sizeof config), "gravel_config_load");
    config.heap_bytes = 1 << 20;
    config.queue_bytes = 1 << 20;
    if (policy)
        must(gravel_config_set(&config, "steal_policy", policy), "gravel_config_set");
    must(gravel_open(&gravel, &config, bindings), "gravel_open");
    return gravel;
}

static void set_arguments(const struct place *place, cl_kernel kernel)
{
    if (is_tree(place)) {
        bench_set_uints(kernel, 1, (cl_uint[]){CHANCE, place->n_rounds}, 2);
        bench_set(kernel, 3, sizeof place->y, &place->y);
        return;
    }
    const cl_mem arrays[] = {place->first, place->columns, place->x, place->y};
    bench_set_uints(kernel, 1, &place->n_rows, 1);
    for (cl_uint i = 0; i < 4; i++)
        bench_set(kernel, 2 + i, sizeof arrays[i], &arrays[i]);
}

static void open_runner(const struct place *place, struct runner *runner, const char *policy)
{
    uint32_t capacity = 1024;
    while (capacity < 4 * place->n_each || (place->shape == ROOT && capacity < 2 * place->n_tasks))
        capacity *= 2;
    runner->queue = bench_queue(place->context, place->device, CL_QUEUE_PROFILING_ENABLE);
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.context = place->context, .device = place->device, .queue = runner->queue);
    const struct gravel_steal_options options =
        GRAVEL_STEAL_OPTIONS(.n_groups = place->n_groups, .group_size = place->n_items,
                             .capacity = capacity);
    runner->gravel = open_node(&bindings, policy);
    must(gravel_steal_create(&runner->steal, runner->gravel, &options), "gravel_steal_create");
    cl_program program = bench_build(runner->gravel, "bench_steal.cl", bench_steal_cl,
                                     is_tree(place) ? "-DHAS_PUSHES" : "");
    runner->kernel = bench_plain_kernel(program, is_tree(place) ? "tree" : "rows");
    clReleaseProgram(program);
    set_arguments(place, runner->kernel);
}

static void close_runner(struct runner *runner)
{
    if (!runner->gravel)
        return;
    must(gravel_steal_destroy(runner->steal), "gravel_steal_destroy");
    clReleaseKernel(runner->kernel);
    must(gravel_close(runner->gravel), "gravel_close");
    clReleaseCommandQueue(runner->queue);
}

/* ---- a run -------------------------------------------------------------------------------------- */

static bool holds(const struct place *place, const struct runner *runner)
{
    uint32_t n = is_tree(place) ? place->n_groups * place->n_items : place->n_rows, sum = 0;
    uint32_t *got = make(n, sizeof *got);
    bench_read(runner->queue, place->y, n * sizeof *got, got);
    for (uint32_t i = 0; i < n && is_tree(place); i += place->n_items)
        sum += got[i];
    const bool is_right =
        is_tree(place) ? sum == place->sum : !memcmp(got, place->host, n * sizeof *got);
    free(got);
    return is_right && runner->stats.done == place->n_all;
}

static bool run(void *context, uint32_t variant, double *rate)
{
    struct place *place = context;
    struct runner *runner = &place->runners[variant];
    const cl_uint zero = 0;
    cl_event end;
    if (!runner->gravel)
        open_runner(place, runner, variants[variant].name);
    clEnqueueFillBuffer(runner->queue, place->y, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL);
    clFinish(runner->queue);
    must(gravel_steal_stats_reset(runner->steal), "gravel_steal_stats_reset");
    must(place->shape == ROOT ? gravel_steal_fill_at(runner->steal, 0, place->tasks, place->n_tasks)
                              : gravel_steal_fill(runner->steal, place->tasks, place->n_tasks),
         "filling deques");
    must(gravel_steal_launch(runner->steal, runner->kernel, 0, NULL, &end), "gravel_steal_launch");
    must(gravel_steal_stats_read(runner->steal, &runner->stats, sizeof runner->stats,
                                 GRAVEL_ALL_GROUPS),
         "gravel_steal_stats_read");
    *rate = (double)place->n_all / bench_seconds_of(end);
    return holds(place, runner);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static bool takes_part(void *context, uint32_t variant)
{
    return variant != COUNTER || !is_tree(context);
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct place *place = context;
    const struct gravel_steal_stats *stats = &place->runners[variant].stats;
    (void)median;
    return json_pack("{ss si si si sI sI sI sI}", "shape", shapes[place->shape], "groups",
                     (int)place->n_groups, "items", (int)place->n_items, "rounds",
                     (int)place->n_rounds, "tasks", (json_int_t)place->n_all, "stolen",
                     (json_int_t)stats->stolen, "failed", (json_int_t)stats->failed, "offers",
                     (json_int_t)stats->offers);
}

static const struct bench_contest contest = {.name = "bench-steal",
                                             .variants = variants,
                                             .n_variants = N_POLICIES,
                                             .run = run,
                                             .takes_part = takes_part,
                                             .fields = fields,
                                             .has_ratio = bench_of_first};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"shape", 's', "tree|root|rows|skewed", "how tasks are uneven (tree)",
         OPTION_INDEX(struct place, shape, uint32_t)},
        {"groups", 'g', "N", "work-groups (2)", OPTION_NUMBER(struct place, n_groups, 1, 1 << 20)},
        {"items", 'i', "N", "work-items of a group (64)",
         OPTION_NUMBER(struct place, n_items, 1, 1 << 20)},
        {"rounds", 0, "N", "work of a tree's task, in rounds of a hash a work-item (0)",
         OPTION_NUMBER(struct place, n_rounds, 0, 1 << 20)},
        {"tasks", 't', "N", "tasks or roots for each group (64)",
         OPTION_NUMBER(struct place, n_each, 1, 1 << 20)},
        {0}};
    static struct place place = {.n_groups = 2, .n_items = 64, .n_each = 64};
    bench_parse(argc, argv, "Uneven tasks by each policy of work stealing.", own, &place);
    struct gravel *first = open_node(NULL, NULL); /* chooses the device */
    place.context = gravel_cl_context(first);
    place.device = gravel_cl_device(first);
    make_input(&place);
    const bool is_valid = bench_hold(&contest, &place, true);
    for (uint32_t i = 0; i < N_POLICIES; i++)
        close_runner(&place.runners[i]);
    must(gravel_close(first), "gravel_close");
    return is_valid ? 0 : 1;
}
