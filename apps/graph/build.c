/* SPDX-License-Identifier: MIT */
/*
 * A sort in two steps, neither of which leaves a core's cache: each thread throws the edges of a part of the stream into
 * bins, some hundred rows each; then each sorts bins into rows, by counting. A bin has the edges of the first part before
 * those of the second, and so on, and so a row keeps the order of the stream.
 *
 * Path: read.c, part.c -> this -> graph.h
 * Owner: the result is the caller's to free.
 * Threads: any, one at a time per result; and its own, which it joins.
 */
#include "graph/build.h"
#include "graph/rows.h"

#include <errno.h>
#include <stdlib.h>

/* So few that each bin's last edges stay in the cache while edges are thrown, and rows that their counts do. */
#define MOST_BINS 1024u
#define LEAST_BIN_SHIFT 10

#define CHUNK_EDGES 2048u
#define PART_SHARES 64u /* of a part that a thread lists */

/* Edges of a bin. All chunks but a bin's last are full. */
struct chunk {
    struct chunk *next;
    uint32_t rows[CHUNK_EDGES], neighbours[CHUNK_EDGES];
    union graph_weight weights[]; /* [CHUNK_EDGES], or none if there are no weights */
};

/* Of one part of the stream. */
struct bin {
    struct chunk *first, *last;
    uint64_t n; /* edges */
};

struct sort {
    struct graph *graph;
    const struct graph_stream *stream;
    const struct partition *partition;
    uint32_t node;
    uint32_t n_listed, n_sorted; /* parts of the stream, and of the bins */
    uint64_t n_bins;
    unsigned bin_shift; /* log2 of a bin's rows */
    struct bin *bins;   /* [n_listed][n_bins] */
    uint64_t *starts;   /* [n_bins + 1] of the bins' edges in the graph */
    bool lacks_memory[SIDE_BY_SIDE_MOST];
};

/* ---- into bins ------------------------------------------------------------------------------- */

struct thrower {
    const struct sort *sort;
    struct bin *bins; /* [n_bins] */
    bool lacks_memory;
};

static bool has_weights(const struct sort *sort)
{
    return sort->stream->weights_are != GRAPH_UNWEIGHTED;
}

/* @return  false without memory. */
static bool add_chunk(struct bin *bin, bool has_weights)
{
    size_t weight_bytes = has_weights ? CHUNK_EDGES * sizeof(union graph_weight) : 0;
    struct chunk *chunk = malloc(sizeof *chunk + weight_bytes);
    if (!chunk)
        return false;
    chunk->next = NULL;
    if (bin->last)
        bin->last->next = chunk;
    else
        bin->first = chunk;
    bin->last = chunk;
    return true;
}

static void throw_edge(void *context, struct graph_edge edge)
{
    struct thrower *thrower = context;
    const struct sort *sort = thrower->sort;
    if (!partition_has(sort->partition, sort->node, edge.from))
        return;
    if (thrower->lacks_memory)
        return;
    uint64_t row = edge.from - sort->node * sort->partition->block;
    struct bin *bin = &thrower->bins[row >> sort->bin_shift];
    uint64_t at = bin->n % CHUNK_EDGES;
    if (at == 0 && !add_chunk(bin, has_weights(sort))) {
        thrower->lacks_memory = true;
        return;
    }
    bin->last->rows[at] = (uint32_t)row;
    bin->last->neighbours[at] = edge.to;
    if (has_weights(sort))
        bin->last->weights[at] = edge.weight;
    bin->n++;
}

/* In shares, none of which is asked for once memory is short. */
static void throw_part(void *context, uint32_t part)
{
    struct sort *sort = context;
    struct thrower thrower = {sort, sort->bins + part * sort->n_bins, false};
    const uint32_t n_shares = sort->stream->has_parts ? PART_SHARES : 1;
    struct graph_asked asked = {partition_range(sort->partition, sort->node), part * n_shares,
                                sort->n_listed * n_shares};
    for (uint32_t i = 0; i < n_shares && !thrower.lacks_memory; i++, asked.part++)
        sort->stream->list(sort->stream->source, &asked, throw_edge, &thrower);
    sort->lacks_memory[part] = thrower.lacks_memory;
}

/* ---- into rows ------------------------------------------------------------------------------- */

static void find_starts(struct sort *sort)
{
    sort->starts[0] = 0;
    for (uint64_t bin = 0; bin < sort->n_bins; bin++) {
        sort->starts[bin + 1] = sort->starts[bin];
        for (uint32_t part = 0; part < sort->n_listed; part++)
            sort->starts[bin + 1] += sort->bins[part * sort->n_bins + bin].n;
    }
}

static uint32_t chunk_edges(const struct bin *bin, const struct chunk *chunk)
{
    uint64_t last = bin->n % CHUNK_EDGES;
    return chunk == bin->last && last ? (uint32_t)last : CHUNK_EDGES;
}

static void count_chunk(const struct sort *sort, const struct chunk *chunk, uint32_t n)
{
    uint64_t *ends = sort->graph->offsets + 1;
    for (uint32_t i = 0; i < n; i++)
        ends[chunk->rows[i]]++;
}

