/* SPDX-License-Identifier: MIT */
/*
 * Accumulators after an error: no word is lost, and none is applied twice.
 *
 * Path: main.c -> this -> lib/accumulate
 */
#include "after.h"

#include <gravel/accumulator.h>

#include <string.h>

#define N 4096u

static uint64_t words;
static struct gravel_accumulator *accumulator;
static bool has_lost;    /* a call has reported that messages were dropped */
static uint64_t n_added; /* words, by this process */

static const char source[] = "#include \"gravel.cl.h\"\n"
                             "#include \"accumulator.cl.h\"\n"
                             "kernel void add(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), uint n_nodes)\n"
                             "{\n"
                             "    GRAVEL_OPEN(g);\n"
                             "    const uint i = get_global_id(0);\n"
                             "    gravel_accumulate_uint_wi(g, a, i, 1u, i % n_nodes);\n"
                             "}\n";

static void allocate(void)
{
    has_lost = false;
    n_added = 0;
    words = alloc_or_die(gravel, N * sizeof(uint32_t));
}

static int create(void)
{
    return gravel_accumulator_create(&accumulator, gravel, words, N, GRAVEL_ADD, GRAVEL_UINT);
}

static void make(void)
{
    allocate();
    OK(create());
}

/* Each process adds 1 to N words. */
static void add(void)
{
    const cl_uint n_nodes = gravel_n_nodes(gravel);
    cl_kernel kernel = kernel_or_die(gravel, after_program(source, NULL), "add");
    OK(gravel_kernel_set_accumulator(accumulator, kernel, 1));
    MUST(clSetKernelArg(kernel, 2, sizeof n_nodes, &n_nodes) == CL_SUCCESS);
    const size_t global = N, local = 64;
    OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL));
    clReleaseKernel(kernel);
    n_added += N;
}

static void make_and_add(void)
{
    make();
    add();
}

/* Note whether a call reports that a frame was dropped, which is no end of the node. @return its code */
static int told(int code)
{
    has_lost = has_lost || (code && strstr(gravel_last_error(), "refused a buffer"));
    return code;
}

static int flush(void)
{
    return told(gravel_accumulator_flush(accumulator));
}

static int destroy(void)
{
    return told(gravel_accumulator_destroy(accumulator));
}

/* That words wait is what it should say. If the node has ended, it has freed the accumulator. */
static int destroy_too_early(void)
{
    int code = destroy();
    if (code == GRAVEL_EINVAL && strstr(gravel_last_error(), "words wait"))
        return 0;
    if (code && told(gravel_barrier(gravel)) && gravel_barrier(gravel))
        accumulator = NULL;
    return code;
}

static void add_behind_a_gate(void)
{
    make_and_add();
    after_close_gate();
}

static void begin_behind_a_gate(void)
{
    add_behind_a_gate();
    OK(gravel_accumulator_begin(accumulator));
}

/* Flushed again, all words have arrived that processes have added; or the node has ended, and every call says so. */
static void all_or_the_end(void)
{
    int code = flush(), destroyed = destroy(), ended = told(gravel_barrier(gravel));
    if (ended && gravel_barrier(gravel))
        return;
    if (has_lost) {
        if (destroyed)
            OK(destroy());
        OK(gravel_free(gravel, words));
        return;
    }
    OK(code);
    OK(destroyed);
    OK(ended);
    uint64_t sums[] = {after_sum(words, N), n_added};
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, sums, 2));
    MUST(sums[0] == sums[1]);
    OK(gravel_free(gravel, words));
}

static void created_next(void)
{
    add();
    all_or_the_end();
}

static void all_behind_the_gate(void)
{
    after_open_gate();
    all_or_the_end();
}

static void all_with_those_added_meanwhile(void)
{
    after_open_gate();
    OK(gravel_accumulator_begin(accumulator));
    add();
    OK(gravel_accumulator_reset(accumulator));
    all_or_the_end();
}

/* A list of nothing, which is not all that waits at the first node. */
static void begin_and_add(void)
{
    make();
    OK(gravel_accumulator_begin(accumulator));
    if (after_is_first())
        add();
}

static void refused_until_flushed(void)
{
    after_expect(acted, GRAVEL_EINVAL, after_is_first() ? "words wait" : "node 0 cannot");
    all_or_the_end();
}

/* The first flushes, so that the kernels are built before their limit is short. */
const struct after_row accumulator_rows[] = {
    {"accumulator", "gravel_accumulator_destroy finds words behind a flush that began with none",
     "it refuses until they are sent", .prepare = begin_and_add, .act = destroy,
     .hold = refused_until_flushed, .least_nodes = 2},
    {"accumulator", "gravel_accumulator_flush", "the next flush sends all", .prepare = make_and_add,
     .act = flush, .hold = all_or_the_end, .fails = AFTER_DRIVER, .meets_the_end = true},
    {"accumulator", "gravel_accumulator_flush", "the next flush sends all", .prepare = make_and_add,
     .act = flush, .hold = all_or_the_end, .fails = AFTER_MEMORY, .meets_the_end = true,
     .least_nodes = 2},
    {"accumulator", "gravel_accumulator_destroy", "the next flush sends all",
     .prepare = make_and_add, .act = destroy_too_early, .hold = all_or_the_end, .fails = AFTER_ALL,
     .meets_the_end = true, .least_nodes = 2},
    {"accumulator", "gravel_accumulator_create", "the next makes it", .prepare = allocate,
     .act = create, .hold = created_next, .fails = AFTER_MEMORY, .is_of_all = true,
     .is_repeated = true},
    {"accumulator", "a kernel outlasts GRAVEL_KERNEL_LIMIT in gravel_accumulator_destroy",
     "the next flush sends all", .configure = after_limit_kernels, .prepare = add_behind_a_gate,
     .act = destroy, .code = GRAVEL_EKERNEL, .part = "GRAVEL_KERNEL_LIMIT",
     .hold = all_behind_the_gate},
    {"accumulator", "a kernel outlasts GRAVEL_KERNEL_LIMIT in gravel_accumulator_destroy",
     "what has begun and what is added later is sent", .configure = after_limit_kernels,
     .prepare = begin_behind_a_gate, .act = destroy, .code = GRAVEL_EKERNEL,
     .part = "GRAVEL_KERNEL_LIMIT", .hold = all_with_those_added_meanwhile},
    {0},
};
