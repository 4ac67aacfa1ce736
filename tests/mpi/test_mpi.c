/* SPDX-License-Identifier: MIT */
/*
 * What nodes of a job promise each other: symmetric memory, put and get, quiet, fence, barrier, reductions,
 * handlers that send on, refusals told at both ends, progress without calls. Every node runs every step.
 *
 * Path: mpirun -> this -> lib/node/messages.c, lib/network; linked with apart.c where nodes are not to share memory
 */
#include <math.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "job.h"

enum { COUNT, CHAIN, STALL };

static uint32_t left, right;
static uint64_t n_calls, sources_seen;

static int count(struct gravel *here, void *user, uint32_t source,
                 const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)user;
    MUST(args[0] == source && args[1] == gravel_node(here) && args[2] == 0 && args[3] == 0);
    n_calls++;
    sources_seen |= UINT64_C(1) << source;
    return 0;
}

static int chain(struct gravel *here, void *user, uint32_t source,
                 const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)user, (void)source;
    n_calls++;
    uint64_t less = args[0] - 1;
    return args[0] ? gravel_am(here, CHAIN, &less, 1, (gravel_node(here) + 1) % n_nodes) : 0;
}

static _Atomic bool is_stalled;

/* Keeps the network thread, and so the node buffers in flight, until what the device has binned waits for a buffer. */
static int stall(struct gravel *here, void *user, uint32_t source,
                 const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    struct gravel_stats stats = {.buffer_waits = 0};
    const double begin = seconds_now();
    (void)user, (void)source, (void)args;
    is_stalled = true;
    while (stats.buffer_waits == 0 && may_wait(begin, 1))
        OK(gravel_stats_read(here, &stats, sizeof stats, GRAVEL_ALL_NODES));
    return 0;
}

/* All have returned from the collective call before, which would report the refusals of what follows. */
static void meet_outside(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static uint64_t sum_over_nodes(uint64_t value)
{
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1));
    return value;
}

static unsigned char pattern(uint32_t owner, uint64_t i)
{
    return (unsigned char)(mix(owner * 1000003u + i) >> 11);
}

/* ---- steps ----------------------------------------------------------------------------------- */

TEST(offsets_are_the_same_everywhere)
{
    for (int i = 0; i < 20; i++) {
        uint64_t offset = alloc_or_die(gravel, 64 + (uint64_t)i * 1000),
                 ends[2] = {offset, ~offset};
        OK(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_ULONG, ends, 2));
        MUST(ends[0] == ~ends[1]);
        if (i % 3 == 0)
            OK(gravel_free(gravel, offset));
    }
}

/* Shares follow one another, and differ by one at most. */
TEST(shares_are_all)
{
    static const uint64_t sizes[] = {0, 1, 2, 7, 64, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t ends[33] = {0}, first, count; /* [node + 1] where its share ends */
        OK(gravel_share(gravel, sizes[i], &first, &count));
        ends[node + 1] = first + count;
        OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_ULONG, ends, n_nodes + 1));
        MUST(first == ends[node] && ends[n_nodes] == sizes[i]);
        MUST(count == sizes[i] / n_nodes || count == sizes[i] / n_nodes + 1);
    }
}

TEST(put_and_get_carry_bytes_of_any_size_and_place)
{
    static unsigned char data[300001], back[300001];
    const uint64_t sizes[] = {1, 3, 8, 63, 65535, 65536, 65537, 300001};
    uint64_t memory = alloc_or_die(gravel, 400000);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint64_t shift = 0; shift < 3; shift++) {
            uint64_t n = sizes[s];
            for (uint64_t i = 0; i < n; i++)
                data[i] = pattern(node, i + s);
            OK(gravel_put(gravel, memory + shift, data, n, right));
            OK(gravel_barrier(gravel));
            const unsigned char *here = read_map(gravel, node, memory + shift, n);
            for (uint64_t i = 0; i < n; i++)
                MUST(here[i] == pattern(left, i + s));
            unmap(gravel, here);
            OK(gravel_get(gravel, memory + shift, back, n, right));
            MUST(!memcmp(data, back, n));
            OK(gravel_barrier(gravel));
        }
    OK(gravel_free(gravel, memory));
}

