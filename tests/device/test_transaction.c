/* SPDX-License-Identifier: MIT */
/*
 * Handlers with two keys: none runs beside another handler with one of its keys, whoever sent the messages; what is
 * refused.
 *
 * A datum is money and a count. A transfer moves money, works, and looks whether it is still the one that both data's
 * witnesses name; copies that are stored late would lose counts and money. Deposits, of one key, come between.
 *
 * Path: meson test -> this -> cl/device/transaction.cl.h, lib/serve, lib/serve/calls.c
 */
#include "bank.h"
#include "expect.h"

#include <pthread.h>

#define N_NODES 3u
#define N_KEYS 64u
#define MONEY 1000000u /* of each key at first */

/* Ids by position in the table below: kernels go through them, so that a kernel has one call and little to compile. */
enum { TRANSFER, SWAP, DEPOSIT };

/* What a key has in the heap. */
struct account {
    uint64_t money, n_run;
    uint32_t holder, n_clashes, work, n_swaps;
};

extern const char transaction_cl[]; /* kernels/transaction.cl */

static const struct gravel_handler handlers[] = {
    {.name = "transfer", .n_args = 4, .serve = {.n_keys = 2, .datum = "account", .datum_words = 2}},
    {.name = "swap", .n_args = 4, .serve = {.n_keys = 2, .datum = "long", .datum_words = 16}},
    {.name = "deposit", .n_args = 4, .serve = {.n_keys = 1}},
};

static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                    .device_code.source = transaction_cl, .device_code.name = "transaction.cl");

#define NODE_BYTES (N_KEYS * sizeof(struct account)) /* of a node's accounts */

static struct bank open_nodes(uint32_t n_servers, uint32_t server_items, const char *options)
{
    struct gravel_config config = loopback_config(N_NODES);
    config.buffer_bytes = 1u << 20; /* long runs */
    config.timeout_ms *= patience();
    config.n_servers = n_servers;
    config.server_items = server_items;
    if (*options)
        strcpy(config.build_options, options);
    return open_bank(&config, &table, NODE_BYTES);
}

static void reset(const struct bank *bank)
{
    for (uint32_t node = 0; node < N_NODES; node++) {
        struct account *accounts = write_accounts(bank, node, NODE_BYTES);
        memset(accounts, 0, NODE_BYTES);
        for (uint32_t key = 0; key < N_KEYS; key++)
            accounts[key].money = MONEY;
        unmap(bank->gravel, accounts);
    }
    OK(gravel_barrier(bank->gravel));
}

static uint64_t first_of(uint64_t i, uint64_t n)
{
    return i * 7 % n;
}
static uint64_t second_of(uint64_t i, uint64_t n)
{
    return (i * 5 + i / 11) % n;
}

/* What n messages of each kind make of the accounts: those of `send`, so many times. */
static void expect_sent(const struct bank *bank, uint64_t n, uint64_t n_keys, uint32_t n_nodes,
                        uint32_t times)
{
    for (uint32_t node = 0; node < n_nodes; node++) {
        struct account expected[N_KEYS] = {{.money = 0}};
        for (uint64_t i = node; i < n; i += n_nodes) {
            struct account *from = &expected[first_of(i, n_keys)];
            struct account *to = &expected[second_of(i, n_keys)];
            from->money -= i % 7;
            to->money += i % 7 + (i % 4 ? 0 : 3);
            from->n_run++, to->n_run++;
            from->n_swaps += i % 2 == 0, to->n_swaps += i % 2 == 0;
        }
        const struct account *accounts = read_map(bank->gravel, node, bank->accounts, NODE_BYTES);
        for (uint32_t key = 0; key < N_KEYS; key++) {
            assert_int_equal(accounts[key].n_clashes, 0);
            assert_int_equal(accounts[key].money, MONEY + times * expected[key].money);
            assert_int_equal(accounts[key].n_run, times * expected[key].n_run);
            assert_int_equal(accounts[key].n_swaps, times * expected[key].n_swaps);
        }
        unmap(bank->gravel, accounts);
    }
}

/* ---- by a launch of clients and servers -------------------------------------------------------- */

