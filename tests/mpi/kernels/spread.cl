/* SPDX-License-Identifier: MIT */
/*
 * Rounds of several nodes. N: words of a node.
 *
 * Path: test_objects.c -> this -> cl/rounds.cl.h
 */
#include "gravel.cl.h"

/* In each round each of `n_senders` kernels adds one to each of [N] words of each node, by one work-item or by groups, N / 2
 * times one to the word behind them, and puts the round's number to its word of `puts` [n_nodes], of each. wrong [2]: words of the rounds before that have
 * not come, or too many; sums that are not of the round before. */
kernel void spread(GRAVEL_ARENA, GRAVEL_ROUND, ulong words, ulong puts, ulong wrong, uint n_senders)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, look)
        {
            global const uint *own = gravel_local(r.group, words),
                              *put = gravel_local(r.group, puts);
            const uint number = (uint)gravel_round_number(r), node = (uint)gravel_node(r.group);
            const ulong all = (ulong)N * gravel_n_nodes(r.group) * n_senders;
            for (uint i = gravel_round_item(r); i < N; i += gravel_round_items(r))
                if (own[i] < number * n_senders || own[i] > (number + 1) * n_senders)
                    gravel_inc_uint_wi(r.group, wrong, 0, node);
            for (uint i = gravel_round_item(r); i < n_senders; i += gravel_round_items(r))
                if (put[i] != number && put[i] != number + 1)
                    gravel_inc_uint_wi(r.group, wrong, 0, node);
            if (number && gravel_round_sum(r) != all)
                gravel_inc_uint_wi(r.group, wrong, 1, node);
        }
        GRAVEL_PHASE(r, send)
        {
            const uint n_nodes = (uint)gravel_n_nodes(r.group),
                       number = (uint)gravel_round_number(r);
            const uint n = N * n_nodes, middle = N / 2 * n_nodes;
            uint n_sent = 0;
            for (uint i = gravel_round_item(r); i < middle; i += gravel_round_items(r), n_sent++) {
                gravel_inc_uint_wi(r.group, words, i / n_nodes, i % n_nodes);
                gravel_inc_uint_wi(r.group, words, N, i % n_nodes);
            }
            const uint first = middle + gravel_round_item(r), step = gravel_round_items(r);
            for (uint turn = 0; turn < (n - middle + step - 1) / step; turn++) {
                const uint i = first + turn * step, is_one = i < n;
                gravel_add_uint_wg_if(r.group, is_one, words, i / n_nodes, 1, i % n_nodes);
                n_sent += is_one;
            }
            if (gravel_round_item(r) < n_nodes)
                gravel_put_uint_wi(r.group, puts, n_senders == 1 ? 0 : gravel_node(r.group),
                                   number + 1, gravel_round_item(r));
            gravel_round_count_wg(r, n_sent);
        }
    }
}

/* In round `when` node 0 sends node 1 a message: to element `index`, or of a handler that there is not. */
kernel void astray(GRAVEL_ARENA, GRAVEL_ROUND, ulong words, ulong index, ulong when, uint calls)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, all)
        {
            if (gravel_round_number(r) == when && gravel_round_item(r) == 0 &&
                gravel_node(r.group) == 0) {
                const uint to = gravel_n_nodes(r.group) > 1;
                if (calls)
                    gravel_am1_wi(r.group, 77, index, to);
                else
                    gravel_inc_uint_wi(r.group, words, index, to);
            }
        }
    }
}

/* Node `from` sends node `to` n increments of a word in each even round, and gets the word in each odd one: into `got`, an array by
 * the round's number. */
kernel void ahead(GRAVEL_ARENA, GRAVEL_ROUND, ulong word, ulong got, ulong from, ulong to, ulong n)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, all)
        {
            const ulong number = gravel_round_number(r);
            const struct gravel_reply reply = {got, GRAVEL_NO_SIGNAL};
            if (gravel_node(r.group) == from && number % 2 == 0)
                for (ulong i = gravel_round_item(r); i < n; i += gravel_round_items(r))
                    gravel_inc_uint_wi(r.group, word, 0, to);
            if (gravel_node(r.group) == from && number % 2 && gravel_round_item(r) == 0)
                gravel_get_uint_wi(r.group, word, 0, reply, number, to);
        }
    }
}

kernel void no_phase(GRAVEL_ARENA, GRAVEL_ROUND)
{
    GRAVEL_ROUND_OPEN(r);
    (void)r;
}
