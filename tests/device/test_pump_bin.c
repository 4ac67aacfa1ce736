/* SPDX-License-Identifier: MIT */
/*
 * The pump with binning, package by package: what lands in the mirror, in which order, what is in the node buffers of
 * blocks, and what happens when the aggregator makes no room for blocks, or no buffer comes home. Packages are written
 * to the device's memory by the test, no kernel sends.
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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pump/block.h"
#include "bare_device.h"
#include "memory/package.h"
#include "pump/device_aggregator.h"
#include "pump/pump.h"
#include "transport/pool.h"

#define OK(call) assert_int_equal(call, 0)
#define SLOT_BYTES 768u
#define N_SLOTS 32u
#define N_NODES 3u
#define BUFFER_BYTES 256u /* 52 increments, 16 messages of 12 bytes */
#define N_BUFFERS 48u
#define START 0xfffffff0u /* of the tickets, which wrap */
#define INC GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT)
#define XOR GRAVELP_COMMAND(GRAVEL_XOR, GRAVEL_ULONG)
#define ADD (GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_INT) | GRAVELP_COMMAND_WIDE)
#define PUT GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT)
#define AM GRAVELP_COMMAND_AM(1, 2)

static struct gravel_device device;
static struct gravel_memory memory;
static struct gravel_pump *pump;
static struct gravel_package_queue queue;
static struct gravel_failure failure;
static uint32_t n_nodes;
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

static void open_ring(uint32_t n_slots, uint32_t nodes, uint32_t n_buffers)
{
    const struct gravel_arena_shape shape = {.n_nodes = nodes,
                                             .n_heaps = 1,
                                             .n_queues = 1,
                                             .queue_bytes = (uint64_t)n_slots * SLOT_BYTES,
                                             .slot_bytes = SLOT_BYTES,
                                             .heap_bytes = 4096,
                                             .start = START};
    OK(gravel_memory_create(&memory, &device, &shape));
    const struct gravel_pump_shape pump_shape = {.memory = &memory,
                                                 .failure = &failure,
                                                 .report = report,
                                                 .wake = wake,
                                                 .timeout_ns = 100000000,
                                                 .aggregation = "on",
                                                 .buffer_bytes = BUFFER_BYTES,
                                                 .n_buffers = n_buffers};
    OK(gravel_pump_create(&pump, &pump_shape));
    queue = (struct gravel_package_queue){.words = gravel_arena_queue(memory.arena, 0),
                                          .slots = gravel_arena_slots(memory.arena, 0),
                                          .n_slots = n_slots,
                                          .slot_bytes = SLOT_BYTES,
                                          .head = START,
                                          .arrived = gravel_pump_arrived(pump, 0)};
    n_nodes = nodes;
    sent = START;
    reported = 0;
}

static void open_for(uint32_t nodes, uint32_t n_buffers)
{
    open_ring(N_SLOTS, nodes, n_buffers);
}

static int open_pump(void **state)
{
    (void)state;
    open_for(N_NODES, N_BUFFERS);
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
    OK(clEnqueueWriteBuffer(memory.copies, memory.region.buffer, CL_TRUE, at, bytes, from, 0, NULL,
                            NULL));
}

static uint64_t mask_of(uint32_t bytes)
{
    return bytes == 8 ? UINT64_MAX : UINT32_MAX;
}

/* Value of message i of a ticket. */
static uint64_t value_of(uint32_t command, uint32_t ticket, uint32_t i)
{
    uint64_t value = (ticket + UINT64_C(1)) * 0x9e3779b97f4a7c15u + i;
    return value & mask_of(GRAVELP_VALUE_BYTES(command));
}

/* Fill a slot with a published package of n messages; message i goes to node i % n_nodes, its index tells ticket and i.
 */
