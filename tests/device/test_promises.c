/* SPDX-License-Identifier: MIT */
/*
 * Promises to programs that no other test has: any host thread makes any call, signals wrap, denormal numbers stay, a
 * group that the library chooses suits the device, and the heap asks for huge pages.
 *
 * Path: meson test -> this -> lib/node, cl/gravel.cl.h, lib/memory/arena.c; docs/reference/promises.md
 */
#include "expect.h"

#include <gravel/steal.h>

#include <pthread.h>
#include <stdio.h>

#define N_THREADS 6u
#define N_TURNS 20u
#define ITEMS 64u /* of a thread's launch */

static struct gravel *gravel;

static void open_node(void)
{
    struct gravel_config config = loopback_config(2);
    config.heap_bytes = 16 << 20;
    OK(gravel_open(&gravel, &config, NULL));
}

static void close_node(void)
{
    OK(gravel_close(gravel));
}

/* ---- threads --------------------------------------------------------------------------------- */

struct worker {
    pthread_t thread;
    cl_kernel kernel;
    uint64_t sum, own; /* one word of all workers, 64 bytes of this one's */
    const char *failed;
};

#define TRY(call) \
    if (call)     \
    return #call

static const char *take_turn(struct worker *worker, uint32_t turn)
{
    static const uint64_t tasks[64] = {0};
    uint32_t one = 1, found = 0, node = turn % 2;
    struct gravel_steal *deques;
    uint64_t other;
    struct gravel_stats stats;
    void *mapped;
    size_t n_items = ITEMS, group = ITEMS;
    TRY(gravel_update(gravel, GRAVEL_ADD, GRAVEL_UINT, worker->sum, &one, 1));
    TRY(gravel_launch(gravel, worker->kernel, 1, &n_items, &group, 0, NULL, NULL));
    TRY(gravel_put(gravel, worker->own, &turn, sizeof turn, node));
    TRY(gravel_fence(gravel));
    TRY(gravel_quiet(gravel));
    TRY(gravel_get(gravel, worker->own, &found, sizeof found, node));
    TRY(found != turn);
    TRY(gravel_map(gravel, worker->own, 64, CL_MAP_READ, node, &mapped));
    found = *(uint32_t *)mapped;
    TRY(gravel_unmap(gravel, mapped));
    TRY(found != turn);
    TRY(gravel_alloc(gravel, 64, &other));
    TRY(gravel_free(gravel, other));
    TRY(gravel_steal_create(&deques, gravel, NULL));
    TRY(gravel_steal_fill(deques, tasks, 64));
    TRY(gravel_steal_destroy(deques));
    TRY(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    return NULL;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    for (uint32_t turn = 0; turn < N_TURNS && !worker->failed; turn++)
        worker->failed = take_turn(worker, turn);
    return NULL;
}

TEST(many_threads_make_mixed_calls_at_once)
{
    struct worker workers[N_THREADS] = {0};
    uint64_t sum = alloc_or_die(gravel, 64);
    for (uint32_t i = 0; i < N_THREADS; i++) {
        workers[i].sum = sum;
        workers[i].own = alloc_or_die(gravel, 64);
        workers[i].kernel = body_kernel(gravel, BODY("gravel_inc_uint_wg(g, a, 0, 1);"),
                                        (const uint64_t[3]){sum, 0, 0});
    }
    for (uint32_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (uint32_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (uint32_t i = 0; i < N_THREADS; i++) {
        if (workers[i].failed)
            fail_msg("thread %u: %s", i, workers[i].failed);
        clReleaseKernel(workers[i].kernel);
    }
    OK(gravel_barrier(gravel));
    assert_int_equal(word32(gravel, 1, sum), N_THREADS * N_TURNS * (1 + ITEMS));
}

/* ---- numbers --------------------------------------------------------------------------------- */

#define ASK                                      \
    "struct gravel_reply reply = {b, b + 1024};" \
    "gravel_get_uint_wg(g, a, 0, reply, i, 1);"
#define AWAIT                                                                         \
    "if (!gravel_wait_until_uint_wg(g, b + 1024, GRAVEL_CMP_EQ, 48u)) ((global uint " \
    "*)gravel_local(g, a))[1] = 1;"

TEST(a_signal_wraps)
{
    const uint32_t almost = 0xfffffff0u; /* 16 more are 0 */
    uint64_t word = alloc_or_die(gravel, 64), answers = alloc_or_die(gravel, 2048);
    OK(gravel_put(gravel, answers + 1024, &almost, sizeof almost, 0));
    OK(gravel_barrier(gravel));
    OK(run_body(gravel, takes_step(gravel, "drain") ? BODY(ASK) : BODY(ASK AWAIT), 64, 64, word,
                answers, 0));
    assert_int_equal(word32(gravel, 0, answers + 1024), 48);
    assert_int_equal(word32(gravel, 0, word + 4), 0);
}

TEST(denormal_numbers_stay)
{
    uint64_t put = alloc_or_die(gravel, 4 * ITEMS), sum = alloc_or_die(gravel, 64);
    OK(run_body(gravel,
                BODY("gravel_put_float_wg(g, a, i, as_float((uint)i + 1), 1);"
                     "gravel_add_float_wg(g, b, 0, as_float(3u), 1);"),
                ITEMS, ITEMS, put, sum, 0));
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(word32(gravel, 1, put + 4 * i), i + 1);
    uint32_t bits = word32(gravel, 1, sum);
    if (bits || !is_sliced(gravel) || !is_on_gpu(gravel)) /* there a sum may take them for 0 */
        assert_int_equal(bits, 3 * ITEMS);
}

/* ---- groups ---------------------------------------------------------------------------------- */

TEST(a_chosen_group_is_no_larger_than_suits_the_device)
{
    uint64_t word = alloc_or_die(gravel, 64);
    size_t n_items = 4096;
    uint32_t suits = gravel_group_size(gravel);
    assert_true(suits > 0 && (suits & (suits - 1)) == 0);
    cl_kernel kernel = scoped_body(gravel,
                                   BODY("gravel_max_uint_wg(g, a, 0, (uint)get_local_size(0), 0);"
                                        "gravel_inc_uint_wg(g, a, 1, 0);"),
                                   word, 0, 0);
    OK(gravel_launch(gravel, kernel, 1, &n_items, NULL, 0, NULL, NULL));
    OK(gravel_barrier(gravel));
    assert_int_equal(word32(gravel, 0, word + 4), n_items);
    if (is_sliced(gravel))
        assert_in_range(word32(gravel, 0, word), 1, suits);
}

/* ---- huge pages ------------------------------------------------------------------------------ */

/* Whether the system has been asked for huge pages where `memory` lies; -1: it does not say. */
static int is_huge(const void *memory)
{
    char line[512];
    unsigned long begin, end;
    int is_here = 0, found = -1;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            is_here = (uintptr_t)memory >= begin && (uintptr_t)memory < end;
        else if (is_here && !strncmp(line, "VmFlags:", 8))
            found = strstr(line, " hg") != NULL;
    }
    if (maps)
        fclose(maps);
    return found;
}

static int heap_is_huge(uint32_t huge_pages)
{
    struct gravel_config config = loopback_config(1);
    config.heap_bytes = 16 << 20;
    config.huge_pages = huge_pages;
    struct gravel *node;
    OK(gravel_open(&node, &config, NULL));
    const char *heap = read_map(node, 0, alloc_or_die(node, 8 << 20), 8 << 20);
    int found = is_sliced(node) ? -1 : is_huge(heap + (4 << 20));
    unmap(node, heap);
    OK(gravel_close(node));
    return found;
}

TEST(the_heap_asks_for_huge_pages_unless_told)
{
    FILE *has = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    int found = has ? heap_is_huge(1) : -1;
    if (has)
        fclose(has);
    if (found < 0) {
        print_message("the system has no huge pages, or the heap is the device's\n");
        skip();
    }
    assert_int_equal(found, 1);
    assert_int_equal(heap_is_huge(0), 0);
}

const struct fixture fixture = {.open = open_node, .close = close_node};
