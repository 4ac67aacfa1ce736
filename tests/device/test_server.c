/* SPDX-License-Identifier: MIT */
/*
 * Launches of clients and servers: every message is run once, those with equal keys never at once, whatever the sizes. So are messages that handlers send, after what the sender stored, and a
 * launch ends behind the last of them. What they refuse and tell: messages to no node, wrong launches and programs, modes
 * that cannot be, inboxes and rings that overflow, servers and clients that do not come.
 *
 * usage: test_server [sends] [resident]     sends: handlers that send; resident: with resident servers, else in phases
 *
 * A ledger has a counter for each message, set by its handler.
 *
 * Path: meson test -> this, kernels/server.cl -> lib/server, lib/serve, cl/server.cl.h, cl/device/inbox.cl.h
 */
#include <stdlib.h>

#include <gravel/server.h>

#include "expect.h"

#define IS_RESIDENT has_argument("resident")
#define MOST_NODES (IS_RESIDENT ? 1u : 2u) /* resident servers are those of a node alone */
#define MOST_ITEMS (1u << 16)
#define N_KEYS 1000u
#define TREE 63u /* messages of a client's, in a binary tree */
#define N_TREES 800u
#define N_HOPS 30000u

extern const char server_cl[]; /* kernels/server.cl */

/* What a key has in the heap: see hold in server.cl. */
struct guarded_key {
    uint32_t holder, n_run, n_clashes, work;
};

static int unkeyed(struct gravel *gravel, void *user, uint32_t from, const uint64_t args[])
{
    (void)gravel, (void)user, (void)from, (void)args;
    return 0;
}

#define HOP 1u /* by position in the table of senders */

static const struct gravel_handler handlers[] = {
    {.name = "witness", .n_args = 2, .serve = {.n_keys = 1}},
    {.name = "key_alone", .n_args = 1, .serve = {.n_keys = 1}},
    {.name = "four", .n_args = 4, .serve = {.n_keys = 1}},
    {.name = "slow", .n_args = 2, .serve = {.n_keys = 1}},
};

/* @param room  pending messages of trees */
#define SENDERS(room)                                                                 \
    {                                                                                 \
        {.name = "grow", .n_args = 4, .serve = {.n_keys = 1, .max_pending = room}},   \
            {.name = "hop", .n_args = 2, .serve = {.n_keys = 1, .max_pending = 1}},   \
            {.name = "flood", .n_args = 2, .serve = {.n_keys = 1, .max_pending = 1}}, \
            {.name = "quiet", .n_args = 1, .serve = {.n_keys = 1}},                   \
            {.name = "unkeyed", .n_args = 1, .function = unkeyed},                    \
    }
static const struct gravel_handler few[] = SENDERS(1), many[] = SENDERS(N_TREES * TREE);

#define TABLE(rows, defines)                                                          \
    GRAVEL_BINDINGS(.handlers = rows, .n_handlers = sizeof rows / sizeof *rows,       \
                    .device_code.source = server_cl, .device_code.name = "server.cl", \
                    .device_code.options = defines)
static const struct gravel_bindings plain = TABLE(handlers, ""), narrow = TABLE(few, "-DSENDS"),
                                    wide = TABLE(many, "-DSENDS");

/* A node with its program and memory. */
struct served {
    struct gravel *gravel;
    cl_program program;
    uint64_t keys, ledger, marks; /* heap offsets */
};

/* Opens a node in the mode that the program's argument names. */
static struct served open_with(struct gravel_config config, const struct gravel_bindings *bindings)
{
    struct served served = {.gravel = NULL};
    config.timeout_ms *= patience();
    strcpy(config.server_mode, IS_RESIDENT ? "resident" : "phases");
    served.gravel = scoped_node(&config, bindings);
    served.keys = alloc_or_die(served.gravel, N_KEYS * sizeof(struct guarded_key));
    served.ledger = alloc_or_die(served.gravel, MOST_ITEMS * sizeof(uint32_t));
    served.marks = alloc_or_die(served.gravel, MOST_ITEMS * sizeof(uint32_t));
    OK(gravel_set_constant(served.gravel, 0, served.keys));
    OK(gravel_set_constant(served.gravel, 1, served.ledger));
    OK(gravel_set_constant(served.gravel, 2, served.marks));
    OK(gravel_server_build(served.gravel, "server.cl", server_cl, bindings->device_code.options,
                           &served.program));
    scoped_program(served.program);
    return served;
}

static struct served open_nodes(uint32_t n_nodes, const struct gravel_bindings *bindings)
{
    return open_with(loopback_config(n_nodes), bindings);
}

