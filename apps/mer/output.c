/* SPDX-License-Identifier: MIT */
/*
 * A process's part of the k-mers, as the file NAME.NUMBER: written whole, or not at all.
 *
 * It is written to NAME.NUMBER.part, which is this run's while it is open, by a lock: another run with that name is
 * refused, and one that was killed leaves a file that the next one takes over. Parts get their names once all nodes have
 * written theirs, so that no two runs' parts are next to each other.
 *
 * Path:    mer.c -> this -> the file
 * Owner:   this, of one file a process.
 * Threads: main's.
 */
#include "mer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    FILE *file;
    char path[PATH_MAX],
        part[PATH_MAX + 8]; /* of a name that does not fit this is too long to open */
} out;

static void drop(void)
{
    if (out.file)
        unlink(out.part);
}

static _Noreturn void fail(const char *cause)
{
    die_alone("%s: cannot write: %s", out.path, cause);
}

/* Whether the name still leads there: the run that had the lock may have given the file its own name. */
static bool is_there(int descriptor)
{
    struct stat own, there;
    return fstat(descriptor, &own) == 0 && stat(out.part, &there) == 0 &&
           own.st_ino == there.st_ino && own.st_dev == there.st_dev;
}

/* Opens the file, and locks it. Where there are no locks, one that is there already is another run's. */
static int take(void)
{
    int descriptor = open(out.part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const bool is_new = descriptor >= 0;
    if (!is_new && errno == EEXIST)
        descriptor = open(out.part, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        fail(strerror(errno));
    const bool is_locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if ((!is_locked && (!is_new || errno == EWOULDBLOCK)) || !is_there(descriptor))
        fail("another run is writing it");
    return descriptor;
}

void output_open(const struct mer *mer)
{
    snprintf(out.path, sizeof out.path, "%s.%u", mer->output, mer->node.number);
    snprintf(out.part, sizeof out.part, "%s.part", out.path);
    out.file = fdopen(take(), "w");
    at_quick_exit(drop);
    if (!out.file || ftruncate(fileno(out.file), 0))
        fail(strerror(errno));
}

static void write_entry(const struct table_entry *entry, unsigned k)
{
    char letters[MAX_K + 1];
    for (unsigned i = 0; i < k; i++) {
        unsigned shift = 2 * (k - 1 - i);
        uint64_t word = shift < 64 ? entry->kmer.low : entry->kmer.high;
        letters[i] = "ACGT"[word >> shift % 64 & 3];
    }
    fprintf(out.file, "%.*s\t%u", (int)k, letters, entry->count);
    for (unsigned base = 0; base < 4; base++)
        fprintf(out.file, "\t%u", entry->left[base]);
    for (unsigned base = 0; base < 4; base++)
        fprintf(out.file, "\t%u", entry->right[base]);
    fputc('\n', out.file);
}

/* A file of that number is left from a larger job. */
static void tell_of_others(const struct mer *mer)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.%u", mer->output, mer->node.n_processes);
    if (mer->node.number == 0 && access(path, F_OK) == 0)
        fprintf(stderr, "%s: %s is of an earlier run on more nodes, as any of a larger number is\n",
                program_invocation_short_name, path);
}

void output_write(const struct mer *mer)
{
    for (uint32_t i = 0; i < mer->node.n_nodes * TABLE_N_SHARDS; i++) {
        const struct table_shard *shard =
            &mer->tables[i / TABLE_N_SHARDS].shards[i % TABLE_N_SHARDS];
        for (uint64_t j = 0; j < shard->capacity; j++)
            if (shard->entries[j].count)
                write_entry(&shard->entries[j], (unsigned)mer->k);
    }
    if (fflush(out.file) || fsync(fileno(out.file)))
        fail(strerror(errno));
    if (ferror(out.file))
        fail("a part could not be written");
    TRY(gravel_barrier(mer->node.gravel));
    if (rename(out.part, out.path))
        fail(strerror(errno));
    fclose(out.file);
    out.file = NULL;
    tell_of_others(mer);
}
