/* SPDX-License-Identifier: MIT */
/*
 * Launches of clients and servers: every message is run once, those with equal keys never at once, whatever the sizes;
 * beside messages with keys from elsewhere. What they refuse and tell: messages to no node, wrong launches and programs,
 * modes that cannot be, inboxes that overflow, servers and clients that do not come.
 *
 * usage: test_server [resident]     the same cases with resident servers; else in phases
 *
 * The witness is that of tests/support/witness.h. A ledger has a counter for each work-item, set by its handler.
 *
 * Path: meson test -> this -> lib/server, lib/serve, cl/server.cl.h
 */
#include <pthread.h>
#include <unistd.h>

#include <gravel/server.h>

#include "expect.h"
#include "witness.h"

#define MOST_NODES \
    (has_argument("resident") ? 1u : 2u) /* resident servers are those of a node alone */
#define MOST_ITEMS (1u << 16)
#define N_KEYS 1000u

extern const char server_cl[]; /* kernels/server.cl */

/* Its handlers, with ids by position. */
enum { WITNESS, KEY_ALONE, FOUR, SLOW };

/* A node with its program and memory. */
struct served {
    struct gravel *gravel;
    cl_program program;
    uint64_t keys, ledger, counter; /* heap offsets */
};

static const struct gravel_handler handlers[] = {
    {.name = "witness", .n_args = 2, .serve = {.n_keys = 1}},
    {.name = "key_alone", .n_args = 1, .serve = {.n_keys = 1}},
    {.name = "four", .n_args = 4, .serve = {.n_keys = 1}},
    {.name = "slow", .n_args = 2, .serve = {.n_keys = 1}},
};

static const struct gravel_bindings served_table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                    .device_code.source = server_cl, .device_code.name = "server.cl");

/* Opens a node in the mode that the program's argument names. */
static struct served open_with(struct gravel_config config)
{
    struct served served = {.gravel = NULL};
    config.timeout_ms *= patience();
    strcpy(config.server_mode, has_argument("resident") ? "resident" : "phases");
    served.gravel = scoped_node(&config, &served_table);
    served.keys = alloc_or_die(served.gravel, N_KEYS * sizeof(struct guarded_key));
    served.ledger = alloc_or_die(served.gravel, MOST_ITEMS * sizeof(uint32_t));
    served.counter = alloc_or_die(served.gravel, 64);
    OK(gravel_set_constant(served.gravel, 0, served.keys));
    OK(gravel_set_constant(served.gravel, 1, served.ledger));
    OK(gravel_server_build(served.gravel, "server.cl", server_cl, NULL, &served.program));
    scoped_program(served.program);
    return served;
}

static void clear(const struct served *served)
{
    for (uint32_t node = 0; node < gravel_n_nodes(served->gravel); node++) {
        fill(served->gravel, node, served->keys, 0, N_KEYS * sizeof(struct guarded_key));
        fill(served->gravel, node, served->ledger, 0, MOST_ITEMS * sizeof(uint32_t));
    }
    OK(gravel_barrier(served->gravel));
}

/* Each item's message has been run once, at its node, and none of equal keys beside each other. */
static void expect_sent(const struct served *served, uint32_t n_items, uint32_t n_keys,
                        uint32_t n_nodes)
{
    for (uint32_t node = 0; node < n_nodes; node++) {
        const struct guarded_key *keys =
            read_map(served->gravel, node, served->keys, N_KEYS * sizeof *keys);
        const uint32_t *ledger =
            read_map(served->gravel, node, served->ledger, MOST_ITEMS * sizeof *ledger);
        uint32_t n_run = 0, n_expected = 0;
        for (uint32_t key = 0; key < N_KEYS; key++) {
            n_run += keys[key].n_run;
            assert_int_equal(keys[key].n_clashes, 0);
        }
        for (uint32_t i = 0; i < MOST_ITEMS; i++) {
            bool is_here = i < n_items && i / n_keys % n_nodes == node;
            n_expected += is_here;
            assert_int_equal(ledger[i], is_here);
        }
        assert_int_equal(n_run, n_expected);
        unmap(served->gravel, keys);
        unmap(served->gravel, ledger);
    }
}

static cl_kernel server_kernel(const struct served *served, const char *name)
{
    return scoped_program_kernel(served->gravel, served->program, name);
}

static void send_and_expect(const struct served *served, uint32_t n_items, uint32_t n_keys,
                            uint32_t n_nodes)
{
    cl_kernel kernel = server_kernel(served, "send");
    SET(kernel, 1, n_keys);
    SET(kernel, 2, n_nodes);
    clear(served);
    OK(gravel_server_launch(served->gravel, kernel, n_items, 0, NULL, NULL));
    if (n_nodes == 1)
        expect_sent(served, n_items, n_keys, 1);
    OK(gravel_barrier(served->gravel));
    expect_sent(served, n_items, n_keys, n_nodes);
}

/* It sends n_calls messages of each client to key 7. */
static cl_kernel kernel_of_many(const struct served *served, cl_uint n_calls)
{
    cl_kernel kernel = server_kernel(served, "many");
    SET(kernel, 1, n_calls);
    return kernel;
}