static void fill_slot(unsigned char *bytes, uint32_t ticket, uint32_t command, uint32_t n)
{
    uint32_t stride = GRAVELP_PACKAGE_STRIDE(n);
    struct gravelp_package package = {
        .published = ticket + 1, .command = command, .n_messages = n, .stride = stride, .base = 64};
    memcpy(bytes, &package, sizeof package);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = i % n_nodes;
        uint64_t index = (uint64_t)ticket << 6 | i, value = value_of(command, ticket, i);
        memcpy(bytes + GRAVELP_NODE_ROW + 4 * i, &node, 4);
        memcpy(bytes + GRAVELP_INDEX_ROW(stride) + (size_t)GRAVELP_INDEX_BYTES(command) * i, &index,
               GRAVELP_INDEX_BYTES(command));
        if ((gravel_command_commutes(command) || gravel_command_is_put(command)) &&
            GRAVELP_N_VALUES(command))
            memcpy(bytes + GRAVELP_VALUE_ROW(command, stride, 0) +
                       (size_t)GRAVELP_VALUE_BYTES(command) * i,
                   &value, GRAVELP_VALUE_BYTES(command));
    }
}

/* Publish packages of n messages each, as leaders do; the ring does not end between them. */
static void send_packages(uint32_t command, uint32_t n_packages, uint32_t n)
{
    unsigned char *slots = calloc(n_packages, SLOT_BYTES);
    uint64_t first = sent & (queue.n_slots - 1);
    assert_non_null(slots);
    for (uint32_t i = 0; i < n_packages; i++)
        fill_slot(slots + (size_t)i * SLOT_BYTES, sent++, command, n);
    write_device(memory.arena->slots_offset + first * SLOT_BYTES, slots,
                 (size_t)n_packages * SLOT_BYTES);
    write_device(memory.arena->queues_offset, &sent, sizeof sent); /* reserved is its first word */
    free(slots);
}

static void send_package(uint32_t command, uint32_t n)
{
    send_packages(command, 1, n);
}

/* Take an element off a row. */
static uint64_t next_of(const unsigned char **row, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, *row, bytes);
    *row += bytes;
    return value;
}

/* The rows of a part that stays in its room are read from there, as if they stood behind the header. */
static const struct gravel_frame *whole_frame(const struct gravel_buffer *buffer)
{
    static _Alignas(8) unsigned char whole[N_SLOTS * SLOT_BYTES];
    const struct gravel_run *run = (const void *)(buffer->frame + 1);
    uint32_t n = run->n_messages, header = sizeof *buffer->frame;
    size_t value_bytes =
        n * (size_t)GRAVELP_N_VALUES(run->command) * GRAVELP_VALUE_BYTES(run->command);
    if (!buffer->rows.memory)
        return buffer->frame;
    assert_int_equal(buffer->frame->destination, memory.arena->node);
    assert_true(buffer->frame->bytes <= sizeof whole);
    memset(whole, 0, sizeof whole);
    memcpy(whole, buffer->frame, header + sizeof *run);
    OK(clEnqueueReadBuffer(memory.copies, buffer->rows.memory, CL_TRUE, buffer->rows.indices,
                           n * (size_t)GRAVELP_INDEX_BYTES(run->command),
                           whole + header + GRAVEL_RUN_INDICES(run->command), 0, NULL, NULL));
    if (value_bytes)
        OK(clEnqueueReadBuffer(memory.copies, buffer->rows.memory, CL_TRUE, buffer->rows.values,
                               value_bytes, whole + header + GRAVEL_RUN_VALUES(run->command, n, 0),
                               0, NULL, NULL));
    return (const void *)whole;
}

/* A buffer of a block holds one run, of messages that were sent to its node by packages from `ticket` on, of n messages
 * each. @param seen  [packages][n] messages found so far. @return its messages. */
