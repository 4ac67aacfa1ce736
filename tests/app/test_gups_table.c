/* SPDX-License-Identifier: MIT */
/*
 * The check of GUPS can fail: with every update it finds nothing, with one missing, one too many or one astray it finds
 * those words.
 *
 * usage: test_gups_table    a process that stands for several nodes, or under mpirun
 *
 * Path: meson test -> this -> apps/gups/table.c
 */
#include "frame/die.h"
#include "gups/table.h"

#include <stdio.h>

#define N_WORDS 512u
#define N_UPDATES 5000u /* not a multiple of a piece */

enum mistake { NONE, ONE_MISSING, ONE_TOO_MANY, ONE_ASTRAY };

static void update(const struct table *table, uint64_t ran, uint64_t shift)
{
    const struct node *node = table->node;
    uint64_t word = (ran + shift) % N_WORDS, one = 1;
    uint32_t owner = (uint32_t)(((ran >> 32) * node->n_nodes) >> 32);
    node_check(gravel_update(node->gravel, table->use_xor ? GRAVEL_XOR : GRAVEL_ADD, GRAVEL_ULONG,
                             table->offset + 8 * word, table->use_xor ? &ran : &one, owner));
}

/* As GUPS does, or from a list as GUPS-mod. */
static void undo(struct table *table, bool by_list)
{
    static cl_ulong words[N_UPDATES];
    uint64_t ran = 1;
    if (!by_list) {
        table_undo_stream(table, N_UPDATES, true);
        return;
    }
    for (uint32_t k = 0; k < N_UPDATES; k++) {
        ran = ran << 1 ^ ((int64_t)ran < 0 ? 7 : 0);
        words[k] = (((ran >> 32) * table->node->n_nodes) >> 32) * N_WORDS + ran % N_WORDS;
    }
    table_undo_words(table, words, N_UPDATES / 2);
    table_undo_words(table, words + N_UPDATES / 2, N_UPDATES - N_UPDATES / 2);
}

/* Node 0 makes all updates, but for the mistake. @return wrong words of all nodes. */
static uint64_t try(struct table *table, bool by_list, enum mistake mistake)
{
    uint64_t ran = 1;
    table_fill(table);
    node_barrier(table->node);
    for (uint32_t k = 0; k < N_UPDATES; k++) {
        ran = ran << 1 ^ ((int64_t)ran < 0 ? 7 : 0);
        bool is_wrong = k == N_UPDATES - 7;
        if (table->node->number != 0 || (is_wrong && mistake == ONE_MISSING))
            continue;
        update(table, ran, is_wrong && mistake == ONE_ASTRAY);
        if (is_wrong && mistake == ONE_TOO_MANY)
            update(table, ran, 0);
    }
    node_barrier(table->node);
    undo(table, by_list);
    return node_sum(table->node, table_count_wrong(table));
}

static void expect(struct table *table, bool by_list, enum mistake mistake, uint64_t n_wrong)
{
    uint64_t n = try(table, by_list, mistake);
    if (n != n_wrong)
        die("%s%s, mistake %d: %llu wrong words, not %llu", table->use_xor ? "xor" : "inc",
            by_list ? ", by list" : "", mistake, (unsigned long long)n,
            (unsigned long long)n_wrong);
}

int main(void)
{
    struct node node = NODE_DEFAULT;
    node_open(&node, N_WORDS * sizeof(uint64_t));
    node_build(&node, "none.cl", "kernel void none(void) {}", NULL);
    struct table table = {
        .node = &node, .offset = node_alloc(&node, 8 * N_WORDS), .n_words = N_WORDS};
    table_open(&table);
    for (int round = 0; round < 3; round++) {
        bool by_list = round == 2;
        table.use_xor = round == 1;
        expect(&table, by_list, NONE, 0);
        expect(&table, by_list, ONE_MISSING, 1);
        expect(&table, by_list, ONE_TOO_MANY, 1);
        expect(&table, by_list, ONE_ASTRAY, 2);
    }
    table_close(&table);
    node_close(&node);
    puts("PASS");
    return 0;
}
