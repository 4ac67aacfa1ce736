/* SPDX-License-Identifier: MIT */
/*
 * The pump with binning, package by package: what lands in the mirror, in which order, and what
 * happens when the aggregator makes no room for blocks. Packages are written to the device's memory
 * by the test, no kernel sends.
 *
 * usage: test_pump_bin PLATFORM      part of an OpenCL platform's name
 *
 * Path:    meson test -> lib/pump/move.c, pump/blocks.c -> the mirror, which the test reads as
 * an aggregator
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pump/block.h"
#include "bare_device.h"
#include "queue/package.h"
#include "pump/pump.h"

#define OK(call) assert_int_equal(call, 0)
#define SLOT_BYTES 640u
#define N_SLOTS 32u
#define N_NODES 3u
#define START 0xfffffff0u /* of the tickets, which wrap */
#define INC GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT)
#define XOR GRAVELP_COMMAND(GRAVEL_XOR, GRAVEL_ULONG)
#define PUT GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT)

static struct gravel_device device;
static struct gravel_memory memory;
static struct gravel_pump *pump;
static struct gravel_package_queue queue;
static _Atomic bool aborted;
static uint32_t sent; /* tickets */

static int reported; /* a fatal error */

static void report(void *context, int code, bool is_fatal, const char *text)
{
    (void)context, (void)text;
    reported = is_fatal ? code : reported;
}

static void wake(void *context, uint32_t number)
{
    (void)context, (void)number;
}

static int open_pump(void **state)
{
    (void)state;
    const struct gravel_arena_shape shape = {.n_nodes = N_NODES,
                                             .n_heaps = 1,
                                             .n_queues = 1,
                                             .queue_bytes = N_SLOTS * SLOT_BYTES,
                                             .slot_bytes = SLOT_BYTES,
                                             .heap_bytes = 4096,
                                             .start = START};
    OK(gravel_memory_create(&memory, &device, &shape));
    const struct gravel_pump_shape pump_shape = {.memory = &memory,
                                                 .aborted = &aborted,
                                                 .report = report,
                                                 .wake = wake,
                                                 .timeout_ns = 100000000,
                                                 .aggregation = "on"};
    OK(gravel_pump_create(&pump, &pump_shape));
    queue = (struct gravel_package_queue){.words = gravel_arena_queue(memory.arena, 0),
                                          .slots = gravel_arena_slots(memory.arena, 0),
                                          .n_slots = N_SLOTS,
                                          .slot_bytes = SLOT_BYTES,
                                          .head = START,
                                          .arrived = gravel_pump_arrived(pump, 0)};
    sent = START;
    reported = 0;
    return 0;
}

static int close_pump(void **state)
{
    (void)state;
    gravel_pump_destroy(pump);
    gravel_memory_destroy(&memory);
    return 0;
}

static void write_device(uint64_t at, const void *from, size_t bytes)
{
    OK(clEnqueueWriteBuffer(memory.copies, memory.buffer, CL_TRUE, at, bytes, from, 0, NULL, NULL));
}

/* Publish a package of n messages, as a leader does; message i goes to node i % 3, index and value
 * tell the ticket. */
static void send_package(uint32_t command, uint32_t n)
{
    uint32_t slot[SLOT_BYTES / 4] = {0}, stride = GRAVELP_PACKAGE_STRIDE(n);
    unsigned char *bytes = (unsigned char *)slot;
    struct gravelp_package package = {
        .published = sent + 1, .command = command, .n_messages = n, .stride = stride, .base = 64};
    memcpy(slot, &package, sizeof package);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = i % N_NODES, index = sent;
        memcpy(bytes + GRAVELP_NODE_ROW + 4 * i, &node, 4);
        memcpy(bytes + GRAVELP_INDEX_ROW(stride) + 4 * i, &index, 4);
    }
    uint64_t number = sent++ & (N_SLOTS - 1);
    write_device(memory.arena->slots_offset + number * SLOT_BYTES, slot, sizeof slot);
    write_device(memory.arena->queues_offset, &sent, sizeof sent); /* reserved is its first word */
}

/* The next in the mirror is a block of so many packages with n messages each. */
static void expect_block(uint32_t command, uint32_t n_packages, uint32_t n)
{
    const struct gravelp_package *package = gravel_package_peek(&queue);
    assert_non_null(package);
    assert_int_equal(package->command, GRAVEL_BINNED);
    const struct gravel_block *block = &gravel_pump_blocks(pump, 0)[package->n_messages];
    const uint32_t *indices = (const void *)block->index;
    assert_int_equal(block->run.command, command);
    assert_int_equal(block->run.base, 64);
    assert_int_equal(block->run.n_packages, n_packages);
    assert_int_equal(package->stride, n_packages);
    assert_int_equal(block->run.n_messages, n_packages * n);
    for (uint32_t node = 0; node < N_NODES; node++) {
        assert_int_equal(block->counts[node], n_packages * ((n - node + N_NODES - 1) / N_NODES));
        for (uint32_t i = 0; i < block->counts[node]; i++)
            assert_true(indices[i] - queue.head < n_packages);
        indices += gravel_block_part(block->counts[node]);
    }
    gravel_package_release_n(&queue, n_packages);
}