static uint32_t expect_buffer(struct gravel_buffer *buffer, uint32_t command, uint32_t ticket,
                              uint32_t n_packages, uint32_t n, bool *seen)
{
    gravel_buffer_complete(buffer);
    const struct gravel_frame *frame = whole_frame(buffer);
    const struct gravel_run *run = (const void *)(frame + 1);
    const unsigned char *start = (const unsigned char *)run;
    uint32_t n_here = frame->n_messages, value_bytes = GRAVELP_VALUE_BYTES(command);
    uint64_t index_mask = mask_of(GRAVELP_INDEX_BYTES(command));
    assert_true(n_here > 0);
    assert_int_equal(run->command, command);
    assert_int_equal(run->base, 64);
    assert_int_equal(run->n_messages, n_here);
    assert_int_equal(frame->bytes, sizeof *frame + GRAVEL_RUN_BYTES(command, n_here));
    assert_true(frame->bytes <= BUFFER_BYTES || buffer->rows.memory);
    assert_int_equal(buffer->rows.memory != NULL,
                     frame->destination == memory.arena->node && !(command & GRAVELP_COMMAND_WIDE));
    const unsigned char *index = start + GRAVEL_RUN_INDICES(command);
    const unsigned char *value = start + GRAVEL_RUN_VALUES(command, n_here, 0);
    for (uint32_t i = 0, last = 0; i < n_here; i++) {
        uint64_t told = next_of(&index, GRAVELP_INDEX_BYTES(command)), number = told & 63;
        uint32_t package = 0;
        while (package < n_packages &&
               (((uint64_t)(ticket + package) << 6 | number) & index_mask) != told)
            package++;
        assert_true(package < n_packages && number < n && !seen[package * n + number]);
        assert_true(command != PUT || package >= last);
        last = package;
        seen[package * n + number] = true;
        assert_int_equal(number % n_nodes, frame->destination);
        if (GRAVELP_N_VALUES(command))
            assert_int_equal(next_of(&value, value_bytes),
                             value_of(command, ticket + package, (uint32_t)number));
    }
    while (GRAVELP_N_VALUES(command) && index < start + GRAVEL_RUN_VALUES(command, n_here, 0))
        assert_int_equal(*index++, 0);
    for (value = GRAVELP_N_VALUES(command) ? value : index;
         value < start + GRAVEL_RUN_BYTES(command, n_here); value++)
        assert_int_equal(*value, 0);
    return n_here;
}

/* The next in the mirror is a block of so many packages with n messages each; no buffer is there that need not be.
 * @return its buffers. */
static struct gravel_buffer *look_at_block(uint32_t command, uint32_t n_packages, uint32_t n)
{
    const struct gravelp_package *package = gravel_package_peek(&queue);
    static bool seen[N_SLOTS * 64];
    uint32_t node = 0, n_here = 0, sum = 0;
    assert_non_null(package);
    assert_int_equal(package->command, GRAVEL_BINNED);
    struct gravel_block *block = &gravel_pump_blocks(pump, 0)[package->n_messages];
    assert_int_equal(block->run.command, command);
    assert_int_equal(block->run.base, 64);
    assert_int_equal(block->run.n_packages, n_packages);
    assert_int_equal(package->stride, n_packages);
    assert_int_equal(block->run.n_messages, n_packages * n);
    memset(seen, 0, sizeof seen);
    struct gravel_buffer *first = block->first;
    for (struct gravel_buffer *buffer = first; buffer; buffer = buffer->next) {
        uint32_t to = buffer->frame->destination;
        bool is_new = to > node || n_here == 0;
        assert_true(is_new || (to == node && n_here % 2 == 0));
        uint32_t n_before = is_new ? 0 : n_here;
        n_here = expect_buffer(buffer, command, queue.head, n_packages, n, seen);
        assert_true(is_new || (n_here <= n_before && n_before - n_here < 4)); /* even pieces */
        sum += n_here;
        node = to;
    }
    assert_int_equal(sum, n_packages * n);
    block->first = NULL;
    gravel_package_release_n(&queue, n_packages);
    return first;
}

