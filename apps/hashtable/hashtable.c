/* SPDX-License-Identifier: MIT */
/*
 * Insert into, count in, or search a hash table of linked lists, with a critical section for each list.
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

static const char *const operations[] = {"insert", "upsert", "find"};

/* ---- options ------------------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"op", 0, "insert|upsert|find", "What is done with a key; upsert counts it (insert)",
     OPTION_INDEX(struct hashtable, operation, uint32_t)},
    {"buckets", 0, "N", "Lists of all nodes together, a power of two (1024)",
     OPTION_POWER(struct hashtable, n_buckets, 1, UINT64_C(1) << 28)},
    {"items", 0, "LOG2", "All nodes together make 2^LOG2 operations (20)",
     OPTION_NUMBER(struct hashtable, log_items, 0, 28)},
    {"keys", 0, "N", "Different keys of upsert and find (4096)",
     OPTION_NUMBER(struct hashtable, n_keys, 1, UINT64_C(1) << 28)},
    {0}};

/* ---- set-up -------------------------------------------------------------------------------------- */

static void make_memory(struct hashtable *table)
{
    struct gravel *gravel = table->node.gravel;
    uint64_t *const offsets[] = {&table->heads, &table->next, &table->keys, &table->values};
    const uint64_t buckets_bytes = 4 * hashtable_n_local_buckets(table);
    for (uint32_t i = 0; i < 4; i++) {
        TRY(gravel_alloc(gravel, i == 0 ? buckets_bytes : 4 * hashtable_n_entries(table),
                         offsets[i]));
        TRY(gravel_set_constant(gravel, i, *offsets[i]));
    }
    TRY(gravel_alloc(gravel, buckets_bytes, &table->locks));
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
    cl_kernel kernel =
        sections_kernel(&table->sections, &table->node, operations[table->operation]);
    const cl_uint first = sections_first_argument(&table->sections);
    NODE_SET(kernel, first, cl_mem, table->own_keys);
    NODE_SET(kernel, first + 1, cl_uint, (cl_uint)(table->n_buckets - 1));
    if (table->sections.form->mode)
        NODE_SET(kernel, first + 2, cl_uint, (cl_uint)table->first_item);
    else
        NODE_SET_OFFSETS(kernel, first + 2, table->heads, table->next, table->keys, table->values,
                         table->locks);
    table->kernel = kernel;
}

static void set_up(void *self)
{
    static const struct gravel_handler handlers[] = {
        {.name = "insert", .n_args = 2, .serve = {.n_keys = 1}},
        {.name = "upsert", .n_args = 2, .serve = {.n_keys = 1}},
        {.name = "find", .n_args = 2, .serve = {.n_keys = 1}},
    };
    struct hashtable *table = self;
    if (table->operation == HASHTABLE_FIND && table->n_keys / 2 >= hashtable_n_entries(table))
        die("--keys: half of %llu keys are in the table, which has room for %llu",
            (unsigned long long)table->n_keys, (unsigned long long)hashtable_n_entries(table));
    const uint64_t heap_bytes =
        4 * (2 * table->n_buckets + 3 * hashtable_n_entries(table)); /* as for a node alone */
    sections_open(&table->sections, &table->node, heap_bytes, "hashtable.cl", hashtable_cl,
                  handlers, 3);
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
    node_fill_heaps(&table->node, table->values, hashtable_n_entries(table), 0);
    if (table->operation == HASHTABLE_FIND)
        hashtable_fill(table);
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
    snprintf(trials->variant, sizeof trials->variant, "%s-%s", operations[table->operation],
             table->sections.form->name);
    snprintf(trials->input, sizeof trials->input, "%llu buckets, 2^%u operations",
             (unsigned long long)table->n_buckets, (unsigned)table->log_items);
    trials->work = (double)hashtable_n_entries(table);
    trials_add_number(trials, "buckets", table->n_buckets);
    trials_add_number(trials, "operations", hashtable_n_entries(table));
    trials_add_number(trials, "keys", table->n_keys);
    trials_add_number(trials, "groups", table->sections.n_groups);
}

static const struct app app = {
    .name = "hashtable",
    .unit = "operations/s",
    .doc = "Insert into a hash table of linked lists, count keys in it "
           "or search it, with a critical section for each list.",
    .group_items = SECTIONS_GROUP,
    .groups = {{"Problem:", 1, own_options, 0},
               SECTIONS_OPTIONS_GROUP(offsetof(struct hashtable, sections))},
    APP_FIELDS(struct hashtable),
    .open = set_up,
    .reset = reset,
    .run = operate,
    .describe = describe,
    .check = hashtable_check,
    .checked = "entries"};

int main(int argc, char **argv)
{
    struct hashtable table = {.sections = SECTIONS_WITHOUT(" nested"),
                              .n_buckets = 1024,
                              .log_items = 20,
                              .n_keys = 4096};
    return app_main(&app, &table, argc, argv);
}
