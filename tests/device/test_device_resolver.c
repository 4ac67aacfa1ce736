/* SPDX-License-Identifier: MIT */
/*
 * Frames applied by the device, compared with gravel_apply_frame on host memory: every operation,
 * type and width with many messages a word, in each way a device can need it.
 *
 * usage: test_device_resolver PLATFORM      part of an OpenCL platform's name
 *
 * Path:    meson test -> frame_builder.h -> lib/resolve/device_resolver.c, device_runs.c ->
 * cl/resolve.cl Note:    the linker wraps OpenCL calls, to take abilities away and to let calls
 * fail.
 */
#include "../unit/frame_builder.h"
#include "resolve/device_resolver.h"
#include "resolve/requests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/select.h"
#include "wrapped_opencl.h"

#define SKIPPED 77
#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define OK(call) assert_int_equal(call, 0)

/* The arena: guard, heap, guard. In the heap each type has its own words, so that those of reals
 * stay exact. */
#define GUARD_BYTES 4096u
#define REGION_BYTES 131072u
#define HEAP_BYTES (6u * REGION_BYTES)
#define ARENA_BYTES (GUARD_BYTES + HEAP_BYTES + GUARD_BYTES)
#define N_WORDS 97u
#define N_MESSAGES 3000u

/* ---- the device, and frames applied both ways ----------------------------------------- */

/* A way to apply, as the device's abilities make the resolver choose it. */
struct way {
    bool is_serial, hides_int64_atomics, hides_double, is_pinned;
};

static struct gravel_device device; /* as it is */
static struct gravel_memory memory; /* says that frame is pinned */
static struct gravel_device_resolver *resolver;
static cl_mem arena;
static struct frame frame;
static _Alignas(64) unsigned char expected[ARENA_BYTES], found[ARENA_BYTES];
static uint64_t seed = 1;

static uint64_t random_next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static int create(const struct way *way, struct gravel_device_resolver **out)
{
    static struct gravel_device less; /* the resolver keeps a pointer */
    less = device;
    less.capability.is_cpu = way->is_serial;
    less.capability.has_double = device.capability.has_double && !way->hides_double;
    hides_int64_atomics = way->hides_int64_atomics;
    int code = gravel_device_resolver_create(out, &less, arena, FRAME_CAPACITY, NULL);
    hides_int64_atomics = false;
    return code;
}

static int open_resolver(void **state)
{
    const struct way *way = *state;
    int code = create(way, &resolver);
    if (code)
        print_error("%s\n", gravel_last_error());
    memory = (struct gravel_memory){.own = {.begin = frame.bytes, .bytes = sizeof frame.bytes}};
    if (!code && way->is_pinned)
        gravel_device_resolver_use_pinned(resolver, &memory, 64);
    return code;
}

static int close_resolver(void **state)
{
    (void)state;
    gravel_device_resolver_destroy(resolver);
    resolver = NULL;
    return 0;
}

/* Random words; zeros where reals stand. An empty frame. */
static void begin(void)
{
    for (uint32_t i = 0; i < ARENA_BYTES; i++)
        expected[i] = (unsigned char)random_next();
    memset(expected + GUARD_BYTES + GRAVEL_FLOAT * REGION_BYTES, 0, 2 * REGION_BYTES);
    OK(clEnqueueWriteBuffer(device.queue, arena, CL_TRUE, 0, ARENA_BYTES, expected, 0, NULL, NULL));
    frame_begin(&frame, 3, 1, 0);
}

static void read_arena(void)
{
    OK(clEnqueueReadBuffer(device.queue, arena, CL_TRUE, 0, ARENA_BYTES, found, 0, NULL, NULL));
}

static void expect_same(const char *what)
{
    read_arena();
    for (uint32_t i = 0; i < ARENA_BYTES; i += 8)
        if (memcmp(found + i, expected + i, 8))
            fail_msg("%s: byte %u of the heap (or of its guards) and the next 7 differ", what,
                     i - GUARD_BYTES);
}

static int ignore_call(void *context, uint32_t handler, uint32_t source, const uint64_t args[4])
{
    (void)context, (void)handler, (void)source, (void)args;
    return 0;
}

