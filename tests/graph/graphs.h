/* SPDX-License-Identifier: MIT */
/*
 * Small graphs that the tests of gravel-graph go through: every shape, directed and undirected, without weights and with
 * each type of them, with numbers of 4 and 8 bytes. All nodes know the whole list of edges, and each gives a part of it.
 *
 * Path:    this -> gravel_graph_create -> tests/graph/test_*.c, which compare with plain C on the whole.
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_GRAPHS_H
#define GRAVEL_TESTS_GRAPHS_H

#include "cases.h"
#include "support.h"

#include <gravel/graph.h>

struct graph_of_test {
    char name[64]; /* "kronecker-12, undirected, double" */
    uint64_t n_vertices, n_edges;
    uint64_t *from,
        *to; /* [n_edges] in the order of parts: edge i is in the part of the first node, or the next */
    bool is_undirected;
    uint32_t weight_type; /* 0: none */
    void *weights; /* [n_edges] or NULL; reals are multiples of 1/4 up to 8, so sums are exact */
    uint32_t id_bytes; /* of numbers that are given: 0, 4 or 8 */
};

/** The node of all tests of the program: as the launcher and the environment say. */
extern struct gravel *node_of_graphs;

/** Returns zeroed memory for n + 1 elements of `bytes` each. */
void *must_calloc(uint64_t n, size_t bytes);
/** Returns whether the node's device has double precision; else a call of reals has to say so. */
bool has_double(void);
/** Fails unless a call has ended with this code, and its error has the text. */
void expect_code(int code, int due, const char *text);

/** Returns an undirected graph without edges, which the caller adds; graphs_free frees it. */
struct graph_of_test graphs_new(const char *name, uint64_t n_vertices, uint64_t most_edges);
void graphs_add(struct graph_of_test *graph, uint64_t from, uint64_t to);
/** Returns a path, a hub at its end, and another hub that all neighbours of that one have. */
struct graph_of_test graphs_two_hubs(uint64_t n_path, uint64_t n_hub);
/** Makes graph i of the table, to be freed. @return false behind the last. */
bool graphs_make(struct graph_of_test *out, uint32_t i);
/** Makes the graph of this name. */
void graphs_make_named(struct graph_of_test *out, const char *name);
void graphs_free(struct graph_of_test *graph);

/** Returns how many nodes give a part: those of one process are one. */
uint32_t graphs_n_givers(void);
/** Returns the number of a node's first edge in the whole list; `node` may be the number of nodes. */
uint64_t graphs_first_edge(const struct graph_of_test *graph, uint32_t node);

/** Gives what this node gives: its part. Members that point to numbers of 4 bytes stay until the next call. */
struct gravel_graph_edges graphs_part(const struct graph_of_test *graph);

/** Calls a check of a graph, made of it and destroyed behind it; of every graph of the table; of those without weights. */
typedef void graphs_check(struct gravel_graph *made, const struct graph_of_test *graph);
void graphs_check_one(const struct graph_of_test *graph, graphs_check *check);
void graphs_each(graphs_check *check);
void graphs_each_without_weights(graphs_check *check);

/** A call of the library, of an undirected graph: its results in words of n doubles, zeroed before. */
struct graphs_call {
    const char *name; /* NULL: behind the last */
    int (*make)(struct gravel_graph *graph, void *words);
    bool is_real, reports; /* its words are doubles; it reports progress */
};
extern const struct graphs_call graphs_calls[];
bool graphs_are_equal(const struct graphs_call *call, const double *one, const double *other,
                      uint64_t n);

/** Returns weight i as a real; 1 if there are none. */
double graphs_weight(const struct graph_of_test *graph, uint64_t i);

/** Edges of the whole graph by vertices, for references: those that leave (or, is_in, reach) vertex v have the numbers
 * edges[offsets[v]] to edges[offsets[v + 1] - 1], and their other ends are in `ends`. Of an undirected graph each edge is
 * there both ways, a loop once. */
struct graphs_rows {
    uint64_t *offsets, *ends, *edges;
};
struct graphs_rows graphs_rows_of(const struct graph_of_test *graph, bool is_in);
void graphs_rows_free(struct graphs_rows *rows);

/** What must hold of a graph: else the program ends, and names it. */
#define MUST_OF(graph, condition)                                                         \
    do {                                                                                  \
        if (!(condition))                                                                 \
            die(__FILE__, __LINE__, "graph %s: not true: %s", (graph)->name, #condition); \
    } while (0)

#endif
