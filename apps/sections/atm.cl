/* SPDX-License-Identifier: MIT */
/*
 * Transfers between accounts: withdraw from one if it has as much, then deposit to the other; in the forms of form.h.
 *
 * Account a of all nodes is account a / n_nodes of node a % n_nodes. A transfer is served in two launches: the first
 * withdraws, and lists at its own node which orders are granted; the second deposits. A deposit cannot fail, so no
 * section needs two accounts. The forms that lock take both locks, as the paper's do.
 *
 * Path:   atm.c -> this.
 * Source: Wang, Fussell, Lin 2019, section 4 (ATM).
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

struct order {
    uint from, to, amount;
};

/* Appends to the list of granted orders, whose first word is their number. */
void grant(volatile global uint *granted, uint order)
{
    granted[1 + atomic_inc(granted)] = order;
}

/* ---- served: the account is the key ---------------------------------------------------------------- */

/* heap offsets: constants 0, balances, uint [accounts]; 1, granted, uint [1 + orders of all nodes] */
void withdraw(struct gravel_call call, ulong account, ulong both)
{
    global uint *balances = gravel_call_local(call, call.constants[0]);
    uint order = (uint)both, amount = (uint)(both >> 32);
    if (balances[account] < amount)
        return;
    balances[account] -= amount;
    grant(gravel_call_local(call, call.constants[1]), order); /* as handlers of other keys do */
}
void deposit(struct gravel_call call, ulong account, ulong amount)
{
    global uint *balances = gravel_call_local(call, call.constants[0]);
    balances[account] += (uint)amount;
}

/* Heap offsets as above, of locks, uint [accounts]; orders: of all nodes; first: item 0's. */
#define TRANSFER                                                                            \
    GRAVEL_ARENA, uint n, uint stride, ulong balances_at, ulong granted_at, ulong locks_at, \
        global const struct order *orders, uint first

kernel void transfer_served(TRANSFER)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n_nodes = gravel_n_nodes(g);
    GRAVEL_SERVE(g, item, active)
    {
        uint number = (uint)(first + (active ? item : 0));
        struct order order = orders[number];
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(withdraw), order.from / n_nodes,
                         (ulong)order.amount << 32 | number, order.from % n_nodes);
    }
}
/* Items are what this node has granted. */
kernel void deposit_served(TRANSFER)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n_nodes = gravel_n_nodes(g);
    global const uint *granted = gravel_local(g, granted_at);
    GRAVEL_SERVE(g, item, active)
    {
        struct order order = orders[active ? granted[1 + item] : 0];
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(deposit), order.to / n_nodes, order.amount,
                         order.to % n_nodes);
    }
}

/* ---- locked and atomic ------------------------------------------------------------------------------- */

kernel void transfer_locked(TRANSFER)
{
    GRAVEL_OPEN(g);
    volatile global uint *balances = gravel_local(g, balances_at);
    global uint *locks = gravel_local(g, locks_at);
    for (uint i = (uint)get_global_id(0); i < n; i += stride) {
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
            grant(gravel_local(g, granted_at), i);
    }
}

kernel void transfer_atomic(TRANSFER)
{
    GRAVEL_OPEN(g);
    volatile global uint *balances = gravel_local(g, balances_at);
    for (uint i = (uint)get_global_id(0); i < n; i += stride) {
        const struct order order = orders[i];
        uint seen = balances[order.from], before = ~seen;
        while (seen != before && seen >= order.amount) {
            before = seen;
            seen = atomic_cmpxchg(&balances[order.from], before, before - order.amount);
        }
        if (seen != before)
            continue;
        atomic_add(&balances[order.to], order.amount);
        grant(gravel_local(g, granted_at), i);
    }
}