/* As the network does. @return how many there were. */
static uint32_t return_buffers(struct gravel_buffer *buffer)
{
    uint32_t n = 0;
    for (struct gravel_buffer *next; buffer; buffer = next, n++) {
        next = buffer->next;
        gravel_pool_return(buffer);
    }
    return n;
}

static void expect_block(uint32_t command, uint32_t n_packages, uint32_t n)
{
    return_buffers(look_at_block(command, n_packages, n));
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

/* The next is a block, of whose messages only the number is looked at. @return its packages. */
static uint32_t take_block(uint32_t n)
{
    const struct gravelp_package *package = gravel_package_peek(&queue);
    assert_non_null(package);
    assert_int_equal(package->command, GRAVEL_BINNED);
    struct gravel_block *block = &gravel_pump_blocks(pump, 0)[package->n_messages];
    uint32_t n_packages = block->run.n_packages;
    assert_int_equal(block->run.n_messages, n_packages * n);
    return_buffers(block->first);
    block->first = NULL;
    gravel_package_release_n(&queue, n_packages);
    return n_packages;
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
    send_package(AM, 3);
    send_package(XOR, 16);
    send_package(XOR, 16);
    OK(gravel_pump_settle(pump, NULL));
    expect_block(INC, 5, 9);
    expect_block(PUT, 1, 16);
    expect_package(AM, 3);
    expect_block(XOR, 2, 16);
    expect_nothing();
    OK(gravel_pump_settle(pump, NULL));
}

/* Thrice around the ring, through the wrap of the tickets. A run ends where the ring does. */
static void ring_and_rooms_are_used_again(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t slot = sent & (N_SLOTS - 1), n = slot + 5 > N_SLOTS ? N_SLOTS - slot : 5;
        for (uint32_t i = 0; i < 5; i++)
            send_package(INC, 1 + round);
        OK(gravel_pump_settle(pump, NULL));
        expect_block(INC, n, 1 + round);
        if (n < 5)
            expect_block(INC, 5 - n, 1 + round);
        expect_nothing();
    }
}

/* Each package is a run of its own: the ninth waits until the aggregator has released the first. */
static void full_rooms_are_told_and_waited_for(void **state)
{
    const uint32_t n = GRAVEL_BLOCK_ROOMS;
    (void)state;
    for (uint32_t i = 0; i < n + 3; i++)
        send_package(i % 2 ? XOR : INC, 8);
    assert_int_equal(gravel_pump_settle(pump, NULL), GRAVEL_ETIMEOUT);
    assert_non_null(strstr(gravel_last_error(), "aggregators make no room"));
    assert_int_equal(reported, GRAVEL_ETIMEOUT);
    for (uint32_t i = 0; i < n; i++)
        expect_block(i % 2 ? XOR : INC, 1, 8);
    expect_nothing();
    OK(gravel_pump_settle(pump, NULL));
    for (uint32_t i = n; i < n + 3; i++)
        expect_block(i % 2 ? XOR : INC, 1, 8);
    expect_nothing();
}

/* The own node's part lies in its room until it is applied, also when the aggregator has long released the tickets. It may be
 * applied at any time: also just as the pump begins the next block. */
static void room_is_used_until_its_part_is_applied(void **state)
{
    struct gravel_buffer *shipped[GRAVEL_BLOCK_ROOMS];
    const uint32_t n = GRAVEL_BLOCK_ROOMS;
    (void)state;
    for (uint32_t i = 0; i < n + 4; i++)
        send_package(i % 2 ? XOR : INC, 1 + i % 5);
    assert_int_equal(gravel_pump_settle(pump, NULL), GRAVEL_ETIMEOUT);
    for (uint32_t i = 0; i < n; i++)
        shipped[i] = look_at_block(i % 2 ? XOR : INC, 1, 1 + i % 5);
    assert_int_equal(gravel_pump_settle(pump, NULL), GRAVEL_ETIMEOUT);
    expect_nothing();
    for (uint32_t i = 0; i < 4; i++) {
        return_buffers(shipped[i]);
        if (i < 3)
            assert_int_equal(gravel_pump_settle(pump, NULL), GRAVEL_ETIMEOUT);
        else
            OK(gravel_pump_settle(pump, NULL));
        expect_block((n + i) % 2 ? XOR : INC, 1, 1 + (n + i) % 5);
        expect_nothing();
    }
    for (uint32_t i = 4; i < n; i++)
        return_buffers(shipped[i]);
}

