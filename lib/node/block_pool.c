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
#include "node/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct gravel_block_pool {
    struct gravel *gravel;
    uint64_t offset, block_bytes;
    struct gravel_guard guard;
    struct gravelp_block_pool head;
};

static const char creating[] = "gravel_block_pool_create";

static int check(uint64_t bytes, uint64_t n_blocks)
{
    if (bytes < 1u << GRAVELP_POOL_LEAST_SHIFT || bytes > 1u << GRAVELP_POOL_MOST_SHIFT ||
        bytes & (bytes - 1))
        return gravel_fail(
            GRAVEL_EINVAL,
            "%s: blocks of %" PRIu64 " bytes, which is not a power of two from %u to %u", creating,
            bytes, 1u << GRAVELP_POOL_LEAST_SHIFT, 1u << GRAVELP_POOL_MOST_SHIFT);
    if (n_blocks == 0 || n_blocks > GRAVELP_POOL_MOST_BLOCKS)
        return gravel_fail(GRAVEL_EINVAL, "%s: %" PRIu64 " blocks, not 1 to %u", creating, n_blocks,
                           GRAVELP_POOL_MOST_BLOCKS);
    return 0;
}

/* Before the blocks: head and bits [bytes]. */
static uint64_t head_bytes(const struct gravelp_block_pool *head)
{
    return sizeof *head + head->n_words * sizeof(uint32_t);
}

static void lay_out(struct gravel_block_pool *pool, uint64_t n_blocks)
{
    struct gravelp_block_pool *head = &pool->head;
    head->n_blocks = (uint32_t)n_blocks;
    head->n_words = (uint32_t)((n_blocks + 31) / 32);
    while (UINT64_C(1) << head->block_shift < pool->block_bytes)
        head->block_shift++;
    head->blocks_at =
        (head_bytes(head) + GRAVELP_CACHELINE - 1) / GRAVELP_CACHELINE * GRAVELP_CACHELINE;
    for (uint32_t i = 0; i < GRAVELP_POOL_PLACES; i++)
        head->places[i] = (uint32_t)((uint64_t)head->n_words * i / GRAVELP_POOL_PLACES);
}

/* Of a local node: the head, and bits of blocks that there are not. The rest is 0. */
static int write_head(const struct gravel_block_pool *pool, uint32_t node)
{
    const struct gravelp_block_pool *head = &pool->head;
    const uint32_t n_last = head->n_blocks % 32, beyond = n_last ? ~0u << n_last : 0;
    const uint64_t last = pool->offset + head_bytes(head) - sizeof beyond;
    void *mapped;
    int code = gravel_map(pool->gravel, pool->offset, sizeof *head, CL_MAP_WRITE_INVALIDATE_REGION,
                          node, &mapped);
    if (code)
        return code;
    *(struct gravelp_block_pool *)mapped = *head;
    code = gravel_unmap(pool->gravel, mapped);
    return code ? code
                : gravel_fill(pool->gravel, last, sizeof beyond, &beyond, sizeof beyond, node);
}

/* All nodes make their part, or none keeps it. */
static int make(struct gravel_block_pool *pool, const struct gravel_collective_call *call)
{
    char name[48];
    const uint64_t bytes =
        pool->head.blocks_at + ((uint64_t)pool->head.n_blocks << pool->head.block_shift);
    snprintf(name, sizeof name, "pool of %u blocks of %" PRIu64 " bytes", pool->head.n_blocks,
             pool->block_bytes);
    int code = gravel_alloc_named(pool->gravel, name, bytes, &pool->offset);
    if (code)
        return code;
    for (uint32_t node = 0; node < gravel_n_nodes(pool->gravel) && !code; node++)
        if (gravel_is_local(pool->gravel, node))
            code = write_head(pool, node);
    code = gravel_node_agree_on(pool->gravel, call, true, code);
    if (code)
        gravel_free(pool->gravel, pool->offset);
    return code;
}

int gravel_block_pool_create(struct gravel_block_pool **out, struct gravel *gravel,
                             uint64_t block_bytes, uint64_t n_blocks)
{
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_POOL,
                                                .arguments = {block_bytes, n_blocks}};
    if (out)
        *out = NULL;
    if (gravel_node_refuse_wait(gravel, creating))
        return GRAVEL_EINVAL;
    struct gravel_block_pool *pool = calloc(1, sizeof *pool);
    int code = gravel_require(creating, "out", out);
    if (!code)
        code = check(block_bytes, n_blocks);
    if (!code && !pool)
        code = gravel_fail(GRAVEL_ENOMEM, "%s", creating);
    if (!code)
        code = gravel_quiet(gravel); /* in checked mode a map comes behind one */
    code = gravel_node_agree_on(gravel, &call, false, code);
    if (!code) {
        pool->gravel = gravel;
        pool->block_bytes = block_bytes;
        lay_out(pool, n_blocks);
        code = make(pool, &call);
    }
    if (code) {
        free(pool);
        return code;
    }
    pool->guard = (struct gravel_guard){
        .object = "block_pool", .begin = pool->offset, .end = pool->offset + 1};
    gravel_guards_add(&gravel->guards, &pool->guard);
    *out = pool;
    return 0;
}

uint64_t gravel_block_pool_offset(const struct gravel_block_pool *pool)
{
    return gravel_require("gravel_block_pool_offset", "pool", pool) ? 0 : pool->offset;
}

static uint64_t count_bits(const uint32_t *words, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (uint32_t)__builtin_popcount(words[i]);
    return sum;
}

int gravel_block_pool_stats_read(struct gravel_block_pool *pool,
                                 struct gravel_block_pool_stats *stats, size_t bytes)
{
    static const char call[] = "gravel_block_pool_stats_read";
    struct gravel_block_pool_stats own = {0};
    if (gravel_require(call, "pool", pool) || gravel_require(call, "stats", stats) ||
        gravel_node_refuse_wait(pool->gravel, call) ||
        gravel_growing_give(call, stats, bytes, &own, sizeof own))
        return GRAVEL_EINVAL;
    struct gravel *gravel = pool->gravel;
    const uint32_t n_words = pool->head.n_words;
    void *mapped;
    int code = gravel_quiet(gravel);
    if (!code)
        code = gravel_map(gravel, pool->offset, head_bytes(&pool->head), CL_MAP_READ,
                          gravel_node(gravel), &mapped);
    if (code)
        return code;
    const struct gravelp_block_pool *head = mapped;
    own.n_blocks = pool->head.n_blocks;
    own.n_used =
        count_bits((const uint32_t *)(head + 1), n_words) - (UINT64_C(32) * n_words - own.n_blocks);
    own.n_failed = head->n_failed;
    gravel_growing_give(call, stats, bytes, &own, sizeof own);
    return gravel_unmap(gravel, mapped);
}

int gravel_block_pool_destroy(struct gravel_block_pool *pool)
{
    if (!pool)
        return 0;
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_POOL_DESTROY,
                                                .arguments = {pool->offset}};
    int code = gravel_node_refuse_wait(pool->gravel, "gravel_block_pool_destroy");
    if (code)
        return code;
    gravel_guards_remove(&pool->gravel->guards, &pool->guard);
    code = gravel_node_free_as(pool->gravel, &call);
    free(pool);
    return code;
}