/* As on a GPU: outboxes that are collected, lists. */
static struct gravel_config config_of_lists(uint32_t n_nodes)
{
    struct gravel_config config = loopback_config(n_nodes);
    config.n_servers = IS_RESIDENT ? 2 : 5;
    config.server_items = 32;
    strcpy(config.build_options, "-DGRAVEL_FORM_SCAN");
    return config;
}

/* Makes one of the kernels, whose arguments these are. */
static cl_kernel kernel_of(const struct served *served, const char *name, uint64_t a, uint64_t b)
{
    cl_kernel kernel = scoped_program_kernel(served->gravel, served->program, name);
    set_offsets(kernel, 3, (const uint64_t[]){a, b, served->marks});
    return kernel;
}

static int launch(const struct served *served, const char *name, uint64_t a, uint64_t b,
                  uint64_t n_items)
{
    return gravel_server_launch(served->gravel, kernel_of(served, name, a, b), n_items, 0, NULL,
                                NULL);
}

static void clear(const struct served *served)
{
    for (uint32_t node = 0; node < gravel_n_nodes(served->gravel); node++) {
        fill(served->gravel, node, served->keys, 0, N_KEYS * sizeof(struct guarded_key));
        fill(served->gravel, node, served->ledger, 0, MOST_ITEMS * sizeof(uint32_t));
        fill(served->gravel, node, served->marks, 0, MOST_ITEMS * sizeof(uint32_t));
    }
    OK(gravel_barrier(served->gravel));
}

/* So many messages were run with the witness, and none of equal keys beside each other. */
static void expect_held(const struct served *served, uint32_t node, uint32_t n_messages)
{
    const struct guarded_key *keys =
        read_map(served->gravel, node, served->keys, N_KEYS * sizeof *keys);
    uint32_t n_run = 0;
    for (uint32_t key = 0; key < N_KEYS; key++) {
        n_run += keys[key].n_run;
        assert_int_equal(keys[key].n_clashes, 0);
    }
    assert_int_equal(n_run, n_messages);
    unmap(served->gravel, keys);
}

/* Each item's message has been run once, at its node, and none of equal keys beside each other. */
static void expect_sent(const struct served *served, uint32_t n_items, uint32_t n_keys,
                        uint32_t n_nodes)
{
    for (uint32_t node = 0; node < n_nodes; node++) {
        const uint32_t *ledger =
            read_map(served->gravel, node, served->ledger, MOST_ITEMS * sizeof *ledger);
        uint32_t n_expected = 0;
        for (uint32_t i = 0; i < MOST_ITEMS; i++) {
            bool is_here = i < n_items && i / n_keys % n_nodes == node;
            n_expected += is_here;
            assert_int_equal(ledger[i], is_here);
        }
        unmap(served->gravel, ledger);
        expect_held(served, node, n_expected);
    }
}

static void send_and_expect(const struct served *served, uint32_t n_items, uint32_t n_keys,
                            uint32_t n_nodes)
{
    clear(served);
    OK(launch(served, "send", n_keys, n_nodes, n_items));
    if (n_nodes == 1)
        expect_sent(served, n_items, n_keys, 1);
    OK(gravel_barrier(served->gravel));
    expect_sent(served, n_items, n_keys, n_nodes);
}

static void plant_and_expect(const struct served *served, uint32_t n_trees, uint32_t n_keys)
{
    clear(served);
    OK(launch(served, "plant", n_keys, 0, n_trees));
    expect_sent(served, n_trees * TREE, 1, 1);
}

/* ---- what is run ------------------------------------------------------------------------------- */

/* No item, one, a group less one, just a group, inboxes that turn over many times; one key, few, many. */
TEST(every_message_is_run_once_and_alone)
{
    const uint32_t n_items[] = {0, 1, 256, 257, MOST_ITEMS}, n_keys[] = {1, N_KEYS};
    struct gravel_config config = loopback_config(MOST_NODES);
    config.inbox_slots = IS_RESIDENT ? 2 : 64;
    struct served served = open_with(config, &plain);
    for (size_t i = 0; i < sizeof n_items / sizeof *n_items; i++)
        for (size_t k = 0; k < sizeof n_keys / sizeof *n_keys; k++) {
            OK(gravel_stats_reset(served.gravel));
            send_and_expect(&served, n_items[i], n_keys[k], 1);
        }
    const struct gravel_stats stats = stats_of(served.gravel);
    assert_int_equal(stats.served_messages, MOST_ITEMS);
    assert_true(IS_RESIDENT ? stats.server_phases == 0 : stats.server_phases > 1);
    send_and_expect(&served, MOST_ITEMS, 3, MOST_NODES);
}

