/* SPDX-License-Identifier: MIT */
/*
 * The node, its part of the graph on its device, its kernels, the vertex where the search begins, and the width of a
 * bucket.
 *
 * Path: sssp.c -> this -> search.c, sssp.cl
 * Owner: see sssp.h.
 * Threads: main's, and its own, which it joins.
 */
#include "sssp.h"
#include "graph/ghosts.h"
#include "graph/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the part on the device: rows whose edges to own vertices come first, targets as slots ----- */

/* Vertices, so many that full groups look at all of them. */
static uint64_t fill_up(const struct sssp *sssp, uint64_t n)
{
    uint64_t n_group = (uint64_t)SCANNED * sssp->node.group_items;
    return (n + n_group - 1) / n_group * n_group;
}

static uint64_t chunks_of(uint64_t n_edges)
{
    return (n_edges + SSSP_CHUNK - 1) / SSSP_CHUNK;
}

/* How many there are of both kinds, and how long the longest is of those that are sent. */
static void count_chunks(struct sssp *sssp, const cl_uint *splits)
{
    const uint64_t *offsets = sssp->part.rows.offsets;
    sssp->longest_chunk = 1;
    for (uint64_t u = 0; u < sssp->part.rows.n_vertices; u++) {
        uint64_t n_sent = offsets[u + 1] - splits[u],
                 longest = n_sent < SSSP_CHUNK ? n_sent : SSSP_CHUNK;
        sssp->n_own_chunks += chunks_of(splits[u] - offsets[u]);
        sssp->n_sent_chunks += chunks_of(n_sent);
        sssp->longest_chunk = longest > sssp->longest_chunk ? longest : sssp->longest_chunk;
    }
}

