/* SPDX-License-Identifier: MIT */
/* The calls of the library that have results. See graphs.h. */
#include "graphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int levels(struct gravel_graph *graph, void *words)
{
    return gravel_graph_bfs(graph, 0, words, NULL);
}
static int distances(struct gravel_graph *graph, void *words)
{
    return gravel_graph_sssp(graph, 0, words, NULL);
}
static int ranks(struct gravel_graph *graph, void *words)
{
    return gravel_graph_pagerank(graph, NULL, words);
}
static int labels(struct gravel_graph *graph, void *words)
{
    return gravel_graph_components(graph, words, NULL);
}
static int forest(struct gravel_graph *graph, void *words)
{
    uint8_t *is_in = calloc(1, 1u << 17);
    const int code = is_in ? gravel_graph_forest(graph, is_in, words) : GRAVEL_ENOMEM;
    free(is_in);
    return code;
}
static int centrality(struct gravel_graph *graph, void *words)
{
    const uint64_t source = 0;
    const struct gravel_graph_betweenness_options one =
        GRAVEL_GRAPH_BETWEENNESS(.sources = &source, .n_sources = 1, .has_endpoints = 1);
    return gravel_graph_betweenness(graph, &one, words);
}
static int triangles(struct gravel_graph *graph, void *words)
{
    return gravel_graph_triangles(graph, words, NULL);
}
static int colors(struct gravel_graph *graph, void *words)
{
    return gravel_graph_color(graph, words, NULL);
}
static int cores(struct gravel_graph *graph, void *words)
{
    return gravel_graph_core_numbers(graph, words);
}

const struct graphs_call graphs_calls[] = {
    {"gravel_graph_bfs", levels, false, true},
    {"gravel_graph_sssp", distances, false, true},
    {"gravel_graph_pagerank", ranks, true, true},
    {"gravel_graph_components", labels, false, false},
    {"gravel_graph_forest", forest, false, true},
    {"gravel_graph_betweenness", centrality, true, true},
    {"gravel_graph_triangles", triangles, false, false},
    {"gravel_graph_color", colors, false, true},
    {"gravel_graph_core_numbers", cores, false, true},
    {NULL, NULL, false, false},
};

bool graphs_are_equal(const struct graphs_call *call, const double *one, const double *other,
                      uint64_t n)
{
    bool is = call->is_real || !memcmp(one, other, n * sizeof *one);
    for (uint64_t i = 0; i < n && call->is_real; i++)
        is = is && fabs(one[i] - other[i]) < 1e-9;
    return is;
}
