/* SPDX-License-Identifier: MIT */
/*
 * Mirrors of copies and of slots after an error: no value is of another time, none is lost, and their array stays.
 *
 * Path: main.c -> this -> lib/mirror
 */
#include "after.h"

#include <gravel/mirror.h>

#include <string.h>

#define N 64u      /* words of each node that this one shares */
#define MOST 8u    /* nodes */
#define VALUE 1000 /* of a word, and its node and index */

static uint64_t array;
static struct gravel_mirror *mirror;
static bool is_read;
static cl_event gate; /* what is enqueued behind it waits */

static int create(struct gravel *gravel)
{
    static uint64_t n_words[MOST];
    static uint32_t indices[MOST * N];
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    for (uint32_t i = 0; i < n_nodes * N; i++) {
        n_words[i / N] = N;
        indices[i] = i % N;
    }
    const struct gravel_words words =
        GRAVEL_WORDS(.offset = array, .type = GRAVEL_UINT, .n_words = n_words, .indices = indices);
    MUST(n_nodes <= MOST);
    return is_read ? gravel_mirror_create(&mirror, gravel, &words)
                   : gravel_mirror_create_slots(&mirror, gravel, GRAVEL_ADD, &words);
}

static void allocate(struct gravel *gravel)
{
    array = alloc_or_die(gravel, N * sizeof(uint32_t));
}

static void make(struct gravel *gravel)
{
    allocate(gravel);
    OK(create(gravel));
}

