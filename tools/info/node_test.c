/* SPDX-License-Identifier: MIT */
/*
 * The end-to-end test. See node_test.h.
 *
 * What must have arrived is computed here by counting items one after another.
 */
#include "node_test.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define N_NODES 2u
#define N_ITEMS 8192u
#define N_COUNTERS 64u
#define HOST_WORD 7u /* of values: no kernel stores there, as it is no multiple of 3 */
#define HEAP_BYTES (1u << 20)

extern const char info_node_test_cl[];

struct node_test {
    struct gravel *gravel;
    uint64_t counters, values; /* heap offsets */
};

static int open_node(struct node_test *test, const struct gravel_config *given)
{
    struct gravel_config config = *given;
    strcpy(config.transport, "self");
    config.loopback_nodes = N_NODES;
    config.heap_bytes = HEAP_BYTES;
    config.trace[0] = '\0';
    config.stats = false;
    int code = gravel_open(&test->gravel, &config, NULL);
    if (!code)
        code = gravel_alloc(test->gravel, N_COUNTERS * sizeof(uint32_t), &test->counters);
    return code ? code : gravel_alloc(test->gravel, N_ITEMS * sizeof(uint64_t), &test->values);
}

static int send_from_kernel(const struct node_test *test)
{
    const size_t n_items = N_ITEMS, n_group = 64;
    const cl_ulong offsets[] = {test->counters, test->values};
    char options[64];
    cl_program program;
    cl_int error;
    snprintf(options, sizeof options, "-D N_COUNTERS=%u", N_COUNTERS);
    int code =
        gravel_program_build(test->gravel, "node_test.cl", info_node_test_cl, options, &program);
    if (code)
        return code;
    cl_kernel kernel = clCreateKernel(program, "send_by_number", &error);
    clReleaseProgram(program);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("clCreateKernel", error);
    for (cl_uint i = 0; i < 2; i++)
        clSetKernelArg(kernel, 1 + i, sizeof offsets[i], &offsets[i]);
    code = gravel_kernel_set_arena(test->gravel, kernel, 0);
    if (!code)
        code = gravel_launch(test->gravel, kernel, 1, &n_items, &n_group, 0, NULL, NULL);
    clReleaseKernel(kernel);
    return code;
}

/* To the last node, and back. */
static int send_from_host(const struct node_test *test)
{
    const uint64_t at = test->values + HOST_WORD * sizeof(uint64_t), sent = 0x0123456789abcdef;
    uint64_t got = 0;
    int code = gravel_put(test->gravel, at, &sent, sizeof sent, N_NODES - 1);
    if (!code)
        code = gravel_quiet(test->gravel);
    if (!code)
        code = gravel_get(test->gravel, at, &got, sizeof got, N_NODES - 1);
    if (!code && got != sent)
        code = gravel_fail(GRAVEL_ECORRUPT, "put %#llx, but got %#llx", (unsigned long long)sent,
                           (unsigned long long)got);
    return code;
}

static int check_word(const char *what, uint32_t node, uint32_t index, uint64_t want, uint64_t have)
{
    return want == have
               ? 0
               : gravel_fail(GRAVEL_ECORRUPT, "%s[%u] of node %u is %llu instead of %llu", what,
                             index, node, (unsigned long long)have, (unsigned long long)want);
}

static int check_words(uint32_t node, const uint32_t *counters, const uint64_t *values)
{
    uint32_t want[N_COUNTERS] = {0};
    int code = 0;
    for (uint32_t i = 0; i < N_ITEMS && !code; i++) {
        bool is_mine = i % N_NODES == node, is_host_word = i == HOST_WORD && node == N_NODES - 1;
        want[i / 2 % N_COUNTERS] += is_mine;
        if (!is_host_word)
            code =
                check_word("values", node, i, is_mine && i % 3 == 0 ? 3ull * i + 1 : 0, values[i]);
    }
    for (uint32_t i = 0; i < N_COUNTERS && !code; i++)
        code = check_word("counters", node, i, want[i], counters[i]);
    return code;
}

static int check_node(const struct node_test *test, uint32_t node)
{
    void *counters = NULL, *values = NULL;
    int code = gravel_map(test->gravel, test->counters, N_COUNTERS * sizeof(uint32_t), CL_MAP_READ,
                          node, &counters);
    if (!code)
        code = gravel_map(test->gravel, test->values, N_ITEMS * sizeof(uint64_t), CL_MAP_READ, node,
                          &values);
    if (!code)
        code = check_words(node, counters, values);
    gravel_unmap(test->gravel, values);
    gravel_unmap(test->gravel, counters);
    return code;
}

int info_node_test(const struct gravel_config *config, uint64_t *n_messages)
{
    struct node_test test = {.gravel = NULL};
    struct gravel_stats stats = {0};
    int code = open_node(&test, config);
    if (!code)
        code = send_from_kernel(&test);
    if (!code)
        code = send_from_host(&test);
    if (!code)
        code = gravel_barrier(test.gravel);
    for (uint32_t node = 0; node < N_NODES && !code; node++)
        code = check_node(&test, node);
    if (!code)
        code = gravel_stats_read(test.gravel, &stats, sizeof stats, GRAVEL_ALL_NODES);
    *n_messages = stats.resolved_messages;
    int closed = gravel_close(test.gravel);
    return code ? code : closed;
}
