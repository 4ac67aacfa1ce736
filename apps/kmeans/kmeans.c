/* SPDX-License-Identifier: MIT */
/*
 * K-means: points find the nearest of a few centres, which then move to the middle of their points.
 *
 * Points are spread over all nodes, and so are clusters; a point adds its coordinates, in whole numbers, to its
 * cluster's sums, wherever those live. So the result is the same bit for bit in any order and on any number of nodes.
 *
 * A round has two halves, a barrier after each: work-groups add their points up and send that, or points send
 * themselves, to the sums of their clusters; each owner turns its sums into centres, clears them, and puts the centres into every
 * node's heap.
 *
 * Path: main -> open_node (points.c) -> run -> kmeans.cl -> sums at every owner -> check.c -> report
 * Owner: open_node makes what close_node frees.
 * Threads: main's.
 * Source: Lloyd, Least squares quantization in PCM, 1982; Orr 2016, section 5.4 (8 clusters, 16
 * million points).
 */
#include "frame/die.h"
#include "kmeans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t n_own(const struct kmeans *kmeans)
{
    return kmeans->own.last - kmeans->own.first;
}

static uint64_t n_groups(const struct kmeans *kmeans)
{
    uint32_t group_items = kmeans->node.group_items;
    return (n_own(kmeans) + group_items - 1) / group_items;
}

/* Returns how many sums a cluster has: its coordinates, and its points. */
static uint64_t n_columns(const struct kmeans *kmeans)
{
    return kmeans->n_dimensions + 1;
}

/* ---- open and close -------------------------------------------------------------------------- */

static uint64_t per_item(const struct kmeans *kmeans)
{
    return kmeans->is_combined ? kmeans->per_item : 1;
}

static uint64_t n_items(const struct kmeans *kmeans)
{
    return (n_own(kmeans) + per_item(kmeans) - 1) / per_item(kmeans);
}

/* Points there is room for in a row of `points`: the last work-item may read some past the end.
 */
static uint64_t stride(const struct kmeans *kmeans)
{
    return n_items(kmeans) * per_item(kmeans);
}

static void upload_points(struct kmeans *kmeans)
{
    uint64_t n = n_own(kmeans), n_all = stride(kmeans) * kmeans->n_dimensions;
    uint32_t *generated = app_array(n * kmeans->n_dimensions, sizeof *generated, "the points");
    cl_uint *points = app_array(n_all, sizeof *points, "the points");
    points_generate(kmeans, kmeans->own, generated);
    for (uint64_t d = 0; d < kmeans->n_dimensions; d++)
        for (uint64_t i = 0; i < n; i++)
            points[d * stride(kmeans) + i] = point_word(generated[d * n + i]);
    free(generated);
    kmeans->points = node_upload(&kmeans->node, n_all * sizeof *points, points);
}

/* Slices of a group's points, each with sums of its own: enough to keep work-items busy, and few
 * enough for 16 kB of local memory. */
static unsigned n_slices(const struct kmeans *kmeans)
{
    uint64_t slice_bytes = kmeans->n_clusters * n_columns(kmeans) * sizeof(cl_ulong);
    uint64_t n_fit = 16384 / slice_bytes;
    uint64_t n_busy = kmeans->node.group_items / n_columns(kmeans);
    uint64_t n = n_fit < n_busy ? n_fit : n_busy;
    return n < 1 ? 1 : n > 16 ? 16 : (unsigned)n;
}

static void build(struct kmeans *kmeans)
{
    extern const char kmeans_cl[];
    char defines[256];
    snprintf(defines, sizeof defines,
             "-DN_CLUSTERS=%u -DN_DIMENSIONS=%u -DBLOCK=%u -DGROUP_ITEMS=%u -DN_SLICES=%u",
             (unsigned)kmeans->n_clusters, (unsigned)kmeans->n_dimensions, kmeans->block,
             kmeans->node.group_items, n_slices(kmeans));
    node_build(&kmeans->node, "kmeans.cl", kmeans_cl, defines);
    kmeans->assign = node_kernel(&kmeans->node, kmeans->is_combined ? "assign_combined" : "assign");
    kmeans->measure = node_kernel(&kmeans->node, "measure");
}

static void set_arguments(struct kmeans *kmeans)
{
    NODE_SET(kmeans->assign, 2, ARRAY(kmeans->points), ULONG(stride(kmeans)), ARRAY(kmeans->label),
             ULONG(kmeans->centres), ULONG(kmeans->sums));
    if (kmeans->is_combined) {
        NODE_SET(kmeans->assign, 7, ULONG(n_own(kmeans)), UINT(kmeans->per_item));
    }
    NODE_SET(kmeans->measure, 2, ARRAY(kmeans->points), ULONG(stride(kmeans)),
             ULONG(kmeans->centres), ARRAY(kmeans->totals));
}

