/* SPDX-License-Identifier: MIT */
/*
 * Settings that are left to Gravel, for every step and size of job: within their ranges and the budget, and what is set
 * stays.
 *
 * Path: meson test -> this -> lib/settings/defaults.c
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "settings/defaults.h"
#include "device/cores.h"
#include "memory/arena.h"
#include "pump/device_aggregator.h"

#define MIB (UINT64_C(1) << 20)

static struct gravel_config nothing_set(void)
{
    return (struct gravel_config){.timeout_ms = 8000, .device_aggregation = "off"};
}

static struct gravel_config derive(enum gravel_step step, uint32_t n_nodes, uint32_t cores)
{
    const struct gravel_device device = {.step = step, .capability.max_group = 1024};
    const struct gravel_surroundings place = {&device, n_nodes, cores};
    struct gravel_config config = nothing_set();
    gravel_derive(&config, &place);
    return config;
}

static void shared_steps_and_drain_keep_their_defaults(void **state)
{
    (void)state;
    const enum gravel_step steps[] = {GRAVEL_STEP_SVM, GRAVEL_STEP_USM, GRAVEL_STEP_DRAIN};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t n_nodes = 1; n_nodes <= 4096; n_nodes *= 2) {
            const struct gravel_config config = derive(steps[i], n_nodes, 64);
            assert_int_equal(config.n_aggregators, 1);
            assert_int_equal(config.slot_bytes, 9280);
            assert_int_equal(config.queue_bytes, 32 * MIB);
            assert_int_equal(config.buffer_bytes, n_nodes > 512 ? 32 * MIB / n_nodes : 65536);
            assert_true(config.buffer_bytes * config.n_buffers * n_nodes <= 64 * MIB);
            assert_int_equal(config.flush_us, n_nodes > 10 ? 12 * n_nodes : 125);
        }
}

static void pump_takes_large_buffers_and_small_slots(void **state)
{
    (void)state;
    const struct gravel_config config = derive(GRAVEL_STEP_PUMP, 1, 16);
    assert_int_equal(config.n_aggregators, 2);
    assert_int_equal(config.slot_bytes, 64 + 512 * (4 + 4));
    assert_int_equal(config.queue_bytes, 64 * MIB);
    assert_int_equal(config.buffer_bytes, 8 * MIB);
    assert_int_equal(config.n_buffers, 8);
    assert_int_equal(config.flush_us, 2000);
}

/* And a slot of step pump holds an increment of each of its work-items. */
static void groups_suit_the_device(void **state)
{
    (void)state;
    const struct {
        enum gravel_step step;
        bool is_cpu;
        size_t max_group;
        uint32_t group, slot_bytes;
    } cases[] = {
        {GRAVEL_STEP_PUMP, false, 1024, 512, 4160}, {GRAVEL_STEP_PUMP, false, 256, 256, 2112},
        {GRAVEL_STEP_PUMP, false, 300, 256, 2112},  {GRAVEL_STEP_PUMP, true, 4096, 256, 2112},
        {GRAVEL_STEP_PUMP, false, 1, 1, 768},       {GRAVEL_STEP_SVM, false, 1024, 256, 9280},
        {GRAVEL_STEP_DRAIN, true, 64, 64, 9280},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gravel_device device = {
            .step = cases[i].step,
            .capability = {.is_cpu = cases[i].is_cpu, .max_group = cases[i].max_group}};
        const struct gravel_surroundings place = {&device, 1, 1};
        struct gravel_config config = nothing_set();
        gravel_derive(&config, &place);
        assert_int_equal(gravel_derive_group_size(&device), cases[i].group);
        assert_int_equal(config.slot_bytes, cases[i].slot_bytes);
    }
}

static void few_cores_get_one_aggregator(void **state)
{
    (void)state;
    for (uint32_t cores = 1; cores <= 8; cores++)
        assert_int_equal(derive(GRAVEL_STEP_PUMP, 1, cores).n_aggregators, cores < 4 ? 1 : 2);
}