static void parts_longer_than_a_buffer_are_cut(void **state)
{
    (void)state;
    const uint32_t commands[] = {INC, XOR, ADD, PUT}, each[] = {52, 16, 16, 26};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t slot = sent & (N_SLOTS - 1);
        for (uint32_t n = slot ? N_SLOTS - slot : 0; n; n--) { /* a run ends where the ring does */
            send_package(AM, 1);
            OK(gravel_pump_settle(pump, NULL));
            expect_package(AM, 1);
        }
        for (uint32_t n = 0; n < 17; n++)
            send_package(commands[i], 31);
        OK(gravel_pump_settle(pump, NULL));
        uint32_t of_first = 17 * 11, of_others = 17 * 10; /* of 31 messages, to 3 nodes */
        uint32_t n_first =
            commands[i] & GRAVELP_COMMAND_WIDE ? (of_first + each[i] - 1) / each[i] : 1; /* stays */
        assert_int_equal(return_buffers(look_at_block(commands[i], 17, 31)),
                         n_first + 2 * ((of_others + each[i] - 1) / each[i]));
        expect_nothing();
    }
}

static void nodes_without_messages_get_no_buffer(void **state)
{
    (void)state;
    send_package(ADD, 1);
    send_package(ADD, 1);
    send_package(XOR, 2);
    OK(gravel_pump_settle(pump, NULL));
    assert_int_equal(return_buffers(look_at_block(ADD, 2, 1)), 1);
    assert_int_equal(return_buffers(look_at_block(XOR, 1, 2)), 2);
}

static void blocks_are_for_one_node_and_for_many(void **state)
{
    const uint32_t nodes[] = {1, 2, 64, 100, 300}, commands[] = {INC, XOR, ADD, PUT};
    for (uint32_t i = 0; i < 5; i++) {
        close_pump(state);
        open_for(nodes[i], 320);
        for (uint32_t j = 0; j < (nodes[i] <= 256 ? 4 : 3); j++) { /* puts to few nodes only */
            for (uint32_t n = 0; n < 4; n++)
                send_package(commands[j], 31);
            OK(gravel_pump_settle(pump, NULL));
            expect_block(commands[j], 4, 31);
        }
    }
}

/* Buffers come home late: a block waits for them, and no thread does. */
static void block_waits_for_buffers(void **state)
{
    close_pump(state);
    open_for(N_NODES, 5);
    for (uint32_t i = 0; i < 4; i++)
        send_package(i % 2 ? XOR : INC, 8);
    send_package(AM, 3);
    assert_int_equal(gravel_pump_settle(pump, NULL), GRAVEL_ETIMEOUT);
    assert_non_null(strstr(gravel_last_error(), "none comes home"));
    assert_int_equal(reported, GRAVEL_ETIMEOUT);
    assert_int_equal(gravel_pump_buffer_waits(pump), 1);
    struct gravel_buffer *first = look_at_block(INC, 1, 8), *second = look_at_block(XOR, 1, 8);
    expect_nothing();
    return_buffers(first);
    assert_int_equal(gravel_pump_settle(pump, NULL), GRAVEL_ETIMEOUT);
    expect_block(INC, 1, 8);
    expect_nothing();
    return_buffers(second);
    OK(gravel_pump_settle(pump, NULL));
    expect_block(XOR, 1, 8);
    expect_package(AM, 3);
    expect_nothing();
}

