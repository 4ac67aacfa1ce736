/* SPDX-License-Identifier: MIT */
/*
 * The symmetric heap for host code: allocate, free, look at, map.
 *
 * Path:    gravel.h -> heap.c -> lib/memory/heap_books.c (the books), lib/memory/memory.c (the
 *          bytes).
 * Threads: any; alloc and free are collective.
 */
#include "node/node.h"

#include <stdlib.h>

static bool is_loopback(const struct gravel *gravel)
{
    return gravel->network.transport->is_loopback;
}

static int fail_heap(struct gravel *gravel, uint64_t bytes, int code)
{
    struct gravel_heap_room room;
    gravel_heap_room(gravel->heap, &room);
    if (code != GRAVEL_EHEAP)
        return gravel_fail(code, "gravel_alloc: books of the symmetric heap");
    return gravel_fail(GRAVEL_EHEAP,
                       "gravel_alloc: asked %llu bytes; %llu of %llu are free, %llu in one piece "
                       "(GRAVEL_HEAP sets the size)",
                       (unsigned long long)bytes, (unsigned long long)room.free_bytes,
                       (unsigned long long)room.total_bytes,
                       (unsigned long long)room.largest_bytes);
}

/* Clear an allocation in every local heap. */
static int zero(struct gravel *gravel, uint64_t offset, uint64_t bytes)
{
    int code = 0;
    for (uint32_t heap = 0; heap < gravel->n_heaps && !code; heap++)
        code = gravel_memory_zero(&gravel->memory, heap, offset, bytes);
    return code;
}

int gravel_alloc(struct gravel *gravel, uint64_t bytes, uint64_t *offset)
{
    if (gravel_node_refuse_wait(gravel, "gravel_alloc"))
        return GRAVEL_EINVAL;
    if (!offset || bytes == 0)
        return gravel_fail(GRAVEL_EINVAL, "gravel_alloc: %llu bytes, offset at %p",
                           (unsigned long long)bytes, (void *)offset);
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_ALLOC, .arguments = {bytes}};
    int code = gravel_node_agree(gravel, &call);
    if (code)
        return code;
    code = gravel_heap_alloc(gravel->heap, bytes, offset);
    if (code)
        return fail_heap(gravel, bytes, code);
    code = zero(gravel, *offset, bytes);
    int waited = gravel_node_barrier(gravel, &call, true);
    return code ? code : waited;
}

int gravel_free(struct gravel *gravel, uint64_t offset)
{
    if (gravel_node_refuse_wait(gravel, "gravel_free"))
        return GRAVEL_EINVAL;
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_FREE, .arguments = {offset}};
    int code = gravel_node_barrier(gravel, &call, false);
    if (!code && gravel_heap_free(gravel->heap, offset))
        code = gravel_fail(GRAVEL_EINVAL, "gravel_free: no allocation starts at offset %llu",
                           (unsigned long long)offset);
    return code;
}

bool gravel_is_local(const struct gravel *gravel, uint32_t node)
{
    return is_loopback(gravel) ? node < gravel_n_nodes(gravel)
                               : node == gravel->network.transport->node;
}

bool gravel_node_has(struct gravel *gravel, uint64_t offset, uint64_t bytes)
{
    struct gravel_span span;
    gravel_heap_lock_shared(gravel->heap);
    bool is_inside = gravel_heap_span(gravel->heap, offset, &span) &&
                     bytes <= span.bytes - (offset - span.offset);
    gravel_heap_unlock_shared(gravel->heap);
    return is_inside;
}

/* A copy of a part of a heap that the host cannot address; the caller's bytes follow. */
struct mapping {
    uint64_t offset, bytes;
    cl_map_flags flags;
    uint32_t heap;
};
#define MAPPING_BYTES GRAVELP_CACHELINE

static int map_copy(struct gravel *gravel, const struct mapping *wanted, void **pointer)
{
    uint64_t bytes = (MAPPING_BYTES + wanted->bytes + 63) & ~UINT64_C(63);
    struct mapping *mapping = aligned_alloc(GRAVELP_CACHELINE, bytes);
    if (!mapping)
        return gravel_fail(GRAVEL_ENOMEM, "gravel_map of %llu bytes",
                           (unsigned long long)wanted->bytes);
    *mapping = *wanted;
    unsigned char *data = (unsigned char *)mapping + MAPPING_BYTES;
    int code = wanted->flags & CL_MAP_WRITE_INVALIDATE_REGION
                   ? 0
                   : gravel_memory_read(&gravel->memory, wanted->heap, wanted->offset, data,
                                        wanted->bytes);
    if (code)
        free(mapping);
    else
        *pointer = data;
    return code;
}

