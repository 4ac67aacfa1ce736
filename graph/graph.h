/* SPDX-License-Identifier: MIT */
/*
 * A graph on the devices of all nodes, and what its algorithms share.
 *
 * Vertices are in order of degree, and dealt in turn: the vertex of rank r is number r / n_nodes of node r % n_nodes. Its
 * *slot* is block * node + number, so the slots of a node lie side by side, and those with most edges come first.
 *
 * An edge is at the node of its target. What goes from node to node is a word of a source, once for all its edges there:
 * an algorithm has such words of all slots at every node, sends those of its own slots that have changed to every other
 * node, and takes what has come at the beginning of a round (words of the heap, by messages).
 *
 * Path:    gravel/graph.h -> create.c -> order.c, spread.c, rows.c -> exchange.c, sort.c; bfs.c and its like -> results.c.
 * Owner:   gravel_graph_create makes it, gravel_graph_destroy frees it.
 * Threads: one at a time.
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include <gravel/graph.h>
#include <gravel/mirror.h>
#include <gravel/rounds.h>

#include <CL/cl.h>
#include <stdbool.h>

#define GRAPH_NO_SLOT UINT32_MAX

/* Edges of a direction, on the device. */
struct graph_rows {
    cl_mem offsets; /* uint [n_rows + 1]; NULL: not made yet */
    cl_mem ends;    /* uint [n_edges] of each row ascending */
    cl_mem weights; /* [n_edges] of the graph's type; or NULL */
    uint32_t n_rows;
    bool is_other; /* the buffers are push's: undirected at one node, both directions are alike */
};

struct gravel_graph {
    struct gravel *gravel;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue; /* the graph's own, in order */
    uint32_t node, n_nodes; /* of loop-back nodes: 0, 1 */
    int n_threads;          /* of the host, which work at a time */

    uint64_t n_vertices, n_given; /* of the whole */
    uint64_t n_part;              /* edges that this node has given */
    uint64_t first, n_results;    /* vertices of the caller's whose results this node gets */
    uint32_t block, n_slots;      /* slots of a node, a multiple of 64, at least 64; of all nodes */
    uint32_t n_own;               /* slots that are vertices here: numbers 0 to n_own - 1 */
    uint32_t *slot_of;            /* [n_results] slot of vertex first + i */
    uint32_t *vertex_of;          /* [n_slots] vertex of a slot; GRAPH_NO_SLOT: none */
    uint64_t n_edges;             /* at this node, of both directions if undirected */
    uint32_t weight_type;         /* 0: no weights */
    bool is_undirected;

    /* Of the edges at this node, whose targets are own. Ends are numbers of own vertices in `push`, by slots of sources;
     * and slots in `pull`, by numbers of own vertices. graph_need makes them. */
    struct graph_rows push, pull;
    /* Host copies, which stay until the graph is destroyed: of an edge 16 bytes and its weight. */
    uint32_t *from, *to; /* [n_edges] slot, number: what rows are made of */
    void *weights;       /* [n_edges] or NULL */
    uint64_t *given;     /* [n_edges] GRAPH_GIVEN: which given edge this is */

    struct graph_stage {
        uint64_t at, piece_bytes, round;
    } stage; /* of exchanges: heap memory, while there is any */
    uint64_t device_bytes, create_ns;
    struct graph_picker {
        cl_kernel kernels[4]; /* pick, of words of 4 and 8 bytes; of several nodes show, see */
        cl_mem slot_of, picked;
        /* Of several nodes, where one does not have the words of all. */
        cl_mem whole; /* [n_slots] of 8 bytes */
        struct gravel_mirror *mirror;
        uint64_t shown; /* heap offset of uint [piece] that this node's slots have */
        uint32_t piece;
    } picker;              /* of results, from the first on */
    struct graph_bfs *bfs; /* what an algorithm keeps from call to call; NULL until it is called */
    struct graph_sssp *sssp;
    struct graph_pagerank *pagerank;
    struct graph_components *components;
    struct graph_forest *forest;
    struct graph_betweenness *betweenness;
    struct graph_triangles *triangles;
    struct graph_peel *colors, *cores;
};

