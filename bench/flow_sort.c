/* SPDX-License-Identifier: MIT */
/*
 * Sorting of random keys in bench-flow, by the kernel of apps/sort: beside qsort, oneTBB's parallel_sort, and a radix
 * sort of one thread. See flow_problem.h.
 *
 * The flow's time is that of its tasks: its input lies on the device, and so does its result. The rivals sort in the
 * host's memory.
 *
 * Path:   bench_flow.c -> this -> apps/sort/graph.c, apps/sort/sort.cl, flow_tbb.cpp
 * Source: Orr 2016, table 4-3; Knuth, The Art of Computer Programming 3, section 5.2.5 (radix sort, least digit first).
 */
#include "flow_problem.h"
#include "bench_gravel.h"
#include "flow_tbb.h"
#include "frame/random.h"
#include "sort/graph.h"
#include "sort/sort.h"

#include <stdlib.h>
#include <string.h>

extern const char sort_cl[];

#define GROUP_ITEMS 256u
#define DIGIT_BITS 8u
#define N_BUCKETS (1u << DIGIT_BITS)

static struct sort_size size;
static uint32_t *drawn, *expected; /* [n] */
static uint32_t *keys, *spare;     /* [n] of the run; the result is in keys */

static size_t bytes_of_keys(void)
{
    return size.n * sizeof *keys;
}

/* ---- rivals ------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_serial(void)
{
    qsort(keys, size.n, sizeof *keys, compare);
}

#ifdef BENCH_HAVE_TBB
static void sort_tbb(void)
{
    flow_tbb_sort(keys, size.n);
}
#endif

/* In the order of one digit, equal ones as they were. */
static void pass_by_digit(const uint32_t *from, uint32_t *to, uint32_t shift)
{
    uint32_t next[N_BUCKETS] = {0}, n_before = 0;
    for (uint32_t i = 0; i < size.n; i++)
        next[from[i] >> shift & (N_BUCKETS - 1)]++;
    for (uint32_t bucket = 0; bucket < N_BUCKETS; bucket++) {
        uint32_t n = next[bucket];
        next[bucket] = n_before;
        n_before += n;
    }
    for (uint32_t i = 0; i < size.n; i++)
        to[next[from[i] >> shift & (N_BUCKETS - 1)]++] = from[i];
}

/* An even number of passes, so that the result is in keys. */
static void sort_radix(void)
{
    for (uint32_t shift = 0; shift < 32; shift += 2 * DIGIT_BITS) {
        pass_by_digit(keys, spare, shift);
        pass_by_digit(spare, keys, shift + DIGIT_BITS);
    }
}

/* ---- the flow ------------------------------------------------------------------------------------ */

static void *array_of_keys(void)
{
    void *array = malloc(bytes_of_keys());
    must(array ? 0 : GRAVEL_ENOMEM, "the keys");
    return array;
}

static double set_up(uint32_t n, uint32_t base)
{
    const uint64_t key = random_key(1);
    size = (struct sort_size){n, base, GROUP_ITEMS};
    drawn = array_of_keys();
    expected = array_of_keys();
    keys = array_of_keys();
    spare = array_of_keys();
    for (uint32_t i = 0; i < n; i++)
        expected[i] = drawn[i] = (uint32_t)random_at(key, i);
    qsort(expected, n, sizeof *expected, compare);
    return n;
}

static cl_mem array_on_device(const struct flow_runner *runner, const uint32_t *data)
{
    cl_int error;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem array = clCreateBuffer(gravel_cl_context(runner->gravel), flags, bytes_of_keys(),
                                  (void *)(uintptr_t)data, &error);
    must(error == CL_SUCCESS ? 0 : GRAVEL_ENOMEM, "clCreateBuffer");
    return array;
}

static int make(struct flow_runner *runner)
{
    const struct gravel_graph graph = sort_graph(&size);
    char options[SORT_OPTIONS_BYTES];
    sort_write_options(&size, options);
    int code = flow_runner_build(runner, &graph, "sort.cl", sort_cl, options, "sort_flow");
    for (cl_uint i = 0; i < 3 && !code; i++) {
        runner->arrays[i] = array_on_device(runner, i ? NULL : drawn);
        code = gravel_flow_set_argument(runner->flow, 2 + i, sizeof(cl_mem), &runner->arrays[i]);
    }
    return code;
}

static int call(const struct flow_runner *runner)
{
    const struct split all = {0, size.n};
    int code = gravel_flow_push(runner->flow, "split", &all, 1);
    return code ? code : gravel_flow_run(runner->flow);
}

/* ---- before and after a run ------------------------------------------------------------------- */

static void check_cl(cl_int error, const char *what)
{
    must(error == CL_SUCCESS ? 0 : GRAVEL_ECL, what);
}

/* No result is there, not that of an earlier run either. */
static void reset(const struct flow_runner *runner)
{
    const cl_uint zero = 0;
    memcpy(keys, drawn, bytes_of_keys());
    if (!runner)
        return;
    cl_command_queue queue = gravel_cl_queue(runner->gravel);
    check_cl(clEnqueueFillBuffer(queue, runner->arrays[1], &zero, sizeof zero, 0, bytes_of_keys(),
                                 0, NULL, NULL),
             "clEnqueueFillBuffer");
    check_cl(clFinish(queue), "clFinish");
}

static bool is_right(const struct flow_runner *runner)
{
    if (runner)
        check_cl(clEnqueueReadBuffer(gravel_cl_queue(runner->gravel), runner->arrays[1], CL_TRUE, 0,
                                     bytes_of_keys(), keys, 0, NULL, NULL),
                 "clEnqueueReadBuffer");
    return memcmp(keys, expected, bytes_of_keys()) == 0;
}

const struct flow_problem flow_sort = {.name = "sort",
                                       .unit = "keys/s",
                                       .n = 1000000,
                                       .base = 64,
                                       .most_n = 1u << 30,
                                       .open = set_up,
                                       .serial = sort_serial,
#ifdef BENCH_HAVE_TBB
                                       .tbb = sort_tbb,
#endif
                                       .radix = sort_radix,
                                       .make = make,
                                       .call = call,
                                       .reset = reset,
                                       .is_right = is_right};
