/* SPDX-License-Identifier: MIT */
/*
 * Handlers whose arguments have 4 bytes: run by host and device, with a key and without, in servers, from their mailbox,
 * and asked; what travels is half as much; and what is refused.
 *
 * Path: meson test -> this -> cl/layout/command.h, lib/resolve/apply.c, lib/serve/mail.c, cl/device/call.cl.h
 */
#include "expect.h"

#include <gravel/server.h>

#define N_NODES 2u
#define N_KEYS 31u
#define N 4096u

extern const char arguments_cl[]; /* kernels/arguments.cl */

static uint64_t noted[4]; /* by the host's handler: number, and sums of its arguments */

static int note(struct gravel *gravel, void *user, uint32_t from,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)user, (void)from;
    noted[0]++;
    for (uint32_t i = 0; i < 3; i++)
        noted[1 + i] += args[i];
    return args[3] != 0;
}

enum { TALLY, WIDE, ADD, DRAW, NOTE };
static const struct gravel_handler handlers[] = {
    {.name = "tally", .n_args = 2, .arg_bytes = 4},
    {.name = "wide", .n_args = 2, .arg_bytes = 8},
    {.name = "add", .n_args = 4, .arg_bytes = 4, .serve = {.n_keys = 1}},
    {.name = "draw", .n_args = 2, .n_answers = 1, .arg_bytes = 4, .serve = {.n_keys = 1}},
    {.name = "note", .n_args = 3, .function = note, .arg_bytes = 4},
};
static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                    .device_code.source = arguments_cl, .device_code.name = "arguments.cl");

static struct gravel *open_nodes(void)
{
    struct gravel_config config = loopback_config(N_NODES);
    struct gravel *gravel;
    watch(90, "arguments of 4 bytes");
    config.timeout_ms *= patience();
    strcpy(config.server_mode, has_argument("resident") ? "resident" : "phases");
    OK(gravel_open(&gravel, &config, &table));
    return gravel;
}

static uint64_t sent_bytes(struct gravel *gravel)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, 1));
    return stats.buffer_bytes;
}

TEST(half_as_much_travels)
{
    struct gravel *gravel = open_nodes();
    const uint64_t counters = alloc_or_die(gravel, 64), before = sent_bytes(gravel);
    OK(run_body(gravel, "gravel_am2_wg(g, GRAVEL_HANDLER(wide), a, 2, 1);", N, 64, counters, 0, 0));
    const uint64_t between = sent_bytes(gravel);
    OK(run_body(gravel, "gravel_am2_wg(g, GRAVEL_HANDLER(tally), a, 2, 1);", N, 64, counters, 0,
                0));
    const uint64_t wide = between - before, narrow = sent_bytes(gravel) - between;
    assert_in_range(wide, 16 * N, 18 * N);
    assert_in_range(narrow, 8 * N, 9 * N);
    assert_int_equal(word32(gravel, 1, counters + 8), 2 * N);
    OK(gravel_close(gravel));
}

TEST(the_host_takes_and_sends_them)
{
    struct gravel *gravel = open_nodes();
    const uint64_t sums = alloc_or_die(gravel, 4 * N_KEYS);
    const uint64_t args[] = {7, sums, UINT32_MAX, 0}, wrong[] = {7, UINT64_C(1) << 32, 0, 0};
    memset(noted, 0, sizeof noted);
    OK(run_body(gravel, "gravel_am3_wg(g, GRAVEL_HANDLER(note), i, 4294967295u, 5, 1);", N, 64, 0,
                0, 0));
    OK(gravel_am(gravel, NOTE, args, 3, 0));
    OK(gravel_am(gravel, ADD, args, 4, 1));
    OK(gravel_am(gravel, ADD, args, 4, 1));
    expect_error(gravel_am(gravel, ADD, wrong, 4, 1), GRAVEL_EINVAL,
                 "handler add takes arguments of 4 bytes, and argument 1 is 4294967296");
    OK(gravel_quiet(gravel));
    assert_int_equal(noted[0], N + 1);
    assert_int_equal(noted[1], N * (N - 1) / 2 + 7);
    assert_int_equal(noted[2], N * (uint64_t)UINT32_MAX + sums);
    assert_int_equal(noted[3], N * 5 + (uint64_t)UINT32_MAX);
    assert_int_equal(word32(gravel, 1, sums + 28), (uint32_t)-2);
    OK(gravel_close(gravel));
}

/* Servers of the own node, and of another by line or mailbox; sums and drawn numbers. */
TEST(servers_take_them)
{
    struct gravel *gravel = open_nodes();
    const uint32_t sums = (uint32_t)alloc_or_die(gravel, 8 * N_KEYS);
    const uint64_t answers = alloc_or_die(gravel, 4 * N);
    uint32_t drawn[N_NODES][N_KEYS] = {{0}}, total[N_NODES][N_KEYS] = {{0}};
    cl_program program;
    OK(gravel_server_build(gravel, "arguments.cl", arguments_cl, NULL, &program));
    cl_kernel kernel = kernel_or_die(gravel, program, "serve");
    MUST(clSetKernelArg(kernel, 1, sizeof sums, &sums) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 2, sizeof answers, &answers) == CL_SUCCESS);
    OK(gravel_server_launch(gravel, kernel, N, 0, NULL, NULL));
    OK(gravel_quiet(gravel));
    const uint32_t *got = read_map(gravel, 0, answers, 4 * N);
    static unsigned char seen[N_NODES][N_KEYS][N];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t key = i % N_KEYS, node = i % 2;
        assert_int_equal(got[i] >> 16, key | node << 8);
        assert_int_equal(seen[node][key][got[i] & 0xffff]++, 0);
        drawn[node][key]++;
        total[node][key] += i;
    }
    unmap(gravel, got);
    for (uint32_t node = 0; node < N_NODES; node++) {
        const uint32_t *found = read_map(gravel, node, sums, 8 * N_KEYS);
        assert_memory_equal(found, total[node], sizeof total[node]);
        assert_memory_equal(found + N_KEYS, drawn[node], sizeof drawn[node]);
        unmap(gravel, found);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
}

/* ---- what is refused --------------------------------------------------------------------------- */

/* A kernel that names a handler by a number of its own, of the other width. */
TEST(messages_of_the_other_width_are_refused)
{
    struct gravel *gravel = open_nodes();
    const uint64_t counters = alloc_or_die(gravel, 64);
    expect_error(run_body(gravel, "gravel_am2_wg(g, 0, a, 2, 1);", 64, 64, counters, 0, 0),
                 GRAVEL_EHANDLER, "(tally) takes arguments of 4 bytes, the message has them of 8");
    expect_words(gravel, 1, counters, 0, 16);
    OK(gravel_close(gravel));
}
