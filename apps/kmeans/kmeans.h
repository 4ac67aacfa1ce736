/* SPDX-License-Identifier: MIT */
/*
 * A node's k-means.
 *
 * Path:    points.c (input) -> kmeans.c
 */
#ifndef APPS_KMEANS_H
#define APPS_KMEANS_H

#include "frame/app.h"
#include "graph/graph.h"

/* Labels are bytes; squared distances have 32 bits: 16 * (2^14 - 1)^2 < 2^32. */
#define MAX_CLUSTERS 256
#define MAX_DIMENSIONS 16
#define FIXED_BITS 14

struct kmeans {
    struct options options;
    uint64_t n_points; /* of all nodes */
    uint64_t n_clusters, n_dimensions;
    uint64_t n_rounds;
    struct node node;

    struct block_range own; /* points of this process */
    uint64_t per_item;      /* points of a work-item */
    uint32_t block;         /* clusters of a node */
    /* Heap offsets. sums: [block][n_dimensions + 1], of which the last are counts. centres: all. */
    uint64_t sums, centres;
    cl_kernel assign;
    cl_mem label;

    cl_uint *found; /* [n_clusters][n_dimensions] centres of the last round's end */
};

/** Words of all centres [count]. */
static inline uint64_t n_words(const struct kmeans *kmeans)
{
    return kmeans->n_clusters * kmeans->n_dimensions;
}

/* ---- points.c: the input --------------------------------------------------------------------- */

/* -p -k -d; the offset is of a struct kmeans, which begins with POINTS_DEFAULT. */
extern const struct app_option options_of_points[];
#define POINTS_DEFAULT .n_points = 1 << 24, .n_clusters = 8, .n_dimensions = 4

/**
 * Make coordinates of points [first, last), below 2^FIXED_BITS: [n_dimensions][last - first]. The points scatter about
 * n_clusters random places; number i is the same on every node and machine.
 */
void points_generate(const struct kmeans *kmeans, struct block_range range, uint32_t *coordinates);

/** Make the centres to start from: the first n_clusters points. */
void points_start(const struct kmeans *kmeans, uint32_t *centres);

#endif
