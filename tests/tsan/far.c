/* SPDX-License-Identifier: MIT */
/*
 * Numbers of more than 32 bits by sub-groups and by fine-grain barriers, as C11 threads under ThreadSanitizer: a far
 * command has them in full; a near one marks the message, and the package says which number is outside. And messages
 * that go where their keys live.
 *
 * Path:    this -> cl/subgroup.cl.h, compiled as C11 through host_c11.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_NODES 3u
#define GRAVEL_NODE_OF(key, n) ((key)*7 % (n))
#define GRAVELP_IS_KEYED(handler) ((void)(handler), true)
#define GRAVELP_IS_PAIR(handler) ((void)(handler), false)
#include "gravel.cl.h"
#include "lanes.h"
#include "subgroup.cl.h"

#include "fail.h"

#define N_GROUPS 2u
#define MOST_ITEMS 64u
#define N_SLOTS 256u
#define PART (UINT64_C(1) << 20) /* of the heap: base of call i is i * PART */
enum call { BY_SG, BY_SG_IF, BY_FBAR, BY_FBAR_IF, KEYED_SG, KEYED_FBAR, N_CALLS };

static uint64_t index_of(uint32_t item)
{
    return item % 3 == 0 ? (UINT64_C(1) << 33) + item : item;
}

static uint64_t node_of(uint32_t item)
{
    return item % 5 == 4 ? (UINT64_C(1) << 32) + item : item % 3;
}

static bool is_sent(enum call call, uint32_t item)
{
    return (call != BY_SG_IF && call != BY_FBAR_IF) || item % 2;
}

static void far_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)arguments;
    GRAVEL_OPEN(g);
    GRAVEL_FBAR(f);
    const uint32_t item = (uint32_t)get_global_id(0);
    const uint64_t index = index_of(item), node = node_of(item);
    gravel_put_uint_sg(g, BY_SG * PART, index, item, node);
    gravel_inc_ulong_sg_if(g, is_sent(BY_SG_IF, item), BY_SG_IF * PART, index, node);
    gravel_am2_sg(g, 0, item, KEYED_SG, GRAVEL_BY_KEY);
    GRAVEL_FOR_FBAR (g, f, i, active, 1u) {
        gravel_put_uint_fbar(g, f, BY_FBAR * PART, index, item, node);
        gravel_inc_ulong_fbar_if(g, f, active && is_sent(BY_FBAR_IF, item), BY_FBAR_IF * PART,
                                 index, node);
        gravel_am2_fbar(g, f, 0, item, KEYED_FBAR, GRAVEL_BY_KEY);
    }
}

/* Memory for a queue; of the heap there is only the size. */
static struct gravelp_arena *make_arena(void)
{
    const size_t before = sizeof(struct gravelp_arena) + sizeof(struct gravelp_queue_words);
    const size_t bytes = before + (size_t)N_SLOTS * GRAVELP_SLOT_MIN_BYTES;
    struct gravelp_arena *arena = aligned_alloc(GRAVELP_CACHELINE, bytes);
    if (!arena)
        fail("no memory for an arena");
    memset(arena, 0, bytes);
    arena->version = GRAVELP_ARENA_VERSION;
    arena->n_queues = 1;
    arena->n_nodes = N_NODES;
    arena->n_slots = N_SLOTS;
    arena->slot_bytes = GRAVELP_SLOT_MIN_BYTES;
    arena->queues_offset = sizeof *arena;
    arena->slots_offset = before;
    arena->heap_bytes = UINT64_C(1) << 40;
    arena->wait_ms = 1000;
    arena->poll_ns = 1000000;
    return arena;
}

/* The first number that 32 bits do not hold, as the note of a near package says it. */
static uint64_t outside_of(uint32_t item)
{
    return index_of(item) >> 32 ? index_of(item) : node_of(item);
}

static uint32_t check_far(uint64_t row, uint32_t to)
{
    const uint32_t item = (uint32_t)row;
    const uint64_t node = node_of(item);
    if (row != (node >> 32 ? node : index_of(item)) ||
        to != (node >> 32 ? GRAVELP_NODE_FAR : (uint32_t)node))
        fail("far item %u: %" PRIu64 " for node %u", item, row, to);
    return item;
}

