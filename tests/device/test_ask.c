/* SPDX-License-Identifier: MIT */
/*
 * Handlers that answer: with arguments of 8 bytes and of 4, from ordinary kernels and from those of clients and servers, also
 * where the answer is dropped; and what is refused. gravel-conformance has every form of asking, `history asks` their mixes.
 *
 * A handler with a key draws numbers by a plain load and store: if two ran at once, or an answer went to a wrong place,
 * a number would come twice or not at all.
 *
 * Path: meson test -> this -> lib/serve/calls.c, lib/network/resolving.c
 */
#include "expect.h"
#include <gravel/server.h>

#include <stdlib.h>

#define N_NODES 3u
#define N_KEYS 63u /* most */
#define N 3072u

extern const char ask_cl[]; /* kernels/ask.cl */

static int ignore(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)gravel, (void)user, (void)source, (void)args;
    return 0;
}

static struct gravel_handler handlers[] = {
    {.name = "draw", .n_args = 2, .n_answers = 1, .serve = {.n_keys = 1}},
    {.name = "mute", .n_args = 1},
    {.name = "wide", .n_args = 2, .function = ignore},
    {.name = "narrow", .n_args = 2, .arg_bytes = 4, .function = ignore},
};

/* Bytes of draw's arguments and of its answers, of a node that is opened from now on. */
static uint32_t arg_bytes = 8;

static const char *code_options(void)
{
    return arg_bytes == 4 ? "-DNUMBER=uint" : "-DNUMBER=ulong";
}

static struct gravel *open_with(struct gravel_config config)
{
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                        .device_code = {
                            .source = ask_cl, .name = "ask.cl", .options = code_options()});
    handlers[0].arg_bytes = arg_bytes;
    config.timeout_ms *= patience();
    strcpy(config.server_mode, "phases");
    return scoped_node(&config, &bindings);
}

static struct gravel *open_nodes(void)
{
    arg_bytes = 8;
    return open_with(loopback_config(N_NODES));
}

/* Numbers that asked messages have drawn: of each node's keys. */
struct drawn {
    uint32_t n_most[N_NODES][N_KEYS]; /* numbers drawn, others' among them */
    unsigned char *seen;              /* [N_NODES][N_KEYS][2 * N] */
};

static void note_drawn(struct drawn *drawn, uint64_t answer, uint32_t node, uint32_t key)
{
    const uint32_t number = (uint32_t)answer & 0xffff;
    assert_int_equal(answer >> 16, node | key << 8);
    assert_in_range(number, 0, drawn->n_most[node][key] - 1);
    assert_int_equal(drawn->seen[((size_t)node * N_KEYS + key) * 2 * N + number]++, 0);
}

/* Message i is for this node and key. */
static uint32_t node_of(uint32_t i, uint32_t n_keys)
{
    return i % n_keys % N_NODES;
}

/* Each of N messages has asked, and got a number of its own; `others` of node 0 drew one besides. */
static void expect_drawn(struct gravel *gravel, uint64_t numbers, uint64_t answers, uint32_t n_keys,
                         bool others)
{
    struct drawn drawn = {.seen = calloc((size_t)N_NODES * N_KEYS * 2 * N, 1)};
    const void *got = read_map(gravel, 0, answers, (uint64_t)N * arg_bytes);
    for (uint32_t i = 0; i < N; i++)
        drawn.n_most[node_of(i, n_keys)][i % n_keys] += 1 + (others && node_of(i, n_keys) == 0);
    for (uint32_t i = 0; i < N; i++)
        note_drawn(&drawn, arg_bytes == 4 ? ((const cl_uint *)got)[i] : ((const cl_ulong *)got)[i],
                   node_of(i, n_keys), i % n_keys);
    unmap(gravel, got);
    for (uint32_t node = 0; node < N_NODES; node++) {
        const uint32_t *sum = read_map(gravel, node, numbers, N_KEYS * sizeof *sum);
        assert_memory_equal(sum, drawn.n_most[node], N_KEYS * sizeof *sum);
        unmap(gravel, sum);
    }
    free(drawn.seen);
}

/* ---- of a kernel ----------------------------------------------------------------------------- */

/* Servers as they are derived; with lists, as on a GPU; with owners of the program's choice. */
TEST(groups_ask)
{
    static const struct {
        uint32_t n_servers, server_items, arg_bytes;
        const char *options;
    } rows[] = {
        {0, 0, 8, ""}, {5, 32, 4, "-DGRAVEL_FORM_SCAN"}, {3, 0, 8, "-DGRAVEL_OWNER(key,n)=(key)"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gravel_config config = loopback_config(N_NODES);
        arg_bytes = rows[i].arg_bytes;
        config.n_servers = rows[i].n_servers;
        config.server_items = rows[i].server_items;
        config.buffer_bytes = 1u << 20; /* runs so long that groups that serve run side by side */
        if (*rows[i].options)
            strcpy(config.build_options, rows[i].options);
        struct gravel *gravel = open_with(config);
        const uint64_t numbers = alloc_or_die(gravel, 4 * N_KEYS);
        const uint64_t answers = alloc_or_die(gravel, 8 * N), signal = alloc_or_die(gravel, 64);
        OK(run_body(gravel,
                    BODY("struct gravel_reply reply = {b, c};"
                         "gravel_ask2_wg(g, GRAVEL_HANDLER(draw), i % 7, a, reply, "
                         "(uint)i, i % 7 % 3);"),
                    N, 64, numbers, answers, signal));
        expect_drawn(gravel, numbers, answers, 7, false);
        assert_int_equal(word32(gravel, 0, signal), N);
    }
}

static uint64_t sent_bytes(struct gravel *gravel)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, 1));
    return stats.buffer_bytes;
}