static void launch(const struct bank *bank, uint64_t n, uint64_t n_keys, uint32_t n_nodes)
{
    MUST(clSetKernelArg(bank->send, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
    MUST(clSetKernelArg(bank->send, 2, sizeof n_nodes, &n_nodes) == CL_SUCCESS);
    OK(launch_bank(bank, n));
    OK(gravel_barrier(bank->gravel));
}

static void launch_and_expect(const struct bank *bank, uint64_t n, uint64_t n_keys,
                              uint32_t n_nodes)
{
    reset(bank);
    launch(bank, n, n_keys, n_nodes);
    expect_sent(bank, n, n_keys, n_nodes, 1);
}

static void expect_all_sizes(const struct bank *bank)
{
    launch_and_expect(bank, 0, 1, 1);
    launch_and_expect(bank, 1, N_KEYS, 1);
    launch_and_expect(bank, 300, 1, 1); /* two equal keys */
    launch_and_expect(bank, 20000, 2, 1);
    launch_and_expect(bank, 20000, N_KEYS, 1);
    launch_and_expect(bank, 20000, 5, N_NODES);
}

/* ---- from elsewhere ----------------------------------------------------------------------------- */

#define N_SENT 3000u

static void *send_from_host(void *of)
{
    const struct bank *bank = of;
    for (uint64_t i = 0; i < N_SENT; i++) {
        const uint64_t from = first_of(i, 3), to = second_of(i, 3);
        const uint64_t args[] = {from, to, i, from << 32 | to}, paid[] = {to, 3, 0, 0};
        OK(gravel_am(bank->gravel, TRANSFER, args, 4, 0));
        if (i % 4 == 0)
            OK(gravel_am(bank->gravel, DEPOSIT, paid, 4, 0));
        if (i % 2 == 0)
            OK(gravel_am(bank->gravel, SWAP, args, 4, 0));
    }
    return NULL;
}

/* The host sends to keys that a launch serves, meanwhile. */
static void expect_turns(const struct bank *bank)
{
    pthread_t thread;
    reset(bank);
    MUST(pthread_create(&thread, NULL, send_from_host, (void *)bank) == 0);
    launch(bank, N_SENT, 3, 1);
    pthread_join(thread, NULL);
    OK(gravel_quiet(bank->gravel));
    expect_sent(bank, N_SENT, 3, 1, 2);
}

/* Of an ordinary kernel, to every node. */
static void send_by_groups(const struct bank *bank, uint32_t n, uint64_t n_keys)
{
    const uint64_t arguments[3] = {n_keys, 0, 0};
    cl_kernel kernel = body_kernel(
        bank->gravel,
        "ulong from = i * 7 % a, to = (i * 5 + i / 11) % a;"
        "for (uint kind = 0; kind < 3; kind++)"
        "    gravel_am4_wg_if(g, i % (kind ? 2 * kind : 1) == 0, kind, kind < 2 ? from : to,"
        "                     kind < 2 ? to : 3, i, from << 32 | to, i % 3);",
        arguments);
    OK(run_kernel(bank->gravel, kernel, n, 64));
    clReleaseKernel(kernel);
}

/* By launches, by runs that come over the network, and by both at once. */
static void expect_exclusion(uint32_t n_servers, uint32_t server_items, const char *options)
{
    struct bank bank = open_nodes(n_servers, server_items, options);
    expect_all_sizes(&bank);
    expect_turns(&bank);
    reset(&bank);
    send_by_groups(&bank, 8192, 5);
    expect_sent(&bank, 8192, 5, N_NODES, 1);
    close_bank(&bank);
}

static void transactions_exclude_each_other(void **state)
{
    (void)state;
    watch(120, "servers as they are derived");
    expect_exclusion(0, 0, "");
}

/* As on a GPU: a group of many work-items, in rounds. */
static void transactions_exclude_each_other_in_rounds(void **state)
{
    (void)state;
    watch(120, "servers in rounds");
    expect_exclusion(5, 32, "-DGRAVEL_FORM_SCAN");
}

/* ---- what is refused ---------------------------------------------------------------------------- */

/* They need a server that runs alone. */
static void resident_servers_are_refused(void **state)
{
    (void)state;
    watch(120, "resident servers");
    struct gravel_config config = loopback_config(1);
    strcpy(config.server_mode, "resident");
    expect_no_open(&config, &table, GRAVEL_ECAPABILITY, "a handler has two keys");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transactions_exclude_each_other),
        cmocka_unit_test(transactions_exclude_each_other_in_rounds),
        cmocka_unit_test(resident_servers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
