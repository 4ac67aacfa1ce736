/* SPDX-License-Identifier: MIT */
/*
 * Words that the device resolver changes, compared with gravel_apply_frame on host memory: every operation, type and
 * width with many messages a word, in each way a device can need it; and calls of OpenCL that fail.
 *
 * usage: test_device_resolver PLATFORM      part of an OpenCL platform's name
 *
 * Path:    meson test -> resolver_ways.h -> lib/resolve/on_device/device_resolver.c, on_device/runs.c ->
 *          cl/kernels/resolve.cl
 */
#include "resolver_ways.h"

static const struct word words[] = {
#define WORD(OP, op, TYPE, type) {#op "_" #type, GRAVEL_##OP, GRAVEL_##TYPE, 1},
#define INC_WORD(TYPE, type) {"inc_" #type, GRAVEL_INC, GRAVEL_##TYPE, 0},
    GRAVEL_VALUE_OPERATIONS(WORD) GRAVEL_DOUBLE_OPERATIONS(WORD) GRAVEL_INC_TYPES(INC_WORD)};

static void apply_and_compare(const char *what)
{
    struct gravel_apply apply = {expected + GUARD_BYTES, ignore_call, NULL};
    struct gravel_applied by_host, by_device;
    gravel_apply_frame(&apply, frame.bytes, &by_host);
    apply.heap = NULL;
    OK(gravel_device_resolver_apply(resolver, &apply, GUARD_BYTES, frame.bytes, &by_device));
    memset(frame.bytes, 0x5a, sizeof frame.bytes); /* nobody looks at it now */
    OK(gravel_device_resolver_finish(resolver));
    assert_int_equal(by_device.n_messages, by_host.n_messages);
    assert_int_equal(by_device.n_failed, 0);
    expect_same(what);
}

static void every_operation_does_what_the_host_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(words); i++)
        for (int is_wide = 0; is_wide < 2; is_wide++) {
            begin();
            add_run(&words[i], is_wide, N_WORDS, N_MESSAGES);
            apply_and_compare(words[i].name);
        }
}

static void runs_of_any_length_are_applied(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {1, 2, 8, 9, 255, 256, 257, 511, 513, 1000};
    static const uint32_t ops[] = {GRAVEL_PUT, GRAVEL_INC};
    for (size_t i = 0; i < LENGTH(words); i++)
        for (size_t j = 0; j < LENGTH(lengths); j++)
            for (size_t k = 0; k < LENGTH(ops); k++)
                if (words[i].op == ops[k]) {
                    begin();
                    add_run(&words[i], random_next() % 2, 1 + lengths[j] / 3, lengths[j]);
                    apply_and_compare(words[i].name);
                }
}

/* Whether a run of so many messages goes with its kernel's launch. */
static bool is_given(const struct word *word, int is_wide, uint32_t n)
{
    const uint32_t wide_word = GRAVEL_TYPE_BYTES(word->type) == 8;
    const uint32_t message = (is_wide ? 8 : 4) + word->n_values * (wide_word ? 8 : 4);
    return !way_now->is_serial && word->op != GRAVEL_PUT && n > 8 && n * message + 96 < 2560 &&
           !(wide_word && way_now->hides_int64_atomics);
}

static void a_short_frame_goes_with_the_launch(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {9, 64, 100, 300};
    for (size_t i = 0; i < LENGTH(words); i++)
        for (size_t j = 0; j < LENGTH(lengths); j++)
            for (int is_wide = 0; is_wide < 2; is_wide++) {
                begin();
                add_run(&words[i], is_wide, 7, lengths[j]);
                const unsigned before = n_writes;
                apply_and_compare(words[i].name);
                if (n_writes - before == is_given(&words[i], is_wide, lengths[j]))
                    fail_msg("%s, %u messages, wide %d: %u uploads", words[i].name, lengths[j],
                             is_wide, n_writes - before);
            }
}

static void runs_are_applied_in_order(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        begin();
        for (int i = 0; i < 40; i++) {
            const struct word *word = &words[random_next() % LENGTH(words)];
            add_run(word, random_next() % 2, 5, 1 + (uint32_t)(random_next() % 40));
            if (i % 7 == 3)
                add_calls(2, 1 + (uint32_t)i, 0);
        }
        apply_and_compare("mixed runs");
    }
}

