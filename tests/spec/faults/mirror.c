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
static bool is_read; /* copies; else slots */

static int create(void)
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
    int code = is_read ? gravel_mirror_create(&mirror, gravel, &words)
                       : gravel_mirror_create_slots(&mirror, gravel, GRAVEL_ADD, &words);
    MUST(!code == !!mirror);
    return code;
}

static void allocate(void)
{
    is_read = !strcmp(after_object(), "mirror");
    array = alloc_or_die(gravel, N * sizeof(uint32_t));
}

static void make(void)
{
    allocate();
    OK(create());
}

/* Each node changes what it sends, by a kernel: its part of the array, or its slots. */
static void change(void)
{
    const uint64_t n = is_read ? N : (uint64_t)gravel_n_nodes(gravel) * N;
    const uint64_t arguments[] = {is_read ? array : gravel_mirror_offset(mirror), VALUE, 0};
    const size_t global = n;
    cl_kernel kernel = body_kernel(
        gravel, BODY("((global uint *)gravel_local(g, a))[i] = (uint)(b + i);"), arguments);
    OK(gravel_launch(gravel, kernel, 1, &global, NULL, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

static void make_and_change(void)
{
    make();
    change();
}

/* The gate is of the first node alone. */
static void change_behind_a_gate(void)
{
    make_and_change();
    if (after_is_first())
        after_close_gate();
}

/* The last node's kernel puts a word where there is none, at node 0. */
static int put_far(void)
{
    const uint64_t arguments[3] = {array, UINT64_C(1) << 24};
    const size_t global = N, local = N;
    if (!gravel_is_local(gravel, gravel_n_nodes(gravel) - 1))
        return 0;
    cl_kernel kernel =
        body_kernel(gravel, BODY("gravel_put_uint_wg_if(g, i == 0, a, b, 1, 0);"), arguments);
    int code = gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL);
    clReleaseKernel(kernel);
    return code;
}

static int begin(void)
{
    return gravel_mirror_begin(mirror);
}

/* What has arrived: words of all nodes in the copies, or slots of all nodes in the array. */
static void expect_values(void)
{
    const uint32_t n_nodes = gravel_n_nodes(gravel), node = gravel_node(gravel);
    const bool is_alone = after_is_alone();
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

static void destroy(void)
{
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_free(gravel, array));
}

/* The next exchange is right. */
static void shared_next(void)
{
    change();
    OK(gravel_mirror_share(mirror));
    expect_values();
    destroy();
}

/* All nodes allocate, free and share, and the next quiet reports the refusal, once, at the nodes that it is of. */
static void refusal_is_reported_once(void)
{
    const bool is_concerned =
        gravel_is_local(gravel, 0) || gravel_is_local(gravel, gravel_n_nodes(gravel) - 1);
    uint64_t offset = alloc_or_die(gravel, 4096), of_all = offset;
    OK(acted);
    OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_ULONG, &of_all, 1));
    MUST(offset == of_all);
    OK(gravel_free(gravel, offset));
    change();
    OK(gravel_mirror_share(mirror));
    after_expect(gravel_quiet(gravel), is_concerned ? GRAVEL_ERANGE : 0, "index");
    expect_values();
    destroy();
}

/* One node has not begun, so no node ends; then all do. */
static void ended_when_all_have_begun(void)
{
    const bool has_failed = after_is_first();
    after_expect(acted, has_failed ? GRAVEL_EKERNEL : 0, "GRAVEL_KERNEL_LIMIT");
    if (has_failed)
        after_open_gate();
    after_expect(gravel_mirror_end(mirror), has_failed ? GRAVEL_EINVAL : GRAVEL_EMISMATCH,
                 has_failed ? "gravel_mirror_begin has not" : "cannot end");
    if (has_failed)
        OK(gravel_mirror_begin(mirror));
    OK(gravel_mirror_end(mirror));
    expect_values();
    destroy();
}

/* Begun again, all values arrive; or the node has ended. */
static void begun_again(void)
{
    if (acted)
        acted = gravel_mirror_begin(mirror);
    int ended = gravel_mirror_end(mirror), failed = gravel_barrier(gravel);
    if (failed) {
        gravel_mirror_destroy(mirror);
        return;
    }
    OK(acted);
    OK(ended);
    expect_values();
    destroy();
}

static void make_and_begin(void)
{
    make_and_change();
    OK(begin());
}

static int end(void)
{
    return gravel_mirror_end(mirror);
}

/* The next exchange is right; or the node has ended. */
static void cleared_and_shared(void)
{
    if (acted)
        gravel_mirror_end(mirror); /* unless it has ended */
    if (gravel_barrier(gravel) && gravel_barrier(gravel)) {
        gravel_mirror_destroy(mirror);
        return;
    }
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++)
        if (gravel_is_local(gravel, node))
            fill(gravel, node, array, 0, N * sizeof(uint32_t));
    shared_next();
}

static int destroy_mirror(void)
{
    return gravel_mirror_destroy(mirror);
}

static void drop(void)
{
    gravel_mirror_destroy(mirror);
}

static void array_is_free(void)
{
    OK(gravel_free(gravel, array));
}

/* Of copies and of slots. */
#define BOTH(...)            \
    {"mirror", __VA_ARGS__}, \
    {                        \
        "slots", __VA_ARGS__ \
    }

const struct after_row mirror_rows[] = {
    BOTH("a kernel outlasts GRAVEL_KERNEL_LIMIT in gravel_mirror_begin",
         "no node ends it, until it is called again", .configure = after_limit_kernels,
         .prepare = change_behind_a_gate, .act = begin, .hold = ended_when_all_have_begun),
    {"mirror", "a message of the last node is refused", "all nodes allocate, free and share",
     .prepare = make, .act = put_far, .hold = refusal_is_reported_once},
    BOTH("gravel_mirror_begin", "called again it sends all", .prepare = make_and_change,
         .act = begin, .hold = begun_again, .fails = AFTER_DRIVER, .meets_the_end = true),
    BOTH("a create", "the next makes it", .prepare = allocate, .act = create, .hold = shared_next,
         .fails = AFTER_ALL, .is_of_all = true, .is_repeated = true, .drop = drop),
    BOTH("gravel_mirror_end", "the next share is right", .prepare = make_and_begin, .act = end,
         .hold = cleared_and_shared, .fails = AFTER_ALL, .meets_the_end = true),
    BOTH("gravel_mirror_destroy", "the array is free", .prepare = make, .act = destroy_mirror,
         .hold = array_is_free, .fails = AFTER_ALL, .is_repeated = true),
    {0},
};
