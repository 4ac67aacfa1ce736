/* SPDX-License-Identifier: MIT */
/*
 * The device's half of the queue as C11 threads against the host's half, under ThreadSanitizer: all
 * messages arrive once, intact and in order, through queues so small that every slot is used again
 * and again.
 *
 * Path:    traffic.c -> cl/device/send.cl.h -> lib/memory/package.h -> the ledger here.
 * Threads: one per work-item and one consumer per queue; nothing but the edges of
 * docs/design/memory-order.md orders one against the other. Exit:    0; 1 with a line that says what went
 * wrong; the sanitizer's own code if it has a report.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"
#include "memory/arena.h"
#include "lanes.h"
#include "memory/package.h"
#include "traffic.h"
#include "base/clock.h"
#include "fail.h"

#define MAX_QUEUES 4u
#define STUCK_NS (5 * GRAVEL_NS_PER_S)
#define NEVER ((struct patience){1000000, 1})
#define N_NODES 3u
#define ADD_BASE (UINT64_C(1) << 32)
#define PUT_BASE (UINT64_C(1) << 40)

struct shape {
    uint32_t n_groups, local_size, n_queues, n_slots, start, n_rounds;
};

struct test {
    struct traffic traffic;
    struct gravelp_arena *arena;
    unsigned char *seen[TRAFFIC_SITES]; /* [traffic_numbers] times received; one consumer each */
    uint32_t *last_step;                /* [n_items] 1 + the item's newest step, to see its order */
    _Atomic bool has_ended;             /* K1: the kernel has ended and everything is published */
};

struct consumer {
    struct test *test;
    pthread_t thread;
    struct gravel_package_queue queue;
};

/* How long kernels wait by the host's clock, and how long a poll counts if that clock stops. */
struct patience {
    uint32_t wait_ms, poll_ns;
};

static struct gravelp_arena *make_arena(const struct shape *shape, struct patience patience)
{
    const struct gravel_device device = {.capability = {.max_alloc = UINT64_MAX}};
    const struct gravel_arena_shape arena_shape = {
        .n_nodes = N_NODES,
        .n_heaps = 1,
        .n_queues = shape->n_queues,
        .queue_bytes = (uint64_t)shape->n_queues * shape->n_slots * GRAVELP_SLOT_MIN_BYTES,
        .slot_bytes = GRAVELP_SLOT_MIN_BYTES,
        .heap_bytes = 1,
        .wait_ms = patience.wait_ms,
        .poll_ns = patience.poll_ns,
        .start = shape->start,
    };
    struct gravelp_arena *arena;
    if (gravel_arena_create(&device, &arena_shape, &arena))
        fail("no arena: %s", gravel_last_error());
    if (arena->n_slots != shape->n_slots)
        fail("arena has %u slots instead of %u", arena->n_slots, shape->n_slots);
    return arena;
}

static void free_arena(struct gravelp_arena *arena)
{
    const struct gravel_device device = {.queue = NULL};
    gravel_shared_free(&device, arena);
}

static void open_queue(struct gravel_package_queue *queue, struct gravelp_arena *arena,
                       uint32_t number, uint32_t start)
{
    *queue = (struct gravel_package_queue){.words = gravel_arena_queue(arena, number),
                                           .slots = gravel_arena_slots(arena, number),
                                           .n_slots = arena->n_slots,
                                           .slot_bytes = arena->slot_bytes,
                                           .head = start,
                                           .clock = gravel_package_clock(arena)};
}

/* ---- the ledger ------------------------------------------------------------------------------ */

/* A group's own calls come in program order; only _wi messages may overtake. */
static void check_order(struct test *test, enum traffic_site site, uint32_t number)
{
    if (site == TRAFFIC_AM_WI)
        return;
    uint32_t turn = site == TRAFFIC_PUT ? number / TRAFFIC_MAX_DEGREE : number;
    uint32_t round = turn / test->traffic.n_items, item = turn % test->traffic.n_items;
    uint32_t sub_step = site == TRAFFIC_PUT ? number % TRAFFIC_MAX_DEGREE : 0;
    uint32_t step = (round * TRAFFIC_SITES + site) * TRAFFIC_MAX_DEGREE + sub_step + 1;
    if (step <= test->last_step[item])
        fail("item %u: step %u arrived after step %u", item, step, test->last_step[item]);
    test->last_step[item] = step;
}

static void enter(struct test *test, enum traffic_site site, uint64_t number, uint32_t node)
{
    if (number >= traffic_numbers(&test->traffic, site) ||
        !traffic_is_sent(&test->traffic, site, (uint32_t)number))
        fail("site %d: message %" PRIu64 " was never sent", site, number);
    if (node != traffic_node(&test->traffic, site, (uint32_t)number))
        fail("site %d: message %" PRIu64 " is addressed to node %u", site, number, node);
    if (test->seen[site][number]++)
        fail("site %d: message %" PRIu64 " came twice", site, number);
    check_order(test, site, (uint32_t)number);
}