/* ---- what is run ------------------------------------------------------------------------------- */

/* No item, one, a group less one, just a group, inboxes that turn over many times; one key, few, many. */
static void expect_all_sizes(const struct served *served)
{
    const uint32_t n_items[] = {0, 1, 256, 257, MOST_ITEMS};
    const uint32_t n_keys[] = {1, N_KEYS};
    for (size_t i = 0; i < sizeof n_items / sizeof *n_items; i++)
        for (size_t k = 0; k < sizeof n_keys / sizeof *n_keys; k++)
            send_and_expect(served, n_items[i], n_keys[k], 1);
    send_and_expect(served, MOST_ITEMS, 3, MOST_NODES);
}

TEST(every_message_is_run_once_and_alone)
{
    struct gravel_config config = loopback_config(MOST_NODES);
    config.inbox_slots = has_argument("resident") ? 2 : 64;
    struct served served = open_with(config);
    expect_all_sizes(&served);
    OK(gravel_stats_reset(served.gravel));
    send_and_expect(&served, MOST_ITEMS, N_KEYS, 1);
    const struct gravel_stats stats = stats_of(served.gravel);
    assert_int_equal(stats.served_messages, MOST_ITEMS);
    assert_true(has_argument("resident") ? stats.server_phases == 0 : stats.server_phases > 1);
}

/* As on a GPU: outboxes that are collected, lists. */
TEST(every_message_is_run_once_and_alone_in_lists)
{
    struct gravel_config config = loopback_config(MOST_NODES);
    config.n_servers = has_argument("resident") ? 2 : 5;
    config.server_items = 32;
    config.inbox_slots = has_argument("resident") ? 1 : 0;
    strcpy(config.build_options, "-DGRAVEL_FORM_SCAN");
    const uint32_t n_items =
        has_argument("resident") ? MOST_ITEMS / 8 : MOST_ITEMS; /* each list waits for room */
    struct served served = open_with(config);
    send_and_expect(&served, 257, 5, 1);
    send_and_expect(&served, n_items, 1, 1);
    send_and_expect(&served, n_items, N_KEYS, MOST_NODES);
}

/* Calls of several handlers, with and without keys, to this node and another, in one loop. */
TEST(other_calls_do_what_they_do_anywhere)
{
    struct served served = open_with(loopback_config(MOST_NODES));
    const uint32_t n_items = 30011;
    cl_kernel kernel = server_kernel(&served, "send_all");
    SET(kernel, 1, served.counter);
    OK(gravel_server_launch(served.gravel, kernel, n_items, 0, NULL, NULL));
    const uint32_t *ledger = read_map(served.gravel, 0, served.ledger, MOST_ITEMS * sizeof *ledger);
    for (uint32_t i = 0; i < MOST_ITEMS; i++)
        assert_int_equal(ledger[i], i < n_items);
    unmap(served.gravel, ledger);
    OK(gravel_barrier(served.gravel));
    assert_int_equal(word32(served.gravel, MOST_NODES - 1, served.counter), n_items);
}

#define N_SENT 24000u

static void *send_from_host(void *of)
{
    struct gravel *gravel = of;
    for (uint64_t i = 0; i < N_SENT; i++) {
        const uint64_t args[] = {0, MOST_ITEMS - N_SENT + i};
        OK(gravel_am(gravel, WITNESS, args, 2, 0));
    }
    return NULL;
}

/* The host sends to the key that a launch serves, meanwhile. */
TEST(messages_from_elsewhere_wait_for_their_turn)
{
    struct served served = open_with(loopback_config(MOST_NODES));
    const uint32_t one = 1;
    pthread_t thread;
    cl_kernel kernel = server_kernel(&served, "send");
    SET(kernel, 1, one);
    SET(kernel, 2, one);
    MUST(pthread_create(&thread, NULL, send_from_host, served.gravel) == 0);
    OK(gravel_server_launch(served.gravel, kernel, MOST_ITEMS - N_SENT, 0, NULL, NULL));
    pthread_join(thread, NULL);
    OK(gravel_quiet(served.gravel));
    expect_sent(&served, MOST_ITEMS, 1, 1);
}

/* More messages of each client than all slots hold, to one server. */
TEST(clients_wait_for_room_in_an_inbox)
{
    if (!has_argument("resident"))
        return; /* inboxes_that_overflow_are_told */
    const cl_uint n_calls = 20, n_items = 5000;
    struct gravel_config config = loopback_config(1);
    config.inbox_slots = 1;
    struct served served = open_with(config);
    cl_kernel kernel = kernel_of_many(&served, n_calls);
    OK(gravel_server_launch(served.gravel, kernel, n_items, 0, NULL, NULL));
    expect_words(served.gravel, 0, served.ledger, n_calls, n_items);
    assert_int_equal(word32(served.gravel, 0, served.keys + 7 * sizeof(struct guarded_key) + 4),
                     n_calls * n_items);
    assert_int_equal(word32(served.gravel, 0, served.keys + 7 * sizeof(struct guarded_key) + 8), 0);
}

