/* SPDX-License-Identifier: MIT */
/*
 * Mark, count, list. Each thread marks the neighbours in a part of the rows.
 *
 * Path: part.h -> this -> the application's host code
 * Owner: see ghosts.h.
 * Threads: main's, and its own, which it joins.
 */
#include "graph/ghosts.h"
#include "frame/die.h"
#include "graph/rows.h"

#include <stdlib.h>

#define WORD_BITS 64

struct marks {
    const struct graph_part *part;
    uint64_t *bits[SIDE_BY_SIDE_MOST]; /* of each thread's part */
    uint64_t n_words;
};

static void mark(void *context, struct graph_rows rows)
{
    struct marks *marks = context;
    const struct graph_part *part = marks->part;
    uint64_t *bits = app_array(marks->n_words, sizeof *bits, "ghosts");
    for (uint64_t e = rows.first_edge; e < rows.last_edge; e++) {
        uint32_t v = part->rows.neighbours[e];
        if (!partition_has(&part->partition, part->node, v))
            bits[v / WORD_BITS] |= UINT64_C(1) << v % WORD_BITS;
    }
    marks->bits[rows.part] = bits;
}

/* @return  the marks of all threads, in the array of the first. */
static uint64_t *mark_all(const struct graph_part *part, uint64_t n_words)
{
    struct marks marks = {.part = part, .n_words = n_words};
    graph_rows_side_by_side(&part->rows, mark, &marks);
    for (uint32_t i = 1; i < SIDE_BY_SIDE_MOST && marks.bits[i]; i++) {
        for (uint64_t word = 0; word < n_words; word++)
            marks.bits[0][word] |= marks.bits[i][word];
        free(marks.bits[i]);
    }
    return marks.bits[0];
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
                              .bits = mark_all(part, n_words),
                              .ranks = app_array(n_words, sizeof *ghosts->ranks, "ghosts")};
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
