/* SPDX-License-Identifier: MIT */
/*
 * Rounds of collective calls: what nodes merge is the same in every order, and names the first two that do not fit, or
 * a machine of the other byte order.
 *
 * Path: lib/transport/round.h
 */
#include "cases.h"
#include "transport/round.h"

#include <byteswap.h>
#include <string.h>

#include "gravel/gravel.h"

#define N_NODES 4u

static struct gravel_round round_of(uint32_t node, uint32_t kind, uint64_t argument, double value)
{
    struct gravel_round round = {.first = {.kind = kind, .node = node, .arguments = {argument}},
                                 .type = GRAVEL_DOUBLE,
                                 .n = 1};
    memcpy(round.values, &value, sizeof value);
    return round;
}

/* Merges the nodes' rounds in the order of a number; from 256 on as a tree: the first two, the last two, and then both.
 * @return false if the number is no order */
static bool merge(const struct gravel_round nodes[N_NODES], unsigned number,
                  struct gravel_round *merged)
{
    const unsigned order[] = {number & 3, number >> 2 & 3, number >> 4 & 3, number >> 6 & 3};
    struct gravel_round right = nodes[order[2]];
    *merged = nodes[order[0]];
    gravel_round_merge(merged, &nodes[order[1]]);
    if (number >= 256) {
        gravel_round_merge(&right, &nodes[order[3]]);
        gravel_round_merge(&right, merged);
        *merged = right;
    } else {
        gravel_round_merge(merged, &nodes[order[2]]);
        gravel_round_merge(merged, &nodes[order[3]]);
    }
    return (1u << order[0] | 1u << order[1] | 1u << order[2] | 1u << order[3]) == 15;
}
#define EACH_ORDER(nodes, merged)                     \
    for (unsigned number = 0; number < 512; number++) \
        if (merge(nodes, number, &(merged)))

static void names_two(const struct gravel_round *merged, const char *expected)
{
    char text[256];
    assert_false(gravel_round_fits(merged));
    gravel_round_describe(merged, text, sizeof text);
    assert_non_null(strstr(text, expected));
}

TEST(misfits_are_named_alike_in_every_order)
{
    static const struct {
        struct {
            uint32_t kind, argument;
        } calls[N_NODES];
        const char *text;
    } cases[] = {
        {{{GRAVEL_CALL_BARRIER, 0},
          {GRAVEL_CALL_REDUCE, 0},
          {GRAVEL_CALL_BARRIER, 0},
          {GRAVEL_CALL_CLOSE, 0}},
         "node 0 is in gravel_barrier, node 1 in gravel_reduce: "},
        {{{GRAVEL_CALL_OPEN, 0},
          {GRAVEL_CALL_OPEN, 0},
          {GRAVEL_CALL_OPEN, 0},
          {GRAVEL_CALL_CLOSE, 0}},
         "node 0 is in gravel_open, node 3 in gravel_close: "},
        {{{GRAVEL_CALL_ALLOC, 8},
          {GRAVEL_CALL_ALLOC, 8},
          {GRAVEL_CALL_ALLOC, 9},
          {GRAVEL_CALL_ALLOC, 7}},
         "gravel_alloc of 8 bytes at node 0, of 9 bytes at node 2"},
        {{{GRAVEL_CALL_FREE, 0},
          {GRAVEL_CALL_FREE, 4},
          {GRAVEL_CALL_FREE, 4},
          {GRAVEL_CALL_FREE, 4}},
         "gravel_free of offset 0 at node 0, of offset 4 at node 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gravel_round nodes[N_NODES], merged;
        for (uint32_t node = 0; node < N_NODES; node++)
            nodes[node] =
                round_of(node, cases[i].calls[node].kind, cases[i].calls[node].argument, 1);
        EACH_ORDER(nodes, merged)
        names_two(&merged, cases[i].text);
    }
}

/* A number or a type that is not the others' is no reason to read or write beyond the values. */
TEST(what_cannot_be_combined_is_a_misfit)
{
    struct gravel_round nodes[N_NODES], merged, all;
    for (uint32_t field = 0; field < 4; field++) {
        for (uint32_t node = 0; node < N_NODES; node++)
            nodes[node] = round_of(node, GRAVEL_CALL_REDUCE, 0, node);
        *(field == 0   ? &nodes[2].op
          : field == 1 ? &nodes[2].type
                       : &nodes[2].n) += field < 3 ? 1 : GRAVEL_ROUND_VALUES;
        EACH_ORDER(nodes, merged)
        {
            assert_false(gravel_round_fits(&merged));
            assert_true(merged.first.node == 0 && merged.other.node == 2);
        }
    }
    all = round_of(0, GRAVEL_CALL_REDUCE, 0, 1);
    nodes[1] = round_of(1, GRAVEL_CALL_REDUCE, 0, 1);
    all.n = nodes[1].n = UINT32_MAX;
    gravel_round_merge(&all, &nodes[1]);
    assert_false(gravel_round_fits(&all));
}

/* The round as node 0 and node 1 have it in memory, when node 1's machine has the other byte order. */
TEST(machines_of_the_other_byte_order_are_named)
{
    static const uint32_t kinds[] = {GRAVEL_CALL_OPEN, GRAVEL_N_CALLS - 1};
    for (unsigned i = 0; i < 2; i++) {
        struct gravel_round ours = round_of(0, kinds[i], 0, 1);
        struct gravel_round theirs = round_of(bswap_32(1), bswap_32(kinds[i]), 0, 1);
        theirs.n = bswap_32(theirs.n), theirs.type = bswap_32(theirs.type);
        struct gravel_round merged = theirs;
        gravel_round_merge(&merged, &ours);
        names_two(&merged,
                  "nodes differ in byte order: node 1's machine has the other one than node 0's");
        gravel_round_merge(&ours, &theirs);
        names_two(&ours,
                  "nodes differ in byte order: node 1's machine has the other one than node 0's");
    }
    struct gravel_round ours = round_of(0, GRAVEL_CALL_OPEN, 0, 1);
    const struct gravel_round theirs = round_of(1, 77, 0, 1);
    gravel_round_merge(&ours, &theirs);
    names_two(&ours, "node 0 is in gravel_open, node 1 in an unknown call");
}