static enum traffic_site site_of(const struct gravelp_package *package)
{
    switch (GRAVELP_COMMAND_OP(package->command)) {
    case GRAVEL_INC:
        return TRAFFIC_INC;
    case GRAVEL_ADD:
        return TRAFFIC_ADD;
    case GRAVEL_PUT:
        return TRAFFIC_PUT;
    case GRAVEL_AM:
        return GRAVELP_COMMAND_HANDLER(package->command) == TRAFFIC_AM ? TRAFFIC_AM : TRAFFIC_AM_WI;
    default:
        fail("command 0x%x", package->command);
    }
}

static void check_value(enum traffic_site site, uint64_t number, uint32_t row, uint64_t value)
{
    if (value != traffic_value(site, (uint32_t)number, row))
        fail("site %d: message %" PRIu64 " is torn (value %u)", site, number, row);
}

static void check_column(struct test *test, const unsigned char *slot, uint32_t column)
{
    const struct gravelp_package *package = (const struct gravelp_package *)slot;
    enum traffic_site site = site_of(package);
    uint32_t command = package->command, stride = package->stride;
    const void *index = slot + GRAVELP_INDEX_ROW(stride);
    const void *values = slot + GRAVELP_VALUE_ROW(command, stride, 0);
    const uint64_t *words = values;
    uint64_t number;
    if (site < TRAFFIC_AM)
        number = ((const uint32_t *)index)[column];
    else
        number = words[column];
    if (site == TRAFFIC_ADD)
        check_value(site, number, 0, words[column]);
    if (site == TRAFFIC_PUT &&
        ((const uint32_t *)values)[column] != (uint32_t)traffic_value(site, (uint32_t)number, 0))
        fail("put %" PRIu64 " is torn", number);
    for (uint32_t row = 1; site >= TRAFFIC_AM && row < GRAVEL_AM_MAX_ARGS; row++)
        check_value(site, number, row, words[(size_t)row * stride + column]);
    enter(test, site, number, ((const uint32_t *)(slot + GRAVELP_NODE_ROW))[column]);
}

static void check_package(struct test *test, const struct gravelp_package *package)
{
    static const uint64_t bases[] = {0, ADD_BASE, PUT_BASE, 0, 0};
    uint32_t columns = GRAVELP_SLOT_COLUMNS(test->arena->slot_bytes, package->command);
    if (package->n_messages == 0 || package->n_messages > columns ||
        package->stride != GRAVELP_PACKAGE_STRIDE(package->n_messages))
        fail("package of %u messages, stride %u", package->n_messages, package->stride);
    if (package->base != bases[site_of(package)])
        fail("base %" PRIu64 " of command 0x%x", package->base, package->command);
    for (uint32_t column = 0; column < package->n_messages; column++)
        check_column(test, (const unsigned char *)package, column);
}

static void check_all_arrived(const struct test *test)
{
    for (enum traffic_site site = 0; site < TRAFFIC_SITES; site++)
        for (uint32_t number = 0; number < traffic_numbers(&test->traffic, site); number++)
            if (test->seen[site][number] != traffic_is_sent(&test->traffic, site, number))
                fail("site %d: message %u is lost", site, number);
}

/* ---- traffic through tiny queues ------------------------------------------------------------- */

/* Ends when a look that began after the kernel's end finds nothing. */
static void *consume(void *argument)
{
    struct consumer *consumer = argument;
    struct gravel_package_queue *queue = &consumer->queue;
    uint64_t moved_ns = gravel_clock_ns();
    for (;;) {
        bool has_ended =
            atomic_load_explicit(&consumer->test->has_ended, memory_order_acquire); /* K1 */
        const struct gravelp_package *package = gravel_package_peek(queue);
        if (package) {
            check_package(consumer->test, package);
            gravel_package_release(queue, 1);
            moved_ns = gravel_clock_ns();
        } else if (has_ended) {
            break;
        } else {
            gravel_package_beat(queue, gravel_clock_ns());
            sched_yield();
            if (gravel_clock_ns() - moved_ns > STUCK_NS)
                fail("stuck: head %u, reserved %u, slot says %u", queue->head,
                     gravel_package_reserved(queue),
                     gravel_package_slot(queue, queue->head)->published);
        }
    }
    if (queue->head != gravel_package_reserved(queue))
        fail("%u tickets taken, %u consumed", gravel_package_reserved(queue), queue->head);
    return NULL;
}

