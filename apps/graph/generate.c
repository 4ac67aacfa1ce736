/* SPDX-License-Identifier: MIT */
/*
 * Edges by number, or a band's by row: each is a pure function of the seed and that number, so no list of them is ever
 * stored.
 *
 * Path: part.c -> this -> build.c
 * Threads: any.
 * Source: Graph500 specification 2.0, section 3. Integers only, so that no rounding differs between
 * machines.
 */
#include "graph/graph.h"
#include "frame/random.h"

/* Quadrant thresholds on a uniform 32-bit draw, in hundredths: A, A + B, A + B + C. */
#define HUNDREDTHS(x) (uint32_t)(((uint64_t)(x) << 32) / 100)
#define AFTER_A HUNDREDTHS(57)
#define AFTER_B HUNDREDTHS(76)
#define AFTER_C HUNDREDTHS(95)

/* A scale of 31 takes 31 draws, two of them per random number. */
#define NUMBERS_PER_EDGE 16

/* A bijection of [0, 2^scale): odd multiplications and shifts can all be undone. */
static uint32_t shuffle(uint64_t v, uint64_t key, unsigned scale)
{
    uint64_t mask = (UINT64_C(1) << scale) - 1;
    unsigned shift = scale / 2 + 1;
    for (unsigned round = 0; round < 3; round++) {
        v = ((v ^ key) * UINT64_C(0x9e3779b97f4a7c15)) & mask;
        v ^= v >> shift;
        key = random_mix(key);
    }
    return (uint32_t)(v & mask);
}

static struct graph_edge kronecker_edge(const struct graph_stream *stream, uint64_t i)
{
    const uint64_t order_key = random_mix(~stream->key); /* of the vertices' order */
    uint64_t draws = 0;
    uint64_t from = 0, to = 0;
    for (unsigned level = 0; level < stream->scale; level++) {
        draws = level % 2 ? draws >> 32 : random_at(stream->key, i * NUMBERS_PER_EDGE + level / 2);
        uint32_t draw = (uint32_t)draws;
        /* Quadrants A, B, C, D are (0,0), (0,1), (1,0), (1,1). */
        from = from << 1 | (draw >= AFTER_B);
        to = to << 1 | ((draw >= AFTER_A) ^ (draw >= AFTER_B) ^ (draw >= AFTER_C));
    }
    return (struct graph_edge){.from = shuffle(from, order_key, stream->scale),
                               .to = shuffle(to, order_key, stream->scale)};
}

static void visit_both_ways(struct graph_edge edge, graph_visit *visit, void *context)
{
    visit(context, edge);
    visit(context, (struct graph_edge){.from = edge.to, .to = edge.from});
}

static void list_kronecker(const struct graph_stream *stream, struct block_range edges,
                           graph_visit *visit, void *context)
{
    for (uint64_t i = edges.first; i < edges.last; i++)
        visit_both_ways(kronecker_edge(stream, i), visit, context);
}

struct graph_stream kronecker_stream(uint64_t size, unsigned degree, uint64_t seed)
{
    const uint64_t n_edges = (uint64_t)degree << size;
    return (struct graph_stream){.list = list_kronecker,
                                 .n_items = n_edges,
                                 .n_vertices = UINT64_C(1) << size,
                                 .n_edges = 2 * n_edges,
                                 .key = random_key(seed),
                                 .scale = (unsigned)size};
}

static void list_uniform(const struct graph_stream *stream, struct block_range edges,
                         graph_visit *visit, void *context)
{
    const uint32_t mask = (uint32_t)(stream->n_vertices - 1);
    for (uint64_t i = edges.first; i < edges.last; i++) {
        const uint64_t number = random_at(stream->key, i);
        const struct graph_edge edge = {(uint32_t)number & mask, (uint32_t)(number >> 32) & mask,
                                        0};
        visit_both_ways(edge, visit, context);
    }
}

struct graph_stream uniform_stream(uint64_t size, unsigned degree, uint64_t seed)
{
    struct graph_stream stream = kronecker_stream(size, degree, seed);
    stream.list = list_uniform;
    return stream;
}

/* ---- a band ------------------------------------------------------------------------------------
 *
 * Every row draws how many neighbours it has after itself, and where. The reach is cut into as many strips as a row draws
 * neighbours, one in each strip, so that none is drawn twice. What would lie behind the last row lies as far before instead.
 */

/* Rows over the reach, which is how far the farthest neighbour is [rows]. */
#define ROWS_PER_REACH 20

/* A row draws 2 to 16 neighbours, and one more in this many of 2^20 cases: 9.122 on average. */
#define LEAST_DRAWN 2
#define N_DRAWS 15
#define ONE_MORE 128104

/* Numbers of one row: how many, then where. */
#define NUMBERS_PER_ROW 32

static uint64_t n_drawn(const struct graph_stream *band, uint64_t row)
{
    const uint64_t reach = band->n_vertices / ROWS_PER_REACH;
    uint64_t number = random_at(band->key, row * NUMBERS_PER_ROW);
    uint64_t n = LEAST_DRAWN + (number >> 32) % N_DRAWS + (number % (1 << 20) < ONE_MORE);
    return n < reach ? n : reach;
}

static void list_band(const struct graph_stream *band, struct block_range rows, graph_visit *visit,
                      void *context)
{
    const uint64_t reach = band->n_vertices / ROWS_PER_REACH;
    for (uint64_t row = rows.first; row < rows.last; row++) {
        const uint64_t n = n_drawn(band, row);
        visit(context, (struct graph_edge){.from = (uint32_t)row, .to = (uint32_t)row});
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t first = i * reach / n, last = (i + 1) * reach / n;
            const uint64_t number = random_at(band->key, row * NUMBERS_PER_ROW + 1 + i);
            const uint64_t away = 1 + first + number % (last - first);
            const uint64_t to = row + away < band->n_vertices ? row + away : row - away;
            visit_both_ways((struct graph_edge){(uint32_t)row, (uint32_t)to, 0}, visit, context);
        }
    }
}

struct graph_stream band_stream(uint64_t size, unsigned degree, uint64_t seed)
{
    struct graph_stream band = {.list = list_band,
                                .n_items = size,
                                .n_vertices = size,
                                .n_edges = size,
                                .key = random_key(seed)};
    (void)degree;
    for (uint64_t row = 0; row < size; row++)
        band.n_edges += 2 * n_drawn(&band, row);
    return band;
}
