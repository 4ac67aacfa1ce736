/* SPDX-License-Identifier: MIT */
/*
 * Rounds that the host launches, on any number of nodes.
 *
 * A round lists what came nearer at each node, counts it over all nodes, and offers its neighbours new distances: own ones in
 * place, others by messages. The count is also what keeps nodes apart: none offers before all have listed, so the rounds, and
 * what each relaxes, are the same on any number of nodes. When nothing is left below the bucket's end, the least distance
 * that waits anywhere opens the next bucket.
 *
 * Path:    sssp.c -> this (width.c) -> rounds.cl -> distances at every node
 * Owner:   this file's; node_close releases arrays.
 * Threads: main's.
 * Source:  Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003.
 */
#include "sssp/sssp.h"

#include <stdio.h>
#include <stdlib.h>

extern const char sssp_rounds_cl[];

/* What a round counts: chunks of own edges, chunks that are sent, vertices whose edges these are, and of them those
 * reached for the first time. */
enum { N_COUNTS = 4 };

/* Arguments of gather: the bucket's end, and in which of two places it counts. */
enum { GATHER_LIMIT = 3, GATHER_TURN = 12 };

/* ---- kernels ----------------------------------------------------------------------------------- */

/* Work-groups that gather. */
static uint64_t n_groups(const struct sssp *sssp)
{
    return sssp->n_settled / SCANNED / sssp->node.group_items;
}

static void build(struct sssp *sssp)
{
    char defines[96];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u -DCHUNK=%u%s%s", sssp->node.group_items,
             CHUNK, sssp_define(sssp), sssp->offers ? " -DHAS_WORDS" : "");
    node_build(&sssp->node, "rounds.cl", sssp_rounds_cl, defines);
    sssp->gather = node_kernel(&sssp->node, "gather");
    if (sssp->sends_own || sssp->offers)
        sssp->relax = node_kernel(&sssp->node, sssp->offers ? "offer" : "relax");
    if (!sssp->sends_own)
        sssp->relax_own = node_kernel(&sssp->node, "relax_own");
}

static void set_arguments(struct sssp *sssp)
{
    NODE_SET(sssp->gather, 2, ULONG(sssp->distances));
    NODE_SET(sssp->gather, 4, ARRAY(sssp->settled), ARRAY(sssp->best), ARRAY(sssp->offsets),
             ARRAY(sssp->splits), ARRAY(sssp->own), ARRAY(sssp->sent), ARRAY(sssp->counts),
             ARRAY(sssp->lows));
    if (sssp->offers)
        TRY(gravel_kernel_set_accumulator(sssp->offers, sssp->relax, 3));
    else if (sssp->relax)
        NODE_SET(sssp->relax, 3, ULONG(sssp->distances));
    if (sssp->relax)
        NODE_SET(sssp->relax, 4, ARRAY(sssp->sent), ARRAY(sssp->offsets), ARRAY(sssp->slots),
                 ARRAY(sssp->weights), ARRAY(sssp->targets), ARRAY(sssp->settled),
                 ARRAY(sssp->best));
    if (sssp->relax_own)
        NODE_SET(sssp->relax_own, 3, ARRAY(sssp->own), ARRAY(sssp->splits), ARRAY(sssp->slots),
                 ARRAY(sssp->weights), ARRAY(sssp->settled), ARRAY(sssp->best));
}

static void prepare(struct sssp *sssp)
{
    struct node *node = &sssp->node;
    sssp->own = node_array(node, sssp->n_own_chunks * sizeof(cl_uint2), NULL);
    sssp->sent = node_array(node, sssp->n_sent_chunks * sizeof(cl_uint2), NULL);
    sssp->counts = node_array(node, 2 * N_COUNTS * sizeof(cl_uint), NULL);
    sssp->lows = node_array(node, n_groups(sssp) * sizeof(cl_uint), NULL);
    if (node->n_nodes > 1 && !sssp->sends_own)
        TRY(gravel_accumulator_create(&sssp->offers, node->gravel, sssp->distances,
                                      sssp->part.partition.block, GRAVEL_MIN, GRAVEL_UINT));
    build(sssp);
    set_arguments(sssp);
}