TEST(every_message_is_run_once_and_alone_in_lists)
{
    struct gravel_config config = config_of_lists(MOST_NODES);
    config.inbox_slots = IS_RESIDENT ? 1 : 0;
    const uint32_t n_items = IS_RESIDENT ? MOST_ITEMS / 8 : MOST_ITEMS; /* lists wait for room */
    struct served served = open_with(config, &plain);
    send_and_expect(&served, 257, 5, 1);
    send_and_expect(&served, n_items, 1, 1);
    send_and_expect(&served, n_items, N_KEYS, MOST_NODES);
}

/* Calls of several handlers, with and without keys, to this node and another, in one loop. */
TEST(other_calls_do_what_they_do_anywhere)
{
    struct served served = open_nodes(MOST_NODES, &plain);
    const uint32_t n_items = 30011;
    OK(launch(&served, "send_all", 0, 0, n_items));
    const uint32_t *ledger = read_map(served.gravel, 0, served.ledger, MOST_ITEMS * sizeof *ledger);
    for (uint32_t i = 0; i < MOST_ITEMS; i++)
        assert_int_equal(ledger[i], i < n_items);
    unmap(served.gravel, ledger);
    OK(gravel_barrier(served.gravel));
    assert_int_equal(word32(served.gravel, MOST_NODES - 1, served.marks), n_items);
}

/* ---- what is refused, what is told ------------------------------------------------------------- */

TEST(messages_to_no_node_are_refused)
{
    for (uint32_t n_nodes = 1; n_nodes <= MOST_NODES; n_nodes++) {
        struct served served = open_nodes(n_nodes, &plain);
        const uint32_t beyond = n_nodes + 1;
        OK(launch(&served, "send", 1000, beyond, 1000 * beyond));
        expect_error(gravel_quiet(served.gravel), GRAVEL_ERANGE, "node");
        expect_sent(&served, 1000, 1000, 1);
    }
}

TEST(wrong_launches_are_refused)
{
    struct served served = open_nodes(1, &plain);
    const size_t size = 64;
    cl_kernel no_loop = kernel_of(&served, "no_loop", 0, 0);
    cl_kernel send = kernel_of(&served, "send", 1, 1);
    cl_kernel other = scoped_body(served.gravel, "", 0, 0, 0);
    expect_error(gravel_server_launch(served.gravel, other, 5, 0, NULL, NULL), GRAVEL_EINVAL,
                 "gravel_server_build did not build");
    expect_error(gravel_server_launch(served.gravel, send, UINT64_MAX, 0, NULL, NULL),
                 GRAVEL_EINVAL, "18446744073709551615 work-items");
    cl_event event = (cl_event)&served; /* NULL behind what is refused */
    expect_error(gravel_server_launch(served.gravel, no_loop, 5, 0, NULL, &event), GRAVEL_EINVAL,
                 "no GRAVEL_SERVE loop");
    assert_null(event);
    send_and_expect(&served, 1000, 3, 1);
    OK(gravel_launch(served.gravel, send, 1, &size, &size, 0, NULL, NULL));
    expect_error(gravel_quiet(served.gravel), GRAVEL_EKERNEL,
                 "gravel_server_launch did not launch it");
    closes_with(served.gravel, ANY_CODE, "");
}

/* Steps of a loop that no machine ends before the node's limits do, and that ends all the same. */
#define LONG_LOOP (UINT64_C(1) << 34)

/* A launch that cannot end. */
struct endless {
    const char *mode, *kernel;
    uint64_t a, b, n_items;
    uint32_t timeout_ms; /* 0: as by default; and so are the slots of an inbox, else one */
    const char *part;
};

static void expect_end(const struct endless *row, const struct gravel_bindings *bindings)
{
    struct gravel_config config = loopback_config(1);
    if (row->timeout_ms) {
        config.timeout_ms = row->timeout_ms;
        config.inbox_slots = 1;
    }
    struct served served = open_with(config, bindings);
    expect_error(launch(&served, row->kernel, row->a, row->b, row->n_items), GRAVEL_EKERNEL,
                 row->part);
    closes_with(served.gravel, ANY_CODE, "");
}

