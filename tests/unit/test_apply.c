/* SPDX-License-Identifier: MIT */
/*
 * The resolver's loops against a naive interpreter: every operation, type and width.
 *
 * Path:    cmocka -> apply_frames.h -> lib/resolve/apply.c.
 */
#include "apply_frames.h"

static void every_operation_does_what_it_says(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 31, 32, 33, 64, 65, 1000, 2500};
    for (size_t i = 0; i < LENGTH(words); i++)
        for (size_t j = 0; j < LENGTH(counts); j++)
            for (int is_wide = 0; is_wide < 2; is_wide++)
                for (uint32_t n_words = 1; n_words <= 1000; n_words *= 10) {
                    begin(1 + i * 1000 + j);
                    if (words[i].is_real)
                        clear_words();
                    add_random_run(&words[i], is_wide, 4096, n_words, counts[j]);
                    apply_and_compare();
                }
}

static void runs_are_applied_in_order(void **state)
{
    (void)state;
    for (uint64_t a_seed = 100; a_seed < 103; a_seed++) {
        begin(a_seed);
        for (int i = 0; i < 300; i++) {
            const struct word *word = &words[random_next() % LENGTH(words)];
            if (word->is_real && word->op != GRAVEL_PUT)
                continue;
            add_random_run(word, random_next() % 2, 4032, 40, 1 + (uint32_t)(random_next() % 20));
        }
        apply_and_compare();
    }
}

static void frame_without_runs_does_nothing(void **state)
{
    (void)state;
    begin(5);
    apply_and_compare();
}

static void full_frame_is_applied_to_its_last_message(void **state)
{
    (void)state;
    static const struct word inc = {GRAVEL_INC, GRAVEL_ULONG, 8, false, false, false};
    begin(6);
    add_random_run(&inc, false, 0, HEAP_BYTES / 8, 16372);
    assert_int_equal(frame.n_bytes, FRAME_CAPACITY);
    apply_and_compare();
}

static void signed_words_wrap_and_compare_as_signed(void **state)
{
    (void)state;
    begin(1);
    clear_words();
    int32_t start[4] = {INT32_MAX, INT32_MIN, 5, 5};
    memcpy(heap, start, sizeof start);
    static const uint32_t ops[] = {GRAVEL_ADD, GRAVEL_ADD, GRAVEL_MIN, GRAVEL_MAX};
    static const int32_t values[] = {1, -1, -7, -7};
    for (uint32_t i = 0; i < 4; i++) {
        struct run_place place = frame_add_run(&frame, ops[i], 0, 1, 4, 4, 1);
        frame_set_u32(&frame, place.indices, 0, i);
        frame_set_u32(&frame, place.values, 0, (uint32_t)values[i]);
    }
    apply_frame(NULL, NULL);
    memcpy(start, heap, sizeof start);
    assert_int_equal(start[0], INT32_MIN);
    assert_int_equal(start[1], INT32_MAX);
    assert_int_equal(start[2], -7);
    assert_int_equal(start[3], 5);
}

static void put_of_real_keeps_every_bit(void **state)
{
    (void)state;
    static const uint64_t patterns[] = {0x7ff8000000000001u, 0xfff0000000000000u,
                                        0x8000000000000000u, 0x7ff0dead0000beefu, 1u};
    begin(1);
    struct run_place place = frame_add_run(&frame, 1u | 5u << 8, 8, LENGTH(patterns), 4, 8, 1);
    for (uint32_t i = 0; i < LENGTH(patterns); i++) {
        frame_set_u32(&frame, place.indices, i, i);
        frame_set_u64(&frame, place.values, i, patterns[i]);
    }
    apply_frame(NULL, NULL);
    assert_memory_equal(heap + 8, patterns, sizeof patterns);
}

/* What handlers were called with, in order. */
struct calls {
    uint32_t n;
    uint32_t handler[64];
    uint64_t args[64][4];
    uint32_t n_wrong_source;
};

/* Complains where the first argument is odd, with the number of the call. */
static int record(void *context, uint32_t handler, uint32_t source, const uint64_t args[4],
                  uint64_t *answer)
{
    struct calls *calls = context;
    assert_true(calls->n < 64);
    calls->handler[calls->n] = handler;
    memcpy(calls->args[calls->n], args, sizeof calls->args[0]);
    calls->n_wrong_source += source != 3;
    *answer = (args[0] << 32) + 70 + handler;
    calls->n++;
    return args[0] % 2 ? -(int)calls->n : 0;
}

