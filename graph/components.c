/* SPDX-License-Identifier: MIT */
/*
 * Connected components: sets of slots, which each node joins along its own edges. Of several nodes each then sends the
 * parents of all slots to every other one, once, and joins every slot with the parents that have come for it: slots
 * that edges of any nodes connect are of one set then, at every node.
 *
 * Path:    gravel_graph_components -> this -> components.cl, union.cl.h; exchange.c.
 * Owner:   the graph keeps struct graph_components from the first call on.
 * Threads: one at a time.
 * Source:  Sutton, Ben-Nun, Barak, IPDPS 2018; Jaiganesh and Burtscher, HPDC 2018.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char call[] = "gravel_graph_components";

extern const char graph_components_cl[];

struct graph_components {
    struct gravel_rounds *rounds;
    cl_kernel kernel;
    cl_mem parents, come, vertices, least, labels;
    uint32_t *words; /* [n_nodes][n_slots] parents, as each node has them */
    struct graph_sent *sent;
};

/* Arguments of the kernel that change; those between are set once. */
enum { BEGINS = 2, N_COME = 10 };

/* ---- what is made at the first call ------------------------------------------------------------ */

static int make_buffers(struct gravel_graph *graph, struct graph_components *own)
{
    const uint64_t bytes = (uint64_t)graph->n_slots * sizeof(uint32_t), n_nodes = graph->n_nodes;
    GRAPH_TRY(graph_need_pull(graph));
    GRAPH_TRY(graph_buffer(graph, &own->parents, NULL, bytes));
    GRAPH_TRY(graph_buffer(graph, &own->come, NULL, n_nodes > 1 ? n_nodes * bytes : 0));
    GRAPH_TRY(graph_buffer(graph, &own->vertices, graph->vertex_of, bytes));
    GRAPH_TRY(graph_buffer(graph, &own->least, NULL, bytes));
    GRAPH_TRY(graph_buffer(graph, &own->labels, NULL, graph->n_results * sizeof(uint64_t)));
    if (n_nodes == 1)
        return 0;
    own->words = malloc(n_nodes * bytes);
    own->sent = malloc(n_nodes * sizeof *own->sent);
    if (!own->words || !own->sent)
        return graph_fail_memory(call, n_nodes * (bytes + sizeof *own->sent));
    for (uint32_t node = 0; node < n_nodes; node++)
        own->sent[node] = (struct graph_sent){own->words + graph->node * bytes / 4, bytes};
    return 0;
}

static int make_kernel(struct gravel_graph *graph, struct graph_components *own)
{
    GRAPH_TRY(gravel_rounds_kernel(own->rounds, &own->kernel));
    GRAPH_TRY(GRAPH_SET(own->kernel, BEGINS + 1, GRAPH_UINT(graph->n_slots),
                        GRAPH_UINT(graph_first_slot(graph)), GRAPH_UINT(graph->n_own),
                        GRAPH_UINT(graph->block), GRAPH_MEM(graph->pull.offsets),
                        GRAPH_MEM(graph->pull.ends), GRAPH_MEM(own->parents)));
    return GRAPH_SET(own->kernel, N_COME + 1, GRAPH_MEM(own->come), GRAPH_MEM(own->vertices),
                     GRAPH_MEM(own->least), GRAPH_ULONG(graph->first),
                     GRAPH_ULONG(graph->n_results), GRAPH_MEM(own->labels));
}

/* Collective. */
static int make(struct gravel_graph *graph)
{
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "components.cl", .source = graph_components_cl,
                              .options = graph->is_undirected ? "-DIS_UNDIRECTED" : NULL,
                              .function = "components");
    struct graph_components *own = graph->components = calloc(1, sizeof *own);
    int code = own ? make_buffers(graph, own) : graph_fail_memory(call, sizeof *own);
    code = graph_agree(graph, call, code);
    if (!code)
        code = gravel_rounds_create(&own->rounds, graph->gravel, &program);
    if (!code)
        code = graph_agree(graph, call, make_kernel(graph, own));
    if (code)
        graph_components_free(graph);
    return code;
}

void graph_components_free(struct gravel_graph *graph)
{
    struct graph_components *own = graph->components;
    if (!own)
        return;
    gravel_rounds_destroy(own->rounds);
    if (own->kernel)
        clReleaseKernel(own->kernel);
    cl_mem *const buffers[] = {&own->parents, &own->come, &own->vertices, &own->least,
                               &own->labels};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
    free(own->words);
    free(own->sent);
    free(own);
    graph->components = NULL;
}

/* ---- a call ------------------------------------------------------------------------------------ */

/* Joins, from own edges or from what has come. Collective. @param code  of what came before, at this node. */
static int run(struct gravel_graph *graph, bool begins, uint64_t *n_components, int code)
{
    const struct graph_components *own = graph->components;
    const uint64_t n_come = begins ? 0 : (uint64_t)graph->n_nodes * graph->n_slots;
    struct gravel_rounds_ended ended;
    if (!code)
        code = GRAPH_SET(own->kernel, BEGINS, GRAPH_UINT(begins));
    if (!code)
        code = GRAPH_SET(own->kernel, N_COME, GRAPH_ULONG(n_come));
    GRAPH_TRY(graph_agree(graph, call, code));
    GRAPH_TRY(gravel_rounds_run(own->rounds, GRAVEL_UNTIL_MOST, 1, &ended, sizeof ended));
    *n_components = ended.sum;
    return 0;
}

static void take_parents(void *context, uint32_t source, uint64_t at, const void *data,
                         uint64_t bytes)
{
    const struct gravel_graph *graph = context;
    char *parents = (char *)(graph->components->words + (uint64_t)source * graph->n_slots);
    if (source != graph->node)
        memcpy(parents + at, data, bytes);
}

/* Joins what all nodes have found. Collective. */
static int join_nodes(struct gravel_graph *graph, uint64_t *n_components)
{
    const struct graph_components *own = graph->components;
    const uint64_t bytes = own->sent->bytes;
    uint32_t *parents = own->words + (uint64_t)graph->node * graph->n_slots;
    GRAPH_TRY(graph_exchange_open(graph, bytes));
    int code = graph_read(graph, own->parents, 0, parents, bytes);
    code = graph_exchange(graph, code, bytes, own->sent, NULL, take_parents, graph);
    GRAPH_KEEP(code, graph_exchange_close(graph));
    if (!code)
        code = graph_write(graph, own->come, 0, own->words, graph->n_nodes * bytes);
    return run(graph, false, n_components, code);
}

int gravel_graph_components(struct gravel_graph *graph, uint64_t *labels, uint64_t *n_components)
{
    uint64_t n = 0;
    int code = 0;
    if (!graph)
        return graph_fail(GRAVEL_EINVAL, "%s: graph is NULL", call);
    if (!labels && graph->n_results)
        code = graph_fail(GRAVEL_EINVAL, "%s: labels is NULL (memory for %" PRIu64 ")", call,
                          graph->n_results);
    GRAPH_TRY(graph_agree(graph, call, code));
    if (!graph->components)
        GRAPH_TRY(make(graph));
    GRAPH_TRY(run(graph, true, &n, 0));
    if (graph->n_nodes > 1)
        GRAPH_TRY(join_nodes(graph, &n));
    code =
        graph_read(graph, graph->components->labels, 0, labels, graph->n_results * sizeof *labels);
    GRAPH_TRY(graph_agree(graph, call, code));
    if (n_components)
        *n_components = n;
    return 0;
}