TEST(launches_that_cannot_end_are_told)
{
    static const struct endless rows[] = {
        {"phases", "many", 1000, 0, 65536, 0, "raise GRAVEL_INBOX"},
        {"resident", "send_slowly", LONG_LOOP, 4, 4096, 500,
         "waited for room in the inbox of server "},
        {"resident", "come_late", LONG_LOOP, 0, 4096, 500,
         "GRAVEL_SERVER_MODE=phases does not need that"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (IS_RESIDENT == !strcmp(rows[i].mode, "resident"))
            expect_end(&rows[i], &plain);
}

TEST(settings_that_cannot_be_are_refused)
{
    static const struct {
        const char *mode;
        uint32_t n_nodes, n_servers, inbox_slots;
        int code;
        const char *part;
    } rows[] = {
        {"resident", 1, 200, 0, GRAVEL_ECONFIG, " work-groups at once, and one must be a client"},
        {"resident", 2, 0, 0, GRAVEL_ECAPABILITY,
         "GRAVEL_SERVER_MODE=resident: messages of other nodes would wait for a launch to end, and "
         "there are 2 nodes"},
        {"phases", 1, 0, 1, GRAVEL_ECONFIG, "GRAVEL_INBOX=1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gravel_config config = loopback_config(rows[i].n_nodes);
        strcpy(config.server_mode, rows[i].mode);
        config.n_servers = rows[i].n_servers;
        config.inbox_slots = rows[i].inbox_slots;
        if (IS_RESIDENT == !strcmp(rows[i].mode, "resident"))
            expect_no_open(&config, &plain, rows[i].code, rows[i].part);
    }
}

static void expect_no_build(struct gravel *gravel, const char *text, const char *options, int code,
                            const char *part)
{
    cl_program program = NULL;
    expect_error(gravel_server_build(gravel, "wrong.cl", text, options, &program), code, part);
}

TEST(programs_without_servers_are_refused)
{
    expect_no_build(scoped_loopback(1, NULL), server_cl, NULL, GRAVEL_EINVAL,
                    "none of 0 handlers has a key");
    expect_no_build(open_nodes(1, &plain).gravel, "#include \"gravel.cl.h\"\n", NULL, GRAVEL_EBUILD,
                    "handler witness");
}

/* ---- handlers that send ------------------------------------------------------------------------ */

/* Of two nodes each serves its own. */
TEST_OF("sends", messages_of_handlers_are_run_once_and_alone)
{
    struct served served = open_nodes(1, &wide);
    plant_and_expect(&served, 0, 1);
    plant_and_expect(&served, 1, N_KEYS);
    plant_and_expect(&served, N_TREES, 1);
    OK(gravel_stats_reset(served.gravel));
    plant_and_expect(&served, N_TREES, N_KEYS);
    assert_int_equal(stats_of(served.gravel).served_messages, N_TREES * TREE);
    served = open_nodes(MOST_NODES, &wide);
    plant_and_expect(&served, 10, 7);
}

TEST_OF("sends", messages_of_handlers_are_run_once_and_alone_in_lists)
{
    struct served served = open_with(config_of_lists(1), &wide);
    plant_and_expect(&served, 1, 5);
    plant_and_expect(&served, N_TREES, N_KEYS);
    plant_and_expect(&served, N_TREES, 3);
}

/* One message at a time, from server to server, or in phases in one kernel: none leaves before the last. Its numbers go
 * round the ring. Of several servers in phases each hop is a kernel. */
TEST_OF("sends", a_launch_ends_behind_the_last_message)
{
    struct gravel_config config = loopback_config(1);
    config.n_servers = IS_RESIDENT ? config.n_servers : 1;
    struct served served = open_with(config, &narrow);
    OK(launch(&served, "begin", N_HOPS - 1, 0, 1));
    expect_held(&served, 0, N_HOPS);
    config.n_servers = IS_RESIDENT ? config.n_servers : 3;
    served = open_with(config, &narrow);
    OK(launch(&served, "begin", 99, 0, 2));
    expect_held(&served, 0, 200);
}

/* Rings that overflow, a handler that may not send. */
TEST_OF("sends", handlers_that_send_wrongly_are_told)
{
    static const struct endless rows[] = {
        {"", "send_wrongly", 5000, 0, 1, 0, "raise max_pending"},
        {"", "send_wrongly", 0, 0, 1, 0, "sends to handler 3 and may not"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_end(&rows[i], &narrow);
}

TEST_OF("sends", messages_from_elsewhere_are_refused)
{
    struct served served = open_nodes(1, &narrow);
    const uint64_t args[] = {1, 0};
    OK(gravel_am(served.gravel, HOP, args, 2, 0));
    expect_error(gravel_quiet(served.gravel), GRAVEL_EHANDLER, "(hop) may send");
}

TEST_OF("sends", messages_to_wrong_handlers_do_not_build)
{
    char *text = malloc(strlen(server_cl) + 200);
    MUST(text);
    sprintf(text,
            "%svoid wrong(struct gravel_call call) { gravel_serve_am1(call, "
            "GRAVEL_HANDLER(unkeyed), 0); }\n",
            server_cl);
    expect_no_build(open_nodes(1, &narrow).gravel, text, "-DSENDS", GRAVEL_EBUILD,
                    "gravel_error_no_handler_with_one_key_and_so_many_arguments");
    free(text);
}
