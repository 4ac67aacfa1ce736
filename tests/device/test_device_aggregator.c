/* SPDX-License-Identifier: MIT */
/*
 * Runs of packages binned by the device, compared with binning by sorting: every command that
 * commutes, packages of any length, few nodes and many, tickets that wrap, and everything that a
 * run must not be.
 *
 * usage: test_device_aggregator PLATFORM      part of an OpenCL platform's name
 *
 * Path:    meson test -> lib/pump/device_aggregator.c -> cl/kernels/aggregate.cl
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

#include "pump/device_aggregator.h"
#include "bare_device.h"
#include "layout/package.h"
#include "mix.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define OK(call) assert_int_equal(call, 0)
#define SLOT_BYTES 2112u
#define LONG_SLOT_BYTES (64u + 10000u * 8u) /* a package is more than a group takes at once */
#define N_SLOTS 512u
#define MOST_MESSAGES (N_SLOTS * 256u)

static struct gravel_device device;
static struct gravel_memory memory;
static struct gravel_device_aggregator *aggregator;

/* What a message is, for comparison. */
struct message {
    uint32_t node;
    uint32_t package; /* of a put; 0 of other messages, which stand in any order */
    uint64_t index, value;
};
static struct message sent[MOST_MESSAGES], got[MOST_MESSAGES];
static uint32_t slot_bytes = SLOT_BYTES, n_slots = N_SLOTS;

static void open_aggregator(uint32_t n_nodes, uint32_t n_queues)
{
    const struct gravel_arena_shape shape = {.n_nodes = n_nodes,
                                             .n_heaps = 1,
                                             .n_queues = n_queues,
                                             .queue_bytes =
                                                 (uint64_t)slot_bytes * n_slots * n_queues,
                                             .slot_bytes = slot_bytes,
                                             .heap_bytes = 4096};
    OK(gravel_memory_create(&memory, &device, &shape));
    assert_int_equal(memory.arena->n_slots, n_slots);
    OK(gravel_device_aggregator_create(&aggregator, &memory));
}

static void close_aggregator(void)
{
    gravel_device_aggregator_destroy(aggregator);
    gravel_memory_destroy(&memory);
}

/* ---- packages -------------------------------------------------------------------------------- */

static struct gravelp_package *slot_of(const struct gravel_package_run *run, uint32_t i)
{
    uint32_t slot = (run->ticket + i) & (n_slots - 1);
    return (void *)(gravel_arena_slots(memory.arena, run->queue) + (size_t)slot * slot_bytes);
}

static uint64_t mask_of(uint32_t bytes)
{
    return bytes == 8 ? UINT64_MAX : bytes == 4 ? UINT32_MAX : 0;
}

/* Write the next package of a run, as a work-group does, and note its messages. */
static void add_package(struct gravel_package_run *run, uint32_t n)
{
    struct gravelp_package *package = slot_of(run, run->n_packages);
    uint32_t command = run->command, stride = GRAVELP_PACKAGE_STRIDE(n);
    uint32_t index_bytes = GRAVELP_INDEX_BYTES(command);
    uint32_t value_bytes = GRAVELP_N_VALUES(command) ? GRAVELP_VALUE_BYTES(command) : 0;
    unsigned char *slot = (unsigned char *)package;
    assert_true(stride <= GRAVELP_SLOT_COLUMNS(slot_bytes, command));
    *package = (struct gravelp_package){.published = run->ticket + run->n_packages + 1,
                                        .command = command,
                                        .n_messages = n,
                                        .stride = stride,
                                        .base = run->base};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = mix(run->n_messages);
        struct message *message = &sent[run->n_messages++];
        *message = (struct message){.node = (uint32_t)(x >> 40) % memory.arena->n_nodes,
                                    .package = gravel_command_is_put(command) ? run->n_packages : 0,
                                    .index = (i == 0 ? UINT64_MAX : mix(x)) & mask_of(index_bytes),
                                    .value = mix(x + 1) & mask_of(value_bytes)};
        memcpy(slot + GRAVELP_NODE_ROW + 4u * i, &message->node, 4);
        memcpy(slot + GRAVELP_INDEX_ROW(stride) + (size_t)index_bytes * i, &message->index,
               index_bytes);
        memcpy(slot + GRAVELP_VALUE_ROW(command, stride, 0) + (size_t)value_bytes * i,
               &message->value, value_bytes);
    }
    run->n_packages++;
    run->most_messages = n > run->most_messages ? n : run->most_messages;
}

