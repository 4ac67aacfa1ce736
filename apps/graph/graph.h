/* SPDX-License-Identifier: MIT */
/*
 * A graph in compressed sparse rows: row u holds the neighbours of vertex u; owners of vertices by blocks; and serial methods,
 * with which programs compare what they found.
 *
 * Path:    part.c -> read.c, generate.c, mesh.c -> build.c -> this -> the application's kernels, serial.c -> its check
 * Owner:   struct graph owns its arrays; graph_free gives them back. Arrays are plain, to be copied to a device. Results of
 *          serial methods are the caller's to free. What a stream lists from is its own, until graph_stream_free.
 * Threads: a graph may be read by any number of threads; OpenMP's list a stream's items concurrently. graph_read: one at a time.
 *
 * Duplicate edges and loops are kept. Neighbours of a row rise, and of equal ones the weights do.
 */
#ifndef APPS_GRAPH_H
#define APPS_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/* ---- owners: element v of n is element v % block of node v / block ----------------------------------
 *
 * The first nodes have full blocks, one may be short, the rest are empty: more nodes than vertices work.
 */

/* Elements [first, last). */
struct block_range {
    uint64_t first, last;
};

/** Elements of a node [count], rounded up; at least 1, so that it can divide. n_nodes is not 0. */
static inline uint64_t block_of(uint64_t n, uint32_t n_nodes)
{
    uint64_t block = n / n_nodes + (n % n_nodes != 0);
    return block ? block : 1;
}

/** Elements of one node; empty past the end. */
static inline struct block_range block_range(uint64_t n, uint32_t n_nodes, uint32_t node)
{
    uint64_t block = block_of(n, n_nodes);
    uint64_t first = n / block < node ? n : node * block;
    uint64_t last = n - first < block ? n : first + block;
    return (struct block_range){first, last};
}

/* ---- rows ------------------------------------------------------------------------------------------ */

/* Vertices are numbered in 32 bits and UINT32_MAX is left free for "no vertex"; so are edges, for kernels. */
#define GRAPH_MAX_VERTICES UINT64_C(0xffffffff)
#define GRAPH_MAX_EDGES UINT64_C(0xfffffffe)

struct graph {
    uint64_t n_vertices;
    uint64_t n_edges;     /* entries of neighbours; an undirected edge is two */
    uint64_t *offsets;    /* [n_vertices + 1], rising; row u is [offsets[u], offsets[u + 1]) */
    uint32_t *neighbours; /* [n_edges] */
    uint32_t *weights;    /* [n_edges]; NULL: 1 each */
};

/** Neighbours of vertex u [count]. */
static inline uint64_t graph_degree(const struct graph *graph, uint64_t u)
{
    return graph->offsets[u + 1] - graph->offsets[u];
}

/* ---- from edges in any order ---------------------------------------------------------------------- */

struct graph_edge {
    uint32_t from, to, weight;
};

typedef void graph_visit(void *context, struct graph_edge edge);

/* Edges that can be listed again and again, by items: edges, or rows; an undirected edge is listed both ways. */
struct graph_stream {
    void (*list)(const struct graph_stream *stream, struct block_range items, graph_visit *visit,
                 void *context);
    uint64_t n_items;
    uint64_t n_vertices, n_edges; /* of the graph; an undirected edge is two */
    bool has_weights;
    /* Of a file: */
    bool goes_both_ways;      /* each edge is listed turned round, too */
    uint64_t print;           /* its fingerprint */
    struct graph_edge *edges; /* [n_items] */
    struct text *text;        /* while it is read */
    /* Of a synthetic graph: */
    uint64_t key;   /* of what is drawn */
    unsigned scale; /* log2 of the vertices, where edges are drawn */
    uint64_t width; /* of a mesh: coarse triangles in a row, of n_items rows */
    uint32_t *made; /* [width * n_items + 1] vertices that cuts made before each, row by row */
    uint64_t room;  /* of edges, or of `made` */
};

/** Sort edges into rows; or die. A stream is listed twice, and besides the rows only 8 bytes for each edge of the longest
 * are needed, a thread. */
void graph_build(struct graph *out, const struct graph_stream *stream);

/** Free what it lists from, also of a file that is not read to its end, and zero the struct. */
void graph_stream_free(struct graph_stream *stream);

/* ---- sources: a list in a file, or a synthetic graph: Kronecker, uniform, band or mesh --------------- */

