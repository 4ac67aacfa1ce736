/* SPDX-License-Identifier: MIT */
/*
 * The check of GUPS: one thread goes through the updates of all nodes, step by step, and takes them back from the tables of
 * this process, where they lie. Zeros are left.
 *
 * Path: gups.c -> this
 */
#include "gups.h"

/* A put cannot be taken back: its word becomes RIGHT if it holds the number, and LOST if it is still 0. The stream has
 * neither of the two, nor 0. */
#define LOST UINT64_C(1)
#define RIGHT UINT64_MAX

/* A mapped table, of one node. */
struct table {
    const struct gups *gups;
    void *words;
    uint32_t node;
};

/* Takes back an update of the word that upper half and lower bits of `place` name, unless it is another node's. */
static void take_back(const struct table *table, uint64_t place, uint64_t ran)
{
    const struct gups *gups = table->gups;
    const uint64_t at = place & (gups->n_words - 1);
    uint64_t *word = (uint64_t *)table->words + at;
    if ((place >> 32) * gups->node.n_nodes >> 32 != table->node)
        return;
    if (gups->op == GUPS_ADD)
        ((float *)table->words)[at] -= (float)(1 + (ran >> 32) % 8);
    else if (gups->op == GUPS_INC)
        (*word)--;
    else if (*word == ran)
        *word = RIGHT;
    else if (*word == 0)
        *word = LOST;
}

/* Returns a number as skew() of gups.cl: first the level, then the rank. */
static uint64_t skew(const struct gups *gups, uint64_t ran)
{
    const uint64_t n_ranks = UINT64_C(1) << ((ran >> 32) * gups->n_levels >> 32);
    return (n_ranks + ran % n_ranks) * UINT64_C(0x9e3779b97f4a7c15);
}

static void take_back_stream(const struct table *table)
{
    const struct gups *gups = table->gups;
    uint64_t ran = 1;
    for (uint64_t left = gups->node.n_processes * gups->n_updates; left; left--) {
        ran = ran << 1 ^ ((int64_t)ran < 0 ? 7 : 0);
        take_back(table, gups->n_levels ? skew(gups, ran) : ran, ran);
    }
}

static void visit(void *user, uint64_t random)
{
    take_back(user, random, random);
}

static uint64_t count_left(const struct table *table)
{
    const uint64_t *words = table->words, right = table->gups->op == GUPS_PUT ? RIGHT : 0;
    const float *sums = table->words;
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < table->gups->n_words; i++)
        n_wrong += table->gups->op == GUPS_ADD ? !(sums[i] == 0) : words[i] && words[i] != right;
    return n_wrong;
}

uint64_t gups_check(void *self, struct trials *trials)
{
    const struct gups *gups = self;
    struct gravel *gravel = gups->node.gravel;
    uint64_t n_wrong = 0;
    (void)trials;
    for (uint32_t i = 0; i < gups->node.n_local; i++) {
        struct table table = {gups, NULL, gups->node.number + i};
        TRY(gravel_map(gravel, gups->table, gups->table_bytes, CL_MAP_READ | CL_MAP_WRITE,
                       table.node, &table.words));
        if (gups->form)
            divergent_each(gups, visit, &table);
        else
            take_back_stream(&table);
        n_wrong += count_left(&table);
        TRY(gravel_unmap(gravel, table.words));
    }
    return n_wrong;
}
