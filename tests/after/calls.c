/* SPDX-License-Identifier: MIT */
/*
 * Calls of a node after a call that failed: what is in the heap is old or new, what counted once counts once, and the
 * same call succeeds next.
 *
 * Path: main.c -> this -> lib/node
 */
#include "after.h"

#include <gravel/block_pool.h>

#include <string.h>

#define N 256u
#define N_FILLED (1u << 18) /* words, of more than one block of gravel_fill */
#define FILLING 0x01020304u
#define ITEMS 2048u

static uint64_t words;
static cl_program program;
static cl_kernel kernel;
static uint64_t sums[1];
static struct gravel_block_pool *pool;

static void make_words(struct gravel *gravel)
{
    words = alloc_or_die(gravel, N_FILLED * sizeof(uint32_t));
}

/* The first words of the own part are all `new`, or if `may_be_old` those behind some are 0. */
static void expect_words(struct gravel *gravel, uint32_t n, uint32_t new, bool may_be_old)
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

/* Calls again what failed, unless the node has ended. @return whether it works */
static bool again(struct gravel *gravel, int code, int (*act)(struct gravel *gravel))
{
    if (gravel_barrier(gravel))
        return false;
    if (code)
        OK(act(gravel));
    return true;
}

static int map_and_write(struct gravel *gravel)
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

static void maps_are_whole(struct gravel *gravel, int code)
{
    if (gravel_barrier(gravel))
        return;
    expect_words(gravel, N, FILLING, code != 0);
    if (code)
        OK(map_and_write(gravel));
    expect_words(gravel, N, FILLING, false);
    OK(gravel_free(gravel, words));
}

static int fill_words(struct gravel *gravel)
{
    const uint32_t pattern = FILLING;
    return gravel_fill(gravel, words, N_FILLED * sizeof pattern, &pattern, sizeof pattern,
                       gravel_node(gravel));
}

static void filled_from_the_front(struct gravel *gravel, int code)
{
    if (gravel_barrier(gravel))
        return;
    expect_words(gravel, N_FILLED, FILLING, code != 0);
    if (code)
        OK(fill_words(gravel));
    expect_words(gravel, N_FILLED, FILLING, false);
    OK(gravel_free(gravel, words));
}

static const char source[] = "#include \"gravel.cl.h\"\n"
                             "kernel void count(GRAVEL_ARENA, ulong words)\n"
                             "{\n"
                             "    GRAVEL_OPEN(g);\n"
                             "    gravel_inc_uint_wg(g, words, 0, 0);\n"
                             "}\n";

static int build(struct gravel *gravel)
{
    program = (cl_program)gravel;
    return gravel_program_build(gravel, "count.cl", source, NULL, &program);
}

static int build_what_is_wrong(struct gravel *gravel)
{
    program = (cl_program)gravel;
    return gravel_program_build(gravel, "wrong.cl", "#error no kernel\n", NULL, &program);
}

static void make_kernel_of(struct gravel *gravel, cl_program of)
{
    make_words(gravel);
    kernel = kernel_or_die(gravel, of, "count");
    const cl_ulong at = words;
    MUST(clSetKernelArg(kernel, 1, sizeof at, &at) == CL_SUCCESS);
}

static void make_kernel(struct gravel *gravel)
{
    make_kernel_of(gravel, after_program(gravel, source, NULL));
}

static int launch(struct gravel *gravel)
{
    const size_t global = ITEMS, local = 64;
    cl_event event = (cl_event)gravel;
    int code = gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, &event);
    MUST(!code || !event);
    if (event)
        clReleaseEvent(event);
    return code;
}

static void built_next(struct gravel *gravel, int code)
{
    if (code)
        MUST(!program);
    if (!again(gravel, code, build))
        return;
    make_kernel_of(gravel, program);
    OK(launch(gravel));
    OK(gravel_barrier(gravel));
    if (gravel_is_local(gravel, 0))
        MUST(word32(gravel, 0, words) % ITEMS == 0 && word32(gravel, 0, words) > 0);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_barrier(gravel));
    OK(gravel_free(gravel, words));
}

static void wrong_is_told(struct gravel *gravel, int code)
{
    after_expect(code, GRAVEL_EBUILD, "no kernel");
    built_next(gravel, code);
}

