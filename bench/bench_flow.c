/* SPDX-License-Identifier: MIT */
/*
 * bench-flow: recursions and a sort as flows, by each scheduler, beside serial C, oneTBB and a radix sort.
 *
 *     bench-flow --problem fib --number 30 --threads 2
 *     bench-flow --problem queens --number 12 --base 4
 *     bench-flow --problem sort --number 1000000 --base 64
 *
 * Kernels are those of apps/fib, apps/queens and apps/sort. Variants: serial (of sort: qsort), tbb (if it was there when
 * this was built; a task_group for each call or board, parallel_sort), radix (of sort; one thread), host, lone, resident
 * (if the device proves it). --threads is oneTBB's; the device has its units. Each result is checked.
 *
 * Path:    options -> flow_problem.h, a node and a flow for each scheduler -> a line for each variant, and its ratio to
 *          the rivals.
 * Owner:   all of it lives as long as the process.
 * Threads: the main thread, and the library's own.
 * Source:  Orr 2016, section 4.5 (table 4-3).
 */
#include "flow_problem.h"
#include "bench.h"
#include "bench_gravel.h"
#ifdef BENCH_HAVE_TBB
#include "flow_tbb.h"
#endif

#include <string.h>
#include <time.h>

enum { SERIAL, TBB, RADIX, HOST, LONE, RESIDENT, N_VARIANTS };
static const char *const variants[N_VARIANTS] = {"serial", "tbb",  "radix",
                                                 "host",   "lone", "resident"};

static const struct flow_problem *const problems[] = {&flow_fib, &flow_queens, &flow_sort};
#define N_PROBLEMS (sizeof problems / sizeof *problems)

struct place {
    const struct flow_problem *problem;
    uint32_t n, base, n_threads;            /* options; n and base 0: the problem's */
    struct flow_runner runners[N_VARIANTS]; /* of schedulers */
    uint32_t chosen[N_VARIANTS];            /* variants that run */
    double work;
};

/* ---- schedulers -------------------------------------------------------------------------------- */

static struct gravel *open_node(const char *scheduler)
{
    struct gravel_config config;
    struct gravel *gravel;
    must(gravel_config_load(&config, sizeof config), "gravel_config_load");
    config.heap_bytes = 1 << 20;
    must(gravel_config_set(&config, "scheduler", scheduler), "gravel_config_set");
    must(gravel_open(&gravel, &config, NULL), "gravel_open");
    return gravel;
}

int flow_runner_build(struct flow_runner *runner, const struct gravel_graph *graph,
                      const char *name, const char *source, const char *options,
                      const char *function)
{
    int code = gravel_flow_create(&runner->flow, runner->gravel, graph);
    return code ? code : gravel_flow_build(runner->flow, name, source, options, function);
}

int flow_runner_call(const struct flow_runner *runner, const char *channel, void *root, size_t to,
                     uint64_t *sum)
{
    uint32_t found = 0;
    int code = gravel_flow_call(runner->flow, channel, root, to, &found, sizeof found);
    *sum = found;
    return code;
}

static void close_runner(struct flow_runner *runner)
{
    for (size_t i = 0; i < sizeof runner->arrays / sizeof *runner->arrays; i++)
        if (runner->arrays[i])
            clReleaseMemObject(runner->arrays[i]);
    must(gravel_flow_destroy(runner->flow), "gravel_flow_destroy");
    if (runner->gravel)
        must(gravel_close(runner->gravel), "gravel_close");
}

/* @return false if the device does not prove that it can. */
static bool open_runner(const struct place *place, struct flow_runner *runner,
                        const char *scheduler)
{
    runner->gravel = open_node(scheduler);
    int code = place->problem->make(runner);
    if (code == GRAVEL_ECAPABILITY) {
        fprintf(stderr, "bench-flow: without %s: %s\n", scheduler, gravel_last_error());
        close_runner(runner);
        *runner = (struct flow_runner){0};
        return false;
    }
    must(code, "the flow");
    return true;
}

/* ---- a run --------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The problem's part for a variant that is no scheduler; NULL if it has none. */
static flow_rival *rival(const struct flow_problem *problem, uint32_t variant)
{
    return variant == SERIAL ? problem->serial : variant == TBB ? problem->tbb : problem->radix;
}

