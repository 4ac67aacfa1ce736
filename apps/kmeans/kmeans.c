/* SPDX-License-Identifier: MIT */
/*
 * K-means: points find the nearest of a few centres, which then move to the middle of their points.
 *
 * Points are spread over all nodes, and so are clusters; a point adds its coordinates, in whole numbers, to its
 * cluster's sums, wherever those live. So the result is the same bit for bit in any order and on any number of nodes.
 *
 * A round has two halves, a barrier after each: points are added to the sums of their clusters; each owner turns its sums
 * into centres, clears them, and puts the centres into every node's heap. The first centres are the first points; of several
 * nearest centres a point goes to the first; one without points stays.
 *
 * Two programs: groups send sums of their points; with MODELS, chapter5/kmeans, a point sends its coordinates, under every model.
 *
 * Path: main -> open_node (points.c) -> run -> kernel `assign` of kmeans.cl -> sums at every owner -> check
 * Source: Lloyd, Least squares quantization in PCM, 1982; Orr 2016, section 5.4 (8 clusters, 16
 * million points).
 */
#include "kmeans.h"

#include <stdlib.h>
#include <string.h>

#ifndef MODELS
#define MODELS 0
#endif
#define GROUPS_A_UNIT 4   /* of a launch, so that units end at about one time */
#define LEAST_PER_ITEM 16 /* points */
#define MOST_IN_GROUP (UINT64_C(1) << 15)

static uint64_t n_own(const struct kmeans *kmeans)
{
    return kmeans->own.last - kmeans->own.first;
}

/* Returns how many sums a cluster has: its coordinates, and its points. */
static uint64_t n_columns(const struct kmeans *kmeans)
{
    return kmeans->n_dimensions + 1;
}

/* ---- open and close -------------------------------------------------------------------------- */

/* Sets points of a work-item. A CPU's group is one work-item, unless --group says otherwise: kmeans.cl says why. */
static void share_out(struct kmeans *kmeans, bool has_group)
{
    struct node *node = &kmeans->node;
    cl_uint n_units;
    kmeans->per_item = 1;
    if (MODELS)
        return;
    TRY_CL(clGetDeviceInfo(gravel_cl_device(node->gravel), CL_DEVICE_MAX_COMPUTE_UNITS,
                           sizeof n_units, &n_units, NULL));
    if (node->is_cpu && !has_group)
        node->group_items = 1;
    const uint64_t n = n_own(kmeans) / GROUPS_A_UNIT / n_units / node->group_items;
    const uint64_t most = MOST_IN_GROUP / node->group_items;
    kmeans->per_item = n < LEAST_PER_ITEM ? LEAST_PER_ITEM : n > most ? most : n;
}

static void build(struct kmeans *kmeans)
{
    extern const char kmeans_cl[];
    struct node *node = &kmeans->node;
    const uint64_t n = n_own(kmeans);
    uint32_t *points = app_array(n * kmeans->n_dimensions, sizeof *points, "the points");
    char defines[128];
    snprintf(defines, sizeof defines,
             "-DN_CLUSTERS=%u -DN_DIMENSIONS=%u -DBLOCK=%u -DGROUP_ITEMS=%u%s",
             (unsigned)kmeans->n_clusters, (unsigned)kmeans->n_dimensions, kmeans->block,
             node->group_items, MODELS ? " -DMODELS" : "");
    node_build(node, "kmeans.cl", kmeans_cl, defines);
    points_generate(kmeans, kmeans->own, points);
    const cl_mem there = node_upload(node, n * kmeans->n_dimensions * sizeof *points, points);
    kmeans->label = node_array(node, n, NULL);
    kmeans->assign = node_kernel(node, "assign");
    NODE_SET(kmeans->assign, 2, ARRAY(there), ULONG(n), UINT(kmeans->per_item),
             ULONG(kmeans->centres), ARRAY(kmeans->label), ULONG(kmeans->sums));
}

static void open_node(void *self)
{
    struct kmeans *kmeans = self;
    struct node *node = &kmeans->node;
    const bool has_group = node->group_items;
    /* The heap suffices for one node alone, because only an open node knows how many there are. */
    node_open(node, 4 * (n_words(kmeans) + kmeans->n_clusters) * sizeof(cl_ulong));
    kmeans->own = block_range(kmeans->n_points, node->n_processes, node->number);
    kmeans->block = (uint32_t)block_of(kmeans->n_clusters, node->n_nodes);
    TRY(gravel_alloc(node->gravel, kmeans->block * n_columns(kmeans) * sizeof(cl_ulong),
                     &kmeans->sums));
    TRY(gravel_alloc(node->gravel, n_words(kmeans) * sizeof(cl_uint), &kmeans->centres));
    kmeans->found = app_array(n_words(kmeans), sizeof(cl_uint), "the centres");
    share_out(kmeans, has_group);
    build(kmeans);
}

