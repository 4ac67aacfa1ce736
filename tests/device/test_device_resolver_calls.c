/* SPDX-License-Identifier: MIT */
/*
 * What the device resolver gives back: answers of requests and signals, compared with the host's, and active messages
 * that the host runs between the runs around them.
 *
 * usage: test_device_resolver_calls PLATFORM      part of an OpenCL platform's name
 *
 * Path:    meson test -> resolver_ways.h -> lib/resolve/on_device/device_resolver.c, requests.c ->
 *          cl/kernels/resolve.cl
 */
#include "resolver_ways.h"

#include "resolve/requests.h"

/* ---- requests -------------------------------------------------------------------------------- */

/* Requests, each for a word of its own; CAS expects what is there every other time, and a random value else. */
static void add_requests(uint32_t op, uint32_t type, uint32_t n)
{
    uint32_t bytes = GRAVEL_TYPE_BYTES(type), n_values = op == GRAVEL_CAS ? 2 : 1;
    uint64_t region = (uint64_t)type * REGION_BYTES;
    struct run_place place = frame_add_signal_run(&frame, GRAVELP_COMMAND(op, type), region, 0, 64,
                                                  n, 8, bytes, n_values);
    for (uint32_t i = 0; i < n; i++) {
        frame_set_u64(&frame, place.indices, i, (n - 1 - i) | random_next() << 32);
        for (uint32_t row = 0; row < n_values; row++)
            set_value(place.values, row * n + i, type);
        if (op == GRAVEL_CAS && i % 2)
            memcpy(frame.bytes + place.values + (n + i) * bytes,
                   expected + GUARD_BYTES + region + (n - 1 - i) * bytes, bytes);
    }
}

static void keep_answers(void *context, const struct gravel_signal_run *run, uint32_t source,
                         const void *requests, const unsigned char *answers)
{
    (void)context, (void)run, (void)source, (void)requests, (void)answers;
}

/* The answers, in place of the values, are the same; what was expected stays as it is. */
static void apply_and_compare_answers(const char *what)
{
    static struct frame by_host;
    struct gravel_apply apply = {expected + GUARD_BYTES, ignore_call, NULL};
    struct gravel_applied applied;
    by_host = frame;
    gravel_apply_frame(&apply, by_host.bytes, &applied);
    gravel_requests_finish(by_host.bytes, expected + GUARD_BYTES, keep_answers, NULL);
    OK(gravel_device_resolver_apply(resolver, &apply, GUARD_BYTES, frame.bytes, &applied));
    OK(gravel_device_resolver_finish(resolver));
    assert_true(applied.has_signals);
    expect_same(what);
    for (uint32_t i = 0; i < frame.n_bytes; i++)
        if (frame.bytes[i] != by_host.bytes[i])
            fail_msg("%s: byte %u of the frame with answers differs", what, i);
}

static void requests_are_answered_as_by_the_host(void **state)
{
    (void)state;
    static const struct word requests[] = {
#define REQUEST(OP, op, TYPE, type) {#op "_" #type, GRAVEL_##OP, GRAVEL_##TYPE, 1},
#define CAS(TYPE, type) {"cas_" #type, GRAVEL_CAS, GRAVEL_##TYPE, 2},
        GRAVEL_REQUESTS(REQUEST) GRAVEL_DOUBLE_REQUESTS(REQUEST) GRAVEL_INC_TYPES(CAS)};
    static const uint32_t lengths[] = {1, 8, 9, 700};
    for (size_t i = 0; i < LENGTH(requests); i++)
        for (size_t j = 0; j < LENGTH(lengths); j++) {
            begin();
            add_requests(requests[i].op, requests[i].type, lengths[j]);
            apply_and_compare_answers(requests[i].name);
        }
}

