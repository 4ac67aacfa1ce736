/* SPDX-License-Identifier: MIT */
/*
 * Transfers between accounts: withdraw from one if it has as much, then deposit to the other; in the forms of
 * sections/form.h.
 *
 * Account a of all nodes is account a / n_nodes of node a % n_nodes. A transfer is served in two launches: the first
 * withdraws, and notes at its own node which orders are granted; the second deposits. A deposit cannot fail, so no
 * section needs two accounts. The forms that lock take both locks, as the paper's do.
 *
 * Path: atm.c -> this.
 * Source: Wang, Fussell, Lin 2019, section 4 (ATM).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

struct order {
    uint from, to, amount;
};

/* ---- served: the account is the key ---------------------------------------------------------------- */

/* heap offsets: constants 0, balances, uint [accounts]; 1, granted, uint [orders of all nodes]; 2, their number, a uint */
void withdraw(struct gravel_call call, ulong account, ulong both)
{
    global uint *balances = gravel_call_local(call, call.constants[0]);
    global uint *granted = gravel_call_local(call, call.constants[1]);
    volatile global uint *n_granted = gravel_call_local(call, call.constants[2]);
    uint order = (uint)both, amount = (uint)(both >> 32);
    if (balances[account] < amount)
        return;
    balances[account] -= amount;
    granted[atomic_inc(n_granted)] =
        order; /* other accounts' handlers note theirs at the same time */
}
void deposit(struct gravel_call call, ulong account, ulong amount)
{
    global uint *balances = gravel_call_local(call, call.constants[0]);
    balances[account] += (uint)amount;
}

#define BOTH(order, amount) ((order) | (ulong)(amount) << 32)

/* orders: of all nodes; item 0 is order `first`. */
kernel void withdraw_served(GRAVEL_ARENA, global const struct order *orders, uint first)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n_nodes = gravel_n_nodes(g);
    GRAVEL_SERVE(g, item, active)
    {
        uint number = (uint)(first + (active ? item : 0));
        struct order order = orders[number];
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(withdraw), order.from / n_nodes,
                         BOTH(number, order.amount), order.from % n_nodes);
    }
}
/* Items are what this node has granted. */
kernel void deposit_served(GRAVEL_ARENA, global const struct order *orders, ulong granted_at)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n_nodes = gravel_n_nodes(g);
    global const uint *granted = gravel_local(g, granted_at);
    GRAVEL_SERVE(g, item, active)
    {
        struct order order = orders[active ? granted[item] : 0];
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(deposit), order.to / n_nodes, order.amount,
                         order.to % n_nodes);
    }
}

/* ---- locked and atomic: n_items orders in steps of `stride` a work-item ------------------------------- */

#define ALONE                                                                                      \
    GRAVEL_ARENA, uint n_items, uint stride, global const struct order *orders, ulong balances_at, \
        ulong granted_at, ulong n_granted_at, ulong locks_at
#define OPEN                                                       \
    GRAVEL_OPEN(g);                                                \
    volatile global uint *balances = gravel_local(g, balances_at); \
    global uint *granted = gravel_local(g, granted_at);            \
    volatile global uint *n_granted = gravel_local(g, n_granted_at)

/* A lock an account; who has the first and fails to take the second gives it back. */
kernel void transfer_locked(ALONE)
{
    OPEN;
    global uint *locks = gravel_local(g, locks_at);
    for (uint i = (uint)get_global_id(0); i < n_items; i += stride) {
        const struct order order = orders[i];
        const uint lesser = min(order.from, order.to), greater = max(order.from, order.to);
        bool is_granted = false;
        WITH_BOTH_LOCKS(&locks[lesser], &locks[greater])
        {
            is_granted = balances[order.from] >= order.amount;
            if (is_granted) {
                balances[order.from] = balances[order.from] - order.amount;
                balances[order.to] = balances[order.to] + order.amount;
            }
        }
        if (is_granted)
            granted[atomic_inc(n_granted)] = i;
    }
}

kernel void transfer_atomic(ALONE)
{
    OPEN;
    (void)locks_at;
    for (uint i = (uint)get_global_id(0); i < n_items; i += stride) {
        const struct order order = orders[i];
        uint seen = balances[order.from], before = ~seen;
        while (seen != before && seen >= order.amount) {
            before = seen;
            seen = atomic_cmpxchg(&balances[order.from], before, before - order.amount);
        }
        if (seen != before)
            continue;
        atomic_add(&balances[order.to], order.amount);
        granted[atomic_inc(n_granted)] = i;
    }
}
