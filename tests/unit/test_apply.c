/* SPDX-License-Identifier: MIT */
/*
 * The resolver's loops against a naive interpreter: every operation, type and width, whole and in
 * shards.
 *
 * The interpreter works on the list of messages the test wrote, never on the frame, and calculates
 * in wider integers.
 *
 * Path:    cmocka -> frame_builder.h -> lib/resolve/apply.c.
 */
#include "frame_builder.h"
#include "resolve/apply.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAP_BYTES 65536u
#define LENGTH(array) (sizeof(array) / sizeof *(array))

struct word {
    uint32_t op, type, bytes;
    bool has_value, is_signed, is_real;
};
#define IS_SIGNED(TYPE) (GRAVEL_##TYPE == GRAVEL_INT || GRAVEL_##TYPE == GRAVEL_LONG)
#define IS_REAL(TYPE) (GRAVEL_##TYPE == GRAVEL_FLOAT || GRAVEL_##TYPE == GRAVEL_DOUBLE)
#define WORD_OF(OP, TYPE, has_value)                                 \
    {GRAVEL_##OP, GRAVEL_##TYPE,   GRAVEL_TYPE_BYTES(GRAVEL_##TYPE), \
     has_value,   IS_SIGNED(TYPE), IS_REAL(TYPE)},
static const struct word words[] = {
#define WORD(OP, op, TYPE, type) WORD_OF(OP, TYPE, true)
#define INC_WORD(TYPE, type) WORD_OF(INC, TYPE, false)
    GRAVEL_VALUE_OPERATIONS(WORD) GRAVEL_DOUBLE_OPERATIONS(WORD) GRAVEL_INC_TYPES(INC_WORD)};

/* Heap as gravel_apply_frame leaves it, and as it should be. */
static _Alignas(64) unsigned char heap[HEAP_BYTES];
static _Alignas(64) unsigned char expected[HEAP_BYTES];
static struct frame frame;
static uint64_t seed;

static uint64_t random_next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ---- the interpreter --------------------------------------------------------------------------
 */

__extension__ typedef __int128 wide_integer;

static wide_integer combine(uint32_t op, wide_integer old, wide_integer value)
{
    switch (op) {
    case GRAVEL_PUT:
        return value;
    case GRAVEL_INC:
        return old + 1;
    case GRAVEL_ADD:
        return old + value;
    case GRAVEL_MIN:
        return old < value ? old : value;
    case GRAVEL_MAX:
        return old > value ? old : value;
    case GRAVEL_AND:
        return old & value;
    case GRAVEL_OR:
        return old | value;
    case GRAVEL_XOR:
        return old ^ value;
    default:
        fail_msg("no such operation: %u", op);
        return 0;
    }
}

static wide_integer widen(const struct word *word, uint64_t bits)
{
    if (word->bytes == 4)
        bits &= 0xffffffffu;
    uint64_t sign = 1ull << (8 * word->bytes - 1);
    wide_integer result = bits;
    return word->is_signed && bits & sign ? result - 2 * (wide_integer)sign : result;
}

static uint64_t add_real(const struct word *word, uint64_t a, uint64_t b)
{
    if (word->bytes == 4) {
        float x, y;
        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        x += y;
        memcpy(&a, &x, 4);
    } else {
        double x, y;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        x += y;
        memcpy(&a, &x, 8);
    }
    return a;
}

static void interpret(const struct word *word, uint64_t offset, uint64_t value)
{
    uint64_t old = 0, bits;
    memcpy(&old, expected + offset, word->bytes);
    if (word->is_real)
        bits = word->op == GRAVEL_PUT ? value : add_real(word, old, value);
    else
        bits = (uint64_t)combine(word->op, widen(word, old), widen(word, value));
    memcpy(expected + offset, &bits, word->bytes); /* little-endian: the low bytes */
}

/* ---- building ---------------------------------------------------------------------------------
 */

static void begin(uint64_t a_seed)
{
    seed = a_seed;
    for (uint32_t i = 0; i < HEAP_BYTES; i++)
        heap[i] = (unsigned char)random_next();
    memcpy(expected, heap, HEAP_BYTES);
    frame_begin(&frame, 3, 1, 0);
}

/* Numbers where arithmetic is interesting: the ends of each range, small ones, and any. Finite if
 * real. */
static uint64_t random_value(const struct word *word)
{
    static const uint64_t ends[] = {0,          1,          UINT64_MAX, 1ull << 63, INT64_MAX,
                                    0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x7f800000};
    if (word->is_real) {
        double number = (double)(int64_t)random_next() / 1e9;
        float narrow = (float)number;
        uint64_t bits = 0;
        memcpy(&bits, word->bytes == 4 ? (void *)&narrow : (void *)&number, word->bytes);
        return bits;
    }
    return random_next() % 3 ? random_next() : ends[random_next() % LENGTH(ends)];
}