/** Read a list of edges in a file; or die of its first fault, with its line. @param goes_both_ways  the stream lists each edge
 * turned round, too. */
void graph_read(struct graph_stream *stream, const char *path, bool goes_both_ways);

/* Generates an undirected graph, which one seed makes alike on any machine: of a size, as the kind counts it, and of edges drawn
 * per vertex, if the kind draws them. */
typedef struct graph_stream graph_generate(uint64_t size, unsigned degree, uint64_t seed);

#define GENERATE_MAX_SCALE 31
#define GENERATE_MAX_DEGREE 65536

/**
 * Returns the edges, both ways, of Graph500's Kronecker graph (A .57, B .19, C .19, D .05) of 2^scale vertices, in a random order;
 * uniform_stream: both ends of every edge uniform over all vertices.
 *
 * @param scale   [0, GENERATE_MAX_SCALE].
 * @param degree  [1, GENERATE_MAX_DEGREE], edges drawn per vertex, as Graph500 and GAPBS count:
 *                each is in both rows, so the rows have 2 * degree << scale entries. Loops
 *                (twice in their row) and duplicates are kept.
 *
 * Source: Graph500 specification 2.0, section 3.
 */
graph_generate kronecker_stream, uniform_stream;

#define BAND_MIN_VERTICES 1
#define BAND_MAX_VERTICES (UINT64_C(1) << 31)

/**
 * Returns edges, both ways, and once the diagonal, of a band graph with the degree statistics of cage15, a matrix of DNA
 * electrophoresis.
 *
 * cage15 has 5154859 rows and 99199551 entries, the diagonal among them: 19.24 a row, 3 to 47, in a band; of 8 blocks,
 * 16.5 % of the edges lead to another (Orr 2016, table 5-4). Here, at that size, there are 99226761 entries, 19.25 a row,
 * 3 to 48, none farther than 1/20 of the rows away, and 16.6 % lead to another of 8 blocks.
 *
 * Source: A. van Heukelum, G. Barkema, R. Bisseling, DNA electrophoresis studied with the cage model, 2002; matrix cage15 of
 * the SuiteSparse collection.
 *
 * @param size  vertices: [BAND_MIN_VERTICES, BAND_MAX_VERTICES].
 */
graph_generate band_stream;

#define MESH_MIN_VERTICES 6
#define MESH_MAX_VERTICES (UINT64_C(1) << 31)

/** Lays out an adaptive mesh of `size` vertices, [MESH_MIN_VERTICES, MESH_MAX_VERTICES], or up to two rows more; or dies. @return
 * edges, both ways. */
graph_generate mesh_stream;

/* ---- of a graph ----------------------------------------------------------------------------------- */

/** Free the arrays and zero the struct; a zeroed graph is fine. */
void graph_free(struct graph *graph);

/** Drop the loops of each row, all but one of equal neighbours, and the weights: in place. */
void graph_make_simple(struct graph *graph);

/** List the vertex that each edge leaves; or die. @param first  number of the first row's @return  [n_edges], to be freed */
uint32_t *graph_list_sources(const struct graph *rows, uint64_t first);

/* ---- serial methods, on a whole graph --------------------------------------------------------------- */

/**
 * Compute PageRank from 1 / n_vertices each; or die.
 *
 * @param shares_idle  the rank of vertices without edges goes to all; else to none.
 * @return             [n_vertices]
 */
double *serial_ranks(const struct graph *graph, double damping, uint64_t n_iterations,
                     bool shares_idle);

/* Marks a vertex that no path reaches, or only one longer than numbers hold, and a vertex without a colour. */
#define SERIAL_NONE UINT32_MAX

/** Find the distances of all vertices by Dijkstra's algorithm; or die. @return  [n_vertices] */
uint32_t *serial_distances(const struct graph *graph, uint64_t source);

/** Find the edges of a minimum spanning forest by Kruskal's algorithm, of equal weights the first; or die.
 * @return  [n_edges] 1: it is one */
uint8_t *serial_forest(const struct graph *graph);

/* Returns a key of a vertex, by which they are ordered; no two are alike. */
typedef uint64_t serial_key(const struct graph *graph, uint64_t vertex);

/** Give each vertex, in the order of keys, the least colour that no neighbour has; or die. @return  [n_vertices] */
uint32_t *serial_colors(const struct graph *graph, serial_key *key_of);

#endif
