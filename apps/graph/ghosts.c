/* SPDX-License-Identifier: MIT */
/*
 * Mark, count, list.
 *
 * Path: part.h -> this -> the application's host code
 * Owner: see ghosts.h.
 * Threads: one at a time until it is open.
 */
#include "graph/ghosts.h"
#include "frame/die.h"

#include <stdlib.h>

#define WORD_BITS 64

static void mark(struct ghosts *ghosts)
{
    const struct graph_part *part = ghosts->part;
    for (uint64_t e = 0; e < part->rows.n_edges; e++) {
        uint32_t v = part->rows.neighbours[e];
        uint64_t place = partition_place(&part->partition, v);
        if (!partition_has(&part->partition, part->node, v))
            ghosts->bits[place / WORD_BITS] |= UINT64_C(1) << place % WORD_BITS;
    }
}

static void list(struct ghosts *ghosts, uint64_t n_words)
{
    for (uint64_t i = 0; i < n_words; i++) {
        ghosts->ranks[i] = (uint32_t)ghosts->n;
        ghosts->n += (uint64_t)__builtin_popcountll(ghosts->bits[i]);
    }
    ghosts->places = app_array(ghosts->n, sizeof *ghosts->places, "ghosts");
    for (uint64_t i = 0, n = 0; i < n_words; i++)
        for (uint64_t rest = ghosts->bits[i]; rest; rest &= rest - 1)
            ghosts->places[n++] = (uint32_t)(i * WORD_BITS + (uint64_t)__builtin_ctzll(rest));
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
    free(ghosts->places);
    *ghosts = (struct ghosts){0};
}

uint32_t ghosts_slot(const struct ghosts *ghosts, uint32_t vertex)
{
    const struct graph_part *part = ghosts->part;
    if (partition_has(&part->partition, part->node, vertex))
        return (uint32_t)partition_index(&part->partition, vertex);
    uint64_t place = partition_place(&part->partition, vertex);
    uint64_t below = ghosts->bits[place / WORD_BITS] & ((UINT64_C(1) << place % WORD_BITS) - 1);
    return (uint32_t)part->rows.n_vertices + ghosts->ranks[place / WORD_BITS] +
           (uint32_t)__builtin_popcountll(below);
}

uint64_t ghosts_n_slots(const struct ghosts *ghosts)
{
    return ghosts->part->rows.n_vertices + ghosts->n;
}

uint32_t ghosts_owner(const struct ghosts *ghosts, uint64_t slot)
{
    uint64_t n_own = ghosts->part->rows.n_vertices;
    return slot < n_own
               ? ghosts->part->node
               : partition_place_owner(&ghosts->part->partition, ghosts->places[slot - n_own]);
}

uint32_t ghosts_index(const struct ghosts *ghosts, uint64_t slot)
{
    uint64_t n_own = ghosts->part->rows.n_vertices;
    return (uint32_t)(slot < n_own ? slot
                                   : partition_place_index(&ghosts->part->partition,
                                                           ghosts->places[slot - n_own]));
}
