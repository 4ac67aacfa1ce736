/* SPDX-License-Identifier: MIT */
/*
 * Transfers between accounts, as the parts of atm share them.
 *
 * Path: atm.c -> this -> check.c
 * Owner: the struct is main's; arrays are the heap's.
 * Threads: main's.
 */
#ifndef ATM_H
#define ATM_H

#include "frame/app.h"
#include "sections/form.h"

#define ATM_MOST_AMOUNT 100u

/* As atm.cl has it. */
struct atm_order {
    cl_uint from, to, amount;
};

struct atm {
    struct options options;
    struct node node;
    struct sections sections;
    uint64_t n_accounts;                          /* of all nodes */
    uint64_t log_orders;                          /* log2 of the transfers of all nodes */
    uint64_t balance;                             /* of each account at first */
    uint64_t balances, granted, n_granted, locks; /* heap offsets */
    struct atm_order *orders;                     /* [orders of all nodes] */
    cl_mem orders_there;                          /* the same on the device */
    uint64_t first_order, n_own;                  /* that this process sends */
    cl_kernel withdraw, deposit;                  /* or transfer, and NULL */
};

static inline uint64_t atm_n_orders(const struct atm *atm)
{
    return UINT64_C(1) << atm->log_orders;
}

/** Accounts that a node has room for. */
static inline uint64_t atm_n_local_accounts(const struct atm *atm)
{
    return (atm->n_accounts + atm->node.n_nodes - 1) / atm->node.n_nodes;
}

/** Read n words of a local node's heap [n]; to be freed. */
uint32_t *atm_read(struct atm *atm, uint32_t number, uint64_t offset, uint64_t n);

/** Count the orders granted at a local node; a process that stands for several nodes launches for its own, node 0. */
uint32_t atm_n_granted(struct atm *atm, uint32_t number);

/** Draw all nodes' orders. */
void atm_draw(struct atm *atm);

/**
 * Make the granted transfers serially, and compare all balances; each order is granted once at most, at the node of its
 * first account. Collective. @return what is wrong [count], as node 0 reports it.
 */
app_check atm_check;

#endif
