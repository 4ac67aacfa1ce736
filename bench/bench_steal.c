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
 * Source:  Orr et al. 2015, section 5.3 (configurations).
 */
#include "bench.h"
#include "bench_gravel.h"

#include <gravel/steal.h>
#include <string.h>

#define SHORT_ROW 8u
#define LONG_ROW 128u
#define CHANCE 0x3fa00000u /* of 2^32: 0.2485, four children each */

extern const char bench_steal_cl[];

enum shape { TREE, ROOT, ROWS, SKEWED };
static const char *const shapes[] = {"tree", "root", "rows", "skewed"};
static const char *const policies[] = {"baseline",   "scope-only", "private",
                                       "steal-only", "promoted",   "counter"};
#define N_POLICIES ((uint32_t)(sizeof policies / sizeof *policies))

struct runner {
    struct gravel *gravel;
    struct gravel_steal *steal;
    struct gravel_steal_stats stats; /* of the last run */
    cl_command_queue queue;
    cl_kernel kernel;
};

struct place {
    enum shape shape;
    uint32_t n_groups, n_items, n_rounds, n_each; /* options; n_each: tasks or roots of a group */
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

static cl_mem make_array(const struct place *place, size_t bytes, void *data)
{
    cl_int error;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem array = clCreateBuffer(place->context, flags, bytes, data, &error);
    must(error == CL_SUCCESS ? 0 : GRAVEL_ENOMEM, "clCreateBuffer");
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
    place->y = make_array(place, n * sizeof *x, NULL);
    free(first);
    free(columns);
    free(x);
    for (uint32_t i = 0; i < place->n_tasks; i++)
        place->tasks[i] = i;
    place->n_all = place->n_tasks;
}

/* ---- a run -------------------------------------------------------------------------------------- */

static void fill(const struct place *place, const struct runner *runner)
{
    if (place->shape == ROOT)
        must(gravel_steal_fill_at(runner->steal, 0, place->tasks, place->n_tasks),
             "gravel_steal_fill_at");
    else
        must(gravel_steal_fill(runner->steal, place->tasks, place->n_tasks), "gravel_steal_fill");
}

static double time_of(cl_event event)
{
    cl_ulong begin = 0, end = 1;
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    return 1e-9 * (double)(end - begin);
}

static bool holds(const struct place *place, const struct runner *runner)
{
    uint32_t n = is_tree(place) ? place->n_groups * place->n_items : place->n_rows, sum = 0;
    uint32_t *got = make(n, sizeof *got);
    bool is_right = clEnqueueReadBuffer(runner->queue, place->y, CL_TRUE, 0, n * sizeof *got, got,
                                        0, NULL, NULL) == CL_SUCCESS;
    for (uint32_t i = 0; i < n && is_tree(place); i += place->n_items)
        sum += got[i];
    is_right = is_right &&
               (is_tree(place) ? sum == place->sum : !memcmp(got, place->host, n * sizeof *got));
    free(got);
    return is_right;
}

static bool run(void *context, uint32_t subject, double *rate)
{
    struct place *place = ((void **)context)[0];
    const uint32_t *chosen = ((void **)context)[1];
    struct runner *runner = &place->runners[chosen[subject]];
    const cl_uint zero = 0;
    cl_event end;
    clEnqueueFillBuffer(runner->queue, place->y, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL);
    clFinish(runner->queue);
    must(gravel_steal_stats_reset(runner->steal), "gravel_steal_stats_reset");
    fill(place, runner);
    must(gravel_steal_launch(runner->steal, runner->kernel, 0, NULL, &end), "gravel_steal_launch");
    must(gravel_steal_stats_read(runner->steal, &runner->stats, sizeof runner->stats,
                                 GRAVEL_ALL_GROUPS),
         "gravel_steal_stats_read");
    *rate = (double)place->n_all / time_of(end);
    return runner->stats.done == place->n_all && holds(place, runner);
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
    const cl_uint chance = CHANCE, n_rows = place->n_rows, rounds = place->n_rounds;
    if (is_tree(place)) {
        clSetKernelArg(kernel, 1, sizeof chance, &chance);
        clSetKernelArg(kernel, 2, sizeof rounds, &rounds);
        clSetKernelArg(kernel, 3, sizeof place->y, &place->y);
        return;
    }
    clSetKernelArg(kernel, 1, sizeof n_rows, &n_rows);
    clSetKernelArg(kernel, 2, sizeof place->first, &place->first);
    clSetKernelArg(kernel, 3, sizeof place->columns, &place->columns);
    clSetKernelArg(kernel, 4, sizeof place->x, &place->x);
    clSetKernelArg(kernel, 5, sizeof place->y, &place->y);
}

static void open_runner(const struct place *place, struct runner *runner, const char *policy)
{
    cl_program program;
    cl_int error;
    const cl_queue_properties timed[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    runner->queue =
        clCreateCommandQueueWithProperties(place->context, place->device, timed, &error);
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.context = place->context, .device = place->device, .queue = runner->queue);
    runner->gravel = open_node(&bindings, policy);
    uint32_t capacity = 1024;
    while (capacity < 4 * place->n_each)
        capacity *= 2;
    while (place->shape == ROOT && capacity < 2 * place->n_tasks)
        capacity *= 2;
    const struct gravel_steal_options options =
        GRAVEL_STEAL_OPTIONS(.n_groups = place->n_groups, .group_size = place->n_items,
                             .capacity = capacity);
    must(gravel_steal_create(&runner->steal, runner->gravel, &options), "gravel_steal_create");
    must(gravel_program_build(runner->gravel, "bench_steal.cl", bench_steal_cl,
                              is_tree(place) ? "-DHAS_PUSHES" : "", &program),
         "gravel_program_build");
    runner->kernel = clCreateKernel(program, is_tree(place) ? "tree" : "rows", &error);
    must(error == CL_SUCCESS ? 0 : GRAVEL_ECL, "clCreateKernel");
    clReleaseProgram(program);
    set_arguments(place, runner->kernel);
}

static void close_runner(struct runner *runner)
{
    must(gravel_steal_destroy(runner->steal), "gravel_steal_destroy");
    clReleaseKernel(runner->kernel);
    must(gravel_close(runner->gravel), "gravel_close");
    clReleaseCommandQueue(runner->queue);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

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
    place->y = make_array(place, (size_t)place->n_groups * place->n_items * sizeof(cl_uint), NULL);
}

static json_t *fields_of(const struct place *place, const struct runner *runner)
{
    const struct gravel_steal_stats *stats = &runner->stats;
    return json_pack("{ss si si si sI sI sI sI}", "shape", shapes[place->shape], "groups",
                     (int)place->n_groups, "items", (int)place->n_items, "rounds",
                     (int)place->n_rounds, "tasks", (json_int_t)place->n_all, "stolen",
                     (json_int_t)stats->stolen, "failed", (json_int_t)stats->failed, "offers",
                     (json_int_t)stats->offers);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct place *place = ((void **)state->input)[0];
    uint32_t *fields[] = {&place->n_groups, &place->n_items, &place->n_rounds, &place->n_each};
    const char *at = key ? strchr("girt", key) : NULL;
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = ((void **)state->input)[1];
        return 0;
    }
    if (key == 's') {
        for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            if (!strcmp(shapes[i], value)) {
                place->shape = (enum shape)i;
                return 0;
            }
        argp_error(state, "--shape: '%s' is none of tree, root, rows, skewed", value);
    }
    if (!at)
        return ARGP_ERR_UNKNOWN;
    if (!bench_count_parse(value, key == 'r' ? 0 : 1, 1 << 20, fields[at - "girt"]))
        argp_error(state, "'%s' is no number up to %u", value, 1u << 20);
    return 0;
}

