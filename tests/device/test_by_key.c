/* SPDX-License-Identifier: MIT */
/*
 * Transactions whose keys live on two nodes: none is lost, and none runs beside another handler with one of its keys,
 * whoever sent the messages; what is refused.
 *
 * A datum is money and a count. A copy that is stored late would lose counts and money. Deposits, of one key, come
 * between; and launches of servers, which take the turn from transactions that are under way.
 *
 * Path: meson test -> this -> lib/network/transactions.c, lib/resolve/on_device/steps.c, cl/device/by_key.cl.h
 */
#include <gravel/server.h>

#include <pthread.h>

#include "expect.h"

#define N_NODES 3u
#define N_KEYS 66u
#define MONEY 1000000u /* of each key at first */

enum { TRANSFER, DEPOSIT };

/* What a key has in the heap of node key % N_NODES, at place key / N_NODES. */
struct account {
    uint64_t money, n_run;
};

/* constant 0: struct account [N_KEYS / N_NODES]. */
static const char source[] =
    "#define GRAVEL_NODE_OF(key, n) ((key) % (n))\n"
    "#include \"gravel.cl.h\"\n"
    "struct account { ulong money, n_run; };\n"
    "global struct account *at(struct gravel_call call, ulong key)\n"
    "{\n"
    "    return (global struct account *)gravel_call_local(call, call.constants[0]) +\n"
    "           key / call.n_nodes;\n"
    "}\n"
    "void account_load(struct gravel_call call, ulong key, ulong *words)\n"
    "{\n"
    "    words[0] = at(call, key)->money;\n"
    "    words[1] = at(call, key)->n_run;\n"
    "}\n"
    "void account_store(struct gravel_call call, ulong key, const ulong *words)\n"
    "{\n"
    "    at(call, key)->money = words[0];\n"
    "    at(call, key)->n_run = words[1];\n"
    "}\n"
    "void transfer(struct gravel_call call, ulong *from, ulong *to, ulong amount, ulong more)\n"
    "{\n"
    "    from[0] -= amount + more;\n"
    "    to[0] += amount + more;\n"
    "    from[1]++;\n"
    "    to[1]++;\n"
    "}\n"
    "void deposit(struct gravel_call call, ulong key, ulong amount)\n"
    "{\n"
    "    at(call, key)->money += amount;\n"
    "}\n"
    "kernel void send(GRAVEL_ARENA, ulong n_keys)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    GRAVEL_SERVE(g, item) {\n"
    "        ulong from = item * 7 % n_keys, to = (item * 5 + item / 11) % n_keys;\n"
    "        gravel_am4_wg_if(g, active, GRAVEL_HANDLER(transfer), from, to, item % 7, 1,\n"
    "                         GRAVEL_BY_KEY);\n"
    "        gravel_am2_wg_if(g, active && item % 4 == 0, GRAVEL_HANDLER(deposit), to, 3,\n"
    "                         GRAVEL_BY_KEY);\n"
    "    }\n"
    "}\n";

static const struct gravel_handler handlers[] = {
    {.name = "transfer", .n_args = 4, .n_keys = 2, .datum = "account", .datum_words = 2},
    {.name = "deposit", .n_args = 2, .n_keys = 1},
};

static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                    .device_code.source = source, .device_code.name = "by_key.cl");

/* A process of N_NODES nodes, with its program and memory. */
struct bank {
    struct gravel *gravel;
    cl_program program;
    cl_kernel kernel;
    uint64_t accounts;
};

static struct bank open_bank(void)
{
    struct bank bank = {.gravel = NULL};
    struct gravel_config config = loopback_config(N_NODES);
    config.timeout_ms *= patience();
    OK(gravel_open(&bank.gravel, &config, &table));
    bank.accounts = alloc_or_die(bank.gravel, N_KEYS / N_NODES * sizeof(struct account));
    OK(gravel_constant(bank.gravel, 0, bank.accounts));
    OK(gravel_server_build(bank.gravel, "by_key.cl", source, NULL, &bank.program));
    bank.kernel = kernel_or_die(bank.gravel, bank.program, "send");
    return bank;
}

static void close_bank(struct bank *bank)
{
    clReleaseKernel(bank->kernel);
    clReleaseProgram(bank->program);
    OK(gravel_close(bank->gravel));
}

