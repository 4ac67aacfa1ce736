/* SPDX-License-Identifier: MIT */
/*
 * What tests of the device resolver share: a device, the ways in which its abilities make the resolver apply, an
 * arena between guards, and runs of random messages.
 *
 * Path:    test_device_resolver.c, test_device_resolver_calls.c -> this -> frame_builder.h, wrapped_opencl.h.
 * Owner:   one test program at a time: everything is static.
 * Note:    the linker wraps OpenCL calls, to take abilities away and to let calls fail.
 */
#ifndef GRAVEL_TEST_RESOLVER_WAYS_H
#define GRAVEL_TEST_RESOLVER_WAYS_H

#include "../unit/frame_builder.h"
#include "resolve/on_device/device_resolver.h"

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

/* ---- the device, and frames applied both ways ------------------------------------------------ */

/* A way to apply, as the device's abilities make the resolver choose it. */
struct way {
    const char *name;
    bool is_serial, hides_int64_atomics, hides_double, is_pinned;
    size_t most; /* tests in this way; 0: all */
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

/* Of frames that were kept. */
static uint32_t n_given_back, n_ended;
static struct gravel_refusal ended_refusal;
static uint64_t n_ended_messages;

static void note_give_back(void *context, const struct gravel_loan *loan)
{
    (void)context, (void)loan;
    n_given_back++;
}

static void note_end(void *context, const struct gravel_loan *loan, uint64_t n_messages,
                     const struct gravel_refusal *refusal)
{
    (void)context, (void)loan;
    n_ended++;
    n_ended_messages += n_messages;
    ended_refusal = *refusal;
}

static int create(const struct way *way, struct gravel_device_resolver **out)
{
    static struct gravel_device less; /* the resolver keeps a pointer */
    less = device;
    less.capability.is_cpu = way->is_serial;
    less.capability.has_double = device.capability.has_double && !way->hides_double;
    less.capability.has_long_atomics =
        device.capability.has_long_atomics && !way->hides_int64_atomics;
    memory = (struct gravel_memory){.own = {.begin = frame.bytes, .bytes = sizeof frame.bytes}};
    const struct gravel_device_resolver_shape shape = {
        .device = &less,
        .arena = arena,
        .max_frame_bytes = FRAME_CAPACITY,
        .memory = way->is_pinned ? &memory : NULL,
        .straight_bytes = 64,
        .lending = {.give_back = note_give_back, .ended = note_end},
    };
    int code = gravel_device_resolver_create(out, &shape);
    return code;
}

static const struct way *way_now;

static int open_resolver(void **state)
{
    (void)state;
    int code = create(way_now, &resolver);
    if (code)
        print_error("%s\n", gravel_last_error());
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

static int ignore_call(void *context, uint32_t handler, uint32_t source, const uint64_t args[4],
                       uint64_t *answer)
{
    (void)context, (void)handler, (void)source, (void)args, (void)answer;
    return 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

struct word {
    const char *name;
    uint32_t op, type, n_values;
};

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
    uint32_t command = GRAVELP_COMMAND(word->op, word->type) | (is_wide ? GRAVELP_COMMAND_WIDE : 0);
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
    struct run_place place = frame_add_run(&frame, GRAVELP_COMMAND_AM(handler, 1), 0, n, 0, 8, 1);
    for (uint32_t i = 0; i < n; i++)
        frame_set_u64(&frame, place.values, i, first + i);
}

/* ---- main ------------------------------------------------------------------------------------ */

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
            device.units = 1; /* few work-items, each of which then applies several messages */
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

#define TEST(function)                        \
    {                                         \
#function, function, NULL, NULL, NULL \
    }

/* All with one resolver. */
static int run_way(struct CMUnitTest *tests, size_t n, const struct way *way)
{
    for (size_t i = 0; i < n; i++)
        tests[i].initial_state = (void *)way;
    print_message("%s:\n", way->name);
    way_now = way;
    alarm(600);
    return _cmocka_run_group_tests(way->name, tests, way->most ? way->most : n, open_resolver,
                                   close_resolver);
}

/* main of `test PLATFORM`: all tests [n] in all ways. */
static int run_in_ways(int argc, char **argv, struct CMUnitTest *tests, size_t n,
                       const struct way *ways, size_t n_ways)
{
    int n_failed = 0;
    if (argc != 2)
        return 2;
    if (!open_device(argv[1])) {
        printf("skipped: no device of a platform \"%s\"\n", argv[1]);
        return SKIPPED;
    }
    for (size_t i = 0; i < n_ways; i++)
        n_failed += run_way(tests, n, &ways[i]);
    clReleaseMemObject(arena);
    clReleaseCommandQueue(device.queue);
    clReleaseContext(device.context);
    return n_failed != 0;
}

/* Without double only the first two tests, which sum. */
static const struct way every_way[] = {
    {.name = "serial", .is_serial = true},
    {.name = "parallel"},
    {.name = "parallel, pinned frames", .is_pinned = true},
    {.name = "without double", .hides_double = true, .most = 2},
    {.name = "without 64-bit atomics and double",
     .hides_int64_atomics = true,
     .hides_double = true},
};

#endif
