/* SPDX-License-Identifier: MIT */
/*
 * The pump alone, between a queue in device memory that the test itself writes and a mirror that it reads: tickets
 * that wrap around at 2^32, in queues of few slots; a header that says less than the package has; a mirror without room; a
 * fault of which a copy takes one part before it is written, another after. What else the pump promises is shown on nodes.
 *
 * Path: meson test -> this -> lib/pump/move.c, pump/drain.c
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wrapped_opencl.h"
#include "expect.h"

#include "aggregate/aggregator.h"
#include "device/select.h"
#include "base/error.h"
#include "pump/parts.h"

#define SLOT_BYTES 9280u
#define LIMIT_NS 300000000u

static struct gravel_device device;
static struct gravel_memory memory;
static struct gravel_pump *pump;
static struct gravel_failure failure;
static char reported[256];
static _Atomic bool has_reported;

static void report(void *context, int code, bool is_fatal, const char *text)
{
    (void)context, (void)code;
    assert_true(is_fatal);
    snprintf(reported, sizeof reported, "%s", text);
    atomic_store(&has_reported, true);
}

static void wake(void *context, uint32_t queue)
{
    (void)context, (void)queue;
}

/* Whether the next copy of a fault takes what stands beside it before the device has written that. */
static bool tears_fault;

WRAP(clEnqueueReadBuffer)
{
    struct gravelp_arena *seen = ptr;
    const bool has_fault = offset == 0 && size >= sizeof *seen;
    blocking_read |= tears_fault && has_fault;
    cl_int error = PASS_ON(clEnqueueReadBuffer);
    if (tears_fault && has_fault && seen->fault) {
        memset(&seen->fault_queue, 0, sizeof *seen - offsetof(struct gravelp_arena, fault_queue));
        tears_fault = false;
    }
    return error;
}

static void open_pump(uint32_t n_slots, uint32_t start)
{
    const struct gravel_arena_shape shape = {.n_nodes = 1,
                                             .n_heaps = 1,
                                             .n_queues = 2,
                                             .queue_bytes = (uint64_t)2 * n_slots * SLOT_BYTES,
                                             .slot_bytes = SLOT_BYTES,
                                             .heap_bytes = 4096,
                                             .start = start};
    assert_int_equal(gravel_memory_create(&memory, &device, &shape), 0);
    const struct gravel_pump_shape pump_shape = {.memory = &memory,
                                                 .failure = &failure,
                                                 .report = report,
                                                 .wake = wake,
                                                 .timeout_ns = LIMIT_NS};
    assert_int_equal(gravel_pump_create(&pump, &pump_shape), 0);
    reported[0] = '\0';
    atomic_store(&has_reported, false);
}

static void close_pump(void)
{
    assert_true(gravel_pump_destroy(pump));
    gravel_memory_destroy(&memory);
}

static void write_device(uint64_t at, const void *from, size_t bytes)
{
    assert_int_equal(clEnqueueWriteBuffer(device.queue, memory.region.buffer, CL_TRUE, at, bytes,
                                          from, 0, NULL, NULL),
                     CL_SUCCESS);
}

/* As a leader does: reserve is told apart, for it may come without a package. */
static void reserve(uint32_t queue, uint32_t reserved)
{
    uint64_t words = memory.arena->queues_offset + queue * sizeof(struct gravelp_queue_words);
    write_device(words + offsetof(struct gravelp_queue_words, reserved), &reserved, 4);
}

static void publish(uint32_t queue, uint32_t ticket, uint32_t n)
{
    unsigned char slot[SLOT_BYTES] = {0};
    struct gravelp_package *package = (struct gravelp_package *)slot;
    package->command = GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT);
    package->n_messages = n;
    package->stride = GRAVELP_PACKAGE_STRIDE(n);
    package->base = ticket;
    package->published = ticket + 1;
    for (uint32_t i = 0; i < n; i++)
        ((uint32_t *)(slot + GRAVELP_NODE_ROW))[i] = ticket ^ i;
    uint64_t at = memory.arena->slots_offset + ((uint64_t)queue * memory.arena->n_slots +
                                                (ticket & (memory.arena->n_slots - 1))) *
                                                   SLOT_BYTES;
    write_device(at, slot, sizeof slot);
}

