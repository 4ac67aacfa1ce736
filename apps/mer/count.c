/* SPDX-License-Identifier: MIT */
/*
 * This node's part: its text, the kernel that sends k-mers, and the handler that counts those it
 * owns.
 *
 * Path: mer.c -> pack.c -> mer.cl -> count_kmer at the owner -> table.c
 * Owner: see mer.h.
 * Threads: main's; count_kmer is the network thread's.
 */
#include "mer.h"
#include "pack.h"
#include "sequence.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 2 k bits of k-mer and 6 of its neighbours. */
static unsigned n_args(const struct mer *mer)
{
    return (unsigned)(2 * mer->k + 6 + 63) / 64;
}

/* What was not sent is 0. */
static int count_at(void *user, uint32_t number, const uint64_t *args)
{
    struct mer *mer = user;
    struct kmer kmer = {.high = args[1] >> 6 | args[2] << 58, .low = args[0] >> 6 | args[1] << 58};
    return table_insert(&mer->tables[number], kmer, args[0] >> 3 & 7, args[0] & 7) ? 0 : ENOMEM;
}

/* An active message. */
static int count_kmer(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)source;
    return count_at(user, gravel_node(gravel), args);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void upload(struct mer *mer, const struct pack *pack)
{
    struct node *node = &mer->node;
    size_t bits_bytes = pack_bit_words(pack) * sizeof(cl_ulong);
    mer->bases = node_array(node, pack_base_words(pack) * sizeof(cl_ulong), pack->bases);
    mer->starts = node_array(node, bits_bytes, pack->starts);
    mer->valid = node_array(node, bits_bytes, pack->valid);
}

static void read_input(struct mer *mer)
{
    char reason[SEQUENCE_REASON_BYTES];
    struct pack pack;
    struct pack_share share = {.number = mer->node.number,
                               .n_processes = mer->node.n_processes,
                               .k = (unsigned)mer->k,
                               .least_quality = (unsigned)mer->least_quality};
    double begin_s = trials_clock();
    if (!pack_file(&pack, mer->path, &share, reason))
        die("%s", reason);
    mer->read_s = trials_clock() - begin_s;
    mer->n_places = pack.n_places;
    mer->n_records = pack.n_records;
    mer->n_bases = pack.n_bases;
    upload(mer, &pack);
    mer->n_kmers = node_sum(&mer->node, pack.n_kmers);
    pack_free(&pack);
}

static cl_kernel make_kernel(struct mer *mer, const char *name)
{
    cl_kernel kernel = node_kernel(&mer->node, name);
    NODE_SET(kernel, 2, cl_mem, mer->bases);
    NODE_SET(kernel, 3, cl_mem, mer->starts);
    NODE_SET(kernel, 4, cl_mem, mer->valid);
    return kernel;
}

static void build(struct mer *mer)
{
    extern const char mer_cl[];
    char defines[64];
    snprintf(defines, sizeof defines, "-DK=%u -DN_ARGS=%u", (unsigned)mer->k, n_args(mer));
    node_build(&mer->node, "mer.cl", mer_cl, defines);
    mer->count.one = make_kernel(mer, "count_kmers");
    mer->count.several = make_kernel(mer, "count_several");
}

void mer_open(void *self)
{
    struct mer *mer = self;
    struct gravel_handler handler = {
        .name = "count_kmer", .n_args = n_args(mer), .function = count_kmer, .user = mer};
    if (!mer->path)
        die("no sequences: give -f FILE");
    mer->node.handlers = &handler;
    mer->node.n_handlers = 1;
    mer->node.call = count_at;
    mer->node.call_user = mer;
    node_open(&mer->node, 0);
    mer->tables = app_array(mer->node.n_nodes, sizeof *mer->tables, "the tables");
    read_input(mer);
    if (mer->per_item == 0)
        mer->per_item = node_derive_each(&mer->node, mer->n_places);
    build(mer);
}

void mer_close(void *self)
{
    struct mer *mer = self;
    node_close(&mer->node);
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        table_free(&mer->tables[i]);
    free(mer->tables);
}

/* ---- counting -------------------------------------------------------------------------------- */

void mer_reset(void *self)
{
    struct mer *mer = self;
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        table_free(&mer->tables[i]);
    node_barrier(&mer->node);
}

void mer_count(void *self)
{
    struct mer *mer = self;
    const struct node_bound bound = {.n_messages = 1, .message_bytes = 8 * n_args(mer)};
    node_send_each(&mer->node, &mer->count, mer->n_places, (uint32_t)mer->per_item, bound);
    node_barrier(&mer->node);
    /* The barrier has ended the network thread's insertions; what they put off is ours. */
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        if (!table_finish(&mer->tables[i]))
            die_alone("no memory for more than %llu k-mers at node %u",
                      (unsigned long long)table_n_used(&mer->tables[i]), i);
    node_barrier(&mer->node);
}

void mer_sum(struct mer *mer)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        n += table_n_used(&mer->tables[i]);
    mer->n_distinct = node_sum(&mer->node, n);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void write_entry(FILE *out, const struct table_entry *entry, unsigned k)
{
    char letters[MAX_K + 1];
    for (unsigned i = 0; i < k; i++) {
        unsigned shift = 2 * (k - 1 - i);
        uint64_t word = shift < 64 ? entry->kmer.low : entry->kmer.high;
        letters[i] = "ACGT"[word >> shift % 64 & 3];
    }
    fprintf(out, "%.*s\t%u", (int)k, letters, entry->count);
    for (unsigned base = 0; base < 4; base++)
        fprintf(out, "\t%u", entry->left[base]);
    for (unsigned base = 0; base < 4; base++)
        fprintf(out, "\t%u", entry->right[base]);
    fputc('\n', out);
}

static void write_table(FILE *out, const struct table *table, unsigned k)
{
    for (unsigned i = 0; i < TABLE_N_SHARDS; i++)
        for (uint64_t j = 0; j < table->shards[i].capacity; j++)
            if (table->shards[i].entries[j].count)
                write_entry(out, &table->shards[i].entries[j], k);
}

/* What is not whole has no name that looks so, and does not stay. */
static _Noreturn void fail_to_write(const char *path, const char *part)
{
    int error = errno;
    unlink(part);
    die_alone("%s: cannot write: %s", path, strerror(error));
}

static bool write_tables(const struct mer *mer, const char *path)
{
    FILE *out = fopen(path, "we");
    if (!out)
        return false;
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        write_table(out, &mer->tables[i], (unsigned)mer->k);
    bool was_written = fflush(out) == 0 && !ferror(out);
    return fclose(out) == 0 && was_written;
}

void mer_write(const struct mer *mer)
{
    char path[PATH_MAX], part[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.%u", mer->output, mer->node.number);
    snprintf(part, sizeof part, "%s.part",
             path); /* of a name that did not fit this is too long to open */
    if (!write_tables(mer, part) || rename(part, path))
        fail_to_write(path, part);
}