/** Returns the slot of own vertex 0. */
static inline uint32_t graph_first_slot(const struct gravel_graph *graph)
{
    return graph->node * graph->block;
}

/** Returns the rank of a slot: where its vertex is in the order of all. */
static inline uint64_t graph_rank(const struct gravel_graph *graph, uint32_t slot)
{
    return (uint64_t)(slot % graph->block) * graph->n_nodes + slot / graph->block;
}

/** A given edge as a word: edge `place` of node `node`'s part. Words are in the order of (node, place). */
#define GRAPH_PLACE_BITS 40
#define GRAPH_GIVEN(node, place) ((uint64_t)(node) << GRAPH_PLACE_BITS | (place))
#define GRAPH_GIVEN_NODE(given) ((uint32_t)((given) >> GRAPH_PLACE_BITS))
#define GRAPH_GIVEN_PLACE(given) ((given) & ((UINT64_C(1) << GRAPH_PLACE_BITS) - 1))

/** Ends the calling function with what a step of it fails with. */
#define GRAPH_TRY(step)            \
    do {                           \
        const int try_code = step; \
        if (try_code)              \
            return try_code;       \
    } while (0)
/** Takes a step whether or not one before has failed; `code` is the first failure. */
#define GRAPH_KEEP(code, step)          \
    do {                                \
        const int keep_code = step;     \
        code = code ? code : keep_code; \
    } while (0)

/* ---- on the host's cores: parts of n things, `#pragma omp parallel for` over them -------------------- */

#define GRAPH_MOST_PARTS 64u
#define GRAPH_FEW \
    65536u /* things, for which other threads take longer to begin than one does for all */

/** Returns how many threads n things are for. */
static inline int graph_threads(const struct gravel_graph *graph, uint64_t n)
{
    return n > GRAPH_FEW ? graph->n_threads : 1;
}

/** Returns how many parts suit n things. */
static inline uint32_t graph_parts(uint64_t n)
{
    const uint64_t n_parts = n / GRAPH_FEW;
    return n_parts < 1 ? 1 : n_parts < GRAPH_MOST_PARTS ? (uint32_t)n_parts : GRAPH_MOST_PARTS;
}

/** Returns where a part begins; where it ends, part + 1 begins. */
static inline uint64_t graph_part(uint64_t n, uint32_t part, uint32_t n_parts)
{
    return n / n_parts * part + n % n_parts * part / n_parts;
}

/** Things by columns: a key, and what moves with it. */
struct graph_columns {
    uint32_t *key, *other;
    void *weight; /* of weight_bytes, 4 or 8; or NULL */
    uint32_t weight_bytes;
    uint64_t *given; /* or NULL */
};

/** sort.c: makes columns with room for n things, which `like` has columns for; to be freed. */
int graph_columns_alloc(struct graph_columns *out, const struct graph_columns *like, uint64_t n);
void graph_columns_free(struct graph_columns *columns);
/** sort.c: sorts stably by the key. @param n_keys  keys are less. @return 0; GRAVEL_ENOMEM */
int graph_sort(const struct gravel_graph *graph, struct graph_columns *out,
               const struct graph_columns *in, uint64_t n, uint64_t n_keys);

/* ---- making a graph ---------------------------------------------------------------------------- */

/** What a node sends to another one. */
struct graph_sent {
    const void *data;
    uint64_t bytes;
};
/** Makes room for what comes. @param coming  [n_nodes] bytes, from each node, this one too. @return 0; an error. */
typedef int graph_expect(void *context, const uint64_t *coming);
/** Takes what has come from a node, in pieces in order. @param at  of the piece in all that the node sends [bytes]. */
typedef void graph_take(void *context, uint32_t source, uint64_t at, const void *data,
                        uint64_t bytes);
/** exchange.c: takes heap memory for exchanges; frees it. Collective. @param most  bytes that any exchange sends from any
 * node to another, the same at every node. */
