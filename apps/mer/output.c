/* SPDX-License-Identifier: MIT */
/*
 * A process's part of the k-mers, as the file NAME.NUMBER: written whole, or not at all.
 *
 * It is NAME.NUMBER.part until all nodes have written theirs. Runs with one name at one time are not told from each other.
 *
 * Path:    mer.c -> this -> the file
 * Owner:   this, of one file a process.
 * Threads: main's.
 */
#include "kmers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    FILE *file;
    char path[PATH_MAX], part[PATH_MAX + 8];
} out;

static void drop(void)
{
    if (out.file)
        unlink(out.part);
}

static void check(bool is_right)
{
    if (!is_right)
        die_alone("%s: cannot write: %s", out.path, strerror(errno));
}

void output_open(const char *path, uint32_t number)
{
    snprintf(out.path, sizeof out.path, "%s.%u", path, number);
    snprintf(out.part, sizeof out.part, "%s.part", out.path);
    out.file = fopen(out.part, "we");
    check(out.file);
    at_quick_exit(drop);
}

static void write_count(const struct kmer_count *count, unsigned k)
{
    char letters[MAX_K + 1];
    uint64_t n = 0;
    for (unsigned i = 0; i < k; i++)
        letters[i] = "ACGT"[(unsigned)(count->kmer >> 2 * (k - 1 - i)) & 3];
    for (unsigned i = 0; i < 5; i++)
        n += count->counts[i];
    fprintf(out.file, "%.*s\t%llu", (int)k, letters, (unsigned long long)n);
    for (unsigned i = 0; i < 9; i++)
        if (i != 4)
            fprintf(out.file, "\t%u", count->counts[i]);
    fputc('\n', out.file);
}

void output_write(const struct kmers *kmers, struct node *node)
{
    for (uint64_t i = 0; i < kmers->n_counts; i++)
        write_count(&kmers->counts[i], (unsigned)kmers->k);
    check(!ferror(out.file) && fflush(out.file) == 0 && fsync(fileno(out.file)) == 0);
    TRY(gravel_barrier(node->gravel));
    check(rename(out.part, out.path) == 0);
    fclose(out.file);
    out.file = NULL;
}
