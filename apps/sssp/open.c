/* SPDX-License-Identifier: MIT */
/*
 * The node, its kernels, and the vertex where the search begins.
 *
 * Path: sssp.c -> this -> edges.c, width.c, search.c
 * Owner: see sssp.h.
 * Threads: main's.
 */
#include "sssp.h"
#include <stdio.h>
#include <stdlib.h>

/* So many at most, whatever groups a node takes: heaps are alike. */
static uint64_t filled_most(uint64_t n)
{
    return n + (uint64_t)SCANNED * NODE_MAX_GROUP;
}

size_t sssp_distance_bytes(const struct sssp *sssp)
{
    return sssp->form == SSSP_ULONG ? sizeof(cl_ulong) : sizeof(cl_uint);
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
    TRY(gravel_reduce(sssp->node.gravel, GRAVEL_ADD, GRAVEL_ULONG, degrees, SSSP_TRIED));
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
             SSSP_CHUNK, forms[sssp->form], sssp->node.schedule ? " -DHAS_TASKS" : "");
    node_build(&sssp->node, "sssp.cl", sssp_cl, defines);
    if (sssp->node.schedule)
        sssp->relax_tasks = node_kernel_without_arena(&sssp->node, "relax_tasks");
    sssp->reset = node_kernel(&sssp->node, "reset");
    sssp->gather = node_kernel(&sssp->node, "gather");
    sssp->relax = node_kernel(&sssp->node, "relax");
    if (!sssp->sends_own)
        sssp->relax_own = node_kernel(&sssp->node, "relax_own");
    sssp->lowest = node_kernel(&sssp->node, "lowest");
}

static void set_arrays(cl_kernel kernel, cl_uint from, const cl_mem *arrays, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++)
        NODE_SET(kernel, from + i, cl_mem, arrays[i]);
}
#define SET_ARRAYS(kernel, from, ...)                       \
    set_arrays(kernel, from, (const cl_mem[]){__VA_ARGS__}, \
               sizeof((const cl_mem[]){__VA_ARGS__}) / sizeof(cl_mem))

static void set_reset(struct sssp *sssp)
{
    cl_uint n_own = (cl_uint)sssp->part.rows.n_vertices;
    cl_uint source = is_own(sssp, sssp->source)
                         ? (cl_uint)partition_index(&sssp->part.partition, sssp->source)
                         : n_own;
    SET_ARRAYS(sssp->reset, 3, sssp->settled, sssp->best);
    NODE_SET(sssp->reset, 5, cl_uint, n_own);
    NODE_SET(sssp->reset, 6, cl_uint, source);
    NODE_SET(sssp->reset, 7, cl_uint, (cl_uint)sssp->n_settled);
}

static void set_arguments(struct sssp *sssp)
{
    cl_kernel kernels[] = {sssp->reset, sssp->gather, sssp->lowest};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        NODE_SET(kernels[i], 2, cl_ulong, sssp->distances);
    set_reset(sssp);
    SET_ARRAYS(sssp->gather, 4, sssp->settled, sssp->best, sssp->offsets, sssp->splits, sssp->own,
               sssp->sent, sssp->counts);
    NODE_SET(sssp->relax, 3, cl_ulong, sssp->distances);
    SET_ARRAYS(sssp->relax, 4, sssp->sent, sssp->offsets, sssp->slots, sssp->weights, sssp->targets,
               sssp->settled, sssp->best);
    if (sssp->relax_own)
        SET_ARRAYS(sssp->relax_own, 3, sssp->own, sssp->splits, sssp->slots, sssp->weights,
                   sssp->settled, sssp->best);
    SET_ARRAYS(sssp->lowest, 3, sssp->settled, sssp->best, sssp->lows);
}

/* What can only be judged by the graph. */
static void check_options(const struct sssp *sssp)
{
    if (sssp->has_source)
        sssp_check_source(sssp->part.survey.n_vertices, sssp->source);
    if (sssp->delta != SSSP_CHOOSE_WIDTH)
        sssp_check_delta(sssp->form, sssp->delta);
    if (sssp->node.schedule && (sssp->delta > 0 || sssp->form == SSSP_ULONG || sssp->sends_own))
        die("--schedule: distances of 32 bits, no --delta, and no --send-own");
}

void sssp_open(void *self)
{
    struct sssp *sssp = self;
    struct node *node = &sssp->node;
    node_survey(&sssp->node, &sssp->part, sssp->options.seed,
                (struct part_wish){.refuse_negative = true});
    sssp->form = sssp_choose_form(&sssp->part.survey);
    check_options(sssp);
    sssp->sends_own |= sssp->form == SSSP_ULONG; /* sssp.cl says why */
    /* As for one node, because only an open node knows how many there are. */
    node_open(node, filled_most(sssp->part.survey.n_vertices) * sssp_distance_bytes(sssp));
    node_part(node, &sssp->part);
    graph_draw_weights(&sssp->part.rows, sssp->part.vertices, sssp->options.seed);
    if (!sssp->has_source && !sssp_draw_source(&sssp->source, sssp->part.survey.n_vertices,
                                               sssp->options.seed, get_degrees, sssp))
        sssp->source = first_with_edges(sssp);
    sssp->distances =
        node_alloc(node, filled_most(sssp->part.partition.block) * sssp_distance_bytes(sssp));
    if (sssp->delta == SSSP_CHOOSE_WIDTH)
        sssp->delta = node->schedule ? 0 : sssp_choose_width(sssp);
    sssp_upload(sssp);
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