int graph_exchange_open(struct gravel_graph *graph, uint64_t most);
int graph_exchange_close(struct gravel_graph *graph);
/**
 * exchange.c: sends to every node, of several, and takes what comes, what this node has for itself too. Collective.
 * Pieces are multiples of 192 bytes, except for the last.
 *
 * @param code    what this node has failed with before: it sends and takes nothing then, but keeps no other waiting.
 * @param most    bytes that any node sends to another, at least; the same at every node.
 * @param sent    [n_nodes] not read if `code` is not 0.
 * @param expect  or NULL.
 * @return        code; or what went wrong here. Nodes have not agreed on it.
 */
int graph_exchange(struct gravel_graph *graph, int code, uint64_t most,
                   const struct graph_sent *sent, graph_expect *expect, graph_take *take,
                   void *context);

/** order.c: returns how many bytes it sends from a node to another, at most. */
uint64_t graph_order_bytes(const struct gravel_graph *graph);
/** order.c: finds the slots of all vertices. Collective; nodes have not agreed on what it returns. @param slots  [out] [n_vertices]; sets vertex_of. */
int graph_order(struct gravel_graph *graph, const struct gravel_graph_edges *edges,
                uint32_t *slots);
/** spread.c: brings each edge to the node of its target: sets n_edges, from, to, weights, given. Collective; nodes
 * have not agreed on what it returns. */
int graph_spread(struct gravel_graph *graph, const struct gravel_graph_edges *edges,
                 const uint32_t *slots);
/** rows.c: frees rows. */
void graph_rows_free(struct gravel_graph *graph, struct graph_rows *rows);

/** Returns a number of the caller's. @param id_bytes  4, or else 8. */
static inline uint64_t graph_id(const void *ids, uint32_t id_bytes, uint64_t i)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

/** Returns the bytes of a weight; 0: there are none. */
static inline uint32_t graph_weight_bytes(uint32_t weight_type)
{
    return weight_type == 0 ? 0 : weight_type == GRAVEL_DOUBLE ? 8 : 4;
}

/* ---- for algorithms ---------------------------------------------------------------------------- */

/** rows.c: make rows on the device, if they are not there. @return 0; GRAVEL_ENOMEM; GRAVEL_ECL. Not collective. */
int graph_need_push(struct gravel_graph *graph);
int graph_need_pull(struct gravel_graph *graph);
/** rows.c: makes rows, to be freed, of n edges. @param columns  key: ends; other: rows. @return 0; GRAVEL_ENOMEM;
 * GRAVEL_ECL. Not collective. */
int graph_rows_make(struct gravel_graph *graph, struct graph_rows *rows,
                    const struct graph_columns *columns, uint64_t n, uint32_t n_rows,
                    uint32_t n_ends);

/** device.c: fails as the library does: sets gravel_last_error's text. @return code */
int graph_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** graph_fail for memory of the host. @return GRAVEL_ENOMEM */
int graph_fail_memory(const char *what, uint64_t bytes);
/** Returns 0 for CL_SUCCESS, else fails for an OpenCL call about `bytes`. */
int graph_check_cl(const char *call, cl_int error, uint64_t bytes);
/** device.c: returns whether the device has an extension. */
bool graph_has(const struct gravel_graph *graph, const char *extension);
/** device.c: returns whether the device has doubles. */
bool graph_has_double(const struct gravel_graph *graph);
/** device.c: makes a buffer of the device, with `data` or uninitialised, counted in device_bytes. */
int graph_buffer(struct gravel_graph *graph, cl_mem *out, const void *data, uint64_t bytes);
void graph_release(struct gravel_graph *graph, cl_mem *buffer);
/** device.c: fill, write and read a buffer; done when the call returns. */
int graph_fill(struct gravel_graph *graph, cl_mem buffer, uint32_t word, uint64_t bytes);
int graph_write(struct gravel_graph *graph, cl_mem buffer, uint64_t at, const void *data,
                uint64_t bytes);
int graph_read(struct gravel_graph *graph, cl_mem buffer, uint64_t at, void *data, uint64_t bytes);

