/* SPDX-License-Identifier: MIT */
/*
 * The tables of this process as a file of lines.
 *
 * Path: mer.c -> this -> OUTPUT.NUMBER
 * Owner: see mer.h.
 * Threads: main's.
 */
#include "mer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