static void apply_and_compare(const char *what)
{
    struct gravel_apply apply = {expected + GUARD_BYTES, {0, 1}, ignore_call, NULL};
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

/* ---- runs ----------------------------------------------------------------------------- */

static const struct word {
    const char *name;
    uint32_t op, type, n_values;
} words[] = {
#define WORD(OP, op, TYPE, type) {#op "_" #type, GRAVEL_##OP, GRAVEL_##TYPE, 1},
#define INC_WORD(TYPE, type) {"inc_" #type, GRAVEL_INC, GRAVEL_##TYPE, 0},
    GRAVEL_VALUE_OPERATIONS(WORD) GRAVEL_DOUBLE_OPERATIONS(WORD) GRAVEL_INC_TYPES(INC_WORD)};

/* Small and whole if real, so that sums are exact in any order; else any, also the ends of the
 * range. */
static void set_value(uint32_t at, uint32_t i, uint32_t type)
{
    float small = (float)(random_next() % 64);
    double wide = small;
    uint64_t bits = random_next() % 4 ? random_next() : random_next() % 3 - 1;
    const void *value = type == GRAVEL_FLOAT    ? (const void *)&small
                        : type == GRAVEL_DOUBLE ? (const void *)&wide
                                                : &bits;
    memcpy(frame.bytes + at + i * GRAVEL_TYPE_BYTES(type), value, GRAVEL_TYPE_BYTES(type));
}

/* Append n messages to random ones of the type's first n_words words; n_words 0: each to a word of
 * its own. */
static void add_run(const struct word *word, bool is_wide, uint32_t n_words, uint32_t n)
{
    uint32_t bytes = GRAVEL_TYPE_BYTES(word->type);
    uint64_t region = (uint64_t)word->type * REGION_BYTES;
    uint32_t command = GRAVEL_COMMAND(word->op, word->type) | (is_wide ? GRAVEL_COMMAND_WIDE : 0);
    struct run_place place = frame_add_run(&frame, command, is_wide ? 0 : region, n,
                                           is_wide ? 8 : 4, bytes, word->n_values);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = n_words ? (uint32_t)(random_next() % n_words) : n - 1 - i;
        if (is_wide)
            frame_set_u64(&frame, place.indices, i, region + (uint64_t)index * bytes);
        else
            frame_set_u32(&frame, place.indices, i, index);
        if (word->n_values)
            set_value(place.values, i, word->type);
    }
}

static void add_calls(uint32_t handler, uint32_t n, uint64_t first)
{
    struct run_place place = frame_add_run(&frame, GRAVEL_COMMAND_AM(handler, 1), 0, n, 0, 8, 1);
    for (uint32_t i = 0; i < n; i++)
        frame_set_u64(&frame, place.values, i, first + i);
}

/* ---- tests ---------------------------------------------------------------------------- */

static void every_operation_does_what_the_host_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(words); i++)
        for (int is_wide = 0; is_wide < 2; is_wide++) {
            /* Each double is a trip to the device and back if it has none. */
            bool is_slow = words[i].type == GRAVEL_DOUBLE && words[i].op == GRAVEL_ADD;
            begin();
            add_run(&words[i], is_wide, N_WORDS, is_slow ? 500 : N_MESSAGES);
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
                frame_add_run(&frame, GRAVEL_COMMAND(GRAVEL_PUT, type), 64, n, 4, bytes, 1);
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
    struct gravel_apply by_host = {expected + GUARD_BYTES, {0, 1}, ignore_call, NULL};
    struct gravel_apply by_device = {NULL, {0, 1}, ignore_call, NULL};
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
    struct gravel_apply apply = {.shard = {0, 1}};
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

/* Requests, each for a word of its own; CAS expects what is there every other time, and a random value else. */
static void add_requests(uint32_t op, uint32_t type, uint32_t n)
{
    uint32_t bytes = GRAVEL_TYPE_BYTES(type), n_values = op == GRAVEL_CAS ? 2 : 1;
    uint64_t region = (uint64_t)type * REGION_BYTES;
    struct run_place place =
        frame_add_signal_run(&frame, GRAVEL_COMMAND(op, type), region, 0, 64, n, 8, bytes, n_values);
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
                         const uint64_t *requests, const unsigned char *answers)
{
    (void)context, (void)run, (void)source, (void)requests, (void)answers;
}

/* The answers, in place of the values, are the same; what was expected stays as it is. */
static void apply_and_compare_answers(const char *what)
{
    static struct frame by_host;
    struct gravel_apply apply = {expected + GUARD_BYTES, {0, 1}, ignore_call, NULL};
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
        struct run_place place =
            frame_add_signal_run(&frame, GRAVEL_COMMAND(GRAVEL_PUT_SIGNAL, GRAVEL_FLOAT),
                                 GRAVEL_FLOAT * REGION_BYTES, 0,
                                 i % 3 ? 4 * REGION_BYTES - 4 * i : GRAVEL_NO_SIGNAL, 20, 4, 4, 1);
        for (uint32_t k = 0; k < 20; k++)
            frame_set_u32(&frame, place.indices, k, k);
    }
    apply_and_compare_answers("requests among others");
}

static void frame_without_runs_does_nothing(void **state)
{
    (void)state;
    begin();
    apply_and_compare("no runs");
}

