/* SPDX-License-Identifier: MIT */
/*
 * This node's part: its points, its clusters, and the rounds.
 *
 * A round has two halves, a barrier after each: all points send themselves to the sums of their
 * cluster; each owner turns its sums into centres, clears them, and puts the centres into every
 * node's heap.
 *
 * Path: kmeans.c -> this -> kmeans.cl -> sums at every owner -> this
 * Owner: see kmeans.h.
 * Threads: main's.
 */
#include "kmeans.h"

#include "frame/die.h"

#include <gravel/accumulator.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t sum_bytes(const struct kmeans *kmeans)
{
    return kmeans->is_float ? sizeof(cl_float) : sizeof(cl_ulong);
}

static uint64_t n_own(const struct kmeans *kmeans)
{
    return kmeans->own.last - kmeans->own.first;
}

static uint64_t n_groups(const struct kmeans *kmeans)
{
    uint32_t group_items = kmeans->node.group_items;
    return (n_own(kmeans) + group_items - 1) / group_items;
}

/* Of a cluster's sums: its coordinates, and its points. */
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

/* Points there is room for in a row of `points`: the last work-item may look at some past the end.
 */
static uint64_t stride(const struct kmeans *kmeans)
{
    return n_items(kmeans) * per_item(kmeans);
}

static union centre coordinate(const struct kmeans *kmeans, uint32_t generated)
{
    return kmeans->is_float ? (union centre){.real = point_real(generated)}
                            : (union centre){.fixed = point_fixed(generated)};
}

static void upload_points(struct kmeans *kmeans)
{
    uint64_t n = n_own(kmeans), n_all = stride(kmeans) * kmeans->n_dimensions;
    uint32_t *generated = app_array(n * kmeans->n_dimensions, sizeof *generated, "the points");
    union centre *points = app_array(n_all, sizeof *points, "the points");
    points_generate(kmeans, kmeans->own, generated);
    for (uint64_t d = 0; d < kmeans->n_dimensions; d++)
        for (uint64_t i = 0; i < n; i++)
            points[d * stride(kmeans) + i] = coordinate(kmeans, generated[d * n + i]);
    free(generated);
    kmeans->points = node_array(&kmeans->node, n_all * sizeof *points, points);
    free(points);
}

/* Slices of a group's points, each with sums of its own: enough to keep work-items busy, and few
 * enough for 16 kB of local memory. */
static unsigned n_slices(const struct kmeans *kmeans)
{
    uint64_t slice_bytes = kmeans->n_clusters * n_columns(kmeans) * sum_bytes(kmeans);
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
             "-DN_CLUSTERS=%u -DN_DIMENSIONS=%u -DBLOCK=%u -DGROUP_ITEMS=%u -DN_SLICES=%u%s%s",
             (unsigned)kmeans->n_clusters, (unsigned)kmeans->n_dimensions, kmeans->block,
             kmeans->node.group_items, n_slices(kmeans), kmeans->is_float ? "" : " -DKMEANS_FIXED",
             kmeans->accumulates ? " -DKMEANS_ACCUMULATE" : "");
    node_build(&kmeans->node, "kmeans.cl", kmeans_cl, defines);
    kmeans->assign = node_kernel(&kmeans->node, kmeans->is_combined ? "assign_combined" : "assign");
    kmeans->measure = node_kernel(&kmeans->node, "measure");
}

static void set_arguments(struct kmeans *kmeans)
{
    NODE_SET(kmeans->assign, 2, cl_mem, kmeans->points);
    NODE_SET(kmeans->assign, 3, cl_ulong, stride(kmeans));
    NODE_SET(kmeans->assign, 4, cl_mem, kmeans->label);
    NODE_SET(kmeans->assign, 5, cl_ulong, kmeans->centres);
    NODE_SET(kmeans->assign, 6, cl_ulong, kmeans->sums);
    NODE_SET(kmeans->assign, 7, cl_ulong, kmeans->counts);
    if (kmeans->is_combined) {
        NODE_SET(kmeans->assign, 8, cl_ulong, n_own(kmeans));
        NODE_SET(kmeans->assign, 9, cl_uint, (cl_uint)kmeans->per_item);
    }
    NODE_SET(kmeans->measure, 2, cl_mem, kmeans->points);
    NODE_SET(kmeans->measure, 3, cl_ulong, stride(kmeans));
    NODE_SET(kmeans->measure, 4, cl_ulong, kmeans->centres);
    NODE_SET(kmeans->measure, 5, cl_mem, kmeans->totals);
}

static void make_accumulator(struct kmeans *kmeans)
{
    if (!kmeans->accumulates)
        return;
    node_check(gravel_accumulator_create(&kmeans->accumulator, kmeans->node.gravel, kmeans->sums,
                                         kmeans->block * n_columns(kmeans), GRAVEL_ADD,
                                         GRAVEL_ULONG));
    node_check(gravel_kernel_set_accumulator(kmeans->accumulator, kmeans->assign,
                                             kmeans->is_combined ? 10 : 8));
}