static void last_put_to_a_word_wins(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(words); i++)
        for (uint32_t n_words = 1; words[i].op == GRAVEL_PUT && n_words <= N_MESSAGES;
             n_words *= 4) {
            begin();
            add_run(&words[i], n_words % 3, n_words, N_MESSAGES);
            add_run(&words[i], !(n_words % 3), n_words, 500);
            apply_and_compare(words[i].name);
        }
}

static void puts_to_words_of_their_own_are_all_stored(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(words); i++)
        for (int is_wide = 0; words[i].op == GRAVEL_PUT && is_wide < 2; is_wide++) {
            begin();
            add_run(&words[i], is_wide, 0, N_MESSAGES);
            apply_and_compare(words[i].name);
        }
}

/* Work-items on different cores meet at one word. */
static void sums_of_reals_on_one_word_lose_nothing(void **state)
{
    (void)state;
    static const struct word add = {"add_float", GRAVEL_ADD, GRAVEL_FLOAT, 1};
    for (int round = 0; round < 50; round++) {
        begin();
        add_run(&add, false, 1, (FRAME_CAPACITY - 48) / 8);
        apply_and_compare(add.name);
    }
}

static void put_of_reals_keeps_every_bit(void **state)
{
    (void)state;
    static const uint64_t patterns[] = {0x7ff8000000000001u, 0xfff0000000000000u,
                                        0x8000000000000000u, 0x7ff0dead0000beefu, 1u};
    for (uint32_t n = 5; n <= 500; n *= 10)
        for (uint32_t type = GRAVEL_FLOAT; type <= GRAVEL_DOUBLE; type++) {
            uint32_t bytes = GRAVEL_TYPE_BYTES(type);
            begin();
            struct run_place place =
                frame_add_run(&frame, GRAVELP_COMMAND(GRAVEL_PUT, type), 64, n, 4, bytes, 1);
            for (uint32_t i = 0; i < n; i++) {
                uint64_t bits = patterns[i % 5] >> (bytes == 4 ? 32 : 0) | (i % 5 == 4);
                frame_set_u32(&frame, place.indices, i, i);
                memcpy(frame.bytes + place.values + bytes * i, &bits, bytes);
            }
            apply_and_compare("bits of reals");
        }
}

static void full_frame_is_applied_to_its_last_message(void **state)
{
    (void)state;
    static const struct word inc = {"inc_ulong", GRAVEL_INC, GRAVEL_ULONG, 0};
    static const struct word put = {"put_uint", GRAVEL_PUT, GRAVEL_UINT, 1};
    begin();
    add_run(&inc, false, REGION_BYTES / 8, (FRAME_CAPACITY - 48) / 4);
    assert_int_equal(frame.n_bytes, FRAME_CAPACITY);
    apply_and_compare(inc.name);
    begin();
    add_run(&put, false, 0, (FRAME_CAPACITY - 48) / 8);
    assert_int_equal(frame.n_bytes, FRAME_CAPACITY);
    apply_and_compare(put.name);
}

/* More than there are berths; where frames are pinned, every third is said not to be. */
static void frames_in_a_row_are_applied_in_order(void **state)
{
    (void)state;
    static const struct word put = {"put_uint", GRAVEL_PUT, GRAVEL_UINT, 1};
    struct gravel_apply by_host = {expected + GUARD_BYTES, ignore_call, NULL};
    struct gravel_apply by_device = {NULL, ignore_call, NULL};
    struct gravel_applied applied;
    begin();
    for (uint32_t i = 0; i < 23; i++) {
        frame_begin(&frame, 3, 1, 0);
        add_run(&put, false, N_WORDS, N_MESSAGES / 2);
        add_run(&put, true, N_WORDS, 1 + i);
        gravel_apply_frame(&by_host, frame.bytes, &applied);
        memory.own.bytes = i % 3 == 2 ? 0 : sizeof frame.bytes;
        OK(gravel_device_resolver_apply(resolver, &by_device, GUARD_BYTES, frame.bytes, &applied));
        memset(frame.bytes, 0x5a, sizeof frame.bytes);
    }
    memory.own.bytes = sizeof frame.bytes;
    OK(gravel_device_resolver_finish(resolver));
    expect_same("frames in a row");
}

