/* SPDX-License-Identifier: MIT */
/*
 * Counting k-mers as the dissertation measures it: each is an active message, in any model's way, to the node that its hash
 * names, where a function of the host counts it in a hash table.
 *
 * apps/mer has the fast form, the reader and the check.
 *
 * Path:    main -> open_node -> count -> mer.cl -> count_kmer at the owner -> result -> check
 * Owner:   open_node makes what close_node and node_close free.
 * Threads: main's; a table is the network thread's between a launch and the next barrier.
 * Source:  Chapman et al., Meraculous, 2011; Orr 2016, section 5.4.
 */
#include "mer/kmers.h"

#include <stdlib.h>
#include <string.h>

#define NO_NEIGHBOUR 4

struct mer {
    struct options options;
    struct kmers kmers;
    struct node node;
    uint64_t first, n_places; /* of the text: this process's */
    uint64_t n_entries;       /* of a table: twice the k-mers of a node */
    /* [n_nodes] open addressing, an entry with a sum of 0 before it is free; NULL for nodes of other processes */
    struct kmer_count **tables;
    cl_kernel count;
};

/* ---- a node's table -------------------------------------------------------------------------- */

static bool is_free(const struct kmer_count *entry)
{
    uint32_t sum = 0;
    for (int i = 0; i < 5; i++)
        sum |= entry->counts[i];
    return sum == 0;
}

/* Counts a message of mer.cl; words that it did not send are 0. */
static int count_at(void *user, uint32_t number, const uint64_t *words)
{
    const struct mer *mer = user;
    const kmer_word kmer =
        (kmer_word)words[0] >> 6 | (kmer_word)words[1] << 58 | (kmer_word)words[2] << 122;
    const uint32_t left = words[0] >> 3 & 7, right = words[0] & 7;
    uint64_t i = (kmer_hash(kmer) & UINT32_MAX) * mer->n_entries >> 32;
    struct kmer_count *entries = mer->tables[number];
    while (entries[i].kmer != kmer && !is_free(&entries[i]))
        i = i + 1 < mer->n_entries ? i + 1 : 0;
    entries[i].kmer = kmer;
    entries[i].counts[left]++;
    if (right != NO_NEIGHBOUR)
        entries[i].counts[5 + right]++;
    return 0;
}

/* An active message. */
static int count_kmer(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)source;
    return count_at(user, gravel_node(gravel), args);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void open_node(void *self)
{
    extern const char mer_cl[];
    struct mer *mer = self;
    struct node *node = &mer->node;
    char options[64];
    kmers_read(&mer->kmers);
    const uint32_t n_words = (2 * (uint32_t)mer->kmers.k + 6 + 63) / 64;
    const struct gravel_handler handler = {
        .name = "count_kmer", .n_args = n_words, .function = count_kmer, .user = mer};
    node->bindings.handlers = &handler;
    node->bindings.n_handlers = 1;
    node->call = count_at;
    node->call_user = mer;
    node_open(node, 0);
    kmers_agree(&mer->kmers, node);
    mer->n_entries = 2 * mer->kmers.n_kmers / node->n_nodes + 1024;
    mer->tables = app_array(node->n_nodes, sizeof *mer->tables, "the tables");
    for (uint32_t i = 0; i < node->n_local; i++)
        mer->tables[node->number + i] =
            app_array(mer->n_entries, sizeof **mer->tables, "a table of k-mers");
    TRY(gravel_share(node->gravel, mer->kmers.n_places, &mer->first, &mer->n_places));
    snprintf(options, sizeof options, "-DK=%u -DN_WORDS=%u", (unsigned)mer->kmers.k, n_words);
    node_build(node, "mer.cl", mer_cl, options);
    mer->count = node_kernel(node, "count_kmers");
    NODE_SET(mer->count, 2, ARRAY(node_array(node, kmers_text_bytes(&mer->kmers), mer->kmers.text)),
             ULONG(mer->first));
}

static void close_node(void *self)
{
    struct mer *mer = self;
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        free(mer->tables[i]);
    free(mer->tables);
    kmers_free(&mer->kmers);
}

/* ---- a trial --------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct mer *mer = self;
    for (uint32_t i = 0; i < mer->node.n_local; i++)
        memset(mer->tables[mer->node.number + i], 0, mer->n_entries * sizeof **mer->tables);
    TRY(gravel_barrier(mer->node.gravel));
}

static void count(void *self)
{
    struct mer *mer = self;
    const struct node_bound bound = {.n_messages = 1,
                                     .message_bytes = (2 * (uint32_t)mer->kmers.k + 69) / 64 * 8};
    node_send(&mer->node, mer->count, mer->n_places, bound);
    TRY(gravel_barrier(mer->node.gravel));
}

/* ---- the program ----------------------------------------------------------------------------- */

static void describe(void *self, struct trials *trials)
{
    kmers_describe(&((struct mer *)self)->kmers, trials);
}

static void result(void *self, struct trials *trials)
{
    struct mer *mer = self;
    mer->kmers.n_counts = 0;
    for (uint32_t i = 0; i < mer->node.n_local; i++) {
        const struct kmer_count *entries = mer->tables[mer->node.number + i];
        for (uint64_t j = 0; j < mer->n_entries; j++)
            if (!is_free(&entries[j]))
                kmers_add(&mer->kmers, &entries[j]);
    }
    kmers_result(&mer->kmers, &mer->node, trials);
}

static uint64_t check(void *self, struct trials *trials)
{
    return kmers_check(&((struct mer *)self)->kmers, trials);
}

static const struct app app = {
    .name = "mer",
    .unit = "k-mers/s",
    .doc = "Count the k-mers of sequences by a message for each, and "
           "say how many a second were counted.",
    .groups = {{"K-mers:", 1, kmers_options, offsetof(struct mer, kmers)}},
    .has_models = true,
    APP_FIELDS(struct mer),
    .open = open_node,
    .reset = reset,
    .run = count,
    .describe = describe,
    .result = result,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct mer mer = {.kmers.k = 31};
    return app_main(&app, &mer, argc, argv);
}
