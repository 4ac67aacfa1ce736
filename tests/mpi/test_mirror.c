/* SPDX-License-Identifier: MIT */
/*
 * Mirrors: words wanted by many nodes, by one more than once, by their own node, by none; exchange after exchange beside
 * kernels; and what is refused, at all nodes alike. Plans are drawn from the nodes' numbers. gravel-conformance has each
 * operation and type.
 *
 * usage: test_mirror [NODES]   ranks of a job, or so many loop-back nodes, of which node 0 alone has plans
 *
 * Path: mpirun -> this -> lib/mirror
 */
#include "bodies.h"

#include <gravel/mirror.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_WORDS 301u    /* of a node's part of an array */
#define MOST_WANTED 97u /* of one node */

static struct gravel *gravel;
static uint32_t node, n_nodes, n_planners;

/* ---- plans ------------------------------------------------------------------------------------- */

struct plan {
    uint64_t n, *n_words;
    uint32_t *indices;
};

/* Some nodes want nothing, and all some words of low numbers, each more than once. */
static struct plan draw_plan(uint32_t planner, uint32_t seed)
{
    struct plan plan = {.n_words = malloc(n_nodes * sizeof(uint64_t)),
                        .indices = malloc((uint64_t)n_nodes * MOST_WANTED * sizeof(uint32_t))};
    MUST(plan.n_words && plan.indices);
    for (uint32_t owner = 0; owner < n_nodes; owner++) {
        uint32_t key = (seed * 64 + planner) * 64 + owner;
        uint32_t n = mix(key) % 5 ? mix(key + 1) % MOST_WANTED : 0;
        plan.n_words[owner] = n;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t index = mix(key * 1000003u + i) % N_WORDS;
            plan.indices[plan.n++] = i % 7 ? index : index % 3;
        }
    }
    return plan;
}

static void free_plan(struct plan *plan)
{
    free(plan->n_words);
    free(plan->indices);
}

static struct gravel_words words_of(const struct plan *plan, uint64_t offset, uint32_t type)
{
    return (struct gravel_words)GRAVEL_WORDS(.offset = offset, .type = type,
                                             .n_words = plan->n_words, .indices = plan->indices);
}

/* ---- arrays ------------------------------------------------------------------------------------ */

static uint64_t first_value(uint32_t owner, uint32_t index, uint32_t seed)
{
    return mix(owner * 4096 + index + seed) % 4096;
}

/* The host's words of a local node, to be unmapped. */
static void *map_words(uint64_t offset, uint32_t owner, uint64_t n, uint32_t type,
                       cl_map_flags flags)
{
    return map_or_die(gravel, owner, offset, n * GRAVEL_TYPE_BYTES(type), flags);
}

static bool is_local(uint32_t owner)
{
    return gravel_is_local(gravel, owner);
}

static void fill_array(uint64_t offset, uint32_t seed)
{
    for (uint32_t owner = 0; owner < n_nodes; owner++) {
        if (!is_local(owner))
            continue;
        uint32_t *words =
            map_words(offset, owner, N_WORDS, GRAVEL_UINT, CL_MAP_WRITE_INVALIDATE_REGION);
        for (uint32_t i = 0; i < N_WORDS; i++)
            words[i] = (uint32_t)first_value(owner, i, seed);
        unmap(gravel, words);
    }
}

/* ---- mirrors ----------------------------------------------------------------------------------- */

/* a: the array; b: how many words; c: what the time adds to them. */
#define CHANGE BODY("if (i < b) ((global uint *)gravel_local(g, a))[i] += c;")
/* Each copy is kept: a: copies; b: how many; c: where. */
#define KEEP                                                    \
    BODY("if (i < b) ((global uint *)gravel_local(g, c))[i] = " \
         "((global const uint *)gravel_local(g, a))[i];")

/* While copies are read, words change and travel: a node that is ahead must not spoil them. Loop-back nodes have no
 * kernels: their words stay. */
