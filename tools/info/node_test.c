/* SPDX-License-Identifier: MIT */
/*
 * The end-to-end test. See devices.h.
 *
 * What must have arrived is computed here by counting items one after another.
 */
#include "devices.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define N_NODES 2u
#define N_ITEMS 8192u
#define N_COUNTERS 64u
#define HOST_WORD 7u /* of values: no kernel stores there, as it is no multiple of 3 */
#define HOST_VALUE UINT64_C(0x0123456789abcdef)

extern const char info_node_test_cl[];

/* What kernels and host send to, at each node. */
struct words {
    uint64_t values[N_ITEMS];
    uint32_t counters[N_COUNTERS];
};

static int open_node(struct gravel **gravel, const struct gravel_config *given, uint64_t *at)
{
    struct gravel_config config = *given;
    strcpy(config.transport, "self");
    config.loopback_nodes = N_NODES;
    config.heap_bytes = 1u << 20;
    config.trace[0] = '\0';
    config.stats = false;
    GRAVEL_TRY(gravel_open(gravel, &config, NULL));
    return gravel_alloc(*gravel, sizeof(struct words), at);
}

static int send_from_kernel(struct gravel *gravel, uint64_t at)
{
    const size_t n_items = N_ITEMS, n_group = 64;
    char options[64];
    cl_program program;
    cl_int error;
    snprintf(options, sizeof options, "-D N_ITEMS=%u -D N_COUNTERS=%u", N_ITEMS, N_COUNTERS);
    GRAVEL_TRY(gravel_program_build(gravel, "node_test.cl", info_node_test_cl, options, &program));
    cl_kernel kernel = clCreateKernel(program, "send_by_number", &error);
    clReleaseProgram(program);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("clCreateKernel", error);
    clSetKernelArg(kernel, 1, sizeof at, &at);
    int code = gravel_kernel_set_arena(gravel, kernel, 0);
    if (!code)
        code = gravel_launch(gravel, kernel, 1, &n_items, &n_group, 0, NULL, NULL);
    clReleaseKernel(kernel);
    return code;
}

/* Fails if a word is not as it should be. */
static int check(const char *what, uint32_t node, uint32_t index, uint64_t want, uint64_t have)
{
    return want == have ? 0
                        : gravel_fail(GRAVEL_ECORRUPT,
                                      "%s[%u] of node %u is %" PRIu64 " instead of %" PRIu64, what,
                                      index, node, have, want);
}

/* To the last node, and back. */
static int send_from_host(struct gravel *gravel, uint64_t at)
{
    const uint64_t sent = HOST_VALUE, word = at + HOST_WORD * sizeof sent;
    uint64_t got = 0;
    GRAVEL_TRY(gravel_put(gravel, word, &sent, sizeof sent, N_NODES - 1));
    GRAVEL_TRY(gravel_quiet(gravel));
    GRAVEL_TRY(gravel_get(gravel, word, &got, sizeof got, N_NODES - 1));
    return check("put and got: values", N_NODES - 1, HOST_WORD, sent, got);
}

static int check_node(struct gravel *gravel, uint64_t at, uint32_t node)
{
    uint32_t n_counted[N_COUNTERS] = {0};
    void *mapped;
    GRAVEL_TRY(gravel_map(gravel, at, sizeof(struct words), CL_MAP_READ, node, &mapped));
    const struct words *words = mapped;
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        const bool is_mine = i % N_NODES == node;
        const uint64_t sent = i == HOST_WORD && node == N_NODES - 1 ? HOST_VALUE : 0;
        n_counted[i / 2 % N_COUNTERS] += is_mine;
        GRAVEL_TRY(check("values", node, i, is_mine && i % 3 == 0 ? 3ull * i + 1 : sent,
                         words->values[i]));
    }
    for (uint32_t i = 0; i < N_COUNTERS; i++)
        GRAVEL_TRY(check("counters", node, i, n_counted[i], words->counters[i]));
    return gravel_unmap(gravel, mapped);
}

/* What is open or mapped behind an error ends with the child's process. */
int info_node_test(const struct gravel_config *config, uint64_t *n_messages)
{
    struct gravel *gravel;
    struct gravel_stats stats;
    uint64_t at;
    GRAVEL_TRY(open_node(&gravel, config, &at));
    GRAVEL_TRY(send_from_kernel(gravel, at));
    GRAVEL_TRY(send_from_host(gravel, at));
    GRAVEL_TRY(gravel_barrier(gravel));
    for (uint32_t node = 0; node < N_NODES; node++)
        GRAVEL_TRY(check_node(gravel, at, node));
    GRAVEL_TRY(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    *n_messages = stats.resolved_messages;
    return gravel_close(gravel);
}
