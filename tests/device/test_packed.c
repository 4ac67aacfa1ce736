/* SPDX-License-Identifier: MIT */
/*
 * What a flush has packed for a node of this process stays until the network thread has applied it: the next one waits
 * for that, and a function of the host that keeps the thread is named.
 *
 * Path: meson test -> kernels/packed.cl -> lib/accumulate/flush.c, lib/node/limits.c
 */
#include "expect.h"

#include <gravel/accumulator.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define N 4096u /* words: more than a flush sends as host calls do */

extern const char packed_cl[];

static struct gravel *gravel;
static struct gravel_accumulator *accumulator;
static cl_kernel kernel;
static _Atomic bool is_inside, may_end;

static int stay(struct gravel *node, void *user, uint32_t source, const uint64_t *args)
{
    (void)node, (void)user, (void)source, (void)args;
    atomic_store(&is_inside, true);
    while (!atomic_load(&may_end))
        usleep(1000);
    return 0;
}

static void open_with(uint64_t *words)
{
    static const struct gravel_handler handler = {.name = "stay", .function = stay};
    static const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    gravel = open_loopback(2, &bindings);
    *words = alloc_or_die(gravel, N * sizeof(cl_uint));
    OK(gravel_accumulator_create(&accumulator, gravel, *words, N, GRAVEL_ADD, GRAVEL_UINT));
    cl_program program = build_or_die(gravel, packed_cl, "");
    kernel = kernel_or_die(gravel, program, "add");
    clReleaseProgram(program);
    OK(gravel_kernel_set_accumulator(accumulator, kernel, 1));
}

/* @return as the flush of N words. */
static int add_and_flush(void)
{
    const size_t n = N;
    OK(gravel_launch(gravel, kernel, 1, &n, NULL, 0, NULL, NULL));
    return gravel_accumulator_flush(accumulator);
}

/* The network thread is in `stay` when it returns. */
static void keep_the_network_thread(void)
{
    const double begin = seconds_now();
    OK(gravel_am(gravel, 0, NULL, 0, 0));
    while (!atomic_load(&is_inside) && may_wait(begin, 20))
        usleep(1000);
    assert_true(atomic_load(&is_inside));
}

TEST(a_function_that_keeps_the_network_thread_is_named)
{
    uint64_t words;
    setenv("GRAVEL_TIMEOUT", "2000", 1); /* kernels are compiled within ten of it */
    open_with(&words);
    OK(add_and_flush());
    OK(gravel_barrier(gravel));
    expect_words(gravel, 1, words, 1, N);
    keep_the_network_thread();
    OK(add_and_flush());
    const int code = add_and_flush();
    atomic_store(&may_end, true); /* before the test may fail */
    expect_error(code, GRAVEL_ETIMEOUT,
                 "applying what was packed: handler stay: its function has not returned for");
    usleep(200000); /* parts come home */
    gravel_accumulator_destroy(accumulator);
    clReleaseKernel(kernel);
    gravel_close(gravel);
    unsetenv("GRAVEL_TIMEOUT");
}
