/* SPDX-License-Identifier: MIT */
/*
 * bench-flow: recursions as flows, by each scheduler, beside serial C and oneTBB.
 *
 *     bench-flow --problem fib --number 30 --threads 2
 *     bench-flow --problem queens --number 12 --base 4
 *
 * Kernels are those of apps/fib and apps/queens. Variants: serial, tbb (if it was there when this was built; a task_group
 * for each call, or board), host, lone, resident (if the device proves it). --threads is oneTBB's; the device has its
 * units. Each result is compared with the serial recursion's.
 *
 * Path:    options -> a node and a flow for each scheduler -> apps/fib/fib.cl, apps/queens/queens.cl -> a line for each
 *          variant, and its ratio to serial and tbb.
 * Owner:   all of it lives as long as the process.
 * Threads: the main thread, and the library's own.
 * Source:  Orr 2016, section 4.5 (table 4-3).
 */
#include <sys/types.h>

#include "bench.h"
#include "bench_gravel.h"
#ifdef BENCH_HAVE_TBB
#include "flow_tbb.h"
#endif

#include <gravel/flow.h>

#include "fib/fib.h"
#include "queens/queens.h"

#include <string.h>
#include <time.h>

extern const char fib_cl[], queens_cl[];

enum { SERIAL, TBB, HOST, LONE, RESIDENT, N_VARIANTS };
static const char *const variants[N_VARIANTS] = {"serial", "tbb", "host", "lone", "resident"};

struct runner {
    struct gravel *gravel;
    struct gravel_flow *flow;
};

struct place {
    bool is_queens;
    uint32_t n, base, n_threads;       /* options */
    struct runner runners[N_VARIANTS]; /* of schedulers */
    uint64_t expected;
    double work; /* calls, or solutions */
};

/* ---- serial ------------------------------------------------------------------------------------ */

static uint64_t serial_fib(uint32_t n)
{
    return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2);
}

static uint64_t serial_queens(uint32_t full, uint32_t columns, uint32_t left, uint32_t right)
{
    uint64_t n = 0;
    if (columns == full)
        return 1;
    for (uint32_t places = full & ~(columns | left | right); places; places &= places - 1) {
        uint32_t place = places & -places;
        n += serial_queens(full, columns | place, (left | place) << 1, (right | place) >> 1);
    }
    return n;
}

static uint32_t full_row(const struct place *place)
{
    return (UINT32_C(1) << place->n) - 1;
}

static uint64_t serial(const struct place *place)
{
    return place->is_queens ? serial_queens(full_row(place), 0, 0, 0) : serial_fib(place->n);
}

/* ---- flows ------------------------------------------------------------------------------------- */

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