static void count_map(struct gravel *gravel)
{
    pthread_mutex_lock(&gravel->maps_lock);
    gravel->n_maps++;
    pthread_mutex_unlock(&gravel->maps_lock);
}

int gravel_map(struct gravel *gravel, uint64_t offset, uint64_t bytes, cl_map_flags flags,
               uint32_t node, void **pointer)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (!pointer || !flags || flags & ~known)
        return gravel_fail(GRAVEL_EINVAL, "gravel_map: flags 0x%llx, pointer at %p",
                           (unsigned long long)flags, (void *)pointer);
    *pointer = NULL;
    if (gravel_node_refuse_after_fork(gravel, "gravel_map"))
        return GRAVEL_EINVAL;
    if (!gravel_is_local(gravel, node))
        return gravel_fail(GRAVEL_ERANGE, "gravel_map: node %u does not live in this process",
                           node);
    if (!gravel_node_has(gravel, offset, bytes))
        return gravel_fail(GRAVEL_ERANGE,
                           "gravel_map: bytes %llu to %llu are not in one allocation",
                           (unsigned long long)offset, (unsigned long long)(offset + bytes));
    const struct mapping mapping = {
        .offset = offset, .bytes = bytes, .flags = flags, .heap = is_loopback(gravel) ? node : 0};
    unsigned char *heap = gravel_memory_heap(&gravel->memory, mapping.heap);
    if (!heap && gravel_node_refuse_wait(gravel, "gravel_map"))
        return GRAVEL_EINVAL;
    int code = heap ? 0 : map_copy(gravel, &mapping, pointer);
    if (heap)
        *pointer = heap + offset;
    if (!code)
        count_map(gravel);
    return code;
}

/* Whether the host addresses a local heap there. */
static bool is_in_heap(const struct gravel *gravel, const unsigned char *pointer)
{
    uint64_t bytes = gravel->arena->heap_bytes;
    for (uint32_t heap = 0; heap < gravel->n_heaps; heap++) {
        const unsigned char *first = gravel_memory_heap(&gravel->memory, heap);
        if (pointer >= first && pointer <= first + bytes)
            return true;
    }
    return false;
}

/* End a map that is a copy; after gravel_close nothing is left to write to. */
static int unmap_copy(struct gravel *gravel, void *pointer, bool is_closed)
{
    struct mapping *mapping = (struct mapping *)((unsigned char *)pointer - MAPPING_BYTES);
    int code = 0;
    if (!is_closed && mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
        code = gravel_memory_write(&gravel->memory, mapping->heap, mapping->offset, pointer,
                                   mapping->bytes);
    free(mapping);
    return code;
}

static int check_unmap(struct gravel *gravel, const void *pointer, bool *is_closed)
{
    pthread_mutex_lock(&gravel->maps_lock);
    bool is_mapped = gravel->n_maps && (gravel->memory.buffer || is_in_heap(gravel, pointer));
    *is_closed = gravel->is_closed;
    pthread_mutex_unlock(&gravel->maps_lock);
    return is_mapped ? 0 : gravel_fail(GRAVEL_EINVAL, "gravel_unmap: %p is not mapped", pointer);
}

int gravel_unmap(struct gravel *gravel, void *pointer)
{
    bool is_closed;
    if (!pointer)
        return 0;
    if (gravel_node_refuse_after_fork(gravel, "gravel_unmap"))
        return GRAVEL_EINVAL;
    int code = check_unmap(gravel, pointer, &is_closed);
    if (code)
        return code;
    if (gravel->memory.buffer)
        code = unmap_copy(gravel, pointer, is_closed);
    pthread_mutex_lock(&gravel->maps_lock);
    bool is_last = --gravel->n_maps == 0 && gravel->is_closed && !gravel->is_left;
    pthread_mutex_unlock(&gravel->maps_lock);
    if (is_last)
        gravel_node_free_heap(gravel);
    return code;
}
