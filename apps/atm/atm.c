/* SPDX-License-Identifier: MIT */
/*
 * Transfer money between random accounts, those of all nodes, with a critical section for each.
 *
 * Few accounts mean that all work-items of a device want the same few. An order for more than an account has is refused.
 *
 * Path: main -> sections/form.c -> atm.cl -> check.c
 * Source: Wang, Fussell, Lin 2019, section 4 (ATM).
 */
#include "atm.h"

#include <stdio.h>
#include <stdlib.h>

extern const char atm_cl[];

static const struct app_option own_options[] = {
    {"accounts", 0, "N", "Accounts of all nodes together (1024)",
     OPTION_NUMBER(struct atm, n_accounts, 2, UINT64_C(1) << 28)},
    {"orders", 0, "LOG2", "All nodes together make 2^LOG2 transfers (20)",
     OPTION_NUMBER(struct atm, log_orders, 0, 28)},
    {"balance", 0, "N", "Of each account at first (1000)",
     OPTION_NUMBER(struct atm, balance, 0, 1000000)},
    {0}};

/* ---- set-up -------------------------------------------------------------------------------------- */

static void make_memory(struct atm *atm)
{
    TRY(gravel_alloc(atm->node.gravel, 4 * atm_n_local_accounts(atm), &atm->balances));
    TRY(gravel_alloc(atm->node.gravel, 4 * atm_n_local_accounts(atm), &atm->locks));
    TRY(gravel_alloc(atm->node.gravel, 4 * atm_n_orders(atm), &atm->granted));
    TRY(gravel_alloc(atm->node.gravel, 4, &atm->n_granted));
    TRY(gravel_set_constant(atm->node.gravel, 0, atm->balances));
    TRY(gravel_set_constant(atm->node.gravel, 1, atm->granted));
    TRY(gravel_set_constant(atm->node.gravel, 2, atm->n_granted));
    TRY(gravel_share(atm->node.gravel, atm_n_orders(atm), &atm->first_order, &atm->n_own));
}

static void make_served(struct atm *atm)
{
    atm->withdraw = sections_kernel(&atm->sections, &atm->node, "withdraw");
    atm->deposit = sections_kernel(&atm->sections, &atm->node, "deposit");
    NODE_SET(atm->withdraw, 1, ARRAY(atm->orders_there), UINT(atm->first_order));
    NODE_SET(atm->deposit, 1, ARRAY(atm->orders_there), ULONG(atm->granted));
}

static void make_alone(struct atm *atm)
{
    const cl_uint first = sections_first_argument(&atm->sections);
    atm->withdraw = sections_kernel(&atm->sections, &atm->node, "transfer");
    NODE_SET(atm->withdraw, first, ARRAY(atm->orders_there), ULONG(atm->balances),
             ULONG(atm->granted), ULONG(atm->n_granted), ULONG(atm->locks));
}

static void set_up(void *self)
{
    static const struct gravel_handler handlers[] = {
        {.name = "withdraw", .n_args = 2, .serve = {.n_keys = 1}},
        {.name = "deposit", .n_args = 2, .serve = {.n_keys = 1}},
    };
    struct atm *atm = self;
    sections_open(&atm->sections, &atm->node, 4 * (2 * atm->n_accounts + atm_n_orders(atm)),
                  "atm.cl", atm_cl, handlers, 2);
    make_memory(atm);
    atm_draw(atm);
    atm->orders_there =
        node_array(&atm->node, atm_n_orders(atm) * sizeof *atm->orders, atm->orders);
    if (atm->sections.form->mode)
        make_served(atm);
    else
        make_alone(atm);
}

/* ---- trials -------------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct atm *atm = self;
    node_fill_heaps(&atm->node, atm->balances, atm_n_local_accounts(atm), (uint32_t)atm->balance);
    node_fill_heaps(&atm->node, atm->locks, atm_n_local_accounts(atm), 0);
    node_fill_heaps(&atm->node, atm->n_granted, 1, 0);
}

uint32_t *atm_read(struct atm *atm, uint32_t number, uint64_t offset, uint64_t n)
{
    uint32_t *words = app_array(n, sizeof *words, "words of a node");
    if (n)
        TRY(gravel_get(atm->node.gravel, offset, words, 4 * n, number));
    return words;
}

uint32_t atm_n_granted(struct atm *atm, uint32_t number)
{
    uint32_t n;
    TRY(gravel_get(atm->node.gravel, atm->n_granted, &n, sizeof n, number));
    return n;
}

/* Deposits are sent from where they are granted; those of nodes that have no device of their own, by the host. */
static void deposit_for(struct atm *atm, uint32_t number)
{
    const uint32_t n = atm_n_granted(atm, number);
    uint32_t *granted = atm_read(atm, number, atm->granted, n);
    for (uint64_t i = 0; i < n; i++) {
        const struct atm_order *order = &atm->orders[granted[i]];
        const uint64_t args[] = {order->to / atm->node.n_nodes, order->amount};
        TRY(gravel_am(atm->node.gravel, 1, args, 2, order->to % atm->node.n_nodes));
    }
    free(granted);
}

static void transfer(void *self)
{
    struct atm *atm = self;
    sections_run(&atm->sections, &atm->node, atm->withdraw, atm->n_own);
    TRY(gravel_barrier(atm->node.gravel));
    if (!atm->deposit)
        return;
    sections_run(&atm->sections, &atm->node, atm->deposit, atm_n_granted(atm, atm->node.number));
    for (uint32_t i = 1; i < atm->node.n_local; i++)
        deposit_for(atm, atm->node.number + i);
    TRY(gravel_barrier(atm->node.gravel));
}

static void describe(void *self, struct trials *trials)
{
    const struct atm *atm = self;
    snprintf(trials->variant, sizeof trials->variant, "%s", atm->sections.form->name);
    snprintf(trials->input, sizeof trials->input, "%llu accounts, 2^%u transfers",
             (unsigned long long)atm->n_accounts, (unsigned)atm->log_orders);
    trials->work = (double)atm_n_orders(atm);
    trials_add_number(trials, "accounts", atm->n_accounts);
    trials_add_number(trials, "transfers", atm_n_orders(atm));
    trials_add_number(trials, "balance", atm->balance);
    trials_add_number(trials, "groups", atm->sections.n_groups);
}

static void close_all(void *self)
{
    struct atm *atm = self;
    free(atm->orders);
}

static const struct app app = {.name = "atm",
                               .unit = "transfers/s",
                               .doc = "Transfer money between random accounts, with a critical "
                                      "section for each account.",
                               .group_items = SECTIONS_GROUP,
                               .groups = {{"Problem:", 1, own_options, 0},
                                          SECTIONS_OPTIONS_GROUP(offsetof(struct atm, sections))},
                               APP_FIELDS(struct atm),
                               .open = set_up,
                               .reset = reset,
                               .run = transfer,
                               .describe = describe,
                               .check = atm_check,
                               .close = close_all};

int main(int argc, char **argv)
{
    struct atm atm = {.sections = SECTIONS_WITHOUT(" nested"),
                      .n_accounts = 1024,
                      .log_orders = 20,
                      .balance = 1000};
    return app_main(&app, &atm, argc, argv);
}
