/* SPDX-License-Identifier: MIT */
/*
 * Lays out and allocates the arena: control block, queues, and the heaps of this process's nodes.
 *
 * Path:    device.c -> arena.c -> memory.c -> kernels (GRAVEL_ARENA), lib/memory/package.h, lib/resolve.
 * Owner:   one allocation, addressed by host and device alike; memory.c has the steps where it is not.
 */
#ifndef GRAVEL_MEMORY_ARENA_H
#define GRAVEL_MEMORY_ARENA_H

#include "device/device.h"
#include "layout/arena.h"

struct gravel_arena_shape {
    uint32_t node, n_nodes;
    uint32_t print_node; /* lines go there */
    uint32_t n_heaps;    /* each loop-back node has its own, in order; else 1 */
    uint32_t n_queues;
    uint64_t queue_bytes; /* of all queues */
    uint64_t slot_bytes;
    uint64_t heap_bytes;
    uint32_t wait_ms;
    uint32_t poll_ns;
    uint32_t start;         /* first ticket; tests start near the wrap */
    uint64_t servers_bytes; /* of the server region; 0: none (lib/serve/servers.h) */
    bool huge_pages;
    bool is_checked; /* has a table of allocations */
};

/** Lay an arena out for a device. @return 0; GRAVEL_ECONFIG if slots are too small, or a queue is smaller than a slot;
 * as gravel_arena_fail. */
int gravel_arena_plan(const struct gravel_device *device, const struct gravel_arena_shape *shape,
                      struct gravelp_arena *head, uint64_t *bytes);

/** Fill the constant part of a control block. @return size of the whole arena [bytes]. */
uint64_t gravel_arena_lay_out(const struct gravel_arena_shape *shape, struct gravelp_arena *arena);

/** @return 0; GRAVEL_ECONFIG if some slots lie where copies of rows do not reach. */
int gravel_arena_check_copied(const struct gravelp_arena *head);

/** Empties every queue: no slot's publish word is one that its first ticket would match. No allocation. */
void gravel_arena_reset_queues(struct gravelp_arena *arena, uint32_t start);

/** GRAVEL_ENOMEM with the size asked and the device's limit. */
int gravel_arena_fail(const struct gravel_device *device, const struct gravel_arena_shape *shape,
                      const struct gravelp_arena *head, uint64_t bytes);

/**
 * Allocate and initialise an arena that host and device share.
 *
 * @param out  [out] the control block at its start, to be freed by gravel_shared_free, or NULL on failure.
 * @return     0; GRAVEL_ECONFIG (slot too small, queue smaller than a slot); GRAVEL_ENOMEM with the size asked
 *             and the device's limit.
 */
int gravel_arena_create(const struct gravel_device *device, const struct gravel_arena_shape *shape,
                        struct gravelp_arena **out);

static inline struct gravelp_queue_words *gravel_arena_queue(struct gravelp_arena *arena,
                                                             uint32_t queue)
{
    return (struct gravelp_queue_words *)((unsigned char *)arena + arena->queues_offset) + queue;
}

static inline unsigned char *gravel_arena_slots(struct gravelp_arena *arena, uint32_t queue)
{
    return (unsigned char *)arena + arena->slots_offset +
           (uint64_t)queue * arena->n_slots * arena->slot_bytes;
}

/** Random access to much memory pays for every page that it has to look up. Best effort: the system may decline. */
void gravel_ask_for_huge_pages(void *start, uint64_t bytes);

#endif