void kmeans_open(void *self)
{
    struct kmeans *kmeans = self;
    struct node *node = &kmeans->node;
    if (kmeans->accumulates && (kmeans->is_float || node->model != model_gravel))
        die("--accumulate: of whole numbers, and under --model gravel");
    /* As for one node, because only an open node knows how many there are. */
    node_open(node, 4 * (n_words(kmeans) + kmeans->n_clusters) * sizeof(cl_ulong));
    kmeans->own = block_range(kmeans->n_points, node->n_processes, node->number);
    kmeans->block = (uint32_t)block_of(kmeans->n_clusters, node->n_nodes);
    kmeans->sums = node_alloc(node, kmeans->block * n_columns(kmeans) * sum_bytes(kmeans));
    kmeans->counts = kmeans->is_float ? node_alloc(node, kmeans->block * sizeof(cl_ulong)) : 0;
    kmeans->centres = node_alloc(node, n_words(kmeans) * sizeof(union centre));
    upload_points(kmeans);
    kmeans->label = node_array(node, stride(kmeans), NULL);
    kmeans->totals = node_array(node, n_groups(kmeans) * sum_bytes(kmeans), NULL);
    kmeans->before = app_array(n_words(kmeans), sizeof(union centre), "the centres");
    kmeans->after = app_array(n_words(kmeans), sizeof(union centre), "the centres");
    build(kmeans);
    set_arguments(kmeans);
    make_accumulator(kmeans);
}

void kmeans_close(void *self)
{
    struct kmeans *kmeans = self;
    free(kmeans->before);
    free(kmeans->after);
    node_check(gravel_accumulator_destroy(kmeans->accumulator));
    node_close(&kmeans->node);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static size_t centres_bytes(const struct kmeans *kmeans)
{
    return n_words(kmeans) * sizeof(union centre);
}

/* This process's copy of all centres, to or from its heap. */
static void read_centres(struct kmeans *kmeans, union centre *centres)
{
    size_t bytes = centres_bytes(kmeans);
    void *here = node_map(&kmeans->node, kmeans->node.number, kmeans->centres, bytes, CL_MAP_READ);
    memcpy(centres, here, bytes);
    node_unmap(&kmeans->node, here);
}
static void write_centres(struct kmeans *kmeans, const union centre *centres)
{
    size_t bytes = centres_bytes(kmeans);
    void *here = node_map(&kmeans->node, kmeans->node.number, kmeans->centres, bytes,
                          CL_MAP_WRITE_INVALIDATE_REGION);
    memcpy(here, centres, bytes);
    node_unmap(&kmeans->node, here);
}

/* A cluster without points keeps its centre. */
static union centre new_centre(const struct kmeans *kmeans, union centre old, union sum sum,
                               uint64_t count)
{
    if (count == 0)
        return old;
    if (kmeans->is_float)
        return (union centre){.real =
                                  (cl_float)((double)old.real + (double)sum.real / (double)count)};
    return (union centre){.fixed = (cl_uint)((sum.fixed + count / 2) / count)};
}

static union sum sum_at(const struct kmeans *kmeans, const void *sums, uint64_t i)
{
    return kmeans->is_float ? (union sum){.real = ((const cl_float *)sums)[i]}
                            : (union sum){.fixed = ((const cl_ulong *)sums)[i]};
}

/* New centres, by the clusters' sums and, of floats, counts. */
static void move_centres(struct kmeans *kmeans, struct block_range clusters, const void *sums,
                         const cl_ulong *counts)
{
    for (uint64_t c = clusters.first; c < clusters.last; c++) {
        uint64_t row = (c - clusters.first) * n_columns(kmeans);
        uint64_t count = counts ? counts[c - clusters.first]
                                : sum_at(kmeans, sums, row + kmeans->n_dimensions).fixed;
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++) {
            uint64_t word = c * kmeans->n_dimensions + d;
            kmeans->after[word] =
                new_centre(kmeans, kmeans->before[word], sum_at(kmeans, sums, row + d), count);
        }
    }
}

/* What a node of this process has of sums or counts; 0 when it is given back. */
static void *take(struct kmeans *kmeans, uint32_t number, uint64_t offset, uint64_t bytes)
{
    return node_map(&kmeans->node, number, offset, bytes, CL_MAP_READ | CL_MAP_WRITE);
}
static void give_back(struct kmeans *kmeans, void *words, uint64_t bytes)
{
    memset(words, 0, bytes);
    node_unmap(&kmeans->node, words);
}

