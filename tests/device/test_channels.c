/* SPDX-License-Identifier: MIT */
/*
 * A driver that has fewer channels than a node has command queues, so that some of them are queued behind the caller's: step
 * pump is refused, with the reason; with a channel for each it is taken. And a node has no more queues, whatever the
 * program makes: accumulators and deques share one; what a flush has packed is told of.
 *
 * The linker sends the calls here (--wrap): queues without a channel of their own are the first one.
 *
 * Path: meson test -> this -> lib/self_test/second_kernel.c, lib/accumulate, lib/mirror, lib/steal
 */
#include "wrapped_opencl.h"
#include "expect.h"

#include <gravel/accumulator.h>
#include <gravel/mirror.h>
#include <gravel/steal.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* A node has eight queues at most (docs/design/progress.md), one of them in two parts of its resolver. */
#define MOST_HELD 9u
#define N_OBJECTS 20u /* of each kind */
#define N_WORDS 4096u /* of an accumulator: more than a flush sends as host calls do */

static cl_command_queue first;
static unsigned n_queues, n_channels;
static _Atomic unsigned n_held, most_held; /* references of the library to queues */

static void hold(void)
{
    const unsigned n = atomic_fetch_add(&n_held, 1) + 1;
    if (n > atomic_load(&most_held))
        atomic_store(&most_held, n);
}

WRAP(clRetainCommandQueue)
{
    hold();
    return PASS_ON(clRetainCommandQueue);
}

WRAP(clCreateCommandQueueWithProperties)
{
    if (n_queues++ >= n_channels) {
        *errcode_ret = __wrap_clRetainCommandQueue(first);
        return first;
    }
    cl_command_queue queue = PASS_ON(clCreateCommandQueueWithProperties);
    hold();
    if (n_queues == 1)
        first = queue;
    return queue;
}

WRAP(clReleaseCommandQueue)
{
    atomic_fetch_sub(&n_held, 1);
    return PASS_ON(clReleaseCommandQueue);
}

static int open_with(unsigned channels, struct gravel **gravel)
{
    const struct gravel_config config = loopback_config(2);
    n_queues = 0;
    n_channels = channels;
    return gravel_open(gravel, &config, NULL);
}

TEST(queue_behind_a_kernel_that_waits_is_refused)
{
    struct gravel *gravel;
    for (unsigned channels = 2; channels <= 9;
         channels += 3) { /* the caller's, the self-test's copies, 8 */
        expect_error(open_with(channels, &gravel), GRAVEL_ECAPABILITY,
                     "on each of 8 command queues while one holds");
        assert_null(gravel);
    }
}

TEST(queue_of_its_own_channel_is_enough)
{
    struct gravel *gravel;
    OK(open_with(100, &gravel));
    assert_string_equal(gravel_step(gravel), "pump");
    assert_in_range(n_queues, 10,
                    n_channels); /* the self-test's among them; none shares a channel */
    expect_works(gravel);
    OK(gravel_close(gravel));
}

/* ---- objects that a program makes many of ------------------------------------------------------ */

struct objects {
    struct gravel *gravel;
    uint64_t words; /* heap offset [N_OBJECTS * N_WORDS] */
    struct gravel_accumulator *accumulators[N_OBJECTS];
    struct gravel_mirror *mirrors[N_OBJECTS];
    struct gravel_steal *deques[N_OBJECTS];
};

static void make(struct objects *objects)
{
    static const uint64_t n_words[] = {1, 1};
    static const uint32_t indices[] = {0, 1};
    for (uint64_t i = 0; i < N_OBJECTS; i++) {
        const struct gravel_words plan = GRAVEL_WORDS(.offset = objects->words, .type = GRAVEL_UINT,
                                                      .n_words = n_words, .indices = indices);
        OK(gravel_accumulator_create(&objects->accumulators[i], objects->gravel,
                                     objects->words + i * N_WORDS * sizeof(cl_uint), N_WORDS,
                                     GRAVEL_ADD, GRAVEL_UINT));
        OK(gravel_mirror_create(&objects->mirrors[i], objects->gravel, &plan));
        OK(gravel_steal_create(&objects->deques[i], objects->gravel, NULL));
    }
}

