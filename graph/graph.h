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

#define GRAPH_MOST_BUFFERS 11u /* of an algorithm */

/** What an algorithm has made at its first call, and keeps for the next ones. All is zero before. See keep.c. */
struct graph_kept {
    bool is_whole;                      /* the next call finds all there */
    struct gravel_rounds *rounds;       /* NULL: its kernels are launched by themselves */
    cl_kernel kernels[6];               /* that of rounds is the first */
    uint64_t heap;                      /* offset of heap memory; 0: none */
    struct gravel_mirror *mirror;       /* of it; or NULL */
    cl_mem buffers[GRAPH_MOST_BUFFERS]; /* by numbers of the algorithm's own */
    struct graph_rows rows[2];
    void *memory[2]; /* of the host */
    uint32_t n;      /* of what the algorithm says */
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
    bool is_watched, is_reporting; /* some node has a progress function; this one's is running */
    gravel_graph_progress *progress;
    void *progress_user;

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
    struct graph_kept bfs, bfs_parents, sssp, sssp_parents, components, forest, betweenness,
        triangles, colors, cores, results;
    struct graph_pagerank *pagerank; /* of ranks.c */
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

#define GRAPH_N(array) (sizeof(array) / sizeof *(array))
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
/** Makes room for what comes from all nodes, this one too. @return 0; an error. */
typedef int graph_expect(void *context, uint64_t bytes);
/** Takes what has come from a node, in pieces in order. @param at  of the piece in all that comes, by nodes [bytes]. */
typedef void graph_take(void *context, uint32_t source, uint64_t at, const void *data,
                        uint64_t bytes);
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
/** exchange.c: exchanges what is alike: node m gets `bytes` bytes from data + m * stride on. As graph_exchange. */
int graph_exchange_once(struct gravel_graph *graph, int code, uint64_t most, const void *data,
                        uint64_t stride, uint64_t bytes, graph_expect *expect, graph_take *take,
                        void *context);

/** order.c: finds the slots of all vertices. Collective; nodes have not agreed on what it returns. @param slots  [out] [n_vertices]; sets vertex_of. */
int graph_order(struct gravel_graph *graph, const char *call,
                const struct gravel_graph_edges *edges, uint32_t *slots);
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

/** Returns weight i of an array, as a real; 1 if there are none. */
static inline double graph_weight(uint32_t weight_type, const void *weights, uint64_t i)
{
    return weight_type == 0              ? 1
           : weight_type == GRAVEL_UINT  ? ((const uint32_t *)weights)[i]
           : weight_type == GRAVEL_FLOAT ? (double)((const float *)weights)[i]
                                         : ((const double *)weights)[i];
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

/** device.c: begins a call. @return 0; GRAVEL_EINVAL, at this node alone: no graph, or its progress function has called. */
int graph_enter(const struct gravel_graph *graph, const char *call);
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
/** device.c: refuses what the device has no memory for. @return 0; GRAVEL_ENOMEM. Not collective. */
int graph_check_room(const struct gravel_graph *graph, const char *call, uint64_t bytes);
/** device.c: makes a buffer of the device, with `data` or uninitialised, counted in device_bytes. */
int graph_buffer(struct gravel_graph *graph, cl_mem *out, const void *data, uint64_t bytes);
void graph_release(struct gravel_graph *graph, cl_mem *buffer);
/** device.c: fill, write and read a buffer; done when the call returns. */
int graph_fill(struct gravel_graph *graph, cl_mem buffer, uint32_t word, uint64_t bytes);
int graph_write(struct gravel_graph *graph, cl_mem buffer, uint64_t at, const void *data,
                uint64_t bytes);
int graph_read(struct gravel_graph *graph, cl_mem buffer, uint64_t at, void *data, uint64_t bytes);

/** A value of a kernel's argument; or a buffer that graph_keep_rounds makes for it. */
struct graph_value {
    size_t bytes;
    const void *value; /* of a buffer: what is in it; NULL: it is not initialised */
    cl_mem *made;      /* NULL: a value */
};
#define GRAPH_VALUE(type, value) ((struct graph_value){sizeof(type), &(type){value}, NULL})
#define GRAPH_MEM(buffer) GRAPH_VALUE(cl_mem, buffer)
#define GRAPH_UINT(number) GRAPH_VALUE(cl_uint, (cl_uint)(number))
#define GRAPH_ULONG(number) GRAPH_VALUE(cl_ulong, number)
/** The value that a variable has when it is set. */
#define GRAPH_ARGUMENT(variable) ((struct graph_value){sizeof(variable), &(variable), NULL})
#define GRAPH_ROOM(buffer, bytes) ((struct graph_value){bytes, NULL, &(buffer)})
#define GRAPH_COPY(buffer, data, bytes) ((struct graph_value){bytes, data, &(buffer)})
/** device.c: sets arguments of a kernel, from one on: GRAPH_SET(kernel, 2, GRAPH_UINT(n), GRAPH_MEM(levels)). @return 0;
 * GRAVEL_ECL */
int graph_set(cl_kernel kernel, cl_uint index, const struct graph_value *values, size_t n);
#define GRAPH_SET(kernel, index, ...)                                   \
    graph_set(kernel, index, (const struct graph_value[]){__VA_ARGS__}, \
              sizeof((const struct graph_value[]){__VA_ARGS__}) / sizeof(struct graph_value))
/** device.c: enqueues a kernel of n work-items, rounded up to whole groups; 0 are nothing. @param group  work-items; 0: as
 * the driver likes. @param done  [out] or NULL @return 0; GRAVEL_ECL */
int graph_launch(const struct gravel_graph *graph, cl_kernel kernel, uint64_t n, size_t group,
                 cl_event *done);

/** device.c: agrees on a code over all nodes: what one node has failed in, the others fail in too. Collective. @return
 * code; GRAVEL_EMISMATCH if another node alone has failed. */
int graph_agree(struct gravel_graph *graph, const char *call, int code);
/** device.c: gravel_reduce, which a node that is alone does not need. */
int graph_reduce(struct gravel_graph *graph, uint32_t op, uint32_t type, void *values, uint32_t n);
/** device.c: refuses what nodes give differently. Collective. @param values  [n] up to 4, whose names are these.
 * @return 0; GRAVEL_EMISMATCH */
int graph_same(struct gravel_graph *graph, const char *call, uint32_t n, const char *const *names,
               const uint64_t *values);
/** device.c: reports progress, if no step has failed. @return code; GRAVEL_ECANCELED. Nodes have not agreed on it. */
int graph_progress(struct gravel_graph *graph, const char *call, int code, uint64_t n_done,
                   uint64_t n_all);
/** device.c: refuses memory for n results that is NULL at a node. Collective. @return 0; GRAVEL_EINVAL; as graph_agree. */
int graph_check_out(struct gravel_graph *graph, const char *call, const char *name, const void *out,
                    uint64_t n);

/* keep.c: what an algorithm keeps. A make begins with what the node needs for itself, whose code it hands from step to
 * step: each frees all that is there if this node or another one has failed. */

/** Allocates heap memory for kept->heap, if there are several nodes. Collective. @return code; what went wrong. */
int graph_keep_heap(struct gravel_graph *graph, const char *call, struct graph_kept *kept, int code,
                    uint64_t bytes);
/** Makes kept->heap, and a mirror there of the first n_words[node] words of each node. Collective. @param words  without its
 * offset and indices. @return code; what went wrong. */
int graph_keep_mirror(struct gravel_graph *graph, const char *call, struct graph_kept *kept,
                      int code, uint64_t bytes, struct gravel_words words);
/** Makes the buffers of a table of arguments, and rounds whose kernel has them. Collective. Ends with graph_keep.
 * @param first  argument of the first value; those before it differ from call to call. */
int graph_keep_rounds(struct gravel_graph *graph, const char *call, struct graph_kept *kept,
                      int code, const struct gravel_rounds_program *program, cl_uint first,
                      const struct graph_value *values, size_t n);
/** Makes kernels that are not of rounds. @param functions  [n] up to 4 @return 0; as gravel_program_build. */
int graph_keep_kernels(struct gravel_graph *graph, struct graph_kept *kept, const char *name,
                       const char *source, const char *options, const char *const *functions,
                       size_t n);
/** Ends a make: what is there is whole; or if it has failed, freed. Collective if there is more than buffers and kernels.
 * @return code */
int graph_keep(struct gravel_graph *graph, struct graph_kept *kept, int code);
/** Runs rounds until one counts nothing, and reports progress. Collective. @param code  of what came before, at this node. */
int graph_run(struct gravel_graph *graph, const char *call, const struct graph_kept *kept,
              int code);
void graph_kept_free(struct gravel_graph *graph, struct graph_kept *kept);

/** results.c: find the slot of a vertex of the caller's, at every node. Collective. @return GRAVEL_EINVAL if there is no
 * such vertex. */
int graph_slot(struct gravel_graph *graph, const char *call, uint64_t vertex, uint32_t *slot);
/** results.c: makes every node's own words known at every node: words [n_slots], of 4 or 8 bytes, in host memory; or its
 * block of block_bytes, in words [n_nodes]. Collective. @param code  of the step before, at this node. @return code; the
 * share's own; of blocks nodes have not agreed on it. */
int graph_share(struct gravel_graph *graph, const char *call, int code, void *words,
                uint32_t bytes);
int graph_share_blocks(struct gravel_graph *graph, int code, void *words, uint64_t block_bytes);
/**
 * results.c: gets the caller's results of this node from words of slots, on the device. Collective.
 *
 * @param words     [n_slots] if is_whole, else [n_own]; of 4 or 8 bytes.
 * @param is_whole  this node has the words of all slots.
 * @param out       [n_results], or NULL, at some nodes or all: nothing is wanted there.
 */
int graph_results(struct gravel_graph *graph, const char *call, cl_mem words, bool is_whole,
                  uint32_t bytes, void *out);
/** results.c: picks the caller's results of this node from words of all slots in host memory, of 8 bytes. */
void graph_pick(const struct gravel_graph *graph, void *out, const void *words);
/** results.c: adds to every node's own words what the other nodes have for these slots, in the order of nodes: words
 * [n_slots] doubles, or uint64_t, in host memory. Collective. */
int graph_add_up(struct gravel_graph *graph, void *words, bool is_real);
/** collect.c: collects the edges of all nodes at every node. Collective; nodes have not agreed on what it returns.
 * @param n_first  not 0: only edges from these slots in order of degree, to one before the source's. @param columns  [out] key:
 * slot of the target; other: of the source; to be freed. @param n  [out] below 2^32. @return 0; GRAVEL_ENOMEM; as
 * graph_exchange. */
int graph_collect(struct gravel_graph *graph, const char *call, uint64_t n_first,
                  struct graph_columns *columns, uint64_t *n);
/** collect.c: makes rows of slots, of the edges of all nodes in both directions, at every node; repeats stay. A node that
 * is alone has its push and pull. As graph_collect. @param in  [of n_slots, or of n_own] */
int graph_collect_rows(struct gravel_graph *graph, const char *call, struct graph_rows *out,
                       struct graph_rows *in);

/* ---- of several algorithms --------------------------------------------------------------------- */

/** Returns the bytes of marks for a round, as marks.cl.h has them. */
static inline uint64_t graph_marks_bytes(const struct gravel_graph *graph)
{
    return (graph->n_slots / 2048 + UINT64_C(1)) * sizeof(uint32_t);
}

/** device.c: returns how many work-items walk a row: 1 on a CPU. */
uint32_t graph_lanes(const struct gravel_graph *graph);
/** device.c: returns what distance.cl.h calls a type of weights, behind WEIGHT_. */
const char *graph_weight_name(uint32_t type);
/** bfs.c: gravel_graph_bfs, for a call of any name. Collective. */
int graph_find_levels(struct gravel_graph *graph, const char *call, uint64_t source,
                      uint32_t *levels, uint64_t *parents);
/** parents.c: finds each vertex' parent on a shortest path, by distances of all slots. Collective.
 * @param kept         of these distances alone.
 * @param is_weighted  false: distances are levels.
 * @param out          [n of this node]; NULL at all nodes: finds none. */
int graph_find_parents(struct gravel_graph *graph, const char *call, struct graph_kept *kept,
                       bool is_weighted, cl_mem distances, uint32_t source, uint64_t *out);
/** ranks.c: frees what PageRank keeps. */
void graph_pagerank_free(struct gravel_graph *graph);

#endif
