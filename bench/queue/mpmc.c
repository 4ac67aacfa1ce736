/* SPDX-License-Identifier: MIT */
/*
 * Making and freeing the many-producer, many-consumer queue; its hot path is inline in mpmc.h.
 *
 * Path:    mpmc.h -> mpmc.c.
 * Owner:   one allocation holds the tickets and the slots.
 */
#include "queue/mpmc.h"

#include "gravel/gravel.h"

#include <stdlib.h>

static bool is_power_of_two(uint32_t n)
{
    return n && !(n & (n - 1));
}

static uint64_t whole_lines(uint64_t bytes)
{
    return (bytes + GRAVELP_CACHELINE - 1) & ~(uint64_t)(GRAVELP_CACHELINE - 1);
}

/* Gives the first tickets a slot each that is free for them. */
static void init_turns(struct gravel_mpmc *queue)
{
    for (uint64_t i = 0; i < queue->capacity; i++)
        atomic_init(&gravel_mpmc_slot_of(queue, i)->turn, 2 * i);
}

int gravel_mpmc_create(struct gravel_mpmc **out, uint32_t capacity, uint32_t element_bytes)
{
    if (!out)
        return GRAVEL_EINVAL;
    *out = NULL;
    if (!is_power_of_two(capacity) || capacity > GRAVEL_MPMC_MAX_CAPACITY || !element_bytes)
        return GRAVEL_EINVAL;
    uint64_t slot_bytes = whole_lines(sizeof(struct gravel_mpmc_slot) + (uint64_t)element_bytes);
    uint64_t bytes = sizeof(struct gravel_mpmc) + capacity * slot_bytes;
    if (slot_bytes > UINT32_MAX || bytes > SIZE_MAX)
        return GRAVEL_ENOMEM;
    struct gravel_mpmc *queue = aligned_alloc(GRAVELP_CACHELINE, (size_t)bytes);
    if (!queue)
        return GRAVEL_ENOMEM;
    queue->capacity = capacity;
    queue->slot_bytes = (uint32_t)slot_bytes;
    queue->element_bytes = element_bytes;
    atomic_init(&queue->tail, 0);
    atomic_init(&queue->head, 0);
    init_turns(queue);
    *out = queue;
    return 0;
}

void gravel_mpmc_destroy(struct gravel_mpmc *queue)
{
    free(queue);
}
