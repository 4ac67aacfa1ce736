/* SPDX-License-Identifier: MIT */
/**
 * @file graph.h
 * Graphs: breadth-first search, shortest paths, PageRank, components, forests, colours, cores, betweenness, triangles, on
 * all nodes of a job. Library gravel-graph.
 *
 *     struct gravel_graph_edges edges = GRAVEL_GRAPH_EDGES(.n_vertices = n, .n_edges = m, .from = from, .to = to);
 *     gravel_graph_create(&graph, gravel, &edges);
 *     gravel_graph_bfs(graph, 0, levels, NULL);
 *     gravel_graph_destroy(graph);
 *
 * Vertices have the caller's numbers, 0 to n_vertices - 1. Every node gives a part of the edges, whichever it has, and
 * gets the results of a range of vertices (gravel_graph_facts_read): of n nodes, node k those of the k-th part in order. A
 * node that is alone gives and gets all.
 *
 * All calls except gravel_graph_facts_read are collective: every node makes them in the same order, and with the same
 * arguments but its own part; what one node refuses fails at all nodes, and the graph stays usable. One thread at a time
 * may make calls for one graph. Nodes of one process (loop-back) have the whole graph at node 0. Destroy graphs before their
 * node is closed.
 *
 * Loops and repeated edges are allowed, and count as NetworkX has them: a loop is no path, of repeated edges the
 * lightest is one, and PageRank adds their weights.
 */
#ifndef GRAVEL_GRAPH_H
#define GRAVEL_GRAPH_H

#include <gravel/gravel.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A graph, on the devices of all nodes. Opaque; made by gravel_graph_create. */
struct gravel_graph;

/** A node's part of the edges. Made by GRAVEL_GRAPH_EDGES; later versions add members at the end. */
struct gravel_graph_edges {
    size_t bytes;          /**< sizeof(struct gravel_graph_edges) */
    uint64_t n_vertices;   /**< of the whole, below 2^32 less 64 a node; the same at every node */
    uint64_t n_edges;      /**< of this part; those whose target is one node's: below 2^32 */
    const void *from, *to; /**< [n_edges] numbers of vertices; not used behind the call */
    uint32_t id_bytes;     /**< of a number: 4; 8, or 0 for it */
    uint32_t
        is_undirected; /**< 1: each edge is given once, and goes both ways; the same at every node */
    const void *weights; /**< [n_edges] 0 or more, finite; NULL: there are none */
    uint32_t
        weight_type; /**< GRAVEL_UINT, GRAVEL_FLOAT or GRAVEL_DOUBLE; 0 without weights; the same at every node */
};

/** Initialises struct gravel_graph_edges, its size included. */
#define GRAVEL_GRAPH_EDGES(...)                                 \
    {                                                           \
        .bytes = sizeof(struct gravel_graph_edges), __VA_ARGS__ \
    }

/**
 * Make a graph of edges. Collective, with barriers. Of the symmetric heap a search needs about 4 bytes a vertex of the
 * whole graph, or 8 with distances of 8 bytes; of the device 4 bytes an edge and the weight, for each direction that is
 * used, and of the whole graph 20 bytes a vertex for levels, 16 to 24 for distances, 12 more for parents, 12 for results.
 *
 * @param out    [out] NULL on failure.
 * @param edges  this node's part.
 * @return       0; GRAVEL_EINVAL (a member; a vertex or a weight out of its range, with its edge); GRAVEL_ENOMEM;
 *               GRAVEL_EMISMATCH if nodes differ; as gravel_alloc.
 */
int gravel_graph_create(struct gravel_graph **out, struct gravel *gravel,
                        const struct gravel_graph_edges *edges);

/** What a graph is. Later versions add members at the end. */
struct gravel_graph_facts {
    uint64_t n_vertices;   /**< of the whole */
    uint64_t n_edges;      /**< of the whole, as given */
    uint64_t first, n;     /**< vertices whose results this node gets */
    uint64_t device_bytes; /**< that the graph has of this node's device, so far */
    uint64_t create_ns;    /**< that gravel_graph_create took [nanoseconds] */
};

