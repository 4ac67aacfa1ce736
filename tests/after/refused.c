/* SPDX-License-Identifier: MIT */
/*
 * Collective calls after messages that one node refused: all nodes make them, and the next quiet reports the refusal.
 *
 * Path: main.c -> this -> lib/node/waits.c
 */
#include "after.h"

#include <gravel/mirror.h>

#define N 64u
#define FAR (1u << 24) /* elements, beyond the heap */

static uint64_t words;
static struct gravel_mirror *mirror;

/* Of each node one word, which all others read. */
static void make(void)
{
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    uint64_t n_words[3];
    uint32_t indices[3] = {0};
    MUST(n_nodes <= 3);
    for (uint32_t node = 0; node < n_nodes; node++)
        n_words[node] = 1;
    words = alloc_or_die(gravel, N * sizeof(uint32_t));
    const struct gravel_words plan =
        GRAVEL_WORDS(.offset = words, .type = GRAVEL_UINT, .n_words = n_words, .indices = indices);
    OK(gravel_mirror_create(&mirror, gravel, &plan));
}

/* The last node's kernel puts a word where there is none, at node 0; every node's own word becomes 7. */
static int put_far(void)
{
    const uint64_t arguments[3] = {words, FAR};
    const size_t global = N, local = N;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++)
        if (gravel_is_local(gravel, node))
            fill(gravel, node, words, 7, sizeof(uint32_t));
    if (!gravel_is_local(gravel, gravel_n_nodes(gravel) - 1))
        return 0;
    cl_kernel kernel =
        body_kernel(gravel, BODY("gravel_put_uint_wg_if(g, i == 0, a, b, 1, 0);"), arguments);
    int code = gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL);
    clReleaseKernel(kernel);
    return code;
}

static void reported_once(void)
{
    const bool is_concerned =
        gravel_is_local(gravel, 0) || gravel_is_local(gravel, gravel_n_nodes(gravel) - 1);
    after_expect(gravel_quiet(gravel), is_concerned ? GRAVEL_ERANGE : 0, "index");
    OK(gravel_quiet(gravel));
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_free(gravel, words));
}

static void memory_is_the_same_everywhere(void)
{
    uint64_t of_all;
    OK(acted);
    const uint64_t first = alloc_or_die(gravel, 4096);
    OK(gravel_free(gravel, first));
    uint64_t offset = of_all = alloc_or_die(gravel, 64);
    OK(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_ULONG, &of_all, 1));
    MUST(offset == of_all);
    OK(gravel_free(gravel, offset));
    reported_once();
}

static void copies_are_whole_everywhere(void)
{
    OK(acted);
    for (int times = 0; times < 3; times++) {
        OK(gravel_mirror_share(mirror));
        for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++)
            MUST(word32(gravel, gravel_node(gravel), gravel_mirror_offset(mirror) + 4 * node) ==
                 0x07070707);
    }
    reported_once();
}

const struct after_row refused_rows[] = {
    {"node", "a message of the last node is refused", "all nodes allocate and free",
     .prepare = make, .act = put_far, .hold = memory_is_the_same_everywhere},
    {"mirror", "a message of the last node is refused", "all nodes share", .prepare = make,
     .act = put_far, .hold = copies_are_whole_everywhere},
    {0},
};