static void one_aggregator_is_enough_where_the_device_bins(void **state)
{
    (void)state;
    const struct {
        const char *setting;
        enum gravel_step step;
        bool is_cpu;
        uint32_t n_aggregators;
    } cases[] = {
        {"auto", GRAVEL_STEP_PUMP, false, 1},  {"auto", GRAVEL_STEP_PUMP, true, 2},
        {"on", GRAVEL_STEP_PUMP, true, 1},     {"off", GRAVEL_STEP_PUMP, false, 2},
        {"auto", GRAVEL_STEP_DRAIN, false, 1}, {"off", GRAVEL_STEP_SVM, false, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gravel_device device = {
            .step = cases[i].step, .capability = {.is_cpu = cases[i].is_cpu, .max_group = 1024}};
        const struct gravel_surroundings place = {&device, 1, 16};
        struct gravel_config config = nothing_set();
        strcpy(config.device_aggregation, cases[i].setting);
        gravel_derive(&config, &place);
        assert_int_equal(config.n_aggregators, cases[i].n_aggregators);
        bool gpu_bins = gravel_device_bins(&device, cases[i].setting) && !cases[i].is_cpu;
        assert_int_equal(config.queue_bytes, cases[i].n_aggregators * (gpu_bins ? 512 : 32) * MIB);
    }
}

/* Copies of rows reach the first 4 GiB of the arena, in which all slots must lie. */
static void slots_lie_where_copies_reach(void **state)
{
    (void)state;
    const struct gravel_device device = {.step = GRAVEL_STEP_PUMP, .capability.max_group = 1024};
    const struct gravel_surroundings place = {&device, 1, 16};
    struct gravelp_arena head;
    for (uint32_t n = 1; n <= GRAVEL_MAX_AGGREGATORS; n++) {
        struct gravel_config config = nothing_set();
        strcpy(config.device_aggregation, "on");
        config.n_aggregators = n;
        gravel_derive(&config, &place);
        assert_int_equal(config.queue_bytes, n < 4 ? n * 512 * MIB : 2048 * MIB);
        struct gravel_arena_shape shape = {.n_nodes = 1,
                                           .n_queues = n,
                                           .slot_bytes = config.slot_bytes,
                                           .queue_bytes = config.queue_bytes,
                                           .n_heaps = 1};
        gravel_arena_lay_out(&shape, &head);
        assert_int_equal(gravel_arena_check_copied(&head), 0);
        shape.queue_bytes = 8192 * MIB;
        gravel_arena_lay_out(&shape, &head);
        bool is_beyond = (uint64_t)head.n_slots * n * head.slot_bytes > 4096 * MIB;
        assert_int_equal(gravel_arena_check_copied(&head), is_beyond ? GRAVEL_ECONFIG : 0);
        if (is_beyond)
            assert_non_null(strstr(gravel_last_error(), "first 4 GiB of the arena"));
    }
}

static void memory_of_buffers_is_bounded(void **state)
{
    (void)state;
    uint64_t last = 8 * MIB;
    for (uint32_t n_nodes = 1; n_nodes <= 256; n_nodes++) {
        const struct gravel_config config = derive(GRAVEL_STEP_PUMP, n_nodes, 16);
        assert_in_range(config.buffer_bytes, 65536, last);
        assert_in_range(config.n_buffers, 4, 32);
        assert_true(config.buffer_bytes * config.n_buffers * n_nodes <= 64 * MIB);
        last = config.buffer_bytes;
    }
    assert_int_equal(last, 65536);
    assert_int_equal(derive(GRAVEL_STEP_PUMP, 4, 16).buffer_bytes, 4 * MIB);
    assert_int_equal(derive(GRAVEL_STEP_PUMP, 8, 16).buffer_bytes, 2 * MIB);
}

/* The largest that fit, whatever the memory; less than the least ones is an error that says so. */
static void buffers_fit_the_memory_that_is_set(void **state)
{
    (void)state;
    const enum gravel_step steps[] = {GRAVEL_STEP_SVM, GRAVEL_STEP_PUMP};
    const uint64_t least_bytes[] = {4096, 65536}, most_bytes[] = {65536, 8 * MIB};
    const uint32_t n_wanted[] = {2, 4};
    for (size_t i = 0; i < 2; i++)
        for (uint64_t memory = MIB; memory <= 1024 * MIB; memory *= 2)
            for (uint32_t n_nodes = 1; n_nodes <= 4096; n_nodes *= 2) {
                const struct gravel_device device = {.step = steps[i]};
                const struct gravel_surroundings place = {&device, n_nodes, 16};
                struct gravel_config config = nothing_set();
                config.route_memory = memory;
                gravel_derive(&config, &place);
                const uint64_t bytes = config.buffer_bytes, each = n_wanted[i] * n_nodes;
                const bool fits = 4 * each * least_bytes[i] <= memory;
                assert_in_range(bytes, least_bytes[i], most_bytes[i]);
                assert_true(!fits || 4 * each * bytes <= memory);
                assert_true(bytes == most_bytes[i] || 4 * each * 2 * bytes > memory);
                if (fits)
                    assert_int_equal(gravel_derive_check_route_memory(&config, n_nodes), 0);
            }
}

static void buffers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const struct gravel_device device = {.step = GRAVEL_STEP_SVM};
    const struct gravel_surroundings place = {&device, 100, 16};
    struct gravel_config config = nothing_set();
    config.route_memory = MIB;
    gravel_derive(&config, &place);
    assert_int_equal(gravel_derive_check_route_memory(&config, 100), GRAVEL_ECONFIG);
    assert_non_null(strstr(gravel_last_error(), "GRAVEL_ROUTE_MEMORY"));
    assert_non_null(strstr(gravel_last_error(), "6 node buffers of 4096 bytes for each of 100 "
                                                "nodes take 2457600"));
    config.route_memory = 2457600;
    assert_int_equal(gravel_derive_check_route_memory(&config, 100), 0);
    config.route_memory = 0; /* large jobs run with what is left to Gravel */
    config.n_buffers = 65536;
    assert_int_equal(gravel_derive_check_route_memory(&config, 100), 0);
}