/** Describe a graph. @param facts  [out] @param bytes  sizeof *facts @return 0; GRAVEL_EINVAL. */
int gravel_graph_facts_read(const struct gravel_graph *graph, struct gravel_graph_facts *facts,
                            size_t bytes);

/** Of a vertex that no path leads to: its level or distance, of 4 bytes; and its parent, of 8. A real distance is
 * infinite instead. */
#define GRAVEL_GRAPH_FAR UINT32_MAX
#define GRAVEL_GRAPH_NONE UINT64_MAX

/**
 * Breadth-first search. Collective.
 *
 * @param source   number of a vertex.
 * @param levels   [out] [n of this node] edges of the shortest path from the source; or NULL.
 * @param parents  [out] [n of this node] the vertex before on such a path, the least of those; the source's is itself;
 *                 or NULL.
 * @return         0; GRAVEL_EINVAL (source); GRAVEL_ENOMEM; as gravel_rounds_run.
 */
int gravel_graph_bfs(struct gravel_graph *graph, uint64_t source, uint32_t *levels,
                     uint64_t *parents);

/**
 * Shortest paths from a vertex, by weights; 1 each without. Collective.
 *
 * @param distances  [out] [n of this node], of the type of the weights, uint32_t without; whole ones that pass
 *                   UINT32_MAX - 1 count as far.
 * @param parents    [out] as gravel_graph_bfs, the least of those nearer to the source; or NULL. If none is nearer, as
 *                   edges weigh 0, or too little for the sum to show, the least of those that have parents over fewest
 *                   such edges: so parents form a tree.
 * @return           as gravel_graph_bfs.
 */
int gravel_graph_sssp(struct gravel_graph *graph, uint64_t source, void *distances,
                      uint64_t *parents);

/**
 * How PageRank is computed. A member that is 0 is as NetworkX has it: damping 0.85, tolerance 1e-6, 100 iterations,
 * doubles. For no damping give DBL_MIN, and for no tolerance a negative one. Made by GRAVEL_GRAPH_PAGERANK; later versions
 * add members at the end.
 */
