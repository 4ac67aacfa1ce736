/* SPDX-License-Identifier: MIT */
/*
 * What is kept of a file's bytes, to tell whether another reading, or another node's, was of the same.
 *
 * Path:    infile.c -> this -> agree.c
 * Threads: any; plain data.
 */
#ifndef APPS_FINGERPRINT_H
#define APPS_FINGERPRINT_H

#include <stdbool.h>
#include <stdint.h>

/* Of the file as it is stored. */
struct fingerprint {
    uint64_t n_bytes, hash;
};

static inline bool fingerprint_is_same(struct fingerprint a, struct fingerprint b)
{
    return a.n_bytes == b.n_bytes && a.hash == b.hash;
}

#endif
