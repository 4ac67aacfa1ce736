/* SPDX-License-Identifier: MIT */
/*
 * Arena layout, and allocation where host and device share it. See arena.h.
 */
#include "memory/arena.h"

#include "base/addresses.h"
#include "base/error.h"
#include "base/rounding.h"
#include "layout/package.h"
#include "memory/allocations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u
#define MOST_SLOTS (1u << 30)
#define HUGE_PAGE (2u << 20)
/* NVIDIA's copies of rectangles (driver 580) read and write something else from there on, and return CL_SUCCESS. */
#define ROWS_REACH (UINT64_C(1) << 32)

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

uint64_t gravel_arena_lay_out(const struct gravel_arena_shape *shape, struct gravelp_arena *arena)
{
    memset(arena, 0, sizeof *arena);
    arena->magic = GRAVELP_ARENA_MAGIC;
    arena->version = GRAVELP_ARENA_VERSION;
    arena->node = shape->node;
    arena->n_nodes = shape->n_nodes;
    arena->print_node = shape->print_node;
    arena->n_queues = shape->n_queues;
    arena->slot_bytes = (uint32_t)round_up(shape->slot_bytes, GRAVELP_CACHELINE);
    const uint64_t n_slots = shape->queue_bytes / shape->n_queues / arena->slot_bytes;
    arena->n_slots = gravel_power_to(n_slots < MOST_SLOTS ? n_slots : MOST_SLOTS);
    arena->wait_ms = shape->wait_ms;
    arena->poll_ns = shape->poll_ns;
    arena->heap_bytes = round_up(shape->heap_bytes, PAGE);
    arena->queues_offset = sizeof *arena;
    uint64_t end = arena->queues_offset + shape->n_queues * sizeof(struct gravelp_queue_words);
    arena->bounds_offset = shape->is_checked ? end : 0;
    end += shape->is_checked ? sizeof(struct gravelp_bounds) : 0;
    arena->slots_offset = round_up(end, PAGE);
    end = arena->slots_offset + (uint64_t)arena->n_slots * shape->n_queues * arena->slot_bytes;
    arena->heap_offset = round_up(end, PAGE);
    end = arena->heap_offset + arena->heap_bytes * shape->n_heaps;
    arena->servers_offset = shape->servers_bytes ? end : 0;
    return end + round_up(shape->servers_bytes, PAGE);
}

int gravel_arena_plan(const struct gravel_device *device, const struct gravel_arena_shape *shape,
                      struct gravelp_arena *head, uint64_t *bytes)
{
    if (shape->slot_bytes < GRAVELP_SLOT_MIN_BYTES)
        return gravel_fail(GRAVEL_ECONFIG,
                           "slot of %" PRIu64
                           " bytes is smaller than 16 of the widest messages (%u)",
                           shape->slot_bytes, GRAVELP_SLOT_MIN_BYTES);
    if (shape->queue_bytes / shape->n_queues < round_up(shape->slot_bytes, GRAVELP_CACHELINE))
        return gravel_fail(GRAVEL_ECONFIG,
                           "queue of %" PRIu64 " bytes holds no slot of %" PRIu64
                           " bytes for each of %u aggregators",
                           shape->queue_bytes, shape->slot_bytes, shape->n_queues);
    *bytes = gravel_arena_lay_out(shape, head);
    return *bytes > device->capability.max_alloc ? gravel_arena_fail(device, shape, head, *bytes)
                                                 : 0;
}

int gravel_arena_check_copied(const struct gravelp_arena *head)
{
    if (head->heap_offset <= ROWS_REACH)
        return 0;
    return gravel_fail(
        GRAVEL_ECONFIG,
        "slots of %" PRIu64
        " bytes: where they are copied (steps pump and drain) they must lie in the first "
        "4 GiB of the arena; lower GRAVEL_QUEUE or GRAVEL_AGGREGATORS",
        head->heap_offset - head->slots_offset);
}

void gravel_ask_for_huge_pages(void *start, uint64_t bytes)
{
    uintptr_t first = round_up((uintptr_t)start, HUGE_PAGE);
    uintptr_t end = ((uintptr_t)start + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (end > first)
        madvise((void *)first, end - first, MADV_HUGEPAGE);
}

void gravel_arena_reset_queues(struct gravelp_arena *arena, uint32_t start)
{
    if (arena->bounds_offset)
        memset((unsigned char *)arena + arena->bounds_offset, 0, sizeof(struct gravelp_bounds));
    for (uint32_t q = 0; q < arena->n_queues; q++) {
        struct gravelp_queue_words *words = gravel_arena_queue(arena, q);
        unsigned char *slots = gravel_arena_slots(arena, q);
        memset(words, 0, sizeof *words);
        words->reserved = words->consumed_cache = words->consumed = start;
        for (uint32_t s = 0; s < arena->n_slots; s++)
            ((struct gravelp_package *)(slots + (uint64_t)s * arena->slot_bytes))->published =
                start;
    }
}

/* Describes why there is no memory, as far as can be known, and how much would suffice. */
static void describe_why(const struct gravelp_arena *head, uint32_t n_heaps, uint64_t bytes,
                         uint64_t largest, char *text, size_t text_bytes)
{
    char limit[GRAVEL_ADDRESSES_BYTES];
    const bool is_limited = gravel_addresses_describe(limit);
    const uint64_t rest = bytes - head->heap_bytes * n_heaps + GRAVEL_HEAP_FIRST * n_heaps;
    if (bytes > largest && largest > rest)
        snprintf(text, text_bytes,
                 "the device's largest allocation is %" PRIu64 ": GRAVEL_HEAP may be %" PRIu64
                 " at most",
                 largest, (largest - rest) / n_heaps / PAGE * PAGE);
    else if (bytes > largest)
        snprintf(text, text_bytes,
                 "the device's largest allocation is %" PRIu64 ": lower GRAVEL_QUEUE", largest);
    else if (is_limited)
        snprintf(text, text_bytes,
                 "%s, and in a job each node of this machine takes a gigabyte of them", limit);
    else
        snprintf(text, text_bytes, "memory is short; the device's largest allocation is %" PRIu64,
                 largest);
}

int gravel_arena_fail(const struct gravel_device *device, const struct gravel_arena_shape *shape,
                      const struct gravelp_arena *head, uint64_t bytes)
{
    char why[256];
    describe_why(head, shape->n_heaps, bytes, device->capability.max_alloc, why, sizeof why);
    return gravel_fail(
        GRAVEL_ENOMEM,
        "arena of %" PRIu64 " bytes (%u heaps of %" PRIu64 ", queues %" PRIu64 "): %s", bytes,
        shape->n_heaps, head->heap_bytes, head->heap_offset - head->slots_offset, why);
}

int gravel_arena_create(const struct gravel_device *device, const struct gravel_arena_shape *shape,
                        struct gravelp_arena **out)
{
    struct gravelp_arena head;
    uint64_t bytes;
    *out = NULL;
    GRAVEL_TRY(gravel_arena_plan(device, shape, &head, &bytes));
    struct gravelp_arena *arena = gravel_shared_alloc(device, bytes);
    if (!arena)
        return gravel_arena_fail(device, shape, &head, bytes);
    if (shape->huge_pages)
        gravel_ask_for_huge_pages(arena, bytes);
    *arena = head;
    gravel_arena_reset_queues(arena, shape->start);
    *out = arena;
    return 0;
}