/* Append a run of n messages to random words among n_words after base, and interpret them. */
static void add_random_run(const struct word *word, bool is_wide, uint64_t base, uint32_t n_words,
                           uint32_t n)
{
    uint32_t command = word->op | word->type << 8 | (is_wide ? 1u << 12 : 0);
    struct run_place place = frame_add_run(&frame, command, is_wide ? 0 : base, n, is_wide ? 8 : 4,
                                           word->bytes, word->has_value);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = (uint32_t)(random_next() % n_words);
        uint64_t offset = base + (uint64_t)index * word->bytes, value = random_value(word);
        if (is_wide)
            frame_set_u64(&frame, place.indices, i, offset);
        else
            frame_set_u32(&frame, place.indices, i, index);
        if (word->has_value && word->bytes == 8)
            frame_set_u64(&frame, place.values, i, value);
        else if (word->has_value)
            frame_set_u32(&frame, place.values, i, (uint32_t)value);
        interpret(word, offset, value);
    }
}

/* Real sums start from numbers, not from random bits that may be no number. */
static void clear_words(void)
{
    memset(heap, 0, sizeof heap);
    memset(expected, 0, sizeof expected);
}

/* Apply the frame in `count` shards, one after the other; the sums over all of them. */
static struct gravel_applied apply_in_shards(uint32_t count, gravel_apply_call *call, void *context)
{
    struct gravel_applied sum = {0};
    void *copy = frame_copy(&frame, frame.n_bytes);
    for (uint32_t i = 0; i < count; i++) {
        struct gravel_apply apply = {heap, {i, count}, call, context};
        struct gravel_applied applied;
        memset(&applied, 0x55, sizeof applied);
        gravel_apply_frame(&apply, copy, &applied);
        sum.n_messages += applied.n_messages;
        sum.n_failed += applied.n_failed;
        if (applied.result) {
            sum.result = applied.result;
            sum.handler = applied.handler;
        }
    }
    assert_memory_equal(copy, frame.bytes, frame.n_bytes);
    free(copy);
    return sum;
}

static void apply_and_compare(uint32_t count)
{
    struct gravel_applied applied = apply_in_shards(count, NULL, NULL);
    assert_int_equal(applied.n_messages, frame_header(&frame)->n_messages);
    assert_int_equal(applied.result, 0);
    assert_int_equal(applied.n_failed, 0);
    if (memcmp(heap, expected, HEAP_BYTES))
        fail_msg("heap differs: seed %llu, %u shards", (unsigned long long)seed, count);
}

/* ---- tests ------------------------------------------------------------------------------------
 */

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
                    apply_and_compare(1);
                }
}

static void shards_together_do_what_one_does(void **state)
{
    (void)state;
    static const uint32_t counts[] = {2, 3, 4, 7, 16, 64, 4096};
    for (size_t i = 0; i < LENGTH(words); i++)
        for (size_t j = 0; j < LENGTH(counts); j++)
            for (int is_wide = 0; is_wide < 2; is_wide++) {
                begin(1 + i * 1000 + j);
                if (words[i].is_real)
                    clear_words();
                uint32_t n = 100 + (uint32_t)(random_next() % 2500);
                add_random_run(&words[i], is_wide, 64, 8000, n);
                apply_and_compare(counts[j]);
            }
}

static void shard_touches_only_its_pages(void **state)
{
    (void)state;
    static const struct word inc = {GRAVEL_INC, GRAVEL_UINT, 4, false, false, false};
    begin(7);
    add_random_run(&inc, false, 128, (HEAP_BYTES - 128) / 4, 15000);
    for (uint32_t count = 2; count < 9; count++)
        for (uint32_t index = 0; index < count; index++) {
            static unsigned char before[HEAP_BYTES];
            struct gravel_apply apply = {heap, {index, count}, NULL, NULL};
            struct gravel_applied applied;
            memcpy(before, heap, HEAP_BYTES);
            gravel_apply_frame(&apply, frame.bytes, &applied);
            for (uint32_t page = 0; page < HEAP_BYTES / 4096; page++)
                assert_int_equal(memcmp(heap + 4096 * page, before + 4096 * page, 4096) != 0,
                                 page % count == index);
        }
}

