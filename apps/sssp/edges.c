/* SPDX-License-Identifier: MIT */
/*
 * This node's part of the graph on its device: rows whose edges to own vertices come first, targets as slots.
 *
 * Path: open.c -> this -> sssp.cl
 * Owner: see sssp.h.
 * Threads: main's.
 */
#include "sssp.h"
#include "graph/ghosts.h"

#include <stdlib.h>

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

void sssp_upload(struct sssp *sssp)
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