/* n packages of lengths up to the slot's. */
static struct gravel_package_run make_run(uint32_t queue, uint32_t ticket, uint32_t command,
                                          uint32_t n)
{
    struct gravel_package_run run = {
        .queue = queue, .ticket = ticket, .command = command, .base = 4096};
    uint32_t most = GRAVELP_SLOT_COLUMNS(slot_bytes, command);
    for (uint32_t i = 0; i < n; i++)
        add_package(&run, i % 3 == 0 ? most : 1 + (uint32_t)(mix(ticket + i) % most));
    return run;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* A block as it is copied to the host. */
struct block {
    const uint32_t *counts;
    _Alignas(8) unsigned char index[8 * MOST_MESSAGES + 8], values[8 * MOST_MESSAGES + 8];
};
static struct block block;

/* Look at a block that has been binned: copy each part from where it begins. @return what the aggregator says. */
static bool take(const struct gravel_package_run *run, uint32_t room)
{
    uint32_t first = 0, n = 0, index_bytes = GRAVELP_INDEX_BYTES(run->command);
    uint32_t value_bytes = GRAVELP_VALUE_BYTES(run->command);
    cl_event copied = NULL;
    if (!gravel_device_aggregator_is_right(aggregator, run, room))
        return false;
    block.counts = gravel_device_aggregator_counts(aggregator, run, room);
    for (uint32_t node = 0; node < memory.arena->n_nodes; node++) {
        uint32_t count = block.counts[node];
        if (count)
            OK(gravel_device_aggregator_copy(aggregator, memory.copies, run, room, first, count,
                                             block.index + (size_t)n * index_bytes,
                                             block.values + (size_t)n * value_bytes, &copied));
        n += count;
        first += GRAVELP_BLOCK_PART(count);
    }
    OK(clWaitForEvents(1, &copied));
    clReleaseEvent(copied);
    return true;
}

/* Bin what is in the mirror's slots. @return what the aggregator says. */
static bool bin(const struct gravel_package_run *run, uint32_t room)
{
    cl_event counted;
    OK(clEnqueueWriteBuffer(memory.copies, memory.region.buffer, CL_TRUE, 0,
                            memory.arena->heap_offset, memory.arena, 0, NULL, NULL));
    OK(gravel_device_aggregator_bin(aggregator, run, room, &counted));
    OK(clWaitForEvents(1, &counted));
    clReleaseEvent(counted);
    return take(run, room);
}

static int compare(const void *a, const void *b)
{
    const struct message *left = a, *right = b;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    if (left->package != right->package)
        return left->package < right->package ? -1 : 1;
    if (left->index != right->index)
        return left->index < right->index ? -1 : 1;
    return left->value < right->value ? -1 : left->value > right->value;
}

/* Say of which package each message got must be, if packages keep their order: then it is what was sent. */
static void find_packages(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(got[i].node, sent[i].node);
        got[i].package = sent[i].package;
    }
}

