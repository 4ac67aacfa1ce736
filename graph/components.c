/* SPDX-License-Identifier: MIT */
/*
 * Connected components: sets of slots, which each node joins along its own edges. Of several nodes each then sends the
 * parents of all slots to every other one, once, and joins every slot with the parents that have come for it: slots
 * that edges of any nodes connect are of one set then, at every node.
 *
 * Path:    gravel_graph_components -> this -> keep.c, components.cl, union.cl.h; results.c.
 * Owner:   graph->components, made at the first call.
 * Threads: one at a time.
 * Source:  Sutton, Ben-Nun, Barak, IPDPS 2018; Jaiganesh and Burtscher, HPDC 2018.
 */
#include "graph.h"

#include <stdlib.h>

static const char call[] = "gravel_graph_components";

extern const char graph_components_cl[];

/* Buffers that are kept; and in memory, of several nodes, [n_nodes][n_slots] parents as each node has them. */
enum { PARENTS, COME, VERTICES, LEAST, LABELS };

/* Collective. */
static int make(struct gravel_graph *graph, struct graph_kept *kept)
{
    cl_mem *own = kept->buffers;
    const uint64_t bytes = (uint64_t)graph->n_slots * sizeof(uint32_t),
                   come_bytes = graph->n_nodes > 1 ? graph->n_nodes * bytes : 0;
    const cl_uint first = graph_first_slot(graph);
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "components.cl", .source = graph_components_cl,
                              .options = graph->is_undirected ? "-DIS_UNDIRECTED" : NULL,
                              .function = "components");
    int code = graph_need_pull(graph);
    kept->memory[0] = malloc(come_bytes + 1);
    if (!code && !kept->memory[0])
        code = graph_fail_memory(call, come_bytes);
    const struct graph_value arguments[] = {
        GRAPH_ARGUMENT(graph->n_slots),
        GRAPH_ARGUMENT(first),
        GRAPH_ARGUMENT(graph->n_own),
        GRAPH_ARGUMENT(graph->block),
        GRAPH_ARGUMENT(graph->pull.offsets),
        GRAPH_ARGUMENT(graph->pull.ends),
        GRAPH_ROOM(own[PARENTS], bytes),
        GRAPH_ROOM(own[COME], come_bytes),
        GRAPH_COPY(own[VERTICES], graph->vertex_of, bytes),
        GRAPH_ROOM(own[LEAST], bytes),
        GRAPH_ARGUMENT(graph->first),
        GRAPH_ARGUMENT(graph->n_results),
        GRAPH_ROOM(own[LABELS], graph->n_results * sizeof(uint64_t))};
    return graph_keep_rounds(graph, call, kept, code, &program, 4, arguments, GRAPH_N(arguments));
}

/* Joins, from own edges or from what has come. Collective. @param code  of what came before, at this node. */
static int run(struct gravel_graph *graph, bool begins, uint64_t *n_components, int code)
{
    const struct graph_kept *kept = &graph->components;
    const uint64_t n_come = begins ? 0 : (uint64_t)graph->n_nodes * graph->n_slots;
    struct gravel_rounds_ended ended;
    if (!code)
        code = GRAPH_SET(kept->kernels[0], 2, GRAPH_UINT(begins), GRAPH_ULONG(n_come));
    GRAPH_TRY(graph_agree(graph, call, code));
    GRAPH_TRY(gravel_rounds_run(kept->rounds, GRAVEL_UNTIL_MOST, 1, &ended, sizeof ended));
    *n_components = ended.sum;
    return 0;
}

/* Joins what all nodes have found. Collective. */
static int join_nodes(struct gravel_graph *graph, uint64_t *n_components)
{
    const struct graph_kept *kept = &graph->components;
    const uint64_t bytes = (uint64_t)graph->n_slots * sizeof(uint32_t);
    char *parents = kept->memory[0];
    int code = graph_read(graph, kept->buffers[PARENTS], 0, parents + graph->node * bytes, bytes);
    code = graph_share_blocks(graph, code, parents, bytes);
    if (!code)
        code = graph_write(graph, kept->buffers[COME], 0, parents, graph->n_nodes * bytes);
    return run(graph, false, n_components, code);
}

int gravel_graph_components(struct gravel_graph *graph, uint64_t *labels, uint64_t *n_components)
{
    uint64_t n = 0;
    GRAPH_TRY(graph_enter(graph, call));
    struct graph_kept *kept = &graph->components;
    GRAPH_TRY(graph_check_out(graph, call, "labels", labels, graph->n_results));
    if (!kept->is_whole)
        GRAPH_TRY(make(graph, kept));
    GRAPH_TRY(run(graph, true, &n, 0));
    if (graph->n_nodes > 1)
        GRAPH_TRY(join_nodes(graph, &n));
    const int code =
        graph_read(graph, kept->buffers[LABELS], 0, labels, graph->n_results * sizeof *labels);
    GRAPH_TRY(graph_agree(graph, call, code));
    if (n_components)
        *n_components = n;
    return 0;
}