/* Policies that run the shape. @return  how many [N_POLICIES at most]. */
static uint32_t choose(const struct place *place, const struct bench_options *options,
                       uint32_t *chosen)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_POLICIES; i++)
        if (bench_variant_is_wanted(options, policies[i]) && !(is_tree(place) && i >= 5))
            chosen[n++] = i;
    return n;
}

int main(int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"shape", 's', "SHAPE", 0, "tree, root, rows or skewed (tree)", 0},
        {"groups", 'g', "N", 0, "Work-groups (2)", 0},
        {"items", 'i', "N", 0, "Work-items of a group (64)", 0},
        {"rounds", 'r', "N", 0, "Work of a tree's task, in rounds of a hash a work-item (0)", 0},
        {"tasks", 't', "N", 0, "Tasks or roots for each group (64)", 0},
        {0}};
    static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = own,
                                     .parser = parse,
                                     .children = children,
                                     .doc = "Uneven tasks by each policy of work stealing."};
    static struct bench_subject subjects[N_POLICIES];
    static struct place place = {.n_groups = 2, .n_items = 64, .n_each = 64};
    struct bench_options options = BENCH_OPTIONS_INIT;
    uint32_t chosen[N_POLICIES];
    argp_parse(&argp, argc, argv, 0, NULL, (void *[]){&place, &options});
    uint32_t n = choose(&place, &options, chosen), promoted = N_POLICIES;
    struct gravel *first = open_node(NULL, NULL); /* chooses the device */
    place.context = gravel_cl_context(first);
    place.device = gravel_cl_device(first);
    make_input(&place);
    for (uint32_t i = 0; i < n; i++) {
        double rate;
        open_runner(&place, &place.runners[chosen[i]], policies[chosen[i]]);
        subjects[i] = (struct bench_subject){.variant = policies[chosen[i]]};
        promoted = strcmp(policies[chosen[i]], "promoted") ? promoted : i;
        run((void *[]){&place, chosen}, i, &rate); /* kernels are compiled at their first launch */
    }
    bench_rounds(subjects, n, options.runs, run, (void *[]){&place, chosen});
    for (uint32_t i = 0; i < n; i++)
        bench_report(&options, "bench-steal", "tasks/s", &subjects[i],
                     fields_of(&place, &place.runners[chosen[i]]));
    for (uint32_t i = 0; i < n && promoted < n; i++)
        if (i != promoted)
            bench_report_ratio(&options, "bench-steal", &subjects[promoted], &subjects[i],
                               fields_of(&place, &place.runners[chosen[promoted]]));
    for (uint32_t i = 0; i < n; i++)
        close_runner(&place.runners[chosen[i]]);
    must(gravel_close(first), "gravel_close");
    return 0;
}
