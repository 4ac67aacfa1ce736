/* SPDX-License-Identifier: MIT */
/* The table of allocations that handlers see. See bounds.h. */
#include "memory/bounds.h"

#include "base/word.h"

#include <stddef.h>
#include <string.h>

static struct gravelp_bounds *bounds_of(const struct gravel_memory *memory)
{
    return (struct gravelp_bounds *)((unsigned char *)memory->arena + memory->arena->bounds_offset);
}

/* Copies what lies at `at` of the host's bounds to the kernels', where these are others. */
static int copy(const struct gravel_memory *memory, size_t at, size_t bytes)
{
    const uint64_t offset = memory->arena->bounds_offset + at;
    return memory->region.buffer
               ? gravel_region_write(&memory->region, offset,
                                     (unsigned char *)memory->arena + offset, bytes)
               : 0;
}

int gravel_bounds_publish(const struct gravel_memory *memory, struct gravel_heap *heap)
{
    struct gravel_span spans[GRAVELP_BOUNDS_MOST];
    if (!memory->arena->bounds_offset)
        return 0;
    struct gravelp_bounds *bounds = bounds_of(memory);
    const uint32_t next =
        (gravel_word_load(&bounds->current, memory_order_relaxed) + 1) % GRAVELP_BOUNDS_TABLES;
    const size_t n = gravel_heap_copy_spans(heap, spans, GRAVELP_BOUNDS_MOST);
    bounds->n[next] = n <= GRAVELP_BOUNDS_MOST ? (uint32_t)n : GRAVELP_BOUNDS_MOST + 1;
    for (size_t i = 0; i < n && n <= GRAVELP_BOUNDS_MOST; i++)
        bounds->spans[next][i] = (struct gravelp_bounds_span){spans[i].offset, spans[i].bytes};
    int code = copy(memory, offsetof(struct gravelp_bounds, spans[next]), sizeof bounds->spans[0]);
    if (!code)
        code = copy(memory, offsetof(struct gravelp_bounds, n), sizeof bounds->n);
    gravel_word_store(&bounds->current, next, memory_order_release); /* V1, pairs with V2 */
    return code ? code : copy(memory, 0, sizeof bounds->current);
}

int gravel_bounds_read_fault(const struct gravel_memory *memory, struct gravelp_bounds_fault *fault)
{
    const uint64_t at = memory->arena->bounds_offset + offsetof(struct gravelp_bounds, fault);
    return gravel_region_read(&memory->region, at, fault, sizeof *fault);
}
