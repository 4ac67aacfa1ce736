/* SPDX-License-Identifier: MIT */
/*
 * Transactions between ranks: a node that dies while it has locks of other nodes' transactions, and grants out; and
 * jobs in which none does. A node that dies while its messages wait for resident servers of others. See deaths.c.
 *
 * usage: mpirun ... by_key MODE     see the table at the end; fault.sh counts the nodes that print
 *
 * Path: fault.sh -> mpirun -> this -> lib/serve/transactions.c, lib/serve/mail.c
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bank.h"
#include "job.h"

#define N_KEYS 24u
#define MONEY 1000u
#define N_ITEMS 1024u

extern const char pay_cl[], tally_cl[]; /* kernels/ */

/* Keys of a node. */
static uint64_t n_here(const struct bank *bank)
{
    return N_KEYS / gravel_n_nodes(bank->gravel);
}

static struct bank open_rank(void)
{
    static const struct gravel_handler handlers[] = {
        {.name = "pay", .n_args = 3, .serve = {.n_keys = 2, .datum = "money", .datum_words = 1}}};
    static const struct gravel_bindings table =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1, .device_code.source = pay_cl,
                        .device_code.name = "pay.cl");
    static const uint64_t n_keys = N_KEYS;
    struct bank bank = open_bank(NULL, &table, N_KEYS * sizeof(uint64_t)); /* enough for one node */
    MUST(clSetKernelArg(bank.send, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
    uint64_t *money = write_accounts(&bank, (uint32_t)rank, n_here(&bank) * sizeof *money);
    for (uint64_t i = 0; i < n_here(&bank); i++)
        money[i] = MONEY;
    unmap(bank.gravel, money);
    OK(gravel_barrier(bank.gravel));
    return bank;
}

/* ---- none dies ----------------------------------------------------------------------------------- */

static uint64_t money_here(const struct bank *bank)
{
    const uint64_t *money =
        read_map(bank->gravel, (uint32_t)rank, bank->accounts, n_here(bank) * sizeof *money);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n_here(bank); i++) {
        MUST(money[i] <= N_KEYS * MONEY); /* else it is less than 0 */
        sum += money[i];
    }
    unmap(bank->gravel, (void *)(uintptr_t)money);
    return sum;
}

/* A quiet is enough for what a node has sent itself; a barrier for all. */
static void conserve(void)
{
    struct bank bank = open_rank();
    for (int round = 0; round < 3; round++) {
        OK(launch_bank(&bank, N_ITEMS));
        if (round == 1)
            OK(gravel_quiet(bank.gravel));
    }
    OK(gravel_barrier(bank.gravel));
    uint64_t sum = money_here(&bank);
    OK(gravel_reduce(bank.gravel, GRAVEL_ADD, GRAVEL_ULONG, &sum, 1));
    MUST(sum == (uint64_t)N_KEYS * MONEY);
    close_bank(&bank);
    as_expected();
}

/* ---- one dies ------------------------------------------------------------------------------------ */

static void expect_death(const struct bank *bank, const char *part)
{
    int code;
    do {
        code = launch_bank(bank, N_ITEMS);
        if (!code)
            code = gravel_quiet(bank->gravel);
    } while (!code);
    expect(code, GRAVEL_EPEER, part);
    as_expected();
    MUST(gravel_barrier(bank->gravel) == GRAVEL_EPEER);
    MUST(gravel_close(bank->gravel) == GRAVEL_EPEER);
    _exit(0);
}

/*
 * Open with a short GRAVEL_TIMEOUT, which the death is waited for. Drivers compile at a first launch, on a busy machine
 * for longer than that: so a node before it, with a long one, launches first.
 */
static struct bank open_hurried(struct bank (*open)(void))
{
    setenv("GRAVEL_TIMEOUT", "40000", 1);
    struct bank first = open();
    OK(launch_bank(&first, N_ITEMS));
    close_bank(&first);
    set_limit("GRAVEL_TIMEOUT", 1000);
    return open();
}

/* It dies while messages of its launch are under way. */
static void lose_rank_1(struct bank *bank)
{
    OK(launch_bank(bank, N_ITEMS));
    OK(gravel_barrier(bank->gravel));
    if (rank == 1) {
        OK(launch_bank(bank, N_ITEMS));
        raise(SIGKILL);
    }
    expect_death(bank, "node 1 ");
}

/* The node in the middle has locks that it waits for, and others wait for its own. */
static void killed_while_transactions_wait(void)
{
    struct bank bank = open_hurried(open_rank);
    lose_rank_1(&bank);
}

/* Each node's mailbox has a single slot. */
static struct bank open_mail(void)
{
    static const struct gravel_handler handlers[] = {
        {.name = "tally", .n_args = 1, .serve = {.n_keys = 1}}};
    static const struct gravel_bindings table =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1, .device_code.source = tally_cl,
                        .device_code.name = "tally.cl");
    static const uint64_t n_keys = N_KEYS;
    setenv("GRAVEL_SERVER_MODE", "resident", 1);
    setenv("GRAVEL_INBOX", "1", 1);
    struct bank bank = open_bank(NULL, &table, N_KEYS * sizeof(uint64_t));
    MUST(clSetKernelArg(bank.send, 1, sizeof n_keys, &n_keys) == CL_SUCCESS);
    OK(gravel_barrier(bank.gravel));
    return bank;
}

/* Its messages, and those to it, wait. */
static void killed_while_mail_waits(void)
{
    struct bank bank = open_hurried(open_mail);
    lose_rank_1(&bank);
}

/* ---- the run ------------------------------------------------------------------------------------- */

static const struct mode modes[] = {
    MODE(conserve),
    MODE(killed_while_transactions_wait),
    MODE(killed_while_mail_waits),
};

int main(int argc, char **argv)
{
    run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
    return 0;
}