/* The next is a package as it was sent. */
static void expect_package(uint32_t command, uint32_t n)
{
    const struct gravelp_package *package = gravel_package_peek(&queue);
    assert_non_null(package);
    assert_int_equal(package->command, command);
    assert_int_equal(package->n_messages, n);
    gravel_package_release(&queue);
}

static void expect_nothing(void)
{
    assert_null(gravel_package_peek(&queue));
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void blocks_and_packages_land_in_order(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        send_package(INC, 9);
    send_package(PUT, 16);
    send_package(GRAVELP_COMMAND_AM(1, 2), 3);
    send_package(XOR, 16);
    send_package(XOR, 16);
    OK(gravel_pump_settle(pump));
    expect_block(INC, 5, 9);
    expect_package(PUT, 16);
    expect_package(GRAVELP_COMMAND_AM(1, 2), 3);
    expect_block(XOR, 2, 16);
    expect_nothing();
    OK(gravel_pump_settle(pump));
}

/* Thrice around the ring, through the wrap of the tickets. A run ends where the ring does. */
static void ring_and_rooms_are_used_again(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t slot = sent & (N_SLOTS - 1), n = slot + 5 > N_SLOTS ? N_SLOTS - slot : 5;
        for (uint32_t i = 0; i < 5; i++)
            send_package(INC, 1 + round);
        OK(gravel_pump_settle(pump));
        expect_block(INC, n, 1 + round);
        if (n < 5)
            expect_block(INC, 5 - n, 1 + round);
        expect_nothing();
    }
}

/* Each package is a run of its own: the fifth waits until the aggregator has released the first. */
static void full_rooms_are_told_and_waited_for(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 7; i++)
        send_package(i % 2 ? XOR : INC, 8);
    assert_int_equal(gravel_pump_settle(pump), GRAVEL_ETIMEOUT);
    assert_non_null(strstr(gravel_last_error(), "aggregators make no room"));
    assert_int_equal(reported, GRAVEL_ETIMEOUT);
    for (uint32_t i = 0; i < 4; i++)
        expect_block(i % 2 ? XOR : INC, 1, 8);
    expect_nothing();
    OK(gravel_pump_settle(pump));
    for (uint32_t i = 4; i < 7; i++)
        expect_block(i % 2 ? XOR : INC, 1, 8);
    expect_nothing();
}

static void bad_run_lands_as_packages(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        send_package(INC, i == 2 ? 0 : 8); /* no package is empty */
    send_package(XOR, 4);
    OK(gravel_pump_settle(pump));
    expect_package(INC, 8);
    expect_package(INC, 8);
    expect_package(INC, 0);
    expect_package(INC, 8);
    expect_block(XOR, 1, 4);
    expect_nothing();
}

static void foreign_block_is_made_harmless(void **state)
{
    (void)state;
    send_package(GRAVEL_BINNED, 2);
    send_package(INC, 0);
    send_package(GRAVEL_BINNED, 1);
    OK(gravel_pump_settle(pump));
    expect_package(0, 2);
    expect_package(INC, 0);
    expect_package(0, 1);
    expect_nothing();
}

static void ticket_that_is_not_published_is_still_missed(void **state)
{
    (void)state;
    send_package(INC, 8);
    OK(gravel_pump_settle(pump));
    expect_block(INC, 1, 8);
    uint32_t reserved = sent + 1;
    write_device(memory.arena->queues_offset, &reserved, sizeof reserved);
    assert_int_equal(gravel_pump_settle(pump), GRAVEL_EKERNEL);
    assert_int_equal(reported, GRAVEL_EKERNEL);
    assert_non_null(strstr(gravel_last_error(), "ticket 4294967281"));
}

int main(int argc, char **argv)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, open_pump, close_pump)
    const struct CMUnitTest tests[] = {
        TEST(blocks_and_packages_land_in_order),
        TEST(ring_and_rooms_are_used_again),
        TEST(full_rooms_are_told_and_waited_for),
        TEST(bad_run_lands_as_packages),
        TEST(foreign_block_is_made_harmless),
        TEST(ticket_that_is_not_published_is_still_missed),
    };
    return bare_device_run(argc, argv, &device, 60, tests, sizeof tests / sizeof *tests);
}
