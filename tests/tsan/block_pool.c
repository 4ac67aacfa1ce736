/* SPDX-License-Identifier: MIT */
/*
 * A pool of blocks as C11 threads, under ThreadSanitizer: work-groups and work-items take blocks, write to them and free
 * them, all at once, of a pool with too few; none finds what another has written, no block is lost, and one that is freed
 * twice is reported.
 *
 * Path:    this -> cl/block_pool.cl.h, compiled as C11 through host_c11.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gravel.cl.h"
#include "block_pool.cl.h"
#include "lanes.h"

#include "fail.h"

#define N_GROUPS 4u
#define N_ITEMS 40u /* of a group: more than a word's bits */
#define N_BLOCKS 130u
#define N_WORDS ((N_BLOCKS + 31) / 32)
#define N_TURNS 60u
#define BLOCK_SHIFT 3u

struct heap {
    uint64_t unused[8]; /* no block is at offset 0 */
    struct gravelp_block_pool pool;
    uint32_t bits[N_WORDS];
    _Alignas(64) uint64_t blocks[N_BLOCKS];
};
struct test {
    _Alignas(GRAVELP_CACHELINE) struct gravelp_arena arena;
    struct heap heap;
};

static _Atomic uint32_t n_got;

static void use(struct gravelp_arena *arena, ulong block, uint64_t mark)
{
    uint64_t *word = (uint64_t *)(void *)gravelp_heap(arena, block);
    *word = mark; /* plain: the sanitizer sees another work-item's */
    sched_yield();
    if (*word != mark)
        fail("a block of mark %llu has %llu", (unsigned long long)mark, (unsigned long long)*word);
    atomic_fetch_add_explicit(&n_got, 1, memory_order_relaxed);
}

static void churn_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)arguments;
    GRAVEL_OPEN(g);
    const uint32_t item = (uint32_t)get_global_id(0);
    const ulong pool = offsetof(struct heap, pool);
    for (uint32_t turn = 0; turn < N_TURNS; turn++) {
        const ulong first = gravel_block_alloc_wg_if(g, (item + turn) % 3 != 0, pool);
        if (first != GRAVEL_NO_BLOCK)
            use(gravel_arena_, first, 2 * item);
        if (turn % 4 == item % 4) {
            const ulong second = gravel_block_alloc_wi(g, pool);
            if (second != GRAVEL_NO_BLOCK) {
                use(gravel_arena_, second, 2 * item + 1);
                gravel_block_free_wi(g, pool, second);
            }
        }
        gravel_block_free_wg_if(g, first != GRAVEL_NO_BLOCK, pool, first);
    }
}

static void free_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)arguments;
    GRAVEL_OPEN(g);
    gravel_block_free_wi(g, offsetof(struct heap, pool), offsetof(struct heap, blocks[7]));
}

static void lay_out(struct test *test)
{
    struct gravelp_block_pool *pool = &test->heap.pool;
    test->arena.heap_offset = offsetof(struct test, heap) - offsetof(struct test, arena);
    test->arena.n_slots = 1; /* as gravelp_block_keep has it */
    test->arena.n_queues = 1;
    pool->n_blocks = N_BLOCKS;
    pool->n_words = N_WORDS;
    pool->block_shift = BLOCK_SHIFT;
    pool->blocks_at = offsetof(struct heap, blocks) - offsetof(struct heap, pool);
    test->heap.bits[N_WORDS - 1] = ~0u << N_BLOCKS % 32;
}

int main(void)
{
    struct test *test = aligned_alloc(GRAVELP_CACHELINE, sizeof *test);
    if (!test)
        fail("no memory for a pool");
    memset(test, 0, sizeof *test);
    lay_out(test);
    lanes_launch(churn_kernel, &test->arena, NULL, N_GROUPS, N_ITEMS);
    for (uint32_t i = 0; i < N_WORDS; i++)
        if (test->heap.bits[i] != (i + 1 < N_WORDS ? 0 : ~0u << N_BLOCKS % 32))
            fail("word %u of bits is %x", i, test->heap.bits[i]);
    if (test->arena.fault || n_got < N_BLOCKS)
        fail("fault %u; %u blocks were got", test->arena.fault, n_got);
    const uint32_t n_failed = test->heap.pool.n_failed;
    lanes_launch(free_kernel, &test->arena, NULL, N_GROUPS, N_ITEMS);
    if (test->arena.fault != GRAVELP_FAULT_POOL || test->arena.fault_value != 1 ||
        test->arena.fault_offset != offsetof(struct heap, blocks[7]))
        fail("fault %u: %u at %llu", test->arena.fault, test->arena.fault_value,
             (unsigned long long)test->arena.fault_offset);
    printf("pools of blocks as C11: %u blocks were got, %u times there was none\n", n_got,
           n_failed);
    free(test);
    return 0;
}