static void close_node(void *self)
{
    struct kmeans *kmeans = self;
    free(kmeans->found);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Makes new centres of the clusters [first, last), which live on a node of this process, to the mean, rounded; one without
 * points keeps its centre. Their sums are 0 again. */
static void take_sums(struct kmeans *kmeans, uint32_t number, struct block_range clusters)
{
    const uint64_t bytes = (clusters.last - clusters.first) * n_columns(kmeans) * sizeof(cl_ulong);
    void *sums;
    TRY(gravel_map(kmeans->node.gravel, kmeans->sums, bytes, CL_MAP_READ | CL_MAP_WRITE, number,
                   &sums));
    const cl_ulong *row = sums;
    for (uint64_t c = clusters.first; c < clusters.last; c++, row += n_columns(kmeans)) {
        const cl_ulong count = row[kmeans->n_dimensions];
        for (uint64_t d = 0; d < kmeans->n_dimensions && count; d++)
            kmeans->found[c * kmeans->n_dimensions + d] = (cl_uint)((row[d] + count / 2) / count);
    }
    memset(sums, 0, bytes);
    TRY(gravel_unmap(kmeans->node.gravel, sums));
}

static void update_centres(struct kmeans *kmeans)
{
    struct node *node = &kmeans->node;
    for (uint32_t i = node->number; i < node->number + node->n_local; i++) {
        const struct block_range clusters = block_range(kmeans->n_clusters, node->n_nodes, i);
        if (clusters.first == clusters.last)
            continue;
        take_sums(kmeans, i, clusters);
        const uint64_t first = clusters.first * kmeans->n_dimensions;
        const uint64_t n = (clusters.last - clusters.first) * kmeans->n_dimensions;
        for (uint32_t to = 0; to < node->n_nodes; to++)
            TRY(gravel_put(node->gravel, kmeans->centres + first * sizeof(cl_uint),
                           kmeans->found + first, n * sizeof(cl_uint), to));
    }
    TRY(gravel_barrier(node->gravel));
}

static void reset(void *self)
{
    struct kmeans *kmeans = self;
    points_start(kmeans, kmeans->found);
    TRY(gravel_put(kmeans->node.gravel, kmeans->centres, kmeans->found,
                   n_words(kmeans) * sizeof(cl_uint), kmeans->node.number));
}

static void run(void *self)
{
    struct kmeans *kmeans = self;
    /* A point's coordinates and its count, where models other than Gravel's send. */
    const struct node_bound bound = {.n_messages = n_columns(kmeans), .message_bytes = 12};
    const uint64_t n_items = (n_own(kmeans) + kmeans->per_item - 1) / kmeans->per_item;
    for (uint64_t i = 0; i < kmeans->n_rounds; i++) {
        node_send(&kmeans->node, kmeans->assign, n_items, bound);
        TRY(gravel_barrier(kmeans->node.gravel));
        update_centres(kmeans);
        TRY(gravel_get(kmeans->node.gravel, kmeans->centres, kmeans->found,
                       n_words(kmeans) * sizeof(cl_uint), kmeans->node.number));
    }
}

/* ---- check --------------------------------------------------------------------------------------
 *
 * K-means by one thread over all points, with another formula for what is nearest: |x - c|^2 = |x|^2 - (2 x.c - |c|^2), so the
 * nearest centre has the largest 2 x.c - |c|^2. All is exact, and must agree in every bit.
 */

/* Returns x.y of the n first coordinates. */
static int64_t product(const uint32_t *x, const uint32_t *y, uint64_t n)
{
    int64_t sum = 0;
    for (uint64_t d = 0; d < n; d++)
        sum += (int64_t)x[d] * y[d];
    return sum;
}

/* Makes a round, of labels for all points and centres of these. Returns the inertia of the centres before it. */
static uint64_t make_round(const struct kmeans *kmeans, const uint32_t *points, uint8_t *label,
                           uint32_t *centres)
{
    const uint64_t n_dimensions = kmeans->n_dimensions;
    uint64_t sums[MAX_CLUSTERS][MAX_DIMENSIONS] = {{0}}, counts[MAX_CLUSTERS] = {0}, inertia = 0;
    int64_t squares[MAX_CLUSTERS];
    uint32_t x[MAX_DIMENSIONS];
    for (uint64_t c = 0; c < kmeans->n_clusters; c++)
        squares[c] = product(centres + c * n_dimensions, centres + c * n_dimensions, n_dimensions);
    for (uint64_t i = 0; i < kmeans->n_points; i++) {
        int64_t most = INT64_MIN;
        for (uint64_t d = 0; d < n_dimensions; d++)
            x[d] = points[d * kmeans->n_points + i];
        for (uint64_t c = 0; c < kmeans->n_clusters; c++) {
            const int64_t nearness =
                2 * product(x, centres + c * n_dimensions, n_dimensions) - squares[c];
            label[i] = nearness > most ? (uint8_t)c : label[i];
            most = nearness > most ? nearness : most;
        }
        inertia += (uint64_t)(product(x, x, n_dimensions) - most);
        counts[label[i]]++;
        for (uint64_t d = 0; d < n_dimensions; d++)
            sums[label[i]][d] += x[d];
    }
    for (uint64_t c = 0; c < kmeans->n_clusters; c++)
        for (uint64_t d = 0; d < n_dimensions && counts[c]; d++)
            centres[c * n_dimensions + d] = (uint32_t)((sums[c][d] + counts[c] / 2) / counts[c]);
    return inertia;
}

/* Computes as many rounds, and adds the inertia of the centres. @return  words of this process's labels, and of the centres,
 * that are wrong [count] */
static uint64_t check(void *self, struct trials *trials)
{
    struct kmeans *kmeans = self;
    const uint64_t n = kmeans->n_points;
    uint32_t *points = app_array(n * kmeans->n_dimensions, sizeof *points, "the check");
    uint32_t *centres = app_array(n_words(kmeans), sizeof *centres, "the check");
    uint8_t *label = app_array(n, sizeof *label, "the check");
    cl_uchar *own = app_array(n_own(kmeans), sizeof *own, "the labels");
    uint64_t n_wrong = 0;
    points_generate(kmeans, (struct block_range){0, n}, points);
    points_start(kmeans, centres);
    for (uint64_t i = 0; i < kmeans->n_rounds; i++)
        make_round(kmeans, points, label, centres);
    node_read(&kmeans->node, kmeans->label, n_own(kmeans), own);
    for (uint64_t i = 0; i < n_own(kmeans); i++)
        n_wrong += own[i] != label[kmeans->own.first + i];
    for (uint64_t i = 0; i < n_words(kmeans); i++)
        n_wrong += kmeans->found[i] != centres[i];
    const double inertia = (double)make_round(kmeans, points, label, centres) /
                           (double)(UINT64_C(1) << 2 * FIXED_BITS);
    trials_add_real(trials, "inertia", inertia);
    trials_say(trials, "  %llu rounds, inertia %.9g\n", (unsigned long long)kmeans->n_rounds,
               inertia);
    free(own);
    free(label);
    free(centres);
    free(points);
    return n_wrong;
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app_option own_options[] = {
    {"iterations", 'i', "N", "Make this many rounds (20)",
     OPTION_NUMBER(struct kmeans, n_rounds, 1, 1000000)},
    {0}};

static void describe(void *self, struct trials *trials)
{
    const struct kmeans *kmeans = self;
    snprintf(trials->input, sizeof trials->input, "%llu points, %llu clusters, %llu-d",
             (unsigned long long)kmeans->n_points, (unsigned long long)kmeans->n_clusters,
             (unsigned long long)kmeans->n_dimensions);
    trials->work = (double)kmeans->n_points * (double)kmeans->n_rounds;
    trials_add_number(trials, "points", kmeans->n_points);
    trials_add_number(trials, "clusters", kmeans->n_clusters);
    trials_add_number(trials, "rounds", kmeans->n_rounds);
}

static const struct app app = {
    .name = "kmeans",
    .unit = "points/s",
    .doc = "Divide random points into clusters by k-means, and say how many points a second found "
           "theirs.",
    .groups = {{"Points:", 1, options_of_points, 0}, {"K-means:", 2, own_options, 0}},
    .has_models = MODELS,
    APP_FIELDS(struct kmeans),
    .open = open_node,
    .reset = reset,
    .run = run,
    .describe = describe,
    .check = check,
    .method = "serial",
    .close = close_node};

int main(int argc, char **argv)
{
    struct kmeans kmeans = {POINTS_DEFAULT, .n_rounds = 20};
    return app_main(&app, &kmeans, argc, argv);
}
