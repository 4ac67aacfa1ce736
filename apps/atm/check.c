/* SPDX-License-Identifier: MIT */
/*
 * What the granted transfers make of the accounts, serially.
 *
 * Which orders are granted depends on their order, so that is taken from the run, and the rest follows: all balances,
 * and with them that no money came or went. No balance is less than 0: it would be a number beyond all the money.
 *
 * Path: atm.c -> this
 * Owner: what is mapped is unmapped here.
 * Threads: main's.
 */
#include "atm.h"
#include "frame/die.h"
#include "frame/random.h"

#include <stdlib.h>

void atm_draw(struct atm *atm)
{
    const uint64_t key = random_key(atm->options.seed), n = atm->n_accounts;
    atm->orders = app_array(atm_n_orders(atm), sizeof *atm->orders, "orders");
    for (uint64_t i = 0; i < atm_n_orders(atm); i++) {
        uint64_t random = random_at(key, 2 * i), other = random_at(key, 2 * i + 1);
        uint32_t from = (uint32_t)((random >> 32) * n >> 32);
        uint32_t to = (uint32_t)((from + 1 + ((random & UINT32_MAX) * (n - 1) >> 32)) % n);
        atm->orders[i] = (struct atm_order){from, to, (cl_uint)(1 + other % ATM_MOST_AMOUNT)};
    }
}

/* A node's list of granted orders, and their sums in and out. [n_orders] [n_accounts] */
struct effect {
    uint8_t *is_granted;
    int64_t *change;
    uint64_t n_wrong;
};

static void add_granted(struct atm *atm, uint32_t number, struct effect *effect)
{
    const uint32_t n = atm_n_granted(atm, number);
    uint32_t *granted = atm_read(atm, number, atm->granted, atm_n_orders(atm));
    effect->n_wrong += n > atm_n_orders(atm);
    for (uint32_t i = 0; i < n && !effect->n_wrong; i++) {
        uint32_t order = granted[i];
        if (order >= atm_n_orders(atm) || effect->is_granted[order]++ ||
            atm->orders[order].from % atm->node.n_nodes != number) {
            effect->n_wrong++;
            continue;
        }
        effect->change[atm->orders[order].from] -= atm->orders[order].amount;
        effect->change[atm->orders[order].to] += atm->orders[order].amount;
    }
    free(granted);
}

static void compare(struct atm *atm, uint32_t number, struct effect *effect)
{
    uint32_t *balances = atm_read(atm, number, atm->balances, atm_n_local_accounts(atm));
    for (uint64_t a = number; a < atm->n_accounts; a += atm->node.n_nodes) {
        int64_t expected = (int64_t)atm->balance + effect->change[a];
        effect->n_wrong += expected < 0 || balances[a / atm->node.n_nodes] != (uint64_t)expected;
    }
    free(balances);
}

uint64_t atm_check(void *self, struct trials *trials)
{
    struct atm *atm = self;
    (void)trials;
    struct effect effect = {.is_granted = app_array(atm_n_orders(atm), 1, "orders"),
                            .change = app_array(atm->n_accounts, sizeof(int64_t), "accounts")};
    for (uint32_t i = 0; i < atm->node.n_local; i++)
        add_granted(atm, atm->node.number + i, &effect);
    if (atm->node.n_processes > 1) /* deposits to an account may be granted at any node */
        node_reduce(&atm->node, GRAVEL_ADD, (uint64_t *)effect.change, (uint32_t)atm->n_accounts);
    for (uint32_t i = 0; i < atm->node.n_local; i++)
        compare(atm, atm->node.number + i, &effect);
    free(effect.is_granted);
    free(effect.change);
    return effect.n_wrong;
}
