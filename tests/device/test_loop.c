/* SPDX-License-Identifier: MIT */
/*
 * Group calls in loops and branches whose length only the launch knows: two sends, a request and
 * its wait, nested, and beside work-items that go different ways. PoCL 3.1 once lost such
 * messages, some without a word. One program, for its compiler takes most of the time. On step
 * drain no kernel waits, and requests are only sent.
 *
 * Path: meson test -> this -> cl/device/send.cl.h, cl/device/wait.cl.h
 */
#include "expect.h"

#define N_WORDS 8u
#define GROUPS 2u

extern const char loop_cl[]; /* kernels/loop.cl */

static struct gravel *gravel;
static cl_program program;

static void set_up(void)
{
    gravel = open_loopback(2, NULL);
    program = build_or_die(gravel, loop_cl,
                           takes_step(gravel, "drain")
                               ? "-DLONG_WAIT=(void)seen"
                               : "-DKERNELS_WAIT -DLONG_WAIT=WAIT(ulong,reply.signal+64,GE,seen)");
}

static void tear_down(void)
{
    clReleaseProgram(program);
    OK(gravel_close(gravel));
}

static void expect_counts(const char *name, uint32_t n, size_t size,
                          const uint32_t expected[N_WORDS])
{
    const uint64_t arguments[3] = {alloc_or_die(gravel, 4 * N_WORDS), alloc_or_die(gravel, 8192),
                                   alloc_or_die(gravel, 128 * GROUPS)};
    cl_kernel kernel = kernel_or_die(gravel, program, name);
    for (cl_uint i = 0; i < 3; i++)
        MUST(clSetKernelArg(kernel, i + 1, sizeof(cl_ulong), &arguments[i]) == CL_SUCCESS);
    SET(kernel, 4, n);
    OK(run_kernel(gravel, kernel, GROUPS * size, size));
    clReleaseKernel(kernel);
    for (uint32_t word = 0; word < N_WORDS; word++) {
        uint32_t value = word32(gravel, 1, arguments[0] + 4 * word);
        if (value != expected[word])
            fail_msg("%s, n = %u, groups of %zu: word %u is %u, expected %u", name, n, size, word,
                     value, expected[word]);
    }
    for (int i = 0; i < 3; i++)
        OK(gravel_free(gravel, arguments[i]));
}

/* Of a group: work-items below a number, and odd ones. */
static uint32_t below(uint32_t limit, size_t size)
{
    return size < limit ? (uint32_t)size : limit;
}
static uint32_t odd(size_t size)
{
    return (uint32_t)size / 2;
}

TEST(a_request_and_its_wait_in_a_loop)
{
    const size_t sizes[] = {1, 64, 256};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t n = 0; n < 4; n++)
            expect_counts("ask", n, sizes[i], (uint32_t[N_WORDS]){GROUPS * n * below(8, sizes[i])});
}

TEST(two_sends_in_loops_and_branches)
{
    const uint32_t size = 64, all = GROUPS * size, odds = GROUPS * odd(size);
    for (uint32_t n = 0; n < 4; n++)
        expect_counts("send_two", n, size,
                      (uint32_t[N_WORDS]){n * all, n * odds, n ? GROUPS * below(5, size) : 0,
                                          n ? odds : 0, all});
}

TEST(requests_in_nested_loops)
{
    const uint32_t size = 7, all = GROUPS * size;
    for (uint32_t n = 0; n < 4; n++)
        expect_counts("ask_twice", n, size, (uint32_t[N_WORDS]){n * (n - (n > 0)) / 2 * all, all});
}

/* What every work-item adds in the end is how many messages its group has sent before. */
TEST(calls_on_both_sides_of_a_branch)
{
    const uint32_t size = 64, all = GROUPS * size;
    for (uint32_t n = 0; n < 4; n++)
        expect_counts("ask_or_send", n, size,
                      (uint32_t[N_WORDS]){n == 1 ? all : 0, n > 1 ? all * n * below(5, size) : 0});
}

TEST(waits_for_longs_and_loops_of_different_length)
{
    const uint32_t size = 64;
    for (uint32_t n = 0; n < 4; n++)
        expect_counts("count", n, size,
                      (uint32_t[N_WORDS]){GROUPS * n * size / 4 * (0 + 1 + 2 + 3), GROUPS * size});
}

TEST(work_items_that_part_between_meetings)
{
    const uint32_t size = 7, odds = GROUPS * odd(size);
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t turns = n < 2 ? n : 2;
        expect_counts("part_ways", n, size,
                      (uint32_t[N_WORDS]){odds, turns * odds, turns * GROUPS * size, turns * odds,
                                          turns * odds, GROUPS * size});
    }
}

const struct fixture fixture = {.limit_s = 170, .open = set_up, .close = tear_down};
