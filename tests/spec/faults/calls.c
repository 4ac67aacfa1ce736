/* SPDX-License-Identifier: MIT */
/*
 * Calls of a node after a call that failed: what is in the heap is old or new, what counted once counts once, and the
 * same call succeeds next.
 *
 * Path: main.c -> this -> lib/node
 */
#include "after.h"

#include <string.h>

#define N 256u
#define N_FILLED (1u << 18) /* words, of more than one block of gravel_fill */
#define FILLING 0x01020304u
#define ITEMS 2048u

static uint64_t words;
static cl_program program;
static cl_kernel kernel;
static uint64_t sums[1];

static void make_words(void)
{
    words = alloc_or_die(gravel, N_FILLED * sizeof(uint32_t));
}

/* The first words of the own part are all `new`, or if `may_be_old` those behind some are 0. */
static void expect_words(uint32_t n, uint32_t new, bool may_be_old)
{
    const uint32_t *are = read_map(gravel, gravel_node(gravel), words, n * sizeof *are);
    uint32_t i = 0;
    while (i < n && are[i] == new)
        i++;
    MUST(i == n || may_be_old);
    while (i < n && are[i] == 0)
        i++;
    MUST(i == n);
    unmap(gravel, are);
}

static int map_and_write(void)
{
    void *mapped = gravel;
    int code = gravel_map(gravel, words, N * sizeof(uint32_t), CL_MAP_READ | CL_MAP_WRITE,
                          gravel_node(gravel), &mapped);
    if (code) {
        MUST(!mapped);
        return code;
    }
    for (uint32_t i = 0; i < N; i++)
        ((uint32_t *)mapped)[i] = FILLING;
    code = gravel_unmap(gravel, mapped);
    const int failed = gravel_unmap(gravel, mapped);
    MUST(failed == GRAVEL_EINVAL);
    return code;
}

/* What act wrote is old from some word on if it failed; called again it is whole. */
static void expect_written(uint32_t n, int (*act)(void))
{
    expect_words(n, FILLING, acted != 0);
    if (acted)
        OK(act());
    expect_words(n, FILLING, false);
    OK(gravel_free(gravel, words));
}

static void maps_are_whole(void)
{
    expect_written(N, map_and_write);
}

static int fill_words(void)
{
    const uint32_t pattern = FILLING;
    return gravel_fill(gravel, words, N_FILLED * sizeof pattern, &pattern, sizeof pattern,
                       gravel_node(gravel));
}

static void filled_from_the_front(void)
{
    expect_written(N_FILLED, fill_words);
}

static const char source[] = "#include \"gravel.cl.h\"\n"
                             "kernel void count(GRAVEL_ARENA, ulong words)\n"
                             "{\n"
                             "    GRAVEL_OPEN(g);\n"
                             "    gravel_inc_uint_wg(g, words, 0, 0);\n"
                             "}\n";

static int build(void)
{
    program = (cl_program)gravel;
    int code = gravel_program_build(gravel, "count.cl", source, NULL, &program);
    MUST(!code || !program);
    return code;
}

static void make_kernel_of(cl_program of)
{
    make_words();
    kernel = kernel_or_die(gravel, of, "count");
    const cl_ulong at = words;
    MUST(clSetKernelArg(kernel, 1, sizeof at, &at) == CL_SUCCESS);
}

static void make_kernel(void)
{
    make_kernel_of(after_program(source, NULL));
}

static int launch(void)
{
    const size_t global = ITEMS, local = 64;
    cl_event event = (cl_event)gravel;
    int code = gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, &event);
    MUST(!code || !event);
    if (event)
        clReleaseEvent(event);
    return code;
}

static void built_next(void)
{
    make_kernel_of(program);
    OK(launch());
    OK(gravel_barrier(gravel));
    if (gravel_is_local(gravel, 0))
        MUST(word32(gravel, 0, words) % ITEMS == 0 && word32(gravel, 0, words) > 0);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_barrier(gravel));
    OK(gravel_free(gravel, words));
}

static void drop_kernel(void)
{
    clReleaseKernel(kernel);
}

/* What failed has sent whole groups; the next launch sends all. */
static void launched_next(void)
{
    const uint32_t sent = word32(gravel, 0, words);
    MUST(acted ? sent <= ITEMS && sent % 64 == 0 : sent == ITEMS);
    OK(launch());
    OK(gravel_barrier(gravel));
    MUST(word32(gravel, 0, words) == sent + ITEMS);
    OK(gravel_free(gravel, words));
    drop_kernel();
}

static int launch_in_session(void)
{
    OK(gravel_session_begin(gravel));
    return launch();
}

static void launched_after_session(void)
{
    const int ended = gravel_session_end(gravel);
    if (gravel_barrier(gravel)) {
        drop_kernel();
        return;
    }
    OK(ended);
    after_expect(gravel_session_end(gravel), GRAVEL_EINVAL, "no session has been begun");
    launched_next();
}

static void make_counter(void)
{
    make_words();
    sums[0] = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++)
        if (gravel_is_local(gravel, node))
            fill(gravel, node, words, 1, sizeof(uint32_t));
}

static int sum_counter(void)
{
    return gravel_barrier_sum(gravel, words, 1, NULL, sums);
}

static void counted_once(void)
{
    const uint64_t first = sums[0];
    OK(sum_counter());
    MUST(first + sums[0] == 0x01010101ull * gravel_n_nodes(gravel));
    OK(sum_counter());
    MUST(sums[0] == 0);
    OK(gravel_free(gravel, words));
}

static int quiet(void)
{
    return gravel_quiet(gravel);
}

const struct after_row call_rows[] = {
    {"quiet", "gravel_quiet", "the next waits", .act = quiet, .fails = AFTER_MEMORY,
     .is_repeated = true},
    {"map", "a map or unmap", "the part is old or new", .prepare = make_words, .act = map_and_write,
     .hold = maps_are_whole, .fails = AFTER_ALL},
    {"fill", "gravel_fill", "no word is of neither value", .prepare = make_words, .act = fill_words,
     .hold = filled_from_the_front, .fails = AFTER_ALL},
    {"program", "gravel_program_build", "the next builds", .act = build, .hold = built_next,
     .fails = AFTER_ALL, .is_repeated = true},
    {"launch", "gravel_launch", "the next sends all", .prepare = make_kernel, .act = launch,
     .hold = launched_next, .fails = AFTER_ALL, .drop = drop_kernel},
    {"session", "a launch within", "it ends, and sends all", .prepare = make_kernel,
     .act = launch_in_session, .hold = launched_after_session, .fails = AFTER_ALL,
     .meets_the_end = true},
    {"sum", "gravel_barrier_sum", "each counts once", .prepare = make_counter, .act = sum_counter,
     .hold = counted_once, .fails = AFTER_ALL},
    {0},
};
