/* SPDX-License-Identifier: MIT */
/*
 * Making and freeing the one-producer, one-consumer queue; its hot path is inline in spsc.h.
 *
 * Path:    spsc.h -> spsc.c.
 * Owner:   one allocation holds the indices and the elements.
 */
#include "queue/spsc.h"

#include "gravel/gravel.h"

#include <stdlib.h>

static bool is_power_of_two(uint32_t n)
{
    return n && !(n & (n - 1));
}

int gravel_spsc_create(struct gravel_spsc **out, uint32_t capacity, uint32_t element_bytes)
{
    if (!out)
        return GRAVEL_EINVAL;
    *out = NULL;
    if (!is_power_of_two(capacity) || capacity > GRAVEL_SPSC_MAX_CAPACITY || !element_bytes)
        return GRAVEL_EINVAL;
    uint64_t bytes = sizeof(struct gravel_spsc) + (uint64_t)capacity * element_bytes;
    if (bytes > SIZE_MAX - GRAVELP_CACHELINE)
        return GRAVEL_ENOMEM;
    size_t whole_lines = ((size_t)bytes + GRAVELP_CACHELINE - 1) & ~(size_t)(GRAVELP_CACHELINE - 1);
    struct gravel_spsc *queue = aligned_alloc(GRAVELP_CACHELINE, whole_lines);
    if (!queue)
        return GRAVEL_ENOMEM;
    queue->capacity = capacity;
    queue->element_bytes = element_bytes;
    atomic_init(&queue->tail, 0);
    atomic_init(&queue->head, 0);
    queue->head_cache = queue->tail_cache = 0;
    *out = queue;
    return 0;
}

void gravel_spsc_destroy(struct gravel_spsc *queue)
{
    free(queue);
}
