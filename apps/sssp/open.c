/* SPDX-License-Identifier: MIT */
/*
 * This node's part on its device, and the vertex where the search begins.
 *
 * Path: sssp.c -> this -> search.c
 * Owner: see sssp.h.
 * Threads: main's.
 */
#include "sssp.h"
#include "graph/ghosts.h"

#include <stdio.h>
#include <stdlib.h>

/* Edges that one work-item relaxes: enough for a mesh's vertex, few enough that hubs spread. */
#define CHUNK 16

/* Vertices, so many that full groups look at all of them. */
static uint64_t fill_up(const struct sssp *sssp, uint64_t n)
{
    uint64_t n_group = (uint64_t)SCANNED * sssp->node.group_items;
    return (n + n_group - 1) / n_group * n_group;
}

/* So many at most, whatever groups a node takes: heaps are alike. */
static uint64_t filled_most(uint64_t n)
{
    return n + (uint64_t)SCANNED * NODE_MAX_GROUP;
}

size_t sssp_distance_bytes(const struct sssp *sssp)
{
    return sssp->form == SSSP_ULONG ? sizeof(cl_ulong) : sizeof(cl_uint);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* How many there are, and how long the longest is. */
static void count_chunks(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    sssp->n_chunks = 0;
    sssp->longest_chunk = 1;
    for (uint64_t u = 0; u < rows->n_vertices; u++) {
        uint64_t degree = graph_degree(rows, u), longest = degree < CHUNK ? degree : CHUNK;
        sssp->n_chunks += (degree + CHUNK - 1) / CHUNK;
        sssp->longest_chunk = longest > sssp->longest_chunk ? longest : sssp->longest_chunk;
    }
}

static cl_mem upload_offsets(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    cl_uint *offsets = app_array(rows->n_vertices + 1, sizeof(cl_uint), "a list of edges");
    for (uint64_t u = 0; u <= rows->n_vertices; u++)
        offsets[u] = (cl_uint)rows->offsets[u];
    cl_mem array = node_array(&sssp->node, (rows->n_vertices + 1) * sizeof *offsets, offsets);
    free(offsets);
    return array;
}

static cl_mem upload_slots(struct sssp *sssp, const struct ghosts *ghosts)
{
    const struct graph *rows = &sssp->part.rows;
    cl_uint *slots = app_array(rows->n_edges, sizeof(cl_uint), "a list of edges");
    for (uint64_t e = 0; e < rows->n_edges; e++)
        slots[e] = ghosts_slot(ghosts, rows->neighbours[e]);
    cl_mem array = node_array(&sssp->node, rows->n_edges * sizeof *slots, slots);
    free(slots);
    return array;
}

static cl_mem upload_targets(struct sssp *sssp, const struct ghosts *ghosts)
{
    cl_uint *targets = app_array(2 * sssp->n_slots, sizeof(cl_uint), "a list of edges");
    for (uint64_t i = 0; i < sssp->n_slots; i++) {
        targets[2 * i] = ghosts_owner(ghosts, i);
        targets[2 * i + 1] = ghosts_index(ghosts, i);
    }
    cl_mem array = node_array(&sssp->node, 2 * sssp->n_slots * sizeof *targets, targets);
    free(targets);
    return array;
}

static void upload(struct sssp *sssp)
{
    struct node *node = &sssp->node;
    const struct graph *rows = &sssp->part.rows;
    struct ghosts ghosts;
    ghosts_open(&ghosts, &sssp->part);
    sssp->n_slots = ghosts_n_slots(&ghosts);
    sssp->n_settled = fill_up(sssp, rows->n_vertices);
    uint64_t n_best = sssp->n_slots > sssp->n_settled ? sssp->n_slots : sssp->n_settled;
    count_chunks(sssp);
    sssp->offsets = upload_offsets(sssp);
    sssp->slots = upload_slots(sssp, &ghosts);
    sssp->targets = upload_targets(sssp, &ghosts);
    ghosts_close(&ghosts);
    sssp->weights = node_array(node, rows->n_edges * sizeof(cl_uint), rows->weights);
    part_forget_edges(&sssp->part);
    size_t distance_bytes = sssp_distance_bytes(sssp);
    uint64_t n_groups = rows->n_vertices / node->group_items + 1;
    sssp->settled = node_array(node, sssp->n_settled * distance_bytes, NULL);
    sssp->best = node_array(node, n_best * distance_bytes, NULL);
    sssp->frontier = node_array(node, sssp->n_chunks * sizeof(cl_uint2), NULL);
    sssp->counts = node_array(node, 2 * sizeof(cl_uint), NULL);
    sssp->lows = node_array(node, n_groups * distance_bytes, NULL);
}

/* ---- source ---------------------------------------------------------------------------------- */

static bool is_own(const struct sssp *sssp, uint64_t v)
{
    return partition_has(&sssp->part.partition, sssp->part.node, v);
}

/* The sssp_degrees: each node knows its own. */
static void get_degrees(void *context, const uint64_t *vertices, uint64_t *degrees)
{
    struct sssp *sssp = context;
    for (uint32_t i = 0; i < SSSP_TRIED; i++)
        degrees[i] = is_own(sssp, vertices[i])
                         ? graph_degree(&sssp->part.rows,
                                        partition_index(&sssp->part.partition, vertices[i]))
                         : 0;
    node_check(gravel_reduce(sssp->node.gravel, GRAVEL_ADD, GRAVEL_ULONG, degrees, SSSP_TRIED));
}

/* The first vertex with an edge, or vertex 0. */
static uint64_t first_with_edges(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    uint64_t first = UINT64_MAX;
    for (uint64_t u = rows->n_vertices; u-- > 0;)
        if (graph_degree(rows, u))
            first = sssp->part.vertices[u];
    first = node_least(&sssp->node, first);
    return first == UINT64_MAX ? 0 : first;
}

/* ---- open and close -------------------------------------------------------------------------- */

static void build(struct sssp *sssp)
{
    extern const char sssp_cl[];
    static const char *const forms[] = {"", " -DSSSP_ULONG", " -DSSSP_FLOAT"};
    char defines[96];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u -DCHUNK=%u%s%s", sssp->node.group_items,
             CHUNK, forms[sssp->form], sssp->node.schedule ? " -DHAS_TASKS" : "");
    node_build(&sssp->node, "sssp.cl", sssp_cl, defines);
    if (sssp->node.schedule)
        sssp->relax_tasks = node_kernel_without_arena(&sssp->node, "relax_tasks");
    sssp->reset = node_kernel(&sssp->node, "reset");
    sssp->gather = node_kernel(&sssp->node, "gather");
    sssp->relax = node_kernel(&sssp->node, "relax");
    sssp->lowest = node_kernel(&sssp->node, "lowest");
}

