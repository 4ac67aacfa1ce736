/* SPDX-License-Identifier: MIT */
/*
 * Mark, count, list.
 *
 * Path: part.h -> this -> the application's host code
 * Owner: see ghosts.h.
 * Threads: main's, and OpenMP's.
 */
#include "graph/ghosts.h"
#include "frame/die.h"

#include <stdlib.h>

#define WORD_BITS 64

/* Marks the neighbours that are not own. Relaxed: the marks are read once all threads have ended. */
static void mark(const struct ghosts *ghosts)
{
    const struct graph_part *part = ghosts->part;
#pragma omp parallel for
    for (uint64_t e = 0; e < part->rows.n_edges; e++) {
        const uint32_t v = part->rows.neighbours[e];
        const uint64_t bit = UINT64_C(1) << v % WORD_BITS;
        uint64_t *word = &ghosts->bits[v / WORD_BITS];
        if (!partition_has(&part->partition, part->node, v) &&
            !(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
            __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
}

static void list(struct ghosts *ghosts, uint64_t n_words)
{
    for (uint64_t i = 0; i < n_words; i++) {
        ghosts->ranks[i] = (uint32_t)ghosts->n;
        ghosts->n += (uint64_t)__builtin_popcountll(ghosts->bits[i]);
    }
    ghosts->vertices = app_array(ghosts->n, sizeof *ghosts->vertices, "ghosts");
    for (uint64_t i = 0, n = 0; i < n_words; i++)
        for (uint64_t rest = ghosts->bits[i]; rest; rest &= rest - 1)
            ghosts->vertices[n++] = (uint32_t)(i * WORD_BITS + (uint64_t)__builtin_ctzll(rest));
}

void ghosts_open(struct ghosts *ghosts, const struct graph_part *part)
{
    uint64_t n_words = part->survey.n_vertices / WORD_BITS + 1;
    *ghosts = (struct ghosts){.part = part,
                              .bits = app_array(n_words, sizeof *ghosts->bits, "ghosts"),
                              .ranks = app_array(n_words, sizeof *ghosts->ranks, "ghosts")};
    mark(ghosts);
    list(ghosts, n_words);
}

void ghosts_close(struct ghosts *ghosts)
{
    free(ghosts->bits);
    free(ghosts->ranks);
    free(ghosts->vertices);
    *ghosts = (struct ghosts){0};
}

uint32_t ghosts_slot(const struct ghosts *ghosts, uint32_t vertex)
{
    const struct graph_part *part = ghosts->part;
    if (partition_has(&part->partition, part->node, vertex))
        return vertex - (uint32_t)part->first;
    uint64_t below = ghosts->bits[vertex / WORD_BITS] & ((UINT64_C(1) << vertex % WORD_BITS) - 1);
    return (uint32_t)part->rows.n_vertices + ghosts->ranks[vertex / WORD_BITS] +
           (uint32_t)__builtin_popcountll(below);
}
