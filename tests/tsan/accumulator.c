/* SPDX-License-Identifier: MIT */
/*
 * Marks of an accumulator as C11 threads, under ThreadSanitizer: work-items add to words of a shadow and mark those that
 * were 0, while a thread flushes again and again; nothing is lost, and what a work-item has written before it marks is seen
 * by the flush that finds the mark. Of calls with what is not there one is told.
 *
 * The updates themselves are OpenCL's own; here they are C11's. That of a sum acquires what the flush releases, which the
 * device does not need: only so may the next work-item overwrite the note that the flush has read.
 *
 * Path:    this -> cl/accumulator.cl.h, compiled as C11 through host_c11.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "gravel.cl.h"
#include "accumulator.cl.h"
#include "lanes.h"

#include "fail.h"

#define N_GROUPS 4u
#define LOCAL_SIZE 16u
#define N_WORDS (3 * GRAVELP_ACCUMULATOR_BLOCK)
#define N_ADDS 500u /* of a work-item */

struct shadow {
    struct gravelp_accumulator accumulator;
    uint32_t words[N_WORDS], bits[N_WORDS / 32], blocks[1];
};

struct test {
    struct shadow shadow;
    uint32_t notes[N_WORDS]; /* plain: who finds a word 0 leaves its value */
    uint64_t n_flushed, sum_flushed;
    _Atomic bool has_ended; /* the kernel; relaxed: a last flush follows the join */
};

static uint32_t word_of(size_t item, uint32_t add)
{
    uint32_t drawn = ((uint32_t)item * N_ADDS + add) * 0x9e3779b9u;
    return drawn >> 29 ? drawn >> 20 & 7 : (drawn >> 8) % N_WORDS; /* most of them in few words */
}

static void add_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    struct test *test = (struct test *)(uintptr_t)arguments;
    (void)gravel_arena_;
    for (uint32_t i = 0; i < N_ADDS; i++) {
        uint32_t word = word_of(get_global_id(0), i);
        if (atomic_fetch_add_explicit((_Atomic uint32_t *)&test->shadow.words[word], i + 1,
                                      memory_order_acquire) != 0)
            continue;
        test->notes[word] = word + 1;
        gravelp_accumulator_mark(&test->shadow.accumulator, word);
    }
}

static void flush_word(struct test *test, uint32_t word)
{
    if (test->notes[word] != word + 1)
        fail("word %u is marked, and what came before the mark is not seen", word);
    uint32_t value = atomic_exchange_explicit((_Atomic uint32_t *)&test->shadow.words[word], 0,
                                              memory_order_release);
    if (value == 0)
        fail("word %u is marked, and has not changed", word);
    test->sum_flushed += value;
    test->n_flushed++;
}

static void flush(struct test *test)
{
    struct shadow *shadow = &test->shadow;
    uint32_t blocks = gravelp_device_exchange_acquire(&shadow->blocks[0], 0);
    for (uint32_t block = 0; block < N_WORDS / GRAVELP_ACCUMULATOR_BLOCK; block++)
        for (uint32_t i = 0; blocks >> block & 1 && i < GRAVELP_ACCUMULATOR_BLOCK / 32; i++) {
            uint32_t at = block * GRAVELP_ACCUMULATOR_BLOCK / 32 + i;
            uint32_t bits = gravelp_device_exchange_acquire(&shadow->bits[at], 0);
            for (; bits; bits &= bits - 1)
                flush_word(test, 32 * at + (uint32_t)__builtin_ctz(bits));
        }
}

static void *flush_until_the_end(void *argument)
{
    struct test *test = argument;
    while (!atomic_load_explicit(&test->has_ended, memory_order_relaxed)) {
        flush(test);
        sched_yield();
    }
    return NULL;
}

static void nothing_is_lost(struct test *test)
{
    pthread_t flusher;
    const uint64_t due = (uint64_t)N_GROUPS * LOCAL_SIZE * N_ADDS * (N_ADDS + 1) / 2;
    if (pthread_create(&flusher, NULL, flush_until_the_end, test))
        fail("no thread to flush");
    lanes_launch(add_kernel, NULL, test, N_GROUPS, LOCAL_SIZE);
    atomic_store_explicit(&test->has_ended, true, memory_order_relaxed);
    pthread_join(flusher, NULL);
    flush(test);
    if (test->sum_flushed != due)
        fail("%llu words were flushed, %llu together, not %llu",
             (unsigned long long)test->n_flushed, (unsigned long long)test->sum_flushed,
             (unsigned long long)due);
}

static void refuse_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    struct test *test = (struct test *)(uintptr_t)arguments;
    size_t item = get_global_id(0);
    (void)gravel_arena_;
    gravelp_accumulator_refuse(&test->shadow.accumulator, GRAVEL_UINT, item, item + 1);
}

static void one_refusal_is_told(struct test *test)
{
    const struct gravelp_accumulator *a = &test->shadow.accumulator;
    lanes_launch(refuse_kernel, NULL, test, N_GROUPS, LOCAL_SIZE);
    if (a->n_refused != N_GROUPS * LOCAL_SIZE || a->refused_type != GRAVEL_UINT ||
        a->refused_node != a->refused_index + 1)
        fail("%u refusals, told of index %llu at node %llu", a->n_refused,
             (unsigned long long)a->refused_index, (unsigned long long)a->refused_node);
}

int main(void)
{
    struct test *test = calloc(1, sizeof *test);
    if (!test)
        fail("no memory for an accumulator");
    test->shadow.accumulator.words_at = offsetof(struct shadow, words);
    test->shadow.accumulator.bits_at = offsetof(struct shadow, bits);
    test->shadow.accumulator.blocks_at = offsetof(struct shadow, blocks);
    nothing_is_lost(test);
    one_refusal_is_told(test);
    free(test);
    return 0;
}