static void reset(const struct bank *bank)
{
    const size_t bytes = N_KEYS / N_NODES * sizeof(struct account);
    for (uint32_t node = 0; node < N_NODES; node++) {
        struct account *accounts =
            map_or_die(bank->gravel, node, bank->accounts, bytes, CL_MAP_WRITE_INVALIDATE_REGION);
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
        struct account *to = &expected[(i * 5 + i / 11) % n_keys];
        from->money -= i % 7 + 1;
        to->money += i % 7 + 1 + (i % 4 ? 0 : 3);
        from->n_run++;
        to->n_run += from != to; /* one copy for both: counted below */
        from->n_run += from == to;
    }
    for (uint32_t node = 0; node < N_NODES; node++) {
        const struct account *accounts =
            read_map(bank->gravel, node, bank->accounts, N_KEYS / N_NODES * sizeof *accounts);
        for (uint32_t key = node; key < N_KEYS; key += N_NODES) {
            assert_int_equal(accounts[key / N_NODES].n_run, times * expected[key].n_run);
            assert_int_equal(accounts[key / N_NODES].money, MONEY + times * expected[key].money);
        }
        unmap(bank->gravel, accounts);
    }
}

static void launch(const struct bank *bank, uint64_t n, uint64_t n_keys)
{
    MUST(clSetKernelArg(bank->kernel, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
    OK(gravel_server_launch(bank->gravel, bank->kernel, n, 0, 0, NULL, NULL));
}

static void launch_and_expect(const struct bank *bank, uint64_t n, uint64_t n_keys)
{
    reset(bank);
    launch(bank, n, n_keys);
    OK(gravel_barrier(bank->gravel));
    expect_sent(bank, n, n_keys, 1);
}

static void keys_of_two_nodes_are_served(void **state)
{
    (void)state;
    watch(120, "keys of nodes");
    struct bank bank = open_bank();
    launch_and_expect(&bank, 0, 1);
    launch_and_expect(&bank, 1, N_KEYS);
    launch_and_expect(&bank, 300, 1); /* two equal keys */
    launch_and_expect(&bank, 3000, 2);
    launch_and_expect(&bank, 20000, N_KEYS);
    close_bank(&bank);
}

/* ---- at once, from two sides ---------------------------------------------------------------------- */

#define N_SENT 2000u

static void *send_from_host(void *of)
{
    const struct bank *bank = of;
    for (uint64_t i = 0; i < N_SENT; i++) {
        const uint64_t from = i * 7 % 5, to = (i * 5 + i / 11) % 5;
        const uint64_t args[] = {from, to, i % 7, 1}, paid[] = {to, 3};
        const uint32_t of_from = from % N_NODES, of_to = to % N_NODES;
        OK(gravel_am(bank->gravel, TRANSFER, args, 4, of_from < of_to ? of_from : of_to));
        if (i % 4 == 0)
            OK(gravel_am(bank->gravel, DEPOSIT, paid, 2, of_to));
    }
    OK(gravel_quiet(bank->gravel)); /* which waits for unlocks as well */
    return NULL;
}

/* Launches take the turn from transactions that are under way, and deposits wait for them. */
static void launches_and_runs_exclude_each_other(void **state)
{
    (void)state;
    watch(120, "turns");
    pthread_t thread;
    struct bank bank = open_bank();
    reset(&bank);
    MUST(pthread_create(&thread, NULL, send_from_host, &bank) == 0);
    launch(&bank, N_SENT, 5);
    launch(&bank, N_SENT, 5);
    pthread_join(thread, NULL);
    OK(gravel_quiet(bank.gravel));
    expect_sent(&bank, N_SENT, 5, 3);
    close_bank(&bank);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

static void wrong_nodes_are_refused(void **state)
{
    (void)state;
    watch(120, "refusals");
    struct bank bank = open_bank();
    const uint64_t args[] = {1, 2, 0, 0};
    reset(&bank);
    OK(gravel_am(bank.gravel, TRANSFER, args, 4, 2)); /* its lesser key is of node 1 */
    expect_error(gravel_quiet(bank.gravel), GRAVEL_ERANGE,
                 "keys 1 and 2 are of nodes 1 and 2 of 3 (GRAVEL_NODE_OF), and the message came to "
                 "node 2");
    expect_sent(&bank, 0, 1, 1);
    launch_and_expect(&bank, 100, 4); /* it serves on */
    close_bank(&bank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_two_nodes_are_served),
        cmocka_unit_test(launches_and_runs_exclude_each_other),
        cmocka_unit_test(wrong_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
