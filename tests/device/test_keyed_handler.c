/* SPDX-License-Identifier: MIT */
/*
 * Handlers with a key: those with equal keys never run at once, whoever sent the messages.
 *
 * The witness is that of tests/support/witness.h.
 *
 * Path: meson test -> this -> lib/serve/calls.c, cl/device/serve.cl.h, lib/node/agree.c
 */
#include "expect.h"
#include "witness.h"

#define N_KEYS 24u
#define N_NODES 3u

/* Ids by position in the table below. */
enum { WITNESS, TWICE, TALLY };

extern const char keyed_handler_cl[]; /* kernels/keyed_handler.cl */

static const struct gravel_handler handlers[] = {
    {.name = "witness", .n_args = 3, .serve = {.n_keys = 1}},
    {.name = "twice", .n_args = 3, .serve = {.n_keys = 1}},
    {.name = "tally", .n_args = 2},
};

static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                    .device_code.source = keyed_handler_cl, .device_code.name = "witness.cl");

static struct gravel *open_with(uint32_t n_servers, uint32_t server_items, const char *options)
{
    struct gravel_config config = loopback_config(N_NODES);
    struct gravel *gravel;
    config.buffer_bytes = 1u << 20; /* runs so long that groups that serve run side by side */
    config.timeout_ms *= patience();
    config.n_servers = n_servers;
    config.server_items = server_items;
    if (*options)
        strcpy(config.build_options, options);
    OK(gravel_open(&gravel, &config, &table));
    return gravel;
}

/* What every node's keys must have seen, of n messages: number i is for node i % N_NODES, and its key. */
static void expect_guarded(struct gravel *gravel, uint64_t at, uint32_t n, uint32_t n_keys,
                           uint32_t each)
{
    for (uint32_t node = 0; node < N_NODES; node++) {
        const struct guarded_key *keys = read_map(gravel, node, at, N_KEYS * sizeof *keys);
        uint32_t expected[N_KEYS] = {0};
        for (uint32_t i = node; i < n; i += N_NODES)
            expected[i / N_NODES % n_keys] += each;
        for (uint32_t key = 0; key < N_KEYS; key++) {
            assert_int_equal(keys[key].n_run, expected[key]);
            assert_int_equal(keys[key].n_clashes, 0);
        }
        unmap(gravel, keys);
    }
}

/* The first three launches make long runs, each of one handler; the last, runs of a few messages of either. */
static const char sending[] =
    "if (c == 0) gravel_am3_wg(g, GRAVEL_HANDLER(witness), i / 3 % b, i, a, i % 3);"
    "if (c == 1) gravel_am3_wg_if(g, i % 2, GRAVEL_HANDLER(twice), i / 3 % b, i, a, i % 3);"
    "if (c == 2) gravel_am3_wg_if(g, i % 2 == 0, GRAVEL_HANDLER(twice), i / 3 % b, i, a, i % 3);"
    "if (c == 3) {"
    "    gravel_am3_wg(g, GRAVEL_HANDLER(witness), i / 3 % b, i, a, i % 3);"
    "    gravel_am3_wg(g, GRAVEL_HANDLER(twice), i / 3 % b, i, a, i % 3);"
    "}";

static void send_all(struct gravel *gravel, uint64_t at, uint32_t n, uint32_t n_keys)
{
    const uint64_t arguments[3] = {at, n_keys, 0};
    cl_kernel kernel = body_kernel(gravel, sending, arguments);
    for (cl_ulong launch = 0; launch < 4; launch++) {
        MUST(clSetKernelArg(kernel, 3, sizeof launch, &launch) == CL_SUCCESS);
        OK(run_kernel(gravel, kernel, n, 64));
    }
    clReleaseKernel(kernel);
}

/* Two handlers, every node, from work-groups. */
static void expect_exclusion(struct gravel *gravel, uint32_t n, uint32_t n_keys)
{
    uint64_t at = alloc_or_die(gravel, N_KEYS * sizeof(struct guarded_key));
    send_all(gravel, at, n, n_keys);
    expect_guarded(gravel, at, n, n_keys, 6);
    OK(gravel_free(gravel, at));
}

static void expect_exclusion_of_all(struct gravel *gravel)
{
    const uint32_t n_keys[] = {1, 7};
    for (size_t i = 0; i < sizeof n_keys / sizeof *n_keys; i++)
        expect_exclusion(gravel, 8192, n_keys[i]);
    expect_exclusion(gravel, 64, N_KEYS);
}

TEST(equal_keys_exclude_each_other)
{
    watch(90, "servers as they are derived");
    struct gravel *gravel = open_with(0, 0, "");
    expect_exclusion_of_all(gravel);
    OK(gravel_close(gravel));
}

/* As on a GPU: groups of many work-items, and lists. */
TEST(equal_keys_exclude_each_other_in_lists)
{
    watch(90, "servers with lists");
    struct gravel *gravel = open_with(5, 32, "-DGRAVEL_FORM_SCAN");
    expect_exclusion_of_all(gravel);
    OK(gravel_close(gravel));
}

/* Among others: before, between and behind messages of handlers without keys, and updates. */
TEST(handlers_with_and_without_keys_live_in_one_table)
{
    watch(90, "handlers of both kinds");
    struct gravel *gravel = open_with(2, 0, "");
    uint64_t at = alloc_or_die(gravel, N_KEYS * sizeof(struct guarded_key));
    uint64_t counters = alloc_or_die(gravel, 64), word = alloc_or_die(gravel, 64);
    OK(run_body(gravel,
                "gravel_am2_wg(g, GRAVEL_HANDLER(tally), 3, b, i % 3);"
                "gravel_am3_wg(g, GRAVEL_HANDLER(witness), i / 3 % 24, i, a, i % 3);"
                "gravel_inc_uint_wg(g, c, 0, i % 3);"
                "gravel_am2_wg(g, GRAVEL_HANDLER(tally), 3, b, i % 3);",
                3 * 2048, 64, at, counters, word));
    expect_guarded(gravel, at, 3 * 2048, N_KEYS, 1);
    for (uint32_t node = 0; node < N_NODES; node++) {
        assert_int_equal(word32(gravel, node, counters + 12), 4096);
        assert_int_equal(word32(gravel, node, word), 2048);
    }
    OK(gravel_close(gravel));
}

TEST(messages_of_the_host_have_keys_too)
{
    watch(90, "messages of the host");
    struct gravel *gravel = open_with(0, 0, "");
    uint64_t at = alloc_or_die(gravel, N_KEYS * sizeof(struct guarded_key));
    for (uint32_t i = 0; i < 600; i++) {
        const uint64_t args[] = {i / N_NODES % 5, i, at};
        OK(gravel_am(gravel, i % 2 ? WITNESS : TWICE, args, 3, i % N_NODES));
        OK(gravel_am(gravel, i % 2 ? TWICE : WITNESS, args, 3, i % N_NODES));
    }
    OK(gravel_quiet(gravel));
    expect_guarded(gravel, at, 600, 5, 3);
    OK(gravel_close(gravel));
}

/* A program may say who owns a key; one beyond the servers is the last one's. */
TEST(owners_of_the_programs_choice_are_taken)
{
    watch(90, "owners of the program's choice");
    struct gravel *gravel = open_with(3, 0, "-DGRAVEL_OWNER(key,n)=(key)");
    expect_exclusion(gravel, 8192, N_KEYS);
    OK(gravel_close(gravel));
}
