/* SPDX-License-Identifier: MIT */
/*
 * Critical sections a second. See servers.h.
 *
 * A figure is the median of three launches that are long enough to be timed. What each key must hold is computed here
 * by taking the items one after another.
 */
#include "servers.h"

#include "base/clock.h"
#include "base/error.h"
#include "child.h"
#include "gravel/server.h"
#include "node_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LOG_KEYS 17u
#define LEAST_ITEMS (1u << 12)
#define MOST_ITEMS (1u << 24)
#define ENOUGH_S 0.02 /* of a launch */
#define N_TRIALS 3u
#define GROUP \
    256u /* [work-items] for each that kernels without servers have, in multiples of compute units */
#define HEAP_BYTES (4u << 20)

extern const char info_servers_cl[];

static const uint32_t log_keys[] = {8, 10, 15, MOST_LOG_KEYS};
#define N_ROWS (sizeof log_keys / sizeof *log_keys)

enum way { SERVED, LOCKED, ATOMIC, N_WAYS };
static const char *const kernel_names[] = {"count_served", "count_locked", "count_atomic"};

struct bench {
    struct gravel *gravel;
    cl_program program;
    cl_kernel kernels[N_WAYS];
    cl_uint units;         /* compute units */
    uint64_t words, locks; /* heap offsets */
    uint32_t *expected;    /* [keys][2] */
};

/* What is measured at once. */
struct cell {
    enum way way;
    cl_uint log_keys;
    uint32_t n_groups; /* of kernels without servers; 0: a work-item for each item */
};

/* ---- open ------------------------------------------------------------------------------------ */

static int make_kernel(struct bench *bench, enum way way)
{
    cl_int error;
    bench->kernels[way] = clCreateKernel(bench->program, kernel_names[way], &error);
    return error == CL_SUCCESS ? gravel_kernel_set_arena(bench->gravel, bench->kernels[way], 0)
                               : gravel_fail_cl("clCreateKernel", error);
}

static int open_bench(struct bench *bench, const struct gravel_config *given, const char *mode)
{
    static const struct gravel_handler handlers[] = {
        {.name = "note", .n_args = 2, .serve = {.n_keys = 1}}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1,
                        .device_code = {info_servers_cl, "servers.cl", NULL});
    struct gravel_config config = info_config_alone(given, 1, HEAP_BYTES);
    const uint64_t bytes = sizeof(uint32_t) << MOST_LOG_KEYS;
    snprintf(config.server_mode, sizeof config.server_mode, "%s", mode);
    bench->expected = malloc(2 * bytes);
    int code = bench->expected ? gravel_open(&bench->gravel, &config, &bindings)
                               : gravel_fail(GRAVEL_ENOMEM, "%zu bytes", (size_t)(2 * bytes));
    if (!code)
        code = gravel_alloc(bench->gravel, 2 * bytes, &bench->words);
    if (!code)
        code = gravel_alloc(bench->gravel, bytes, &bench->locks);
    if (!code)
        code = gravel_set_constant(bench->gravel, 0, bench->words);
    if (!code)
        code = gravel_server_build(bench->gravel, "servers.cl", info_servers_cl, NULL,
                                   &bench->program);
    for (enum way way = SERVED; way < N_WAYS && !code; way++)
        code = make_kernel(bench, way);
    return code ? code
                : gravel_check_cl("compute units",
                                  clGetDeviceInfo(gravel_cl_device(bench->gravel),
                                                  CL_DEVICE_MAX_COMPUTE_UNITS, sizeof bench->units,
                                                  &bench->units, NULL));
}

static int close_bench(struct bench *bench)
{
    for (enum way way = SERVED; way < N_WAYS; way++)
        if (bench->kernels[way])
            clReleaseKernel(bench->kernels[way]);
    if (bench->program)
        clReleaseProgram(bench->program);
    free(bench->expected);
    return gravel_close(bench->gravel);
}

/* ---- run ------------------------------------------------------------------------------------- */

static int clear(const struct bench *bench, uint64_t at, uint64_t bytes)
{
    void *words;
    int code = gravel_map(bench->gravel, at, bytes, CL_MAP_WRITE_INVALIDATE_REGION, 0, &words);
    if (code)
        return code;
    memset(words, 0, bytes);
    return gravel_unmap(bench->gravel, words);
}

static int check(const struct bench *bench, const struct cell *cell, uint32_t n_items)
{
    const uint32_t n_words = 2u << cell->log_keys;
    uint32_t *words, *expected = bench->expected, n_wrong = 0;
    memset(expected, 0, n_words * sizeof *expected);
    for (uint32_t item = 0; item < n_items; item++) {
        const uint32_t key = item * 2654435761u >> (32 - cell->log_keys);
        expected[2 * key]++;
        expected[2 * key + 1] += item;
    }
    int code = gravel_map(bench->gravel, bench->words, n_words * sizeof *words, CL_MAP_READ, 0,
                          (void **)&words);
    if (code)
        return code;
    for (uint32_t i = 0; i < n_words; i++)
        n_wrong += words[i] != expected[i];
    code = gravel_unmap(bench->gravel, words);
    return n_wrong ? gravel_fail(GRAVEL_ECORRUPT, "%s: %u of %u words are wrong after %u items",
                                 kernel_names[cell->way], n_wrong, n_words, n_items)
                   : code;
}