static void upload_splits(struct sssp *sssp)
{
    cl_uint *splits = node_part_split(&sssp->part, sssp->sends_own);
    count_chunks(sssp, splits);
    sssp->splits = node_array(&sssp->node, sssp->part.rows.n_vertices * sizeof *splits, splits);
    free(splits);
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

struct slots {
    const struct ghosts *ghosts;
    cl_uint *of_edges; /* [edges] */
};

static void find_slots(void *context, struct graph_rows rows)
{
    const struct slots *slots = context;
    const uint32_t *neighbours = slots->ghosts->part->rows.neighbours;
    for (uint64_t e = rows.first_edge; e < rows.last_edge; e++)
        slots->of_edges[e] = ghosts_slot(slots->ghosts, neighbours[e]);
}

static cl_mem upload_slots(struct sssp *sssp, const struct ghosts *ghosts)
{
    const struct graph *rows = &sssp->part.rows;
    struct slots slots = {ghosts, app_array(rows->n_edges, sizeof(cl_uint), "a list of edges")};
    graph_rows_side_by_side(rows, find_slots, &slots);
    cl_mem array = node_array(&sssp->node, rows->n_edges * sizeof(cl_uint), slots.of_edges);
    free(slots.of_edges);
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

static void upload_edges(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    struct ghosts ghosts;
    upload_splits(sssp);
    ghosts_open(&ghosts, &sssp->part);
    sssp->n_slots = ghosts_n_slots(&ghosts);
    sssp->offsets = upload_offsets(sssp);
    sssp->slots = upload_slots(sssp, &ghosts);
    sssp->targets = upload_targets(sssp, &ghosts);
    ghosts_close(&ghosts);
    sssp->weights = node_array(&sssp->node, rows->n_edges * sizeof(cl_uint), rows->weights);
    part_forget_edges(&sssp->part);
}

static void upload(struct sssp *sssp)
{
    struct node *node = &sssp->node;
    size_t distance_bytes = sssp_distance_bytes(sssp);
    uint64_t n_own = sssp->part.rows.n_vertices, n_groups = n_own / node->group_items + 1;
    upload_edges(sssp);
    sssp->n_settled = fill_up(sssp, n_own);
    uint64_t n_best = sssp->n_slots > sssp->n_settled ? sssp->n_slots : sssp->n_settled;
    sssp->settled = node_array(node, sssp->n_settled * distance_bytes, NULL);
    sssp->best = node_array(node, n_best * distance_bytes, NULL);
    sssp->own = node_array(node, sssp->n_own_chunks * sizeof(cl_uint2), NULL);
    sssp->sent = node_array(node, sssp->n_sent_chunks * sizeof(cl_uint2), NULL);
    sssp->counts = node_array(node, SSSP_COUNTS * sizeof(cl_uint), NULL);
    sssp->lows = node_array(node, n_groups * distance_bytes, NULL);
}

/* ---- the width of a bucket ----------------------------------------------------------------------
 *
 * It is chosen by weights, degrees and size of the whole graph, and by what a round costs: narrow buckets spare
 * relaxations and cost rounds. What all nodes choose by is exact and the same on any number of nodes, and so are the
 * rounds.
 */

/* Weights are summed in units of this part of the heaviest, as integers, whose sum is the same in any order. */
#define UNITS 0x1p24

/* A graph with fewer edges than these takes buckets wider by as much, for its rounds would cost more than what they
 * spare. Measured: on PoCL the best widths of meshes, bands and Kronecker graphs of 2^16 to 2^20 vertices; on H100s
 * a Kronecker graph of 2^20, of which one GPU takes any width from 32 up alike, and two the widest best. */
#define EDGES_OF_ROUNDS_BY_COPIES 0x1p29
#define EDGES_OF_ROUNDS 0x1p24

static double weight_of(const struct graph *rows, uint64_t e)
{
    return rows->weights_are == GRAPH_FLOAT ? (double)rows->weights[e].as_float
                                            : (double)rows->weights[e].as_uint;
}

struct weighed {
    const struct graph *graph;
    double heaviest;
    struct {
        double heaviest;
        uint64_t sum; /* [units] */
    } parts[SIDE_BY_SIDE_MOST];
};

static void find_heaviest_of_rows(void *context, struct graph_rows rows)
{
    struct weighed *weighed = context;
    double heaviest = 0;
    for (uint64_t e = rows.first_edge; e < rows.last_edge; e++)
        heaviest = fmax(heaviest, weight_of(weighed->graph, e));
    weighed->parts[rows.part].heaviest = heaviest;
}

static void sum_rows(void *context, struct graph_rows rows)
{
    struct weighed *weighed = context;
    uint64_t sum = 0;
    for (uint64_t e = rows.first_edge; e < rows.last_edge; e++)
        sum += (uint64_t)(weight_of(weighed->graph, e) / weighed->heaviest * UNITS);
    weighed->parts[rows.part].sum = sum;
}

static void find_heaviest(struct sssp *sssp, struct weighed *weighed)
{
    graph_rows_side_by_side(weighed->graph, find_heaviest_of_rows, weighed);
    for (uint32_t i = 0; i < SIDE_BY_SIDE_MOST; i++)
        weighed->heaviest = fmax(weighed->heaviest, weighed->parts[i].heaviest);
    TRY(gravel_reduce(sssp->node.gravel, GRAVEL_MAX, GRAVEL_DOUBLE, &weighed->heaviest, 1));
}

static double find_mean_weight(struct sssp *sssp)
{
    struct weighed weighed = {.graph = &sssp->part.rows};
    find_heaviest(sssp, &weighed);
    if (weighed.heaviest > 0)
        graph_rows_side_by_side(weighed.graph, sum_rows, &weighed);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SIDE_BY_SIDE_MOST; i++)
        sum += weighed.parts[i].sum;
    sum = node_sum(&sssp->node, sum);
    return weighed.heaviest * (double)sum / UNITS / fmax((double)sssp->part.survey.n_edges, 1);
}

static double edges_of_rounds(struct sssp *sssp)
{
    const char *step = gravel_step(sssp->node.gravel);
    bool copies = !strcmp(step, "pump") || !strcmp(step, "drain");
    return node_most(&sssp->node, copies) ? EDGES_OF_ROUNDS_BY_COPIES : EDGES_OF_ROUNDS;
}

static double choose_width(struct sssp *sssp)
{
    const struct graph_survey *survey = &sssp->part.survey;
    double wider = edges_of_rounds(sssp) / fmax((double)survey->n_edges, 1);
    return sssp_width(sssp->form, survey->n_vertices, survey->n_edges,
                      find_mean_weight(sssp) * fmax(wider, 1));
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
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u -DCHUNK=%u%s%s%s", sssp->node.group_items,
             SSSP_CHUNK, forms[sssp->form], sssp->node.schedule ? " -DHAS_TASKS" : "",
             sssp->offers ? " -DHAS_WORDS" : "");
    node_build(&sssp->node, "sssp.cl", sssp_cl, defines);
    if (sssp->node.schedule)
        sssp->relax_tasks = node_kernel_without_arena(&sssp->node, "relax_tasks");
    sssp->reset = node_kernel(&sssp->node, "reset");
    sssp->gather = node_kernel(&sssp->node, "gather");
    if (sssp->offers)
        sssp->offer = node_kernel(&sssp->node, "offer");
    else
        sssp->relax = node_kernel(&sssp->node, "relax");
    if (!sssp->sends_own)
        sssp->relax_own = node_kernel(&sssp->node, "relax_own");
    sssp->lowest = node_kernel(&sssp->node, "lowest");
}

