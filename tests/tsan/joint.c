/* SPDX-License-Identifier: MIT */
/*
 * Records that work-items append alone, as C11 threads under ThreadSanitizer, through a queue of few slots: work-items
 * of a group that come together share packages, each record arrives once, whole, and those of a work-item in its order,
 * beside calls of its group. Where the node fails, all of them end.
 *
 * Path:    this -> cl/device/joint.cl.h, compiled as C11 through host_c11.h -> lib/memory/package.h -> the ledger here.
 * Threads: one per work-item, and one consumer.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/shared.h"
#include "memory/arena.h"
#include "memory/package.h"
#include "joint.cl.h" /* behind the host's: it gives words of C other meanings */
#include "lanes.h"

#include "fail.h"

#define N_GROUPS 2u
#define N_ITEMS 40u /* of a group: more than a slot has places */
#define N_TURNS 48u
#define N_SLOTS 4u
#define N_NODES 3u
#define WORDS 8u
#define OF_GROUP 3u /* the stream of calls of whole groups; 1 and 2 are of work-items alone */
#define COMMAND(stream) GRAVELP_COMMAND_RECORD(stream, WORDS, 0)
#define STUCK_NS (20 * GRAVEL_NS_PER_S)

static const struct gravelp_text no_text = {"", 0, 0};

/* Whether a work-item appends at a turn, and to which stream: mostly to that of its neighbours. */
static bool is_sent(uint32_t item, uint32_t turn)
{
    return (item * 7 + turn) % 5 != 0;
}
static uint32_t stream_of(uint32_t item, uint32_t turn)
{
    return 1 + (item / 16 + turn / 4) % 2;
}

static void fill(uint words[WORDS], uint32_t item, uint32_t turn)
{
    words[0] = item;
    words[1] = turn;
    for (uint32_t i = 2; i < WORDS; i++)
        words[i] = item * 1000 + turn * 8 + i;
}

static void append_kernel(struct gravelp_arena *at, const void *arguments)
{
    (void)arguments;
    struct gravel_group g = {at, gravelp_lane->scratch, 0}; /* as GRAVEL_OPEN */
    gravelp_open(g);
    GRAVELP_OPEN_JOINT(g);
    const uint32_t item = (uint32_t)get_global_id(0);
    uint words[WORDS];
    for (uint32_t turn = 0; turn < N_TURNS; turn++) {
        fill(words, item, turn);
        if (turn % 8 == 7) {
            gravelp_record_wg(g, COMMAND(OF_GROUP), no_text, words, item % N_NODES);
        } else if (is_sent(item, turn)) {
            GRAVELP_RECORD_WI(g, COMMAND(stream_of(item, turn)), no_text, words, item % N_NODES);
        }
    }
}

/* ---- the host -------------------------------------------------------------------------------- */

static struct gravelp_arena *arena;
static unsigned char seen[N_GROUPS * N_ITEMS][N_TURNS];
static uint32_t next_turn[N_GROUPS * N_ITEMS]; /* of each work-item, at least */
static uint32_t n_shared;                      /* packages of several work-items alone */
static _Atomic bool has_ended;                 /* K1: the kernel has, and everything is published */

static void make_arena(void)
{
    const struct gravel_device device = {.capability = {.max_alloc = UINT64_MAX}};
    const struct gravel_arena_shape shape = {.n_nodes = N_NODES,
                                             .n_heaps = 1,
                                             .n_queues = 1,
                                             .queue_bytes = N_SLOTS * GRAVELP_SLOT_MIN_BYTES,
                                             .slot_bytes = GRAVELP_SLOT_MIN_BYTES,
                                             .heap_bytes = 1,
                                             .wait_ms = 1000000,
                                             .look_ns = 1};
    if (gravel_arena_create(&device, &shape, &arena))
        fail("no arena: %s", gravel_last_error());
}

static void free_arena(void)
{
    const struct gravel_device device = {.queue = NULL};
    gravel_shared_free(&device, arena);
}