static int launch(const struct bench *bench, const struct cell *cell, cl_uint n_items)
{
    cl_kernel kernel = bench->kernels[cell->way];
    if (cell->way == SERVED)
        return gravel_server_launch(bench->gravel, kernel, n_items, 0, NULL, NULL);
    size_t n_groups = (n_items + GROUP - 1) / GROUP;
    if (cell->n_groups && cell->n_groups < n_groups)
        n_groups = cell->n_groups;
    const size_t global = n_groups * GROUP;
    const cl_uint counts[] = {n_items, (cl_uint)global};
    const cl_ulong offsets[] = {bench->words, bench->locks};
    for (cl_uint i = 0; i < 2; i++) {
        clSetKernelArg(kernel, 2 + i, sizeof counts[i], &counts[i]);
        clSetKernelArg(kernel, 4 + i, sizeof offsets[i], &offsets[i]);
    }
    int code = gravel_launch(bench->gravel, kernel, 1, &global, NULL, 0, NULL, NULL);
    return code ? code : gravel_quiet(bench->gravel);
}

/* @param seconds  [out] that a launch of n_items took. */
static int run(const struct bench *bench, const struct cell *cell, uint32_t n_items,
               double *seconds)
{
    const uint64_t bytes = (uint64_t)sizeof(uint32_t) << cell->log_keys;
    int code = clear(bench, bench->words, 2 * bytes);
    if (!code)
        code = clear(bench, bench->locks, bytes);
    if (code)
        return code;
    clSetKernelArg(bench->kernels[cell->way], 1, sizeof cell->log_keys, &cell->log_keys);
    const uint64_t begin_ns = gravel_clock_ns();
    code = launch(bench, cell, n_items);
    *seconds = (double)(gravel_clock_ns() - begin_ns) * 1e-9;
    return code ? code : check(bench, cell, n_items);
}

static int compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* @param rate  [out] sections a second. */
static int measure(const struct bench *bench, struct cell cell, double *rate)
{
    double seconds[N_TRIALS] = {0};
    uint32_t n_items = LEAST_ITEMS;
    char stage[64];
    snprintf(stage, sizeof stage, "measuring %s with %u keys", kernel_names[cell.way],
             1u << cell.log_keys);
    info_child_stage(stage);
    int code = run(bench, &cell, n_items, &seconds[0]); /* the first is slow */
    if (!code)
        code = run(bench, &cell, n_items, &seconds[0]);
    while (!code && seconds[0] < ENOUGH_S && n_items < MOST_ITEMS) {
        n_items *= 4;
        code = run(bench, &cell, n_items, &seconds[0]);
    }
    for (uint32_t trial = 1; trial < N_TRIALS && !code; trial++)
        code = run(bench, &cell, n_items, &seconds[trial]);
    qsort(seconds, N_TRIALS, sizeof *seconds, compare);
    *rate = n_items / seconds[N_TRIALS / 2];
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Locks have a best number of groups: one, or some, a compute unit, or as many as there is work for. */
static int measure_others(const struct bench *bench, uint32_t log_of_keys, json_t *row)
{
    const uint32_t groups[] = {bench->units, 4 * bench->units, 0};
    double rate, best = 0;
    uint32_t best_groups = 0;
    int code = 0;
    for (uint32_t i = 0; i < sizeof groups / sizeof *groups && !code; i++) {
        code = measure(bench, (struct cell){LOCKED, log_of_keys, groups[i]}, &rate);
        best_groups = rate > best ? groups[i] : best_groups;
        best = rate > best ? rate : best;
    }
    if (!code)
        code = measure(bench, (struct cell){ATOMIC, log_of_keys, 0}, &rate);
    json_object_set_new(row, "locks", json_real(best));
    json_object_set_new(row, "lock_groups", json_integer(best_groups));
    json_object_set_new(row, "atomics", json_real(rate));
    return code;
}

/* Measures in a node of the mode. @return also GRAVEL_ECAPABILITY: the device cannot have it. */
static int measure_mode(const struct gravel_config *config, const char *mode, bool with_others,
                        json_t *rows)
{
    struct bench bench = {.gravel = NULL};
    char why[GRAVEL_ERROR_BYTES];
    double rate;
    int code = open_bench(&bench, config, mode);
    for (size_t i = 0; i < N_ROWS && !code; i++) {
        json_t *row = json_array_get(rows, i);
        code = measure(&bench, (struct cell){SERVED, log_keys[i], 0}, &rate);
        json_object_set_new(row, mode, json_real(rate));
        if (!code && with_others)
            code = measure_others(&bench, log_keys[i], row);
    }
    snprintf(why, sizeof why, "%s", code ? gravel_last_error() : "");
    int closed = close_bench(&bench);
    return code ? gravel_fail(code, "%s", why) : closed;
}

json_t *info_servers_measure(const struct gravel_config *config, int *code)
{
    json_t *rows = json_array();
    json_t *why = json_null();
    for (size_t i = 0; i < N_ROWS; i++)
        json_array_append_new(rows,
                              json_pack("{s:i, s:n, s:n, s:n, s:n, s:n}", "keys", 1 << log_keys[i],
                                        "phases", "resident", "locks", "lock_groups", "atomics"));
    *code = measure_mode(config, "phases", true, rows);
    if (!*code) {
        *code = measure_mode(config, "resident", false, rows);
        if (*code == GRAVEL_ECAPABILITY || *code == GRAVEL_ECONFIG) {
            why = json_string(gravel_last_error());
            *code = 0;
        }
    }
    return json_pack("{s:o, s:o}", "keys", rows, "not_resident", why);
}