/* A map is the word itself where the host addresses it; elsewhere it is a copy, and copies are in order. */
static void wait_for_flag(uint64_t flag, uint64_t round)
{
    uint64_t seen = 0;
    while (seen < round) {
        const _Atomic uint64_t *word = read_map(gravel, node, flag, sizeof *word);
        seen = atomic_load_explicit(word, memory_order_acquire);
        unmap(gravel, word);
        usleep(50);
    }
}

/* The flag may not be seen before the data that a kernel has put ahead of the fence. */
TEST(fence_orders_messages_to_one_destination)
{
    const size_t n_items = 65536, group = 64;
    uint64_t memory = alloc_or_die(gravel, 8 * 1024 + 64);
    uint64_t flag = memory + 8 * 1024;
    const uint64_t arguments[3] = {memory, 0, right};
    cl_kernel kernel = body_kernel(
        gravel, BODY("gravel_put_ulong_wg(g, a, 1023 - i / 64, b, (uint)c);"), arguments);
    for (uint64_t round = 1; round <= 20; round++) {
        MUST(clSetKernelArg(kernel, 2, sizeof round, &round) == CL_SUCCESS);
        OK(gravel_launch(gravel, kernel, 1, &n_items, &group, 0, NULL, NULL));
        OK(gravel_fence(gravel));
        OK(gravel_update(gravel, GRAVEL_PUT, GRAVEL_ULONG, flag, &round, right));
        wait_for_flag(flag, round);
        const uint64_t *words = read_map(gravel, node, memory, 8 * 1024);
        for (uint64_t i = 0; i < 1024; i++)
            MUST(words[i] == round);
        unmap(gravel, words);
        OK(gravel_barrier(gravel));
    }
    clReleaseKernel(kernel);
    OK(gravel_free(gravel, memory));
}

/* The age at which buffers leave has passed many times, and the time for which a session keeps them has not. */
TEST(barrier_sends_what_a_session_keeps)
{
    struct gravel_stats before, after;
    uint64_t word = alloc_or_die(gravel, 64);
    OK(gravel_stats_read(gravel, &before, sizeof before, right));
    OK(gravel_session_begin(gravel));
    const double begin = seconds_now();
    for (uint32_t i = 0; i < 3; i++) {
        OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, word, NULL, right));
        usleep(20000);
    }
    OK(gravel_stats_read(gravel, &after, sizeof after, right));
    const double least_s = gravel_config_of(gravel)->timeout_ms * 1e-3 / 8;
    MUST(after.sent_buffers == before.sent_buffers || seconds_now() - begin >= least_s);
    OK(gravel_barrier(gravel));
    MUST(word32(gravel, node, word) == 3);
    OK(gravel_session_end(gravel));
    OK(gravel_free(gravel, word));
}

TEST(barrier_covers_what_handlers_send)
{
    uint64_t length = 300;
    n_calls = 0;
    OK(gravel_barrier(gravel));
    if (node == 0)
        OK(gravel_am(gravel, CHAIN, &length, 1, right));
    OK(gravel_barrier(gravel));
    MUST(sum_over_nodes(n_calls) == length + 1);
    n_calls = 0;
    OK(gravel_barrier(gravel));
    OK(run_body(gravel, BODY("gravel_am1_wg(g, GRAVEL_HANDLER(chain), 20, i % gravel_n_nodes(g));"),
                128, 64, 0, 0, 0));
    MUST(sum_over_nodes(n_calls) == 128 * 21 * n_nodes);
}