/* A run that all buffers could not hold is cut, or nothing is binned. */
static void few_buffers_make_short_runs(void **state)
{
    close_pump(state);
    open_for(N_NODES, 4); /* 52 messages to whatever node */
    for (uint32_t i = 0; i < 5; i++)
        send_package(INC, 16);
    OK(gravel_pump_settle(pump, NULL));
    expect_block(INC, 3, 16);
    expect_block(INC, 2, 16);
    close_pump(state);
    open_for(N_NODES, 1);
    send_package(INC, 16);
    OK(gravel_pump_settle(pump, NULL));
    expect_package(INC, 16);
}

/* What was never shipped is freed all the same: the sanitizers look. */
static void blocks_may_be_left(void **state)
{
    (void)state;
    send_package(INC, 16);
    send_package(XOR, 16);
    OK(gravel_pump_settle(pump, NULL));
    expect_block(INC, 1, 16);
}

static void bad_run_lands_as_packages(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        send_package(INC, i == 2 ? 0 : 8); /* no package is empty */
    send_package(XOR, 4);
    OK(gravel_pump_settle(pump, NULL));
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
    OK(gravel_pump_settle(pump, NULL));
    expect_package(0, 2);
    expect_package(INC, 0);
    expect_package(0, 1);
    expect_nothing();
}

/* Looks reach further and further. @param expected  packages of the last block, when 8192 are ready. */
static void expect_look_ahead(uint32_t n, uint32_t n_buffers, uint32_t expected)
{
    close_pump(NULL);
    open_ring(16384, 1, n_buffers);
    send_packages(INC, 16, n); /* the ring ends */
    OK(gravel_pump_settle(pump, NULL));
    assert_int_equal(take_block(n), 16);
    for (uint32_t ready = 64; ready <= 4096; ready *= 2) {
        send_packages(INC, ready, n);
        OK(gravel_pump_settle(pump, NULL));
        assert_int_equal(take_block(n), ready);
    }
    send_packages(INC, 8192, n);
    OK(gravel_pump_settle(pump, NULL));
    assert_int_equal(take_block(n), expected);
}

/* A look reaches as far as a block's messages do, less a sixteenth; here 213000 fit in the buffers. */
static void look_ahead_follows_the_messages_of_packages(void **state)
{
    (void)state;
    const uint32_t n_buffers = 4097, fit = (n_buffers - 1) * 52;
    expect_look_ahead(8, n_buffers, 8192); /* all that is ready */
    expect_look_ahead(32, n_buffers, (fit - fit / 16) / 32);
    expect_look_ahead(50, n_buffers, 4096); /* the least */
}

static void ticket_that_is_not_published_is_still_missed(void **state)
{
    (void)state;
    send_package(INC, 8);
    OK(gravel_pump_settle(pump, NULL));
    expect_block(INC, 1, 8);
    uint32_t reserved = sent + 1;
    write_device(memory.arena->queues_offset, &reserved, sizeof reserved);
    assert_int_equal(gravel_pump_settle(pump, NULL), GRAVEL_EKERNEL);
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
        TEST(room_is_used_until_its_part_is_applied),
        TEST(parts_longer_than_a_buffer_are_cut),
        TEST(nodes_without_messages_get_no_buffer),
        TEST(blocks_are_for_one_node_and_for_many),
        TEST(block_waits_for_buffers),
        TEST(few_buffers_make_short_runs),
        TEST(look_ahead_follows_the_messages_of_packages),
        TEST(blocks_may_be_left),
        TEST(bad_run_lands_as_packages),
        TEST(foreign_block_is_made_harmless),
        TEST(ticket_that_is_not_published_is_still_missed),
    };
    return bare_device_run(argc, argv, &device, 60, tests, sizeof tests / sizeof *tests);
}