/* What handlers saw. */
struct calls {
    uint32_t n;
    uint64_t args[64], words[64];
    uint32_t n_wrong;
};

/* Notes the first ulong of the heap. Complains of odd arguments, with the number of the call. */
static int look(void *context, uint32_t handler, uint32_t source, const uint64_t args[4])
{
    struct calls *calls = context;
    assert_true(calls->n < LENGTH(calls->args));
    calls->n_wrong += source != 3 || args[1] || args[2] || args[3] || handler != 5 + args[0] / 10;
    calls->args[calls->n] = args[0];
    OK(clEnqueueReadBuffer(device.queue, arena, CL_TRUE, GUARD_BYTES + GRAVEL_ULONG * REGION_BYTES,
                           8, &calls->words[calls->n], 0, NULL, NULL));
    calls->n++;
    return args[0] % 2 ? (int)calls->n : 0;
}

static struct gravel_applied apply_with(struct calls *calls)
{
    struct gravel_apply apply = {.shard = {0, 1}, .call = look, .context = calls};
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

static void failed_enqueue_is_told_and_the_resolver_works_on(void **state)
{
    const struct way *way = *state;
    static const struct word put = {"put_uint", GRAVEL_PUT, GRAVEL_UINT, 1};
    struct gravel_apply apply = {.shard = {0, 1}};
    struct gravel_applied applied;
    for (unsigned step = 1; step <= (way->is_serial ? 1 : 3); step++) {
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
    unsigned step = 1;
    for (;; step++) {
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
        assert_int_equal(code, GRAVEL_ECL);
        assert_null(other);
        expect_references(references);
    }
    assert_true(step > (way->is_serial ? 12 : 13)); /* queue, buffers, mapping, kernels, warm-up */
    expect_references(references);
    gravel_device_resolver_destroy(NULL);
}

/* ---- main ----------------------------------------------------------------------------- */

/* The first device whose platform's name has `part`. @return false if there is none. */
static bool open_device(const char *part)
{
    static struct gravel_candidate candidates[GRAVEL_MAX_DEVICES];
    unsigned n = 0;
    cl_int error = CL_SUCCESS;
    if (gravel_device_list(candidates, &n))
        return false;
    for (unsigned i = 0; i < n && !device.id; i++)
        if (strstr(candidates[i].capability.platform, part)) {
            device.id = candidates[i].device;
            device.capability = candidates[i].capability;
        }
    if (!device.id || !device.capability.has_compiler)
        return false;
    device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    device.queue = clCreateCommandQueueWithProperties(device.context, device.id, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    arena = clCreateBuffer(device.context, CL_MEM_READ_WRITE, ARENA_BYTES, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    return true;
}

#define TEST(function)                                           \
    {                                                            \
#function, function, open_resolver, close_resolver, NULL \
    }

static int run_all(const char *name, struct way *way)
{
    struct CMUnitTest tests[] = {
        TEST(every_operation_does_what_the_host_does),
        TEST(runs_of_any_length_are_applied),
        TEST(runs_are_applied_in_order),
        TEST(last_put_to_a_word_wins),
        TEST(puts_to_words_of_their_own_are_all_stored),
        TEST(sums_of_reals_on_one_word_lose_nothing),
        TEST(put_of_reals_keeps_every_bit),
        TEST(full_frame_is_applied_to_its_last_message),
        TEST(frames_in_a_row_are_applied_in_order),
        TEST(longer_frame_is_refused_and_not_applied),
        TEST(requests_are_answered_as_by_the_host),
        TEST(requests_signals_and_calls_keep_their_order),
        TEST(frame_without_runs_does_nothing),
        TEST(calls_come_between_the_runs_around_them),
        TEST(frame_of_calls_alone_runs_them),
        TEST(failed_enqueue_is_told_and_the_resolver_works_on),
        TEST(failed_creation_leaves_nothing),
    };
    for (size_t i = 0; i < LENGTH(tests); i++)
        tests[i].initial_state = way;
    print_message("%s:\n", name);
    alarm(150);
    return _cmocka_run_group_tests(name, tests, LENGTH(tests), NULL, NULL);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (!open_device(argv[1])) {
        printf("skipped: no device of a platform \"%s\"\n", argv[1]);
        return SKIPPED;
    }
    int n_failed = run_all("serial", &(struct way){.is_serial = true});
    n_failed += run_all("parallel", &(struct way){0});
    n_failed += run_all("parallel, pinned frames", &(struct way){.is_pinned = true});
    n_failed += run_all("without 64-bit atomics and double",
                        &(struct way){.hides_int64_atomics = true, .hides_double = true});
    clReleaseMemObject(arena);
    clReleaseCommandQueue(device.queue);
    clReleaseContext(device.context);
    return n_failed != 0;
}
