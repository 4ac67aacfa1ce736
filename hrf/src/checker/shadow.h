/* SPDX-License-Identifier: MIT */
/*
 * The last accesses of each word of memory, and a table from addresses to anything.
 *
 * Path:    trace.c -> shadow.c.
 * Owner:   the caller, by hrf_shadow_free and hrf_table_free.
 */
#ifndef GRAVEL_HRF_SHADOW_H
#define GRAVEL_HRF_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* Addresses to numbers from 0, in the order of their first use. Address 0 is never used. */
struct hrf_table {
    uint64_t *keys; /* [n_slots] 0: free */
    uint32_t *values;
    uint64_t n_slots, n;
};

/** The number of an address, a new one if need be. @return UINT32_MAX without memory. */
uint32_t hrf_table_number(struct hrf_table *table, uint64_t address);
/** The number of an address. @return UINT32_MAX if it has none. */
uint32_t hrf_table_find(const struct hrf_table *table, uint64_t address);
void hrf_table_free(struct hrf_table *table);

/* One access. */
struct hrf_access {
    uint32_t clock, site;
    uint16_t thread, instance;
    uint8_t bytes; /* mask of the eight of a word */
    bool writes, is_atomic;
};

/* Accesses of one word of eight bytes of which no later one takes the place. */
struct hrf_cell {
    struct hrf_access *accesses; /* [capacity] */
    uint16_t n, capacity;
};

struct hrf_shadow {
    struct hrf_table table;
    struct hrf_cell *cells; /* [capacity] */
    uint64_t capacity;
};

/** The cell of an address. @return NULL without memory. */
struct hrf_cell *hrf_shadow_cell(struct hrf_shadow *shadow, uint64_t address);
/** Forget what happened to memory that is used anew. */
void hrf_shadow_forget(struct hrf_shadow *shadow, uint64_t address, uint64_t n_bytes);
/** @return 0; -1 without memory. */
int hrf_cell_add(struct hrf_cell *cell, const struct hrf_access *access);
void hrf_shadow_free(struct hrf_shadow *shadow);

#endif
