/* SPDX-License-Identifier: MIT */
/*
 * Mirrors: exchange after exchange beside kernels, and what is refused, at all nodes alike. gravel-conformance has each
 * operation and type, and the ledger plans of many words.
 *
 * Path: mpirun -> this -> lib/mirror
 */
#include "cases.h"
#include "job.h"

#include <gravel/mirror.h>

#include <stdlib.h>
#include <string.h>

#define N_WORDS 301u /* of a node's part of an array */

/* ---- exchanges --------------------------------------------------------------------------------- */

/* a: the array; b: how many words; c: what the time adds to them. */
#define CHANGE BODY("if (i < b) ((global uint *)gravel_local(g, a))[i] += c;")
/* Each copy is kept: a: copies; b: how many; c: where. */
#define KEEP                                                    \
    BODY("if (i < b) ((global uint *)gravel_local(g, c))[i] = " \
         "((global const uint *)gravel_local(g, a))[i];")

/* While copies are read, words change and travel: a node that is ahead must not spoil them. Loop-back nodes have no
 * kernels: their words stay. */
TEST(copies_are_of_their_time)
{
    enum { TIMES = 6, N = 96 };
    const size_t global = 320, group = 32;
    const uint32_t owner = (node + 1) % n_nodes;
    const bool is_changed = n_speakers > 1 || n_nodes == 1;
    uint64_t array = alloc_or_die(gravel, N_WORDS * 4), kept = alloc_or_die(gravel, N * 4);
    uint64_t *n_words = calloc(n_nodes, sizeof *n_words);
    uint32_t indices[N];
    struct gravel_mirror *mirror;
    MUST(n_words);
    n_words[owner] = N;
    for (uint32_t i = 0; i < N; i++)
        indices[i] = i % 7 ? N_WORDS - 1 - i : i % 3; /* some more than once */
    const struct gravel_words words = GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
    OK(gravel_mirror_create(&mirror, gravel, &words));
    const uint64_t to_change[] = {array, N_WORDS, 1}, to_keep[] = {0, N, kept};
    cl_kernel change = body_kernel(gravel, CHANGE, to_change),
              keep = body_kernel(gravel, KEEP, to_keep);
    for (uint32_t time = 1; time <= TIMES; time++) {
        OK(gravel_launch(gravel, change, 1, &global, &group, 0, NULL, NULL));
        OK(gravel_mirror_share(mirror));
        const cl_ulong copies = gravel_mirror_offset(mirror);
        MUST(clSetKernelArg(keep, 1, sizeof copies, &copies) == CL_SUCCESS);
        if (mix(time * 64 + node) % 2) /* else the next exchange begins beside it */
            OK(gravel_quiet(gravel));
        OK(gravel_launch(gravel, keep, 1, &global, &group, 0, NULL, NULL));
    }
    OK(gravel_quiet(gravel));
    const uint32_t *are = read_map(gravel, node, kept, N * 4);
    for (uint32_t i = 0; i < N; i++)
        if (are[i] != (is_changed ? TIMES : 0))
            die(__FILE__, __LINE__, "node %u: copy %u is %u", node, i, are[i]);
    unmap(gravel, are);
    clReleaseKernel(change);
    clReleaseKernel(keep);
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_free(gravel, array));
    OK(gravel_free(gravel, kept));
    free(n_words);
}

/* ---- what is refused --------------------------------------------------------------------------- */

/* A plan that only node 0 has wrong: it says what is wrong, and all others that node 0 refuses. */
static void expect_refusal(uint32_t op, const struct gravel_words *wrong,
                           const struct gravel_words *right, int expected, const char *part)
{
    struct gravel_mirror *mirror = (void *)&mirror;
    expect(gravel_mirror_create_slots(&mirror, gravel, op, node == 0 ? wrong : right), expected,
           node == 0 ? part : "node 0 cannot");
    MUST(mirror == NULL);
}

TEST(what_one_node_refuses_all_refuse)
{
    const uint64_t array = alloc_or_die(gravel, N_WORDS * 4), none[64] = {0};
    const uint32_t indices[] = {5, N_WORDS, 3};
    uint64_t three[64] = {0};
    MUST(n_nodes <= 64);
    three[n_nodes - 1] = 3;
    const struct gravel_words right = GRAVEL_WORDS(array, GRAVEL_UINT, none, NULL),
                              unset = {.bytes = 0};
    const struct refusal {
        struct gravel_words words;
        int code;
        const char *part;
    } refusals[] = {
        {GRAVEL_WORDS(array, GRAVEL_UINT, three, indices), GRAVEL_ERANGE, "indices[1] is 301"},
        {unset, GRAVEL_EINVAL, "words.bytes is 0, and struct gravel_words has "},
        {GRAVEL_WORDS(array, GRAVEL_UINT, NULL, NULL), GRAVEL_EINVAL, "n_words"},
        {GRAVEL_WORDS(array, GRAVEL_UINT, three, NULL), GRAVEL_EINVAL, "indices"},
        {GRAVEL_WORDS(array, 6, none, NULL), GRAVEL_EINVAL, "type 6"},
        {GRAVEL_WORDS(array + 2, GRAVEL_UINT, none, NULL), GRAVEL_EINVAL, "not a multiple of 4"},
        {GRAVEL_WORDS(array + (1u << 30), GRAVEL_UINT, none, NULL), GRAVEL_ERANGE, "allocation"},
    };
    expect_refusal(GRAVEL_ADD, NULL, &right, GRAVEL_EINVAL, "words");
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        expect_refusal(GRAVEL_ADD, &refusals[i].words, &right, refusals[i].code, refusals[i].part);
    OK(gravel_free(gravel, array));
}

