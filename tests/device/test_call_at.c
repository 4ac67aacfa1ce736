/* SPDX-License-Identifier: MIT */
/*
 * gravel_call_at in checked mode: indices inside are addresses, one outside is named with handler, base and bound, and
 * changes nothing; also of handlers with keys, which launches of servers send to. So it is
 * with gravel_local_at of kernels.
 *
 * Path: meson test -> this -> cl/device/call.cl.h, lib/serve/calls.c, lib/memory/memory.c
 */
#include <gravel/server.h>

#include <stdlib.h>

#include "expect.h"

#define N 64u

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "void store(struct gravel_call call, ulong base, ulong i, ulong value)\n"
    "{\n"
    "    *(global uint *)gravel_call_at(call, base, i, sizeof(uint)) = (uint)value;\n"
    "}\n"
    "void keep(struct gravel_call call, ulong key, ulong value)\n"
    "{\n"
    "    *(global uint *)gravel_call_at(call, call.constants[0], key, sizeof(uint)) = "
    "(uint)value;\n"
    "}\n"
    "kernel void send(GRAVEL_ARENA, ulong first)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    GRAVEL_SERVE(g, item, active)\n"
    "        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(keep), first + item, item + 3, 0);\n"
    "}\n";

static const struct gravel_handler handlers[] = {
    {.name = "store", .n_args = 3},
    {.name = "keep", .n_args = 2, .serve = {.n_keys = 1}},
};
static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 2, .device_code.source = source,
                    .device_code.name = "store.cl");

/* A message from the host to node 1. */
static int store_at(struct gravel *gravel, uint64_t base, uint64_t index)
{
    const uint64_t args[] = {base, index, 7};
    int code = gravel_am(gravel, 0, args, 3, 1);
    return code ? code : gravel_quiet(gravel);
}

TEST(every_index_inside_is_an_address)
{
    struct gravel *gravel = scoped_loopback(2, &table);
    const uint64_t words = alloc_or_die(gravel, 4 * N), freed = alloc_or_die(gravel, 4 * N);
    const uint64_t last = alloc_or_die(gravel, 4 * N);
    OK(gravel_free(gravel, freed));
    OK(run_body(gravel,
                BODY("gravel_am3_wg(g, GRAVEL_HANDLER(store), a, i, i + 1, 1);"
                     "gravel_am3_wg(g, GRAVEL_HANDLER(store), b, i, i + 2, 1);"),
                N, 64, words, last, 0));
    OK(store_at(gravel, last + 4 * (N - 1), 0)); /* a base inside */
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(word32(gravel, 1, words + 4 * i), i + 1);
        assert_int_equal(word32(gravel, 1, last + 4 * i), i == N - 1 ? 7 : i + 2);
    }
    OK(run_body(gravel,
                BODY("*(global uint *)gravel_local_at(g, a, i, sizeof(uint)) = (uint)i;"
                     "if (i < 2) *(global uint *)gravel_local_at(g, b + 8, 60 + i, "
                     "sizeof(uint)) = 7;"),
                N, 64, words, last, 0));
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(word32(gravel, 0, words + 4 * i), i);
        assert_int_equal(word32(gravel, 0, last + 4 * i), i < N - 2 ? 0 : 7);
    }
}

/* Returns what a handler's store met, or that of a kernel. */
static int store_outside(struct gravel *gravel, bool is_kernel, uint64_t base, uint64_t index)
{
    return is_kernel ? run_body(gravel,
                                BODY("if (i == 0) *(global uint *)gravel_local_at(g, a, b, "
                                     "sizeof(uint)) = 7;"),
                                N, 64, base, index, 0)
                     : store_at(gravel, base, index);
}

/* One fault ends a node, so each has its own. */
TEST(index_outside_is_named)
{
    static const char *const who[] = {"handler store, line 4, at node 1: gravel_call_at of ",
                                      ", line 7: gravel_local_at of "};
    static const struct {
        uint64_t from_base, index;
        bool is_freed;
        const char *part;
    } rows[] = {
        {0, N, false, "index 64 at base 64, of an allocation in which it must be below 64"},
        {8, N - 2, false, "it must be below 62"},
        {0, UINT64_C(1) << 62, false, "index 4611686018427387904"},
        {0, UINT64_MAX, false, "index 18446744073709551615"},
        {UINT64_C(1) << 40, 0, false, "which is in no allocation"},
        {0, 0, true, "which is in no allocation"},
    };
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        struct gravel *gravel = open_loopback(2, &table);
        const uint64_t words = alloc_or_die(gravel, 4 * N);
        alloc_or_die(gravel, 4 * N);
        if (rows[i / 2].is_freed)
            OK(gravel_free(gravel, words));
        expect_error(store_outside(gravel, i % 2, words + rows[i / 2].from_base, rows[i / 2].index),
                     GRAVEL_EKERNEL, rows[i / 2].part);
        assert_non_null(strstr(gravel_last_error(), who[i % 2]));
        gravel_close(gravel);
    }
}

/* A launch's handlers have run when it returns, as without checked mode. */
TEST(launches_of_servers_are_checked)
{
    struct gravel *gravel = scoped_loopback(1, &table);
    cl_program program;
    uint64_t words = alloc_or_die(gravel, 4 * N), first = 0;
    OK(gravel_set_constant(gravel, 0, words));
    OK(gravel_server_build(gravel, "send.cl", source, NULL, &program));
    cl_kernel send = kernel_or_die(gravel, program, "send");
    SET(send, 1, first);
    OK(gravel_server_launch(gravel, send, N, 0, NULL, NULL));
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(word32(gravel, 0, words + 4 * i), i + 3);
    first = 1;
    SET(send, 1, first);
    expect_error(gravel_server_launch(gravel, send, N, 0, NULL, NULL), GRAVEL_EKERNEL,
                 "handler keep, line 8, at node 0: gravel_call_at of index 64");
    clReleaseKernel(send);
    clReleaseProgram(program);
    closes_with(gravel, ANY_CODE, "");
}

/* Of so many allocations only the heap's end is a bound. */
TEST(heap_with_too_many_allocations_is_the_bound)
{
    struct gravel *gravel = scoped_loopback(2, &table);
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    for (uint32_t i = 0; i < 1024; i++)
        alloc_or_die(gravel, 64);
    OK(store_at(gravel, words, N));
    assert_int_equal(word32(gravel, 1, words + 4 * N), 7);
    expect_error(store_at(gravel, words, gravel_config_of(gravel)->heap_bytes / 4 + 1024),
                 GRAVEL_EKERNEL, "at base 64, of an allocation in which");
    closes_with(gravel, ANY_CODE, "");
}

static void check(void)
{
    MUST(setenv("GRAVEL_CHECK", "1", 1) == 0);
}

const struct fixture fixture = {.open = check};
