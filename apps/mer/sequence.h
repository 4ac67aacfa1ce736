/* SPDX-License-Identifier: MIT */
/*
 * Sequences of a FASTA or FASTQ file, plain or gzip, one after the other.
 *
 * Path: pack.c, reference.c -> this -> <htslib/kseq.h> -> frame/infile.h
 * Owner: the caller of open, who closes it; a record's strings are the reader's until the next one.
 * Threads: one at a time.
 *
 * The first failure wins: it writes "PATH: record N 'name': reason" (one line, no newline),
 * and the file ends there. kseq is forgiving; what it would pass over is refused here: a file that
 * begins with something else, text between records, a FASTQ record without its quality, a base that
 * is none.
 */
#ifndef APPS_SEQUENCE_H
#define APPS_SEQUENCE_H

#include "frame/infile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room that every reason fits in [bytes]. */
#define SEQUENCE_REASON_BYTES 512

/* Bases of a record at most, so that kseq's ints hold them [bytes]. */
#define SEQUENCE_MAX_BYTES (UINT64_C(1) << 30)

/* What stands between bases: unknown ones, gaps, bases of bad quality. */
#define BASE_NONE 4

struct sequence {
    const char *name;
    size_t n_bases;
    const uint8_t *bases; /* [n_bases] A 0, C 1, G 2, T 3, or BASE_NONE */
};

/** Open; NULL, and `reason` is written, if that fails. `path` and `reason` are kept, not copied. */
struct sequence_file *sequence_open(const char *path, unsigned least_quality, char *reason);

/**
 * The next sequence.
 *
 * @return  false at the end, or after a failure: then sequence_has_failed.
 */
bool sequence_next(struct sequence_file *file, struct sequence *sequence);

bool sequence_has_failed(const struct sequence_file *file);

/** What was read, at its end. */
struct fingerprint sequence_print(const struct sequence_file *file);

/** Close; NULL is fine. */
void sequence_close(struct sequence_file *file);

#endif
