/* SPDX-License-Identifier: MIT */
/*
 * Settings that are left to Gravel, for every step and size of job: within their ranges and the budget, and what is set
 * stays.
 *
 * Path: meson test -> this -> lib/settings/defaults.c
 */
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "settings/defaults.h"
#include "device/cores.h"
#include "memory/arena.h"
#include "pump/block.h"

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

#define SVM .step = GRAVEL_STEP_SVM
#define USM .step = GRAVEL_STEP_USM
#define PUMP .step = GRAVEL_STEP_PUMP
#define DRAIN .step = GRAVEL_STEP_DRAIN
#define CPU .capability.is_cpu = true

/* What is derived of a device's step and groups, the nodes, the cores and what is set: members that are 0 are not compared. */
static const struct {
    struct gravel_device device;
    uint32_t n_nodes, cores;
    struct gravel_config set, due;
} rows[] = {
    /* step pump has large buffers, and slots that hold an increment of each work-item of a group that suits the device */
    {{PUMP, .capability = {.max_group = 1024}},
     1,
     16,
     {0},
     {.n_aggregators = 2,
      .slot_bytes = 64 + 512 * (4 + 4),
      .queue_bytes = 64 * MIB,
      .buffer_bytes = 8 * MIB,
      .n_buffers = 8,
      .flush_us = 2000}},
    {{PUMP, .capability = {.max_group = 256}}, 1, 1, {0}, {.slot_bytes = 2112}},
    {{PUMP, .capability = {.max_group = 300}}, 1, 1, {0}, {.slot_bytes = 2112}},
    {{PUMP, .capability = {.is_cpu = true, .max_group = 4096}}, 1, 1, {0}, {.slot_bytes = 2112}},
    {{PUMP, .capability = {.max_group = 1}}, 1, 1, {0}, {.slot_bytes = 768}},
    {{SVM, .capability = {.max_group = 1024}}, 1, 1, {0}, {.slot_bytes = 9280}},
    {{DRAIN, .capability = {.is_cpu = true, .max_group = 64}}, 1, 1, {0}, {.slot_bytes = 9280}},
    {{PUMP}, 4, 16, {0}, {.buffer_bytes = 4 * MIB}},
    {{PUMP}, 8, 16, {0}, {.buffer_bytes = 2 * MIB}},
    {{PUMP}, 256, 16, {0}, {.buffer_bytes = 65536}},
/* shared steps and drain have small ones, within 64 MiB, that stay open for longer in a large job */
#define ONE .n_aggregators = 1, .slot_bytes = 9280, .queue_bytes = 32 * MIB
    {{SVM}, 1, 64, {0}, {ONE, .buffer_bytes = 65536, .n_buffers = 32, .flush_us = 125}},
    {{USM}, 10, 64, {0}, {ONE, .buffer_bytes = 65536, .flush_us = 125}},
    {{DRAIN}, 512, 64, {0}, {ONE, .buffer_bytes = 65536, .n_buffers = 2, .flush_us = 6144}},
    {{SVM}, 4096, 64, {0}, {ONE, .buffer_bytes = 8192, .n_buffers = 2, .flush_us = 49152}},
    /* a second aggregator has a core, and where the device bins there is none */
    {{PUMP}, 1, 3, {0}, {.n_aggregators = 1}},
    {{PUMP}, 1, 4, {0}, {.n_aggregators = 2}},
    {{PUMP}, 1, 16, {.device_aggregation = "auto"}, {.n_aggregators = 1, .queue_bytes = 512 * MIB}},
    {{PUMP, CPU},
     1,
     16,
     {.device_aggregation = "auto"},
     {.n_aggregators = 2, .queue_bytes = 64 * MIB}},
    {{PUMP, CPU},
     1,
     16,
     {.device_aggregation = "on"},
     {.n_aggregators = 1, .queue_bytes = 32 * MIB}},
    {{DRAIN}, 1, 16, {.device_aggregation = "auto"}, {.n_aggregators = 1}},
    /* buffers that the nodes have agreed on are kept: another node's step may ask for larger ones */
    {{SVM}, 4, 16, {.buffer_bytes = 4 * MIB}, {.buffer_bytes = 4 * MIB, .n_buffers = 4}},
    {{SVM}, 4, 16, {.buffer_bytes = 64 * MIB}, {.n_buffers = 2}},
    /* chains may be far longer than a wait */
    {{SVM}, 1, 2, {.timeout_ms = 100}, {.chain_limit_ms = 7500}},
    {{SVM}, 1, 2, {.timeout_ms = 8000}, {.chain_limit_ms = 600000}},
    {{SVM}, 1, 2, {.timeout_ms = 1152000}, {.chain_limit_ms = 86400000}},
    {{SVM}, 1, 2, {.timeout_ms = 1152001}, {.chain_limit_ms = 86400000}},
    {{SVM}, 1, 2, {.timeout_ms = 86400000}, {.chain_limit_ms = 86400000}},
    /* kernels have a limit in checked mode */
    {{SVM}, 1, 2, {.check = 1}, {.kernel_limit_ms = 32000}},
    {{SVM}, 1, 2, {.check = 1, .timeout_ms = 86400000}, {.kernel_limit_ms = 86400000}},
/* what is set stays */
#define ALL_SET                                                                                \
    {                                                                                          \
        .n_aggregators = 3, .slot_bytes = 640, .queue_bytes = 9280, .buffer_bytes = 512,       \
        .n_buffers = 1, .flush_us = 1, .n_servers = 1, .server_items = 1, .chain_limit_ms = 1, \
        .kernel_limit_ms = 5, .check = 1                                                       \
    }
    {{PUMP}, 2, 64, ALL_SET, ALL_SET},
};

