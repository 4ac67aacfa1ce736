/* SPDX-License-Identifier: MIT */
/*
 * Feed the reader of sequences arbitrary bytes. The first byte chooses k, the second the process of
 * four and the least quality, the rest is the file, plain or gzip.
 *
 * Path: libFuzzer -> this -> apps/mer/sequence.h, pack.h
 * Owner: one in-memory file for the whole run.
 * Threads: one.
 *
 * Besides what the sanitizers see: a file that was read gives codes and counts that agree with what
 * was packed; one that was refused leaves nothing and comes with one line that starts with the
 * file's name.
 */
#include "mer/pack.h"
#include "mer/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_sequence: not so: %s\n", what);
    abort();
}

/* The path of an in-memory file that holds these bytes and nothing else. */
static const char *write_file(const uint8_t *bytes, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("sequence", MFD_CLOEXEC);
        require(file >= 0, "memfd_create works");
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    require(ftruncate(file, 0) == 0, "the file can be emptied");
    require(pwrite(file, bytes, size, 0) == (ssize_t)size, "the file can be written");
    return path;
}

/* K-mers of a file by another way than pack.c's: windows without anything unknown. */
static uint64_t count_windows(const char *path, const struct pack_share *share)
{
    char reason[SEQUENCE_REASON_BYTES];
    struct sequence sequence;
    uint64_t n = 0;
    struct sequence_file *file = sequence_open(path, share->least_quality, reason);
    require(file, "a file that was read opens again");
    while (sequence_next(file, &sequence))
        for (uint64_t i = 0, n_known = 0; i < sequence.n_bases; i++) {
            require(sequence.bases[i] <= BASE_NONE, "a base is a code");
            n_known = sequence.bases[i] == BASE_NONE ? 0 : n_known + 1;
            n += n_known >= share->k;
        }
    require(!sequence_has_failed(file), "a file that was read is read again");
    sequence_close(file);
    return n;
}

static void check_packed(const struct pack *pack, const struct pack_share *share, const char *path)
{
    uint64_t n_bits = 0;
    for (uint64_t i = 0; i < pack_bit_words(pack); i++)
        n_bits += (uint64_t)__builtin_popcountll(pack->starts[i]);
    require(n_bits == pack->n_kmers, "a bit for every k-mer");
    require(pack->n_records > 0, "a file has records");
    if (share->n_processes == 1)
        require(pack->n_kmers == count_windows(path, share), "one process has all k-mers");
}

static void check_refused(const struct pack *pack, const char *path, const char *reason)
{
    require(!pack->bases && !pack->starts && !pack->valid, "a refused file leaves nothing");
    require(strncmp(reason, path, strlen(path)) == 0, "the reason names the file");
    require(!strchr(reason, '\n'), "the reason is one line");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    char reason[SEQUENCE_REASON_BYTES];
    struct pack pack = {0};
    struct pack_share share = {.k = data[0] % 63 + 1,
                               .n_processes = data[1] % 4 + 1,
                               .number = data[1] / 4 % (data[1] % 4 + 1),
                               .least_quality = data[1] / 16};
    const char *path = write_file(data + 2, size - 2);
    if (pack_file(&pack, path, &share, reason))
        check_packed(&pack, &share, path);
    else
        check_refused(&pack, path, reason);
    pack_free(&pack);
    return 0;
}
