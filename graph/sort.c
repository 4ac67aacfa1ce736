/* SPDX-License-Identifier: MIT */
/*
 * Sorts columns by a key, stably, on all cores: digit by digit from the lowest, each by counting. Parts of the columns are
 * counted and moved concurrently, and each part knows where its things of a digit go. So no part waits for a key that is
 * frequent, and the result does not depend on the number of cores.
 *
 * Path:    order.c, spread.c, rows.c -> this.
 * Owner:   the columns are the caller's to free.
 * Threads: any, one at a time for each result; and those of OpenMP, where there is OpenMP.
 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* So few that the last cache lines written of each digit stay in a core's cache. */
#define MOST_DIGIT_BITS 12u

int graph_columns_alloc(struct graph_columns *out, const struct graph_columns *like, uint64_t n)
{
    *out = (struct graph_columns){.weight_bytes = like->weight_bytes};
    const uint64_t room = n + 1; /* never empty */
    out->key = malloc(room * sizeof *out->key);
    out->other = malloc(room * sizeof *out->other);
    out->weight = like->weight ? malloc(room * like->weight_bytes) : NULL;
    out->given = like->given ? malloc(room * sizeof *out->given) : NULL;
    if (out->key && out->other && !out->weight == !like->weight && !out->given == !like->given)
        return 0;
    graph_columns_free(out);
    return graph_fail_memory("gravel_graph: columns of edges",
                             room * (8 + like->weight_bytes + (like->given ? 8 : 0)));
}

void graph_columns_free(struct graph_columns *columns)
{
    free(columns->key);
    free(columns->other);
    free(columns->weight);
    free(columns->given);
    *columns = (struct graph_columns){0};
}

static void move(const struct graph_columns *to, uint64_t at, const struct graph_columns *from,
                 uint64_t i)
{
    to->key[at] = from->key[i];
    to->other[at] = from->other[i];
    if (from->weight && from->weight_bytes == 4)
        ((uint32_t *)to->weight)[at] = ((const uint32_t *)from->weight)[i];
    else if (from->weight)
        ((uint64_t *)to->weight)[at] = ((const uint64_t *)from->weight)[i];
    if (from->given)
        to->given[at] = from->given[i];
}

/* Makes of counts [n_parts][n_digits] where each part's first thing of each digit goes. */
static void counts_to_starts(uint64_t *counts, uint32_t n_parts, uint32_t n_digits)
{
    uint64_t next = 0;
    for (uint32_t digit = 0; digit < n_digits; digit++)
        for (uint32_t part = 0; part < n_parts; part++) {
            const uint64_t count = counts[(uint64_t)part * n_digits + digit];
            counts[(uint64_t)part * n_digits + digit] = next;
            next += count;
        }
}

/* Sorts by one digit. @param counts [n_parts << bits] */
static void sort_by_digit(const struct gravel_graph *graph, const struct graph_columns *to,
                          const struct graph_columns *from, uint64_t n, unsigned shift,
                          unsigned bits, uint32_t n_parts, uint64_t *counts)
{
    const uint32_t n_digits = 1u << bits, mask = n_digits - 1;
    memset(counts, 0, (uint64_t)n_parts * n_digits * sizeof *counts);
#pragma omp parallel for num_threads(graph_threads(graph, n))
    for (uint32_t part = 0; part < n_parts; part++) {
        uint64_t *own = counts + (uint64_t)part * n_digits;
        for (uint64_t i = graph_part(n, part, n_parts); i < graph_part(n, part + 1, n_parts); i++)
            own[from->key[i] >> shift & mask]++;
    }
    counts_to_starts(counts, n_parts, n_digits);
#pragma omp parallel for num_threads(graph_threads(graph, n))
    for (uint32_t part = 0; part < n_parts; part++) {
        uint64_t *own = counts + (uint64_t)part * n_digits;
        for (uint64_t i = graph_part(n, part, n_parts); i < graph_part(n, part + 1, n_parts); i++)
            move(to, own[from->key[i] >> shift & mask]++, from, i);
    }
}

int graph_sort(const struct gravel_graph *graph, struct graph_columns *out,
               const struct graph_columns *in, uint64_t n, uint64_t n_keys)
{
    unsigned key_bits = 1;
    while (UINT64_C(1) << key_bits < n_keys)
        key_bits++;
    const unsigned n_digits = (key_bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS,
                   bits = (key_bits + n_digits - 1) / n_digits;
    const uint32_t n_parts = graph_parts(n);
    const uint64_t counts_bytes = ((uint64_t)n_parts << bits) * sizeof(uint64_t);
    struct graph_columns sets[2] = {{0}, {0}}, *to = NULL;
    const struct graph_columns *from = in;
    uint64_t *counts = malloc(counts_bytes);
    int code = counts ? 0 : graph_fail_memory("gravel_graph: counts of a sort", counts_bytes);
    for (unsigned digit = 0; digit < n_digits && !code; digit++, from = to) {
        to = &sets[digit % 2];
        if (digit < 2)
            code = graph_columns_alloc(to, in, n);
        if (!code)
            sort_by_digit(graph, to, from, n, digit * bits, bits, n_parts, counts);
    }
    free(counts);
    *out = (struct graph_columns){0};
    if (!code) {
        *out = *to;
        *to = (struct graph_columns){0};
    }
    graph_columns_free(&sets[0]);
    graph_columns_free(&sets[1]);
    return code;
}