/* What failed has sent whole groups; the next launch sends all. */
static void launched_next(struct gravel *gravel, int code)
{
    if (!gravel_barrier(gravel)) {
        const uint32_t sent = word32(gravel, 0, words);
        MUST(code ? sent <= ITEMS && sent % 64 == 0 : sent == ITEMS);
        OK(launch(gravel));
        OK(gravel_barrier(gravel));
        MUST(word32(gravel, 0, words) == sent + ITEMS);
        OK(gravel_free(gravel, words));
    }
    clReleaseKernel(kernel);
}

static int launch_in_session(struct gravel *gravel)
{
    OK(gravel_session_begin(gravel));
    return launch(gravel);
}

static void launched_after_session(struct gravel *gravel, int code)
{
    const int ended = gravel_session_end(gravel);
    if (gravel_barrier(gravel)) {
        clReleaseKernel(kernel);
        return;
    }
    OK(ended);
    after_expect(gravel_session_end(gravel), GRAVEL_EINVAL, "no session has been begun");
    launched_next(gravel, code);
}

static void make_counter(struct gravel *gravel)
{
    make_words(gravel);
    sums[0] = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++)
        if (gravel_is_local(gravel, node))
            fill(gravel, node, words, 1, sizeof(uint32_t));
}

static int sum_counter(struct gravel *gravel)
{
    return gravel_barrier_sum(gravel, words, 1, NULL, sums);
}

static void counted_once(struct gravel *gravel, int code)
{
    (void)code;
    if (gravel_barrier(gravel))
        return;
    const uint64_t first = sums[0];
    OK(sum_counter(gravel));
    MUST(first + sums[0] == 0x01010101ull * gravel_n_nodes(gravel));
    OK(sum_counter(gravel));
    MUST(sums[0] == 0);
    OK(gravel_free(gravel, words));
}

static int set_constant(struct gravel *gravel)
{
    return gravel_set_constant(gravel, 1, 77);
}

static void set_next(struct gravel *gravel, int code)
{
    again(gravel, code, set_constant);
}

static void make_pool(struct gravel *gravel)
{
    OK(gravel_block_pool_create(&pool, gravel, 64, 100));
}

static int read_pool(struct gravel *gravel)
{
    struct gravel_block_pool_stats stats;
    (void)gravel;
    int code = gravel_block_pool_stats_read(pool, &stats, sizeof stats);
    MUST(code || (stats.n_blocks == 100 && stats.n_used == 0 && stats.n_failed == 0));
    return code;
}

static int destroy_pool(struct gravel *gravel)
{
    (void)gravel;
    return gravel_block_pool_destroy(pool);
}

static void read_next(struct gravel *gravel, int code)
{
    if (again(gravel, code, read_pool))
        OK(destroy_pool(gravel));
}

static void destroyed(struct gravel *gravel, int code)
{
    again(gravel, code, destroy_pool);
}

#define FAILS .fails = AFTER_DRIVER | AFTER_MEMORY

const struct after_row call_rows[] = {
    {"map", "a call of the driver or memory fails in a map or unmap", "the part is old or new",
     .prepare = make_words, .act = map_and_write, .hold = maps_are_whole, FAILS},
    {"fill", "a call of the driver or memory fails in gravel_fill", "no word is of neither value",
     .prepare = make_words, .act = fill_words, .hold = filled_from_the_front, FAILS},
    {"program", "a text is not OpenCL C", "the next is built", .act = build_what_is_wrong,
     .hold = wrong_is_told},
    {"program", "a call of the driver or memory fails in gravel_program_build", "the next builds",
     .act = build, .hold = built_next, FAILS},
    {"launch", "a call of the driver or memory fails in gravel_launch", "the next sends all",
     .prepare = make_kernel, .act = launch, .hold = launched_next, FAILS},
    {"session", "a call of the driver or memory fails in a launch within", "it ends, and sends all",
     .prepare = make_kernel, .act = launch_in_session, .hold = launched_after_session, FAILS},
    {"sum", "a call of the driver or memory fails in gravel_barrier_sum", "each counts once",
     .prepare = make_counter, .act = sum_counter, .hold = counted_once, FAILS},
    {"constant", "a call of the driver or memory fails in gravel_set_constant", "the next sets it",
     .act = set_constant, .hold = set_next, FAILS},
    {"block pool", "a call of the driver or memory fails in gravel_block_pool_stats_read",
     "the next reads", .prepare = make_pool, .act = read_pool, .hold = read_next, FAILS},
    {"block pool", "a call of the driver or memory fails in gravel_block_pool_destroy",
     "its memory is free", .prepare = make_pool, .act = destroy_pool, .hold = destroyed, FAILS},
    {0},
};