TEST(operations_that_do_not_exist)
{
    uint64_t array = alloc_or_die(gravel, N_WORDS * 8), *none = calloc(n_nodes, sizeof *none);
    struct gravel_mirror *mirror;
    const struct gravel_words uints = GRAVEL_WORDS(array, GRAVEL_UINT, none, NULL),
                              floats = GRAVEL_WORDS(array, GRAVEL_FLOAT, none, NULL);
    MUST(none);
    expect(gravel_mirror_create_slots(&mirror, gravel, GRAVEL_PUT, &uints), GRAVEL_EINVAL,
           "put on uint");
    expect(gravel_mirror_create_slots(&mirror, gravel, GRAVEL_MIN, &floats), GRAVEL_EINVAL,
           "min on float");
    expect(gravel_mirror_create(node == 0 ? NULL : &mirror, gravel, &uints), GRAVEL_EINVAL,
           node == 0 ? "out" : "node 0 cannot");
    OK(gravel_mirror_create(&mirror, gravel, &uints));
    expect(gravel_mirror_end(mirror), GRAVEL_EINVAL, "gravel_mirror_begin has not");
    OK(gravel_mirror_begin(mirror));
    expect(gravel_mirror_begin(mirror), GRAVEL_EINVAL, "gravel_mirror_end has not");
    OK(gravel_mirror_end(mirror));
    OK(gravel_mirror_destroy(mirror));
    free(none);
    OK(gravel_free(gravel, array));
}

/* More than the heap has: all refuse, with the sizes, and what the plans took is free again. */
TEST(heap_is_too_small)
{
    uint64_t array = alloc_or_die(gravel, 64), *n_words = calloc(n_nodes, sizeof *n_words);
    uint64_t n = gravel_config_of(gravel)->heap_bytes / 4 / n_nodes;
    uint32_t *indices = calloc(n * n_nodes, sizeof *indices);
    struct gravel_mirror *mirror;
    MUST(n_words && indices);
    for (uint32_t owner = 0; owner < n_nodes; owner++)
        n_words[owner] = n;
    const struct gravel_words words = GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
    expect(gravel_mirror_create(&mirror, gravel, &words), GRAVEL_EHEAP, "GRAVEL_HEAP");
    uint64_t again = alloc_or_die(gravel, gravel_config_of(gravel)->heap_bytes - (1u << 16));
    OK(gravel_free(gravel, again));
    OK(gravel_free(gravel, array));
    free(n_words);
    free(indices);
}

TEST(nodes_must_agree)
{
    uint64_t array = alloc_or_die(gravel, N_WORDS * 8), *none = calloc(n_nodes, sizeof *none);
    struct gravel_mirror *mirror;
    const struct gravel_words words =
        GRAVEL_WORDS(array, node ? GRAVEL_UINT : GRAVEL_INT, none, NULL);
    MUST(none);
    if (n_speakers > 1) {
        expect(gravel_mirror_create_slots(&mirror, gravel, GRAVEL_ADD, &words), GRAVEL_EMISMATCH,
               "a mirror of slots by add on int");
        const struct gravel_words same = GRAVEL_WORDS(array, GRAVEL_INT, none, NULL);
        expect(gravel_mirror_create_slots(&mirror, gravel, node ? GRAVEL_MAX : GRAVEL_ADD, &same),
               GRAVEL_EMISMATCH, "a mirror of slots by");
        struct gravel_mirror *two[2];
        OK(gravel_mirror_create(&two[0], gravel, &same));
        OK(gravel_mirror_create(&two[1], gravel, &same));
        OK(gravel_mirror_begin(two[node != 0]));
        expect(gravel_mirror_end(two[node != 0]), GRAVEL_EMISMATCH, "gravel_mirror_end");
        OK(gravel_mirror_destroy(two[0]));
        OK(gravel_mirror_destroy(two[1]));
    }
    free(none);
    OK(gravel_free(gravel, array));
}

static void open(void)
{
    open_nodes(NULL);
}

const struct fixture fixture = {.open = open, .close = close_nodes, .after = wait_for_all};
