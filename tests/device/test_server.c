/* SPDX-License-Identifier: MIT */
/*
 * Launches of clients and servers: every message is run once, those with equal keys never at once, whatever the sizes;
 * beside messages with keys from elsewhere.
 *
 * usage: test_server [resident]     the same cases with resident servers; else in phases
 *
 * The witness is that of tests/support/witness.h. A ledger has a counter for each work-item, set by its handler.
 *
 * Path: meson test -> this -> lib/server, lib/serve, cl/server.cl.h
 */
#include <pthread.h>
#include <unistd.h>

#include "served.h"

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
