/* SPDX-License-Identifier: MIT */
/*
 * The check: read the files again, base by base, list the k-mers that belong to tables, sort them, and compare what equal
 * ones come to with the tables. It shares only the reader and the hash with what counts.
 *
 * Path: mer.c -> this -> sequence.h, table.h
 * Threads: main's.
 */
#ifndef APPS_REFERENCE_H
#define APPS_REFERENCE_H

#include "frame/fingerprint.h"
#include "table.h"

struct reference {
    const char *const *paths;         /* [n_paths] */
    const struct fingerprint *prints; /* [n_paths] of what was counted; NULL: not compared */
    unsigned n_paths;
    unsigned k, least_quality;
    const struct table *tables; /* [n_tables] a k-mer is in the one that kmer_owner names */
    uint32_t n_tables;
    uint32_t first, n_own; /* those to be compared */
};

/**
 * Compare tables with all their k-mers sorted.
 *
 * @param serial_s  [out] reading and sorting took [s].
 * @return          k-mers that are wrong [count].
 */
uint64_t reference_check(const struct reference *asked, double *serial_s);

#endif
