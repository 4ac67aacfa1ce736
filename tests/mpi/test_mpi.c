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

enum { CHAIN, STALL };

static uint32_t left, right;
static uint64_t n_calls;
static char heard[8192]; /* of the log, as the node opened */

static void hear(void *user, const char *text)
{
    const size_t n = strlen(heard);
    (void)user;
    if (!gravel)
        snprintf(heard + n, sizeof heard - n, "%s\n", text);
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

/* What node `from` has put at an offset of this node. */
static void expect_pattern(uint64_t offset, uint64_t n, uint32_t from, uint64_t shift)
{
    const unsigned char *here = read_map(gravel, node, offset, n);
    for (uint64_t i = 0; i < n; i++)
        MUST(here[i] == pattern(from, i + shift));
    unmap(gravel, here);
}

/* ---- steps ----------------------------------------------------------------------------------- */

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
    static const uint64_t sizes[] = {1, 3, 8, 63, 65535, 65536, 65537, 300001};
    uint64_t memory = alloc_or_die(gravel, 400000);
    for (uint64_t s = 0; s < 3 * sizeof sizes / sizeof *sizes; s++) {
        const uint64_t n = sizes[s / 3], at = memory + s % 3;
        for (uint64_t i = 0; i < n; i++)
            data[i] = pattern(node, i + s);
        OK(gravel_put(gravel, at, data, n, right));
        OK(gravel_barrier(gravel));
        expect_pattern(at, n, left, s);
        OK(gravel_get(gravel, at, back, n, right));
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

#define N_REDUCED 193 /* in more than three rounds */

static const struct reduction {
    uint32_t op, type;
    int64_t first, base, step; /* of node 0, and of node k: base + k * step */
} reductions[] = {
    {GRAVEL_ADD, GRAVEL_LONG, -5, 0, 1},
    {GRAVEL_MIN, GRAVEL_LONG, INT64_MIN, 0, 1},
    {GRAVEL_MAX, GRAVEL_LONG, -1, -1, -1},
    {GRAVEL_MIN, GRAVEL_ULONG, -1, 0, 1},
    {GRAVEL_MAX, GRAVEL_ULONG, -1, 0, 1},
    {GRAVEL_ADD, GRAVEL_INT, INT32_MAX, INT32_MAX, 0}, /* sums wrap */
    {GRAVEL_MIN, GRAVEL_INT, -5, 0, 1},
    {GRAVEL_MAX, GRAVEL_INT, -1, -1, -1},
    {GRAVEL_ADD, GRAVEL_UINT, UINT32_MAX, UINT32_MAX, 0},
    {GRAVEL_MIN, GRAVEL_UINT, 3, UINT32_MAX, -1},
};

static int64_t given(const struct reduction *row, uint32_t k)
{
    return k ? row->base + (int64_t)k * row->step : row->first;
}

static bool is_less(uint32_t type, int64_t a, int64_t b)
{
    return type == GRAVEL_INT || type == GRAVEL_LONG ? a < b : (uint64_t)a < (uint64_t)b;
}

static int64_t reduced(const struct reduction *row)
{
    int64_t value = given(row, 0);
    for (uint32_t k = 1; k < n_nodes; k++) {
        const int64_t other = given(row, k);
        if (row->op == GRAVEL_ADD)
            value = (int64_t)((uint64_t)value + (uint64_t)other);
        else if (is_less(row->type, other, value) == (row->op == GRAVEL_MIN))
            value = other;
    }
    return value;
}

TEST(reductions_combine_all)
{
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        const struct reduction *row = &reductions[i];
        const size_t bytes = GRAVEL_TYPE_BYTES(row->type);
        const int64_t mine = given(row, node), all = reduced(row);
        char values[N_REDUCED * sizeof mine];
        for (size_t k = 0; k < N_REDUCED; k++)
            memcpy(values + k * bytes, &mine, bytes);
        OK(gravel_reduce(gravel, row->op, row->type, values, N_REDUCED));
        for (size_t k = 0; k < N_REDUCED; k++)
            if (memcmp(values + k * bytes, &all, bytes) != 0)
                die(__FILE__, __LINE__, "value %zu of row %zu", k, i);
    }
}

/* Sums of floats are rounded once: in floats 2^24 + 1 is 2^24. The least is by the type's own order. */
TEST(reductions_of_reals_combine_all)
{
    double doubles[3] = {0.25 * (node + 1), 0.25 * (node + 1), 0.25 * (node + 1)};
    float sum = node ? 1 : 16777216, least[2] = {node ? 0.0f : -0.0f, node ? NAN : 1};
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_DOUBLE, doubles, 1));
    OK(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_DOUBLE, doubles + 1, 1));
    OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_DOUBLE, doubles + 2, 1));
    MUST(doubles[0] == 0.125 * n_nodes * (n_nodes + 1) && doubles[1] == 0.25 &&
         doubles[2] == 0.25 * n_nodes);
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_FLOAT, &sum, 1));
    MUST(sum == (float)(16777216.0 + (n_nodes - 1)));
    OK(gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_FLOAT, least, 2));
    MUST(signbit(least[0]) && (n_nodes == 1 || isnan(least[1])));
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
    for (uint64_t round = 0; round < 30; round++) { /* more than there are buffers: they return */
        for (uint64_t i = 0; i < sizeof data; i++)
            data[i] = pattern(node, i + round);
        OK(gravel_stats_reset(gravel));
        OK(gravel_put(gravel, memory, data, sizeof data, right));
        OK(gravel_barrier(gravel));
        OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
        MUST(is_expected ? stats.handed_buffers > 0 : stats.handed_buffers == 0);
        MUST(stats.handed_buffers <= stats.network_buffers);
        expect_pattern(memory, sizeof data, left, round);
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

/* Nodes of one host take equal devices, of which PoCL is told to have several, in turn; those that share one are told of each
 * other. */
TEST(equal_devices_are_taken_in_turn)
{
    char part[256], sharers[128] = "";
    uint32_t n_devices = 0;
    for (const char *at = getenv("POCL_DEVICES"); at && (at = strstr(at, "pthread")); at++)
        n_devices++;
    if (n_devices < 2)
        return;
    snprintf(part, sizeof part,
             ":%u, number %u of %u equal devices, as this is node %u of its host", node % n_devices,
             node % n_devices + 1, n_devices, node + 1);
    MUST(strstr(heard, part));
    for (uint32_t other = node % n_devices; other < n_nodes; other += n_devices)
        if (other != node)
            sprintf(sharers + strlen(sharers), "%s%u", *sharers ? ", " : "", other);
    const bool shares = *sharers && takes_step(gravel, "pump");
    snprintf(part, sizeof part, "of its host (%s)", sharers);
    MUST(shares == (strstr(heard, shares ? part : "shares") != NULL));
}

/* ---- the run --------------------------------------------------------------------------------- */

static void open_node(void)
{
    const struct gravel_handler handlers[] = {{.name = "chain", .n_args = 1, .function = chain},
                                              {.name = "stall", .n_args = 0, .function = stall}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 2, .log = hear);
    open_nodes(&bindings);
    left = (node + n_nodes - 1) % n_nodes;
    right = (node + 1) % n_nodes;
}

const struct fixture fixture = {.open = open_node, .close = close_nodes, .after = wait_for_all};