static void add_calls(uint32_t handler, uint32_t n_args, uint32_t n, uint64_t first)
{
    struct run_place place =
        frame_add_run(&frame, GRAVELP_COMMAND_AM(handler, n_args), 0, n, 0, 8, n_args);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t row = 0; row < n_args; row++)
            frame_set_u64(&frame, place.values, row * n + i, first + 2 * i + 1000 * row);
}

static void calls_get_their_arguments_in_order(void **state)
{
    (void)state;
    begin(1);
    for (uint32_t n_args = 0; n_args <= 4; n_args++)
        add_calls(65534 - n_args, n_args, n_args + 1, 10);
    struct calls calls = {0};
    struct gravel_applied applied = apply_frame(record, &calls);
    assert_int_equal(calls.n, 15);
    assert_int_equal(applied.n_messages, 15);
    assert_int_equal(applied.result, 0);
    assert_int_equal(calls.n_wrong_source, 0);
    for (uint32_t n_args = 0, call = 0; n_args <= 4; n_args++)
        for (uint32_t i = 0; i <= n_args; i++, call++) {
            assert_int_equal(calls.handler[call], 65534 - n_args);
            for (uint32_t row = 0; row < 4; row++)
                assert_int_equal(calls.args[call][row], row < n_args ? 10 + 2 * i + 1000 * row : 0);
        }
    assert_memory_equal(heap, expected, HEAP_BYTES);
}

/* In the row behind the arguments'; an active message has none. */
static void answers_take_their_row(void **state)
{
    (void)state;
    struct calls calls = {0};
    begin(1);
    const struct run_place asks =
        frame_add_signal_run(&frame, GRAVELP_COMMAND_ASK(9, 2), 0, 8, GRAVEL_NO_SIGNAL, 3, 8, 8, 3);
    for (uint32_t i = 0; i < 3; i++) {
        frame_set_u64(&frame, asks.values, i, 2 * i);
        frame_set_u64(&frame, asks.values, 3 + i, 100 + i);
    }
    const struct gravel_apply apply = {heap, record, &calls};
    struct gravel_applied applied;
    gravel_apply_frame(&apply, frame.bytes, &applied);
    assert_int_equal(calls.n, 3);
    assert_true(applied.has_signals);
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t *rows = (const uint64_t *)(const void *)(frame.bytes + asks.values);
        assert_int_equal(calls.args[i][1], 100 + i);
        assert_int_equal(rows[i], 2 * i);
        assert_int_equal(rows[6 + i], ((uint64_t)(2 * i) << 32) + 79);
    }
}

static void last_run_of_a_bare_header_is_applied(void **state)
{
    (void)state;
    struct calls calls = {0};
    begin(1);
    add_calls(1, 1, 2, 10);
    add_calls(2, 0, 3, 0);
    assert_int_equal(apply_frame(record, &calls).n_messages, 5);
    assert_int_equal(calls.n, 5);
}

static void failed_call_is_noted_and_the_rest_is_done(void **state)
{
    (void)state;
    static const struct word put = {GRAVEL_PUT, GRAVEL_ULONG, 8, true, false, false};
    struct calls calls = {0};
    begin(11);
    add_calls(4, 1, 2, 10);
    add_calls(5, 2, 3, 11); /* calls 3, 4 and 5 complain */
    add_calls(6, 1, 1, 10);
    add_random_run(&put, false, 0, 8192, 100);
    add_calls(7, 1, 1, 13); /* so does the last */
    struct gravel_applied applied = apply_frame(record, &calls);
    assert_int_equal(calls.n, 7);
    assert_int_equal(applied.n_messages, 107);
    assert_int_equal(applied.result, -3);
    assert_int_equal(applied.handler, 5);
    assert_int_equal(applied.n_failed, 4);
    assert_memory_equal(heap, expected, HEAP_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_does_what_it_says),
        cmocka_unit_test(runs_are_applied_in_order),
        cmocka_unit_test(frame_without_runs_does_nothing),
        cmocka_unit_test(full_frame_is_applied_to_its_last_message),
        cmocka_unit_test(signed_words_wrap_and_compare_as_signed),
        cmocka_unit_test(put_of_real_keeps_every_bit),
        cmocka_unit_test(calls_get_their_arguments_in_order),
        cmocka_unit_test(answers_take_their_row),
        cmocka_unit_test(last_run_of_a_bare_header_is_applied),
        cmocka_unit_test(failed_call_is_noted_and_the_rest_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
