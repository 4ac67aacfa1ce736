/* SPDX-License-Identifier: MIT */
/*
 * Ranks that are pulled, and a word for each vertex of another node.
 *
 * Edges are turned round and cut into chunks, each of which a work-item adds up. They end at own vertices and at ghosts, which
 * come after these. An own vertex's sum is that of its chunks and of what other nodes sent; a ghost's is stored in its slot
 * of a mirror, which adds it to its owner's, and travels while own edges are pulled.
 *
 * The node adds up before it sends, instead of reading others' shares: then it needs the edges that leave its vertices
 * only, which are those that it has, and words are as few.
 *
 * Path:    pagerank.c -> this -> pagerank.cl
 * Owner:   this file's; node_close releases arrays.
 * Threads: main's, and its own, which it joins.
 */
#include "graph/rows.h"
#include "pagerank.h"

#define CHUNK 64 /* edges of a chunk, at least: few enough that hubs spread */

/* Edges of a target's chunks. Those of a hub are longer: a work-item adds up a chunk, and another one the chunks. */
static uint64_t chunk_edges(uint64_t n_edges)
{
    uint64_t chunk = CHUNK;
    while (chunk * chunk < n_edges)
        chunk *= 2;
    return chunk;
}

static uint64_t n_targets(const struct pagerank *pagerank)
{
    return pagerank_n_own(pagerank) + pagerank->n_ghosts;
}

struct source {
    const struct graph *rows;
    const struct ghosts *ghosts;
};

static void list_turned(const void *context, const struct graph_asked *asked, graph_visit *visit,
                        void *visitor)
{
    const struct source *source = context;
    const struct graph *graph = source->rows;
    const struct graph_rows rows = graph_rows_of(graph, asked->part, asked->n_parts);
    for (uint64_t u = rows.first; u < rows.last; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            visit(visitor,
                  (struct graph_edge){.from = ghosts_slot(source->ghosts, graph->neighbours[e]),
                                      .to = (uint32_t)u});
}

/* A row for each target, of the sources that it pulls from; or die. */
static struct graph turn_round(const struct pagerank *pagerank, const struct ghosts *ghosts)
{
    const struct source source = {&pagerank->part.rows, ghosts};
    const struct graph_stream stream = {list_turned, &source, GRAPH_UNWEIGHTED, true};
    const struct partition targets = partition_blocks(n_targets(pagerank), 1);
    struct graph turned;
    if (graph_build_rows(&turned, &targets, 0, &stream))
        die("no memory for a list of %llu edges", (unsigned long long)pagerank->part.rows.n_edges);
    return turned;
}

/* With --schedule a vertex is what is scheduled. */
static void upload_chunks(struct pagerank *pagerank, const uint64_t *offsets)
{
    uint64_t n = n_targets(pagerank);
    cl_uint *chunks = app_array(n + 1, sizeof *chunks, "a list of edges");
    for (uint64_t v = 0; v < n; v++) {
        const uint64_t n_edges = offsets[v + 1] - offsets[v], chunk = chunk_edges(n_edges);
        const uint64_t n_chunks = pagerank->node.schedule ? 1 : (n_edges + chunk - 1) / chunk;
        chunks[v + 1] = chunks[v] + (cl_uint)n_chunks;
    }
    cl_uint *starts = app_array((uint64_t)chunks[n] + 1, sizeof *starts, "a list of edges");
    for (uint64_t v = 0; v < n; v++) {
        const cl_uint chunk = (cl_uint)chunk_edges(offsets[v + 1] - offsets[v]);
        for (cl_uint i = chunks[v]; i < chunks[v + 1]; i++)
            starts[i] = (cl_uint)offsets[v] + (i - chunks[v]) * chunk;
    }
    starts[chunks[n]] = (cl_uint)offsets[n];
    pagerank->n_own_chunks = chunks[pagerank_n_own(pagerank)];
    pagerank->n_chunks = chunks[n];
    pagerank->chunks = node_upload(&pagerank->node, (n + 1) * sizeof *chunks, chunks);
    pagerank->starts =
        node_upload(&pagerank->node, (pagerank->n_chunks + 1) * sizeof *starts, starts);
}

static void list(struct pagerank *pagerank)
{
    struct node *node = &pagerank->node;
    struct ghosts ghosts;
    ghosts_open(&ghosts, &pagerank->part);
    pagerank->n_ghosts = ghosts.n;
    pagerank->slots = node_part_mirror(node, &ghosts, pagerank->sums[0],
                                       pagerank->is_fixed ? GRAVEL_ULONG : GRAVEL_FLOAT, true);
    struct graph turned = turn_round(pagerank, &ghosts);
    ghosts_close(&ghosts);
    pagerank->sources = node_array(node, turned.n_edges * sizeof(cl_uint), turned.neighbours);
    upload_chunks(pagerank, turned.offsets);
    graph_free(&turned);
}

static void prepare(struct pagerank *pagerank)
{
    struct node *node = &pagerank->node;
    if (node->schedule) {
        tasks_open_stretches(&pagerank->tasks, node, pagerank->n_chunks);
        pagerank->pull = node_kernel(node, "pull_tasks");
        NODE_SET(pagerank->pull, 1, UINT(pagerank->n_chunks));
    } else {
        pagerank->pull = node_kernel(node, "pull");
    }
    NODE_SET(pagerank->pull, 2, ARRAY(pagerank->starts), ARRAY(pagerank->sources),
             ARRAY(pagerank->share), ARRAY(pagerank->partial));
    if (!pagerank->slots)
        return;
    pagerank->store_sums = node_kernel(node, "store_sums");
    NODE_SET(pagerank->store_sums, 2, ULONG(gravel_mirror_offset(pagerank->slots)),
             UINT(pagerank_n_own(pagerank)), ARRAY(pagerank->chunks), ARRAY(pagerank->partial));
}

static void sum_ghosts(struct pagerank *pagerank)
{
    node_run_groups(&pagerank->node, pagerank->pull, pagerank->n_own_chunks,
                    pagerank->n_chunks - pagerank->n_own_chunks, pagerank->node.group_items);
    node_run(&pagerank->node, pagerank->store_sums, pagerank->n_ghosts);
}

static void sum(struct pagerank *pagerank, uint64_t sums)
{
    (void)sums; /* of the mirror */
    if (pagerank->slots) {
        sum_ghosts(pagerank);
        TRY(gravel_mirror_begin(pagerank->slots));
    }
    if (pagerank->node.schedule)
        tasks_run(&pagerank->tasks, pagerank->pull);
    else
        node_run(&pagerank->node, pagerank->pull, pagerank->n_own_chunks);
    if (pagerank->slots)
        TRY(gravel_mirror_end(pagerank->slots));
}

const struct way pagerank_pulled = {list, prepare, sum};
