/* SPDX-License-Identifier: MIT */
/*
 * Sequences of a FASTA or FASTQ file, plain or gzip, one after the other.
 *
 * Path: pack.c, reference.c -> this -> <htslib/kseq.h> -> frame/infile.h
 * Owner: the caller of open, who closes it; a record's strings are the reader's until the next one.
 * Threads: one at a time.
 *
 * What is wrong ends the process: "PATH: record N 'name': reason". kseq is forgiving; what it would pass over is refused
 * here: a file that begins with something else, text between records, a FASTQ record without its quality, a base that is
 * none.
 */
#ifndef APPS_SEQUENCE_H
#define APPS_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bases of a record at most, so that kseq's ints hold them [bytes]. */
#define SEQUENCE_MAX_BYTES (UINT64_C(1) << 30)

/* What stands between bases: unknown ones, gaps, bases of bad quality. */
#define BASE_NONE 4

struct sequence {
    const char *name;
    size_t n_bases;
    const uint8_t *bases; /* [n_bases] A 0, C 1, G 2, T 3, or BASE_NONE */
};

/** Open. `path` is kept, not copied. */
struct sequence_file *sequence_open(const char *path, unsigned least_quality);

/** Read the next sequence. @return  false at the end. */
bool sequence_next(struct sequence_file *file, struct sequence *sequence);

/** What was read, at its end. */
uint64_t sequence_print(const struct sequence_file *file);

void sequence_close(struct sequence_file *file);

#endif