static void set_reset(struct sssp *sssp)
{
    cl_uint n_own = (cl_uint)sssp->part.rows.n_vertices;
    cl_uint source = is_own(sssp, sssp->source)
                         ? (cl_uint)partition_index(&sssp->part.partition, sssp->source)
                         : n_own;
    NODE_SET_ARRAYS(sssp->reset, 3, sssp->settled, sssp->best);
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
    NODE_SET_ARRAYS(sssp->gather, 4, sssp->settled, sssp->best, sssp->offsets, sssp->splits,
                    sssp->own, sssp->sent, sssp->counts);
    if (sssp->offers) {
        TRY(gravel_kernel_set_accumulator(sssp->offers, sssp->offer, 3));
        NODE_SET_ARRAYS(sssp->offer, 4, sssp->sent, sssp->offsets, sssp->slots, sssp->weights,
                        sssp->targets, sssp->settled);
    } else {
        NODE_SET(sssp->relax, 3, cl_ulong, sssp->distances);
        NODE_SET_ARRAYS(sssp->relax, 4, sssp->sent, sssp->offsets, sssp->slots, sssp->weights,
                        sssp->targets, sssp->settled, sssp->best);
    }
    if (sssp->relax_own)
        NODE_SET_ARRAYS(sssp->relax_own, 3, sssp->own, sssp->splits, sssp->slots, sssp->weights,
                        sssp->settled, sssp->best);
    NODE_SET_ARRAYS(sssp->lowest, 3, sssp->settled, sssp->best, sssp->lows);
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

/* One offer in a word needs a word of 32 bits, which every device can lower. */
static void choose_send(struct sssp *sssp)
{
    bool has_messages = sssp->sends_own || sssp->node.model != model_gravel;
    if (sssp->send && !strcmp(sssp->send, "words") && has_messages)
        die("--send words: distances of 32 bits, no --send-own and no --model, which are about "
            "messages");
    if (!sssp->send)
        sssp->send = has_messages ? "edges" : "words";
}

static void make_accumulator(struct sssp *sssp)
{
    const struct node *node = &sssp->node;
    if (node->n_nodes > 1 && !strcmp(sssp->send, "words"))
        TRY(gravel_accumulator_create(&sssp->offers, node->gravel, sssp->distances,
                                      sssp->part.partition.block, GRAVEL_MIN, GRAVEL_UINT));
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
    choose_send(sssp);
    /* As for one node, because only an open node knows how many there are. */
    node_open(node, filled_most(sssp->part.survey.n_vertices) * sssp_distance_bytes(sssp));
    node_part(node, &sssp->part);
    graph_draw_weights(&sssp->part.rows, sssp->part.vertices, sssp->options.seed);
    if (!sssp->has_source && !sssp_draw_source(&sssp->source, sssp->part.survey.n_vertices,
                                               sssp->options.seed, get_degrees, sssp))
        sssp->source = first_with_edges(sssp);
    TRY(gravel_alloc(node->gravel,
                     filled_most(sssp->part.partition.block) * sssp_distance_bytes(sssp),
                     &sssp->distances));
    if (sssp->delta == SSSP_CHOOSE_WIDTH)
        sssp->delta = node->schedule ? 0 : choose_width(sssp);
    upload(sssp);
    make_accumulator(sssp);
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
    TRY(gravel_accumulator_destroy(sssp->offers));
    part_close(&sssp->part);
    node_close(&sssp->node);
}