TEST(of_narrow_arguments_half_as_much_travels)
{
    struct gravel *gravel = open_nodes();
    const uint64_t before = sent_bytes(gravel), args[] = {7, UINT64_C(1) << 32};
    OK(run_body(gravel, BODY("gravel_am2_wg(g, GRAVEL_HANDLER(wide), i, 2, 1);"), N, 64, 0, 0, 0));
    const uint64_t between = sent_bytes(gravel);
    OK(run_body(gravel, BODY("gravel_am2_wg(g, GRAVEL_HANDLER(narrow), i, 2, 1);"), N, 64, 0, 0,
                0));
    assert_in_range(between - before, 16 * N, 18 * N);
    assert_in_range(sent_bytes(gravel) - between, 8 * N, 9 * N);
    expect_error(gravel_am(gravel, 3, args, 2, 1), GRAVEL_EINVAL,
                 "handler narrow takes arguments of 4 bytes, and argument 1 is 4294967296");
    expect_error(run_body(gravel, BODY("gravel_am2_wg(g, 3, i, 2, 1);"), 64, 64, 0, 0, 0),
                 GRAVEL_EHANDLER, "(narrow) takes arguments of 4 bytes, the message has them of 8");
}

/* ---- clients and servers ----------------------------------------------------------------------- */

static void ask_servers(struct gravel *gravel, cl_program program, cl_ulong n_keys)
{
    const uint64_t offsets[3] = {alloc_or_die(gravel, 4 * N_KEYS), alloc_or_die(gravel, 8 * N),
                                 alloc_or_die(gravel, 4 * N)};
    cl_kernel kernel = kernel_or_die(gravel, program, "ask");
    set_offsets(kernel, 3, offsets);
    SET(kernel, 4, n_keys);
    OK(gravel_server_launch(gravel, kernel, N, 0, NULL, NULL));
    OK(gravel_quiet(gravel));
    expect_drawn(gravel, offsets[0], offsets[1], (uint32_t)n_keys, true);
    for (uint32_t i = 0; i < 3; i++)
        OK(gravel_free(gravel, offsets[i]));
    clReleaseKernel(kernel);
}

/* Of this node and of others, beside what clients send servers without asking; with narrow arguments, too. */
TEST(clients_ask_servers)
{
    for (uint32_t is_narrow = 0; is_narrow < 2; is_narrow++) {
        cl_program program;
        arg_bytes = is_narrow ? 4 : 8;
        struct gravel *gravel = open_with(loopback_config(N_NODES));
        OK(gravel_server_build(gravel, "ask.cl", ask_cl, code_options(), &program));
        for (cl_ulong n_keys = 3; n_keys <= N_KEYS; n_keys *= 21)
            ask_servers(gravel, program, n_keys);
        clReleaseProgram(program);
    }
}

/* ---- what is refused --------------------------------------------------------------------------- */

static void expect_refused(const char *body, int code, const char *part)
{
    struct gravel *gravel = open_nodes();
    const uint64_t numbers = alloc_or_die(gravel, 4 * N_KEYS), answers = alloc_or_die(gravel, 64);
    expect_error(run_body(gravel, body, 64, 64, numbers, answers, 0), code, part);
    expect_words(gravel, 1, numbers, 0, N_KEYS);
    expect_words(gravel, 0, answers, 0, 16);
    expect_works(gravel);
}

TEST(messages_that_nobody_can_answer_are_refused)
{
    expect_refused("gravel_ask1_wg(g, GRAVEL_HANDLER(mute), i, ((struct gravel_reply){b, "
                   "GRAVEL_NO_SIGNAL}), 0, 1);",
                   GRAVEL_EHANDLER, "(mute) is asked, and does not answer");
    expect_refused("gravel_ask1_wg(g, GRAVEL_HANDLER(draw), 0, ((struct gravel_reply){b, "
                   "GRAVEL_NO_SIGNAL}), 0, 1);",
                   GRAVEL_EHANDLER, "(draw) takes 2 arguments, the message has 1");
    expect_refused("gravel_ask2_wg(g, GRAVEL_HANDLER(draw), i % 3, a, ((struct gravel_reply){b, "
                   "GRAVEL_NO_SIGNAL}), (uint)i, 1);",
                   GRAVEL_ERANGE, "place 8 of ulong at result");
    expect_refused("gravel_ask2_wg(g, GRAVEL_HANDLER(draw), i % 3, a, ((struct gravel_reply){b, "
                   "2}), 0, 1);",
                   GRAVEL_ERANGE, "signal at 2 is not a multiple of 4");
}
