/* SPDX-License-Identifier: MIT */
/*
 * gravel_put and gravel_get beside others that poll and store words: no aligned word is seen half old, half new, at
 * whatever offset the bytes begin.
 *
 * Path: meson test -> this -> lib/memory/heap_bytes.c
 */
#include <pthread.h>
#include <stdatomic.h>

#include "expect.h"

#define BYTES 100000u /* longer than a node buffer */
#define ROUNDS 250u
#define CHANGES \
    2000u /* seen by the poller; that stores by parts are seen each time is for tests/unit/test_heap_bytes.c */
#define EDGE 65472u /* where a piece of 64 kB ends */

static struct gravel *gravel;
static uint64_t base;
static uint64_t *words; /* the heap, from base on */
static _Atomic uint32_t stop;

/* Every byte of a whole word is the same. */
static uint32_t is_torn(uint64_t word)
{
    return word != (word & 255) * UINT64_C(0x0101010101010101);
}

static _Atomic uint32_t n_seen; /* changes of a word that the poller read just before */

/* Stares at one word until it changes: the load after the change is as close to the store as can be. */
static void *poll_words(void *unused)
{
    uintptr_t torn = 0;
    (void)unused;
    for (uint32_t n = 0; !atomic_load_explicit(&stop, memory_order_relaxed); n++) {
        uint64_t *word = &words[EDGE / 8 + n % 9];
        const uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
        uint64_t now = old;
        for (uint32_t k = 0; k < 100000 && now == old; k++)
            now = __atomic_load_n(word, __ATOMIC_RELAXED);
        torn += is_torn(now);
        atomic_fetch_add(&n_seen, now != old);
    }
    return (void *)torn;
}

static void *store_words(void *unused)
{
    (void)unused;
    for (uint64_t n = 0; !atomic_load_explicit(&stop, memory_order_relaxed); n++)
        for (uint32_t i = 0; i < BYTES / 8; i++)
            __atomic_store_n(&words[i], (n & 255) * UINT64_C(0x0101010101010101), __ATOMIC_RELAXED);
    return NULL;
}

static uintptr_t run_beside(void *(*other)(void *), bool (*each)(uint32_t round))
{
    pthread_t thread;
    void *result;
    atomic_store(&stop, 0);
    assert_int_equal(pthread_create(&thread, NULL, other, NULL), 0);
    for (uint32_t i = 0; each(i); i++)
        ;
    atomic_store(&stop, 1);
    pthread_join(thread, &result);
    return (uintptr_t)result;
}

/* Mostly around the edge alone, which is soon done again. */
static bool put_one(uint32_t round)
{
    static unsigned char data[BYTES];
    const uint32_t first = round % 16 ? EDGE - 16 : 0;
    memset(data, (int)round, sizeof data);
    OK(gravel_put(gravel, base + first + 4 - round % 4, data, round % 16 ? 128 : sizeof data, 0));
    OK(gravel_quiet(gravel));
    return atomic_load(&n_seen) < CHANGES;
}

static uint32_t torn_loads;

static bool get_one(uint32_t round)
{
    static unsigned char data[BYTES];
    uint32_t first = 1 + round % 7;
    OK(gravel_get(gravel, base + first, data, sizeof data, 0));
    for (uint32_t at = 8 - first; at + 8 <= BYTES - 8; at += 8) {
        uint64_t word;
        memcpy(&word, data + at, 8);
        torn_loads += is_torn(word);
    }
    return round < ROUNDS;
}

static void put_tears_no_word(void **state)
{
    (void)state;
    watch(60, "puts whose words are polled");
    assert_int_equal(run_beside(poll_words, put_one), 0);
    watch(0, "");
}

static void get_tears_no_word(void **state)
{
    (void)state;
    memset(words, 0, BYTES); /* puts begin and end within words */
    run_beside(store_words, get_one);
    assert_int_equal(torn_loads, 0);
}

/* Each byte of the words at both ends is its own. */
static void nothing_beside_it_changes(void **state)
{
    unsigned char data[64], seen[64];
    (void)state;
    for (uint32_t first = 0; first < 8; first++)
        for (uint32_t n = 0; n <= 24; n++) {
            memset(data, 0xee, sizeof data);
            OK(gravel_put(gravel, base, data, sizeof data, 0));
            for (uint32_t i = 0; i < n; i++)
                data[first + i] = (unsigned char)i;
            OK(gravel_put(gravel, base + first, data + first, n, 0));
            OK(gravel_quiet(gravel));
            OK(gravel_get(gravel, base, seen, sizeof seen, 0));
            assert_memory_equal(seen, data, sizeof data);
        }
}

int main(void)
{
    void *mapped;
    const struct CMUnitTest tests[] = {cmocka_unit_test(put_tears_no_word),
                                       cmocka_unit_test(get_tears_no_word),
                                       cmocka_unit_test(nothing_beside_it_changes)};
    OK(gravel_open(&gravel, NULL, NULL));
    OK(gravel_alloc(gravel, BYTES + 64, &base));
    if (strcmp(gravel_step(gravel), "svm")) {
        printf("skipped: the host polls the heap on step svm alone\n");
        return 77;
    }
    OK(gravel_map(gravel, base, BYTES + 64, CL_MAP_READ | CL_MAP_WRITE, 0, &mapped));
    words = mapped;
    int failed = cmocka_run_group_tests_name("whole words", tests, NULL, NULL);
    OK(gravel_unmap(gravel, mapped));
    OK(gravel_close(gravel));
    return failed;
}
