/* SPDX-License-Identifier: MIT */
/*
 * A node's part on its device: rows whose edges to own vertices come first, targets as slots.
 *
 * Path:    open_node of sssp.c -> this -> the kernels
 * Owner:   the node's arrays, which node_close releases.
 * Threads: main's, and its own, which it joins.
 */
#include "sssp/sssp.h"

#include "graph/ghosts.h"
#include "graph/rows.h"

/* Vertices, so many that full groups look at all of them. */
static uint64_t fill_up(const struct sssp *sssp, uint64_t n)
{
    uint64_t n_group = (uint64_t)SCANNED * sssp->node.group_items;
    return (n + n_group - 1) / n_group * n_group;
}

/* ---- edges to own vertices come first, unless all are sent ------------------------------------- */

static void swap_edges(struct graph *rows, uint64_t a, uint64_t b)
{
    uint32_t neighbour = rows->neighbours[a];
    rows->neighbours[a] = rows->neighbours[b];
    rows->neighbours[b] = neighbour;
    if (rows->weights) {
        union graph_weight weight = rows->weights[a];
        rows->weights[a] = rows->weights[b];
        rows->weights[b] = weight;
    }
}

static uint64_t split_row(struct graph_part *part, uint64_t u)
{
    uint64_t split = part->rows.offsets[u];
    for (uint64_t e = split; e < part->rows.offsets[u + 1]; e++)
        if (partition_has(&part->partition, part->node, part->rows.neighbours[e]))
            swap_edges(&part->rows, e, split++);
    return split;
}

struct split {
    struct sssp *sssp;
    cl_uint *splits; /* [own vertices] where the edges that are sent begin */
};

static void split_rows(void *context, struct graph_rows rows)
{
    const struct split *split = context;
    struct graph_part *part = &split->sssp->part;
    for (uint64_t u = rows.first; u < rows.last; u++)
        split->splits[u] =
            (cl_uint)(split->sssp->sends_own ? part->rows.offsets[u] : split_row(part, u));
}

/* ---- lists ------------------------------------------------------------------------------------ */

static uint64_t chunks_of(uint64_t n_edges)
{
    return (n_edges + CHUNK - 1) / CHUNK;
}

/* How many there are of both kinds, and how long the longest is of those that are sent. */
static void count_chunks(struct sssp *sssp, const cl_uint *splits)
{
    const uint64_t *offsets = sssp->part.rows.offsets;
    sssp->longest_chunk = 1;
    for (uint64_t u = 0; u < sssp_n_own(sssp); u++) {
        uint64_t n_sent = offsets[u + 1] - splits[u], longest = n_sent < CHUNK ? n_sent : CHUNK;
        sssp->n_own_chunks += chunks_of(splits[u] - offsets[u]);
        sssp->n_sent_chunks += chunks_of(n_sent);
        sssp->longest_chunk = longest > sssp->longest_chunk ? longest : sssp->longest_chunk;
    }
}

static cl_mem upload_offsets(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    cl_uint *offsets = app_array(rows->n_vertices + 1, sizeof(cl_uint), "a list of edges");
    for (uint64_t u = 0; u <= rows->n_vertices; u++)
        offsets[u] = (cl_uint)rows->offsets[u];
    return node_upload(&sssp->node, (rows->n_vertices + 1) * sizeof *offsets, offsets);
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
    return node_upload(&sssp->node, rows->n_edges * sizeof(cl_uint), slots.of_edges);
}

static cl_mem upload_targets(struct sssp *sssp, const struct ghosts *ghosts)
{
    cl_uint *targets = app_array(2 * sssp->n_slots, sizeof(cl_uint), "a list of edges");
    for (uint64_t i = 0; i < sssp->n_slots; i++) {
        const uint64_t v = ghosts_vertex(ghosts, i);
        targets[2 * i] = partition_owner(&sssp->part.partition, v);
        targets[2 * i + 1] = (cl_uint)partition_index(&sssp->part.partition, v);
    }
    return node_upload(&sssp->node, 2 * sssp->n_slots * sizeof *targets, targets);
}

static void upload_edges(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    struct ghosts ghosts;
    struct split split = {sssp, app_array(rows->n_vertices, sizeof(cl_uint), "a list of edges")};
    graph_rows_side_by_side(rows, split_rows, &split);
    count_chunks(sssp, split.splits);
    sssp->splits = node_upload(&sssp->node, rows->n_vertices * sizeof(cl_uint), split.splits);
    ghosts_open(&ghosts, &sssp->part);
    sssp->n_slots = ghosts_n_slots(&ghosts);
    sssp->offsets = upload_offsets(sssp);
    sssp->slots = upload_slots(sssp, &ghosts);
    sssp->targets = upload_targets(sssp, &ghosts);
    ghosts_close(&ghosts);
    sssp->weights = node_array(&sssp->node, rows->n_edges * sizeof(cl_uint), rows->weights);
    part_forget_edges(&sssp->part);
}

void sssp_upload(struct sssp *sssp)
{
    struct node *node = &sssp->node;
    size_t bytes = sizeof(cl_uint);
    upload_edges(sssp);
    sssp->n_settled = fill_up(sssp, sssp_n_own(sssp));
    sssp->n_best = sssp->n_slots > sssp->n_settled ? sssp->n_slots : sssp->n_settled;
    sssp->settled = node_array(node, sssp->n_settled * bytes, NULL);
    sssp->best = node_array(node, sssp->n_best * bytes, NULL);
}