static void open_test(struct test *test, const struct shape *shape)
{
    *test = (struct test){.arena = make_arena(shape, NEVER)};
    test->traffic = (struct traffic){.n_rounds = shape->n_rounds,
                                     .n_items = shape->n_groups * shape->local_size,
                                     .n_nodes = N_NODES,
                                     .add_base = ADD_BASE,
                                     .put_base = PUT_BASE,
                                     .am_handler = TRAFFIC_AM,
                                     .am_wi_handler = TRAFFIC_AM_WI};
    for (enum traffic_site site = 0; site < TRAFFIC_SITES; site++)
        test->seen[site] = calloc(traffic_numbers(&test->traffic, site), 1);
    test->last_step = calloc(test->traffic.n_items, sizeof *test->last_step);
}

static void close_test(struct test *test)
{
    for (enum traffic_site site = 0; site < TRAFFIC_SITES; site++)
        free(test->seen[site]);
    free(test->last_step);
    free_arena(test->arena);
}

static void run_traffic(const struct shape *shape)
{
    struct test test;
    struct consumer consumers[MAX_QUEUES];
    open_test(&test, shape);
    for (uint32_t q = 0; q < shape->n_queues; q++) {
        consumers[q].test = &test;
        open_queue(&consumers[q].queue, test.arena, q, shape->start);
        if (pthread_create(&consumers[q].thread, NULL, consume, &consumers[q]))
            fail("no consumer thread");
    }
    lanes_launch(traffic_kernel, test.arena, &test.traffic, shape->n_groups, shape->local_size);
    atomic_store_explicit(&test.has_ended, true, memory_order_release); /* K1 */
    for (uint32_t q = 0; q < shape->n_queues; q++)
        pthread_join(consumers[q].thread, NULL);
    check_all_arrived(&test);
    if (test.arena->fault)
        fail("fault %u", test.arena->fault);
    close_test(&test);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Reads as the aggregator does: the fault word first, then what it publishes. */
static void expect_fault(const struct gravelp_arena *arena, uint32_t fault, uint32_t value)
{
    uint32_t found = gravel_word_load(&arena->fault, memory_order_acquire); /* F2 */
    if (found != fault || arena->fault_value != value)
        fail("fault %u with value %u instead of %u with %u", found, arena->fault_value, fault,
             value);
}

struct watch {
    struct gravelp_arena *arena;
    uint32_t fault, value;
    bool has_clock; /* the host shows its clock, though it takes nothing */
};

static void *watch_fault(void *argument)
{
    const struct watch *watch = argument;
    uint64_t start_ns = gravel_clock_ns();
    struct gravel_package_queue queue;
    open_queue(&queue, watch->arena, 0, 0);
    while (gravel_word_load(&watch->arena->fault, memory_order_relaxed) == GRAVELP_FAULT_NONE) {
        if (watch->has_clock)
            gravel_package_beat(&queue, gravel_clock_ns());
        if (gravel_clock_ns() - start_ns > STUCK_NS)
            fail("no fault %u was reported", watch->fault);
        sched_yield();
    }
    expect_fault(watch->arena, watch->fault, watch->value);
    return NULL;
}

/* Runs kernels without a consumer: they end by themselves, and report why to the thread that watches. */
static void run_fault(const struct shape *shape, struct patience patience, struct watch watch)
{
    struct traffic traffic = {
        .n_rounds = 1, .n_items = shape->n_groups * shape->local_size, .n_nodes = N_NODES};
    pthread_t thread;
    watch.arena = make_arena(shape, patience);
    if (watch.fault == GRAVELP_FAULT_VERSION)
        watch.arena->version++;
    if (pthread_create(&thread, NULL, watch_fault, &watch))
        fail("no watching thread");
    lanes_launch(traffic_kernel, watch.arena, &traffic, shape->n_groups, shape->local_size);
    pthread_join(thread, NULL);
    free_arena(watch.arena);
}

static void run_faults(void)
{
    const struct shape shape = {3, 2, 1, 2, UINT32_MAX, 1};
    const struct patience late = {20, 1}, cut_off = {1, 300000};
    run_fault(
        &shape, late,
        (struct watch){.fault = GRAVELP_FAULT_STALLED, .value = shape.start, .has_clock = true});
    run_fault(&shape, cut_off,
              (struct watch){.fault = GRAVELP_FAULT_STALLED | GRAVELP_FAULT_CUT_OFF,
                             .value = shape.start});
    run_fault(&shape, late,
              (struct watch){.fault = GRAVELP_FAULT_VERSION, .value = GRAVELP_ARENA_VERSION});
}

int main(void)
{
    static const struct shape shapes[] = {
        {4, 3, 1, 1, UINT32_MAX - 20, 16},
        {4, 3, 1, 2, UINT32_MAX - 60, 16},
        {4, 3, 1, 4, UINT32_MAX, 16},
        {6, 1, 3, 2, UINT32_MAX - 7, 24},
        {2, 19, 2, 4, 0, 5},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        run_traffic(&shapes[i]);
    run_faults();
    printf("device queue as C11: messages arrive once, intact and in order; faults are reported\n");
    return 0;
}