/* As the aggregator does. */
static void consume(uint32_t queue, uint32_t ticket, uint32_t n)
{
    struct gravel_package_queue view = {.slots = gravel_arena_slots(memory.arena, queue),
                                        .n_slots = memory.arena->n_slots,
                                        .slot_bytes = SLOT_BYTES,
                                        .head = ticket};
    gravel_pump_attach(pump, queue, &view);
    const struct gravelp_package *package = gravel_package_peek(&view);
    assert_non_null(package);
    assert_int_equal(package->base, ticket);
    assert_int_equal(package->n_messages, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(((const uint32_t *)((const char *)package + GRAVELP_NODE_ROW))[i],
                         ticket ^ i);
    gravel_word_store(&gravel_arena_queue(memory.arena, queue)->consumed, ticket + 1,
                      memory_order_release); /* C2 */
}

static uint32_t credit(uint32_t queue)
{
    uint32_t consumed;
    uint64_t words = memory.arena->queues_offset + queue * sizeof(struct gravelp_queue_words);
    assert_int_equal(clEnqueueReadBuffer(device.queue, memory.region.buffer, CL_TRUE,
                                         words + offsetof(struct gravelp_queue_words, consumed), 4,
                                         &consumed, 0, NULL, NULL),
                     CL_SUCCESS);
    return consumed;
}

TEST(tickets_wrap_around)
{
    for (uint32_t n_slots = 1; n_slots <= 16; n_slots *= 4) {
        uint32_t start = UINT32_MAX - 2 * n_slots, ticket = start;
        open_pump(n_slots, start);
        for (uint32_t round = 0; round < 5; round++, ticket += n_slots) {
            for (uint32_t q = 0; q < 2; q++) {
                for (uint32_t i = 0; i < n_slots; i++)
                    publish(q, ticket + i, 1 + (ticket + i) % 200);
                reserve(q, ticket + n_slots);
            }
            assert_int_equal(gravel_pump_drain(pump, NULL), 0);
            for (uint32_t q = 0; q < 2; q++) {
                for (uint32_t i = 0; i < n_slots; i++)
                    consume(q, ticket + i, 1 + (ticket + i) % 200);
                assert_int_equal(credit(q), ticket + n_slots);
            }
        }
        close_pump();
    }
}

TEST(a_fault_is_handed_on_whole)
{
    const size_t at = offsetof(struct gravelp_arena, fault);
    uint32_t moved;
    const struct gravelp_arena told = {
        .fault = GRAVELP_FAULT_WAIT, .fault_value = 7, .fault_high = {0, 8}};
    open_pump(4, 0);
    write_device(at, &told.fault, sizeof told - at);
    tears_fault = true;
    assert_int_equal(gravel_pump_move(pump, false, &moved), 0);
    assert_false(tears_fault);
    assert_int_equal(memory.arena->fault, GRAVELP_FAULT_WAIT);
    assert_int_equal(memory.arena->fault_value, 7);
    assert_int_equal(memory.arena->fault_high[1], 8);
    close_pump();
}

TEST(mirror_without_room_is_told)
{
    open_pump(1, 0);
    publish(0, 0, 1);
    reserve(0, 1);
    assert_int_equal(gravel_pump_drain(pump, NULL), 0);
    publish(0, 1, 1); /* the first is not consumed */
    reserve(0, 2);
    assert_int_equal(gravel_pump_drain(pump, NULL), GRAVEL_ETIMEOUT);
    assert_non_null(strstr(reported, "the aggregators make no room"));
    close_pump();
}

/* Words of the device may be anything: no header makes the pump write beside its mirror. */
TEST(malformed_header_is_copied_whole_and_no_further)
{
    open_pump(2, 0);
    struct gravelp_package wild = {
        .command = 0xffffffff, .n_messages = 0xffffffff, .stride = 0xffffffff, .published = 1};
    unsigned char *after = gravel_arena_slots(memory.arena, 0) + SLOT_BYTES, before[64];
    memset(after, 0x5a, 64);
    memcpy(before, after, 64);
    pump->mirrors[0].n_ready = 1000; /* a look that brings nothing but headers */
    write_device(memory.arena->slots_offset, &wild, sizeof wild);
    reserve(0, 1);
    assert_int_equal(gravel_pump_drain(pump, NULL), 0);
    assert_memory_equal(before, after, 64);
    close_pump();
}

static void open_device(void)
{
    static struct gravel_candidate candidates[GRAVEL_MAX_DEVICES];
    unsigned n = 0;
    cl_int error;
    if (gravel_device_list("", candidates, &n) || n == 0)
        skip_all("no device");
    device.id = candidates[0].device;
    device.capability = candidates[0].capability;
    device.units = 1;
    device.step = GRAVEL_STEP_DRAIN; /* no thread: the test calls */
    device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &error);
    MUST(error == CL_SUCCESS);
    device.queue = clCreateCommandQueueWithProperties(device.context, device.id, NULL, &error);
    MUST(error == CL_SUCCESS);
}

static void close_device(void)
{
    clReleaseCommandQueue(device.queue);
    clReleaseContext(device.context);
}

const struct fixture fixture = {.open = open_device, .close = close_device};