static void open_node(void *self)
{
    struct kmeans *kmeans = self;
    struct node *node = &kmeans->node;
    if (!kmeans->send)
        kmeans->send = node->model == model_gravel ? "sums" : "points";
    kmeans->is_combined = !strcmp(kmeans->send, "sums");
    /* The heap suffices for one node alone, because only an open node knows how many there are. */
    node_open(node, 4 * (n_words(kmeans) + kmeans->n_clusters) * sizeof(cl_ulong));
    kmeans->own = block_range(kmeans->n_points, node->n_processes, node->number);
    kmeans->block = (uint32_t)block_of(kmeans->n_clusters, node->n_nodes);
    TRY(gravel_alloc(node->gravel, kmeans->block * n_columns(kmeans) * sizeof(cl_ulong),
                     &kmeans->sums));
    TRY(gravel_alloc(node->gravel, n_words(kmeans) * sizeof(cl_uint), &kmeans->centres));
    upload_points(kmeans);
    kmeans->label = node_array(node, stride(kmeans), NULL);
    kmeans->totals = node_array(node, n_groups(kmeans) * sizeof(cl_ulong), NULL);
    kmeans->before = app_array(n_words(kmeans), sizeof(cl_uint), "the centres");
    kmeans->after = app_array(n_words(kmeans), sizeof(cl_uint), "the centres");
    build(kmeans);
    set_arguments(kmeans);
}

static void close_node(void *self)
{
    struct kmeans *kmeans = self;
    free(kmeans->before);
    free(kmeans->after);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static size_t centres_bytes(const struct kmeans *kmeans)
{
    return n_words(kmeans) * sizeof(cl_uint);
}

/* To the mean, rounded. A cluster without points keeps its centre. */
static void move_centres(struct kmeans *kmeans, struct block_range clusters, const cl_ulong *sums)
{
    for (uint64_t c = clusters.first; c < clusters.last; c++) {
        const cl_ulong *row = sums + (c - clusters.first) * n_columns(kmeans);
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++) {
            uint64_t word = c * kmeans->n_dimensions + d;
            const cl_ulong count = row[kmeans->n_dimensions];
            kmeans->after[word] =
                count ? (cl_uint)((row[d] + count / 2) / count) : kmeans->before[word];
        }
    }
}

/* New centres of the clusters [first, last), which live on a node of this process; their sums are 0 again. */
static void take_sums(struct kmeans *kmeans, uint32_t number, struct block_range clusters)
{
    uint64_t bytes = (clusters.last - clusters.first) * n_columns(kmeans) * sizeof(cl_ulong);
    void *sums;
    TRY(gravel_map(kmeans->node.gravel, kmeans->sums, bytes, CL_MAP_READ | CL_MAP_WRITE, number,
                   &sums));
    move_centres(kmeans, clusters, sums);
    memset(sums, 0, bytes);
    TRY(gravel_unmap(kmeans->node.gravel, sums));
}

static void update_centres(struct kmeans *kmeans)
{
    struct node *node = &kmeans->node;
    for (uint32_t i = 0; i < node->n_local; i++) {
        struct block_range clusters =
            block_range(kmeans->n_clusters, node->n_nodes, node->number + i);
        if (clusters.first == clusters.last)
            continue;
        take_sums(kmeans, node->number + i, clusters);
        const uint64_t first = clusters.first * kmeans->n_dimensions;
        const uint64_t n = (clusters.last - clusters.first) * kmeans->n_dimensions;
        for (uint32_t to = 0; to < node->n_nodes; to++)
            TRY(gravel_put(node->gravel, kmeans->centres + first * sizeof(cl_uint),
                           kmeans->after + first, n * sizeof(cl_uint), to));
    }
    TRY(gravel_barrier(node->gravel));
}

/* All nodes have equal centres, so every node gets this answer. */
static bool has_moved(const struct kmeans *kmeans)
{
    cl_uint most = 0;
    for (uint64_t i = 0; i < n_words(kmeans); i++) {
        cl_uint a = kmeans->before[i], b = kmeans->after[i], distance = a > b ? a - b : b - a;
        most = distance > most ? distance : most;
    }
    return most / (double)(1 << FIXED_BITS) > kmeans->tolerance;
}

static void reset(void *self)
{
    struct kmeans *kmeans = self;
    points_start(kmeans, kmeans->after);
    TRY(gravel_put(kmeans->node.gravel, kmeans->centres, kmeans->after, centres_bytes(kmeans),
                   kmeans->node.number));
    TRY(gravel_barrier(kmeans->node.gravel));
}

static void run(void *self)
{
    struct kmeans *kmeans = self;
    /* A point's coordinates and its count; or, added up in a group, those of all clusters that a node has. */
    const struct node_bound bound = {.n_messages = n_columns(kmeans) *
                                                   (kmeans->is_combined ? kmeans->block : 1),
                                     .message_bytes = 12,
                                     .is_of_group = kmeans->is_combined};
    kmeans->n_done = 0;
    do {
        memcpy(kmeans->before, kmeans->after, centres_bytes(kmeans));
        node_send(&kmeans->node, kmeans->assign, n_items(kmeans), bound);
        TRY(gravel_barrier(kmeans->node.gravel));
        update_centres(kmeans);
        TRY(gravel_get(kmeans->node.gravel, kmeans->centres, kmeans->after, centres_bytes(kmeans),
                       kmeans->node.number));
        kmeans->n_done++;
    } while (kmeans->n_done < kmeans->n_rounds && has_moved(kmeans));
}

