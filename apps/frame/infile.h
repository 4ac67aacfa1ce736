/* SPDX-License-Identifier: MIT */
/*
 * The bytes of an input file, plain or gzip, whatever its name says: the one way in which applications read files.
 *
 * Path:    graph/text.c, mer/text.c -> this -> zlib
 * Owner:   the caller of open, who closes it, and does not move it in between.
 * Threads: one at a time.
 *
 * Lines end in '\n' alone: CR LF and CR become that. A file that begins with a byte of no text is refused: other
 * compressions, binary data, marks of byte order. What follows compressed data is compressed data, or zeros, which pad a
 * file to a tape's or a disk's block. Only regular files are read, for each is read several times, at every node: a
 * fingerprint of its contents says whether it was the same each time.
 */
#ifndef APPS_INFILE_H
#define APPS_INFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Room that every reason fits in [bytes]. */
#define INFILE_REASON_BYTES 256

struct infile {
    FILE *stored;
    struct infile_packed *packed;     /* zlib's state; NULL of a plain file */
    bool is_between;                  /* members of compressed data */
    bool ended_in_cr;                 /* the last byte that was given out, which became '\n' */
    uint64_t n_given;                 /* bytes, expanded, before line ends became one */
    uint64_t print;                   /* fingerprint of these: of the whole file at its end */
    char reason[INFILE_REASON_BYTES]; /* "" until the first failure; one line without the path */
};

/** Open. @return  false, and `reason` is set, if that fails; then there is nothing to close. */
bool infile_open(struct infile *file, const char *path);

/** Read up to `room` bytes. @return  0 at the end, or after a failure: then there is a reason. */
size_t infile_read(struct infile *file, unsigned char *to, size_t room);

/** Returns the bytes of the file, as it is stored, that have been used so far. */
uint64_t infile_n_used(const struct infile *file);

/** Return the end of a path, as much as a reason shows. */
const char *infile_shown_path(const char *path);

/** Close; one that was never open, or zeroed, is fine. */
void infile_close(struct infile *file);

#endif
