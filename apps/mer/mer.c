/* SPDX-License-Identifier: MIT */
/*
 * Count the k-mers of sequences, and the bases next to them, in a hash table that is spread over all nodes.
 *
 * Path: main -> kmers.c (the whole text) -> share_text, count_kmers (mer.cl) -> fetch -> the check -> report, OUTPUT.NUMBER
 * Source: Chapman et al., Meraculous: de novo genome assembly with short paired-end reads, 2011;
 * Orr 2016, section 5.4.
 */
#include "kmers.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FETCHED_ENTRIES UINT64_C(65536) /* copied at once */

/* mer.cl has the same. */
struct entry {
    cl_uint key[2], counts[9], unused[5];
};

struct mer {
    struct kmers kmers;
    const char *output;   /* NULL for none */
    uint64_t n_entries;   /* of this node's table */
    uint64_t table, text; /* heap offsets, of one allocation, which begins with the table */
    uint64_t heap_bytes;  /* of both */
    uint64_t n_words;     /* of the text that this process shares out */
    cl_kernel share, count;
};

/* ---- open ------------------------------------------------------------------------------------ */

/* A heap is sized when its node opens: a first node says among how many the table is spread. */
static void open_all(void *self)
{
    struct mer *mer = self;
    struct node *node = &mer->kmers.node;
    uint64_t first;
    kmers_read(&mer->kmers);
    const uint64_t n_named = UINT64_C(1) << 2 * mer->kmers.k, n_kmers = mer->kmers.n_kmers;
    node_open(node, 0);
    /* Two entries for each k-mer that may be there, so that probes are short. */
    mer->n_entries = 2 * (n_named < n_kmers ? n_named : n_kmers) / node->n_processes + 64;
    const uint64_t table_bytes = mer->n_entries * sizeof(struct entry);
    mer->heap_bytes = table_bytes + kmers_text_bytes(&mer->kmers);
    node_close(node);
    node_open(node, mer->heap_bytes);
    kmers_build(&mer->kmers, "");
    TRY(gravel_alloc(node->gravel, mer->heap_bytes, &mer->table));
    mer->text = mer->table + table_bytes;
    TRY(gravel_share(node->gravel, kmers_text_bytes(&mer->kmers) / sizeof(cl_ulong), &first,
                     &mer->n_words));
    mer->share = node_kernel(node, "share_text");
    NODE_SET(mer->share, 2,
             ARRAY(node_array(node, mer->n_words * sizeof(cl_ulong),
                              (const uint64_t *)mer->kmers.text + first)),
             ULONG(mer->text), ULONG(first), UINT(node->n_local));
    mer->count = node_kernel(node, "count_kmers");
    NODE_SET(mer->count, 1, ULONG(mer->text), ULONG(mer->kmers.n_places), ULONG(mer->table),
             ULONG(mer->n_entries), UINT(node->number), UINT(node->n_local));
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Clears the text too, so that each trial is of what it has sent. */
static void reset(void *self)
{
    struct mer *mer = self;
    const cl_ulong zero = 0;
    struct node *node = &mer->kmers.node;
    TRY(gravel_fill(node->gravel, mer->table, mer->heap_bytes, &zero, sizeof zero, node->number));
}

static void count(void *self)
{
    struct mer *mer = self;
    struct node *node = &mer->kmers.node;
    const struct node_bound bound = {.n_messages = node->n_nodes, .message_bytes = 12};
    node_send(node, mer->share, mer->n_words, bound);
    TRY(gravel_barrier(node->gravel));
    node_enqueue(node, mer->count, mer->kmers.n_places, node->group_items);
    node_finish(node);
    TRY(gravel_barrier(node->gravel));
}

/* Has what was counted in mer->kmers; dies unless each k-mer of the text has found an entry. Collective. */
static void fetch(struct mer *mer)
{
    struct node *node = &mer->kmers.node;
    uint64_t n_found = 0;
    mer->kmers.n_counts = 0;
    for (uint64_t first = 0, n; first < mer->n_entries; first += n) {
        void *entries;
        n = mer->n_entries - first < FETCHED_ENTRIES ? mer->n_entries - first : FETCHED_ENTRIES;
        TRY(gravel_map(node->gravel, mer->table + first * sizeof(struct entry),
                       n * sizeof(struct entry), CL_MAP_READ, node->number, &entries));
        for (const struct entry *entry = entries; entry < (struct entry *)entries + n; entry++) {
            struct kmer_count count = {0};
            if (!entry->key[0])
                continue;
            for (int i = 0; i < 2; i++)
                count.kmer |= (uint64_t)(entry->key[i] & INT32_MAX) << 31 * i;
            for (int i = 0; i < 5; i++)
                n_found += entry->counts[i];
            memcpy(count.counts, entry->counts, sizeof count.counts);
            kmers_add(&mer->kmers, &count);
        }
        TRY(gravel_unmap(node->gravel, entries));
    }
    if (node_sum(node, n_found) != mer->kmers.n_kmers)
        die("a table of %" PRIu64 " entries on each node's device is full", mer->n_entries);
}

/* ---- output -------------------------------------------------------------------------------------- */

static void write_count(FILE *file, const struct kmer_count *count, unsigned k)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < k; i++)
        fputc("ACGT"[count->kmer >> 2 * (k - 1 - i) & 3], file);
    for (unsigned i = 0; i < 5; i++)
        n += count->counts[i];
    fprintf(file, "\t%" PRIu64, n);
    for (unsigned i = 0; i < 9; i++)
        if (i != 4)
            fprintf(file, "\t%u", count->counts[i]);
    fputc('\n', file);
}

/* Writes this process's k-mers; or dies, and leaves no file. */
static void write_output(const struct mer *mer)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.%u", mer->output, (unsigned)mer->kmers.node.number);
    FILE *file = fopen(path, "we");
    for (uint64_t i = 0; file && i < mer->kmers.n_counts; i++)
        write_count(file, &mer->kmers.counts[i], (unsigned)mer->kmers.k);
    const bool is_written = file && !ferror(file);
    if (file && fclose(file) == 0 && is_written)
        return;
    const int error = errno;
    if (file)
        unlink(path);
    die_alone("%s: cannot write: %s", path, strerror(error));
}

static const struct app_option own_options[] = {
    {"output", 'o', "FILE", "Write FILE.0, FILE.1 ...: k-mer, count, A C G T before, and after",
     OPTION_WORD(struct mer, output)},
    {0}};

static void result(void *self, struct trials *trials)
{
    struct mer *mer = self;
    fetch(mer);
    if (mer->output)
        write_output(mer);
    kmers_result(&mer->kmers, trials);
}

int main(int argc, char **argv)
{
    struct mer mer = {0};
    const struct app app = {.doc = "Count the k-mers of sequences in a table that is spread "
                                   "over all nodes, and say how many a second were counted.",
                            .groups[1] = {"Table:", 2, own_options, 0},
                            .open = open_all,
                            .reset = reset,
                            .run = count,
                            .result = result,
                            .close = kmers_free};
    return kmers_main(app, &mer.kmers, argc, argv);
}
