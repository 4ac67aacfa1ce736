/* SPDX-License-Identifier: MIT */
/*
 * The pump alone, between a queue in device memory that the test itself writes and a mirror that it reads: tickets
 * that wrap around at 2^32, in queues of few slots; a long run, copied in two pieces; a header that says less than the
 * package has; one that is never published, for the pump and for the aggregator behind it; one that is published after
 * the limit of a thread that had no turn; a fault of which a copy takes one part before it is written, another after.
 *
 * Path: meson test -> this -> lib/pump/move.c, pump/settle.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "aggregate/aggregator.h"
#include "device/select.h"
#include "base/error.h"
#include "pump/parts.h"

#define SLOT_BYTES 9280u
#define SKIPPED 77
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

cl_int __real_clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *,
                                  cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *,
                                  cl_uint, const cl_event *, cl_event *);
cl_int __wrap_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                  size_t at, size_t bytes, void *to, cl_uint n,
                                  const cl_event *events, cl_event *event)
{
    struct gravelp_arena *seen = to;
    const bool has_fault = at == 0 && bytes >= sizeof *seen;
    cl_int error =
        __real_clEnqueueReadBuffer(queue, buffer, tears_fault && has_fault ? CL_TRUE : is_blocking,
                                   at, bytes, to, n, events, event);
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
    const struct gravel_package_queue view = {.slots = gravel_arena_slots(memory.arena, queue),
                                              .n_slots = memory.arena->n_slots,
                                              .slot_bytes = SLOT_BYTES,
                                              .head = ticket,
                                              .arrived = gravel_pump_arrived(pump, queue)};
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

static void tickets_wrap_around(void **state)
{
    (void)state;
    for (uint32_t n_slots = 1; n_slots <= 16; n_slots *= 4) {
        uint32_t start = UINT32_MAX - 2 * n_slots, ticket = start;
        open_pump(n_slots, start);
        for (uint32_t round = 0; round < 5; round++, ticket += n_slots) {
            for (uint32_t q = 0; q < 2; q++) {
                for (uint32_t i = 0; i < n_slots; i++)
                    publish(q, ticket + i, 1 + (ticket + i) % 200);
                reserve(q, ticket + n_slots);
            }
            assert_int_equal(gravel_pump_settle(pump, NULL), 0);
            for (uint32_t q = 0; q < 2; q++) {
                for (uint32_t i = 0; i < n_slots; i++)
                    consume(q, ticket + i, 1 + (ticket + i) % 200);
                assert_int_equal(credit(q), ticket + n_slots);
            }
        }
        close_pump();
    }
}

static void ticket_never_published_is_named(void **state)
{
    (void)state;
    open_pump(4, UINT32_MAX);
    publish(1, UINT32_MAX, 3);
    reserve(1, UINT32_MAX + 2u);
    assert_int_equal(gravel_pump_settle(pump, NULL), GRAVEL_EKERNEL);
    assert_non_null(strstr(gravel_last_error(), "queue 1, ticket 0 (slot 0): reserved"));
    assert_string_equal(reported, gravel_last_error());
    consume(1, UINT32_MAX, 3);
    close_pump();
}

/* The pump without its thread: rounds one by one. */
static void last_quarter_of_a_long_run_is_copied_behind_the_next_look(void **state)
{
    (void)state;
    const uint32_t start = 100;
    uint32_t moved;
    open_pump(1024, start);
    struct mirror *mirror = &pump->mirrors[0];
    mirror->wanted = 400; /* headers at the next look */
    mirror->n_ready = 400;
    for (uint32_t i = 0; i < 400; i++)
        publish(0, start + i, 1 + i % 200);
    reserve(0, start + 400);
    assert_int_equal(gravel_pump_move(pump, false, &moved), 0);
    assert_in_range(moved, 400, 800); /* found, and perhaps brought */
    assert_int_equal(mirror->taken, start + 300);
    assert_int_equal(mirror->n_held, 100);
    assert_true(gravel_pump_is_behind(pump));
    for (uint32_t i = 400; i < 410; i++)
        publish(0, start + i, 1 + i % 200);
    reserve(0, start + 410);
    assert_int_equal(gravel_pump_move(pump, false, &moved), 0);
    assert_int_equal(mirror->taken, start + 410);
    assert_int_equal(mirror->n_held, 0);
    assert_int_equal(gravel_pump_settle(pump, NULL), 0);
    assert_false(gravel_pump_is_behind(pump));
    for (uint32_t i = 0; i < 410; i++)
        consume(0, start + i, 1 + i % 200);
    assert_int_equal(credit(0), start + 410);
    close_pump();
}