/* The end of each row is where the next edge of the row goes. */
static void insert_chunk(const struct sort *sort, const struct chunk *chunk, uint32_t n)
{
    const struct graph *graph = sort->graph;
    uint64_t *ends = graph->offsets + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t e = ends[chunk->rows[i]]++;
        graph->neighbours[e] = chunk->neighbours[i];
        if (graph->weights)
            graph->weights[e] = chunk->weights[i];
    }
}

static void each_chunk(const struct sort *sort, uint64_t number,
                       void (*do_chunk)(const struct sort *, const struct chunk *, uint32_t n))
{
    for (uint32_t part = 0; part < sort->n_listed; part++) {
        const struct bin *bin = &sort->bins[part * sort->n_bins + number];
        for (const struct chunk *chunk = bin->first; chunk; chunk = chunk->next)
            do_chunk(sort, chunk, chunk_edges(bin, chunk));
    }
}

static void free_bin(const struct sort *sort, uint64_t number)
{
    for (uint32_t part = 0; part < sort->n_listed; part++) {
        struct bin *bin = &sort->bins[part * sort->n_bins + number];
        for (struct chunk *chunk = bin->first, *next; chunk; chunk = next) {
            next = chunk->next;
            free(chunk);
        }
        bin->first = NULL;
    }
}

static void counts_to_starts(const struct sort *sort, uint64_t bin)
{
    uint64_t *ends = sort->graph->offsets + 1, n_rows = sort->graph->n_vertices;
    uint64_t first = bin << sort->bin_shift, next = sort->starts[bin];
    uint64_t after = (bin + 1) << sort->bin_shift, last = after < n_rows ? after : n_rows;
    for (uint64_t row = first; row < last; row++) {
        uint64_t n = ends[row];
        ends[row] = next;
        next += n;
    }
}

/* The bins that begin in a part of all bins and edges. */
static void sort_part(void *context, uint32_t part)
{
    const struct sort *sort = context;
    uint64_t n = sort->starts[sort->n_bins] + sort->n_bins;
    uint64_t first = side_by_side_begin(part, sort->n_sorted, n);
    uint64_t last = side_by_side_begin(part + 1, sort->n_sorted, n);
    for (uint64_t bin = 0; bin < sort->n_bins; bin++) {
        if (sort->starts[bin] + bin < first || sort->starts[bin] + bin >= last)
            continue;
        each_chunk(sort, bin, count_chunk);
        counts_to_starts(sort, bin);
        each_chunk(sort, bin, insert_chunk);
        free_bin(sort, bin);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int sort_rows(struct sort *sort)
{
    side_by_side(sort->n_listed, throw_part, sort);
    for (uint32_t part = 0; part < sort->n_listed; part++)
        if (sort->lacks_memory[part])
            return -ENOMEM;
    find_starts(sort);
    int status =
        graph_alloc_edges(sort->graph, sort->starts[sort->n_bins], sort->stream->weights_are);
    if (!status)
        side_by_side(sort->n_sorted, sort_part, sort);
    return status;
}

static void cut_into_bins(struct sort *sort)
{
    uint64_t n_rows = sort->graph->n_vertices;
    sort->bin_shift = LEAST_BIN_SHIFT;
    while (n_rows >> sort->bin_shift >= MOST_BINS)
        sort->bin_shift++;
    sort->n_bins = (n_rows >> sort->bin_shift) + 1;
    sort->bins = calloc(sort->n_listed * sort->n_bins, sizeof *sort->bins);
    sort->starts = calloc(sort->n_bins + 1, sizeof *sort->starts);
}

int graph_build_rows(struct graph *out, const struct partition *partition, uint32_t node,
                     const struct graph_stream *stream)
{
    const struct block_range own = partition_range(partition, node);
    *out = (struct graph){.n_vertices = own.last - own.first};
    out->offsets = calloc(out->n_vertices + 1, sizeof *out->offsets);
    const uint32_t n_threads = side_by_side_threads();
    struct sort sort = {.graph = out,
                        .stream = stream,
                        .partition = partition,
                        .node = node,
                        .n_listed = stream->has_parts ? n_threads : 1,
                        .n_sorted = n_threads};
    cut_into_bins(&sort);
    int status = out->offsets && sort.bins && sort.starts ? sort_rows(&sort) : -ENOMEM;
    for (uint64_t bin = 0; sort.bins && bin < sort.n_bins; bin++)
        free_bin(&sort, bin);
    free(sort.bins);
    free(sort.starts);
    if (status)
        graph_free(out);
    return status;
}

/* ---- a graph turned round -------------------------------------------------------------------- */

static void list_turned(const void *source, const struct graph_asked *asked, graph_visit *visit,
                        void *context)
{
    const struct graph *graph = source;
    const struct graph_rows rows = graph_rows_of(graph, asked->part, asked->n_parts);
    for (uint64_t u = rows.first; u < rows.last; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            visit(context, (struct graph_edge){graph->neighbours[e], (uint32_t)u,
                                               graph->weights ? graph->weights[e]
                                                              : (union graph_weight){0}});
}

int graph_transpose(struct graph *out, const struct graph *graph)
{
    const struct partition whole = partition_blocks(graph->n_vertices, 1);
    const struct graph_stream stream = {list_turned, graph, graph->weights_are, true};
    return graph_build_rows(out, &whole, 0, &stream);
}
