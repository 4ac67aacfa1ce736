/* SPDX-License-Identifier: MIT */
/*
 * Maps of the heap: pointers into it where the host addresses it, else to copies, and the table of those that are out.
 *
 * Path:    gravel.h -> maps.c -> lib/memory/memory.c (the bytes).
 * Owner:   the node, of the table and the copies, which stay after gravel_close until they are unmapped.
 * Threads: any.
 */
#include "base/counter.h"
#include "base/hash.h"
#include "node/node.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>

/* Checked mode: what a map that is only to be read showed, and a sum of what counts all that may have changed it since,
 * other than the host's stores. */
struct view {
    uint64_t hash, n_writers;
};

/* What gravel_map gave out under one pointer: several maps of one part of the heap, or one copy. */
struct map {
    unsigned char *pointer; /* first, for compare_maps */
    uint64_t offset, bytes;
    cl_map_flags flags;
    uint32_t heap;
    uint32_t n;      /* maps that are out */
    uint64_t serial; /* of the allocation */
    struct view view;
};

static int compare_maps(const void *a, const void *b)
{
    uintptr_t first = (uintptr_t)((const struct map *)a)->pointer;
    uintptr_t second = (uintptr_t)((const struct map *)b)->pointer;
    return (first > second) - (first < second);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Inserts a map. @param map  taken, or freed if there is an equal one. @return false without memory. */
static bool insert(struct gravel *gravel, struct map *map)
{
    pthread_mutex_lock(&gravel->maps_lock);
    struct map **at = tsearch(map, &gravel->maps, compare_maps), *kept = at ? *at : NULL;
    if (kept)
        kept->n++, kept->serial = map->serial;
    gravel->n_maps += kept != NULL;
    gravel->n_writable += kept && map->flags != CL_MAP_READ;
    pthread_mutex_unlock(&gravel->maps_lock);
    if (kept != map)
        free(map);
    return kept != NULL;
}

/*
 * From now on the map is the caller's alone; the heap stays until `n_maps` is lower.
 *
 * @param map  [out] what it is; n is 0 if no other map has the pointer. @param is_closed  [out] whether the node is.
 * @return false if it is not mapped.
 */
static bool take_out(struct gravel *gravel, void *pointer, struct map *map, bool *is_closed)
{
    const struct map wanted = {.pointer = pointer};
    pthread_mutex_lock(&gravel->maps_lock);
    struct map **at = tfind(&wanted, &gravel->maps, compare_maps), *kept = at ? *at : NULL;
    if (kept) {
        kept->n--;
        *map = *kept;
    }
    if (kept && map->n == 0) {
        tdelete(&wanted, &gravel->maps, compare_maps);
        free(kept);
    }
    *is_closed = gravel->end != GRAVEL_IN_USE;
    pthread_mutex_unlock(&gravel->maps_lock);
    return kept;
}

/* ---- writes to what is only to be read -------------------------------------------------------- */

/* Counts what changes the heap other than the host's stores: launches, writable maps, and messages that are applied. */
static uint64_t count_writers(struct gravel *gravel)
{
    pthread_mutex_lock(&gravel->maps_lock);
    const uint64_t n_writable = gravel->n_writable;
    pthread_mutex_unlock(&gravel->maps_lock);
    return n_writable + gravel_checked_read(gravel).n_begun +
           gravel_counter_load(&gravel->network.counts.resolved_messages);
}

static bool is_watched(const struct gravel *gravel, const struct map *map)
{
    return gravel->config.check && map->flags == CL_MAP_READ;
}

/* Refuses a map that the host has written to, as far as nothing else may have. */
static int refuse_written(struct gravel *gravel, const struct map *map)
{
    if (!is_watched(gravel, map) ||
        map->view.hash == gravel_hash_bytes(GRAVEL_HASH_BEGIN, map->pointer, map->bytes))
        return 0;
    if (!gravel->memory.region.buffer && /* where there is one, a map is a copy */
        count_writers(gravel) != map->view.n_writers)
        return 0; /* others may have */
    return gravel_fail(GRAVEL_EINVAL,
                       "gravel_unmap: the map at %p is CL_MAP_READ and was written: on steps pump "
                       "and drain that is lost; map it with CL_MAP_WRITE",
                       (void *)map->pointer);
}

/* ---- map ------------------------------------------------------------------------------------- */

/* Returns the number of the allocation that contains a byte; 0 if there is none. */
static uint64_t serial_at(struct gravel *gravel, uint64_t offset)
{
    struct gravel_span span = {.serial = 0};
    gravel_heap_lock_shared(gravel->heap);
    gravel_heap_span(gravel->heap, offset, &span);
    gravel_heap_unlock_shared(gravel->heap);
    return span.serial;
}

/* Makes a map, of a heap that the host cannot address of a copy of the part. */
static int make_map(struct gravel *gravel, const struct map *wanted, void **pointer)
{
    const uint64_t at_least = wanted->bytes + !wanted->bytes,
                   bytes = (at_least + GRAVELP_CACHELINE - 1) & ~UINT64_C(63);
    unsigned char *heap = gravel_memory_heap(&gravel->memory, wanted->heap);
    if (!heap)
        GRAVEL_TRY(gravel_enter(gravel, "gravel_map", GRAVEL_WAITS));
    unsigned char *made = heap ? heap + wanted->offset : aligned_alloc(GRAVELP_CACHELINE, bytes);
    struct map *map = made ? malloc(sizeof *map) : NULL;
    int code = 0;
    if (!made)
        return gravel_fail_memory("gravel_map: a copy of the part", bytes);
    if (!heap && !(wanted->flags & CL_MAP_WRITE_INVALIDATE_REGION))
        code =
            gravel_memory_read(&gravel->memory, wanted->heap, wanted->offset, made, wanted->bytes);
    if (map && !code) {
        *map = *wanted;
        map->pointer = made;
        map->view.n_writers = count_writers(gravel);
        if (is_watched(gravel, map))
            map->view.hash = gravel_hash_bytes(GRAVEL_HASH_BEGIN, made, map->bytes);
        if (insert(gravel, map)) {
            *pointer = made;
            return 0;
        }
        map = NULL;
    }
    free(map);
    if (!heap)
        free(made);
    GRAVEL_TRY(code);
    return gravel_fail_memory("gravel_map: the table of maps", sizeof *map);
}

int gravel_map(struct gravel *gravel, uint64_t offset, uint64_t bytes, cl_map_flags flags,
               uint32_t node, void **pointer)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    GRAVEL_TRY(gravel_require("gravel_map", "pointer", pointer));
    *pointer = NULL;
    GRAVEL_TRY(gravel_enter(gravel, "gravel_map", GRAVEL_ANYWHERE));
    if (!flags || flags & ~known)
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_map: flags 0x%" PRIx64 "; 0x1 to 0x%" PRIx64 " allowed", flags,
                           known);
    GRAVEL_TRY(gravel_node_refuse_part(gravel, "gravel_map", offset, bytes, node));
    GRAVEL_TRY(gravel_checked_refuse_map(gravel, "gravel_map"));
    const struct map map = {.offset = offset,
                            .bytes = bytes,
                            .flags = flags,
                            .serial = serial_at(gravel, offset),
                            .heap = gravel_node_heap(gravel, node)};
    return make_map(gravel, &map, pointer);
}

