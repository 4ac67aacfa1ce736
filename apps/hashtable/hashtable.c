/* SPDX-License-Identifier: MIT */
/*
 * Insert into a hash table of linked lists, with a critical section for each list.
 *
 * Few buckets mean that all work-items of a device want the same few lists. The table is spread over all nodes.
 *
 * Path: main -> sections/form.c -> hashtable.cl -> check.c
 * Source: Wang, Fussell, Lin 2019, section 4 (HT).
 */
#include "hashtable.h"

#include <stdio.h>
#include <stdlib.h>

extern const char hashtable_cl[];

/* ---- options ------------------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"buckets", 0, "N", "Lists of all nodes together, a power of two (1024)",
     OPTION_POWER(struct hashtable, n_buckets, 1, UINT64_C(1) << 28)},
    {"items", 0, "LOG2", "All nodes together make 2^LOG2 operations (20)",
     OPTION_NUMBER(struct hashtable, log_items, 0, 28)},
    {0}};

/* ---- set-up -------------------------------------------------------------------------------------- */

static void make_memory(struct hashtable *table)
{
    struct gravel *gravel = table->node.gravel;
    const uint64_t buckets_bytes = 4 * hashtable_n_local_buckets(table);
    TRY(gravel_alloc(gravel, buckets_bytes, &table->heads));
    TRY(gravel_alloc(gravel, 4 * hashtable_n_entries(table), &table->next));
    TRY(gravel_alloc(gravel, buckets_bytes, &table->locks));
    TRY(gravel_set_constant(gravel, 0, table->heads));
    TRY(gravel_set_constant(gravel, 1, table->next));
}

static void make_keys(struct hashtable *table)
{
    TRY(gravel_share(table->node.gravel, hashtable_n_entries(table), &table->first_item,
                     &table->n_own));
    const uint64_t n = table->n_own;
    cl_uint *keys = app_array(n, sizeof *keys, "keys");
    for (uint64_t i = 0; i < n; i++)
        keys[i] = hashtable_key(table, table->first_item + i);
    table->own_keys = node_upload(&table->node, n * sizeof *keys, keys);
}

static void make_kernel(struct hashtable *table)
{
    cl_kernel kernel = sections_kernel(&table->sections, &table->node, "insert");
    const cl_uint first = sections_first_argument(&table->sections);
    NODE_SET(kernel, first, ARRAY(table->own_keys), UINT((cl_uint)(table->n_buckets - 1)));
    if (table->sections.form->mode)
        NODE_SET(kernel, first + 2, UINT(table->first_item));
    else
        NODE_SET(kernel, first + 2, ULONG(table->heads), ULONG(table->next), ULONG(table->locks));
    table->kernel = kernel;
}

static void set_up(void *self)
{
    static const struct gravel_handler handler = {
        .name = "insert", .n_args = 2, .serve = {.n_keys = 1}};
    struct hashtable *table = self;
    const uint64_t heap_bytes =
        4 * (2 * table->n_buckets + hashtable_n_entries(table)); /* as for a node alone */
    sections_open(&table->sections, &table->node, heap_bytes, "hashtable.cl", hashtable_cl,
                  &handler, 1);
    make_memory(table);
    make_keys(table);
    make_kernel(table);
}

/* ---- trials -------------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct hashtable *table = self;
    node_fill_heaps(&table->node, table->heads, hashtable_n_local_buckets(table), 0);
    node_fill_heaps(&table->node, table->locks, hashtable_n_local_buckets(table), 0);
}

static void operate(void *self)
{
    struct hashtable *table = self;
    sections_run(&table->sections, &table->node, table->kernel, table->n_own);
    TRY(gravel_barrier(table->node.gravel));
}

static void describe(void *self, struct trials *trials)
{
    const struct hashtable *table = self;
    snprintf(trials->variant, sizeof trials->variant, "%s", table->sections.form->name);
    snprintf(trials->input, sizeof trials->input, "%llu buckets, 2^%u operations",
             (unsigned long long)table->n_buckets, (unsigned)table->log_items);
    trials->work = (double)hashtable_n_entries(table);
    trials_add_number(trials, "buckets", table->n_buckets);
    trials_add_number(trials, "operations", hashtable_n_entries(table));
    trials_add_number(trials, "groups", table->sections.n_groups);
}

static const struct app app = {
    .name = "hashtable",
    .unit = "operations/s",
    .doc = "Insert into a hash table of linked lists, with a critical section for each list.",
    .group_items = SECTIONS_GROUP,
    .groups = {{"Problem:", 1, own_options, 0},
               SECTIONS_OPTIONS_GROUP(offsetof(struct hashtable, sections))},
    APP_FIELDS(struct hashtable),
    .open = set_up,
    .reset = reset,
    .run = operate,
    .describe = describe,
    .check = hashtable_check};

int main(int argc, char **argv)
{
    struct hashtable table = {
        .sections = SECTIONS_WITHOUT(" nested"), .n_buckets = 1024, .log_items = 20};
    return app_main(&app, &table, argc, argv);
}