static void copies_are_of_their_time(void)
{
    enum { TIMES = 6 };
    const bool is_loopback = n_planners < n_nodes;
    const size_t group = 32, global = 10 * group;
    uint64_t most = (uint64_t)n_nodes * MOST_WANTED, first = 0;
    uint64_t array = alloc_or_die(gravel, N_WORDS * 4), kept = alloc_or_die(gravel, most * 4);
    struct plan plan = draw_plan(node, 99);
    struct gravel_words words = words_of(&plan, array, GRAVEL_UINT);
    struct gravel_mirror *mirror;
    fill_array(array, 5);
    OK(gravel_mirror_create(&mirror, gravel, &words));
    const uint64_t to_change[] = {array, N_WORDS, 1}, to_keep[] = {0, plan.n, kept};
    cl_kernel change = body_kernel(gravel, CHANGE, to_change),
              keep = body_kernel(gravel, KEEP, to_keep);
    for (uint32_t time = 1; time <= TIMES; time++) {
        OK(gravel_launch(gravel, change, 1, &global, &group, 0, NULL, NULL));
        OK(gravel_mirror_share(mirror));
        const cl_ulong copies = gravel_mirror_offset(mirror);
        const size_t all = (plan.n + group) / group * group;
        MUST(clSetKernelArg(keep, 1, sizeof copies, &copies) == CL_SUCCESS);
        if (mix(time * 64 + node) % 2) /* else the next exchange begins beside it */
            OK(gravel_quiet(gravel));
        OK(gravel_launch(gravel, keep, 1, &all, &group, 0, NULL, NULL));
        if (time != TIMES)
            continue;
        OK(gravel_quiet(gravel));
        const uint32_t *are = read_map(gravel, node, kept, (plan.n ? plan.n : 1) * 4);
        for (uint32_t owner = 0; owner < n_nodes; first += plan.n_words[owner++])
            for (uint64_t i = first; i < first + plan.n_words[owner]; i++) {
                bool changes = owner == node || !is_loopback;
                uint64_t due = first_value(owner, plan.indices[i], 5) + (changes ? time : 0);
                if (are[i] != due)
                    die(__FILE__, __LINE__, "node %u: copy %llu is %u, not %llu", node,
                        (unsigned long long)i, are[i], (unsigned long long)due);
            }
        unmap(gravel, are);
    }
    clReleaseKernel(change);
    clReleaseKernel(keep);
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_free(gravel, array));
    OK(gravel_free(gravel, kept));
    free_plan(&plan);
}

/* ---- words that do not fit a node buffer -------------------------------------------------------- */

static void large_plans_travel_in_pieces(void)
{
    enum { N = 60000 };
    uint64_t array = alloc_or_die(gravel, N * 8);
    uint64_t *n_words = malloc(n_nodes * sizeof *n_words);
    uint32_t *indices = malloc((uint64_t)n_nodes * N * sizeof *indices);
    struct gravel_mirror *mirror;
    MUST(n_words && indices);
    for (uint32_t owner = 0; owner < n_nodes; owner++) {
        n_words[owner] = N;
        for (uint32_t i = 0; i < N; i++)
            indices[owner * N + i] = N - 1 - i;
        if (!is_local(owner))
            continue;
        uint64_t *own = map_words(array, owner, N, GRAVEL_ULONG, CL_MAP_WRITE_INVALIDATE_REGION);
        for (uint32_t i = 0; i < N; i++)
            own[i] = (uint64_t)owner << 32 | i;
        unmap(gravel, own);
    }
    const struct gravel_words words = GRAVEL_WORDS(array, GRAVEL_ULONG, n_words, indices);
    OK(gravel_mirror_create(&mirror, gravel, &words));
    OK(gravel_mirror_share(mirror));
    OK(gravel_quiet(gravel));
    const uint64_t *copies =
        read_map(gravel, node, gravel_mirror_offset(mirror), (uint64_t)n_nodes * N * 8);
    for (uint64_t i = 0; i < (uint64_t)n_nodes * N; i++)
        MUST(copies[i] == (i / N << 32 | (N - 1 - i % N)));
    unmap(gravel, copies);
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_free(gravel, array));
    free(n_words);
    free(indices);
}

/* ---- what is refused --------------------------------------------------------------------------- */

static void expect(int code, int expected, const char *part)
{
    if (code != expected || !strstr(gravel_last_error(), part))
        die(__FILE__, __LINE__, "node %u got %d (%s), expected %d naming \"%s\"", node, code,
            gravel_last_error(), expected, part);
}