TEST(handlers_know_source_and_destination)
{
    n_calls = sources_seen = 0;
    OK(gravel_barrier(gravel));
    for (uint64_t i = 0; i < 100; i++)
        for (uint64_t to = 0; to < n_nodes; to++) {
            const uint64_t args[2] = {node, to};
            OK(gravel_am(gravel, COUNT, args, 2, (uint32_t)to));
        }
    OK(gravel_barrier(gravel));
    MUST(n_calls == 100 * n_nodes);
    MUST(sources_seen == (UINT64_C(1) << n_nodes) - 1);
}

#define N_REDUCED 193 /* in more than three rounds */

TEST(reductions_combine_all)
{
    int64_t longs[N_REDUCED];
    uint64_t ulongs[2];
    double doubles[3];
    for (int i = 0; i < N_REDUCED; i++)
        longs[i] = (int64_t)node - i;
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_LONG, longs, N_REDUCED));
    for (int i = 0; i < N_REDUCED; i++)
        MUST(longs[i] == (int64_t)(n_nodes * (n_nodes - 1) / 2) - i * (int64_t)n_nodes);
    longs[0] = node ? (int64_t)node : INT64_MIN;
    OK(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_LONG, longs, 1));
    MUST(longs[0] == INT64_MIN);
    longs[0] = -1 - (int64_t)node;
    OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_LONG, longs, 1));
    MUST(longs[0] == -1);
    ulongs[0] = ulongs[1] = node ? node : UINT64_MAX;
    OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_ULONG, ulongs, 1));
    MUST(ulongs[0] == UINT64_MAX);
    OK(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_ULONG, ulongs + 1, 1));
    MUST(ulongs[1] == (n_nodes == 1 ? UINT64_MAX : 1));
    doubles[0] = doubles[1] = doubles[2] = 0.25 * (node + 1);
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_DOUBLE, doubles, 1));
    OK(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_DOUBLE, doubles + 1, 1));
    OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_DOUBLE, doubles + 2, 1));
    MUST(doubles[0] == 0.125 * n_nodes * (n_nodes + 1) && doubles[1] == 0.25 &&
         doubles[2] == 0.25 * n_nodes);
}

/* Sums wrap, those of floats are rounded once, and the least is by the type's own order. */
TEST(reductions_of_4_bytes_combine_all)
{
    int32_t ints[3] = {INT32_MAX, node ? (int32_t)node : -5, -1 - (int32_t)node};
    uint32_t uints[2] = {UINT32_MAX, node ? UINT32_MAX - node : 3};
    float floats[N_REDUCED];
    for (int i = 0; i < N_REDUCED; i++)
        floats[i] = node ? 1 : 16777216; /* 2^24: in floats 2^24 + 1 is 2^24 */
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_INT, ints, 1));
    OK(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_INT, ints + 1, 1));
    OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_INT, ints + 2, 1));
    MUST((uint32_t)ints[0] == n_nodes * (uint32_t)INT32_MAX && ints[1] == -5 && ints[2] == -1);
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_UINT, uints, 1));
    OK(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_UINT, uints + 1, 1));
    MUST(uints[0] == 0u - n_nodes && uints[1] == 3);
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_FLOAT, floats, N_REDUCED));
    for (int i = 0; i < N_REDUCED; i++)
        MUST(floats[i] == (float)(16777216.0 + (n_nodes - 1)));
    floats[0] = node ? 0.0f : -0.0f;
    floats[1] = node ? NAN : 1;
    OK(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_FLOAT, floats, 2));
    MUST(signbit(floats[0]) && (n_nodes == 1 || isnan(floats[1])));
}

#define N_COUNTERS 32u /* of one call, at most */

static void put_counter(uint64_t offset, uint32_t value)
{
    OK(gravel_update(gravel, GRAVEL_PUT, GRAVEL_UINT, offset, &value, node));
}

