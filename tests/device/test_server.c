/* SPDX-License-Identifier: MIT */
/*
 * Launches of clients and servers: every message is run once, those with equal keys never at once, whatever the sizes;
 * beside messages with keys from elsewhere; what is refused, what is told.
 *
 * usage: test_server [resident]     the same cases with resident servers; else in phases
 *
 * The witness is that of tests/support/witness.h. A ledger has a counter for each work-item, set by its handler.
 *
 * Path: meson test -> this -> lib/node/server.c, lib/serve, cl/server.cl.h
 */
#include <gravel/server.h>

#include <pthread.h>
#include <unistd.h>

#include "expect.h"
#include "witness.h"

#define MOST_NODES 2u
#define MOST_ITEMS (1u << 16)
#define N_KEYS 1000u

static bool is_resident;

/* Ids by position in the table below. */
enum { WITNESS, KEY_ALONE, FOUR, SLOW };

/* constant 0: struct guarded_key [N_KEYS]; 1: ledger, uint [MOST_ITEMS]. */
static const char source[] =
    "#include \"gravel.cl.h\"\n" WITNESS_CL
    "void witness(struct gravel_call call, ulong key, ulong number)\n"
    "{\n"
    "    global uint *ledger = gravel_call_local(call, call.constants[1]);\n"
    "    hold(call, key, number, call.constants[0], 40, 1);\n"
    "    ledger[number] = ledger[number] + 1;\n"
    "}\n"
    "void key_alone(struct gravel_call call, ulong key)\n"
    "{\n"
    "    global uint *ledger = gravel_call_local(call, call.constants[1]);\n"
    "    ledger[key] = ledger[key] + 1;\n"
    "}\n"
    "void four(struct gravel_call call, ulong key, ulong a, ulong b, ulong c)\n"
    "{\n"
    "    global uint *ledger = gravel_call_local(call, call.constants[1]);\n"
    "    if (a == key + 1 && b == 2 * key && c == call.source)\n"
    "        ledger[key] = ledger[key] + 1;\n"
    "}\n"
    "kernel void send(GRAVEL_ARENA, uint n_keys, uint n_nodes)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    GRAVEL_SERVE(g, item, active)\n"
    "        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(witness), item % n_keys, item,\n"
    "                         item / n_keys % n_nodes);\n"
    "}\n"
    "kernel void send_all(GRAVEL_ARENA, ulong counter)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    GRAVEL_SERVE(g, item, active) {\n"
    "        gravel_am1_wg_if(g, active && item % 2, GRAVEL_HANDLER(key_alone), item, "
    "gravel_node(g));\n"
    "        gravel_inc_uint_wg_if(g, active, counter, 0, gravel_n_nodes(g) - 1);\n"
    "        gravel_am4_wg_if(g, active && item % 2 == 0, GRAVEL_HANDLER(four), item, item + 1, 2 "
    "* item,\n"
    "                         gravel_node(g), gravel_node(g));\n"
    "    }\n"
    "}\n"
    "kernel void many(GRAVEL_ARENA, uint n_calls)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    GRAVEL_SERVE(g, item, active)\n"
    "        for (uint i = 0; i < n_calls; i++)\n"
    "            gravel_am2_wg_if(g, active, GRAVEL_HANDLER(witness), 7, item, gravel_node(g));\n"
    "}\n"
    "void slow(struct gravel_call call, ulong key, ulong n)\n"
    "{\n"
    "    volatile global uint *seen = (volatile global uint *)gravel_call_local(call, "
    "call.constants[1]);\n"
    "    (void)key;\n"
    "    for (ulong i = 0; i < n && !gravelp_device_load_relaxed(&call.arena->fault_claim); i++)\n"
    "        seen[0] = (uint)i;\n"
    "}\n"
    "kernel void send_slowly(GRAVEL_ARENA, ulong n_steps, uint n_calls)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    GRAVEL_SERVE(g, item, active)\n"
    "        for (uint i = 0; i < n_calls; i++)\n"
    "            gravel_am2_wg_if(g, active, GRAVEL_HANDLER(slow), 7, n_steps, gravel_node(g));\n"
    "}\n"
    "kernel void come_late(GRAVEL_ARENA, ulong n_steps, ulong ledger)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    volatile global uint *words = (volatile global uint *)gravel_local(g, ledger);\n"
    "    if (get_global_id(0) >= get_local_size(0) && get_local_id(0) == 0)\n"
    "        for (ulong i = 0; i < n_steps && !gravelp_device_load_relaxed(&g.arena->fault_claim); "
    "i++)\n"
    "            words[1] = (uint)i;\n"
    "    GRAVEL_SERVE(g, item, active)\n"
    "        gravel_am1_wg_if(g, active, GRAVEL_HANDLER(key_alone), item, gravel_node(g));\n"
    "}\n"
    "kernel void await(GRAVEL_ARENA, ulong n_steps, ulong ledger, uint n_awaited)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    volatile global uint *words = (volatile global uint *)gravel_local(g, ledger);\n"
    "    GRAVEL_SERVE(g, item, active) {\n"
    "        words[n_awaited] = 1;\n"
    "        for (ulong i = 0; i < n_steps && !words[n_awaited + 1]; i++) {\n"
    "            uint n = 0;\n"
    "            for (uint word = 0; word < n_awaited; word++)\n"
    "                n += words[word];\n"
    "            words[n_awaited + 1] = n == n_awaited;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "kernel void no_loop(GRAVEL_ARENA)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "}\n";

