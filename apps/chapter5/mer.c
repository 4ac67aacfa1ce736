/* SPDX-License-Identifier: MIT */
/*
 * Counting k-mers as the dissertation measures it: each is an active message, in any model's way, to the node that its hash
 * names, where a function of the host counts it in a hash table.
 *
 * apps/mer has the fast form, the reader and the check.
 *
 * Path:    main -> open_node -> count -> mer/mer.cl -> count_kmer at the owner -> result -> check
 * Owner:   open_node makes what close_node and node_close free.
 * Threads: main's; the table is the network thread's between a launch and the next barrier.
 * Source:  Chapman et al., Meraculous, 2011; Orr 2016, section 5.4.
 */
#include "mer/kmers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NO_NEIGHBOUR 4
#define N_PENDING 16
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

struct message {
    uint64_t kmer, hash;
    uint32_t left, right;
};

struct mer {
    struct kmers kmers;
    struct gravel_handler handler;
    uint64_t first, n_places; /* of the text: this process's */
    /* Open addressing, with room for twice the k-mers of a node. An entry with a sum of 0 before it is free. A message is
     * counted when N_PENDING more have come, and the processor has fetched its entry. */
    struct kmer_count *entries; /* [n_entries] */
    uint64_t n_entries;
    struct message pending[N_PENDING];
    uint64_t n_given; /* messages so far */
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

static struct kmer_count *entry_at(const struct mer *mer, uint64_t hash)
{
    return &mer->entries[(hash & UINT32_MAX) * mer->n_entries >> 32];
}

static void apply(const struct mer *mer, const struct message *message)
{
    struct kmer_count *entry = entry_at(mer, message->hash);
    while (entry->kmer != message->kmer && !is_free(entry))
        if (++entry == mer->entries + mer->n_entries)
            entry = mer->entries;
    entry->kmer = message->kmer;
    entry->counts[message->left]++;
    if (message->right != NO_NEIGHBOUR)
        entry->counts[5 + message->right]++;
}

/* Counts an active message of mer.cl: the k-mer, and what is before and after it. */
static int count_kmer(struct gravel *gravel, void *user, uint32_t source, const uint64_t *words)
{
    struct mer *mer = user;
    struct message *message = &mer->pending[mer->n_given % N_PENDING];
    (void)gravel, (void)source;
    if (mer->n_given++ >= N_PENDING)
        apply(mer, message);
    message->kmer = words[0];
    message->hash = kmer_hash(message->kmer);
    message->left = (uint32_t)words[1] >> 3;
    message->right = words[1] & 7;
    __builtin_prefetch(entry_at(mer, message->hash), 1);
    return 0;
}

/* ---- open and close -------------------------------------------------------------------------- */

static struct kmer_count *make_entries(uint64_t n)
{
    const size_t bytes =
        (n * sizeof(struct kmer_count) + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    void *entries = aligned_alloc(HUGE_PAGE_BYTES, bytes);
    if (!entries)
        die("no memory for a table of %llu k-mers", (unsigned long long)n);
    madvise(entries, bytes, MADV_HUGEPAGE); /* or most prefetches wait for the TLB */
    return entries;
}

static void open_node(void *self)
{
    struct mer *mer = self;
    struct node *node = &mer->kmers.node;
    kmers_read(&mer->kmers);
    mer->handler = (struct gravel_handler){
        .name = "count_kmer", .n_args = 2, .function = count_kmer, .user = mer};
    node->bindings.handlers = &mer->handler;
    node->bindings.n_handlers = 1;
    node_open(node, 0);
    if (node->n_local > 1)
        die("loop-back nodes would have no table of their own: unset GRAVEL_LOOPBACK");
    kmers_build(&mer->kmers, "-DMODELS");
    mer->n_entries = 2 * mer->kmers.n_kmers / node->n_nodes + 1024;
    mer->entries = make_entries(mer->n_entries);
    TRY(gravel_share(node->gravel, mer->kmers.n_places, &mer->first, &mer->n_places));
    mer->count = node_kernel(node, "send_kmers");
    NODE_SET(mer->count, 2, ARRAY(node_array(node, kmers_text_bytes(&mer->kmers), mer->kmers.text)),
             ULONG(mer->first));
}

static void close_node(void *self)
{
    struct mer *mer = self;
    free(mer->entries);
    kmers_free(&mer->kmers);
}

/* ---- a trial --------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct mer *mer = self;
    memset(mer->entries, 0, mer->n_entries * sizeof(struct kmer_count));
}

static void count(void *self)
{
    struct mer *mer = self;
    struct node *node = &mer->kmers.node;
    const struct node_bound bound = {.n_messages = 1, .message_bytes = 16};
    node_send(node, mer->count, mer->n_places, bound);
    TRY(gravel_barrier(node->gravel));
    /* The barrier has ended the network thread's insertions; what they put off is ours. */
    for (uint64_t i = 0; i < N_PENDING && i < mer->n_given; i++)
        apply(mer, &mer->pending[i]);
    mer->n_given = 0;
    TRY(gravel_barrier(node->gravel));
}

static void result(void *self, struct trials *trials)
{
    struct mer *mer = self;
    mer->kmers.n_counts = 0;
    for (uint64_t i = 0; i < mer->n_entries; i++)
        if (!is_free(&mer->entries[i]))
            kmers_add(&mer->kmers, &mer->entries[i]);
    kmers_result(&mer->kmers, trials);
}

int main(int argc, char **argv)
{
    struct mer mer = {0};
    const struct app app = {.doc = "Count the k-mers of sequences by a message for each, and "
                                   "say how many a second were counted.",
                            .has_models = true,
                            .open = open_node,
                            .reset = reset,
                            .run = count,
                            .result = result,
                            .close = close_node};
    return kmers_main(app, &mer.kmers, argc, argv);
}
