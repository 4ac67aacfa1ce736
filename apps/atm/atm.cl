/* SPDX-License-Identifier: MIT */
/*
 * Transfers between accounts: withdraw from one if it has as much, then deposit to the other; in the forms of
 * sections/form.h.
 *
 * Account a of all nodes is account a / n_nodes of node a % n_nodes. A transfer is served in two launches: the first
 * withdraws, and notes at its own node which orders are granted; the second deposits. A deposit cannot fail, so no
 * section needs two accounts. Form nested has both accounts of a node as keys, and locks accounts of two nodes; the
 * forms that lock take both locks, as the paper's do.
 *
 * Path: atm.c -> this.
 * Source: Wang, Fussell, Lin 2019, section 4 (ATM).
 */
#define GRAVEL_NODE_OF(key, n) ((key) % (n))
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

/* Nested: both accounts are keys, by their numbers among those of all nodes. */
#ifdef GRAVEL_HANDLER_transfer
void account_load(struct gravel_call call, ulong account, ulong *words)
{
    words[0] = ((global uint *)gravel_call_local(call, call.constants[0]))[account / call.n_nodes];
}
void account_store(struct gravel_call call, ulong account, const ulong *words)
{
    ((global uint *)gravel_call_local(call, call.constants[0]))[account / call.n_nodes] =
        (uint)words[0];
}
void transfer(struct gravel_call call, ulong *from, ulong *to, ulong both)
{
    global uint *granted = gravel_call_local(call, call.constants[1]);
    volatile global uint *n_granted = gravel_call_local(call, call.constants[2]);
    const ulong amount = both >> 32;
    if (*from < amount)
        return;
    *from -= amount;
    *to += amount;
    granted[atomic_inc(n_granted)] = (uint)both;
}
bool is_of_two_nodes(struct order order, uint n_nodes)
{
    return order.from % n_nodes != order.to % n_nodes;
}
/* orders: of all nodes; item 0 is order `first`. */
kernel void transfer_nested(GRAVEL_ARENA, global const struct order *orders, uint first)
{
    GRAVEL_SERVER_OPEN(g);
    const uint n_nodes = gravel_n_nodes(g);
    GRAVEL_SERVE(g, item, active)
    {
        const uint number = (uint)(first + (active ? item : 0));
        const struct order order = orders[number];
        gravel_am3_wg_if(g, active && !is_of_two_nodes(order, n_nodes), GRAVEL_HANDLER(transfer),
                         order.from, order.to, number | (ulong)order.amount << 32, GRAVEL_BY_KEY);
    }
}

/* The highest bit of a balance: the account is locked. So one request locks it, and brings the balance. */
#define LOCKED 0x80000000u

/* Whether a work-item asks in a round, by chance. */
bool is_drawn(uint item, uint round)
{
    const uint mixed = (item ^ round * 2654435761u) * 2246822519u;
    return (mixed ^ mixed >> 15) * 3266489917u >> 31;
}

/*
 * A round of the transfers of two nodes: settles what the round before has asked for, and asks for more. A work-item
 * asks for both accounts of its order, the lesser first: of those of a group that ask for the same ones, one gets both.
 * It moves the money, and takes its next order, `stride` further; who gets a single account gives it back. After a
 * failure a work-item leaves out every other round, by chance, so that no two take an account from each other without
 * limit. No work-item waits, so that it works on every step.
 *
 * The first `stride` work-items take part. orders [n_orders]: from order `first` on; at [stride]: each work-item's;
 * answers: uint [2][stride]; more: set if a work-item has an order.
 */
kernel void transfer_between(GRAVEL_ARENA, global const struct order *orders, uint first,
                             uint n_orders, uint stride, global uint *at, global uint *more,
                             ulong answers_at, ulong balances_at, ulong granted_at,
                             ulong n_granted_at, uint round)
{
    GRAVEL_OPEN(g);
    const uint item = (uint)get_global_id(0), n = gravel_n_nodes(g);
    const struct gravel_reply reply = {answers_at, GRAVEL_NO_SIGNAL};
    global uint *answers = gravel_local(g, answers_at);
    global uint *granted = gravel_local(g, granted_at);
    volatile global uint *n_granted = gravel_local(g, n_granted_at);
    const bool takes_part = item < stride;
    uint i = !takes_part ? n_orders : round ? at[item] : item;
    struct order order = orders[first + (i < n_orders ? i : 0)];
    uint lesser = min(order.from, order.to), greater = max(order.from, order.to);
    uint of_lesser = round && takes_part ? answers[item] : LOCKED;
    uint of_greater = round && takes_part ? answers[stride + item] : LOCKED;
    const bool has_lesser = !(of_lesser & LOCKED), has_greater = !(of_greater & LOCKED);
    const bool has_both = has_lesser && has_greater, is_up = order.from == lesser;
    if (has_both && (is_up ? of_lesser : of_greater) >= order.amount) {
        of_lesser += is_up ? 0 - order.amount : order.amount;
        of_greater += is_up ? order.amount : 0 - order.amount;
        granted[atomic_inc(n_granted)] = first + i;
    }
    gravel_put_uint_wg_if(g, has_lesser, balances_at, lesser / n, of_lesser, lesser % n);
    gravel_put_uint_wg_if(g, has_greater, balances_at, greater / n, of_greater, greater % n);
    i += has_both ? stride : 0;
    while ((has_both || round == 0) && i < n_orders && !is_of_two_nodes(orders[first + i], n))
        i += stride;
    const bool asks = i < n_orders && (has_both || round == 0 || is_drawn(item, round));
    order = orders[first + (i < n_orders ? i : 0)];
    lesser = min(order.from, order.to), greater = max(order.from, order.to);
    gravel_fetch_or_uint_wg_if(g, asks, balances_at, lesser / n, LOCKED, reply, item, lesser % n);
    gravel_fetch_or_uint_wg_if(g, asks, balances_at, greater / n, LOCKED, reply, stride + item,
                               greater % n);
    if (takes_part && !asks)
        answers[item] = answers[stride + item] = LOCKED;
    if (i < n_orders)
        *more = 1;
    if (takes_part)
        at[item] = i;
}

#else

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

#endif

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