/* A queue that had few has few again: they need no copy of their own, and those behind them one. */
static void few_packages_come_with_the_look_that_finds_them(void **state)
{
    (void)state;
    const uint32_t start = UINT32_MAX - 2, n = GRAVEL_PUMP_FEW + 4;
    uint32_t moved;
    open_pump(1024, start);
    struct mirror *mirror = &pump->mirrors[1];
    for (uint32_t i = 0; i < 3; i++)
        publish(1, start + i, 1 + i);
    reserve(1, start + 4); /* the fourth is not published yet */
    assert_int_equal(gravel_pump_move(pump, false, &moved), 0);
    assert_int_equal(moved, 3);
    assert_int_equal(mirror->arrived, start + 3);
    assert_int_equal(mirror->n_flights, 0);
    for (uint32_t i = 3; i < n; i++)
        publish(1, start + i, 1 + i);
    reserve(1, start + n);
    assert_int_equal(gravel_pump_move(pump, false, &moved), 0);
    assert_int_equal(mirror->taken, start + n);
    assert_true(mirror->arrived == start + 3 + GRAVEL_PUMP_FEW || mirror->arrived == start + n);
    assert_int_equal(mirror->n_ready, n - 3);
    assert_int_equal(gravel_pump_settle(pump, NULL), 0);
    for (uint32_t i = 0; i < n; i++)
        consume(1, start + i, 1 + i);
    assert_int_equal(credit(1), start + n);
    close_pump();
}

