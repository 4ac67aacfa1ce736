/* SPDX-License-Identifier: MIT */
/*
 * Requests and signals in node buffers: what passes the check, what is done, what is answered.
 *
 * Path:    cmocka -> frame_builder.h -> lib/resolve/decode.c, apply.c, requests.c.
 */
#include "frame_builder.h"
#include "resolve/decode.h"
#include "resolve/requests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SOURCE 3u
#define NODE 1u
#define HEAP_BYTES (1u << 16)
#define N 700u /* requests; more than a page of either type */

/* Allocations: words [0, 8192), results [8192, 12288) and signals [12288, 12388). */
#define WORDS 0u
#define RESULTS 8192u
#define SIGNALS 12288u

static struct gravel_heap *books;
static struct frame frame;
static _Alignas(64) unsigned char heap[HEAP_BYTES];

static int set_up(void **state)
{
    (void)state;
    uint64_t a, b, c;
    return gravel_heap_create(&books, 0, HEAP_BYTES) || gravel_heap_alloc(books, 8192, &a) ||
           gravel_heap_alloc(books, 4096, &b) || gravel_heap_alloc(books, 100, &c) || a != WORDS ||
           b != RESULTS || c != SIGNALS;
}

static int tear_down(void **state)
{
    (void)state;
    gravel_heap_destroy(books);
    return 0;
}

/* A frame of one run of requests: message i asks for word i, and its answer goes to place n - 1 - i. */
static struct run_place build(uint32_t command, uint32_t n, uint64_t result, uint64_t signal)
{
    frame_begin(&frame, SOURCE, NODE, 0);
    struct run_place place =
        frame_add_signal_run(&frame, command, WORDS, result, signal, n, 8,
                             GRAVEL_TYPE_BYTES(GRAVELP_COMMAND_TYPE(command)),
                             GRAVELP_COMMAND_OP(command) == GRAVEL_CAS ? 2 : 1);
    for (uint32_t i = 0; i < n; i++)
        frame_set_u64(&frame, place.indices, i, i | (uint64_t)(n - 1 - i) << 32);
    return place;
}

static struct run_place build_put_signal(uint32_t n, uint64_t signal)
{
    frame_begin(&frame, SOURCE, NODE, 0);
    struct run_place place = frame_add_signal_run(
        &frame, GRAVELP_COMMAND(GRAVEL_PUT_SIGNAL, GRAVEL_UINT), WORDS, 0, signal, n, 4, 4, 1);
    for (uint32_t i = 0; i < n; i++) {
        frame_set_u32(&frame, place.indices, i, i);
        frame_set_u32(&frame, place.values, i, i + 1);
    }
    return place;
}

static int call(struct gravel *gravel, void *user, uint32_t source,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)user, (void)source, (void)args;
    return 0;
}

/* ---- the check ------------------------------------------------------------------------------- */

/* Handler i has i arguments; `mute` has none and does not answer. */
static const struct gravel_handler handlers[] = {
    {.name = "nought", .function = call, .n_answers = 1},
    {.name = "one", .n_args = 1, .function = call, .n_answers = 1},
    {.name = "two", .n_args = 2, .function = call, .n_answers = 1},
    {.name = "three", .n_args = 3, .function = call, .n_answers = 1},
    {.name = "mute", .function = call},
};

/* Message i asks, and its answer goes to place n - 1 - i. */
static struct run_place build_ask(uint32_t handler, uint32_t n_args, uint32_t n)
{
    frame_begin(&frame, SOURCE, NODE, 0);
    struct run_place place = frame_add_signal_run(&frame, GRAVELP_COMMAND_ASK(handler, n_args), 0,
                                                  RESULTS, SIGNALS + 4, n, 8, 8, n_args + 1);
    for (uint32_t i = 0; i < n; i++)
        frame_set_u64(&frame, place.indices, i, (uint64_t)(n - 1 - i) << 32);
    return place;
}