static const struct gravel_handler handlers[] = {
    {.name = "witness", .n_args = 2, .serve = {.n_keys = 1}},
    {.name = "key_alone", .n_args = 1, .serve = {.n_keys = 1}},
    {.name = "four", .n_args = 4, .serve = {.n_keys = 1}},
    {.name = "slow", .n_args = 2, .serve = {.n_keys = 1}},
};

static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                    .device_code.source = source, .device_code.name = "server.cl");

/* A node with its program and memory. */
struct served {
    struct gravel *gravel;
    cl_program program;
    uint64_t keys, ledger, counter; /* heap offsets */
};

static struct served open_with(struct gravel_config config)
{
    struct served served = {.gravel = NULL};
    config.timeout_ms *= patience();
    strcpy(config.server_mode, is_resident ? "resident" : "phases");
    OK(gravel_open(&served.gravel, &config, &table));
    served.keys = alloc_or_die(served.gravel, N_KEYS * sizeof(struct guarded_key));
    served.ledger = alloc_or_die(served.gravel, MOST_ITEMS * sizeof(uint32_t));
    served.counter = alloc_or_die(served.gravel, 64);
    OK(gravel_set_constant(served.gravel, 0, served.keys));
    OK(gravel_set_constant(served.gravel, 1, served.ledger));
    OK(gravel_server_build(served.gravel, "server.cl", source, NULL, &served.program));
    return served;
}

