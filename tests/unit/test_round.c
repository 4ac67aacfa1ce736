/* SPDX-License-Identifier: MIT */
/*
 * Rounds of collective calls: what nodes merge is the same in every order, and names the first two that do not fit, or a
 * machine of the other byte order.
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

/* Merge the nodes' rounds in that order; `is_tree`: the first two, the last two, and then both. */
static struct gravel_round merge(const struct gravel_round nodes[N_NODES],
                                 const unsigned order[N_NODES], bool is_tree)
{
    struct gravel_round left = nodes[order[0]], right = nodes[order[2]];
    gravel_round_merge(&left, &nodes[order[1]]);
    if (is_tree) {
        gravel_round_merge(&right, &nodes[order[3]]);
        gravel_round_merge(&right, &left);
        return right;
    }
    gravel_round_merge(&left, &nodes[order[2]]);
    gravel_round_merge(&left, &nodes[order[3]]);
    return left;
}

typedef void check_function(const struct gravel_round *merged, const void *expected);

static void in_every_order(const struct gravel_round nodes[N_NODES], check_function *check,
                           const void *expected)
{
    for (unsigned i = 0; i < 256; i++) {
        const unsigned order[] = {i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6};
        unsigned seen = 0;
        for (unsigned k = 0; k < N_NODES; k++)
            seen |= 1u << order[k];
        for (int is_tree = 0; seen == 15 && is_tree < 2; is_tree++) {
            const struct gravel_round merged = merge(nodes, order, is_tree);
            check(&merged, expected);
        }
    }
}

static void names_two(const struct gravel_round *merged, const void *expected)
{
    char text[256];
    assert_false(gravel_round_fits(merged));
    gravel_round_tell(merged, text, sizeof text);
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
         "gravel_alloc of 8 bytes at node 0, of 9 at node 2"},
        {{{GRAVEL_CALL_FREE, 0},
          {GRAVEL_CALL_FREE, 4},
          {GRAVEL_CALL_FREE, 4},
          {GRAVEL_CALL_FREE, 4}},
         "gravel_free of offset 0 at node 0, of offset 4 at node 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gravel_round nodes[N_NODES];
        for (uint32_t node = 0; node < N_NODES; node++)
            nodes[node] =
                round_of(node, cases[i].calls[node].kind, cases[i].calls[node].argument, 1);
        in_every_order(nodes, names_two, cases[i].text);
    }
}

static void is_a_misfit(const struct gravel_round *merged, const void *expected)
{
    (void)expected;
    assert_false(gravel_round_fits(merged));
    assert_int_equal(merged->first.node, 0);
    assert_int_equal(merged->other.node, 2);
}

/* A number or a type that is not the others' is no reason to read or write beyond the values. */
TEST(what_cannot_be_combined_is_a_misfit)
{
    struct gravel_round nodes[N_NODES], all;
    for (uint32_t field = 0; field < 4; field++) {
        for (uint32_t node = 0; node < N_NODES; node++)
            nodes[node] = round_of(node, GRAVEL_CALL_REDUCE, 0, node);
        *(field == 0   ? &nodes[2].op
          : field == 1 ? &nodes[2].type
                       : &nodes[2].n) += field < 3 ? 1 : GRAVEL_ROUND_VALUES;
        in_every_order(nodes, is_a_misfit, NULL);
    }
    all = round_of(0, GRAVEL_CALL_REDUCE, 0, 1);
    nodes[1] = round_of(1, GRAVEL_CALL_REDUCE, 0, 1);
    all.n = nodes[1].n = UINT32_MAX;
    gravel_round_merge(&all, &nodes[1]);
    assert_false(gravel_round_fits(&all));
}

/* As node 0 and node 1 have it in memory, when node 1's machine has the other byte order. */
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