/* Another node's step may have asked for larger ones. */
static void agreed_buffers_are_kept(void **state)
{
    (void)state;
    const struct gravel_device device = {.step = GRAVEL_STEP_SVM};
    const struct gravel_surroundings place = {&device, 4, 16};
    struct gravel_config config = nothing_set();
    config.buffer_bytes = 4 * MIB;
    gravel_derive(&config, &place);
    assert_int_equal(config.buffer_bytes, 4 * MIB);
    assert_int_equal(config.n_buffers, 4);
    config = nothing_set();
    config.buffer_bytes = 64 * MIB;
    gravel_derive(&config, &place);
    assert_int_equal(config.n_buffers, 2);
}

static void what_is_set_stays(void **state)
{
    (void)state;
    const struct gravel_device device = {.step = GRAVEL_STEP_PUMP};
    const struct gravel_surroundings place = {&device, 2, 64};
    struct gravel_config config = {.n_aggregators = 3,
                                   .slot_bytes = 640,
                                   .queue_bytes = 9280,
                                   .buffer_bytes = 512,
                                   .n_buffers = 1,
                                   .flush_us = 1,
                                   .n_servers = 1,
                                   .server_items = 1,
                                   .chain_limit_ms = 1,
                                   .timeout_ms = 100};
    const struct gravel_config before = config;
    gravel_derive(&config, &place);
    assert_memory_equal(&config, &before, sizeof config);
}

static void chains_may_be_far_longer_than_a_wait(void **state)
{
    (void)state;
    const uint32_t timeouts_ms[] = {100, 8000, 1152000, 1152001, 86400000};
    const uint32_t limits_ms[] = {7500, 600000, 86400000, 86400000, 86400000};
    const struct gravel_device device = {.step = GRAVEL_STEP_SVM};
    const struct gravel_surroundings place = {&device, 1, 2};
    for (size_t i = 0; i < 5; i++) {
        struct gravel_config config = {.timeout_ms = timeouts_ms[i]};
        gravel_derive(&config, &place);
        assert_int_equal(config.chain_limit_ms, limits_ms[i]);
    }
}

static void kernels_have_a_limit_in_checked_mode(void **state)
{
    (void)state;
    const struct gravel_device device = {.step = GRAVEL_STEP_SVM};
    const struct gravel_surroundings place = {&device, 1, 2};
    const uint32_t cases[][4] = {/* check, timeout, limit before and after */
                                 {0, 8000, 0, 0},
                                 {1, 8000, 0, 32000},
                                 {1, 8000, 5, 5},
                                 {0, 8000, 5, 5},
                                 {1, 86400000, 0, 86400000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gravel_config config = {
            .check = cases[i][0], .timeout_ms = cases[i][1], .kernel_limit_ms = cases[i][2]};
        gravel_derive(&config, &place);
        assert_int_equal(config.kernel_limit_ms, cases[i][3]);
    }
}

/* ---- cores: of a machine and a process as the test wants them ------------------------------------ */

static int n_online, n_allowed; /* 0: none are told */

/* A sanitizer that is being set up asks too, before functions of its own may run. */
#if defined(__clang__) && __has_attribute(disable_sanitizer_instrumentation)
#define UNSEEN __attribute__((disable_sanitizer_instrumentation))
#else
#define UNSEEN
#endif

long __real_sysconf(int);
long __wrap_sysconf(int);
UNSEEN long __wrap_sysconf(int name)
{
    return name == _SC_NPROCESSORS_ONLN && n_online ? n_online : __real_sysconf(name);
}

int __wrap_sched_getaffinity(pid_t, size_t, cpu_set_t *);
UNSEEN int __wrap_sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    (void)process;
    memset(set, 0, bytes);
    for (int i = 0; i < n_allowed; i++)
        CPU_SET(i, set);
    return n_allowed ? 0 : -1;
}

