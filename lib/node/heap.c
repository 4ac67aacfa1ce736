/* SPDX-License-Identifier: MIT */
/*
 * The symmetric heap for host code: allocate and free, where it lies, and fill it. maps.c shows it.
 *
 * Path:    gravel.h -> heap.c -> lib/memory/allocations.c (its table), lib/memory/memory.c (the
 *          bytes).
 * Threads: any; alloc and free are collective.
 */
#include "node/node.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Allocates on all nodes or on none: else the next allocation would have another offset at each. */
static int alloc(struct gravel *gravel, const struct gravel_collective_call *call, int code,
                 uint64_t *offset)
{
    const uint64_t bytes = call->arguments[0];
    uint64_t at = 0;
    GRAVEL_TRY(gravel_node_agree_on(gravel, call, false, code));
    code = gravel_node_barrier(gravel, call, true);
    if (!code && (code = gravel_heap_alloc(gravel->heap, bytes, &at)) == GRAVEL_ETIMEOUT)
        code = gravel_leave(gravel, code);
    for (uint32_t heap = 0; heap < gravel->n_heaps && !code; heap++)
        code = gravel_memory_zero(&gravel->memory, heap, at, bytes);
    if (!code)
        code = gravel_bounds_publish(&gravel->memory, gravel->heap);
    code = gravel_node_agree_on(gravel, call, true, code);
    if (!code)
        *offset = at;
    else if (gravel_heap_free(gravel->heap, at) == 0)
        gravel_bounds_publish(&gravel->memory, gravel->heap);
    return code;
}

static int check_alloc(const char *call, uint64_t bytes, const uint64_t *offset)
{
    if (!bytes)
        return gravel_fail(GRAVEL_EINVAL, "%s: 0 bytes; at least 1 allowed", call);
    return gravel_require(call, "offset", offset);
}

int gravel_alloc(struct gravel *gravel, uint64_t bytes, uint64_t *offset)
{
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_ALLOC, .arguments = {bytes}};
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_WAITS));
    return alloc(gravel, &call, check_alloc(__func__, bytes, offset), offset);
}

int gravel_alloc_named(struct gravel *gravel, const char *name, uint64_t bytes, uint64_t *offset)
{
    struct gravel_collective_call call = {.kind = GRAVEL_CALL_ALLOC, .arguments = {bytes}};
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_WAITS));
    const size_t length = name ? strlen(name) : 0;
    int code = check_alloc(__func__, bytes, offset);
    if (!code)
        code = gravel_require(__func__, "name", name);
    if (!code && (length == 0 || length >= sizeof call.name))
        code = gravel_fail(GRAVEL_EINVAL, "%s: a name of %zu characters; 1 to %zu allowed",
                           __func__, length, sizeof call.name - 1);
    if (!code)
        memcpy(call.name, name, length);
    return alloc(gravel, &call, code, offset);
}

int gravel_node_release(struct gravel *gravel, const char *call, uint64_t offset)
{
    int code = gravel_heap_free(gravel->heap, offset);
    if (code == GRAVEL_ETIMEOUT)
        return gravel_leave(gravel, code);
    if (code)
        return gravel_fail(GRAVEL_EINVAL, "%s: no allocation starts at offset %" PRIu64, call,
                           offset);
    return gravel_bounds_publish(&gravel->memory, gravel->heap);
}

int gravel_free(struct gravel *gravel, uint64_t offset)
{
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_FREE, .arguments = {offset}};
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_WAITS));
    int code = gravel_node_barrier(gravel, &call, false);
    GRAVEL_TRY(gravel_node_agree_on(gravel, &call, true, code));
    struct gravel_span span;
    gravel_heap_lock_shared(gravel->heap);
    bool is_known = gravel_heap_span(gravel->heap, offset, &span);
    gravel_heap_unlock_shared(gravel->heap);
    /* Objects are made and destroyed by all nodes together, so all of them refuse alike. */
    const char *object =
        is_known ? gravel_guards_object(&gravel->guards, span.offset, span.bytes) : NULL;
    if (object)
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: a gravel_%s uses the allocation at offset %" PRIu64
                           ": call gravel_%s_destroy first",
                           __func__, object, offset, object);
    return gravel_node_release(gravel, __func__, offset);
}

