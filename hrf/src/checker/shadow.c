/* SPDX-License-Identifier: MIT */
/*
 * Shadow memory. See shadow.h.
 */
#include "checker/shadow.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 4096u

static uint64_t slot_of(const struct hrf_table *table, uint64_t address)
{
    uint64_t slot = address * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (table->n_slots - 1);
    while (table->keys[slot] && table->keys[slot] != address)
        slot = (slot + 1) & (table->n_slots - 1);
    return slot;
}

/* Twice the slots. @return 0; -1 without memory. */
static int grow(struct hrf_table *table)
{
    const struct hrf_table old = *table;
    table->n_slots = old.n_slots ? 2 * old.n_slots : FIRST_SLOTS;
    table->keys = calloc(table->n_slots, sizeof *table->keys);
    table->values = calloc(table->n_slots, sizeof *table->values);
    if (!table->keys || !table->values) {
        free(table->keys);
        free(table->values);
        *table = old;
        return -1;
    }
    for (uint64_t s = 0; s < old.n_slots; s++) {
        if (!old.keys[s])
            continue;
        uint64_t slot = slot_of(table, old.keys[s]);
        table->keys[slot] = old.keys[s];
        table->values[slot] = old.values[s];
    }
    free(old.keys);
    free(old.values);
    return 0;
}

uint32_t hrf_table_number(struct hrf_table *table, uint64_t address)
{
    if (2 * table->n >= table->n_slots && grow(table))
        return UINT32_MAX;
    uint64_t slot = slot_of(table, address);
    if (!table->keys[slot]) {
        table->keys[slot] = address;
        table->values[slot] = (uint32_t)table->n++;
    }
    return table->values[slot];
}

uint32_t hrf_table_find(const struct hrf_table *table, uint64_t address)
{
    if (!table->n_slots)
        return UINT32_MAX;
    uint64_t slot = slot_of(table, address);
    return table->keys[slot] ? table->values[slot] : UINT32_MAX;
}

void hrf_table_free(struct hrf_table *table)
{
    free(table->keys);
    free(table->values);
    *table = (struct hrf_table){0};
}

struct hrf_cell *hrf_shadow_cell(struct hrf_shadow *shadow, uint64_t address)
{
    uint32_t number = hrf_table_number(&shadow->table, (address >> 3) + 1);
    if (number == UINT32_MAX)
        return NULL;
    if (number >= shadow->capacity) {
        const uint64_t capacity = shadow->capacity ? 2 * shadow->capacity : FIRST_SLOTS;
        struct hrf_cell *cells = realloc(shadow->cells, capacity * sizeof *cells);
        if (!cells)
            return NULL;
        memset(cells + shadow->capacity, 0, (capacity - shadow->capacity) * sizeof *cells);
        shadow->cells = cells;
        shadow->capacity = capacity;
    }
    return &shadow->cells[number];
}

void hrf_shadow_forget(struct hrf_shadow *shadow, uint64_t address, uint64_t n_bytes)
{
    for (uint64_t word = address >> 3; word < (address + n_bytes + 7) >> 3; word++) {
        uint32_t number = hrf_table_find(&shadow->table, word + 1);
        if (number != UINT32_MAX && number < shadow->capacity)
            shadow->cells[number].n = 0;
    }
}

int hrf_cell_add(struct hrf_cell *cell, const struct hrf_access *access)
{
    if (cell->n == cell->capacity) {
        const uint16_t capacity = cell->capacity ? (uint16_t)(2 * cell->capacity) : 2;
        struct hrf_access *grown = realloc(cell->accesses, capacity * sizeof *grown);
        if (!grown)
            return -1;
        cell->accesses = grown;
        cell->capacity = capacity;
    }
    cell->accesses[cell->n++] = *access;
    return 0;
}

void hrf_shadow_free(struct hrf_shadow *shadow)
{
    for (uint64_t c = 0; c < shadow->capacity; c++)
        free(shadow->cells[c].accesses);
    free(shadow->cells);
    hrf_table_free(&shadow->table);
    *shadow = (struct hrf_shadow){.cells = NULL};
}
