/* SPDX-License-Identifier: MIT */
/*
 * Ask METIS for a part for each vertex.
 *
 * Path: part.c -> this -> libmetis
 * Threads: any; one at a time per partition.
 * Source: G. Karypis and V. Kumar, A Fast and High Quality Multilevel Scheme for Partitioning Irregular Graphs, 1998.
 */
#include "graph/graph.h"
#include "graph/partition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef APPS_METIS
#include <metis.h>

/* So that every process gets the same parts. */
enum { SEED = 1 };

struct request {
    idx_t *offsets, *neighbours; /* the graph in METIS' numbers */
    idx_t *part;                 /* [n_vertices] answer */
};

static void *array_of(uint64_t n, size_t bytes)
{
    return calloc(n ? n : 1, bytes);
}

static int open_request(struct request *request, const struct graph *graph)
{
    request->offsets = array_of(graph->n_vertices + 1, sizeof(idx_t));
    request->neighbours = array_of(graph->n_edges, sizeof(idx_t));
    request->part = array_of(graph->n_vertices, sizeof(idx_t));
    if (!request->offsets || !request->neighbours || !request->part)
        return -ENOMEM;
    for (uint64_t u = 0; u <= graph->n_vertices; u++)
        request->offsets[u] = (idx_t)graph->offsets[u];
    for (uint64_t e = 0; e < graph->n_edges; e++)
        request->neighbours[e] = (idx_t)graph->neighbours[e];
    return 0;
}

static int ask(struct request *request, const struct graph *graph, uint32_t n_nodes)
{
    idx_t options[METIS_NOPTIONS];
    idx_t n = (idx_t)graph->n_vertices, n_constraints = 1, n_parts = (idx_t)n_nodes, cut;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = SEED;
    int code = METIS_PartGraphKway(&n, &n_constraints, request->offsets, request->neighbours, NULL,
                                   NULL, NULL, &n_parts, NULL, NULL, options, &cut, request->part);
    if (code == METIS_OK)
        return 0;
    return code == METIS_ERROR_MEMORY ? -ENOMEM : -EIO;
}

static uint32_t part_of(const void *context, uint64_t v, uint32_t n_nodes)
{
    const idx_t *part = context;
    (void)n_nodes;
    return (uint32_t)part[v];
}

int partition_metis(struct partition *partition, const struct graph *graph, uint32_t n_nodes)
{
    struct request request = {0};
    *partition = partition_blocks(graph->n_vertices, n_nodes);
    /* METIS refuses to cut into one part, and has been seen to fail with more parts than vertices. */
    if (n_nodes == 1 || graph->n_vertices <= n_nodes)
        return 0;
    const uint64_t most = IDX_MAX;
    const bool is_too_large = graph->n_vertices >= most || graph->n_edges >= most;
    int status = is_too_large ? -EFBIG : open_request(&request, graph);
    if (!status)
        status = ask(&request, graph, n_nodes);
    if (!status)
        status = partition_parts(partition, graph->n_vertices, n_nodes, part_of, request.part);
    free(request.offsets);
    free(request.neighbours);
    free(request.part);
    if (status)
        partition_close(partition);
    return status;
}

#else

int partition_metis(struct partition *partition, const struct graph *graph, uint32_t n_nodes)
{
    (void)graph;
    (void)n_nodes;
    *partition = (struct partition){0};
    return -ENOSYS;
}

#endif