/* ---- unmap ----------------------------------------------------------------------------------- */

int gravel_unmap(struct gravel *gravel, void *pointer)
{
    struct map map;
    bool is_closed;
    GRAVEL_TRY(gravel_enter(gravel, "gravel_unmap", GRAVEL_ANYWHERE));
    if (!pointer)
        return 0;
    if (gravel->memory.region.buffer)
        GRAVEL_TRY(gravel_enter(gravel, "gravel_unmap", GRAVEL_WAITS));
    if (!take_out(gravel, pointer, &map, &is_closed))
        return gravel_fail(GRAVEL_EINVAL, "gravel_unmap: %p is not mapped", pointer);
    int freed = 0; /* what is there now is not the map's */
    if (!is_closed && serial_at(gravel, map.offset) != map.serial)
        freed =
            gravel_fail(GRAVEL_EINVAL,
                        "gravel_unmap: the allocation with offset %" PRIu64
                        " was freed while %" PRIu64 " bytes of it were mapped: nothing is written",
                        map.offset, map.bytes);
    int written = map.n == 0 && !freed ? refuse_written(gravel, &map) : 0;
    int code = 0;
    if (map.n == 0 && gravel->memory.region.buffer) {
        const bool is_written = map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
        if (is_written && !freed && !is_closed) /* then nothing is left to write to */
            code = gravel_memory_write(&gravel->memory, map.heap, map.offset, pointer, map.bytes);
        free(pointer);
    }
    pthread_mutex_lock(&gravel->maps_lock);
    const bool is_end = --gravel->n_maps == 0 && gravel->end == GRAVEL_CLOSED;
    pthread_mutex_unlock(&gravel->maps_lock);
    if (is_end) /* after gravel_close the last map frees the heap, and the node with it */
        gravel_node_free_heap(gravel);
    GRAVEL_TRY(code);
    GRAVEL_TRY(freed);
    return written;
}