static void set_arguments(struct sssp *sssp)
{
    cl_kernel kernels[] = {sssp->reset, sssp->gather, sssp->lowest};
    cl_uint n_own = (cl_uint)sssp->part.rows.n_vertices;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        NODE_SET(kernels[i], 2, cl_ulong, sssp->distances);
    NODE_SET(sssp->reset, 3, cl_mem, sssp->settled);
    NODE_SET(sssp->reset, 4, cl_mem, sssp->best);
    NODE_SET(sssp->reset, 5, cl_uint, n_own);
    NODE_SET(sssp->reset, 6, cl_uint,
             is_own(sssp, sssp->source)
                 ? (cl_uint)partition_index(&sssp->part.partition, sssp->source)
                 : n_own);
    NODE_SET(sssp->reset, 7, cl_uint, (cl_uint)sssp->n_settled);
    NODE_SET(sssp->gather, 4, cl_mem, sssp->settled);
    NODE_SET(sssp->gather, 5, cl_mem, sssp->best);
    NODE_SET(sssp->gather, 6, cl_mem, sssp->offsets);
    NODE_SET(sssp->gather, 7, cl_mem, sssp->frontier);
    NODE_SET(sssp->gather, 8, cl_mem, sssp->counts);
    NODE_SET(sssp->relax, 3, cl_ulong, sssp->distances);
    NODE_SET(sssp->relax, 4, cl_mem, sssp->frontier);
    NODE_SET(sssp->relax, 5, cl_mem, sssp->offsets);
    NODE_SET(sssp->relax, 6, cl_mem, sssp->slots);
    NODE_SET(sssp->relax, 7, cl_mem, sssp->weights);
    NODE_SET(sssp->relax, 8, cl_mem, sssp->targets);
    NODE_SET(sssp->relax, 9, cl_mem, sssp->settled);
    NODE_SET(sssp->relax, 10, cl_mem, sssp->best);
    NODE_SET(sssp->lowest, 3, cl_mem, sssp->settled);
    NODE_SET(sssp->lowest, 4, cl_mem, sssp->lows);
}

/* What can only be judged by the graph. */
static void check_options(const struct sssp *sssp)
{
    if (sssp->has_source)
        sssp_check_source(sssp->part.survey.n_vertices, sssp->source);
    sssp_check_delta(sssp->form, sssp->delta);
    if (sssp->node.schedule && (sssp->delta > 0 || sssp->form == SSSP_ULONG))
        die("--schedule: distances of 32 bits, and no --delta");
}

void sssp_open(void *self)
{
    struct sssp *sssp = self;
    struct node *node = &sssp->node;
    part_survey(&sssp->part, sssp->options.seed, (struct part_wish){.refuse_negative = true});
    sssp->form = sssp_choose_form(&sssp->part.survey);
    check_options(sssp);
    /* As for one node, because only an open node knows how many there are. */
    node_open(node, filled_most(sssp->part.survey.n_vertices) * sssp_distance_bytes(sssp));
    node_part(node, &sssp->part);
    graph_draw_weights(&sssp->part.rows, sssp->part.vertices, sssp->options.seed);
    if (!sssp->has_source && !sssp_draw_source(&sssp->source, sssp->part.survey.n_vertices,
                                               sssp->options.seed, get_degrees, sssp))
        sssp->source = first_with_edges(sssp);
    sssp->distances =
        node_alloc(node, filled_most(sssp->part.partition.block) * sssp_distance_bytes(sssp));
    upload(sssp);
    build(sssp);
    set_arguments(sssp);
    if (node->schedule)
        sssp_schedule_open(sssp);
}

void sssp_close(void *self)
{
    struct sssp *sssp = self;
    if (sssp->node.schedule)
        tasks_close(&sssp->tasks);
    part_close(&sssp->part);
    node_close(&sssp->node);
}