/** A value of a kernel's argument. */
struct graph_value {
    size_t bytes;
    const void *value;
};
#define GRAPH_VALUE(type, value) ((struct graph_value){sizeof(type), &(type){value}})
#define GRAPH_MEM(buffer) GRAPH_VALUE(cl_mem, buffer)
#define GRAPH_UINT(number) GRAPH_VALUE(cl_uint, (cl_uint)(number))
#define GRAPH_ULONG(number) GRAPH_VALUE(cl_ulong, number)
/** device.c: sets arguments of a kernel, from one on: GRAPH_SET(kernel, 2, GRAPH_UINT(n), GRAPH_MEM(levels)). @return 0;
 * GRAVEL_ECL */
int graph_set(cl_kernel kernel, cl_uint index, const struct graph_value *values, size_t n);
#define GRAPH_SET(kernel, index, ...)                                   \
    graph_set(kernel, index, (const struct graph_value[]){__VA_ARGS__}, \
              sizeof((const struct graph_value[]){__VA_ARGS__}) / sizeof(struct graph_value))

/** device.c: agrees on a code over all nodes: what one node has failed in, the others fail in too. Collective. @return
 * code; GRAVEL_EMISMATCH if another node alone has failed. */
int graph_agree(struct gravel_graph *graph, const char *call, int code);

/** results.c: find the slot of a vertex of the caller's, at every node. Collective. @return GRAVEL_EINVAL if there is no
 * such vertex. */
int graph_slot(struct gravel_graph *graph, const char *call, uint64_t vertex, uint32_t *slot);
/** results.c: make every node's own words known at every node: words [n_slots], of 4 or 8 bytes, in host memory.
 * Collective. */
int graph_share(struct gravel_graph *graph, void *words, uint32_t bytes);
/**
 * results.c: gets the caller's results of this node from words of slots, on the device. Collective.
 *
 * @param words     [n_slots] if is_whole, else [n_own]; of 4 or 8 bytes.
 * @param is_whole  this node has the words of all slots.
 * @param out       [n_results], or NULL, at some nodes or all: nothing is wanted there.
 */
int graph_results(struct gravel_graph *graph, const char *call, cl_mem words, bool is_whole,
                  uint32_t bytes, void *out);
void graph_picker_free(struct gravel_graph *graph);
/** results.c: picks the caller's results of this node from words of all slots in host memory, of 4 or 8 bytes. Not
 * collective. */
void graph_pick(const struct gravel_graph *graph, void *out, const void *words, uint32_t bytes);
/** results.c: adds to every node's own words what the other nodes have for these slots, in the order of nodes: words
 * [n_slots] doubles, or uint64_t, in host memory. Collective. */
int graph_add_up(struct gravel_graph *graph, void *words, bool is_real);
/** collect.c: collects the edges of all nodes at every node. Collective; nodes have not agreed on what it returns.
 * @param is_upward  only edges to a slot that comes before the source's in order of degree. @param columns  [out] key:
 * slot of the target; other: of the source; to be freed. @param n  [out] below 2^32. @return 0; GRAVEL_ENOMEM; as
 * graph_exchange_open. */
int graph_collect(struct gravel_graph *graph, const char *call, bool is_upward,
                  struct graph_columns *columns, uint64_t *n);
/** collect.c: makes rows of slots, of the edges of all nodes in both directions, at every node; repeats stay. A node that
 * is alone has its push and pull. As graph_collect. @param in  [of n_slots, or of n_own] */
int graph_collect_rows(struct gravel_graph *graph, const char *call, struct graph_rows *out,
                       struct graph_rows *in);

/* Each algorithm frees what it keeps. */
void graph_bfs_free(struct gravel_graph *graph);
void graph_sssp_free(struct gravel_graph *graph);
void graph_pagerank_free(struct gravel_graph *graph);
void graph_components_free(struct gravel_graph *graph);
void graph_forest_free(struct gravel_graph *graph);
void graph_betweenness_free(struct gravel_graph *graph);
void graph_triangles_free(struct gravel_graph *graph);
void graph_peel_free(struct gravel_graph *graph);

#endif
