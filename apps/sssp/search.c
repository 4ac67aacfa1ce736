/* SPDX-License-Identifier: MIT */
/*
 * The rounds of a search.
 *
 * A round lists what came nearer at each node, counts it over all nodes, and offers its
 * neighbours new distances: own ones in place, others by messages. The count is also what keeps
 * nodes apart: none offers before all have listed, so the rounds, and what each relaxes, are the
 * same on any number of nodes. When nothing is left below the bucket's end, the least distance
 * that waits anywhere opens the next bucket.
 *
 * Path: sssp.c -> this -> sssp.cl -> distances at every node -> this
 * Owner: see sssp.h.
 * Threads: main's.
 */
#include "sssp.h"

#include <stdlib.h>

static uint64_t n_own(const struct sssp *sssp)
{
    return sssp->part.rows.n_vertices;
}

static void widen(uint64_t *distances, const cl_uint *narrow, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        distances[i] = narrow[i];
}

/* Read distances of the device's form. @return  [n], to be freed. */
static uint64_t *read_distances(struct sssp *sssp, cl_mem array, uint64_t n)
{
    uint64_t *distances = app_array(n, sizeof *distances, "distances");
    if (sssp->form == SSSP_ULONG) {
        node_read(&sssp->node, array, n * sizeof *distances, distances);
        return distances;
    }
    cl_uint *narrow = app_array(n, sizeof *narrow, "distances");
    node_read(&sssp->node, array, n * sizeof *narrow, narrow);
    widen(distances, narrow, n);
    free(narrow);
    return distances;
}

uint64_t *sssp_read(struct sssp *sssp)
{
    return read_distances(sssp, sssp->settled, n_own(sssp));
}

void sssp_reset(void *self)
{
    struct sssp *sssp = self;
    if (sssp->node.schedule) {
        sssp_schedule_reset(sssp);
        return;
    }
    uint64_t n = sssp->n_slots > sssp->n_settled ? sssp->n_slots : sssp->n_settled;
    node_launch(&sssp->node, sssp->reset, n);
    if (sssp->offers)
        TRY(gravel_accumulator_reset(sssp->offers));
    TRY(gravel_barrier(sssp->node.gravel));
}

static void set_limit(struct sssp *sssp, uint64_t limit)
{
    cl_uint narrow = (cl_uint)limit;
    bool is_wide = sssp->form == SSSP_ULONG;
    node_set(sssp->gather, 3, sssp_distance_bytes(sssp),
             is_wide ? (const void *)&limit : (const void *)&narrow);
}

/* What a round relaxes [chunks]. */
struct listed {
    uint64_t n_own, n_sent;         /* at this node */
    uint64_t n_all_own, n_all_sent; /* at all nodes */
};

/* List what came nearer, below the limit. @return  whether anything did at any node. */
static bool gather(struct sssp *sssp, struct listed *listed)
{
    cl_uint counts[SSSP_COUNTS];
    node_clear(&sssp->node, sssp->counts, sizeof counts);
    node_run(&sssp->node, sssp->gather, sssp->n_settled / SCANNED);
    node_read(&sssp->node, sssp->counts, sizeof counts, counts);
    uint64_t sums[SSSP_COUNTS] = {counts[0], counts[1], counts[2]};
    TRY(gravel_reduce(sssp->node.gravel, GRAVEL_ADD, GRAVEL_ULONG, sums, SSSP_COUNTS));
    *listed = (struct listed){counts[0], counts[1], sums[0], sums[1]};
    sssp->n_reached += sums[2];
    progress_at(&sssp->progress, sssp->n_reached);
    return listed->n_all_own + listed->n_all_sent > 0;
}

/* A vertex and a distance for each edge of a chunk. */
static struct node_bound bound_of(const struct sssp *sssp)
{
    return (struct node_bound){.n_messages = sssp->longest_chunk,
                               .message_bytes = 4 + (uint32_t)sssp_distance_bytes(sssp)};
}

/* What is sent comes first, and travels while own distances are lowered: for those no node waits but this, in gather. */
static void relax(struct sssp *sssp, const struct listed *listed)
{
    if (listed->n_all_sent && sssp->offers)
        node_run_full(&sssp->node, sssp->offer, listed->n_sent);
    else if (listed->n_all_sent)
        node_send_full(&sssp->node, sssp->relax, listed->n_sent, bound_of(sssp));
    if (listed->n_own)
        node_run_full(&sssp->node, sssp->relax_own, listed->n_own);
    if (listed->n_all_sent)
        TRY(gravel_barrier(sssp->node.gravel));
}

static void empty_bucket(struct sssp *sssp, uint64_t limit)
{
    set_limit(sssp, limit);
    for (struct listed listed; gather(sssp, &listed); sssp->n_rounds++)
        relax(sssp, &listed);
    sssp->n_buckets++;
}

/* The least distance that waits at any node, or far. */
static uint64_t find_lowest(struct sssp *sssp)
{
    uint32_t group_items = sssp->node.group_items;
    uint64_t n_groups = (n_own(sssp) + group_items - 1) / group_items,
             lowest = sssp_far(sssp->form);
    node_run(&sssp->node, sssp->lowest, n_own(sssp));
    uint64_t *lows = read_distances(sssp, sssp->lows, n_groups);
    for (uint64_t i = 0; i < n_groups; i++)
        lowest = lows[i] < lowest ? lows[i] : lowest;
    free(lows);
    return node_least(&sssp->node, lowest);
}

static void search_buckets(struct sssp *sssp)
{
    uint64_t far = sssp_far(sssp->form), lowest = 0;
    do {
        uint64_t end = sssp_bucket_end(sssp->form, sssp->delta, lowest);
        empty_bucket(sssp, end);
        lowest = end == far ? far : find_lowest(sssp);
    } while (lowest != far);
}

void sssp_search(void *self)
{
    struct sssp *sssp = self;
    sssp->n_rounds = sssp->n_buckets = sssp->n_reached = 0;
    progress_begin(&sssp->progress, stderr, "sssp", sssp->part.survey.n_vertices,
                   sssp->options.quiet || sssp->node.number != 0);
    if (sssp->node.schedule)
        sssp_schedule_search(sssp);
    else
        search_buckets(sssp);
    progress_end(&sssp->progress);
}
