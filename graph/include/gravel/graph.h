/* SPDX-License-Identifier: MIT */
/**
 * @file graph.h
 * Graph algorithms on all nodes of a job: library gravel-graph.
 *
 *     struct gravel_graph_edges edges = GRAVEL_GRAPH_EDGES(.n_vertices = n, .n_edges = m, .from = from, .to = to);
 *     gravel_graph_create(&graph, gravel, &edges);
 *     gravel_graph_bfs(graph, 0, levels, NULL);
 *     gravel_graph_destroy(graph);
 *
 * Vertices have the caller's numbers, 0 to n_vertices - 1. Every node gives a part of the edges, any one, and gets the
 * results of a range of vertices (gravel_graph_facts_read), in the order of nodes. Loop-back nodes have the whole
 * graph at node 0.
 *
 * All calls except gravel_graph_facts_read are collective, with the same arguments except each node's parts; what one
 * node refuses fails at all nodes, and the graph stays usable.
 *
 * Loops and repeated edges are allowed, and count as in NetworkX: a loop is no path, the lightest of repeated edges is
 * one, and PageRank adds their weights. Every call may return GRAVEL_ENOMEM and what gravel_rounds_run returns. [n of
 * this node] is an element for each vertex of the node's range. What a
 * call needs of device and heap is in docs/guide/graphs.md.
 */
#ifndef GRAVEL_GRAPH_H
#define GRAVEL_GRAPH_H

#include <gravel/gravel.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A graph, on the devices of all nodes. Opaque; made by gravel_graph_create. */
struct gravel_graph;

/**
 * Gets reports of a long call, on the thread that made it: when its work begins, and after iterations of PageRank,
 * sources of betweenness, and 1, 2, 4 and so on up to 256 rounds of searches, forests, colours and cores. It makes no
 * call for the graph but gravel_graph_facts_read.
 *
 * @param user    progress_user.
 * @param call    its name, such as "gravel_graph_bfs".
 * @param n_done  iterations, sources of each node, or rounds, of a forest of several nodes twice; of
 *                gravel_graph_create steps.
 * @param n_all   how many there are at most; 0: not known.
 * @return        0; any other value ends the call, by GRAVEL_ECANCELED, and GRAVEL_EMISMATCH at other nodes.
 */
typedef int gravel_graph_progress(void *user, const char *call, uint64_t n_done, uint64_t n_all);

/**
 * A node's part of the edges; n_vertices, is_undirected and weight_type are the same at every node. Made by
 * GRAVEL_GRAPH_EDGES.
 */
struct gravel_graph_edges {
    size_t bytes;
    uint64_t n_vertices;    /**< of the whole, below 2^32 less 64 a node */
    uint64_t n_edges;       /**< of this part; below 2^32 whose target is one node's */
    const void *from, *to;  /**< [n_edges] vertices; not used after the call */
    uint32_t id_bytes;      /**< of a vertex: 4; 8 or 0: 8 */
    uint32_t is_undirected; /**< 1: each edge is given once, and goes both ways */
    const void *weights;    /**< [n_edges] 0 or more, finite; or NULL */
    uint32_t weight_type;   /**< GRAVEL_UINT, _FLOAT or _DOUBLE; 0 without weights */
    gravel_graph_progress
        *progress; /**< of this call and the graph's; NULL: none, at some nodes or all */
    void *progress_user;
};

/** Initialises struct gravel_graph_edges, its size included. */
#define GRAVEL_GRAPH_EDGES(...)                                 \
    {                                                           \
        .bytes = sizeof(struct gravel_graph_edges), __VA_ARGS__ \
    }

/**
 * Makes a graph of edges, with barriers.
 *
 * @param edges  this node's part.
 * @return       0; GRAVEL_EINVAL (a member; a vertex or weight out of its range, with its edge); as gravel_alloc.
 */
int gravel_graph_create(struct gravel_graph **out, struct gravel *gravel,
                        const struct gravel_graph_edges *edges);

/** What a graph is. */
struct gravel_graph_facts {
    uint64_t n_vertices;   /**< of the whole */
    uint64_t n_edges;      /**< of the whole, as given */
    uint64_t first, n;     /**< vertices whose results this node gets */
    uint64_t device_bytes; /**< of this node's device, so far */
    uint64_t create_ns;    /**< of gravel_graph_create [nanoseconds] */
};

/** Describes a graph. @param facts  [out] */
int gravel_graph_facts_read(const struct gravel_graph *graph, struct gravel_graph_facts *facts,
                            size_t bytes);

/**
 * The level or distance of 4 bytes, and the parent, of a vertex that no path leads to. A real distance is infinite
 * instead.
 */
#define GRAVEL_GRAPH_FAR UINT32_MAX
#define GRAVEL_GRAPH_NONE UINT64_MAX

/**
 * Searches breadth-first.
 *
 * @param source   a vertex.
 * @param levels   [out] [n of this node] edges of the shortest path from the source; or NULL.
 * @param parents  [out] [n of this node] the least vertex before on such a path, the source for itself; or NULL.
 */
int gravel_graph_bfs(struct gravel_graph *graph, uint64_t source, uint32_t *levels,
                     uint64_t *parents);

/**
 * Finds shortest paths from a vertex, by weights; 1 each without.
 *
 * @param distances  [out] [n of this node] of the weights' type, uint32_t without; whole ones beyond UINT32_MAX - 1
 *                   count as far.
 * @param parents    [out] [n of this node] the least vertex before that is nearer to the source; or NULL. If none is
 *                   nearer, as edges weigh 0 or too little for the sum, the least with fewest such edges on its way:
 *                   parents form a tree.
 */