static bool run(void *context, uint32_t subject, double *rate)
{
    const struct place *place = context;
    const uint32_t variant = place->chosen[subject];
    const struct flow_problem *problem = place->problem;
    const struct flow_runner *runner = variant < HOST ? NULL : &place->runners[variant];
    if (problem->reset)
        problem->reset(runner);
    double begin = seconds_now();
    if (runner)
        must(problem->call(runner), "a run of the flow");
    else
        rival(problem, variant)();
    *rate = place->work / (seconds_now() - begin);
    return problem->is_right(runner);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static json_t *fields_of(const struct place *place)
{
    return json_pack("{ss sI sI si}", "problem", place->problem->name, "n", (json_int_t)place->n,
                     "base", (json_int_t)place->base, "threads", (int)place->n_threads);
}

static void take_problem(struct place *place, const char *name, struct argp_state *state)
{
    for (size_t i = 0; i < N_PROBLEMS; i++)
        if (strcmp(name, problems[i]->name) == 0)
            place->problem = problems[i];
    if (strcmp(name, place->problem->name) != 0)
        argp_error(state, "--problem: '%s' is none of fib, queens, sort", name);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct place *place = ((void **)state->input)[0];
    uint32_t *fields[] = {&place->n, &place->base, &place->n_threads};
    const char *at = key ? strchr("Nbt", key) : NULL;
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = ((void **)state->input)[1];
    else if (key == 'p')
        take_problem(place, value, state);
    else if (!at)
        return ARGP_ERR_UNKNOWN;
    else if (!bench_count_parse(value, 1, 1u << 30, fields[at - "Nbt"]))
        argp_error(state, "'%s' is no number of 1 to 2^30", value);
    return 0;
}

/* What was not given is the problem's. */
static void settle_size(struct place *place)
{
    const struct flow_problem *problem = place->problem;
    place->n = place->n ? place->n : problem->n;
    place->base = problem->base && place->base ? place->base : problem->base;
    if (place->n <= place->base || place->n > problem->most_n) {
        fprintf(stderr, "bench-flow: --number %u is not between --base, %u, and %u\n", place->n,
                place->base, problem->most_n);
        exit(EXIT_FAILURE);
    }
}

/* What runs, in the order of variants. @return how many [N_VARIANTS at most]. */
static uint32_t choose(struct place *place, const struct bench_options *options)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < N_VARIANTS; v++) {
        bool is_there = bench_variant_is_wanted(options, variants[v]);
        if (is_there)
            is_there = v < HOST ? rival(place->problem, v) != NULL
                                : open_runner(place, &place->runners[v], variants[v]);
        if (is_there)
            place->chosen[n++] = v;
    }
    return n;
}

/* @return whether all results were right. */
static bool report(const struct place *place, const struct bench_options *options,
                   const struct bench_subject *subjects, uint32_t n)
{
    bool is_valid = n > 0;
    for (uint32_t i = 0; i < n; i++) {
        bench_report(options, "bench-flow", place->problem->unit, &subjects[i], fields_of(place));
        is_valid &= subjects[i].is_valid;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t against = 0; against < i && place->chosen[against] < HOST; against++)
            bench_report_ratio(options, "bench-flow", &subjects[i], &subjects[against],
                               fields_of(place));
    return is_valid;
}

int main(int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"problem", 'p', "NAME", 0, "fib, queens or sort (fib)", 0},
        {"number", 'N', "N", 0,
         "Which Fibonacci number, rows of the board, or keys (30, 12, 1000000)", 0},
        {"base", 'b', "N", 0,
         "Rows of the board that one task fills, or keys that a group sorts by rank (4, 64)", 0},
        {"threads", 't', "N", 0, "Threads of oneTBB (1)", 0},
        {0}};
    static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = own,
                                     .parser = parse,
                                     .children = children,
                                     .doc = "Recursions and a sort as flows, by each scheduler."};
    static struct bench_subject subjects[N_VARIANTS];
    static struct place place = {.problem = &flow_fib, .n_threads = 1};
    struct bench_options options = BENCH_OPTIONS_INIT;
    argp_parse(&argp, argc, argv, 0, NULL, (void *[]){&place, &options});
    settle_size(&place);
    place.work = place.problem->open(place.n, place.base);
#ifdef BENCH_HAVE_TBB
    flow_tbb_threads(place.n_threads);
#endif
    uint32_t n = choose(&place, &options);
    for (uint32_t i = 0; i < n; i++) {
        double rate;
        subjects[i].variant = variants[place.chosen[i]];
        run(&place, i, &rate); /* kernels are compiled at their first launch */
    }
    bench_rounds(subjects, n, options.runs, run, &place);
    bool is_valid = report(&place, &options, subjects, n);
    for (uint32_t v = HOST; v < N_VARIANTS; v++)
        close_runner(&place.runners[v]);
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