static void close_served(struct served *served)
{
    clReleaseProgram(served->program);
    OK(gravel_close(served->gravel));
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

static void send_and_expect(const struct served *served, uint32_t n_items, uint32_t n_keys,
                            uint32_t n_nodes)
{
    cl_kernel kernel = kernel_or_die(served->gravel, served->program, "send");
    MUST(clSetKernelArg(kernel, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 2, sizeof n_nodes, &n_nodes) == CL_SUCCESS);
    clear(served);
    OK(gravel_server_launch(served->gravel, kernel, n_items, 0, NULL, NULL));
    if (n_nodes == 1)
        expect_sent(served, n_items, n_keys, 1);
    OK(gravel_barrier(served->gravel));
    expect_sent(served, n_items, n_keys, n_nodes);
    clReleaseKernel(kernel);
}

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

static void every_message_is_run_once_and_alone(void **state)
{
    (void)state;
    watch(120, "servers as they are derived");
    struct gravel_config config = loopback_config(MOST_NODES);
    config.inbox_slots = is_resident ? 2 : 64;
    struct served served = open_with(config);
    struct gravel_stats stats;
    expect_all_sizes(&served);
    OK(gravel_stats_reset(served.gravel));
    send_and_expect(&served, MOST_ITEMS, N_KEYS, 1);
    OK(gravel_stats_read(served.gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    assert_int_equal(stats.served_messages, MOST_ITEMS);
    assert_true(is_resident ? stats.server_phases == 0 : stats.server_phases > 1);
    close_served(&served);
}

/* As on a GPU: outboxes that are collected, lists. */
static void every_message_is_run_once_and_alone_in_lists(void **state)
{
    (void)state;
    watch(120, "servers with lists");
    struct gravel_config config = loopback_config(MOST_NODES);
    config.n_servers = is_resident ? 2 : 5;
    config.server_items = 32;
    config.inbox_slots = is_resident ? 1 : 0;
    strcpy(config.build_options, "-DGRAVEL_FORM_SCAN");
    struct served served = open_with(config);
    send_and_expect(&served, 257, 5, 1);
    send_and_expect(&served, MOST_ITEMS, 1, 1);
    send_and_expect(&served, MOST_ITEMS, N_KEYS, MOST_NODES);
    close_served(&served);
}

/* Calls of several handlers, with and without keys, to this node and another, in one loop. */
static void other_calls_do_what_they_do_anywhere(void **state)
{
    (void)state;
    watch(120, "a mix of calls");
    struct served served = open_with(loopback_config(MOST_NODES));
    const uint32_t n_items = 30011;
    cl_kernel kernel = kernel_or_die(served.gravel, served.program, "send_all");
    MUST(clSetKernelArg(kernel, 1, sizeof served.counter, &served.counter) == CL_SUCCESS);
    OK(gravel_server_launch(served.gravel, kernel, n_items, 0, NULL, NULL));
    const uint32_t *ledger = read_map(served.gravel, 0, served.ledger, MOST_ITEMS * sizeof *ledger);
    for (uint32_t i = 0; i < MOST_ITEMS; i++)
        assert_int_equal(ledger[i], i < n_items);
    unmap(served.gravel, ledger);
    OK(gravel_barrier(served.gravel));
    assert_int_equal(word32(served.gravel, MOST_NODES - 1, served.counter), n_items);
    clReleaseKernel(kernel);
    close_served(&served);
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
static void messages_from_elsewhere_wait_for_their_turn(void **state)
{
    (void)state;
    watch(120, "messages beside a launch");
    struct served served = open_with(loopback_config(MOST_NODES));
    const uint32_t one = 1;
    pthread_t thread;
    cl_kernel kernel = kernel_or_die(served.gravel, served.program, "send");
    MUST(clSetKernelArg(kernel, 1, sizeof one, &one) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 2, sizeof one, &one) == CL_SUCCESS);
    MUST(pthread_create(&thread, NULL, send_from_host, served.gravel) == 0);
    OK(gravel_server_launch(served.gravel, kernel, MOST_ITEMS - N_SENT, 0, NULL, NULL));
    pthread_join(thread, NULL);
    OK(gravel_quiet(served.gravel));
    expect_sent(&served, MOST_ITEMS, 1, 1);
    clReleaseKernel(kernel);
    close_served(&served);
}

#define N_AWAITED \
    600u /* more than a slot has; behind them in the ledger: clients run, clients have seen all */

static void *send_awaited(void *of)
{
    const struct served *served = of;
    while (!word32(served->gravel, 0, served->ledger + 4 * N_AWAITED))
        usleep(1000);
    for (uint64_t i = 0; i < N_AWAITED; i++)
        OK(gravel_am(served->gravel, KEY_ALONE, &i, 1, 0));
    OK(gravel_quiet(served->gravel));
    return NULL;
}

/* Clients stay until servers have run what the host sends meanwhile: it has more than the mailbox, and waits for all. */
static void messages_reach_servers_that_run(void **state)
{
    (void)state;
    if (!is_resident)
        return; /* no mailbox */
    watch(120, "mail");
    struct gravel_config config = loopback_config(MOST_NODES);
    config.inbox_slots = 1;
    struct served served = open_with(config);
    const cl_ulong n_steps = UINT64_C(1) << 23;
    const cl_uint n_awaited = N_AWAITED;
    pthread_t thread;
    cl_kernel kernel = kernel_or_die(served.gravel, served.program, "await");
    MUST(clSetKernelArg(kernel, 1, sizeof n_steps, &n_steps) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 2, sizeof served.ledger, &served.ledger) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 3, sizeof n_awaited, &n_awaited) == CL_SUCCESS);
    MUST(pthread_create(&thread, NULL, send_awaited, &served) == 0);
    OK(gravel_server_launch(served.gravel, kernel, 1, 0, NULL, NULL));
    pthread_join(thread, NULL);
    expect_words(served.gravel, 0, served.ledger, 1, N_AWAITED + 2);
    clReleaseKernel(kernel);
    close_served(&served);
}

/* A kernel that takes no work has no servers either: what came meanwhile is served all the same. */
static void messages_beside_a_launch_without_servers_are_run(void **state)
{
    (void)state;
    if (!is_resident)
        return; /* such a launch has no mailbox */
    watch(120, "mail without servers");
    struct served served = open_with(loopback_config(MOST_NODES));
    pthread_t thread;
    cl_kernel kernel = kernel_or_die(served.gravel, served.program, "no_loop");
    MUST(pthread_create(&thread, NULL, send_from_host, served.gravel) == 0);
    for (uint32_t i = 0; i < 8; i++)
        expect_error(gravel_server_launch(served.gravel, kernel, 5, 0, NULL, NULL), GRAVEL_EINVAL,
                     "no GRAVEL_SERVE loop");
    pthread_join(thread, NULL);
    OK(gravel_quiet(served.gravel));
    expect_words(served.gravel, 0, served.ledger + 4 * (MOST_ITEMS - N_SENT), 1, N_SENT);
    clReleaseKernel(kernel);
    close_served(&served);
}

/* Where a node is alone, and where there are others. */
static void messages_to_no_node_are_refused(void **state)
{
    (void)state;
    watch(120, "messages to no node");
    for (uint32_t n_nodes = 1; n_nodes <= MOST_NODES; n_nodes++) {
        struct served served = open_with(loopback_config(n_nodes));
        const uint32_t n_keys = 1000, beyond = n_nodes + 1;
        cl_kernel kernel = kernel_or_die(served.gravel, served.program, "send");
        MUST(clSetKernelArg(kernel, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
        MUST(clSetKernelArg(kernel, 2, sizeof beyond, &beyond) == CL_SUCCESS);
        OK(gravel_server_launch(served.gravel, kernel, 1000 * beyond, 0, NULL, NULL));
        expect_error(gravel_quiet(served.gravel), GRAVEL_ERANGE, "node");
        expect_sent(&served, 1000, n_keys, 1);
        clReleaseKernel(kernel);
        close_served(&served);
    }
}

/* ---- what is refused, what is told ------------------------------------------------------------- */

static void wrong_launches_are_refused(void **state)
{
    (void)state;
    watch(120, "refusals");
    struct served served = open_with(loopback_config(1));
    const size_t size = 64;
    cl_kernel no_loop = kernel_or_die(served.gravel, served.program, "no_loop");
    cl_kernel send = kernel_or_die(served.gravel, served.program, "send");
    const uint64_t arguments[3] = {0};
    cl_kernel other = body_kernel(served.gravel, "", arguments);
    const cl_uint one = 1;
    MUST(clSetKernelArg(send, 1, sizeof one, &one) == CL_SUCCESS);
    MUST(clSetKernelArg(send, 2, sizeof one, &one) == CL_SUCCESS);
    expect_error(gravel_server_launch(served.gravel, no_loop, 5, 0, NULL, NULL), GRAVEL_EINVAL,
                 "no GRAVEL_SERVE loop");
    expect_error(gravel_server_launch(served.gravel, other, 5, 0, NULL, NULL), GRAVEL_EINVAL,
                 "gravel_server_build did not build");
    expect_error(gravel_server_launch(served.gravel, send, UINT64_MAX, 0, NULL, NULL),
                 GRAVEL_EINVAL, "18446744073709551615 work-items");
    expect_error(gravel_set_constant(served.gravel, GRAVEL_N_CONSTANTS, 1), GRAVEL_ERANGE,
                 "number 8 of 8");
    send_and_expect(&served, 1000, 3, 1);
    OK(gravel_launch(served.gravel, send, 1, &size, &size, 0, NULL, NULL));
    expect_error(gravel_quiet(served.gravel), GRAVEL_EKERNEL,
                 "gravel_server_launch did not launch it");
    clReleaseKernel(no_loop);
    clReleaseKernel(send);
    clReleaseKernel(other);
    clReleaseProgram(served.program);
    gravel_close(served.gravel);
}

static cl_kernel kernel_of_many(const struct served *served, cl_uint n_calls)
{
    cl_kernel kernel = kernel_or_die(served->gravel, served->program, "many");
    MUST(clSetKernelArg(kernel, 1, sizeof n_calls, &n_calls) == CL_SUCCESS);
    return kernel;
}

static void inboxes_that_overflow_are_told(void **state)
{
    (void)state;
    if (is_resident)
        return; /* clients_wait_for_room_in_an_inbox */
    watch(120, "an inbox without room");
    struct served served = open_with(loopback_config(1));
    cl_kernel kernel = kernel_of_many(&served, 1000);
    expect_error(gravel_server_launch(served.gravel, kernel, 65536, 0, NULL, NULL), GRAVEL_EKERNEL,
                 "raise GRAVEL_INBOX");
    clReleaseKernel(kernel);
    clReleaseProgram(served.program);
    gravel_close(served.gravel);
}

/* More messages of each client than all slots hold, to one server. */
static void clients_wait_for_room_in_an_inbox(void **state)
{
    (void)state;
    if (!is_resident)
        return; /* inboxes_that_overflow_are_told */
    watch(120, "an inbox of a slot");
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
    clReleaseKernel(kernel);
    close_served(&served);
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
    clReleaseKernel(kernel);
    clReleaseProgram(served->program);
    gravel_close(served->gravel);
}

static void servers_that_take_nothing_are_told(void **state)
{
    (void)state;
    if (!is_resident)
        return; /* no client waits */
    watch(120, "a handler that does not end");
    struct served served = open_impatient();
    const cl_ulong n_steps = LONG_LOOP;
    const cl_uint n_calls = 4;
    cl_kernel kernel = kernel_or_die(served.gravel, served.program, "send_slowly");
    MUST(clSetKernelArg(kernel, 1, sizeof n_steps, &n_steps) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 2, sizeof n_calls, &n_calls) == CL_SUCCESS);
    expect_fault(&served, kernel, "waited for room in the inbox of server ");
}

static void servers_that_no_client_joins_are_told(void **state)
{
    (void)state;
    if (!is_resident)
        return; /* no server waits */
    watch(120, "clients that come late");
    struct served served = open_impatient();
    const cl_ulong n_steps = LONG_LOOP;
    cl_kernel kernel = kernel_or_die(served.gravel, served.program, "come_late");
    MUST(clSetKernelArg(kernel, 1, sizeof n_steps, &n_steps) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 2, sizeof served.ledger, &served.ledger) == CL_SUCCESS);
    expect_fault(&served, kernel, "GRAVEL_SERVER_MODE=phases does not need that");
}

static void modes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    if (!is_resident)
        return; /* phases can be anywhere */
    watch(120, "refusals of modes");
    struct gravel_config config = loopback_config(1);
    strcpy(config.server_mode, "resident");
    config.n_servers = 200;
    expect_no_open(&config, &table, GRAVEL_ECONFIG,
                   " work-groups at once, and one must be a client");
    strcpy(config.server_mode, "beside");
    expect_no_open(&config, &table, GRAVEL_ECONFIG, "not one of auto, resident, phases");
}

