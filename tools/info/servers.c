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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LOG_KEYS 17u
#define LEAST_ITEMS (1u << 12)
#define MOST_ITEMS (1u << 24)
#define ENOUGH_S 0.02 /* of a launch */
#define N_TRIALS 3u
#define GROUP 256u /* [work-items] of kernels without servers, wanted */
#define HEAP_BYTES (4u << 20)

extern const char info_servers_cl[];

/* log2 of how many keys */
static const uint32_t log_keys[] = {8, 10, 15, MOST_LOG_KEYS};
#define N_ROWS (sizeof log_keys / sizeof *log_keys)

enum way { SERVED, LOCKED, ATOMIC, N_WAYS };
static const char *const kernel_names[] = {"count_served", "count_locked", "count_atomic"};

struct bench {
    struct gravel *gravel;
    cl_program program;
    cl_kernel kernels[N_WAYS];
    size_t group;          /* of kernels without servers */
    uint32_t units;        /* compute units */
    uint64_t words, locks; /* heap offsets */
    uint32_t *expected;    /* [keys][2] */
};

/* A cell of the table. */
struct cell {
    enum way way;
    uint32_t log_keys;
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

/* Groups that the kernels without servers bear. */
static int find_group(struct bench *bench)
{
    cl_device_id device;
    cl_uint units = 1;
    size_t most = GROUP;
    cl_int error =
        clGetProgramInfo(bench->program, CL_PROGRAM_DEVICES, sizeof device, &device, NULL);
    if (error == CL_SUCCESS)
        error = clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    bench->group = GROUP;
    bench->units = units;
    for (enum way way = LOCKED; way < N_WAYS && error == CL_SUCCESS; way++) {
        error = clGetKernelWorkGroupInfo(bench->kernels[way], device, CL_KERNEL_WORK_GROUP_SIZE,
                                         sizeof most, &most, NULL);
        while (bench->group > most)
            bench->group /= 2;
    }
    return gravel_check_cl("work-groups of the measurement", error);
}

static int alloc_words(struct bench *bench)
{
    const uint64_t bytes = sizeof(uint32_t) << MOST_LOG_KEYS;
    bench->expected = malloc(2 * bytes);
    int code = bench->expected ? gravel_alloc(bench->gravel, 2 * bytes, &bench->words)
                               : gravel_fail(GRAVEL_ENOMEM, "%zu bytes", (size_t)(2 * bytes));
    if (!code)
        code = gravel_alloc(bench->gravel, bytes, &bench->locks);
    return code ? code : gravel_set_constant(bench->gravel, 0, bench->words);
}

static int open_bench(struct bench *bench, const struct gravel_config *given, const char *mode)
{
    static const struct gravel_handler handlers[] = {
        {.name = "note", .n_args = 2, .serve = {.n_keys = 1}}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1,
                        .device_code = {info_servers_cl, "servers.cl", NULL});
    struct gravel_config config = *given;
    strcpy(config.transport, "self");
    config.loopback_nodes = 1;
    config.heap_bytes = HEAP_BYTES;
    config.trace[0] = '\0';
    config.stats = false;
    snprintf(config.server_mode, sizeof config.server_mode, "%s", mode);
    int code = gravel_open(&bench->gravel, &config, &bindings);
    if (!code)
        code = alloc_words(bench);
    if (!code)
        code = gravel_server_build(bench->gravel, "servers.cl", info_servers_cl, NULL,
                                   &bench->program);
    for (enum way way = SERVED; way < N_WAYS && !code; way++)
        code = make_kernel(bench, way);
    return code ? code : find_group(bench);
}

static int close_bench(struct bench *bench)
{
    for (enum way way = SERVED; way < N_WAYS; way++)
        if (bench->kernels[way])
            clReleaseKernel(bench->kernels[way]);
    if (bench->program)
        clReleaseProgram(bench->program);
    free(bench->expected);
    return bench->gravel ? gravel_close(bench->gravel) : 0;
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

static int launch_served(const struct bench *bench, uint32_t n_items)
{
    return gravel_server_launch(bench->gravel, bench->kernels[SERVED], n_items, 0, NULL, NULL);
}

static int launch_alone(const struct bench *bench, const struct cell *cell, cl_uint n_items)
{
    size_t groups = (n_items + bench->group - 1) / bench->group;
    if (cell->n_groups && cell->n_groups < groups)
        groups = cell->n_groups;
    const size_t global = groups * bench->group;
    const cl_uint n_work_items = (cl_uint)global;
    const cl_ulong words = bench->words, locks = bench->locks;
    cl_kernel kernel = bench->kernels[cell->way];
    clSetKernelArg(kernel, 2, sizeof n_items, &n_items);
    clSetKernelArg(kernel, 3, sizeof n_work_items, &n_work_items);
    clSetKernelArg(kernel, 4, sizeof words, &words);
    clSetKernelArg(kernel, 5, sizeof locks, &locks);
    int code = gravel_launch(bench->gravel, kernel, 1, &global, &bench->group, 0, NULL, NULL);
    return code ? code : gravel_quiet(bench->gravel);
}

/* @param seconds  [out] that a launch of n_items took. */
static int run(const struct bench *bench, const struct cell *cell, uint32_t n_items,
               double *seconds)
{
    const cl_uint log_keys_there = cell->log_keys;
    int code = clear(bench, bench->words, (uint64_t)2 * sizeof(uint32_t) << cell->log_keys);
    if (!code)
        code = clear(bench, bench->locks, (uint64_t)sizeof(uint32_t) << cell->log_keys);
    if (code)
        return code;
    clSetKernelArg(bench->kernels[cell->way], 1, sizeof log_keys_there, &log_keys_there);
    const uint64_t begin_ns = gravel_clock_ns();
    code = cell->way == SERVED ? launch_served(bench, n_items) : launch_alone(bench, cell, n_items);
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

/* Locks have a best number of groups: one, or some, a compute unit, or as many as there is work for. */
static int measure_locks(const struct bench *bench, uint32_t log_of_keys, json_t *row)
{
    const uint32_t groups[] = {bench->units, 4 * bench->units, 0};
    double best = 0, rate;
    uint32_t best_groups = 0;
    int code = 0;
    for (uint32_t i = 0; i < sizeof groups / sizeof *groups && !code; i++) {
        code = measure(bench, (struct cell){LOCKED, log_of_keys, groups[i]}, &rate);
        if (!code && rate > best) {
            best = rate;
            best_groups = groups[i];
        }
    }
    json_object_set_new(row, "locks", json_real(best));
    json_object_set_new(row, "lock_groups", json_integer(best_groups));
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int measure_row(const struct bench *bench, const char *mode, bool with_other_ways,
                       uint32_t log_of_keys, json_t *row)
{
    double rate;
    int code = measure(bench, (struct cell){SERVED, log_of_keys, 0}, &rate);
    if (!code)
        json_object_set_new(row, mode, json_real(rate));
    if (code || !with_other_ways)
        return code;
    code = measure_locks(bench, log_of_keys, row);
    if (!code)
        code = measure(bench, (struct cell){ATOMIC, log_of_keys, 0}, &rate);
    if (!code)
        json_object_set_new(row, "atomics", json_real(rate));
    return code;
}

/* In a node of the mode. @return also GRAVEL_ECAPABILITY: the device cannot have it. */
static int measure_mode(const struct gravel_config *config, const char *mode, bool with_other_ways,
                        json_t *rows)
{
    struct bench bench = {.gravel = NULL};
    char why[GRAVEL_ERROR_BYTES];
    int code = open_bench(&bench, config, mode);
    for (size_t i = 0; i < N_ROWS && !code; i++)
        code = measure_row(&bench, mode, with_other_ways, log_keys[i], json_array_get(rows, i));
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