static void expect(int code, const char *part)
{
    const struct gravel_expect due = {.source = SOURCE,
                                      .destination = NODE,
                                      .handlers = handlers,
                                      .n_handlers = sizeof handlers / sizeof *handlers};
    struct gravel_refusal refusal;
    void *copy = frame_copy(&frame, frame.n_bytes);
    gravel_heap_lock_shared(books);
    int found = gravel_decode_check(copy, frame.n_bytes, &due, books, &refusal);
    gravel_heap_unlock_shared(books);
    free(copy);
    if (found != code || !strstr(refusal.text, part))
        fail_msg("got %d \"%s\", expected %d \"%s\"", found, refusal.text, code, part);
}

static void every_request_and_signal_passes(void **state)
{
    (void)state;
#define PASSES(OP, op, TYPE, type)                                               \
    build(GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE), 5, RESULTS, SIGNALS + 8); \
    expect(0, "");
#define CAS_PASSES(TYPE, type) PASSES(CAS, cas, TYPE, type)
    GRAVEL_REQUESTS(PASSES)
    GRAVEL_DOUBLE_REQUESTS(PASSES)
    GRAVEL_INC_TYPES(CAS_PASSES)
    build_put_signal(5, SIGNALS);
    expect(0, "");
    build_put_signal(5, GRAVEL_NO_SIGNAL);
    expect(0, "");
}

static void places_and_indices_beyond_are_refused(void **state)
{
    (void)state;
    const uint32_t command = GRAVELP_COMMAND(GRAVEL_FETCH_ADD, GRAVEL_ULONG);
    struct run_place place = build(command, 4, RESULTS, SIGNALS);
    frame_set_u64(&frame, place.indices, 3, 1023);
    expect(0, "");
    frame_set_u64(&frame, place.indices, 3, 1024);
    expect(GRAVEL_ERANGE, "index 1024 of ulong at base 0 is beyond");
    frame_set_u64(&frame, place.indices, 3, UINT64_C(511) << 32);
    expect(0, "");
    frame_set_u64(&frame, place.indices, 3, UINT64_C(512) << 32);
    expect(GRAVEL_ERANGE, "place 512 of ulong at result 8192 is beyond");
    frame_set_u64(&frame, place.indices, 3, UINT64_MAX);
    expect(GRAVEL_ERANGE, "index 4294967295");
}

static void bad_results_and_signals_are_refused(void **state)
{
    (void)state;
    const uint32_t command = GRAVELP_COMMAND(GRAVEL_GET, GRAVEL_ULONG);
    build(command, 4, RESULTS + 4, SIGNALS);
    expect(GRAVEL_ERANGE, "result 8196 of ulong is not a multiple of 8");
    build(command, 4, SIGNALS + 4096, SIGNALS);
    expect(GRAVEL_ERANGE, "result 16384 of ulong is in no allocation");
    build(command, 4, RESULTS, SIGNALS + 2);
    expect(GRAVEL_ERANGE, "signal at 12290 is not a multiple of 4");
    build(command, 4, RESULTS, SIGNALS + 96);
    expect(0, "");
    build(command, 4, RESULTS, SIGNALS + 100);
    expect(GRAVEL_ERANGE, "signal at 12388 is in no allocation");
    build_put_signal(4, UINT64_MAX - 7);
    expect(GRAVEL_ERANGE, "is in no allocation");
}

static void malformed_runs_are_refused(void **state)
{
    (void)state;
    build(GRAVELP_COMMAND(GRAVEL_CAS, GRAVEL_UINT) | GRAVELP_COMMAND_WIDE, 4, RESULTS, SIGNALS);
    expect(GRAVEL_ECORRUPT, "is unknown");
    struct run_place place = build_put_signal(4, SIGNALS);
    frame_set_u64(&frame, place.header, 2, RESULTS);
    expect(GRAVEL_ECORRUPT, "result is 8192 in a run that has none");
    build_put_signal(1, SIGNALS);
    frame.n_bytes = 32 + 24; /* the header is cut off */
    frame_header(&frame)->bytes = frame.n_bytes;
    expect(GRAVEL_ECORRUPT, "do not fit");
}