static void destroy(struct objects *objects)
{
    for (unsigned i = 0; i < N_OBJECTS; i++) {
        OK(gravel_accumulator_destroy(objects->accumulators[i]));
        OK(gravel_mirror_destroy(objects->mirrors[i]));
        OK(gravel_steal_destroy(objects->deques[i]));
    }
}

/* Nor where they are flushed. */
TEST(accumulators_mirrors_and_deques_have_one_queue)
{
    static const uint64_t tasks[64] = {0};
    struct objects objects;
    OK(open_with(1000, &objects.gravel));
    objects.words = alloc_or_die(objects.gravel, N_OBJECTS * N_WORDS * sizeof(cl_uint));
    const unsigned before = n_held;
    most_held = before;
    make(&objects);
    for (unsigned i = 0; i < N_OBJECTS; i++) {
        OK(gravel_accumulator_flush(objects.accumulators[i]));
        OK(gravel_mirror_share(objects.mirrors[i]));
        OK(gravel_steal_fill(objects.deques[i], tasks, 64));
    }
    assert_int_equal(n_held, before);
    assert_in_range(most_held, before, before + 1); /* one for a moment, where a buffer is made */
    assert_in_range(n_held, 1, MOST_HELD);
    destroy(&objects);
    assert_int_equal(n_held, before);
    OK(gravel_close(objects.gravel));
    assert_int_equal(n_held, 0);
}

/* ---- what a flush has packed ------------------------------------------------------------------- */

static const char add_source[] =
    "#include \"gravel.cl.h\"\n"
    "#include \"accumulator.cl.h\"\n"
    "kernel void add(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a))\n"
    "{ GRAVEL_OPEN(g); gravel_accumulate_uint_wi(g, a, get_global_id(0), 1, 1); }\n";

/* Adds 1 to each word of node 1. @return as the flush. */
static int add_and_flush(struct gravel *gravel, struct gravel_accumulator *accumulator,
                         cl_kernel kernel)
{
    static const size_t n = N_WORDS;
    OK(gravel_kernel_set_accumulator(accumulator, kernel, 1));
    OK(gravel_launch(gravel, kernel, 1, &n, NULL, 0, NULL, NULL));
    return gravel_accumulator_flush(accumulator);
}

static _Atomic bool is_inside, may_end;

static int stay(struct gravel *node, void *user, uint32_t source, const uint64_t *args)
{
    (void)node, (void)user, (void)source, (void)args;
    atomic_store(&is_inside, true);
    while (!atomic_load(&may_end))
        usleep(1000);
    return 0;
}

/* It stays until the network thread has applied it: the next flush waits for that. */
TEST_OF("packed", a_function_that_keeps_the_network_thread_is_named)
{
    static const struct gravel_handler handler = {.name = "stay", .function = stay};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    struct gravel_accumulator *accumulator;
    n_queues = 0, n_channels = 1000;
    setenv("GRAVEL_TIMEOUT", "2000", 1); /* kernels are compiled within ten of it */
    struct gravel *gravel = open_loopback(2, &bindings);
    unsetenv("GRAVEL_TIMEOUT");
    const uint64_t words = alloc_or_die(gravel, N_WORDS * sizeof(cl_uint));
    OK(gravel_accumulator_create(&accumulator, gravel, words, N_WORDS, GRAVEL_ADD, GRAVEL_UINT));
    cl_kernel kernel = scoped_kernel(gravel, add_source, "", "add");
    OK(add_and_flush(gravel, accumulator, kernel));
    OK(gravel_barrier(gravel));
    expect_words(gravel, 1, words, 1, N_WORDS);
    OK(gravel_am(gravel, 0, NULL, 0, 0));
    for (const double begin = seconds_now(); !is_inside && may_wait(begin, 20);)
        usleep(1000);
    OK(add_and_flush(gravel, accumulator, kernel));
    const int code = add_and_flush(gravel, accumulator, kernel);
    atomic_store(&may_end, true); /* before the test may fail */
    expect_error(code, GRAVEL_ETIMEOUT,
                 "applying what was packed: handler stay: its function has not returned for");
    usleep(200000); /* parts are returned */
    gravel_accumulator_destroy(accumulator);
    gravel_close(gravel);
}
