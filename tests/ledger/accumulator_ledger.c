/* SPDX-License-Identifier: MIT */
/*
 * Nothing lost, doubled or misrouted by an accumulator: every node adds to words of all nodes, few of them often, launch
 * after launch, while another thread flushes when it likes. Every node works out what all have added to its words.
 *
 * usage: accumulator_ledger UPDATES LAUNCHES   of each node; ranks of a job, or a node alone
 *
 * Path: mpirun -> this -> lib/accumulate
 */
#include "bodies.h"
#include "mix.h"

#include <gravel/accumulator.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define N_ELEMENTS (UINT32_C(1) << 18) /* of a node's part of the array */

/* Update i of node c is for the node and element that mix(c << 40 | i) chooses: the kernel has the same words. */
extern const char accumulator_ledger_cl[]; /* accumulator_ledger.cl */

static struct gravel *gravel;
static uint32_t node, n_nodes;
static _Atomic bool is_over; /* relaxed: joining the thread orders */
static uint32_t n_flushes;

static uint64_t draw(uint32_t adder, uint64_t i)
{
    return mix((uint64_t)adder << 40 | i);
}

static uint32_t *work_out(uint32_t owner, uint64_t n)
{
    uint32_t *words = calloc(N_ELEMENTS, sizeof *words);
    MUST(words);
    for (uint32_t adder = 0; adder < n_nodes; adder++)
        for (uint64_t i = 0; i < n; i++) {
            uint64_t drawn = draw(adder, i);
            uint32_t index = (uint32_t)(drawn >> 60 ? drawn : drawn % 5) % N_ELEMENTS;
            if ((drawn >> 40) % n_nodes == owner)
                words[index] += (uint32_t)i * 2654435761u + adder;
        }
    return words;
}

static void *flush_again_and_again(void *accumulator)
{
    for (; !atomic_load_explicit(&is_over, memory_order_relaxed); n_flushes++)
        OK(gravel_accumulator_flush(accumulator));
    return NULL;
}

static void add(struct gravel_accumulator *accumulator, uint64_t n, uint64_t n_launches)
{
    const uint64_t each = (n + n_launches - 1) / n_launches;
    const size_t group = 64, global = (each + group - 1) / group * group;
    cl_program program = build_or_die(gravel, accumulator_ledger_cl, "-DN_ELEMENTS=262144u");
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

int main(int argc, char **argv)
{
    MUST(argc == 3);
    watch(220, "accumulator_ledger");
    uint64_t n = strtoull(argv[1], NULL, 10), n_wrong = 0;
    struct gravel_accumulator *accumulator;
    pthread_t thread;
    gravel = open_default(NULL);
    node = gravel_node(gravel);
    n_nodes = gravel_n_nodes(gravel);
    uint64_t array = alloc_or_die(gravel, N_ELEMENTS * 4);
    OK(gravel_accumulator_create(&accumulator, gravel, array, N_ELEMENTS, GRAVEL_ADD, GRAVEL_UINT));
    MUST(pthread_create(&thread, NULL, flush_again_and_again, accumulator) == 0);
    add(accumulator, n, strtoull(argv[2], NULL, 10));
    atomic_store_explicit(&is_over, true, memory_order_relaxed);
    MUST(pthread_join(thread, NULL) == 0);
    OK(gravel_barrier(gravel));
    uint32_t *due = work_out(node, n);
    const uint32_t *words = read_map(gravel, node, array, N_ELEMENTS * 4);
    for (uint32_t i = 0; i < N_ELEMENTS; i++)
        n_wrong += words[i] != due[i];
    unmap(gravel, words);
    free(due);
    printf("node %u of %u: %llu updates, %u flushes beside them: %llu wrong\n", node, n_nodes,
           (unsigned long long)n, n_flushes, (unsigned long long)n_wrong);
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_close(gravel));
    return n_wrong != 0;
}