static void expect_block(const struct gravel_package_run *run)
{
    uint32_t index_bytes = GRAVELP_INDEX_BYTES(run->command), n = 0;
    uint32_t value_bytes = GRAVELP_N_VALUES(run->command) ? GRAVELP_VALUE_BYTES(run->command) : 0;
    for (uint32_t node = 0; node < memory.arena->n_nodes; node++)
        for (uint32_t i = 0; i < block.counts[node]; i++, n++) {
            got[n] = (struct message){.node = node};
            memcpy(&got[n].index, block.index + (size_t)index_bytes * n, index_bytes);
            memcpy(&got[n].value, block.values + (size_t)value_bytes * n, value_bytes);
        }
    assert_int_equal(n, run->n_messages);
    qsort(sent, n, sizeof *sent, compare);
    find_packages(n);
    qsort(got, n, sizeof *got, compare);
    for (uint32_t i = 0; i < n; i++)
        if (compare(&sent[i], &got[i]))
            fail_msg(
                "message %u of command 0x%x: to %u, index %llx, value %llx; sent to %u, %llx, %llx",
                i, run->command, got[i].node, (unsigned long long)got[i].index,
                (unsigned long long)got[i].value, sent[i].node, (unsigned long long)sent[i].index,
                (unsigned long long)sent[i].value);
}

static void bin_and_expect(uint32_t queue, uint32_t ticket, uint32_t command, uint32_t n,
                           uint32_t room)
{
    struct gravel_package_run run = make_run(queue, ticket, command, n);
    assert_true(bin(&run, room));
    expect_block(&run);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void every_command_that_commutes_is_binned(void **state)
{
    (void)state;
    open_aggregator(5, 1);
    for (uint32_t op = GRAVEL_INC; op <= GRAVEL_XOR; op++)
        for (uint32_t type = GRAVEL_INT; type <= GRAVEL_DOUBLE; type++)
            for (uint32_t wide = 0; wide < 2; wide++) {
                uint32_t command = GRAVELP_COMMAND(op, type) | wide * GRAVELP_COMMAND_WIDE;
                assert_true(gravel_command_commutes(command));
                bin_and_expect(0, 8 * op, command, 7, op % GRAVEL_BLOCK_ROOMS);
            }
    close_aggregator();
}

static void puts_keep_the_order_of_their_packages(void **state)
{
    (void)state;
    const uint32_t nodes[] = {1, 2, 5, 64, 256}, lengths[] = {1, 2, 9, 100, N_SLOTS};
    for (size_t i = 0; i < LENGTH(nodes); i++) {
        open_aggregator(nodes[i], 1);
        for (uint32_t type = GRAVEL_INT; type <= GRAVEL_DOUBLE; type++)
            for (size_t j = 0; j < LENGTH(lengths); j++)
                for (uint32_t wide = 0; wide < 2; wide++) {
                    uint32_t command =
                        GRAVELP_COMMAND(GRAVEL_PUT, type) | wide * GRAVELP_COMMAND_WIDE;
                    assert_true(gravel_device_aggregator_can_bin(aggregator, command));
                    bin_and_expect(0, 0, command, lengths[j], (uint32_t)j % GRAVEL_BLOCK_ROOMS);
                }
        close_aggregator();
    }
}

static void puts_to_many_nodes_are_not_binned(void **state)
{
    (void)state;
    open_aggregator(257, 1);
    assert_false(
        gravel_device_aggregator_can_bin(aggregator, GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT)));
    assert_true(
        gravel_device_aggregator_can_bin(aggregator, GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT)));
    close_aggregator();
}

static void what_does_not_commute_is_known(void **state)
{
    (void)state;
    const uint32_t commands[] = {0,
                                 GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT),
                                 GRAVELP_COMMAND_AM(3, 2),
                                 GRAVELP_COMMAND(GRAVEL_INC, 6),
                                 GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_UINT) | 1u << 13,
                                 GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_UINT) | 1u << 31,
                                 GRAVELP_COMMAND(10, GRAVEL_UINT),
                                 UINT32_MAX};
    for (size_t i = 0; i < LENGTH(commands); i++)
        assert_false(gravel_command_commutes(commands[i]));
    for (size_t i = 0; i < LENGTH(commands); i++)
        assert_int_equal(gravel_command_is_put(commands[i]),
                         commands[i] == GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT));
}