/* ---- what is refused, what is told ------------------------------------------------------------- */

TEST(messages_to_no_node_are_refused)
{
    for (uint32_t n_nodes = 1; n_nodes <= MOST_NODES; n_nodes++) {
        struct served served = open_with(loopback_config(n_nodes));
        const uint32_t n_keys = 1000, beyond = n_nodes + 1;
        cl_kernel kernel = server_kernel(&served, "send");
        SET(kernel, 1, n_keys);
        SET(kernel, 2, beyond);
        OK(gravel_server_launch(served.gravel, kernel, 1000 * beyond, 0, NULL, NULL));
        expect_error(gravel_quiet(served.gravel), GRAVEL_ERANGE, "node");
        expect_sent(&served, 1000, n_keys, 1);
    }
}

TEST(wrong_launches_are_refused)
{
    struct served served = open_with(loopback_config(1));
    const size_t size = 64;
    cl_kernel no_loop = server_kernel(&served, "no_loop");
    cl_kernel send = server_kernel(&served, "send");
    cl_kernel other = scoped_body(served.gravel, "", 0, 0, 0);
    const cl_uint one = 1;
    SET(send, 1, one);
    SET(send, 2, one);
    expect_error(gravel_server_launch(served.gravel, no_loop, 5, 0, NULL, NULL), GRAVEL_EINVAL,
                 "no GRAVEL_SERVE loop");
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

TEST(inboxes_that_overflow_are_told)
{
    if (has_argument("resident"))
        return; /* clients_wait_for_room_in_an_inbox */
    struct served served = open_with(loopback_config(1));
    cl_kernel kernel = kernel_of_many(&served, 1000);
    expect_error(gravel_server_launch(served.gravel, kernel, 65536, 0, NULL, NULL), GRAVEL_EKERNEL,
                 "raise GRAVEL_INBOX");
    closes_with(served.gravel, ANY_CODE, "");
}

/* Steps of a loop that no machine ends before the node's limits do, and that ends all the same. */
#define LONG_LOOP (UINT64_C(1) << 34)

static struct served open_impatient(void)
{
    struct gravel_config config = loopback_config(1);
    config.timeout_ms = 500;
    config.inbox_slots = 1;
    return open_with(config);
}

static void expect_fault(struct served *served, cl_kernel kernel, const char *part)
{
    expect_error(gravel_server_launch(served->gravel, kernel, 4096, 0, NULL, NULL), GRAVEL_EKERNEL,
                 part);
    closes_with(served->gravel, ANY_CODE, "");
}

TEST(servers_that_take_nothing_are_told)
{
    if (!has_argument("resident"))
        return; /* no client waits */
    struct served served = open_impatient();
    const cl_ulong n_steps = LONG_LOOP;
    const cl_uint n_calls = 4;
    cl_kernel kernel = server_kernel(&served, "send_slowly");
    SET(kernel, 1, n_steps);
    SET(kernel, 2, n_calls);
    expect_fault(&served, kernel, "waited for room in the inbox of server ");
}

TEST(servers_that_no_client_joins_are_told)
{
    if (!has_argument("resident"))
        return; /* no server waits */
    struct served served = open_impatient();
    const cl_ulong n_steps = LONG_LOOP;
    cl_kernel kernel = server_kernel(&served, "come_late");
    SET(kernel, 1, n_steps);
    SET(kernel, 2, served.ledger);
    expect_fault(&served, kernel, "GRAVEL_SERVER_MODE=phases does not need that");
}

TEST(modes_that_cannot_be_are_refused)
{
    if (!has_argument("resident"))
        return; /* phases can be anywhere */
    struct gravel_config config = loopback_config(1);
    strcpy(config.server_mode, "resident");
    config.n_servers = 200;
    expect_no_open(&config, &served_table, GRAVEL_ECONFIG,
                   " work-groups at once, and one must be a client");
    config = loopback_config(2);
    strcpy(config.server_mode, "resident");
    expect_no_open(
        &config, &served_table, GRAVEL_ECAPABILITY,
        "GRAVEL_SERVER_MODE=resident: messages of other nodes would wait for a launch to "
        "end, and there are 2 nodes");
}

TEST(programs_without_servers_are_refused)
{
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel = scoped_loopback(1, NULL);
    cl_program program = NULL;
    expect_error(gravel_server_build(gravel, "server.cl", server_cl, NULL, &program), GRAVEL_EINVAL,
                 "none of 0 handlers has a key");
    config.inbox_slots = 1;
    strcpy(config.server_mode, "phases"); /* on GPUs auto is resident, which takes one slot */
    if (!has_argument("resident"))
        expect_no_open(&config, &served_table, GRAVEL_ECONFIG, "GRAVEL_INBOX=1");
    struct served served = open_with(loopback_config(1));
    expect_error(
        gravel_server_build(served.gravel, "mine.cl", "#include \"gravel.cl.h\"\n", NULL, &program),
        GRAVEL_EBUILD, "handler witness");
}