static void runs_are_applied_in_order(void **state)
{
    (void)state;
    for (uint32_t count = 1; count < 4; count++) {
        begin(99 + count);
        for (int i = 0; i < 300; i++) {
            const struct word *word = &words[random_next() % LENGTH(words)];
            if (word->is_real && word->op != GRAVEL_PUT)
                continue;
            add_random_run(word, random_next() % 2, 4032, 40, 1 + (uint32_t)(random_next() % 20));
        }
        apply_and_compare(count);
    }
}

static void frame_without_runs_does_nothing(void **state)
{
    (void)state;
    begin(5);
    apply_and_compare(1);
    apply_and_compare(2);
}

static void full_frame_is_applied_to_its_last_message(void **state)
{
    (void)state;
    static const struct word inc = {GRAVEL_INC, GRAVEL_ULONG, 8, false, false, false};
    begin(6);
    add_random_run(&inc, false, 0, HEAP_BYTES / 8, 16372);
    assert_int_equal(frame.n_bytes, FRAME_CAPACITY);
    apply_and_compare(1);
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
    apply_in_shards(1, NULL, NULL);
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
    apply_in_shards(1, NULL, NULL);
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
static int record(void *context, uint32_t handler, uint32_t source, const uint64_t args[4])
{
    struct calls *calls = context;
    assert_true(calls->n < 64);
    calls->handler[calls->n] = handler;
    memcpy(calls->args[calls->n], args, sizeof calls->args[0]);
    calls->n_wrong_source += source != 3;
    calls->n++;
    return args[0] % 2 ? -(int)calls->n : 0;
}

static void add_calls(uint32_t handler, uint32_t n_args, uint32_t n, uint64_t first)
{
    struct run_place place =
        frame_add_run(&frame, 9u | n_args << 13 | handler << 16, 0, n, 0, 8, n_args);
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
    struct gravel_applied applied = apply_in_shards(1, record, &calls);
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

static void last_run_of_a_bare_header_is_applied(void **state)
{
    (void)state;
    struct calls calls = {0};
    begin(1);
    add_calls(1, 1, 2, 10);
    add_calls(2, 0, 3, 0);
    assert_int_equal(apply_in_shards(1, record, &calls).n_messages, 5);
    assert_int_equal(calls.n, 5);
}

static void failed_call_is_noted_and_the_rest_is_done(void **state)
{
    (void)state;
    static const struct word put = {GRAVEL_PUT, GRAVEL_ULONG, 8, true, false, false};
    for (uint32_t count = 1; count <= 3; count++) {
        struct calls calls = {0};
        begin(11);
        add_calls(4, 1, 2, 10);
        add_calls(5, 2, 3, 11); /* calls 3, 4 and 5 complain */
        add_calls(6, 1, 1, 10);
        add_random_run(&put, false, 0, 8192, 100);
        add_calls(7, 1, 1, 13); /* so does the last */
        struct gravel_applied applied = apply_in_shards(count, record, &calls);
        assert_int_equal(calls.n, 7);
        assert_int_equal(applied.n_messages, 107);
        assert_int_equal(applied.result, -3);
        assert_int_equal(applied.handler, 5);
        assert_int_equal(applied.n_failed, 4);
        assert_memory_equal(heap, expected, HEAP_BYTES);
    }
}

static void calls_belong_to_shard_zero(void **state)
{
    (void)state;
    struct calls calls = {0};
    begin(1);
    add_calls(1, 2, 10, 10);
    struct gravel_apply apply = {heap, {1, 2}, record, &calls};
    struct gravel_applied applied;
    gravel_apply_frame(&apply, frame.bytes, &applied);
    assert_int_equal(calls.n, 0);
    assert_int_equal(applied.n_messages, 0);
}

/* ---- threads ----------------------------------------------------------------------------------
 */

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
        cmocka_unit_test(every_operation_does_what_it_says),
        cmocka_unit_test(shards_together_do_what_one_does),
        cmocka_unit_test(shard_touches_only_its_pages),
        cmocka_unit_test(runs_are_applied_in_order),
        cmocka_unit_test(frame_without_runs_does_nothing),
        cmocka_unit_test(full_frame_is_applied_to_its_last_message),
        cmocka_unit_test(signed_words_wrap_and_compare_as_signed),
        cmocka_unit_test(put_of_real_keeps_every_bit),
        cmocka_unit_test(calls_get_their_arguments_in_order),
        cmocka_unit_test(last_run_of_a_bare_header_is_applied),
        cmocka_unit_test(failed_call_is_noted_and_the_rest_is_done),
        cmocka_unit_test(calls_belong_to_shard_zero),
        cmocka_unit_test(shards_can_be_applied_at_the_same_time),
        cmocka_unit_test(words_are_never_seen_torn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
