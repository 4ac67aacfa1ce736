/* SPDX-License-Identifier: MIT */
/*
 * Fills a part of a local heap with a pattern, block by block.
 *
 * Path:    gravel.h -> fill.c -> lib/memory/memory.c (the bytes).
 * Threads: any.
 */
#include "memory/memory.h"
#include "node/node.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PATTERN_BYTES 128u
#define BLOCK_BYTES (UINT64_C(1) << 20) /* copied at once: a multiple of every pattern */

static int check_pattern(const char *call, uint64_t offset, uint64_t bytes, uint64_t pattern_bytes)
{
    if (pattern_bytes == 0 || pattern_bytes > MOST_PATTERN_BYTES ||
        pattern_bytes & (pattern_bytes - 1))
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: a pattern of %" PRIu64 " bytes, which is no power of two up to %u",
                           call, pattern_bytes, MOST_PATTERN_BYTES);
    if (offset % pattern_bytes || bytes % pattern_bytes)
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: %" PRIu64 " bytes at offset %" PRIu64
                           ", which are no multiples of the pattern's %" PRIu64,
                           call, bytes, offset, pattern_bytes);
    return 0;
}

static int fill(struct gravel *gravel, uint32_t heap, uint64_t offset, uint64_t bytes,
                const void *pattern, uint64_t pattern_bytes)
{
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

int gravel_fill(struct gravel *gravel, uint64_t offset, uint64_t bytes, const void *pattern,
                uint64_t pattern_bytes, uint32_t node)
{
    static const char call[] = "gravel_fill";
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_require(call, "pattern", pattern));
    GRAVEL_TRY(check_pattern(call, offset, bytes, pattern_bytes));
    const uint32_t heap = gravel_node_heap(gravel, node);
    GRAVEL_TRY(gravel_node_refuse_part(gravel, call, offset, bytes, node));
    GRAVEL_TRY(gravel_checked_refuse_map(gravel, call));
    if (!gravel_memory_heap(&gravel->memory, heap))
        GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_WAITS));
    return fill(gravel, heap, offset, bytes, pattern, pattern_bytes);
}
