/* SPDX-License-Identifier: MIT */
/*
 * Handlers with two keys: none runs beside another handler with one of its keys, whoever sent the messages, to a node of the
 * sender's choice or to that of the keys; what is refused.
 *
 * A datum is money and a count. A transfer moves money, works, and looks whether it is still the one that both data's
 * witnesses name; copies that are stored late would lose counts and money. Deposits, of one key, come between.
 *
 * Path: meson test -> this -> cl/device/transaction.cl.h, cl/device/send.cl.h, cl/device/call.cl.h, lib/serve
 */
#include "bank.h"
#include "expect.h"

#include <pthread.h>

#define N_NODES 3u
#define N_KEYS 66u
#define MONEY 1000000u /* of each key at first */

/* Ids by position in the table below: kernels go through them, so that a kernel has one call and little to compile. */
enum { TRANSFER, SWAP, DEPOSIT };

/* What a key has in the heap of its node, or of every node. */
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

/* @param options  with -DBY_KEY messages go to the node key % N_NODES, and both keys of a transfer have one. */
static struct bank open_nodes(uint32_t n_servers, uint32_t server_items, const char *options)
{
    struct gravel_config config = loopback_config(N_NODES);
    size_t n = strlen(config.build_options);
    config.buffer_bytes = 1u << 20; /* long runs */
    config.timeout_ms *= patience();
    config.n_servers = n_servers;
    config.server_items = server_items;
    snprintf(config.build_options + n, sizeof config.build_options - n, " %s", options);
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

/* Messages, of which number i is about two of the keys, and goes to node i % n_nodes; n_nodes 0: to that of the keys. */
struct traffic {
    uint64_t n, n_keys;
    uint32_t n_nodes;
};

static uint64_t first_of(struct traffic traffic, uint64_t i)
{
    return i * 7 % traffic.n_keys;
}

static uint64_t second_of(struct traffic traffic, uint64_t i)
{
    const uint64_t other = i * 5 + i / 11;
    return traffic.n_nodes
               ? other % traffic.n_keys
               : first_of(traffic, i) % N_NODES + N_NODES * (other % (traffic.n_keys / N_NODES));
}

static uint32_t node_of(struct traffic traffic, uint64_t i)
{
    return (uint32_t)(traffic.n_nodes ? i % traffic.n_nodes : first_of(traffic, i) % N_NODES);
}

/* What messages of each kind make of the accounts, so many times. */
static void expect_sent(const struct bank *bank, struct traffic traffic, uint32_t times)
{
    for (uint32_t node = 0; node < N_NODES; node++) {
        struct account expected[N_KEYS] = {{.money = 0}};
        for (uint64_t i = 0; i < traffic.n; i++) {
            struct account *from = &expected[first_of(traffic, i)];
            struct account *to = &expected[second_of(traffic, i)];
            if (node_of(traffic, i) != node)
                continue;
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

static int launch(const struct bank *bank, struct traffic traffic)
{
    SET(bank->send, 1, traffic.n_keys);
    SET(bank->send, 2, traffic.n_nodes);
    return launch_bank(bank, traffic.n);
}

static void launch_and_expect(const struct bank *bank, struct traffic traffic)
{
    reset(bank);
    OK(launch(bank, traffic));
    OK(gravel_barrier(bank->gravel));
    expect_sent(bank, traffic, 1);
}

/* ---- from elsewhere ----------------------------------------------------------------------------- */

struct host_traffic {
    const struct bank *bank;
    struct traffic traffic;
};

static void *send_from_host(void *of)
{
    const struct host_traffic *sent = of;
    struct gravel *gravel = sent->bank->gravel;
    for (uint64_t i = 0; i < sent->traffic.n; i++) {
        const uint64_t from = first_of(sent->traffic, i), to = second_of(sent->traffic, i);
        const uint64_t args[] = {from, to, i, from << 32 | to}, paid[] = {to, 3, 0, 0};
        const uint32_t node = node_of(sent->traffic, i);
        OK(gravel_am(gravel, TRANSFER, args, 4, node));
        if (i % 4 == 0)
            OK(gravel_am(gravel, DEPOSIT, paid, 4, node));
        if (i % 2 == 0)
            OK(gravel_am(gravel, SWAP, args, 4, node));
    }
    return NULL;
}

/* The host sends to keys that a launch serves, meanwhile: servers of a launch and runs of the network thread take turns. */
static void expect_turns(const struct bank *bank, struct traffic traffic)
{
    pthread_t thread;
    struct host_traffic sent = {bank, traffic};
    reset(bank);
    MUST(pthread_create(&thread, NULL, send_from_host, &sent) == 0);
    OK(launch(bank, traffic));
    pthread_join(thread, NULL);
    OK(gravel_barrier(bank->gravel));
    expect_sent(bank, traffic, 2);
}

/* Of an ordinary kernel, to every node. */
static void expect_sent_by_groups(const struct bank *bank)
{
    const struct traffic traffic = {8192, 5, N_NODES};
    reset(bank);
    OK(run_body(bank->gravel,
                BODY("ulong from = i * 7 % a, to = (i * 5 + i / 11) % a;"
                     "for (uint kind = 0; kind < 3; kind++)"
                     "    gravel_am4_wg_if(g, i % (kind ? 2 * kind : 1) == 0, kind,"
                     "                     kind < 2 ? from : to, kind < 2 ? to : 3, i,"
                     "                     from << 32 | to, i % 3);"),
                traffic.n, 64, traffic.n_keys, 0, 0));
    expect_sent(bank, traffic, 1);
}

/* By launches, by runs that come over the network, and by both at once. */
static void expect_exclusion(uint32_t n_servers, uint32_t server_items, const char *options)
{
    struct bank bank = open_nodes(n_servers, server_items, options);
    launch_and_expect(&bank, (struct traffic){0, 1, 1});
    launch_and_expect(&bank, (struct traffic){1, N_KEYS, 1});
    launch_and_expect(&bank, (struct traffic){300, 1, 1}); /* two equal keys */
    launch_and_expect(&bank, (struct traffic){20000, 2, 1});
    launch_and_expect(&bank, (struct traffic){20000, N_KEYS, 1});
    launch_and_expect(&bank, (struct traffic){20000, 5, N_NODES});
    expect_turns(&bank, (struct traffic){3000, 3, 1});
    expect_sent_by_groups(&bank);
    close_bank(&bank);
}

TEST(transactions_exclude_each_other)
{
    expect_exclusion(0, 0, "");
}

/* As on a GPU: a group of many work-items, in rounds. */
TEST(transactions_exclude_each_other_in_rounds)
{
    expect_exclusion(5, 32, "-DGRAVEL_FORM_SCAN");
}

TEST_OF("by_key", messages_go_to_the_nodes_of_their_keys)
{
    struct bank bank = open_nodes(0, 0, "-DBY_KEY");
    launch_and_expect(&bank, (struct traffic){0, 3, 0});
    launch_and_expect(&bank, (struct traffic){1, N_KEYS, 0});
    launch_and_expect(&bank, (struct traffic){300, 3, 0}); /* two equal keys */
    launch_and_expect(&bank, (struct traffic){20000, N_KEYS, 0});
    expect_turns(&bank, (struct traffic){2000, 6, 0});
    close_bank(&bank);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

/* They need a server that runs alone. */
TEST(resident_servers_are_refused)
{
    struct gravel_config config = loopback_config(1);
    strcpy(config.server_mode, "resident");
    expect_no_open(&config, &table, GRAVEL_ECAPABILITY, "a handler has two keys");
}

static void expect_end(const struct bank *bank, int code, const char *text)
{
    int got = gravel_quiet(bank->gravel);
    if (!got) /* the fault may come behind its look for one */
        got = gravel_quiet(bank->gravel);
    expect_error(got, code, text);
    clReleaseKernel(bank->send);
    clReleaseProgram(bank->program);
    gravel_close(bank->gravel);
}

/* From the host to the node of neither or of one key. */
TEST_OF("by_key", keys_of_two_nodes_end_the_node)
{
    static const struct {
        uint64_t keys[2];
        uint32_t node;
        const char *text;
    } rows[] = {
        {{1, 2}, 1, "keys are of nodes 1 and 2 (GRAVEL_NODE_OF), and the message is for node 1;"},
        {{1, 2}, 2, "keys are of nodes 1 and 2 (GRAVEL_NODE_OF), and the message is for node 2;"},
        {{4, 7}, 0, "keys are of nodes 1 and 1 (GRAVEL_NODE_OF), and the message is for node 0;"},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bank bank = open_nodes(0, 0, "-DBY_KEY");
        const uint64_t args[] = {rows[i].keys[0], rows[i].keys[1], 1, 0};
        OK(gravel_am(bank.gravel, TRANSFER, args, 4, rows[i].node));
        expect_end(&bank, GRAVEL_EKERNEL, rows[i].text);
    }
}

/* A kernel's transactions of two nodes go to the first key's, and end the launch there; "none" is no node. */
TEST_OF("by_key", launches_that_send_wrongly_end)
{
    static const struct {
        const char *options;
        int code;
        const char *text;
    } rows[] = {
        {"-DBY_KEY -DAPART", GRAVEL_EKERNEL, "handler transfer: its keys are of nodes "},
        {"-DBY_KEY -DNODE=0xffffffffu", GRAVEL_ERANGE, "destination 4294967295 "},
        {"-DBY_KEY -DSENDS", GRAVEL_EKERNEL, "sends to handler 2 and may not"},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bank bank = open_nodes(0, 0, rows[i].options);
        (void)launch(&bank, (struct traffic){10, N_KEYS, 0});
        expect_end(&bank, rows[i].code, rows[i].text);
    }
}