/* A plan that only node 0 has wrong: it says what is wrong, and all others that node 0 refuses. */
static void expect_refusal(uint32_t op, const struct gravel_words *wrong,
                           const struct gravel_words *right, int expected, const char *part)
{
    struct gravel_mirror *mirror = (void *)&mirror;
    expect(gravel_mirror_create_slots(&mirror, gravel, op, node == 0 ? wrong : right), expected,
           node == 0 ? part : "node 0 cannot");
    MUST(mirror == NULL);
}

static void what_one_node_refuses_all_refuse(void)
{
    uint64_t array = alloc_or_die(gravel, N_WORDS * 4), *n_words = calloc(n_nodes, sizeof *n_words);
    uint32_t indices[] = {5, N_WORDS, 3};
    MUST(n_words);
    n_words[n_nodes - 1] = 3;
    const struct gravel_words outside = GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
    uint64_t *none = calloc(n_nodes, sizeof *none);
    const struct gravel_words right = GRAVEL_WORDS(array, GRAVEL_UINT, none, NULL);
    struct gravel_words wrong = right;
    MUST(none);
    expect_refusal(GRAVEL_ADD, &outside, &right, GRAVEL_ERANGE, "indices[1] is 301");
    expect_refusal(GRAVEL_ADD, NULL, &right, GRAVEL_EINVAL, "words");
    wrong.bytes = 0;
    expect_refusal(GRAVEL_ADD, &wrong, &right, GRAVEL_EINVAL,
                   "words.bytes is 0, and struct gravel_words has ");
    wrong = right;
    wrong.n_words = NULL;
    expect_refusal(GRAVEL_ADD, &wrong, &right, GRAVEL_EINVAL, "n_words");
    wrong = (struct gravel_words)GRAVEL_WORDS(array, GRAVEL_UINT, n_words, NULL);
    expect_refusal(GRAVEL_ADD, &wrong, &right, GRAVEL_EINVAL, "indices");
    wrong = (struct gravel_words)GRAVEL_WORDS(array, 6, none, NULL);
    expect_refusal(GRAVEL_ADD, &wrong, &right, GRAVEL_EINVAL, "type 6");
    wrong = (struct gravel_words)GRAVEL_WORDS(array + 2, GRAVEL_UINT, none, NULL);
    expect_refusal(GRAVEL_ADD, &wrong, &right, GRAVEL_EINVAL, "no multiple of 4");
    wrong = (struct gravel_words)GRAVEL_WORDS(array + (1u << 30), GRAVEL_UINT, none, NULL);
    expect_refusal(GRAVEL_ADD, &wrong, &right, GRAVEL_ERANGE, "allocation");
    free(n_words);
    free(none);
    OK(gravel_free(gravel, array));
}

static void operations_that_do_not_exist(void)
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
static void heap_is_too_small(void)
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

static void nodes_must_agree(void)
{
    uint64_t array = alloc_or_die(gravel, N_WORDS * 8), *none = calloc(n_nodes, sizeof *none);
    struct gravel_mirror *mirror;
    const struct gravel_words words =
        GRAVEL_WORDS(array, node ? GRAVEL_UINT : GRAVEL_INT, none, NULL);
    MUST(none);
    if (n_planners > 1) {
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

/* ---- main -------------------------------------------------------------------------------------- */

static const struct step steps[] = {
    STEP(copies_are_of_their_time),
    STEP(large_plans_travel_in_pieces),
    STEP(what_one_node_refuses_all_refuse),
    STEP(operations_that_do_not_exist),
    STEP(heap_is_too_small),
    STEP(nodes_must_agree),
};

int main(int argc, char **argv)
{
    watch(100, "opening");
    if (argc > 1) {
        struct gravel_config config = loopback_config((uint32_t)atoi(argv[1]));
        config.heap_bytes = 16u << 20;
        int code = gravel_open(&gravel, &config, NULL);
        skip_if_refused(code);
        OK(code);
    } else {
        gravel = open_default(NULL);
    }
    node = gravel_node(gravel);
    n_nodes = gravel_n_nodes(gravel);
    n_planners = argc > 1 ? 1 : n_nodes;
    run_steps(gravel, steps, sizeof steps / sizeof *steps);
    OK(gravel_close(gravel));
    return 0;
}