TEST(rows_are_derived)
{
#define MEMBER(name)                                                                        \
    {                                                                                       \
#name, offsetof(struct gravel_config, name), sizeof((struct gravel_config){0}.name) \
    }
    static const struct {
        const char *name;
        size_t at, bytes;
    } members[] = {MEMBER(n_aggregators),  MEMBER(slot_bytes),   MEMBER(queue_bytes),
                   MEMBER(buffer_bytes),   MEMBER(n_buffers),    MEMBER(flush_us),
                   MEMBER(n_servers),      MEMBER(server_items), MEMBER(chain_limit_ms),
                   MEMBER(kernel_limit_ms)};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gravel_surroundings place = {&rows[i].device, rows[i].n_nodes, rows[i].cores};
        struct gravel_config config = rows[i].set;
        if (!config.timeout_ms)
            config.timeout_ms = nothing_set().timeout_ms;
        if (!*config.device_aggregation)
            strcpy(config.device_aggregation, "off");
        gravel_derive(&config, &place);
        for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
            uint64_t found = 0, due = 0;
            memcpy(&found, (char *)&config + members[m].at, members[m].bytes);
            memcpy(&due, (const char *)&rows[i].due + members[m].at, members[m].bytes);
            if (due && found != due)
                fail_msg("row %zu: %s is %" PRIu64 ", expected %" PRIu64, i, members[m].name, found,
                         due);
        }
    }
    assert_int_equal(derive(GRAVEL_STEP_SVM, 1, 2).kernel_limit_ms, 0);
}

TEST(groups_suit_the_device)
{
    static const uint32_t groups[] = {512, 256, 256, 256,
                                      1,   256, 64}; /* of the devices of the first rows */
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        assert_int_equal(gravel_derive_group_size(&rows[i].device), groups[i]);
}

/* Copies of rows reach the first 4 GiB of the arena, in which all slots must lie. */
TEST(slots_lie_where_copies_reach)
{
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

/* The largest that fit, whatever the memory; less than the least ones is an error that says so. */
TEST(buffers_fit_the_memory_that_is_set)
{
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
                assert_in_range(config.n_buffers, 2, 32);
                assert_true(!fits || 4 * each * bytes <= memory);
                assert_true(bytes == most_bytes[i] || 4 * each * 2 * bytes > memory);
                if (fits)
                    assert_int_equal(gravel_derive_check_route_memory(&config, n_nodes), 0);
            }
}

TEST(buffers_that_do_not_fit_are_refused)
{
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

/* ---- cores: of a machine and a process as the test wants them ------------------------------------ */

static int n_online, n_allowed; /* 0: unknown */

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
TEST(nodes_divide_the_cores_that_they_share)
{
    static const struct {
        int online, allowed;
        uint32_t n_sharing, cores;
    } cases[] = {{16, 16, 1, 16}, {16, 16, 4, 4},  {16, 4, 1, 4}, {16, 8, 4, 2},      {16, 1, 4, 1},
                 {16, 0, 4, 4},   {16, 16, 0, 16}, {4, 8, 1, 4},  {2, 2, 1u << 20, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        n_online = cases[i].online;
        n_allowed = cases[i].allowed;
        assert_int_equal(gravel_cores_of_node(cases[i].n_sharing), cases[i].cores);
    }
}

/* By which nodes find those that they share cores with. */
TEST(equal_cores_have_one_identity)
{
    n_allowed = 8;
    uint64_t eight = gravel_cores_identity();
    assert_int_equal(gravel_cores_identity(), eight);
    n_allowed = 7;
    assert_int_not_equal(gravel_cores_identity() >> 33, eight >> 33);
}

TEST(kernels_get_the_units_that_the_host_leaves)
{
    static const struct {
        uint32_t units, n_cores, n_host, expected;
    } cases[] = {
        {16, 16, 1, 15}, {16, 2, 1, 1}, {16, 1, 1, 1}, {2, 2, 0, 2},
        {16, 8, 0, 16},  {3, 4, 1, 3}, /* the user has limited the device to what is left */
        {1, 2, 1, 1},    {16, 8, 9, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            gravel_cores_for_kernels(cases[i].units, cases[i].n_cores, cases[i].n_host),
            cases[i].expected);
}

/* The whole node: what the pump and the aggregators have lies in a gigabyte, with the host's. */
TEST(pump_buffers_suffice_for_a_block_within_the_budget)
{
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
    config = derive(GRAVEL_STEP_PUMP, 2, 16);
    config.n_aggregators = 1;
    config.queue_bytes = 32 * MIB;
    config.buffer_bytes = 512;
    assert_int_equal(gravel_derive_pump_buffers(&config, 2), 8 * (2 + 32768 + 1));
    config.buffer_bytes = 64 * MIB;
    assert_true(gravel_derive_pump_buffers(&config, 2) <= 8);
}