static void longer_frame_is_refused_and_not_applied(void **state)
{
    (void)state;
    struct gravel_apply apply = {.heap = NULL};
    struct gravel_applied applied;
    begin();
    add_run(&words[0], false, N_WORDS, 10);
    frame_header(&frame)->bytes = FRAME_CAPACITY + 8;
    assert_int_equal(
        gravel_device_resolver_apply(resolver, &apply, GUARD_BYTES, frame.bytes, &applied),
        GRAVEL_EINVAL);
    assert_int_equal(applied.n_messages, 0);
    expect_same("refused frame");
}

static void frame_without_runs_does_nothing(void **state)
{
    (void)state;
    begin();
    apply_and_compare("no runs");
}

static void failed_enqueue_is_told_and_the_resolver_works_on(void **state)
{
    const struct way *way = *state;
    static const struct word put = {"put_uint", GRAVEL_PUT, GRAVEL_UINT, 1};
    struct gravel_apply apply = {.heap = NULL};
    struct gravel_applied applied;
    for (unsigned step = 1; step <= (way->is_serial ? 2 : 4); step++) {
        begin();
        add_run(&put, false, N_WORDS, 100);
        calls_until_failure = step;
        assert_int_equal(
            gravel_device_resolver_apply(resolver, &apply, GUARD_BYTES, frame.bytes, &applied),
            GRAVEL_ECL);
        assert_int_equal(calls_until_failure, 0);
        assert_int_equal(applied.n_messages, 0);
        OK(gravel_device_resolver_finish(resolver));
        expect_same("failed enqueue");
    }
    apply_and_compare("after failures");
}

static cl_uint arena_references(void)
{
    cl_uint n = 0;
    OK(clGetMemObjectInfo(arena, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL));
    return n;
}

/* PoCL tells that a command has ended before it lets go of what the command held. */
static void expect_references(cl_uint n)
{
    for (int i = 0; i < 5000 && arena_references() != n; i++)
        usleep(1000);
    assert_int_equal(arena_references(), n);
}

static void failed_creation_leaves_nothing(void **state)
{
    const struct way *way = *state;
    cl_uint references = arena_references();
    /* The calls are nearly alike in the ways that are not serial: each way takes other ones. */
    const unsigned stride = way->is_serial ? 1 : 12;
    unsigned step = way->is_serial ? 1 : 1 + 3 * (unsigned)(way - &every_way[1]);
    for (;; step += stride) {
        struct gravel_device_resolver *other = (void *)1;
        calls_until_failure = step;
        int code = create(way, &other);
        bool has_failed = calls_until_failure == 0;
        calls_until_failure = 0;
        if (!has_failed) {
            OK(code);
            gravel_device_resolver_destroy(other);
            break;
        }
        assert_int_equal(code, strstr(gravel_last_error(), ": a buffer of ") ? GRAVEL_ENOMEM
                                                                             : GRAVEL_ECL);
        assert_null(other);
        expect_references(references);
    }
    assert_true(step > (way->is_serial ? 12 : 13)); /* queue, buffers, mapping, kernels, warm-up */
    expect_references(references);
    gravel_device_resolver_destroy(NULL);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[] = {
        TEST(every_operation_does_what_the_host_does),
        TEST(sums_of_reals_on_one_word_lose_nothing),
        TEST(runs_of_any_length_are_applied),
        TEST(a_short_frame_goes_with_the_launch),
        TEST(runs_are_applied_in_order),
        TEST(last_put_to_a_word_wins),
        TEST(puts_to_words_of_their_own_are_all_stored),
        TEST(put_of_reals_keeps_every_bit),
        TEST(full_frame_is_applied_to_its_last_message),
        TEST(frames_in_a_row_are_applied_in_order),
        TEST(longer_frame_is_refused_and_not_applied),
        TEST(frame_without_runs_does_nothing),
        TEST(failed_enqueue_is_told_and_the_resolver_works_on),
        TEST(failed_creation_leaves_nothing),
    };
    return run_in_ways(argc, argv, tests, LENGTH(tests), every_way, LENGTH(every_way));
}