/* As many as there may be, not at a multiple of 8, and each as large as it gets; those beside them stay. */
TEST(barriers_sum_counters_and_zero_them_alone)
{
    uint64_t words = alloc_or_die(gravel, 4 * (N_COUNTERS + 3)), own[N_COUNTERS], sums[N_COUNTERS];
    for (uint32_t i = 0; i < N_COUNTERS + 3; i++)
        put_counter(words + 4 * i, UINT32_MAX - i);
    OK(gravel_barrier_sum(gravel, words + 4, N_COUNTERS, own, sums));
    for (uint32_t i = 0; i < N_COUNTERS; i++)
        MUST(own[i] == UINT32_MAX - (i + 1) && sums[i] == n_nodes * own[i]);
    for (uint32_t i = 0; i < N_COUNTERS + 3; i++)
        MUST(word32(gravel, node, words + 4 * i) ==
             (i == 0 || i > N_COUNTERS ? UINT32_MAX - i : 0));
    OK(gravel_barrier_sum(gravel, words + 4, N_COUNTERS, NULL, sums));
    for (uint32_t i = 0; i < N_COUNTERS; i++)
        MUST(sums[i] == 0);
    OK(gravel_free(gravel, words));
}

/* The nodes to which a refusal is reported get the sums nevertheless: no counter is lost. */
TEST(sums_come_with_a_refusal)
{
    uint64_t word = alloc_or_die(gravel, 64), own = 0, sum = 0;
    meet_outside();
    if (node == 0) {
        const uint64_t arguments[3] = {word};
        const size_t size = 64;
        cl_kernel kernel = body_kernel(
            gravel, BODY("gravel_inc_uint_wg(g, a, 77, 1 % gravel_n_nodes(g));"), arguments);
        OK(gravel_launch(gravel, kernel, 1, &size, &size, 0, NULL, NULL));
        clReleaseKernel(kernel);
    }
    put_counter(word, 3);
    int code = gravel_barrier_sum(gravel, word, 1, &own, &sum);
    if (node <= 1)
        expect(code, GRAVEL_ERANGE, "index 77 ");
    else
        MUST(code == 0);
    MUST(own == 3 && sum == 3 * n_nodes);
    OK(gravel_free(gravel, word));
}

/* Its sender and its receiver are told; nobody else, and nothing is written. */
TEST(refusal_is_told_at_both_ends)
{
    if (n_nodes == 1)
        return;
    uint64_t memory = alloc_or_die(gravel, 4096);
    meet_outside();
    if (node == 0) {
        const uint64_t arguments[3] = {memory, 1024};
        cl_kernel kernel =
            body_kernel(gravel, BODY("gravel_inc_uint_wg(g, a, (uint)b, 1);"), arguments);
        const size_t global_size = 256, local_size = 64;
        OK(gravel_launch(gravel, kernel, 1, &global_size, &local_size, 0, NULL, NULL));
        clReleaseKernel(kernel);
    }
    int code = gravel_barrier(gravel);
    if (node <= 1) {
        expect(code, GRAVEL_ERANGE, "index 1024 ");
        expect(code, GRAVEL_ERANGE, "node 1 refused a buffer from node 0");
    } else {
        MUST(code == 0);
    }
    OK(gravel_barrier(gravel));
    const uint32_t *words = read_map(gravel, node, memory, 4096);
    for (uint32_t i = 0; i < 1024; i++)
        MUST(words[i] == 0);
    unmap(gravel, words);
    OK(gravel_free(gravel, memory));
}

/*
 * One bad message among many: its buffer is refused as a whole, every other one applied. Where a device applies them, it looks
 * at the indices of long buffers itself.
 */