static void runs_of_any_length_are_binned_for_any_number_of_nodes(void **state)
{
    (void)state;
    const uint32_t nodes[] = {1, 2, 3, 31, 64, 65, 1000, 4096}, lengths[] = {1, 2, 9, 100, N_SLOTS};
    for (size_t i = 0; i < LENGTH(nodes); i++) {
        open_aggregator(nodes[i], 1);
        for (size_t j = 0; j < LENGTH(lengths); j++)
            bin_and_expect(0, 0, GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_ULONG), lengths[j],
                           (uint32_t)j % 4);
        close_aggregator();
    }
}

static void packages_of_any_length_are_binned(void **state)
{
    (void)state;
    const uint32_t commands[] = {GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT),
                                 GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG) | GRAVELP_COMMAND_WIDE};
    const uint32_t lengths[] = {1, 8, 16, 17, 33, 96};
    for (uint32_t n_nodes = 1; n_nodes <= 512; n_nodes *= 8) {
        open_aggregator(n_nodes, 1);
        for (size_t i = 0; i < LENGTH(lengths); i++)
            for (size_t j = 0; j < LENGTH(commands); j++) {
                struct gravel_package_run run = {.command = commands[j]};
                while (run.n_packages < 300)
                    add_package(&run, lengths[i]);
                assert_true(bin(&run, 0));
                expect_block(&run);
            }
        close_aggregator();
    }
}

/* A package is binned in several rounds. */
static void packages_longer_than_a_tile_are_binned(void **state)
{
    (void)state;
    slot_bytes = LONG_SLOT_BYTES;
    n_slots = 8;
    for (uint32_t n_nodes = 1; n_nodes <= 512; n_nodes *= 8) {
        open_aggregator(n_nodes, 1);
        bin_and_expect(0, 0, GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT), 8, 0);
        bin_and_expect(0, 0, GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_UINT), 8, 1);
        bin_and_expect(0, 0, GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_DOUBLE), 8, 2);
        close_aggregator();
    }
    slot_bytes = SLOT_BYTES;
    n_slots = N_SLOTS;
}

static void tickets_wrap_and_queues_are_apart(void **state)
{
    (void)state;
    open_aggregator(3, 3);
    for (uint32_t queue = 0; queue < 3; queue++) {
        bin_and_expect(queue, UINT32_MAX - 9, GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG), 10, queue);
        bin_and_expect(queue, 0, GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG), 10, queue);
    }
    close_aggregator();
}

/* All rooms are used before the first is looked at. */
static void rooms_do_not_touch_one_another(void **state)
{
    (void)state;
    struct gravel_package_run runs[2 * GRAVEL_BLOCK_ROOMS];
    static struct message kept[2 * GRAVEL_BLOCK_ROOMS][8 * 256];
    open_aggregator(4, 2);
    for (uint32_t i = 0; i < LENGTH(runs); i++) {
        runs[i] = make_run(i / GRAVEL_BLOCK_ROOMS, 16 * i, GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_INT),
                           1 + i % 8);
        memcpy(kept[i], sent, runs[i].n_messages * sizeof *sent);
        assert_true(bin(&runs[i], i % GRAVEL_BLOCK_ROOMS));
    }
    for (uint32_t i = 0; i < LENGTH(runs); i++) {
        assert_true(take(&runs[i], i % GRAVEL_BLOCK_ROOMS));
        memcpy(sent, kept[i], runs[i].n_messages * sizeof *sent);
        expect_block(&runs[i]);
    }
    close_aggregator();
}

