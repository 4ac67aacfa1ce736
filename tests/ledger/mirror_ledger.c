/* SPDX-License-Identifier: MIT */
/*
 * Nothing lost, doubled or misrouted by mirrors: every node draws words of all nodes, adds a value of its own to each by a
 * slot, several times, and then reads the words by copies. Every node works out all plans, and what each word must be.
 *
 * usage: mirror_ledger WORDS TIMES   of each node; ranks of a job, or a node alone
 *
 * Path: mpirun -> this -> lib/mirror
 */
#include "bodies.h"
#include "mix.h"

#include <gravel/mirror.h>

#include <stdio.h>
#include <stdlib.h>

#define N_ELEMENTS (UINT32_C(1) << 20) /* of a node's part of the array */

static struct gravel *gravel;
static uint32_t node, n_nodes;

/* Of a planner's plan, word i of those of one owner. Few words are wanted often. */
static uint32_t index_of(uint32_t planner, uint32_t owner, uint64_t i)
{
    uint64_t drawn = mix((uint64_t)(planner * 64 + owner) << 40 | i);
    return (uint32_t)(drawn >> 60 ? drawn : drawn % 5) % N_ELEMENTS;
}

/* What a planner adds to slot i, each time; the kernel's term for it is SEND. */
static uint32_t value_of(uint32_t planner, uint64_t i)
{
    return (uint32_t)i * 2654435761u + planner;
}
#define SEND \
    BODY("if (i < b) ((global uint *)gravel_local(g, a))[i] = (uint)i * 2654435761u + (uint)c;")

static uint64_t n_of(uint64_t n, uint32_t owner)
{
    return n / n_nodes + (owner < n % n_nodes);
}

static struct gravel_words make_plan(uint64_t array, uint64_t n)
{
    uint64_t *n_words = malloc(n_nodes * sizeof *n_words), next = 0;
    uint32_t *indices = malloc((n + 1) * sizeof *indices);
    MUST(n_words && indices);
    for (uint32_t owner = 0; owner < n_nodes; owner++) {
        n_words[owner] = n_of(n, owner);
        for (uint64_t i = 0; i < n_words[owner]; i++)
            indices[next++] = index_of(node, owner, i);
    }
    return (struct gravel_words)GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
}

/* What the words of a node are in the end. */
static uint32_t *work_out(uint32_t owner, uint64_t n, uint32_t n_times)
{
    uint32_t *words = calloc(N_ELEMENTS, sizeof *words);
    MUST(words);
    for (uint32_t planner = 0; planner < n_nodes; planner++) {
        uint64_t slot = 0;
        for (uint32_t before = 0; before < owner; before++)
            slot += n_of(n, before);
        for (uint64_t i = 0; i < n_of(n, owner); i++, slot++)
            words[index_of(planner, owner, i)] += n_times * value_of(planner, slot);
    }
    return words;
}

static void add(const struct gravel_words *words, uint64_t n, uint32_t n_times)
{
    const size_t group = 64, global = (n + group) / group * group;
    struct gravel_mirror *slots;
    OK(gravel_mirror_create_slots(&slots, gravel, GRAVEL_ADD, words));
    cl_kernel send =
        body_kernel(gravel, SEND, (const uint64_t[3]){gravel_mirror_offset(slots), n, node});
    for (uint32_t time = 0; time < n_times; time++) {
        OK(gravel_launch(gravel, send, 1, &global, &group, 0, NULL, NULL));
        OK(gravel_mirror_share(slots));
    }
    clReleaseKernel(send);
    OK(gravel_mirror_destroy(slots));
}

static uint64_t count_wrong(const struct gravel_words *words, uint64_t n, uint32_t n_times)
{
    struct gravel_mirror *mirror;
    uint64_t n_wrong = 0, first = 0;
    OK(gravel_mirror_create(&mirror, gravel, words));
    OK(gravel_mirror_share(mirror));
    OK(gravel_quiet(gravel));
    const uint32_t *copies = read_map(gravel, node, gravel_mirror_offset(mirror), (n ? n : 1) * 4);
    for (uint32_t owner = 0; owner < n_nodes; owner++) {
        uint32_t *due = work_out(owner, n, n_times);
        for (uint64_t i = 0; i < words->n_words[owner]; i++)
            n_wrong += copies[first + i] != due[words->indices[first + i]];
        first += words->n_words[owner];
        free(due);
    }
    unmap(gravel, copies);
    OK(gravel_mirror_destroy(mirror));
    return n_wrong;
}

int main(int argc, char **argv)
{
    MUST(argc == 3);
    watch(220, "mirror_ledger");
    uint64_t n = strtoull(argv[1], NULL, 10);
    uint32_t n_times = (uint32_t)atoi(argv[2]);
    gravel = open_default(NULL);
    node = gravel_node(gravel);
    n_nodes = gravel_n_nodes(gravel);
    const struct gravel_words words = make_plan(alloc_or_die(gravel, N_ELEMENTS * 4), n);
    add(&words, n, n_times);
    uint64_t n_wrong = count_wrong(&words, n, n_times);
    printf("node %u of %u: %llu words, %u times: %llu wrong\n", node, n_nodes,
           (unsigned long long)n, n_times, (unsigned long long)n_wrong);
    free((void *)words.n_words);
    free((void *)words.indices);
    OK(gravel_close(gravel));
    return n_wrong != 0;
}