/* Answers before and after active messages, which take the frame's place; words and signals in between. */
static void requests_signals_and_calls_keep_their_order(void **state)
{
    (void)state;
    static const struct word add = {"add_uint", GRAVEL_ADD, GRAVEL_UINT, 1};
    begin();
    for (uint32_t i = 0; i < 6; i++) {
        add_requests(GRAVEL_FETCH_ADD, GRAVEL_UINT, 40 + i);
        add_calls(2, 3, 0);
        add_run(&add, false, 40, 100);
        add_requests(GRAVEL_SWAP, GRAVEL_ULONG, 5 + 20 * i);
        struct run_place place = frame_add_signal_run(
            &frame, GRAVELP_COMMAND(GRAVEL_PUT_SIGNAL, GRAVEL_FLOAT), GRAVEL_FLOAT * REGION_BYTES,
            0, i % 3 ? 4 * REGION_BYTES - 4 * i : GRAVEL_NO_SIGNAL, 20, 4, 4, 1);
        for (uint32_t k = 0; k < 20; k++)
            frame_set_u32(&frame, place.indices, k, k);
    }
    apply_and_compare_answers("requests among others");
}

/* ---- active messages ------------------------------------------------------------------------- */

/* What handlers saw. */
struct calls {
    uint32_t n;
    uint64_t args[64], words[64];
    uint32_t n_wrong;
};

/* Notes the first ulong of the heap. Complains of odd arguments, with the number of the call. */
static int look(void *context, uint32_t handler, uint32_t source, const uint64_t args[4],
                uint64_t *answer)
{
    struct calls *calls = context;
    assert_true(calls->n < LENGTH(calls->args));
    calls->n_wrong += source != 3 || args[1] || args[2] || args[3] || handler != 5 + args[0] / 10;
    calls->args[calls->n] = args[0];
    OK(clEnqueueReadBuffer(device.queue, arena, CL_TRUE, GUARD_BYTES + GRAVEL_ULONG * REGION_BYTES,
                           8, &calls->words[calls->n], 0, NULL, NULL));
    calls->n++;
    *answer = 0;
    return args[0] % 2 ? (int)calls->n : 0;
}

static struct gravel_applied apply_with(struct calls *calls)
{
    struct gravel_apply apply = {.call = look, .context = calls};
    struct gravel_applied applied;
    OK(gravel_device_resolver_apply(resolver, &apply, GUARD_BYTES, frame.bytes, &applied));
    OK(gravel_device_resolver_finish(resolver));
    assert_int_equal(calls->n_wrong, 0);
    return applied;
}

static void calls_come_between_the_runs_around_them(void **state)
{
    (void)state;
    static const struct word inc = {"inc_ulong", GRAVEL_INC, GRAVEL_ULONG, 0};
    struct calls calls = {.n = 0};
    uint64_t start;
    begin();
    memcpy(&start, expected + GUARD_BYTES + GRAVEL_ULONG * REGION_BYTES, 8);
    add_calls(5, 2, 0);
    add_run(&inc, false, 1, 100);
    add_run(&inc, true, 1, 3);
    add_calls(6, 3, 12);
    add_calls(7, 1, 20);
    add_run(&inc, false, 1, 1000);
    add_calls(8, 1, 31);
    struct gravel_applied applied = apply_with(&calls);
    static const uint64_t args[] = {0, 1, 12, 13, 14, 20, 31};
    static const uint64_t counts[] = {0, 0, 103, 103, 103, 103, 1103};
    assert_int_equal(calls.n, LENGTH(args));
    for (size_t i = 0; i < LENGTH(args); i++) {
        assert_int_equal(calls.args[i], args[i]);
        assert_int_equal(calls.words[i], start + counts[i]);
    }
    assert_int_equal(applied.n_messages, 1103 + LENGTH(args));
    assert_int_equal(applied.n_failed, 3);
    assert_int_equal(applied.result, 2);
    assert_int_equal(applied.handler, 5);
}

static void frame_of_calls_alone_runs_them(void **state)
{
    (void)state;
    struct calls calls = {.n = 0};
    begin();
    add_calls(6, 10, 10);
    assert_int_equal(apply_with(&calls).n_messages, 10);
    assert_int_equal(calls.n, 10);
    expect_same("calls alone");
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[] = {
        TEST(requests_are_answered_as_by_the_host),
        TEST(requests_signals_and_calls_keep_their_order),
        TEST(calls_come_between_the_runs_around_them),
        TEST(frame_of_calls_alone_runs_them),
    };
    return run_in_ways(argc, argv, tests, LENGTH(tests), every_way, LENGTH(every_way));
}