bool gravel_is_local(const struct gravel *gravel, uint32_t node)
{
    if (gravel_require("gravel_is_local", "gravel", gravel))
        return false;
    if (node != gravel->network.transport->node)
        atomic_store_explicit(&((struct gravel *)gravel)->knows_locals, true,
                              memory_order_relaxed); /* relaxed: a hint for gravel_close */
    return gravel->network.transport->is_loopback ? node < gravel_n_nodes(gravel)
                                                  : node == gravel->network.transport->node;
}

int gravel_node_refuse_part(struct gravel *gravel, const char *call, uint64_t offset,
                            uint64_t bytes, uint32_t node)
{
    return gravel_is_local(gravel, node)
               ? gravel_node_refuse_bytes(gravel, call, offset, bytes)
               : gravel_fail(GRAVEL_ERANGE, "%s: node %u does not live in this process", call,
                             node);
}

int gravel_heap_part(struct gravel *gravel, uint64_t offset, uint64_t bytes, uint32_t node,
                     cl_mem *buffer, uint64_t *first, void **pointer)
{
    GRAVEL_TRY(gravel_require(__func__, "buffer", buffer));
    GRAVEL_TRY(gravel_require(__func__, "first", first));
    GRAVEL_TRY(gravel_require(__func__, "pointer", pointer));
    *buffer = NULL;
    *first = 0;
    *pointer = NULL;
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_node_refuse_part(gravel, __func__, offset, bytes, node));
    const struct gravel_memory *memory = &gravel->memory;
    const uint32_t heap = gravel_node_heap(gravel, node);
    unsigned char *shared = gravel_memory_heap(memory, heap);
    *buffer = memory->region.buffer;
    if (shared)
        *pointer = shared + offset;
    else
        *first = gravel_memory_heap_offset(memory, heap) + offset;
    return 0;
}

/* ---- fill ---------------------------------------------------------------------------------------- */

#define MOST_PATTERN_BYTES 128u
#define BLOCK_BYTES (UINT64_C(1) << 20) /* copied at once: a multiple of every pattern */

static int check_pattern(const char *call, uint64_t offset, uint64_t bytes, uint64_t pattern_bytes)
{
    if (pattern_bytes == 0 || pattern_bytes > MOST_PATTERN_BYTES ||
        pattern_bytes & (pattern_bytes - 1))
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: a pattern of %" PRIu64 " bytes (a power of two up to %u allowed)",
                           call, pattern_bytes, MOST_PATTERN_BYTES);
    if (offset % pattern_bytes || bytes % pattern_bytes)
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: %" PRIu64 " bytes at offset %" PRIu64
                           " are not multiples of the pattern's %" PRIu64,
                           call, bytes, offset, pattern_bytes);
    return 0;
}

int gravel_fill(struct gravel *gravel, uint64_t offset, uint64_t bytes, const void *pattern,
                uint64_t pattern_bytes, uint32_t node)
{
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_require(__func__, "pattern", pattern));
    GRAVEL_TRY(check_pattern(__func__, offset, bytes, pattern_bytes));
    const uint32_t heap = gravel_node_heap(gravel, node);
    GRAVEL_TRY(gravel_node_refuse_part(gravel, __func__, offset, bytes, node));
    GRAVEL_TRY(gravel_checked_refuse_map(gravel, __func__));
    if (!gravel_memory_heap(&gravel->memory, heap))
        GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_WAITS));
    const uint64_t block_bytes = bytes < BLOCK_BYTES ? bytes : BLOCK_BYTES;
    unsigned char *block = malloc(block_bytes + 1);
    int code = 0;
    if (!block)
        return gravel_fail_memory("gravel_fill: a block of the pattern", block_bytes);
    for (uint64_t at = 0; at < block_bytes; at += pattern_bytes)
        memcpy(block + at, pattern, pattern_bytes);
    for (uint64_t done = 0; done < bytes && !code; done += block_bytes)
        code = gravel_memory_write(&gravel->memory, heap, offset + done, block,
                                   bytes - done < block_bytes ? bytes - done : block_bytes);
    free(block);
    return code;
}
