/* SPDX-License-Identifier: MIT */
/*
 * The end-to-end test. See devices.h.
 *
 * What must have arrived is computed here by counting items one after another.
 */
#include "devices.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define N_NODES 2u
#define N_ITEMS 8192u
#define N_COUNTERS 64u
#define HOST_WORD 7u /* of values: no kernel stores there, as it is no multiple of 3 */
#define HEAP_BYTES (1u << 20)

extern const char info_node_test_cl[];

/* What kernels and host have sent to. */
struct node_test {
    struct gravel *gravel;
    cl_ulong offsets[2]; /* of counters [N_COUNTERS] uint and values [N_ITEMS] ulong, in the heap */
};

static int open_node(struct node_test *test, const struct gravel_config *given)
{
    struct gravel_config config = *given;
    strcpy(config.transport, "self");
    config.loopback_nodes = N_NODES;
    config.heap_bytes = HEAP_BYTES;
    config.trace[0] = '\0';
    config.stats = false;
    GRAVEL_TRY(gravel_open(&test->gravel, &config, NULL));
    GRAVEL_TRY(gravel_alloc(test->gravel, N_COUNTERS * sizeof(uint32_t), &test->offsets[0]));
    return gravel_alloc(test->gravel, N_ITEMS * sizeof(uint64_t), &test->offsets[1]);
}

static int launch(const struct node_test *test, cl_kernel kernel)
{
    const size_t n_items = N_ITEMS, n_group = 64;
    for (cl_uint i = 0; i < 2; i++)
        clSetKernelArg(kernel, 1 + i, sizeof test->offsets[i], &test->offsets[i]);
    GRAVEL_TRY(gravel_kernel_set_arena(test->gravel, kernel, 0));
    return gravel_launch(test->gravel, kernel, 1, &n_items, &n_group, 0, NULL, NULL);
}

static int send_from_kernel(const struct node_test *test)
{
    char options[64];
    cl_program program;
    cl_int error;
    snprintf(options, sizeof options, "-D N_COUNTERS=%u", N_COUNTERS);
    GRAVEL_TRY(
        gravel_program_build(test->gravel, "node_test.cl", info_node_test_cl, options, &program));
    cl_kernel kernel = clCreateKernel(program, "send_by_number", &error);
    clReleaseProgram(program);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("clCreateKernel", error);
    int code = launch(test, kernel);
    clReleaseKernel(kernel);
    return code;
}

/* Fails if a word is not as it should be. */
static int check_word(const char *what, uint32_t node, uint32_t index, uint64_t want, uint64_t have)
{
    return want == have ? 0
                        : gravel_fail(GRAVEL_ECORRUPT,
                                      "%s[%u] of node %u is %" PRIu64 " instead of %" PRIu64, what,
                                      index, node, have, want);
}

/* To the last node, and back. */
static int send_from_host(const struct node_test *test)
{
    const uint64_t at = test->offsets[1] + HOST_WORD * sizeof(uint64_t), sent = 0x0123456789abcdef;
    uint64_t got = 0;
    GRAVEL_TRY(gravel_put(test->gravel, at, &sent, sizeof sent, N_NODES - 1));
    GRAVEL_TRY(gravel_quiet(test->gravel));
    GRAVEL_TRY(gravel_get(test->gravel, at, &got, sizeof got, N_NODES - 1));
    return check_word("put and got: values", N_NODES - 1, HOST_WORD, sent, got);
}

static int check_words(uint32_t node, const uint32_t *counters, const uint64_t *values)
{
    uint32_t want[N_COUNTERS] = {0};
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        bool is_mine = i % N_NODES == node, is_host_word = i == HOST_WORD && node == N_NODES - 1;
        want[i / 2 % N_COUNTERS] += is_mine;
        if (!is_host_word)
            GRAVEL_TRY(
                check_word("values", node, i, is_mine && i % 3 == 0 ? 3ull * i + 1 : 0, values[i]));
    }
    for (uint32_t i = 0; i < N_COUNTERS; i++)
        GRAVEL_TRY(check_word("counters", node, i, want[i], counters[i]));
    return 0;
}

static int check_node(const struct node_test *test, uint32_t node)
{
    void *counters, *values;
    GRAVEL_TRY(gravel_map(test->gravel, test->offsets[0], N_COUNTERS * sizeof(uint32_t),
                          CL_MAP_READ, node, &counters));
    GRAVEL_TRY(gravel_map(test->gravel, test->offsets[1], N_ITEMS * sizeof(uint64_t), CL_MAP_READ,
                          node, &values));
    GRAVEL_TRY(check_words(node, counters, values));
    GRAVEL_TRY(gravel_unmap(test->gravel, values));
    return gravel_unmap(test->gravel, counters);
}

/* What is open or mapped behind an error ends with the child's process. */
int info_node_test(const struct gravel_config *config, uint64_t *n_messages)
{
    struct node_test test;
    struct gravel_stats stats;
    GRAVEL_TRY(open_node(&test, config));
    GRAVEL_TRY(send_from_kernel(&test));
    GRAVEL_TRY(send_from_host(&test));
    GRAVEL_TRY(gravel_barrier(test.gravel));
    for (uint32_t node = 0; node < N_NODES; node++)
        GRAVEL_TRY(check_node(&test, node));
    GRAVEL_TRY(gravel_stats_read(test.gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    *n_messages = stats.resolved_messages;
    return gravel_close(test.gravel);
}
