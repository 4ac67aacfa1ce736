/* SPDX-License-Identifier: MIT */
/*
 * Every row draws how many neighbours it has after itself, and where.
 *
 * Path: part.c -> this -> build.c
 * Threads: any.
 *
 * The reach is cut into as many strips as a row draws neighbours, one in each strip, so that none
 * is drawn twice. What would lie behind the last row lies as far before instead.
 */
#include "graph/band.h"
#include "frame/random.h"

/* Rows over the reach. */
#define ROWS_PER_REACH 20

/* A row draws 2 to 16 neighbours, and one more in this many of 2^20 cases: 9.122 on average. */
#define LEAST_DRAWN 2
#define N_DRAWS 15
#define ONE_MORE 128104

/* Numbers of one row: how many, then where. */
#define NUMBERS_PER_ROW 32

struct band band_of(uint64_t n_vertices, uint64_t seed)
{
    return (struct band){random_key(seed), n_vertices, n_vertices / ROWS_PER_REACH};
}

static uint64_t n_drawn(const struct band *band, uint64_t row)
{
    uint64_t number = random_at(band->key, row * NUMBERS_PER_ROW);
    uint64_t n = LEAST_DRAWN + (number >> 32) % N_DRAWS + (number % (1 << 20) < ONE_MORE);
    return n < band->reach ? n : band->reach;
}

uint64_t band_n_edges(const struct band *band)
{
    uint64_t n = band->n_vertices;
    for (uint64_t row = 0; row < band->n_vertices; row++)
        n += 2 * n_drawn(band, row);
    return n;
}

/* The i-th of n neighbours of a row. */
static uint32_t drawn(const struct band *band, uint64_t row, uint64_t i, uint64_t n)
{
    uint64_t first = i * band->reach / n, last = (i + 1) * band->reach / n;
    uint64_t away =
        1 + first + random_at(band->key, row * NUMBERS_PER_ROW + 1 + i) % (last - first);
    return (uint32_t)(row + away < band->n_vertices ? row + away : row - away);
}

static void visit_row(const struct band *band, uint64_t row, graph_visit *visit, void *context)
{
    uint64_t n = n_drawn(band, row);
    visit(context, (struct graph_edge){.from = (uint32_t)row, .to = (uint32_t)row});
    for (uint64_t i = 0; i < n; i++) {
        uint32_t to = drawn(band, row, i, n);
        visit(context, (struct graph_edge){.from = (uint32_t)row, .to = to});
        visit(context, (struct graph_edge){.from = to, .to = (uint32_t)row});
    }
}

/* Rows farther than the reach from a range draw no vertex of it. */
static void list(const void *source, const struct graph_asked *asked, graph_visit *visit,
                 void *context)
{
    const struct band *band = source;
    const struct block_range range = asked->from;
    uint64_t first = range.first > band->reach ? range.first - band->reach : 0;
    uint64_t left = band->n_vertices - range.last;
    uint64_t last = left > band->reach ? range.last + band->reach : band->n_vertices;
    const struct block_range part = graph_asked_share(asked, last - first);
    for (uint64_t row = first + part.first; row < first + part.last; row++)
        visit_row(band, row, visit, context);
}

struct graph_stream band_stream(const struct band *band)
{
    return (struct graph_stream){list, band, GRAPH_UNWEIGHTED, true};
}