static int open_fib(const struct place *place, struct runner *runner)
{
    const struct gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    const struct gravel_channel channels[] = {
        {"fib", sizeof(struct fib), GRAVEL_SPAWN, 0, 2, edges},
        {"sum", sizeof(struct sum), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_graph graph = {channels, 2, .depth = place->n + 1};
    int code = gravel_flow_create(&runner->flow, runner->gravel, &graph);
    return code ? code : gravel_flow_build(runner->flow, "fib.cl", fib_cl, NULL, "fib_flow");
}

static int open_queens(const struct place *place, struct runner *runner)
{
    const uint32_t n = place->n, full = full_row(place);
    const struct gravel_edge edges[] = {{"queens", n}, {"solve", n}, {"total", 1}};
    const struct gravel_channel channels[] = {
        {"queens", sizeof(struct queens), GRAVEL_SPAWN, 0, 3, edges},
        {"solve", sizeof(struct solve), GRAVEL_SPAWN, 0, 0, NULL},
        {"total", sizeof(struct total), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_graph graph = {channels, 3, .depth = n - place->base + 1};
    char options[64];
    snprintf(options, sizeof options, "-DQUEENS_BASE=%u", place->base);
    int code = gravel_flow_create(&runner->flow, runner->gravel, &graph);
    if (!code)
        code = gravel_flow_build(runner->flow, "queens.cl", queens_cl, options, "queens_flow");
    if (!code)
        code = gravel_flow_argument(runner->flow, 2, sizeof full, &full);
    return code ? code : gravel_flow_argument(runner->flow, 3, sizeof full, &full);
}

/* @return false if the device does not prove that it can. */
static bool open_runner(const struct place *place, struct runner *runner, const char *scheduler)
{
    runner->gravel = open_node(scheduler);
    int code = place->is_queens ? open_queens(place, runner) : open_fib(place, runner);
    if (code == GRAVEL_ECAPABILITY) {
        fprintf(stderr, "bench-flow: without %s: %s\n", scheduler, gravel_last_error());
        must(gravel_close(runner->gravel), "gravel_close");
        return false;
    }
    must(code, "gravel_flow_create");
    return true;
}

static uint64_t call(const struct place *place, const struct runner *runner)
{
    struct fib fib = {.n = place->n};
    struct queens queens = {0};
    uint32_t result = 0;
    must(place->is_queens ? gravel_flow_call(runner->flow, "queens", &queens,
                                             offsetof(struct queens, to), &result, sizeof result)
                          : gravel_flow_call(runner->flow, "fib", &fib, offsetof(struct fib, to),
                                             &result, sizeof result),
         "gravel_flow_call");
    return result;
}

static void close_runner(struct runner *runner)
{
    if (!runner->flow)
        return;
    gravel_flow_destroy(runner->flow);
    must(gravel_close(runner->gravel), "gravel_close");
}

/* ---- a run --------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t compute(const struct place *place, uint32_t variant)
{
#ifdef BENCH_HAVE_TBB
    if (variant == TBB)
        return place->is_queens ? flow_tbb_queens(place->n, place->base) : flow_tbb_fib(place->n);
#endif
    return variant == SERIAL ? serial(place) : call(place, &place->runners[variant]);
}

static bool run(void *context, uint32_t subject, double *rate)
{
    const struct place *place = ((void **)context)[0];
    const uint32_t *chosen = ((void **)context)[1];
    double begin = seconds_now();
    uint64_t result = compute(place, chosen[subject]);
    *rate = place->work / (seconds_now() - begin);
    return result == place->expected;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static json_t *fields_of(const struct place *place)
{
    return json_pack("{ss si si si}", "problem", place->is_queens ? "queens" : "fib", "n",
                     (int)place->n, "base", place->is_queens ? (int)place->base : 0, "threads",
                     (int)place->n_threads);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct place *place = ((void **)state->input)[0];
    uint32_t *fields[] = {&place->n, &place->base, &place->n_threads};
    const char *at = key ? strchr("Nbt", key) : NULL;
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = ((void **)state->input)[1];
        return 0;
    }
    if (key == 'p') {
        place->is_queens = strcmp(value, "queens") == 0;
        if (!place->is_queens && strcmp(value, "fib") != 0)
            argp_error(state, "--problem: '%s' is none of fib, queens", value);
        return 0;
    }
    if (!at)
        return ARGP_ERR_UNKNOWN;
    if (bench_list_parse(value, 1, 47, fields[at - "Nbt"]) != 1)
        argp_error(state, "'%s' is no number of 1 to 47", value);
    return 0;
}

/* What runs, in the order of variants. @return  how many [N_VARIANTS at most]. */
static uint32_t choose(struct place *place, const struct bench_options *options, uint32_t *chosen)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < N_VARIANTS; v++) {
        bool is_there = bench_variant_is_wanted(options, variants[v]);
#ifndef BENCH_HAVE_TBB
        is_there = is_there && v != TBB;
#endif
        if (is_there && v >= HOST)
            is_there = open_runner(place, &place->runners[v], variants[v]);
        if (is_there)
            chosen[n++] = v;
    }
    return n;
}

static void report(const struct place *place, const struct bench_options *options,
                   const struct bench_subject *subjects, const uint32_t *chosen, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        bench_report(options, "bench-flow", place->is_queens ? "solutions/s" : "calls/s",
                     &subjects[i], fields_of(place));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t against = 0; against < i && chosen[against] < HOST; against++)
            bench_report_ratio(options, "bench-flow", &subjects[i], &subjects[against],
                               fields_of(place));
}

int main(int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"problem", 'p', "NAME", 0, "fib or queens (fib)", 0},
        {"number", 'N', "N", 0, "Which Fibonacci number, or rows of the board (30, 12)", 0},
        {"base", 'b', "ROWS", 0, "Rows of the board that one task fills (4)", 0},
        {"threads", 't', "N", 0, "Threads of oneTBB (1)", 0},
        {0}};
    static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = own,
                                     .parser = parse,
                                     .children = children,
                                     .doc = "Recursions as flows, by each scheduler."};
    static struct bench_subject subjects[N_VARIANTS];
    static struct place place = {.base = 4, .n_threads = 1};
    struct bench_options options = BENCH_OPTIONS_INIT;
    uint32_t chosen[N_VARIANTS];
    argp_parse(&argp, argc, argv, 0, NULL, (void *[]){&place, &options});
    place.n = place.n ? place.n : place.is_queens ? 12 : 30;
    if (place.is_queens && (place.base >= place.n || place.n > 18))
        must(GRAVEL_EINVAL, "--base is not below --number, or that not up to 18");
    place.expected = serial(&place);
    place.work = place.is_queens ? (double)place.expected
                                 : 2 * (double)serial_fib(place.n + 1) - 1; /* calls */
#ifdef BENCH_HAVE_TBB
    flow_tbb_threads(place.n_threads);
#endif
    uint32_t n = choose(&place, &options, chosen);
    for (uint32_t i = 0; i < n; i++) {
        double rate;
        subjects[i] = (struct bench_subject){.variant = variants[chosen[i]]};
        run((void *[]){&place, chosen}, i, &rate); /* kernels are compiled at their first launch */
    }
    bench_rounds(subjects, n, options.runs, run, (void *[]){&place, chosen});
    report(&place, &options, subjects, chosen, n);
    for (uint32_t v = HOST; v < N_VARIANTS; v++)
        close_runner(&place.runners[v]);
    return 0;
}
