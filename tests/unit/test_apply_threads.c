/* SPDX-License-Identifier: MIT */
/*
 * The resolver's loops beside a thread that looks at the words meanwhile.
 *
 * Path:    cmocka -> apply_frames.h -> lib/resolve/apply.c.
 */
#include "apply_frames.h"

#include <pthread.h>

struct watch {
    int stop; /* relaxed: only ends the loop */
    uint64_t n_wrong;
};

static void *watch_words(void *argument)
{
    struct watch *watch = argument;
    while (!__atomic_load_n(&watch->stop, __ATOMIC_RELAXED))
        for (uint32_t i = 0; i < 64; i++) {
            const uint64_t *word = (const void *)(heap + 8 * i);
            uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
            watch->n_wrong += value >> 32 != (value & 0xffffffffu);
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
    struct gravel_apply apply = {heap, NULL, NULL};
    struct gravel_applied applied;
    assert_int_equal(pthread_create(&thread, NULL, watch_words, &watch), 0);
    for (int round = 0; round < 2000; round++)
        gravel_apply_frame(&apply, frame.bytes, &applied);
    __atomic_store_n(&watch.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_int_equal(watch.n_wrong, 0);
}

/* Both words are increased, and the flag, on another page, behind the data. */
#define FLAG (HEAP_BYTES - 8u)

static void *watch_order(void *argument)
{
    struct watch *watch = argument;
    const uint32_t *data = (const void *)heap, *flag = (const void *)(heap + FLAG);
    while (!__atomic_load_n(&watch->stop, __ATOMIC_RELAXED)) {
        uint32_t told = __atomic_load_n(flag, __ATOMIC_ACQUIRE); /* R1 */
        watch->n_wrong += __atomic_load_n(data, __ATOMIC_RELAXED) < told;
    }
    return NULL;
}

static void flag_on_another_page_is_seen_behind_its_data(void **state)
{
    (void)state;
    struct watch watch = {0};
    pthread_t thread;
    begin(2);
    clear_words();
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t inc = GRAVEL_INC | GRAVEL_UINT << 8;
        struct run_place data = frame_add_run(&frame, inc, 0, 1, 4, 4, 0);
        frame_set_u32(&frame, data.indices, 0, 0);
        struct run_place flag = frame_add_run(&frame, inc, FLAG, 1, 4, 4, 0);
        frame_set_u32(&frame, flag.indices, 0, 0);
    }
    struct gravel_apply apply = {heap, NULL, NULL};
    struct gravel_applied applied;
    assert_int_equal(pthread_create(&thread, NULL, watch_order, &watch), 0);
    for (int round = 0; round < 1000; round++)
        gravel_apply_frame(&apply, frame.bytes, &applied);
    __atomic_store_n(&watch.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_int_equal(watch.n_wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_never_seen_torn),
        cmocka_unit_test(flag_on_another_page_is_seen_behind_its_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
