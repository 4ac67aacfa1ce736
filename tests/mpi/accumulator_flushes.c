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
        OK(gravel_barrier(gravel)); /* of words that wait it forgets none */
        MUST(!gravel_is_local(gravel, owner) ||
             word32(gravel, owner, offset + 7 * 4) == 10 * n_adders);
    }
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* Of GRAVEL_ADD and GRAVEL_XOR `is` is what each node that adds has added. */
static const struct sequence {
    uint32_t op;
    const char
        *calls; /* a digit: an update; f, b, r: flush, begin, reset; |: barrier; s: set back */
    uint32_t is;
} sequences[] = {
    {GRAVEL_ADD, "1f2r4", 7},    {GRAVEL_ADD, "1b2r4", 7}, {GRAVEL_ADD, "1br2fr", 3},
    {GRAVEL_ADD, "1rf2bb4", 7},  {GRAVEL_MIN, "5f3r4", 3}, {GRAVEL_MIN, "5b6r7", 5},
    {GRAVEL_MIN, "5|s|r7", 7},   {GRAVEL_MAX, "5f7r6", 7}, {GRAVEL_MAX, "3br2fb1", 3},
    {GRAVEL_MAX, "9|s|r5r4", 5}, {GRAVEL_AND, "7f6r5", 4}, {GRAVEL_OR, "1b2r4", 7},
    {GRAVEL_XOR, "5f3r4", 2},
};

static void set_back(const struct sequence *sequence, uint32_t owner, uint64_t word)
{
    if (gravel_is_local(gravel, owner))
        fill(gravel, owner, word,
             sequence->op == GRAVEL_MIN || sequence->op == GRAVEL_AND ? 0xff : 0, 4);
}

static void make_call(const struct sequence *sequence, char call,
                      struct gravel_accumulator *accumulator, uint32_t owner, uint64_t word)
{
    if (call == 'f')
        OK(gravel_accumulator_flush(accumulator));
    else if (call == 'b')
        OK(gravel_accumulator_begin(accumulator));
    else if (call == 'r')
        OK(gravel_accumulator_reset(accumulator));
    else if (call == '|')
        OK(gravel_barrier(gravel));
    else if (call == 's')
        set_back(sequence, owner, word);
    else
        add_one(accumulator, 5, (uint32_t)(call - '0'), owner, 1);
}

/* The same on any number of nodes, whether or not words have a shadow. */
void calls_in_any_order_lose_nothing(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4), word = offset + 5 * 4;
    uint32_t owner = n_nodes - 1;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const struct sequence *sequence = &sequences[i];
        struct gravel_accumulator *accumulator = create(offset, 64, sequence->op, GRAVEL_UINT);
        set_back(sequence, owner, word);
        OK(gravel_barrier(gravel));
        for (const char *call = sequence->calls; *call; call++)
            make_call(sequence, *call, accumulator, owner, word);
        OK(gravel_barrier(gravel));
        uint32_t times = sequence->op == GRAVEL_ADD   ? n_adders
                         : sequence->op == GRAVEL_XOR ? n_adders % 2
                                                      : 1;
        uint32_t is = sequence->is * times;
        if (gravel_is_local(gravel, owner) && word32(gravel, owner, word) != is)
            die(__FILE__, __LINE__, "operation %u, %s: %u instead of %u", sequence->op,
                sequence->calls, word32(gravel, owner, word), is);
        OK(gravel_accumulator_destroy(accumulator));
    }
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

/* Two of one node, flushed together, of ranges side by side. */
void two_accumulators(void)
{
    uint64_t offset = alloc_or_die(gravel, 128 * 4);
    uint32_t owner = n_nodes - 1;
    struct gravel_accumulator *sums = create(offset, 64, GRAVEL_ADD, GRAVEL_UINT),
                              *most = create(offset + 64 * 4, 64, GRAVEL_MAX, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    add_one(sums, 63, 3, owner, 10);
    add_one(most, 0, 7, owner, 10);
    OK(gravel_barrier(gravel));
    if (gravel_is_local(gravel, owner)) {
        MUST(word32(gravel, owner, offset + 63 * 4) == 30 * n_adders);
        MUST(word32(gravel, owner, offset + 64 * 4) == 7);
    }
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(sums));
    OK(gravel_accumulator_destroy(most));
    OK(gravel_free(gravel, offset));
}