TEST(one_bad_index_among_many_costs_its_buffer_alone)
{
    static const uint32_t n_items = 131072, n_each = 4, n_words = 65536;
    struct gravel_stats before, after;
    if (n_nodes == 1)
        return;
    uint64_t memory = alloc_or_die(gravel, 4 * n_words), bad = node == 0 ? 100000 : UINT64_MAX;
    OK(gravel_stats_read(gravel, &before, sizeof before, GRAVEL_ALL_NODES));
    meet_outside(); /* no message comes before all have read */
    int code = run_body(
        gravel,
        BODY("for (uint n = 0; n < 4; n++)"
             "    gravel_inc_uint_wg(g, a, i == b && n == 2 ? 65536u : (i * 7u + n) % 65536u,"
             "                       (gravel_node(g) + 1) % gravel_n_nodes(g));"),
        n_items, 256, memory, bad, 0);
    if (node <= 1) {
        expect(code, GRAVEL_ERANGE, ", index 65536 of uint at base");
        expect(code, GRAVEL_ERANGE, "node 1 refused a buffer from node 0");
    } else {
        MUST(code == 0);
    }
    OK(gravel_barrier(gravel));
    OK(gravel_stats_read(gravel, &after, sizeof after, GRAVEL_ALL_NODES));
    uint64_t sum = 0, resolved = after.resolved_messages - before.resolved_messages;
    const uint32_t *words = read_map(gravel, node, memory, 4 * n_words);
    for (uint32_t i = 0; i < n_words; i++)
        sum += words[i];
    unmap(gravel, words);
    MUST(sum == resolved);
    MUST(after.refused_buffers - before.refused_buffers == (node == 1));
    MUST(node == 1 ? sum < n_items * n_each : sum == n_items * n_each);
    OK(gravel_free(gravel, memory));
}

TEST(failing_get_is_told_to_its_caller_alone)
{
    char data[8];
    uint64_t memory = alloc_or_die(gravel, 64);
    expect(gravel_get(gravel, memory + 60, data, 8, right), GRAVEL_ERANGE, "not in one allocation");
    OK(gravel_barrier(gravel));
    OK(gravel_free(gravel, memory));
}

/* The last node makes no Gravel call for a second. @return whether the others, whose clock it shares, were answered by then. */
static bool are_answered_asleep(uint64_t word)
{
    enum { ANSWERED, AWAKE, N_TIMES };
    double times[N_TIMES] = {0};
    uint64_t value = 7 + node, back = 0;
    OK(gravel_barrier(gravel));
    if (node == n_nodes - 1) {
        sleep(1);
        times[AWAKE] = seconds_now();
    } else {
        OK(gravel_put(gravel, word + 8 * node, &value, 8, n_nodes - 1));
        OK(gravel_quiet(gravel));
        OK(gravel_get(gravel, word + 8 * node, &back, 8, n_nodes - 1));
        MUST(back == value);
        times[ANSWERED] = seconds_now();
    }
    OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_DOUBLE, times, N_TIMES));
    return times[ANSWERED] < times[AWAKE];
}

/* Its memory serves others meanwhile: once in five times at least, as a busy machine may keep the others for a second too. */
TEST(node_that_computes_still_answers)
{
    uint64_t word = alloc_or_die(gravel, 8 * (uint64_t)n_nodes);
    uint32_t n = 0;
    while (n_nodes > 1 && !are_answered_asleep(word))
        MUST(++n < 5);
    OK(gravel_barrier(gravel));
    OK(gravel_free(gravel, word));
}

TEST(statistics_add_up_over_all_nodes)
{
    uint64_t table = alloc_or_die(gravel, 4 * 65536), to_all = 0;
    struct gravel_stats stats;
    OK(gravel_barrier(gravel));
    OK(gravel_stats_reset(gravel));
    OK(gravel_barrier(gravel));
    OK(run_body(gravel,
                BODY("uint x = (i + 65537 * gravel_node(g)) * 2654435761u;"
                     "x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;"
                     "gravel_inc_uint_wg(g, a, i, x % gravel_n_nodes(g));"),
                65536, 256, table, 0, 0));
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    for (uint32_t to = 0; to < n_nodes; to++) {
        struct gravel_stats one;
        OK(gravel_stats_read(gravel, &one, sizeof one, to));
        to_all += one.sent_messages;
        MUST(to != node || stats.remote_messages == 65536 - one.sent_messages);
    }
    MUST(stats.messages == 65536 && to_all == 65536);
    MUST(sum_over_nodes(stats.resolved_messages) == 65536u * n_nodes);
    double share = (double)sum_over_nodes(stats.remote_messages) / (65536.0 * n_nodes);
    double expected = (n_nodes - 1.0) / n_nodes;
    MUST(share >= expected * 0.99 && share <= expected * 1.01 + 1e-9);
    uint64_t sum = 0;
    const uint32_t *words = read_map(gravel, node, table, 4 * 65536);
    for (uint32_t i = 0; i < 65536; i++)
        sum += words[i];
    unmap(gravel, words);
    MUST(sum_over_nodes(sum) == 65536u * n_nodes);
    OK(gravel_free(gravel, table));
}

