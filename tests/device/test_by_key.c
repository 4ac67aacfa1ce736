/* SPDX-License-Identifier: MIT */
/*
 * Messages that go to the nodes of their keys: none is lost, and no transaction runs beside another handler with one of
 * its keys, whoever sent the messages; what is refused.
 *
 * A datum is money and a count. A copy that is stored late would lose counts and money. Deposits, of one key, come
 * between; and launches of servers, which take turns with what the host sends.
 *
 * Path: meson test -> this -> cl/device/by_key.cl.h, cl/device/call.cl.h, lib/serve/call_text.c
 */
#include "bank.h"
#include "expect.h"

#include <pthread.h>

#define N_NODES 3u
#define N_KEYS 66u
#define MONEY 1000000u /* of each key at first */

enum { TRANSFER, DEPOSIT };

/* What a key has in the heap of node key % N_NODES, at place key / N_NODES. */
struct account {
    uint64_t money, n_run;
};

extern const char by_key_cl[]; /* kernels/by_key.cl */

static const struct gravel_handler handlers[] = {
    {.name = "transfer", .n_args = 4, .serve = {.n_keys = 2, .datum = "account", .datum_words = 2}},
    {.name = "deposit", .n_args = 2, .serve = {.n_keys = 1}},
};

static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                    .device_code.source = by_key_cl, .device_code.name = "by_key.cl");

#define NODE_BYTES (N_KEYS / N_NODES * sizeof(struct account)) /* of a node's accounts */

static struct bank open_nodes(void)
{
    struct gravel_config config = loopback_config(N_NODES);
    config.timeout_ms *= patience();
    return open_bank(&config, &table, NODE_BYTES);
}

/* The account that gets item i's money: of the node of the one that gives it. */
static uint64_t to_of(uint64_t i, uint64_t n_keys)
{
    return i * 7 % n_keys % N_NODES + N_NODES * ((i * 5 + i / 11) % (n_keys / N_NODES));
}

static void reset(const struct bank *bank)
{
    for (uint32_t node = 0; node < N_NODES; node++) {
        struct account *accounts = write_accounts(bank, node, NODE_BYTES);
        for (uint32_t i = 0; i < N_KEYS / N_NODES; i++)
            accounts[i] = (struct account){MONEY, 0};
        unmap(bank->gravel, accounts);
    }
    OK(gravel_barrier(bank->gravel));
}

/* What n items of `send` make of the accounts, so many times. */
static void expect_sent(const struct bank *bank, uint64_t n, uint64_t n_keys, uint32_t times)
{
    struct account expected[N_KEYS] = {{.money = 0}};
    for (uint64_t i = 0; i < n; i++) {
        struct account *from = &expected[i * 7 % n_keys];
        struct account *to = &expected[to_of(i, n_keys)];
        from->money -= i % 7 + 1;
        to->money += i % 7 + 1 + (i % 4 ? 0 : 3);
        from->n_run++;
        to->n_run += from != to; /* one copy for both: counted below */
        from->n_run += from == to;
    }
    for (uint32_t node = 0; node < N_NODES; node++) {
        const struct account *accounts = read_map(bank->gravel, node, bank->accounts, NODE_BYTES);
        for (uint32_t key = node; key < N_KEYS; key += N_NODES) {
            assert_int_equal(accounts[key / N_NODES].n_run, times * expected[key].n_run);
            assert_int_equal(accounts[key / N_NODES].money, MONEY + times * expected[key].money);
        }
        unmap(bank->gravel, accounts);
    }
}