static void who_cannot_be_asked_is_told(void **state)
{
    (void)state;
    for (uint32_t n_args = 0; n_args <= GRAVEL_ASK_MAX_ARGS; n_args++) {
        build_ask(n_args, n_args, 5);
        expect(0, "");
        build_ask((n_args + 1) % 4, n_args, 5);
        expect(GRAVEL_EHANDLER, "arguments, the message has");
    }
    build_ask(4, 0, 5);
    expect(GRAVEL_EHANDLER, "handler 4 (mute) is asked, and does not answer");
    build_ask(5, 0, 5);
    expect(GRAVEL_EHANDLER, "no handler 5 among 5");
    build_ask(3, 4, 5);
    expect(GRAVEL_ECORRUPT, "is malformed");
    struct run_place place = build_ask(2, 2, 5);
    frame_set_u32(&frame, place.header, 0,
                  GRAVELP_COMMAND_ASK(2, 2) ^ GRAVELP_COMMAND(0, GRAVEL_ULONG ^ GRAVEL_LONG));
    expect(GRAVEL_ECORRUPT, "is malformed");
    place = build_ask(2, 2, 5);
    frame_set_u64(&frame, place.header, 1, 64);
    expect(GRAVEL_ECORRUPT, "base is 64");
    place = build_ask(2, 2, 5);
    frame_set_u64(&frame, place.indices, 3, 7);
    expect(GRAVEL_ECORRUPT, "index is 7 in an active message");
    place = build_ask(2, 2, 5);
    frame_set_u64(&frame, place.indices, 3, UINT64_C(512) << 32);
    expect(GRAVEL_ERANGE, "place 512 of ulong at result 8192 is beyond");
}

/* ---- what is done ---------------------------------------------------------------------------- */

static uint32_t n_replies;
static uint32_t answers[N];

static void take(void *context, const struct gravel_signal_run *run, uint32_t source,
                 const void *requests, const unsigned char *values)
{
    assert_ptr_equal(context, &n_replies);
    assert_int_equal(source, SOURCE);
    assert_int_equal(run->result, RESULTS);
    assert_int_equal(run->signal, SIGNALS + 4);
    n_replies++;
    for (uint32_t i = 0; i < run->run.n_messages; i++)
        memcpy(&answers[gravel_request_at(run->run.command, requests, i).place],
               values + 4 * (size_t)i, 4);
}

static void take_longs(void *context, const struct gravel_signal_run *run, uint32_t source,
                       const void *requests, const unsigned char *values)
{
    assert_ptr_equal(context, &n_replies);
    assert_int_equal(source, SOURCE);
    n_replies++;
    for (uint32_t i = 0; i < run->run.n_messages; i++)
        memcpy(&answers[gravel_request_at(run->run.command, requests, i).place],
               values + 8 * (size_t)i, 4);
}

/* @return messages applied. */
static uint64_t apply(void)
{
    const struct gravel_apply how = {.heap = heap};
    struct gravel_applied applied;
    n_replies = 0;
    gravel_apply_frame(&how, frame.bytes, &applied);
    assert_true(applied.has_signals);
    gravel_requests_finish(frame.bytes, heap, take, &n_replies);
    return applied.n_messages;
}

static uint32_t *word(uint32_t i)
{
    return (uint32_t *)(void *)(heap + WORDS) + i;
}

/* Word i is 10 i before, the value i + 1. */
static void run_op(uint32_t op, uint32_t (*next)(uint32_t old, uint32_t value))
{
    struct run_place place = build(GRAVELP_COMMAND(op, GRAVEL_UINT), N, RESULTS, SIGNALS + 4);
    for (uint32_t i = 0; i < N; i++) {
        *word(i) = 10 * i;
        frame_set_u32(&frame, place.values, i, i + 1);
    }
    assert_int_equal(apply(), N);
    assert_int_equal(n_replies, 1);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(*word(i), next(10 * i, i + 1));
        assert_int_equal(answers[N - 1 - i], 10 * i);
    }
}