/* New centres of the clusters [first, last), which live on a node of this process. */
static void take_sums(struct kmeans *kmeans, uint32_t number, struct block_range clusters)
{
    uint64_t n = clusters.last - clusters.first;
    uint64_t sums_bytes = n * n_columns(kmeans) * sum_bytes(kmeans),
             counts_bytes = n * sizeof(cl_ulong);
    void *sums = take(kmeans, number, kmeans->sums, sums_bytes);
    cl_ulong *counts = kmeans->is_float ? take(kmeans, number, kmeans->counts, counts_bytes) : NULL;
    move_centres(kmeans, clusters, sums, counts);
    give_back(kmeans, sums, sums_bytes);
    if (counts)
        give_back(kmeans, counts, counts_bytes);
}

static void tell_centres(struct kmeans *kmeans, struct block_range clusters)
{
    uint64_t first = clusters.first * kmeans->n_dimensions;
    uint64_t n = (clusters.last - clusters.first) * kmeans->n_dimensions;
    for (uint32_t node = 0; node < kmeans->node.n_nodes; node++)
        node_check(gravel_put(kmeans->node.gravel, kmeans->centres + first * sizeof(union centre),
                              kmeans->after + first, n * sizeof(union centre), node));
}

static void update_centres(struct kmeans *kmeans)
{
    struct node *node = &kmeans->node;
    for (uint32_t number = 0; number < node->n_nodes; number++) {
        struct block_range clusters = block_range(kmeans->n_clusters, node->n_nodes, number);
        if (clusters.first == clusters.last || !gravel_is_local(node->gravel, number))
            continue;
        take_sums(kmeans, number, clusters);
        tell_centres(kmeans, clusters);
    }
    node_barrier(node);
}

/* All nodes have equal centres, so every node gets this answer. */
static bool has_moved(const struct kmeans *kmeans)
{
    double unit = kmeans->is_float ? 1 : 1.0 / (1 << FIXED_BITS), most = 0;
    for (uint64_t i = 0; i < n_words(kmeans); i++) {
        union centre a = kmeans->before[i], b = kmeans->after[i];
        double distance = kmeans->is_float ? fabs((double)a.real - (double)b.real)
                                           : fabs((double)a.fixed - (double)b.fixed) * unit;
        most = distance > most ? distance : most;
    }
    return most > kmeans->tolerance;
}

void kmeans_reset(void *self)
{
    struct kmeans *kmeans = self;
    points_start(kmeans, kmeans->after);
    write_centres(kmeans, kmeans->after);
    node_barrier(&kmeans->node);
}

/* A point's coordinates and its count; or, added up in a group, those of all clusters that a node has. */
static struct node_bound bound_of(const struct kmeans *kmeans)
{
    uint64_t n_columns = kmeans->n_dimensions + 1;
    return (struct node_bound){.n_messages =
                                   kmeans->is_combined ? kmeans->block * n_columns : n_columns,
                               .message_bytes = 12,
                               .is_of_group = kmeans->is_combined};
}

void kmeans_run(void *self)
{
    struct kmeans *kmeans = self;
    kmeans->n_done = 0;
    do {
        memcpy(kmeans->before, kmeans->after, centres_bytes(kmeans));
        node_send(&kmeans->node, kmeans->assign, n_items(kmeans), bound_of(kmeans));
        node_barrier(&kmeans->node);
        update_centres(kmeans);
        read_centres(kmeans, kmeans->after);
        kmeans->n_done++;
    } while (kmeans->n_done < kmeans->n_rounds && has_moved(kmeans));
}

/* ---- result ---------------------------------------------------------------------------------- */

static void sum_totals(struct kmeans *kmeans, const void *totals)
{
    double unit = 1.0 / (UINT64_C(1) << 2 * FIXED_BITS);
    kmeans->inertia_fixed = 0;
    kmeans->inertia = 0;
    for (uint64_t i = 0; i < n_groups(kmeans); i++)
        if (kmeans->is_float)
            kmeans->inertia += (double)sum_at(kmeans, totals, i).real;
        else
            kmeans->inertia_fixed += sum_at(kmeans, totals, i).fixed;
    node_check(gravel_reduce(kmeans->node.gravel, GRAVEL_ADD, GRAVEL_DOUBLE, &kmeans->inertia, 1));
    kmeans->inertia_fixed = node_sum(&kmeans->node, kmeans->inertia_fixed);
    if (!kmeans->is_float)
        kmeans->inertia = (double)kmeans->inertia_fixed * unit;
}

void kmeans_measure(struct kmeans *kmeans)
{
    size_t bytes = n_groups(kmeans) * sum_bytes(kmeans);
    void *totals = app_array(n_groups(kmeans), sum_bytes(kmeans), "the totals");
    node_launch(&kmeans->node, kmeans->measure, n_own(kmeans));
    node_barrier(&kmeans->node);
    node_read(&kmeans->node, kmeans->totals, bytes, totals);
    sum_totals(kmeans, totals);
    free(totals);
}
