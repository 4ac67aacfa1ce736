/* SPDX-License-Identifier: MIT */
/*
 * Flushes of accumulators: what travels, how often, and when; what stays and what begins again.
 *
 * Path: test_accumulator.c -> this -> accumulator_adds.c
 * Threads: main's.
 */
#include "accumulator.h"

static uint64_t n_sent(void)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    return stats.sent_messages;
}

void a_word_travels_once(void)
{
    uint64_t offset = alloc_or_die(gravel, (1u << 20) * 4), before;
    uint32_t owner = n_nodes - 1, n = 1u << 20;
    struct gravel_accumulator *accumulator = create(offset, n, GRAVEL_INC, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    before = n_sent();
    add_one(accumulator, n - 1, 3, owner, 1000);
    add_one(accumulator, 7, 1, owner, 100);
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 2 : 0));
    if (gravel_is_local(gravel, owner)) {
        MUST(word32(gravel, owner, offset + (uint64_t)(n - 1) * 4) == 3000 * n_adders);
        MUST(word32(gravel, owner, offset + 7 * 4) == 100 * n_adders);
    }
    OK(gravel_quiet(gravel)); /* nothing is left */
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 2 : 0));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* What comes back to what changes no word is not sent; the word is marked again when it changes again. */
void sums_that_cancel_are_not_sent(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4), before;
    struct gravel_accumulator *accumulator = create(offset, 64, GRAVEL_ADD, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    before = n_sent();
    add_one(accumulator, 5, 1, 0, 1);
    add_one(accumulator, 5, UINT32_MAX, 0, 1);
    OK(gravel_barrier(gravel));
    MUST(n_sent() == before);
    add_one(accumulator, 5, 2, 0, 1);
    OK(gravel_barrier(gravel));
    if (gravel_is_local(gravel, 0))
        MUST(word32(gravel, 0, offset + 5 * 4) == 2 * n_adders);
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

void what_does_not_improve_is_not_sent(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4), before;
    struct gravel_accumulator *accumulator = create(offset, 64, GRAVEL_MAX, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    before = n_sent();
    add_one(accumulator, 5, 10, 0, 1);
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 1 : 0));
    add_one(accumulator, 5, 9, 0, 1);
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 1 : 0));
    if (gravel_is_local(gravel, 0)) {
        MUST(word32(gravel, 0, offset + 5 * 4) == 10);
        fill(gravel, 0, offset, 0, 64 * 4);
    }
    OK(gravel_accumulator_reset(accumulator));
    OK(gravel_barrier(gravel));
    add_one(accumulator, 5, 9, 0, 1);
    OK(gravel_barrier(gravel));
    if (gravel_is_local(gravel, 0))
        MUST(word32(gravel, 0, offset + 5 * 4) == 9);
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* A flush that has begun sends what had been added, and the next one completes it and sends the rest. */
void a_flush_begins_behind_kernels(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4), before;
    uint32_t owner = n_nodes - 1;
    struct gravel_accumulator *accumulator = create(offset, 64, GRAVEL_ADD, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    before = n_sent();
    add_one(accumulator, 5, 4, owner, 10);
    OK(gravel_accumulator_begin(accumulator));
    OK(gravel_accumulator_begin(accumulator));
    add_one(accumulator, 5, 2, owner, 10);
    add_one(accumulator, 6, 1, owner, 10);
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 3 : 0));
    if (gravel_is_local(gravel, owner)) {
        MUST(word32(gravel, owner, offset + 5 * 4) == 60 * n_adders);
        MUST(word32(gravel, owner, offset + 6 * 4) == 10 * n_adders);
    }
    OK(gravel_accumulator_begin(accumulator)); /* of nothing */
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 3 : 0));
    if (has_shadow()) {
        add_one(accumulator, 7, 1, owner, 10);
        OK(gravel_accumulator_begin(accumulator));
        OK(gravel_accumulator_reset(accumulator));
        OK(gravel_barrier(gravel));
        MUST(!gravel_is_local(gravel, owner) || word32(gravel, owner, offset + 7 * 4) == 0);
    }
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* Words wait until they are flushed, which fence and quiet do too. */
void words_wait_for_a_flush(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4);
    uint32_t owner = (node + 1) % n_nodes, got = 1;
    struct gravel_accumulator *accumulator = create(offset, 64, GRAVEL_ADD, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    if (has_shadow() && !gravel_config_of(gravel)->check) {
        add_one(accumulator, 9, 4, owner, 2);
        MUST(clFinish(gravel_cl_queue(gravel)) == CL_SUCCESS);
        OK(gravel_get(gravel, offset + 9 * 4, &got, sizeof got, owner));
        MUST(got == 0);
        OK(gravel_accumulator_flush(accumulator));
        OK(gravel_quiet(gravel));
        OK(gravel_get(gravel, offset + 9 * 4, &got, sizeof got, owner));
        MUST(got == 8);
        add_one(accumulator, 9, 4, owner, 2);
        OK(gravel_fence(gravel)); /* what comes behind it is applied behind it */
        got = 0;
        OK(gravel_update(gravel, GRAVEL_MIN, GRAVEL_UINT, offset + 9 * 4, &got, owner));
        OK(gravel_quiet(gravel));
        OK(gravel_get(gravel, offset + 9 * 4, &got, sizeof got, owner));
        MUST(got == 0);
    }
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}
