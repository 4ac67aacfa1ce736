/* SPDX-License-Identifier: MIT */
/*
 * Pools of blocks that kernels allocate: laid out in the symmetric heap, counted, freed. Kernels do the rest.
 *
 * Path:    gravel/block_pool.h -> this -> the heap; cl/block_pool.cl.h.
 * Owner:   the caller of gravel_block_pool_create.
 * Threads: one at a time for a pool; create and destroy are collective.
 */
#include "gravel/block_pool.h"

#include "base/growing.h"
#include "layout/block_pool.h"
#include "node/object.h"

#include <inttypes.h>
#include <stdio.h>

struct gravel_block_pool {
    struct gravel_object object;
    struct gravelp_block_pool head;
};

/* What a caller of gravel_block_pool_create asks for. */
struct request {
    uint64_t block_bytes, n_blocks;
};

/* Returns the bytes of head and bits, which lie before the blocks. */
static uint64_t head_bytes(const struct gravelp_block_pool *head)
{
    return sizeof *head + head->n_words * sizeof(uint32_t);
}

static int check(struct gravel_object *object, const void *requested)
{
    struct gravelp_block_pool *head = &((struct gravel_block_pool *)object)->head;
    const struct request *request = requested;
    const uint64_t bytes = request->block_bytes, n_blocks = request->n_blocks;
    if (bytes < 1u << GRAVELP_POOL_LEAST_SHIFT || bytes > 1u << GRAVELP_POOL_MOST_SHIFT ||
        bytes & (bytes - 1))
        return gravel_fail(
            GRAVEL_EINVAL,
            "%s: blocks of %" PRIu64 " bytes, which is not a power of two from %u to %u",
            object->name, bytes, 1u << GRAVELP_POOL_LEAST_SHIFT, 1u << GRAVELP_POOL_MOST_SHIFT);
    if (n_blocks == 0 || n_blocks > GRAVELP_POOL_MOST_BLOCKS)
        return gravel_fail(GRAVEL_EINVAL, "%s: %" PRIu64 " blocks, not 1 to %u", object->name,
                           n_blocks, GRAVELP_POOL_MOST_BLOCKS);
    head->n_blocks = (uint32_t)n_blocks;
    head->n_words = (uint32_t)((n_blocks + 31) / 32);
    while (UINT64_C(1) << head->block_shift < bytes)
        head->block_shift++;
    gravel_object_take(&head->blocks_at, head_bytes(head));
    for (uint32_t i = 0; i < GRAVELP_POOL_HINTS; i++)
        head->hints[i] = (uint32_t)((uint64_t)head->n_words * i / GRAVELP_POOL_HINTS);
    snprintf(object->call.name, sizeof object->call.name, "%" PRIu64 " blocks of %" PRIu64 " bytes",
             n_blocks, bytes);
    return 0;
}

/* Writes the pools of all local nodes, whose memory is 0: the head, and as allocated the bits behind the last block. */
static int make(struct gravel_object *object, const void *requested)
{
    const struct gravelp_block_pool *head = &((struct gravel_block_pool *)object)->head;
    const struct gravel_memory *memory = &object->gravel->memory;
    const uint32_t n_last = head->n_blocks % 32, beyond = n_last ? ~0u << n_last : 0;
    const uint64_t end = head_bytes(head);
    (void)requested;
    int code = gravel_object_alloc(object, head->blocks_at +
                                               ((uint64_t)head->n_blocks << head->block_shift));
    for (uint32_t heap = 0; heap < object->gravel->n_heaps && !code; heap++) {
        code = gravel_memory_write(memory, heap, object->memory, head, sizeof *head);
        if (!code)
            code = gravel_memory_write(memory, heap, object->memory + end - sizeof beyond, &beyond,
                                       sizeof beyond);
    }
    return code;
}

static const struct gravel_object_kind of_pools = {.name = "block_pool",
                                                   .destroy = GRAVEL_CALL_POOL_DESTROY,
                                                   .bytes = sizeof(struct gravel_block_pool),
                                                   .check = check,
                                                   .make = make};

int gravel_block_pool_create(struct gravel_block_pool **out, struct gravel *gravel,
                             uint64_t block_bytes, uint64_t n_blocks)
{
    const struct request request = {block_bytes, n_blocks};
    return gravel_object_create(out, gravel, GRAVEL_CALL_POOL, &of_pools, &request);
}

uint64_t gravel_block_pool_offset(const struct gravel_block_pool *pool)
{
    return gravel_require("gravel_block_pool_offset", "pool", pool) ? 0 : pool->object.memory;
}

int gravel_block_pool_stats_read(struct gravel_block_pool *pool,
                                 struct gravel_block_pool_stats *stats, size_t bytes)
{
    struct gravel_block_pool_stats own = {0};
    GRAVEL_TRY(gravel_require(__func__, "pool", pool));
    GRAVEL_TRY(gravel_require(__func__, "stats", stats));
    GRAVEL_TRY(gravel_enter(pool->object.gravel, __func__, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_growing_give(__func__, stats, bytes, &own, sizeof own));
    struct gravel *gravel = pool->object.gravel;
    const uint32_t n_words = pool->head.n_words;
    void *mapped;
    GRAVEL_TRY(gravel_quiet(gravel));
    GRAVEL_TRY(gravel_map(gravel, pool->object.memory, head_bytes(&pool->head), CL_MAP_READ,
                          gravel_node(gravel), &mapped));
    const struct gravelp_block_pool *head = mapped;
    own.n_blocks = pool->head.n_blocks;
    for (uint32_t i = 0; i < n_words; i++)
        own.n_used += (uint32_t)__builtin_popcount(((const uint32_t *)(head + 1))[i]);
    own.n_used -= UINT64_C(32) * n_words - own.n_blocks; /* bits behind the last block */
    own.n_failed = head->n_failed;
    gravel_growing_give(__func__, stats, bytes, &own, sizeof own);
    return gravel_unmap(gravel, mapped);
}

int gravel_block_pool_destroy(struct gravel_block_pool *pool)
{
    return gravel_object_destroy((struct gravel_object *)pool);
}
