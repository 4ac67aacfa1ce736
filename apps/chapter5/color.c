/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring: a vertex that has its colour sends it to each later neighbour.
 *
 * The order of vertices is random. A colour depends on the earlier neighbours alone, so it is the same on any number of
 * nodes.
 *
 * Path:    graphs.c -> this -> color.cl
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993.
 */
#include "chapter5/graphs.h"
#include "frame/random.h"

#include <stdlib.h>

#define NO_COLOR SERIAL_NONE

extern const char color_cl[];

static struct {
    cl_kernel kernel;
    cl_mem splits, targets;
    cl_mem words; /* [own edges] with --schedule; else the heap has them */
    cl_uint n_left;
} own;

/* Orders vertices; no two have one number. */
static uint64_t key_of(const struct graph *graph, uint64_t vertex)
{
    (void)graph;
    return random_at(random_key(~graphs.options.seed), vertex); /* no edges were drawn by it */
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = key_of(NULL, *(const uint32_t *)a), y = key_of(NULL, *(const uint32_t *)b);
    return (x > y) - (x < y);
}

/* Orders rows, and lists where each own vertex' colour is to arrive: for each later neighbour the node, and which of its words. */
static void list(const struct graph *whole)
{
    const struct graph *rows = &graphs.part.rows;
    const uint64_t n = rows->n_vertices;
    for (uint64_t v = 0; v < whole->n_vertices; v++)
        qsort(whole->neighbours + whole->offsets[v], graph_degree(whole, v), sizeof(uint32_t),
              compare);
    uint32_t *splits = app_array(n, sizeof *splits, "a list of vertices"),
             (*targets)[2] = app_array(rows->n_edges, sizeof *targets, "a list of edges");
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t v = (uint32_t)(graphs.part.first + i);
        for (uint64_t e = rows->offsets[i]; e < rows->offsets[i + 1]; e++) {
            const uint32_t u = rows->neighbours[e], node = (uint32_t)(u / graphs.block);
            if (compare(&u, &v) < 0) {
                splits[i]++;
                continue;
            }
            const uint32_t *word = bsearch(&v, whole->neighbours + whole->offsets[u],
                                           graph_degree(whole, u), sizeof v, compare);
            targets[e][0] = node;
            targets[e][1] =
                (uint32_t)(word - (whole->neighbours + whole->offsets[node * graphs.block]));
        }
        const uint64_t n_later = graph_degree(rows, i) - splits[i];
        graphs.n_most = n_later > graphs.n_most ? n_later : graphs.n_most;
    }
    own.splits = node_upload(&graphs.node, n * sizeof *splits, splits);
    own.targets = node_upload(&graphs.node, rows->n_edges * sizeof *targets, targets);
}

static void open_color(void)
{
    struct node *node = &graphs.node;
    const struct graph *rows = &graphs.part.rows;
    list(&graphs.part.whole);
    if (graphs.schedule) {
        own.words = node_array(node, rows->n_edges * sizeof(cl_uint), NULL);
        own.kernel = node_kernel(node, "color_tasks");
        NODE_SET(own.kernel, 1, UINT(rows->n_vertices), ARRAY(graphs.offsets), ARRAY(own.splits),
                 ARRAY(own.targets), ARRAY(own.words), ARRAY(graphs.result), ARRAY(graphs.count));
    } else {
        own.kernel = node_kernel(node, "color");
        NODE_SET(own.kernel, 2, ULONG(graphs.words), ARRAY(graphs.offsets), ARRAY(own.splits),
                 ARRAY(own.targets), ARRAY(graphs.result), ARRAY(graphs.count));
    }
}

static void reset(void)
{
    struct node *node = &graphs.node;
    const struct graph *rows = &graphs.part.rows;
    own.n_left = 1;
    node_fill(node, graphs.result, NO_COLOR, rows->n_vertices * sizeof(cl_uint));
    if (graphs.schedule)
        node_fill(node, own.words, NO_COLOR, rows->n_edges * sizeof(cl_uint));
    else
        node_fill_heaps(node, graphs.words, rows->n_edges, NO_COLOR);
}

static bool step(void)
{
    struct node *node = &graphs.node;
    if (!node_sum(node, own.n_left))
        return false;
    node_fill(node, graphs.count, 0, sizeof own.n_left);
    graphs_send(own.kernel, graphs.part.rows.n_vertices);
    node_read(node, graphs.count, sizeof own.n_left, &own.n_left);
    return true;
}

static uint64_t check(const void *found)
{
    return part_count_wrong(&graphs.part, found, serial_colors(&graphs.part.whole, key_of));
}

const struct graphs_program graphs_program = {
    .name = "color",
    .doc = "Colour the vertices of a graph so that neighbours differ, by a message to each later "
           "neighbour, and say how many edges a second that took. Directions of edges, loops and "
           "repeated edges do not count.",
    .source = color_cl,
    .wish.is_undirected = true,
    .open = open_color,
    .reset = reset,
    .step = step,
    .method = "greedy, serial",
    .check = check};
