/* SPDX-License-Identifier: MIT */
/*
 * The resolver's loops beside other threads: shards that are applied at the same time, and words that are looked at
 * meanwhile.
 *
 * Path:    cmocka -> apply_frames.h -> lib/resolve/apply.c.
 */
#include "apply_frames.h"

#include <pthread.h>

static void *apply_shard(void *argument)
{
    struct gravel_apply *apply = argument;
    struct gravel_applied applied;
    for (int round = 0; round < 100; round++)
        gravel_apply_frame(apply, frame.bytes, &applied);
    return NULL;
}

static void shards_can_be_applied_at_the_same_time(void **state)
{
    (void)state;
    static const struct word inc = {GRAVEL_INC, GRAVEL_UINT, 4, false, false, false};
    struct gravel_apply applies[3];
    pthread_t threads[3];
    begin(77);
    clear_words();
    add_random_run(&inc, false, 64, (HEAP_BYTES - 64) / 4, 15000);
    for (uint32_t i = 0; i < 3; i++) {
        applies[i] = (struct gravel_apply){heap, {i, 3}, NULL, NULL};
        assert_int_equal(pthread_create(&threads[i], NULL, apply_shard, &applies[i]), 0);
    }
    for (uint32_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < HEAP_BYTES; i += 4) {
        uint32_t once, hundred;
        memcpy(&once, expected + i, 4);
        memcpy(&hundred, heap + i, 4);
        assert_int_equal(hundred, 100 * once);
    }
}

struct watch {
    int stop; /* relaxed: only ends the loop */
    uint64_t n_torn;
};

static void *watch_words(void *argument)
{
    struct watch *watch = argument;
    while (!__atomic_load_n(&watch->stop, __ATOMIC_RELAXED))
        for (uint32_t i = 0; i < 64; i++) {
            const uint64_t *word = (const void *)(heap + 8 * i);
            uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
            watch->n_torn += value >> 32 != (value & 0xffffffffu);
        }
    return NULL;
}

static void words_are_never_seen_torn(void **state)
{
    (void)state;
    struct watch watch = {0};
    pthread_t thread;
    begin(1);
    clear_words();
    struct run_place place = frame_add_run(&frame, 1u | 3u << 8, 0, 2000, 4, 8, 1);
    for (uint32_t i = 0; i < 2000; i++) {
        frame_set_u32(&frame, place.indices, i, i % 64);
        frame_set_u64(&frame, place.values, i, (uint64_t)i << 32 | i);
    }
    struct gravel_apply apply = {heap, {0, 1}, NULL, NULL};
    struct gravel_applied applied;
    assert_int_equal(pthread_create(&thread, NULL, watch_words, &watch), 0);
    for (int round = 0; round < 2000; round++)
        gravel_apply_frame(&apply, frame.bytes, &applied);
    __atomic_store_n(&watch.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_int_equal(watch.n_torn, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_can_be_applied_at_the_same_time),
        cmocka_unit_test(words_are_never_seen_torn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