/* ---- result ---------------------------------------------------------------------------------- */

static void measure(struct kmeans *kmeans)
{
    size_t bytes = n_groups(kmeans) * sizeof(cl_ulong);
    cl_ulong *totals = app_array(n_groups(kmeans), sizeof *totals, "the totals");
    uint64_t inertia = 0;
    node_launch(&kmeans->node, kmeans->measure, n_own(kmeans));
    TRY(gravel_barrier(kmeans->node.gravel));
    node_read(&kmeans->node, kmeans->totals, bytes, totals);
    for (uint64_t i = 0; i < n_groups(kmeans); i++)
        inertia += totals[i];
    free(totals);
    kmeans->inertia_fixed = node_sum(&kmeans->node, inertia);
    kmeans->inertia = (double)kmeans->inertia_fixed / (double)(UINT64_C(1) << 2 * FIXED_BITS);
}

/* ---- the program ------------------------------------------------------------------------------ */

#define MAX_ROUNDS 1000000
#define MAX_POINTS (UINT64_C(1) << 36)

static const struct app_option own_options[] = {
    {"points", 'p', "N", "Points of all nodes together (16777216)",
     OPTION_NUMBER(struct kmeans, n_points, 1, MAX_POINTS)},
    {"clusters", 'k', "N", "Clusters, up to 256 (8)",
     OPTION_NUMBER(struct kmeans, n_clusters, 1, MAX_CLUSTERS)},
    {"dimensions", 'd', "N", "Coordinates of a point, up to 16 (4)",
     OPTION_NUMBER(struct kmeans, n_dimensions, 1, MAX_DIMENSIONS)},
    {"iterations", 'i', "N", "Make at most this many rounds (20)",
     OPTION_NUMBER(struct kmeans, n_rounds, 1, MAX_ROUNDS)},
    {"tolerance", 't', "WIDTH", "Stop once no coordinate moves more, in widths of the space (1e-5)",
     OPTION_REAL(struct kmeans, tolerance)},
    {"send", 0, "sums|points",
     "What is added to a cluster's sums: sums, of a work-group's points; or points, a message a "
     "coordinate (sums; points with --model)",
     OPTION_WORD(struct kmeans, send)},
    {"per-item", 0, "N", "Points of a work-item, with --send sums (16)",
     OPTION_NUMBER(struct kmeans, per_item, 1, 1 << 13)},
    {0}};

/* All trials make as many rounds as the one that warmed up. */
static void describe(void *self, struct trials *trials)
{
    const struct kmeans *kmeans = self;
    snprintf(trials->variant, sizeof trials->variant, "%s", kmeans->send);
    snprintf(trials->input, sizeof trials->input, "%llu points, %llu clusters, %llu-d",
             (unsigned long long)kmeans->n_points, (unsigned long long)kmeans->n_clusters,
             (unsigned long long)kmeans->n_dimensions);
    trials->work = (double)kmeans->n_points * (double)kmeans->n_done;
    trials_add_number(trials, "points", kmeans->n_points);
    trials_add_number(trials, "clusters", kmeans->n_clusters);
    trials_add_number(trials, "dimensions", kmeans->n_dimensions);
    trials_add_number(trials, "rounds", kmeans->n_done);
    trials_add_number(trials, "points_per_item", kmeans->is_combined ? kmeans->per_item : 1);
}

static void result(void *self, struct trials *trials)
{
    struct kmeans *kmeans = self;
    measure(kmeans);
    trials_add_real(trials, "inertia", kmeans->inertia);
    trials_say(trials, "  %llu rounds, inertia %.9g\n", (unsigned long long)kmeans->n_done,
               kmeans->inertia);
}

static uint64_t check(void *self, struct trials *trials)
{
    double serial_s;
    uint64_t n_wrong = compare_with_serial(self, &serial_s);
    trials_add_real(trials, "serial_seconds", serial_s);
    trials_say(trials, "  serial: %.6f s, %.4g M points/s\n", serial_s,
               1e-6 * trials->work / serial_s);
    return n_wrong;
}

static const struct app app = {.name = "kmeans",
                               .unit = "points/s",
                               .doc = "Divide random points into clusters by k-means, and say how "
                                      "many points a second found theirs.",
                               .groups = {{"K-means:", 1, own_options, 0}},
                               .has_models = true,
                               APP_FIELDS(struct kmeans),
                               .open = open_node,
                               .reset = reset,
                               .run = run,
                               .describe = describe,
                               .result = result,
                               .check = check,
                               .close = close_node};

int main(int argc, char **argv)
{
    struct kmeans kmeans = {.n_points = 1 << 24,
                            .n_clusters = 8,
                            .n_dimensions = 4,
                            .n_rounds = 20,
                            .per_item = 16,
                            .tolerance = 1e-5};
    return app_main(&app, &kmeans, argc, argv);
}