/* Each node changes what it sends, by a kernel: its part of the array, or its slots. */
static void change(struct gravel *gravel)
{
    const uint64_t n = is_read ? N : (uint64_t)gravel_n_nodes(gravel) * N;
    const uint64_t arguments[] = {is_read ? array : gravel_mirror_offset(mirror), VALUE, 0};
    const size_t global = n;
    cl_kernel kernel = body_kernel(
        gravel, BODY("((global uint *)gravel_local(g, a))[i] = (uint)(b + i);"), arguments);
    OK(gravel_launch(gravel, kernel, 1, &global, NULL, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

static void make_copies(struct gravel *gravel)
{
    is_read = true;
    make(gravel);
}

static void make_slots(struct gravel *gravel)
{
    is_read = false;
    make(gravel);
}

static void change_copies(struct gravel *gravel)
{
    make_copies(gravel);
    change(gravel);
}

static void change_slots(struct gravel *gravel)
{
    make_slots(gravel);
    change(gravel);
}

static void close_gate(struct gravel *gravel)
{
    cl_int error;
    gate = clCreateUserEvent(gravel_cl_context(gravel), &error);
    MUST(error == CL_SUCCESS);
    MUST(clEnqueueBarrierWithWaitList(gravel_cl_queue(gravel), 1, &gate, NULL) == CL_SUCCESS);
}

/* The gate is of the first node alone. */
static void make_behind_a_gate(struct gravel *gravel)
{
    make(gravel);
    change(gravel);
    if (gravel_node(gravel) == 0)
        close_gate(gravel);
}

static void copies_behind_a_gate(struct gravel *gravel)
{
    is_read = true;
    make_behind_a_gate(gravel);
}

static void slots_behind_a_gate(struct gravel *gravel)
{
    is_read = false;
    make_behind_a_gate(gravel);
}

static int free_array(struct gravel *gravel)
{
    return gravel_free(gravel, array);
}

static int begin(struct gravel *gravel)
{
    (void)gravel;
    return gravel_mirror_begin(mirror);
}

/* What has arrived: words of all nodes in the copies, or slots of all nodes in the array. */
static void expect_values(struct gravel *gravel)
{
    const uint32_t n_nodes = gravel_n_nodes(gravel), node = gravel_node(gravel);
    const bool is_alone = gravel_is_local(gravel, 0) && gravel_is_local(gravel, n_nodes - 1);
    OK(gravel_quiet(gravel));
    const uint64_t at = is_read ? gravel_mirror_offset(mirror) : array;
    const uint32_t n = is_read ? n_nodes * N : N;
    const uint32_t *are = read_map(gravel, node, at, n * sizeof *are);
    for (uint32_t i = 0; i < n; i++) {
        const bool is_changed = !is_read || !is_alone || i / N == node;
        const uint32_t times = is_read    ? is_changed
                               : is_alone ? 1
                                          : n_nodes,
                       value = VALUE + (is_read ? i % N : node * N + i);
        if (are[i] != times * value)
            die(__FILE__, __LINE__, "node %u: word %u is %u, not %u", node, i, are[i],
                times * value);
    }
    unmap(gravel, are);
}

static void destroy(struct gravel *gravel)
{
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_free(gravel, array));
}

static void array_stays(struct gravel *gravel, int code)
{
    after_expect(code, GRAVEL_EINVAL, "gravel_mirror_destroy");
    if (!is_read)
        after_expect(gravel_free(gravel, gravel_mirror_offset(mirror)), GRAVEL_EINVAL,
                     "gravel_mirror_destroy");
    change(gravel);
    OK(gravel_mirror_share(mirror));
    expect_values(gravel);
    destroy(gravel);
}

/* One node has not begun, so no node ends; then all do. */
static void ended_when_all_have_begun(struct gravel *gravel, int code)
{
    const bool has_failed = gravel_node(gravel) == 0;
    if (has_failed) {
        after_expect(code, GRAVEL_EKERNEL, "GRAVEL_KERNEL_LIMIT");
        MUST(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
        MUST(clFinish(gravel_cl_queue(gravel)) == CL_SUCCESS);
        clReleaseEvent(gate);
    }
    after_expect(gravel_mirror_end(mirror), has_failed ? GRAVEL_EINVAL : GRAVEL_EMISMATCH,
                 has_failed ? "gravel_mirror_begin has not" : "cannot end");
    if (has_failed)
        OK(gravel_mirror_begin(mirror));
    OK(gravel_mirror_end(mirror));
    expect_values(gravel);
    destroy(gravel);
}

/* Begun again, all values arrive; or the node has ended. */
static void begun_again(struct gravel *gravel, int code)
{
    if (code)
        code = gravel_mirror_begin(mirror);
    int ended = gravel_mirror_end(mirror), failed = gravel_barrier(gravel);
    if (failed) {
        gravel_mirror_destroy(mirror);
        return;
    }
    OK(code);
    OK(ended);
    expect_values(gravel);
    destroy(gravel);
}

static void begin_copies(struct gravel *gravel)
{
    change_copies(gravel);
    OK(gravel_mirror_begin(mirror));
}

static void begin_slots(struct gravel *gravel)
{
    change_slots(gravel);
    OK(gravel_mirror_begin(mirror));
}

static int end(struct gravel *gravel)
{
    (void)gravel;
    return gravel_mirror_end(mirror);
}

/* The next exchange is right; or the node has ended. */
static void shared_next(struct gravel *gravel, int code)
{
    if (code)
        gravel_mirror_end(mirror); /* unless it has ended */
    if (gravel_barrier(gravel) && gravel_barrier(gravel)) {
        gravel_mirror_destroy(mirror);
        return;
    }
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++)
        if (gravel_is_local(gravel, node))
            fill(gravel, node, array, 0, N * sizeof(uint32_t));
    change(gravel);
    OK(gravel_mirror_share(mirror));
    expect_values(gravel);
    destroy(gravel);
}

static int create_copies(struct gravel *gravel)
{
    is_read = true;
    return create(gravel);
}

static int create_slots(struct gravel *gravel)
{
    is_read = false;
    return create(gravel);
}

static void created_next(struct gravel *gravel, int code)
{
    MUST(!code == !!mirror);
    if (gravel_barrier(gravel)) {
        gravel_mirror_destroy(mirror);
        return;
    }
    if (code)
        OK(create(gravel));
    change(gravel);
    OK(gravel_mirror_share(mirror));
    expect_values(gravel);
    destroy(gravel);
}

static int destroy_mirror(struct gravel *gravel)
{
    (void)gravel;
    return gravel_mirror_destroy(mirror);
}

static void array_is_free(struct gravel *gravel, int code)
{
    (void)code;
    if (!gravel_barrier(gravel))
        OK(gravel_free(gravel, array));
}

#define FAILS .fails = AFTER_DRIVER | AFTER_MEMORY

const struct after_row mirror_rows[] = {
    {"mirror", "gravel_free of its array", "is refused, and words are shared",
     .prepare = make_copies, .act = free_array, .hold = array_stays},
    {"slots", "gravel_free of their array", "is refused, and words are shared",
     .prepare = make_slots, .act = free_array, .hold = array_stays},
    {"mirror", "a kernel outlasts GRAVEL_KERNEL_LIMIT in gravel_mirror_begin",
     "no node ends it, until it is called again", .configure = after_limit_kernels,
     .prepare = copies_behind_a_gate, .act = begin, .hold = ended_when_all_have_begun},
    {"slots", "a kernel outlasts GRAVEL_KERNEL_LIMIT in gravel_mirror_begin",
     "no node ends it, until it is called again", .configure = after_limit_kernels,
     .prepare = slots_behind_a_gate, .act = begin, .hold = ended_when_all_have_begun},
    {"mirror", "a call of the driver fails in gravel_mirror_begin", "called again it sends all",
     .prepare = change_copies, .act = begin, .hold = begun_again, .fails = AFTER_DRIVER},
    {"slots", "a call of the driver fails in gravel_mirror_begin", "called again it sends all",
     .prepare = change_slots, .act = begin, .hold = begun_again, .fails = AFTER_DRIVER},
    {"mirror", "a call of the driver or memory fails in gravel_mirror_create", "the next makes it",
     .prepare = allocate, .act = create_copies, .hold = created_next, FAILS},
    {"slots", "a call of the driver or memory fails in gravel_mirror_create_slots",
     "the next makes them", .prepare = allocate, .act = create_slots, .hold = created_next, FAILS},
    {"mirror", "a call of the driver or memory fails in gravel_mirror_end",
     "the next share is right", .prepare = begin_copies, .act = end, .hold = shared_next, FAILS},
    {"slots", "a call of the driver or memory fails in gravel_mirror_end",
     "the next share is right", .prepare = begin_slots, .act = end, .hold = shared_next, FAILS},
    {"mirror", "a call of the driver or memory fails in gravel_mirror_destroy", "the array is free",
     .prepare = make_copies, .act = destroy_mirror, .hold = array_is_free, FAILS},
    {"slots", "a call of the driver or memory fails in gravel_mirror_destroy", "the array is free",
     .prepare = make_slots, .act = destroy_mirror, .hold = array_is_free, FAILS},
    {0},
};