struct gravel_graph_pagerank_options {
    size_t bytes;             /**< sizeof(struct gravel_graph_pagerank_options) */
    double damping;           /**< up to 1 */
    double tolerance;         /**< ends when the sum of all changes is below it times n_vertices */
    uint32_t most_iterations; /**< or behind so many */
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
 * PageRank. Vertices without edges out give their rank to all, as the personalization says. Collective.
 * Several nodes need about 12 bytes a vertex of the whole graph of the symmetric heap, 24 for doubles.
 *
 * @param options  NULL: as GRAVEL_GRAPH_PAGERANK.
 * @param ranks    [out] [n of this node] of the type; the sum of all is 1.
 * @return         0, also when most_iterations ended it: `change` says; GRAVEL_EINVAL (a member); GRAVEL_ECAPABILITY
 *                 (no double); GRAVEL_ENOMEM; as gravel_mirror_share.
 */
int gravel_graph_pagerank(struct gravel_graph *graph, struct gravel_graph_pagerank_options *options,
                          void *ranks);

/**
 * Connected components, whatever the direction of edges. Collective.
 *
 * @param labels        [out] [n of this node] the least vertex of the component.
 * @param n_components  [out] or NULL.
 * @return              0; GRAVEL_EINVAL (labels); GRAVEL_ENOMEM; as gravel_rounds_run.
 */
int gravel_graph_components(struct gravel_graph *graph, uint64_t *labels, uint64_t *n_components);

/**
 * A spanning forest of least weight, whatever the direction of edges: of edges of one weight the first by (part, place)
 * that were given. Takes 24 bytes of the device for each given edge; with weights of doubles 32. Collective.
 *
 * @param is_in  [out] [n_edges of this node's part] 1: the edge is in the forest, as this node gave it.
 * @param n_in   [out] edges of the whole forest; or NULL.
 * @return       0; GRAVEL_EINVAL (is_in); GRAVEL_ECAPABILITY (doubles, and no atomics of 64 bits); GRAVEL_ENOMEM; as
 *               gravel_rounds_run.
 */
int gravel_graph_forest(struct gravel_graph *graph, uint8_t *is_in, uint64_t *n_in);

/** How betweenness is counted. Made by GRAVEL_GRAPH_BETWEENNESS; later versions add members at the end. */
struct gravel_graph_betweenness_options {
    size_t bytes;            /**< sizeof(struct gravel_graph_betweenness_options) */
    const uint64_t *sources; /**< [n_sources] different, the same at every node; NULL: all */
    uint64_t n_sources;      /**< 1 to n_vertices; without sources not used */
    uint32_t has_endpoints;  /**< 1: a path counts for its ends, too */
    uint32_t is_raw;         /**< 1: not divided by the number of pairs that paths may be between */
};

/** Initialises struct gravel_graph_betweenness_options, its size included. */
#define GRAVEL_GRAPH_BETWEENNESS(...)                                         \
    {                                                                         \
        .bytes = sizeof(struct gravel_graph_betweenness_options), __VA_ARGS__ \
    }

/**
 * Betweenness centrality: the part of all shortest paths between other vertices that lead over each vertex; of n paths
 * between the same two each counts 1 / n. Weights do not count, and repeats of an edge are one. Fewer sources than
 * vertices are scaled as NetworkX scales them: without endpoints a single one has NAN itself. Numbers of paths are
 * doubles: where they pass 1e308, results are NAN. Results do not depend on timing; their last digits depend on the
 * number of nodes. Collective.
 *
 * Each node has the edges of all nodes, which take 4 bytes of its device in each direction, and searches from its share
 * of the sources: from several at once that have at most 4 M vertices in all, or from one, at about 40 bytes a vertex.
 *
 * @param options     NULL: all sources, over the number of pairs.
 * @param centrality  [out] [n of this node]
 * @return            0; GRAVEL_EINVAL (a member, a source); GRAVEL_EMISMATCH if nodes differ; GRAVEL_ECAPABILITY (no
 *                    double); GRAVEL_ENOMEM; as gravel_rounds_run.
 */
int gravel_graph_betweenness(struct gravel_graph *graph,
                             const struct gravel_graph_betweenness_options *options,
                             double *centrality);

/**
 * Triangles of an undirected graph: sets of three vertices with edges between all of them. Loops do not count, and
 * repeats of an edge are one. Each node has the edges of all nodes, which take 8 bytes of its device, and 12 a vertex;
 * it counts triangles of its share of the edges. Collective.
 *
 * @param triangles  [out] [n of this node] how many triangles each vertex is of; or NULL.
 * @param total      [out] how many there are; or NULL.
 * @return           0; GRAVEL_EINVAL (the graph is directed); GRAVEL_ENOMEM; GRAVEL_ECL.
 */
int gravel_graph_triangles(struct gravel_graph *graph, uint64_t *triangles, uint64_t *total);

/**
 * Colour an undirected graph: in order of degree, the highest first and those of one degree by number, each vertex takes
 * the least colour that none of its neighbours has. That is NetworkX's greedy_color by largest_first. In a degree a loop
 * counts twice, and a repeated edge as often as it is given. Takes 40 to 60 bytes a vertex of the device, and 4 of the
 * symmetric heap if there are several nodes, of the whole graph. Collective.
 *
 * @param colors    [out] [n of this node] from 0 on.
 * @param n_colors  [out] of the whole graph; or NULL.
 * @return          0; GRAVEL_EINVAL (a directed graph; colors); GRAVEL_ENOMEM; as gravel_rounds_run.
 */
int gravel_graph_color(struct gravel_graph *graph, uint32_t *colors, uint32_t *n_colors);

/**
 * Find the core numbers of an undirected graph without loops: of each vertex the largest k for which it is in a k-core, a
 * part of the graph in which all have k neighbours or more. A repeated edge counts as often as it is given. Takes the
 * memory of gravel_graph_color. Collective.
 *
 * @param cores  [out] [n of this node]
 * @return       0; GRAVEL_EINVAL (a directed graph; a loop, with its vertex; cores); GRAVEL_ENOMEM; as gravel_rounds_run.
 */
int gravel_graph_core_numbers(struct gravel_graph *graph, uint32_t *cores);

/** Destroy a graph. Collective, with a barrier. NULL is allowed. @return 0; as gravel_barrier. */
int gravel_graph_destroy(struct gravel_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
