/* SPDX-License-Identifier: MIT */
/*
 * Requests and signals in node buffers: what passes the check.
 *
 * Path:    cmocka -> frame_builder.h -> lib/resolve/decode.c.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_and_signal_passes),
        cmocka_unit_test(places_and_indices_beyond_are_refused),
        cmocka_unit_test(bad_results_and_signals_are_refused),
        cmocka_unit_test(malformed_runs_are_refused),
        cmocka_unit_test(who_cannot_be_asked_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