/* A launcher that ties processes to cores has divided them; a container leaves some to all of them. */
static void nodes_divide_the_cores_that_they_share(void **state)
{
    static const struct {
        int online, allowed;
        uint32_t n_sharing, cores;
    } cases[] = {{16, 16, 1, 16}, {16, 16, 4, 4},  {16, 4, 1, 4}, {16, 8, 4, 2},      {16, 1, 4, 1},
                 {16, 0, 4, 4},   {16, 16, 0, 16}, {4, 8, 1, 4},  {2, 2, 1u << 20, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        n_online = cases[i].online;
        n_allowed = cases[i].allowed;
        assert_int_equal(gravel_cores_of_node(cases[i].n_sharing), cases[i].cores);
    }
}

/* By which nodes find those that they share cores with. */
static void equal_cores_have_one_identity(void **state)
{
    (void)state;
    n_allowed = 8;
    uint64_t eight = gravel_cores_identity();
    assert_int_equal(gravel_cores_identity(), eight);
    n_allowed = 7;
    assert_int_not_equal(gravel_cores_identity() >> 33, eight >> 33);
}

static void kernels_get_the_units_that_the_host_leaves(void **state)
{
    static const struct {
        uint32_t units, n_cores, n_host, expected;
    } cases[] = {
        {16, 16, 1, 15}, {16, 2, 1, 1}, {16, 1, 1, 1}, {2, 2, 0, 2},
        {16, 8, 0, 16},  {3, 4, 1, 3}, /* the user has limited the device to what is left */
        {1, 2, 1, 1},    {16, 8, 9, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            gravel_cores_for_kernels(cases[i].units, cases[i].n_cores, cases[i].n_host),
            cases[i].expected);
}

/* Of the whole node: what the pump and the aggregators have lies in a gigabyte, with the host's. */
static void pump_buffers_suffice_for_a_block_within_the_budget(void **state)
{
    (void)state;
    for (uint32_t n_nodes = 1; n_nodes <= 4096; n_nodes *= 2)
        for (uint32_t n_queues = 1; n_queues <= 16; n_queues *= 4) {
            const struct gravel_device device = {.step = GRAVEL_STEP_PUMP};
            const struct gravel_surroundings place = {&device, n_nodes, 16};
            struct gravel_config config = nothing_set();
            config.n_aggregators = n_queues;
            gravel_derive(&config, &place);
            uint64_t block = gravel_block_bytes(n_queues, config.queue_bytes / n_queues);
            uint32_t n = gravel_derive_pump_buffers(&config, n_nodes);
            uint64_t pump = n * n_queues * config.buffer_bytes;
            uint64_t others = n_nodes * config.buffer_bytes * (n_queues * config.n_buffers + 4);
            assert_true(pump <= 512 * MIB);
            assert_true(pump <= 64 * MIB || pump + others <= 1024 * MIB);
            if (n_queues == 1 && n_nodes <= 2048)
                assert_true(n >= n_nodes + block / config.buffer_bytes + 1);
            if (n_queues == 1 && n_nodes <= 64) /* four blocks, and four on their way */
                assert_int_equal(n, 8 * (n_nodes + block / config.buffer_bytes + 1));
        }
    struct gravel_config config = derive(GRAVEL_STEP_PUMP, 8192, 16);
    assert_int_equal(gravel_derive_pump_buffers(&config, 8192), 0);
}

static void pump_buffers_follow_the_size_of_a_buffer(void **state)
{
    (void)state;
    struct gravel_config config = derive(GRAVEL_STEP_PUMP, 2, 16);
    config.n_aggregators = 1;
    config.buffer_bytes = 512;
    config.queue_bytes = 32 * MIB;
    assert_int_equal(gravel_derive_pump_buffers(&config, 2), 8 * (2 + 32768 + 1));
    config.buffer_bytes = 64 * MIB;
    assert_true(gravel_derive_pump_buffers(&config, 2) <= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_steps_and_drain_keep_their_defaults),
        cmocka_unit_test(pump_takes_large_buffers_and_small_slots),
        cmocka_unit_test(groups_suit_the_device),
        cmocka_unit_test(few_cores_get_one_aggregator),
        cmocka_unit_test(one_aggregator_is_enough_where_the_device_bins),
        cmocka_unit_test(slots_lie_where_copies_reach),
        cmocka_unit_test(memory_of_buffers_is_bounded),
        cmocka_unit_test(buffers_fit_the_memory_that_is_set),
        cmocka_unit_test(buffers_that_do_not_fit_are_refused),
        cmocka_unit_test(agreed_buffers_are_kept),
        cmocka_unit_test(what_is_set_stays),
        cmocka_unit_test(chains_may_be_far_longer_than_a_wait),
        cmocka_unit_test(kernels_have_a_limit_in_checked_mode),
        cmocka_unit_test(nodes_divide_the_cores_that_they_share),
        cmocka_unit_test(equal_cores_have_one_identity),
        cmocka_unit_test(kernels_get_the_units_that_the_host_leaves),
        cmocka_unit_test(pump_buffers_suffice_for_a_block_within_the_budget),
        cmocka_unit_test(pump_buffers_follow_the_size_of_a_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