/* Whether node buffers for the node to the right stay where they are: this machine's nodes share memory, unless apart.c
 * keeps those with lower process numbers, or all, from it. */
static bool are_handed_over(void)
{
    uint64_t processes[64] = {0};
    processes[node] = (uint64_t)getpid();
    OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_ULONG, processes, n_nodes));
#ifdef SEGMENTS_ARE_MADE
    return SEGMENTS_ARE_MADE && processes[right] > processes[node];
#else
    return n_nodes > 1;
#endif
}

TEST(buffers_stay_where_they_are_if_nodes_share_memory)
{
    static unsigned char data[200000];
    struct gravel_stats stats;
    bool is_expected = are_handed_over();
    uint64_t memory = alloc_or_die(gravel, sizeof data);
    for (uint32_t round = 0; round < 30;
         round++) { /* more than there are buffers: they come home */
        for (uint64_t i = 0; i < sizeof data; i++)
            data[i] = pattern(node + round, i);
        OK(gravel_stats_reset(gravel));
        OK(gravel_put(gravel, memory, data, sizeof data, right));
        OK(gravel_barrier(gravel));
        OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
        MUST(is_expected ? stats.handed_buffers > 0 : stats.handed_buffers == 0);
        MUST(stats.handed_buffers <= stats.network_buffers);
        const unsigned char *here = read_map(gravel, node, memory, sizeof data);
        for (uint64_t i = 0; i < sizeof data; i++)
            MUST(here[i] == pattern(left + round, i));
        unmap(gravel, here);
        OK(gravel_barrier(gravel));
    }
    OK(gravel_free(gravel, memory));
}

/* The first launch, without a stall, has the driver compile the kernel. */
TEST(binned_messages_wait_for_node_buffers)
{
    struct gravel_stats stats;
    const char *body =
        BODY("for (uint k = 0; k < 16; k++) gravel_inc_uint_wg(g, a, i % 16, (uint)b);");
    if (strcmp(gravel_config_of(gravel)->device_aggregation, "on"))
        return;
    uint64_t table = alloc_or_die(gravel, 64);
    OK(run_body(gravel, body, 65536, 256, table, right, 0));
    OK(gravel_stats_reset(gravel));
    OK(gravel_am(gravel, STALL, NULL, 0, node));
    while (!is_stalled)
        usleep(100);
    OK(run_body(gravel, body, 65536, 256, table, right, 0));
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    MUST(stats.buffer_waits > 0);
    for (uint32_t i = 0; i < 16; i++)
        MUST(word32(gravel, node, table + 4 * i) == 2 * 65536);
    OK(gravel_free(gravel, table));
}

/* ---- the run --------------------------------------------------------------------------------- */

static void open(void)
{
    const struct gravel_handler handlers[] = {{.name = "count", .n_args = 2, .function = count},
                                              {.name = "chain", .n_args = 1, .function = chain},
                                              {.name = "stall", .n_args = 0, .function = stall}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 3);
    open_nodes(&bindings);
    left = (node + n_nodes - 1) % n_nodes;
    right = (node + 1) % n_nodes;
}

const struct fixture fixture = {.open = open, .close = close_nodes, .after = wait_for_all};