static void enter(uint32_t stream, const uint32_t *words, uint32_t node)
{
    const uint32_t item = words[0], turn = words[1];
    uint expected[WORDS];
    if (item >= N_GROUPS * N_ITEMS || turn >= N_TURNS)
        fail("a record of work-item %u, turn %u", item, turn);
    fill(expected, item, turn);
    if (memcmp(words, expected, sizeof expected) != 0 || node != item % N_NODES)
        fail("work-item %u, turn %u: another's words, or node %u", item, turn, node);
    if (stream != (turn % 8 == 7 ? OF_GROUP : stream_of(item, turn)))
        fail("work-item %u, turn %u: stream %u", item, turn, stream);
    if (seen[item][turn]++)
        fail("work-item %u, turn %u came twice", item, turn);
    if (turn < next_turn[item])
        fail("work-item %u: turn %u came behind turn %u", item, turn, next_turn[item] - 1);
    next_turn[item] = turn + 1;
}

static void take(const struct gravelp_package *package)
{
    const unsigned char *slot = (const unsigned char *)package;
    const uint32_t command = package->command, n = package->n_messages;
    const uint32_t *nodes = (const uint32_t *)(const void *)(slot + GRAVELP_NODE_ROW);
    const uint32_t *words =
        (const uint32_t *)(const void *)(slot + GRAVELP_VALUE_ROW(command, n, 0));
    const uint32_t stream = GRAVELP_RECORD_STREAM(command);
    if (command != COMMAND(stream) || n == 0 || package->stride != n ||
        package->signal != GRAVEL_NO_SIGNAL || package->result != 0)
        fail("a package of command 0x%x, %u records, stride %u", command, n, package->stride);
    for (uint32_t i = 0; i < n; i++)
        enter(stream, words + i * WORDS, nodes[i]);
    n_shared += stream != OF_GROUP && n > 1;
}

static void *consume(void *argument)
{
    struct gravel_package_queue *queue = argument;
    uint64_t moved_ns = gravel_clock_ns();
    for (;;) {
        const bool is_last = atomic_load_explicit(&has_ended, memory_order_acquire); /* K1 */
        const struct gravelp_package *package = gravel_package_peek(queue);
        if (package) {
            take(package);
            gravel_package_release(queue);
            moved_ns = gravel_clock_ns();
        } else if (is_last) {
            return NULL;
        } else {
            gravel_package_beat(queue, gravel_clock_ns());
            sched_yield();
            if (gravel_clock_ns() - moved_ns > STUCK_NS)
                fail("stuck: head %u, reserved %u", queue->head, gravel_package_reserved(queue));
        }
    }
}

static void all_records_come(void)
{
    make_arena();
    struct gravel_package_queue queue = {.words = gravel_arena_queue(arena, 0),
                                         .slots = gravel_arena_slots(arena, 0),
                                         .n_slots = arena->n_slots,
                                         .slot_bytes = arena->slot_bytes,
                                         .clock = gravel_package_clock(arena)};
    pthread_t thread;
    if (pthread_create(&thread, NULL, consume, &queue))
        fail("no consumer");
    lanes_launch(append_kernel, arena, NULL, N_GROUPS, N_ITEMS);
    atomic_store_explicit(&has_ended, true, memory_order_release); /* K1 */
    pthread_join(thread, NULL);
    for (uint32_t item = 0; item < N_GROUPS * N_ITEMS; item++)
        for (uint32_t turn = 0; turn < N_TURNS; turn++)
            if (seen[item][turn] != (turn % 8 == 7 || is_sent(item, turn)))
                fail("work-item %u, turn %u has not come", item, turn);
    if (arena->fault || queue.head != gravel_package_reserved(&queue) || n_shared == 0)
        fail("fault %u; head %u of %u; %u packages were shared", arena->fault, queue.head,
             gravel_package_reserved(&queue), n_shared);
    free_arena();
}

/* The queue is full, and stays so. */
static void all_end_when_the_node_fails(void)
{
    make_arena();
    atomic_store_explicit((_Atomic gravelp_u32 *)&arena->abort, 1, memory_order_relaxed); /* H1 */
    lanes_launch(append_kernel, arena, NULL, N_GROUPS, N_ITEMS);
    free_arena();
}

int main(void)
{
    all_records_come();
    all_end_when_the_node_fails();
    printf("shared packages as C11: %u were\n", n_shared);
    return 0;
}