static void reset(struct sssp *sssp)
{
    node_fill(&sssp->node, sssp->counts, 0, 2 * N_COUNTS * sizeof(cl_uint));
    if (sssp->offers)
        TRY(gravel_accumulator_reset(sssp->offers));
}

/* ---- a round ----------------------------------------------------------------------------------- */

/* What a round relaxes [chunks]. */
struct listed {
    uint64_t n_own, n_sent;         /* at this node */
    uint64_t n_all_own, n_all_sent; /* at all nodes */
};

/* List what came nearer, below the limit. @return  whether anything did at any node. */
static bool gather(struct sssp *sssp, struct listed *listed)
{
    cl_uint both[2][N_COUNTS];
    const cl_uint *counts = both[sssp->turn];
    NODE_SET(sssp->gather, GATHER_TURN, UINT(sssp->turn));
    node_run(&sssp->node, sssp->gather, sssp->n_settled / SCANNED);
    node_read(&sssp->node, sssp->counts, sizeof both, both);
    sssp->turn = !sssp->turn;
    uint64_t sums[N_COUNTS] = {counts[0], counts[1], counts[2], counts[3]};
    TRY(gravel_reduce(sssp->node.gravel, GRAVEL_ADD, GRAVEL_ULONG, sums, N_COUNTS));
    *listed = (struct listed){counts[0], counts[1], sums[0], sums[1]};
    sssp->n_gathers++;
    sssp->n_listed += sums[2];
    sssp->n_reached += sums[3];
    return listed->n_all_own + listed->n_all_sent > 0;
}

/* Own edges whose distances take longer to lower than it takes to begin a flush [chunks]. */
#define MANY_CHUNKS (UINT64_C(1) << 17)

/* What is sent comes first, and travels while own distances are lowered: for those no node waits but this, in gather. */
static void relax(struct sssp *sssp, const struct listed *listed)
{
    /* A vertex and a distance for each edge of a chunk. */
    const struct node_bound bound = {.n_messages = sssp->longest_chunk, .message_bytes = 8};
    if (listed->n_all_sent) {
        const uint64_t n_items = node_full(&sssp->node, sssp->relax, listed->n_sent);
        if (sssp->offers)
            node_run(&sssp->node, sssp->relax, n_items);
        else
            node_send(&sssp->node, sssp->relax, n_items, bound);
    }
    if (listed->n_all_sent && sssp->offers && listed->n_own >= MANY_CHUNKS)
        TRY(gravel_accumulator_begin(sssp->offers));
    if (listed->n_own)
        node_run(&sssp->node, sssp->relax_own,
                 node_full(&sssp->node, sssp->relax_own, listed->n_own));
    if (listed->n_all_sent)
        TRY(gravel_barrier(sssp->node.gravel));
}

/* @return  whether the bucket may have more. */
static bool take_round(struct sssp *sssp)
{
    struct listed listed;
    if (!gather(sssp, &listed))
        return false;
    relax(sssp, &listed);
    sssp->n_rounds++;
    return true;
}

/* ---- buckets ----------------------------------------------------------------------------------- */

/* The least distance that waits at any node, as the last gather has found. Collective. */
static uint32_t find_lowest(struct sssp *sssp)
{
    uint64_t lowest = SSSP_FAR;
    uint32_t *lows = sssp_read(sssp, sssp->lows, n_groups(sssp));
    for (uint64_t i = 0; i < n_groups(sssp); i++)
        lowest = lows[i] < lowest ? lows[i] : lowest;
    free(lows);
    return (uint32_t)node_least(&sssp->node, lowest);
}

static void search(struct sssp *sssp)
{
    uint32_t lowest = 0;
    double width = sssp->delta, density = 0;
    for (; lowest != SSSP_FAR; sssp->n_buckets++) {
        const uint32_t end = sssp_bucket_end(sssp->is_float, width, lowest);
        NODE_SET(sssp->gather, GATHER_LIMIT, UINT(end));
        sssp->n_gathers = sssp->n_listed = 0;
        while (take_round(sssp))
            ;
        width = sssp_next_width(sssp, width, &density);
        lowest = end == SSSP_FAR ? SSSP_FAR : find_lowest(sssp);
    }
}

const struct way sssp_rounds = {prepare, reset, search};