static void whole_queue_is_binned_to_its_last_message(void **state)
{
    (void)state;
    const uint32_t commands[] = {GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG) | GRAVELP_COMMAND_WIDE,
                                 GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG),
                                 GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT)};
    open_aggregator(2, 1);
    for (size_t i = 0; i < LENGTH(commands); i++) {
        struct gravel_package_run run = {.command = commands[i]};
        while (run.n_packages < N_SLOTS)
            add_package(&run, GRAVELP_SLOT_COLUMNS(slot_bytes, commands[i]));
        assert_true(run.n_messages <= gravel_device_aggregator_fits(aggregator, commands[i]));
        assert_true(bin(&run, GRAVEL_BLOCK_ROOMS - 1));
        expect_block(&run);
    }
    close_aggregator();
}

/* Change one package of a run and see that the run is given back, and a run after it is not. */
static void expect_given_back(void (*change)(struct gravelp_package *package), uint32_t i)
{
    struct gravel_package_run run = make_run(0, 40, GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT), 20);
    change(slot_of(&run, i));
    assert_false(bin(&run, 1));
    bin_and_expect(0, 40, GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT), 20, 1);
}

static uint32_t *node_of(struct gravelp_package *package, uint32_t i)
{
    return (uint32_t *)(package + 1) + i;
}
static void node_beyond(struct gravelp_package *package)
{
    *node_of(package, package->n_messages - 1) = memory.arena->n_nodes;
}
static void node_far_beyond(struct gravelp_package *package)
{
    *node_of(package, 0) = UINT32_MAX;
}
static void not_published(struct gravelp_package *package)
{
    package->published--;
}
static void other_command(struct gravelp_package *package)
{
    package->command = GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_INT);
}
static void other_base(struct gravelp_package *package)
{
    package->base += UINT64_C(1) << 40;
}
static void no_messages(struct gravelp_package *package)
{
    package->n_messages = 0;
}
static void fewer_messages(struct gravelp_package *package)
{
    package->n_messages = package->n_messages > 1 ? package->n_messages - 1 : 2;
}
static void more_messages_than_columns(struct gravelp_package *package)
{
    package->n_messages = package->stride + 1;
}
static void long_stride(struct gravelp_package *package)
{
    package->stride = GRAVELP_SLOT_COLUMNS(slot_bytes, package->command) + 16;
}
static void odd_stride(struct gravelp_package *package)
{
    package->stride--;
    package->n_messages = 1;
}
static void far_too_many_messages(struct gravelp_package *package)
{
    package->n_messages = package->stride = 0xfffffff0u;
}

static void run_that_is_none_is_given_back(void **state)
{
    (void)state;
    void (*const changes[])(struct gravelp_package *) = {
        node_beyond, node_far_beyond, not_published,        other_command,
        other_base,  no_messages,     fewer_messages,       more_messages_than_columns,
        long_stride, odd_stride,      far_too_many_messages};
    for (uint32_t n_nodes = 1; n_nodes <= 64; n_nodes *= 8) {
        open_aggregator(n_nodes, 1);
        for (size_t i = 0; i < LENGTH(changes); i++) {
            expect_given_back(changes[i], 0);
            expect_given_back(changes[i], 13);
            expect_given_back(changes[i], 19);
        }
        close_aggregator();
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_that_commutes_is_binned),
        cmocka_unit_test(puts_keep_the_order_of_their_packages),
        cmocka_unit_test(puts_to_many_nodes_are_not_binned),
        cmocka_unit_test(what_does_not_commute_is_known),
        cmocka_unit_test(runs_of_any_length_are_binned_for_any_number_of_nodes),
        cmocka_unit_test(packages_of_any_length_are_binned),
        cmocka_unit_test(packages_longer_than_a_tile_are_binned),
        cmocka_unit_test(tickets_wrap_and_queues_are_apart),
        cmocka_unit_test(rooms_do_not_touch_one_another),
        cmocka_unit_test(whole_queue_is_binned_to_its_last_message),
        cmocka_unit_test(run_that_is_none_is_given_back),
    };
    return bare_device_run(argc, argv, &device, 150, tests, sizeof tests / sizeof *tests);
}
