/* SPDX-License-Identifier: MIT */
/*
 * What launches of clients and servers refuse, and what they tell: messages to no node, wrong launches and programs,
 * modes that cannot be, inboxes that overflow, servers and clients that do not come.
 *
 * usage: test_server_refusals [resident]     the same cases with resident servers; else in phases
 *
 * Path: meson test -> this -> lib/server, lib/serve, cl/server.cl.h
 */
#include "served.h"

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

/* ---- what is refused, what is told ------------------------------------------------------------- */

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