static uint32_t next_get(uint32_t old, uint32_t value)
{
    return value ? old : old;
}
static uint32_t next_swap(uint32_t old, uint32_t value)
{
    return old ? value : value;
}
static uint32_t next_add(uint32_t old, uint32_t value)
{
    return old + value;
}
static uint32_t next_max(uint32_t old, uint32_t value)
{
    return old > value ? old : value;
}
static uint32_t next_xor(uint32_t old, uint32_t value)
{
    return old ^ value;
}

static void old_values_are_answered(void **state)
{
    (void)state;
    run_op(GRAVEL_GET, next_get);
    run_op(GRAVEL_SWAP, next_swap);
    run_op(GRAVEL_FETCH_ADD, next_add);
    run_op(GRAVEL_FETCH_MAX, next_max);
    run_op(GRAVEL_FETCH_XOR, next_xor);
}

static void cas_stores_only_what_is_expected(void **state)
{
    (void)state;
    struct run_place place =
        build(GRAVELP_COMMAND(GRAVEL_CAS, GRAVEL_UINT), N, RESULTS, SIGNALS + 4);
    for (uint32_t i = 0; i < N; i++) {
        *word(i) = i;
        frame_set_u32(&frame, place.values, i, 77);
        frame_set_u32(&frame, place.values, N + i, i + i % 2); /* every other one is wrong */
    }
    assert_int_equal(apply(), N);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(*word(i), i % 2 ? i : 77);
        assert_int_equal(answers[N - 1 - i], i);
    }
}

/* Requests of one run that meet in a word see each other, in order. */
static void requests_for_one_word_are_done_in_turn(void **state)
{
    (void)state;
    struct run_place place =
        build(GRAVELP_COMMAND(GRAVEL_FETCH_ADD, GRAVEL_UINT), N, RESULTS, SIGNALS + 4);
    *word(5) = 1000;
    for (uint32_t i = 0; i < N; i++) {
        frame_set_u64(&frame, place.indices, i, 5 | (uint64_t)i << 32);
        frame_set_u32(&frame, place.values, i, 1);
    }
    apply();
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(answers[i], 1000 + i);
    assert_int_equal(*word(5), 1000 + N);
}

static void signals_count_messages_and_wrap(void **state)
{
    (void)state;
    uint32_t *signal = (uint32_t *)(void *)(heap + SIGNALS);
    *signal = UINT32_MAX - 1;
    build_put_signal(9, SIGNALS);
    assert_int_equal(apply(), 9);
    assert_int_equal(*signal, 7);
    assert_int_equal(n_replies, 0);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(*word(i), i + 1);
    build_put_signal(9, GRAVEL_NO_SIGNAL);
    apply();
    assert_int_equal(*signal, 7);
}

/* What stands behind the arguments; nothing of a run that waits. */
static void answers_of_handlers_are_sent(void **state)
{
    (void)state;
    for (uint32_t n_args = 0; n_args <= GRAVEL_ASK_MAX_ARGS; n_args++) {
        struct run_place place = build_ask(n_args, n_args, N);
        for (uint32_t i = 0; i < N; i++)
            frame_set_u64(&frame, place.values, n_args * N + i, 3 * i + n_args);
        n_replies = 0;
        gravel_requests_finish(frame.bytes, heap, take_longs, &n_replies);
        assert_int_equal(n_replies, 1);
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(answers[N - 1 - i], 3 * i + n_args);
        frame_set_u64(&frame, place.header, 2, GRAVEL_ANSWERED_LATER);
        gravel_requests_finish(frame.bytes, heap, take_longs, &n_replies);
        assert_int_equal(n_replies, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_and_signal_passes),
        cmocka_unit_test(places_and_indices_beyond_are_refused),
        cmocka_unit_test(bad_results_and_signals_are_refused),
        cmocka_unit_test(malformed_runs_are_refused),
        cmocka_unit_test(who_cannot_be_asked_is_told),
        cmocka_unit_test(answers_of_handlers_are_sent),
        cmocka_unit_test(old_values_are_answered),
        cmocka_unit_test(cas_stores_only_what_is_expected),
        cmocka_unit_test(requests_for_one_word_are_done_in_turn),
        cmocka_unit_test(signals_count_messages_and_wrap),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