static void launch(const struct bank *bank, uint64_t n, uint64_t n_keys)
{
    MUST(clSetKernelArg(bank->send, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
    OK(launch_bank(bank, n));
}

static void launch_and_expect(const struct bank *bank, uint64_t n, uint64_t n_keys)
{
    reset(bank);
    launch(bank, n, n_keys);
    OK(gravel_barrier(bank->gravel));
    expect_sent(bank, n, n_keys, 1);
}

static void messages_go_to_the_nodes_of_their_keys(void **state)
{
    (void)state;
    watch(120, "keys of nodes");
    struct bank bank = open_nodes();
    launch_and_expect(&bank, 0, 3);
    launch_and_expect(&bank, 1, N_KEYS);
    launch_and_expect(&bank, 300, 3); /* two equal keys */
    launch_and_expect(&bank, 3000, 6);
    launch_and_expect(&bank, 20000, N_KEYS);
    close_bank(&bank);
}

/* ---- at once, from two sides ---------------------------------------------------------------------- */

#define N_SENT 2000u

static void *send_from_host(void *of)
{
    const struct bank *bank = of;
    for (uint64_t i = 0; i < N_SENT; i++) {
        const uint64_t from = i * 7 % 6, to = to_of(i, 6);
        const uint64_t args[] = {from, to, i % 7, 1}, paid[] = {to, 3};
        OK(gravel_am(bank->gravel, TRANSFER, args, 4, from % N_NODES));
        if (i % 4 == 0)
            OK(gravel_am(bank->gravel, DEPOSIT, paid, 2, to % N_NODES));
    }
    OK(gravel_quiet(bank->gravel));
    return NULL;
}

/* Servers of a launch and runs of the network thread take turns. */
static void launches_and_runs_exclude_each_other(void **state)
{
    (void)state;
    watch(120, "turns");
    pthread_t thread;
    struct bank bank = open_nodes();
    reset(&bank);
    MUST(pthread_create(&thread, NULL, send_from_host, &bank) == 0);
    launch(&bank, N_SENT, 6);
    launch(&bank, N_SENT, 6);
    pthread_join(thread, NULL);
    OK(gravel_quiet(bank.gravel));
    expect_sent(&bank, N_SENT, 6, 3);
    close_bank(&bank);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

/* Nodes with a text in the place of the first of another one. */
static struct bank open_changed(const char *place, const char *text)
{
    static char changed[8192];
    struct gravel_bindings bindings = table;
    struct gravel_config config = loopback_config(N_NODES);
    const char *at = strstr(by_key_cl, place);
    MUST(at && strlen(by_key_cl) + strlen(text) < sizeof changed);
    config.timeout_ms *= patience();
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - by_key_cl), by_key_cl, text,
             at + strlen(place));
    bindings.device_code.source = changed;
    return open_bank(&config, &bindings, NODE_BYTES);
}

static void end_failed(const struct bank *bank)
{
    clReleaseKernel(bank->send);
    clReleaseProgram(bank->program);
    gravel_close(bank->gravel);
}

/* From the host to the node of neither or of one key, and from a kernel by its first key. */
static void keys_of_two_nodes_end_the_node(void **state)
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
    (void)state;
    watch(120, "refusals");
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bank bank = open_nodes();
        const uint64_t args[] = {rows[i].keys[0], rows[i].keys[1], 1, 0};
        OK(gravel_am(bank.gravel, TRANSFER, args, 4, rows[i].node));
        gravel_quiet(bank.gravel); /* the fault may come behind its look for one */
        expect_error(gravel_quiet(bank.gravel), GRAVEL_EKERNEL, rows[i].text);
        end_failed(&bank);
    }
}

/* A kernel's transactions of two nodes go to the first key's, and end the launch there. */
static void keys_of_two_nodes_end_the_launch(void **state)
{
    (void)state;
    watch(120, "a launch");
    struct bank bank = open_changed("from % n +", "(from + 1) % n +");
    const uint64_t n_keys = N_KEYS;
    MUST(clSetKernelArg(bank.send, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
    (void)launch_bank(&bank, 10);
    gravel_quiet(bank.gravel);
    expect_error(gravel_quiet(bank.gravel), GRAVEL_EKERNEL,
                 "handler transfer: its keys are of nodes ");
    end_failed(&bank);
}

/* What programs have for "none" is no node, nor a word for those of the keys. */
static void a_node_of_all_ones_is_refused(void **state)
{
    (void)state;
    watch(120, "no node");
    struct bank bank = open_changed("GRAVEL_BY_KEY", "0xffffffffu");
    const uint64_t n_keys = N_KEYS;
    MUST(clSetKernelArg(bank.send, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
    (void)launch_bank(&bank, 10);
    expect_error(gravel_quiet(bank.gravel), GRAVEL_ERANGE, "destination 4294967295 ");
    end_failed(&bank);
}

static void handlers_that_send_are_told(void **state)
{
    (void)state;
    watch(120, "a transaction that sends");
    struct bank bank = open_changed(
        "from[0] -=", "gravel_serve_am2(call, GRAVEL_HANDLER(deposit), 1, 3);\n    from[0] -=");
    const uint64_t args[] = {1, 4, 0, 0};
    OK(gravel_am(bank.gravel, TRANSFER, args, 4, 1));
    gravel_quiet(bank.gravel); /* the fault may come behind its look for one */
    expect_error(gravel_quiet(bank.gravel), GRAVEL_EKERNEL, "sends to handler 1 and may not");
    gravel_close(bank.gravel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_go_to_the_nodes_of_their_keys),
        cmocka_unit_test(launches_and_runs_exclude_each_other),
        cmocka_unit_test(keys_of_two_nodes_end_the_node),
        cmocka_unit_test(keys_of_two_nodes_end_the_launch),
        cmocka_unit_test(a_node_of_all_ones_is_refused),
        cmocka_unit_test(handlers_that_send_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
