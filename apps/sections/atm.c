/* SPDX-License-Identifier: MIT */
/*
 * Transfers of money between random accounts, those of all nodes, with a critical section for each account. An order
 * for more than an account has is refused.
 *
 * Path:    main -> form.c -> atm.cl -> check
 * Source:  Wang, Fussell, Lin 2019, section 4 (ATM).
 */
#include "frame/random.h"
#include "sections/form.h"

#include <stdlib.h>

#define MOST_AMOUNT 100u
#define FIRST_BALANCE 1000u /* of each account */

extern const char atm_cl[];

/* As atm.cl has them. GRANTED: how many orders a node has granted, and which. */
enum { BALANCES, GRANTED, LOCKS };
struct order {
    cl_uint from, to, amount;
};

struct atm {
    struct options options;
    struct node node;
    struct sections sections;
    uint64_t n_accounts, log_orders; /* of all nodes; log2 of their transfers */
    uint64_t n, n_own;               /* transfers of all nodes; those that this process sends */
    cl_kernel transfer, deposit;     /* deposit: where sections are served */
};

/* Returns an order of all nodes. */
static struct order order_of(const struct atm *atm, uint64_t i)
{
    const uint64_t key = random_key(atm->options.seed), n = atm->n_accounts;
    const uint64_t random = random_at(key, 2 * i), other = random_at(key, 2 * i + 1);
    const uint32_t from = (uint32_t)((random >> 32) * n >> 32);
    const uint32_t to = (uint32_t)((from + 1 + ((random & UINT32_MAX) * (n - 1) >> 32)) % n);
    return (struct order){from, to, (cl_uint)(1 + other % MOST_AMOUNT)};
}

static void set_up(void *self)
{
    static const struct gravel_handler handlers[] = {
        {.name = "withdraw", .n_args = 2, .serve = {.n_keys = 1}},
        {.name = "deposit", .n_args = 2, .serve = {.n_keys = 1}},
    };
    struct atm *atm = self;
    const uint64_t n = atm->n = UINT64_C(1) << atm->log_orders, bytes = 4 * atm->n_accounts;
    uint64_t first;
    sections_open(
        &atm->sections, &atm->node,
        &(struct sections_program){"atm.cl", atm_cl, handlers, 2, {bytes, 4 * (1 + n), bytes}});
    if (atm->node.n_local > 1)
        die("loop-back nodes have no kernel that deposits: unset GRAVEL_LOOPBACK");
    TRY(gravel_share(atm->node.gravel, n, &first, &atm->n_own));
    struct order *orders = app_array(n, sizeof *orders, "orders");
    for (uint64_t i = 0; i < n; i++)
        orders[i] = order_of(atm, i);
    cl_mem there = node_upload(&atm->node, n * sizeof *orders, orders);
    atm->transfer = sections_kernel_of_form(&atm->sections, "transfer");
    SECTIONS_SET(&atm->sections, atm->transfer, ARRAY(there), UINT(first));
    if (!atm->sections.is_served)
        return;
    atm->deposit = sections_kernel_of_form(&atm->sections, "deposit");
    SECTIONS_SET(&atm->sections, atm->deposit, ARRAY(there), UINT(first));
}

/* ---- trials -------------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct atm *atm = self;
    node_fill_heaps(&atm->node, atm->sections.at[BALANCES], atm->n_accounts, FIRST_BALANCE);
    node_fill_heaps(&atm->node, atm->sections.at[LOCKS], atm->n_accounts, 0);
    node_fill_heaps(&atm->node, atm->sections.at[GRANTED], 1, 0);
}

static void run(void *self)
{
    struct atm *atm = self;
    cl_uint n_granted;
    sections_run(&atm->sections, atm->transfer, atm->n_own);
    TRY(gravel_barrier(atm->node.gravel));
    if (!atm->sections.is_served)
        return;
    TRY(gravel_get(atm->node.gravel, atm->sections.at[GRANTED], &n_granted, sizeof n_granted,
                   atm->node.number));
    sections_run(&atm->sections, atm->deposit, n_granted);
    TRY(gravel_barrier(atm->node.gravel));
}

static void describe(void *self, struct trials *trials)
{
    const struct atm *atm = self;
    snprintf(trials->input, sizeof trials->input, "%llu accounts, 2^%u transfers",
             (unsigned long long)atm->n_accounts, (unsigned)atm->log_orders);
    sections_describe(&atm->sections, trials, atm->n);
}

/* ---- check: which orders are granted depends on their order, and all else follows --------------------- */

/* Adds up what this node's granted orders change [n_accounts]. @return  is one another node's, or there twice? */
static bool add_granted(const struct atm *atm, uint64_t *changes)
{
    const uint32_t number = atm->node.number;
    cl_uint *granted = sections_read(&atm->sections, GRANTED, 4 * (1 + atm->n), number);
    uint8_t *is_granted = app_array(atm->n, sizeof *is_granted, "orders");
    bool is_wrong = granted[0] > atm->n;
    for (uint32_t i = 1; !is_wrong && i <= granted[0]; i++) {
        const struct order order = order_of(atm, granted[i]);
        is_wrong = granted[i] >= atm->n || is_granted[granted[i]]++ ||
                   order.from % atm->node.n_nodes != number;
        changes[order.from] -= order.amount;
        changes[order.to] += order.amount;
    }
    free(granted);
    free(is_granted);
    return is_wrong;
}

/* Compares this node's balances, of which none may be below 0: it would be a number beyond all the money. */
static uint64_t check(void *self, struct trials *trials)
{
    struct atm *atm = self;
    const uint64_t n = atm->n_accounts, number = atm->node.number, n_nodes = atm->node.n_nodes;
    uint64_t *changes = app_array(n, sizeof *changes, "accounts");
    uint64_t n_wrong = add_granted(atm, changes);
    (void)trials;
    cl_uint *balances = sections_read(&atm->sections, BALANCES, 4 * n, atm->node.number);
    node_reduce(&atm->node, GRAVEL_ADD, changes, (uint32_t)n); /* an account's are of any node */
    for (uint64_t a = number; a < n; a += n_nodes)
        n_wrong += balances[a / n_nodes] != FIRST_BALANCE + changes[a];
    free(balances);
    free(changes);
    return n_wrong;
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app_option own_options[] = {
    {"accounts", 0, "N", "Accounts of all nodes together (1024)",
     OPTION_NUMBER(struct atm, n_accounts, 2, UINT64_C(1) << 28)},
    {"orders", 0, "LOG2", "All nodes together make 2^LOG2 transfers (20)",
     OPTION_NUMBER(struct atm, log_orders, 0, 28)},
    {0}};

static const struct app app = {
    .name = "atm",
    .unit = "transfers/s",
    .doc = "Transfer money between random accounts, with a critical section for each account.",
    SECTIONS_APP(struct atm, {"Problem:", 1, own_options, 0})};

int main(int argc, char **argv)
{
    struct atm atm = {.n_accounts = 1024, .log_orders = 20};
    return app_main(&app, &atm, argc, argv);
}
