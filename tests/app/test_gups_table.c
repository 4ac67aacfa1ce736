/* SPDX-License-Identifier: MIT */
/*
 * The check of GUPS can fail: with every update it finds nothing, with one missing, one too many or one astray it finds
 * those words. Of puts, only a word shows that none has reached, or one of another word.
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

/* Operation and type of a message, by enum table_op. */
static const struct {
    const char *name;
    uint32_t op, type;
} updates[] = {[TABLE_INC] = {"inc", GRAVEL_ADD, GRAVEL_ULONG},
               [TABLE_XOR] = {"xor", GRAVEL_XOR, GRAVEL_ULONG},
               [TABLE_ADD] = {"add-float", GRAVEL_ADD, GRAVEL_FLOAT},
               [TABLE_PUT] = {"put", 0, GRAVEL_ULONG}};

static void update(const struct table *table, uint64_t ran, uint64_t shift)
{
    const struct node *node = table->node;
    uint64_t at = table->offset + table_word_bytes(table) * ((ran + shift) % N_WORDS), one = 1;
    uint32_t owner = (uint32_t)(((ran >> 32) * node->n_nodes) >> 32);
    float addend = (float)TABLE_ADDEND(ran);
    const void *value = table->op == TABLE_INC   ? &one
                        : table->op == TABLE_ADD ? (const void *)&addend
                                                 : &ran;
    node_check(table->op == TABLE_PUT ? gravel_put(node->gravel, at, value, sizeof ran, owner)
                                      : gravel_update(node->gravel, updates[table->op].op,
                                                      updates[table->op].type, at, value, owner));
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

/* As if no put had reached the word. */
static void lose(const struct table *table, uint64_t ran)
{
    const struct node *node = table->node;
    const uint64_t zero = 0;
    node_check(gravel_put(node->gravel, table->offset + 8 * (ran % N_WORDS), &zero, sizeof zero,
                          (uint32_t)(((ran >> 32) * node->n_nodes) >> 32)));
}

/* Node 0 makes all updates, but for the mistake. @return wrong words of all nodes. */
static uint64_t try(struct table *table, bool by_list, enum mistake mistake)
{
    uint64_t ran = 1;
    table_fill(table);
    TRY(gravel_barrier(table->node->gravel));
    for (uint32_t k = 0; k < N_UPDATES; k++) {
        ran = ran << 1 ^ ((int64_t)ran < 0 ? 7 : 0);
        bool is_wrong = k == N_UPDATES - 7;
        if (table->node->number != 0 || (is_wrong && mistake == ONE_MISSING))
            continue;
        update(table, ran, is_wrong && mistake == ONE_ASTRAY);
        if (is_wrong && mistake == ONE_TOO_MANY)
            update(table, ran, 0);
    }
    if (table->op == TABLE_PUT && mistake == ONE_MISSING && table->node->number == 0)
        lose(table, ran);
    TRY(gravel_barrier(table->node->gravel));
    undo(table, by_list);
    return node_sum(table->node, table_count_wrong(table));
}

static void expect(struct table *table, bool by_list, enum mistake mistake, uint64_t n_wrong)
{
    uint64_t n = try(table, by_list, mistake);
    if (n != n_wrong)
        die("%s%s, mistake %d: %llu wrong words, not %llu", updates[table->op].name,
            by_list ? ", by list" : "", mistake, (unsigned long long)n,
            (unsigned long long)n_wrong);
}

/* Words that each mistake makes wrong, by enum table_op. A put again changes nothing; one astray is one of several to
 * the word that misses it. */
static const uint64_t n_wrong[][4] = {
    [TABLE_INC] = {0, 1, 1, 2},
    [TABLE_XOR] = {0, 1, 1, 2},
    [TABLE_ADD] = {0, 1, 1, 2},
    [TABLE_PUT] = {0, 1, 0, 1},
};

static void expect_all(struct table *table, bool by_list)
{
    for (int mistake = NONE; mistake <= ONE_ASTRAY; mistake++)
        expect(table, by_list, (enum mistake)mistake, n_wrong[table->op][mistake]);
}

int main(void)
{
    struct node node = NODE_DEFAULT;
    node_open(&node, N_WORDS * sizeof(uint64_t));
    node_build(&node, "none.cl", "kernel void none(global uint *word) { *word = 1; }", NULL);
    struct table table = {.node = &node, .n_words = N_WORDS};
    TRY(gravel_alloc(node.gravel, 8 * N_WORDS, &table.offset));
    table_open(&table);
    for (int op = TABLE_INC; op <= TABLE_PUT; op++) {
        table.op = (enum table_op)op;
        expect_all(&table, false);
    }
    table.op = TABLE_INC;
    expect_all(&table, true);
    table_close(&table);
    node_close(&node);
    puts("PASS");
    return 0;
}
