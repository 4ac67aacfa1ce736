/* SPDX-License-Identifier: MIT */
/*
 * Nothing lost, doubled or misrouted by an accumulator or by mirrors: every node adds to words of all nodes, few of them
 * often. By an accumulator in several launches, while another thread flushes when it likes; by slots several times, whose
 * words are then read as copies. Every node works out what all have added.
 *
 * usage: words_ledger accumulator UPDATES LAUNCHES   of each node; ranks of a job, or a node alone
 *        words_ledger mirrors WORDS TIMES
 *
 * Path: mpirun -> this -> lib/accumulate, lib/mirror
 */
#include "bodies.h"
#include "mix.h"

#include <gravel/accumulator.h>
#include <gravel/mirror.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_ELEMENTS (UINT32_C(1) << 18) /* of a node's part of the array */

/* The kernel of updates has the same words. */
extern const char words_ledger_cl[]; /* words_ledger.cl */

static struct gravel *gravel;
static uint32_t node, n_nodes, *due;
static uint64_t array, n;    /* updates, or slots, of each node */
static _Atomic bool is_over; /* relaxed: joining the thread orders */

/* Where update i of a node goes. */
struct word {
    uint32_t owner, index;
};

static struct word word_of(uint32_t adder, uint64_t i)
{
    const uint64_t drawn = mix((uint64_t)adder << 40 | i);
    return (struct word){(uint32_t)((drawn >> 40) % n_nodes),
                         (uint32_t)(drawn >> 60 ? drawn : drawn % 5) % N_ELEMENTS};
}

/* Slots of a node for the words of the nodes before. */
static uint64_t first_slot(uint32_t adder, uint32_t owner)
{
    uint64_t before = 0;
    for (uint64_t i = 0; i < n; i++)
        before += word_of(adder, i).owner < owner;
    return before;
}

/* Adds up what all nodes have added to the words of one: its number's multiple, which is the update's or the slot's. */
static void work_out(uint32_t owner, bool by_slots, uint32_t n_times)
{
    memset(due, 0, N_ELEMENTS * sizeof *due);
    for (uint32_t adder = 0; adder < n_nodes; adder++) {
        uint64_t slot = by_slots ? first_slot(adder, owner) : 0;
        for (uint64_t i = 0; i < n; i++) {
            const struct word word = word_of(adder, i);
            if (word.owner == owner)
                due[word.index] +=
                    n_times * ((uint32_t)(by_slots ? slot++ : i) * 2654435761u + adder);
        }
    }
}

static void *flush_again_and_again(void *accumulator)
{
    while (!atomic_load_explicit(&is_over, memory_order_relaxed))
        OK(gravel_accumulator_flush(accumulator));
    return NULL;
}

static void launch_updates(struct gravel_accumulator *accumulator, uint32_t n_launches)
{
    const uint64_t each = (n + n_launches - 1) / n_launches;
    const size_t group = 64, global = (each + group - 1) / group * group;
    cl_program program = build_or_die(gravel, words_ledger_cl, "-DN_ELEMENTS=262144u");
    cl_kernel kernel = kernel_or_die(gravel, program, "add");
    clReleaseProgram(program);
    OK(gravel_kernel_set_accumulator(accumulator, kernel, 1));
    for (uint64_t first = 0; first < n; first += each) {
        const cl_ulong end = first + each < n ? first + each : n;
        MUST(clSetKernelArg(kernel, 2, sizeof first, &first) == CL_SUCCESS);
        MUST(clSetKernelArg(kernel, 3, sizeof end, &end) == CL_SUCCESS);
        OK(gravel_launch(gravel, kernel, 1, &global, &group, 0, NULL, NULL));
    }
    clReleaseKernel(kernel);
}

static uint64_t accumulate(uint32_t n_launches)
{
    struct gravel_accumulator *accumulator;
    pthread_t thread;
    uint64_t n_wrong = 0;
    OK(gravel_accumulator_create(&accumulator, gravel, array, N_ELEMENTS, GRAVEL_ADD, GRAVEL_UINT));
    MUST(pthread_create(&thread, NULL, flush_again_and_again, accumulator) == 0);
    launch_updates(accumulator, n_launches);
    atomic_store_explicit(&is_over, true, memory_order_relaxed);
    MUST(pthread_join(thread, NULL) == 0);
    OK(gravel_barrier(gravel));
    work_out(node, false, 1);
    const uint32_t *words = read_map(gravel, node, array, N_ELEMENTS * 4);
    for (uint32_t i = 0; i < N_ELEMENTS; i++)
        n_wrong += words[i] != due[i];
    unmap(gravel, words);
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    return n_wrong;
}

static struct gravel_words make_plan(void)
{
    uint64_t *n_words = calloc(n_nodes, sizeof *n_words), next = 0;
    uint32_t *indices = malloc((n + 1) * sizeof *indices);
    MUST(n_words && indices);
    for (uint32_t owner = 0; owner < n_nodes; owner++)
        for (uint64_t i = 0; i < n; i++)
            if (word_of(node, i).owner == owner) {
                indices[next++] = word_of(node, i).index;
                n_words[owner]++;
            }
    return (struct gravel_words)GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
}

#define SEND \
    BODY("if (i < b) ((global uint *)gravel_local(g, a))[i] = (uint)i * 2654435761u + (uint)c;")

static void add_by_slots(const struct gravel_words *words, uint32_t n_times)
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

static uint64_t mirror(uint32_t n_times)
{
    const struct gravel_words words = make_plan();
    struct gravel_mirror *mirror;
    uint64_t n_wrong = 0, first = 0;
    add_by_slots(&words, n_times);
    OK(gravel_mirror_create(&mirror, gravel, &words));
    OK(gravel_mirror_share(mirror));
    OK(gravel_quiet(gravel));
    const uint32_t *copies = read_map(gravel, node, gravel_mirror_offset(mirror), (n ? n : 1) * 4);
    for (uint32_t owner = 0; owner < n_nodes; owner++) {
        work_out(owner, true, n_times);
        for (uint64_t i = 0; i < words.n_words[owner]; i++)
            n_wrong += copies[first + i] != due[words.indices[first + i]];
        first += words.n_words[owner];
    }
    unmap(gravel, copies);
    OK(gravel_mirror_destroy(mirror));
    free((void *)words.n_words);
    free((void *)words.indices);
    return n_wrong;
}

int main(int argc, char **argv)
{
    MUST(argc == 4);
    watch(220, "words_ledger");
    n = strtoull(argv[2], NULL, 10);
    gravel = open_default(NULL);
    node = gravel_node(gravel);
    n_nodes = gravel_n_nodes(gravel);
    array = alloc_or_die(gravel, N_ELEMENTS * 4);
    due = malloc(N_ELEMENTS * sizeof *due);
    MUST(due);
    uint64_t n_wrong = (strcmp(argv[1], "mirrors") ? accumulate : mirror)((uint32_t)atoi(argv[3]));
    printf("node %u of %u: %llu words, %s times: %llu wrong\n", node, n_nodes,
           (unsigned long long)n, argv[3], (unsigned long long)n_wrong);
    free(due);
    OK(gravel_close(gravel));
    return n_wrong != 0;
}