static void programs_without_servers_are_refused(void **state)
{
    (void)state;
    watch(120, "refusals of programs");
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel = open_loopback(1, NULL);
    cl_program program = NULL;
    expect_error(gravel_server_build(gravel, "server.cl", source, NULL, &program), GRAVEL_EINVAL,
                 "none of 0 handlers has a key");
    OK(gravel_close(gravel));
    config.inbox_slots = 1;
    strcpy(config.server_mode, "phases"); /* on GPUs auto is resident, which takes one slot */
    if (!is_resident)
        expect_no_open(&config, &table, GRAVEL_ECONFIG, "GRAVEL_INBOX=1");
    struct served served = open_with(loopback_config(1));
    expect_error(
        gravel_server_build(served.gravel, "mine.cl", "#include \"gravel.cl.h\"\n", NULL, &program),
        GRAVEL_EBUILD, "handler witness");
    close_served(&served);
}

int main(int argc, char **argv)
{
    is_resident = argc > 1 && !strcmp(argv[1], "resident");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_is_run_once_and_alone),
        cmocka_unit_test(every_message_is_run_once_and_alone_in_lists),
        cmocka_unit_test(other_calls_do_what_they_do_anywhere),
        cmocka_unit_test(messages_from_elsewhere_wait_for_their_turn),
        cmocka_unit_test(messages_reach_servers_that_run),
        cmocka_unit_test(messages_beside_a_launch_without_servers_are_run),
        cmocka_unit_test(messages_to_no_node_are_refused),
        cmocka_unit_test(wrong_launches_are_refused),
        cmocka_unit_test(inboxes_that_overflow_are_told),
        cmocka_unit_test(clients_wait_for_room_in_an_inbox),
        cmocka_unit_test(servers_that_take_nothing_are_told),
        cmocka_unit_test(servers_that_no_client_joins_are_told),
        cmocka_unit_test(modes_that_cannot_be_are_refused),
        cmocka_unit_test(programs_without_servers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
