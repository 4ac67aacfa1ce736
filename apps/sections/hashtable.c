/* SPDX-License-Identifier: MIT */
/*
 * Insertions into a hash table of linked lists, which is spread over all nodes, with a critical section for each list.
 *
 * Path:    main -> form.c -> hashtable.cl -> check
 * Source:  Wang, Fussell, Lin 2019, section 4 (HT).
 */
#include "frame/random.h"
#include "sections/form.h"

#include <stdlib.h>

extern const char hashtable_cl[];

enum { HEADS, NEXT, LOCKS };

struct hashtable {
    struct options options;
    struct node node;
    struct sections sections;
    uint64_t n_buckets; /* of all nodes, a power of two */
    uint64_t
        log_items; /* log2 of the operations of all nodes; as many entries has each node room for */
    uint64_t n, n_own; /* operations of all nodes; those that this process sends */
    cl_kernel insert;
};

/* Returns the key of an operation of all nodes. */
static uint32_t key_of(const struct hashtable *table, uint64_t i)
{
    return (uint32_t)(random_at(random_key(table->options.seed), i) >> 32);
}

static void set_up(void *self)
{
    static const struct gravel_handler handler = {
        .name = "insert", .n_args = 2, .serve = {.n_keys = 1}};
    struct hashtable *table = self;
    const uint64_t n = table->n = UINT64_C(1) << table->log_items, n_buckets = table->n_buckets;
    uint64_t first;
    sections_open(
        &table->sections, &table->node,
        &(struct sections_program){
            "hashtable.cl", hashtable_cl, &handler, 1, {4 * n_buckets, 4 * n, 4 * n_buckets}});
    TRY(gravel_share(table->node.gravel, n, &first, &table->n_own));
    cl_uint *keys = app_array(table->n_own, sizeof *keys, "keys");
    for (uint64_t i = 0; i < table->n_own; i++)
        keys[i] = key_of(table, first + i);
    table->insert = sections_kernel_of_form(&table->sections, "insert");
    SECTIONS_SET(&table->sections, table->insert,
                 ARRAY(node_upload(&table->node, table->n_own * sizeof *keys, keys)),
                 UINT(n_buckets - 1), UINT(first));
}

static void reset(void *self)
{
    struct hashtable *table = self;
    node_fill_heaps(&table->node, table->sections.at[HEADS], table->n_buckets, 0);
    node_fill_heaps(&table->node, table->sections.at[LOCKS], table->n_buckets, 0);
}

static void run(void *self)
{
    struct hashtable *table = self;
    sections_run(&table->sections, table->insert, table->n_own);
    TRY(gravel_barrier(table->node.gravel));
}

static void describe(void *self, struct trials *trials)
{
    const struct hashtable *table = self;
    snprintf(trials->input, sizeof trials->input, "%llu buckets, 2^%u operations",
             (unsigned long long)table->n_buckets, (unsigned)table->log_items);
    sections_describe(&table->sections, trials, table->n);
}

/* ---- check --------------------------------------------------------------------------------------- */

static uint64_t bucket_of(const struct hashtable *table, uint64_t entry)
{
    return key_of(table, entry) & (table->n_buckets - 1);
}

/* Counts entries in a wrong list of a node, and how many there are too few or too many; a list that ends has none twice. */
static uint64_t check_node(const struct hashtable *table, uint32_t number)
{
    const uint32_t n_nodes = table->node.n_nodes;
    cl_uint *heads = sections_read(&table->sections, HEADS, 4 * table->n_buckets, number);
    cl_uint *next = sections_read(&table->sections, NEXT, 4 * table->n, number);
    uint64_t n_wrong = 0, n_met = 0, n_due = 0;
    for (uint64_t i = 0; i < table->n; i++)
        n_due += bucket_of(table, i) % n_nodes == number;
    for (uint64_t bucket = number; bucket < table->n_buckets; bucket += n_nodes)
        for (uint32_t at = heads[bucket / n_nodes]; at && n_met <= n_due; n_met++) {
            n_wrong += at > table->n || bucket_of(table, at - 1) != bucket;
            at = at > table->n ? 0 : next[at - 1];
        }
    free(heads);
    free(next);
    return n_wrong + (n_met > n_due ? n_met - n_due : n_due - n_met);
}

static uint64_t check(void *self, struct trials *trials)
{
    const struct hashtable *table = self;
    uint64_t n_wrong = 0;
    (void)trials;
    for (uint32_t i = 0; i < table->node.n_local; i++)
        n_wrong += check_node(table, table->node.number + i);
    return n_wrong;
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app_option own_options[] = {
    {"buckets", 0, "N", "Lists of all nodes together, a power of two (1024)",
     OPTION_POWER(struct hashtable, n_buckets, 1, UINT64_C(1) << 28)},
    {"items", 0, "LOG2", "All nodes together make 2^LOG2 operations (20)",
     OPTION_NUMBER(struct hashtable, log_items, 0, 28)},
    {0}};

static const struct app app = {
    .name = "hashtable",
    .unit = "operations/s",
    .doc = "Insert into a hash table of linked lists, with a critical section for each list.",
    SECTIONS_APP(struct hashtable, {"Problem:", 1, own_options, 0})};

int main(int argc, char **argv)
{
    struct hashtable table = {.n_buckets = 1024, .log_items = 20};
    return app_main(&app, &table, argc, argv);
}