static void a_fault_is_handed_on_whole(void **state)
{
    (void)state;
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

static void *settle(void *code)
{
    *(int *)code = gravel_pump_settle(pump, NULL);
    return NULL;
}

/* The settling thread gets no turn for twice its limit, and the package comes right after the first look. */
static void limit_counts_turns_of_the_thread(void **state)
{
    (void)state;
    pthread_t thread;
    int code = -1;
    open_pump(4, 0);
    reserve(0, 1);
    pthread_mutex_lock(&pump->lock);
    assert_int_equal(pthread_create(&thread, NULL, settle, &code), 0);
    usleep(2 * LIMIT_NS / 1000);
    pthread_mutex_unlock(&pump->lock);
    for (uint32_t i = 0; i < 1000000 && !pthread_mutex_trylock(&pump->lock); i++)
        pthread_mutex_unlock(&pump->lock); /* until it looks */
    publish(0, 0, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(code, 0);
    assert_string_equal(reported, "");
    consume(0, 0, 1);
    close_pump();
}

static void ship(void *context, struct gravel_buffer *buffer)
{
    (void)context;
    gravel_pool_return(buffer);
}

static void start_aggregator(struct gravel_aggregator *aggregator)
{
    const struct gravel_sender_shape shape = {.n_nodes = 1,
                                              .buffer_bytes = 65536,
                                              .flush_ns = 1000000,
                                              .ship = ship,
                                              .failure = &failure};
    *aggregator = (struct gravel_aggregator){.queue = {.words = gravel_arena_queue(memory.arena, 0),
                                                       .slots = gravel_arena_slots(memory.arena, 0),
                                                       .n_slots = memory.arena->n_slots,
                                                       .slot_bytes = SLOT_BYTES,
                                                       .arrived = gravel_pump_arrived(pump, 0),
                                                       .looks = gravel_pump_looks(pump)},
                                             .arena = memory.arena,
                                             .failure = &failure,
                                             .report = report,
                                             .timeout_ns = LIMIT_NS};
    assert_int_equal(gravel_sender_create(&aggregator->sender, &shape), 0);
    aggregator->records = aggregator->sender; /* there are none */
    assert_int_equal(gravel_aggregator_start(aggregator), 0);
}

/* Leaders wait for room when the pump looks, and then it gets no turn: no ticket is given up. With turns one is. */
static void aggregator_counts_turns_of_the_pump(void **state)
{
    (void)state;
    struct gravel_aggregator aggregator;
    uint32_t moved;
    open_pump(4, 0);
    reserve(0, 6);
    assert_int_equal(gravel_pump_move(pump, false, &moved), 0);
    start_aggregator(&aggregator);
    usleep(3 * LIMIT_NS / 1000);
    assert_false(atomic_load(&has_reported));
    for (uint32_t i = 0; i < 1000 && !atomic_load(&has_reported); i++) {
        assert_int_equal(gravel_pump_move(pump, false, &moved), 0);
        usleep(LIMIT_NS / 20 / 1000);
    }
    gravel_aggregator_stop(&aggregator);
    assert_non_null(strstr(reported, "queue 0, ticket 0 (slot 0): reserved by a work-group"));
    gravel_sender_destroy(aggregator.sender);
    close_pump();
}

static void mirror_without_room_is_told(void **state)
{
    (void)state;
    open_pump(1, 0);
    publish(0, 0, 1);
    reserve(0, 1);
    assert_int_equal(gravel_pump_settle(pump, NULL), 0);
    publish(0, 1, 1); /* the first is not consumed */
    reserve(0, 2);
    assert_int_equal(gravel_pump_settle(pump, NULL), GRAVEL_ETIMEOUT);
    assert_non_null(strstr(reported, "the aggregators make no room"));
    close_pump();
}

/* Words of the device may be anything: no header makes the pump write beside its mirror. */
static void malformed_header_is_copied_whole_and_no_further(void **state)
{
    (void)state;
    open_pump(2, 0);
    struct gravelp_package wild = {
        .command = 0xffffffff, .n_messages = 0xffffffff, .stride = 0xffffffff, .published = 1};
    unsigned char *after = gravel_arena_slots(memory.arena, 0) + SLOT_BYTES, before[64];
    memset(after, 0x5a, 64);
    memcpy(before, after, 64);
    pump->mirrors[0].n_ready = 1000; /* a look that brings nothing but headers */
    write_device(memory.arena->slots_offset, &wild, sizeof wild);
    reserve(0, 1);
    assert_int_equal(gravel_pump_settle(pump, NULL), 0);
    assert_memory_equal(before, after, 64);
    close_pump();
}

static bool open_device(void)
{
    static struct gravel_candidate candidates[GRAVEL_MAX_DEVICES];
    unsigned n = 0;
    cl_int error;
    if (gravel_device_list(candidates, &n) || n == 0)
        return false;
    device.id = candidates[0].device;
    device.capability = candidates[0].capability;
    device.units = 1;
    device.step = GRAVEL_STEP_DRAIN; /* no thread: the test calls */
    device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        device.queue = clCreateCommandQueueWithProperties(device.context, device.id, NULL, &error);
    return error == CL_SUCCESS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tickets_wrap_around),
        cmocka_unit_test(last_quarter_of_a_long_run_is_copied_behind_the_next_look),
        cmocka_unit_test(few_packages_come_with_the_look_that_finds_them),
        cmocka_unit_test(a_fault_is_handed_on_whole),
        cmocka_unit_test(ticket_never_published_is_named),
        cmocka_unit_test(limit_counts_turns_of_the_thread),
        cmocka_unit_test(aggregator_counts_turns_of_the_pump),
        cmocka_unit_test(mirror_without_room_is_told),
        cmocka_unit_test(malformed_header_is_copied_whole_and_no_further),
    };
    if (!open_device()) {
        printf("skipped: no device\n");
        return SKIPPED;
    }
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    clReleaseCommandQueue(device.queue);
    clReleaseContext(device.context);
    return n_failed;
}