int gravel_graph_sssp(struct gravel_graph *graph, uint64_t source, void *distances,
                      uint64_t *parents);

/**
 * How PageRank is computed. A member that is 0 is as in NetworkX: damping 0.85, tolerance 1e-6, 100 iterations,
 * doubles. For none give DBL_MIN as damping, a negative tolerance. Made by GRAVEL_GRAPH_PAGERANK.
 */
struct gravel_graph_pagerank_options {
    size_t bytes;
    double damping;           /**< up to 1 */
    double tolerance;         /**< ends when the sum of all changes is below it times n_vertices */
    uint32_t most_iterations; /**< or after as many */
    uint32_t type;            /**< of ranks, GRAVEL_FLOAT or GRAVEL_DOUBLE */
    const double *personalization; /**< [n of this node] 0 or more, not all 0; NULL: all alike */
    uint32_t n_iterations;         /**< [out] */
    double change;                 /**< [out] the sum of all changes in the last one */
};

/** Initialises struct gravel_graph_pagerank_options, its size included. */
#define GRAVEL_GRAPH_PAGERANK(...)                                         \
    {                                                                      \
        .bytes = sizeof(struct gravel_graph_pagerank_options), __VA_ARGS__ \
    }

/**
 * Computes PageRank. Vertices without outgoing edges give their rank to all, by the personalization.
 *
 * @param options  or NULL.
 * @param ranks    [out] [n of this node] of the type; the sum of all is 1.
 * @return         0, also after most_iterations; GRAVEL_EINVAL (a member); GRAVEL_ECAPABILITY (no double); as
 *                 gravel_mirror_share.
 */
int gravel_graph_pagerank(struct gravel_graph *graph, struct gravel_graph_pagerank_options *options,
                          void *ranks);

/**
 * Labels connected components, regardless of the direction of edges.
 *
 * @param labels        [out] [n of this node] the least vertex of the component.
 * @param n_components  [out] or NULL.
 */
int gravel_graph_components(struct gravel_graph *graph, uint64_t *labels, uint64_t *n_components);

/**
 * Marks a spanning forest of least weight, regardless of the direction of edges; equal weights count in the order
 * given, by node and position.
 *
 * @param is_in  [out] [n_edges of this node's part] 1: the edge is in the forest.
 * @param n_in   [out] edges of the whole forest; or NULL.
 * @return       0; GRAVEL_ECAPABILITY (doubles without 64-bit atomics).
 */
int gravel_graph_forest(struct gravel_graph *graph, uint8_t *is_in, uint64_t *n_in);

/** How betweenness is counted. Made by GRAVEL_GRAPH_BETWEENNESS. */
struct gravel_graph_betweenness_options {
    size_t bytes;
    const uint64_t *sources; /**< [n_sources] different, the same at every node; NULL: all */
    uint64_t n_sources;      /**< 1 to n_vertices */
    uint32_t has_endpoints;  /**< 1: a path counts for its ends, too */
    uint32_t is_raw;         /**< 1: not divided by the number of pairs */
};

/** Initialises struct gravel_graph_betweenness_options, its size included. */
#define GRAVEL_GRAPH_BETWEENNESS(...)                                         \
    {                                                                         \
        .bytes = sizeof(struct gravel_graph_betweenness_options), __VA_ARGS__ \
    }

/**
 * Computes betweenness centrality: the fraction of all shortest paths between other vertices that lead over each
 * vertex. Weights do not count, and repeats of an edge are one. Fewer sources than vertices are scaled as in NetworkX:
 * without endpoints a single one has NAN itself. Results are NAN where numbers of paths pass 1e308; last digits depend
 * on the number of nodes.
 *
 * Each node has the edges of all nodes, and searches from its share of the sources.
 *
 * @param options     NULL: all sources, over the number of pairs.
 * @param centrality  [out] [n of this node]
 * @return            0; GRAVEL_EINVAL (a member, a source); GRAVEL_ECAPABILITY (no double).
 */
int gravel_graph_betweenness(struct gravel_graph *graph,
                             const struct gravel_graph_betweenness_options *options,
                             double *centrality);

/**
 * Counts triangles of an undirected graph: sets of three vertices with edges between all of them. Loops do not count,
 * and repeats of an edge are one. Each node has the edges of all nodes.
 *
 * @param triangles  [out] [n of this node] triangles of each vertex; or NULL.
 * @param total      [out] or NULL.
 * @return           0; GRAVEL_EINVAL (the graph is directed).
 */
int gravel_graph_triangles(struct gravel_graph *graph, uint64_t *triangles, uint64_t *total);

/**
 * Colours an undirected graph as NetworkX's greedy_color by largest_first: by degree, the highest first, then by
 * number, each vertex takes the least colour that no neighbour has. A loop adds two to a degree, a repeated edge one
 * each time.
 *
 * @param colors    [out] [n of this node] from 0 on.
 * @param n_colors  [out] of the whole graph; or NULL.
 * @return          0; GRAVEL_EINVAL (the graph is directed).
 */
int gravel_graph_color(struct gravel_graph *graph, uint32_t *colors, uint32_t *n_colors);

/**
 * Finds the core numbers of an undirected graph without loops: of each vertex the largest k for which it is in a
 * k-core, a subgraph in which all have at least k neighbours. Repeated edges count.
 *
 * @param cores  [out] [n of this node]
 * @return       0; GRAVEL_EINVAL (the graph is directed, or has a loop: its vertex).
 */
int gravel_graph_core_numbers(struct gravel_graph *graph, uint32_t *cores);

/** Destroys a graph, with a barrier. @return as gravel_barrier. */
int gravel_graph_destroy(struct gravel_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