static uint32_t check_near(const struct gravelp_package *package, uint32_t item, uint32_t to)
{
    const bool is_outside = outside_of(item) >> 32;
    if (to != (is_outside ? GRAVELP_NODE_FAR : (uint32_t)node_of(item)))
        fail("near item %u for node %u", item, to);
    if (is_outside && package->arrival.item != outside_of((uint32_t)package->arrival.item))
        fail("a package notes %" PRIu64, (uint64_t)package->arrival.item);
    return item;
}

/* Checks messages to a handler: item and call are their arguments. */
static void check_called(const struct gravelp_package *package,
                         unsigned char seen[N_CALLS][N_GROUPS * MOST_ITEMS])
{
    const unsigned char *slot = (const unsigned char *)package;
    const uint32_t *nodes = (const uint32_t *)(slot + GRAVELP_NODE_ROW);
    const uint64_t *items =
        (const void *)(slot + GRAVELP_VALUE_ROW(package->command, package->stride, 0u));
    const uint64_t *calls =
        (const void *)(slot + GRAVELP_VALUE_ROW(package->command, package->stride, 1u));
    for (uint32_t i = 0; i < package->n_messages; i++) {
        if (nodes[i] != GRAVEL_NODE_OF(items[i], N_NODES))
            fail("key %" PRIu64 " is sent to node %u", items[i], nodes[i]);
        seen[calls[i]][items[i]]++;
    }
}

static void check_package(const struct gravelp_package *package, uint32_t n_items,
                          unsigned char seen[N_CALLS][N_GROUPS * MOST_ITEMS])
{
    if (GRAVELP_IS_CALL(package->command)) {
        check_called(package, seen);
        return;
    }
    const unsigned char *slot = (const unsigned char *)package;
    const uint32_t *nodes = (const uint32_t *)(slot + GRAVELP_NODE_ROW);
    const unsigned char *indices = slot + GRAVELP_INDEX_ROW(package->stride);
    const uint64_t call = package->base / PART;
    const bool is_far = package->command & GRAVELP_COMMAND_FAR;
#ifdef GRAVELP_FAR_ELEMENTS
    if (!is_far)
        fail("call %" PRIu64 " is near", call);
#endif
    for (uint32_t i = 0; i < package->n_messages; i++) {
        uint32_t item = is_far ? check_far(((const uint64_t *)indices)[i], nodes[i])
                               : check_near(package, ((const uint32_t *)indices)[i], nodes[i]);
        if (call >= N_CALLS || item >= n_items)
            fail("call %" PRIu64 " of item %u", call, item);
        seen[call][item]++;
    }
}

static void run(uint32_t local_size)
{
    unsigned char seen[N_CALLS][N_GROUPS * MOST_ITEMS] = {{0}};
    struct gravelp_arena *arena = make_arena();
    const uint32_t n_items = N_GROUPS * local_size;
    lanes_launch(far_kernel, arena, NULL, N_GROUPS, local_size);
    const struct gravelp_queue_words *words =
        (const void *)((const char *)arena + arena->queues_offset);
    if (arena->fault || words->reserved > N_SLOTS)
        fail("fault %u, %u packages", arena->fault, words->reserved);
    for (uint32_t ticket = 0; ticket < words->reserved; ticket++)
        check_package((const void *)((const char *)arena + arena->slots_offset +
                                     (size_t)ticket * arena->slot_bytes),
                      n_items, seen);
    for (uint32_t call = 0; call < N_CALLS; call++)
        for (uint32_t item = 0; item < n_items; item++)
            if (seen[call][item] != is_sent(call, item))
                fail("call %u of item %u came %u times", call, item, seen[call][item]);
    free(arena);
}

int main(void)
{
    static const uint32_t sizes[] = {1, 4, 19, MOST_ITEMS};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        run(sizes[i]);
    printf("far numbers by sub-groups as C11: in full, or marked\n");
    return 0;
}
