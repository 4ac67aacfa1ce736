/* SPDX-License-Identifier: MIT */
/*
 * A node's k-means.
 *
 * Path:    points.c (input) -> kmeans.c -> check.c
 * Owner:   kmeans.c.
 * Threads: main's.
 */
#ifndef APPS_KMEANS_H
#define APPS_KMEANS_H

#include "frame/app.h"
#include "graph/partition.h"

/* Labels are bytes; squared distances have 32 bits: 16 * (2^14 - 1)^2 < 2^32. */
#define MAX_CLUSTERS 256
#define MAX_DIMENSIONS 16
#define FIXED_BITS 14

struct kmeans {
    struct options options;
    uint64_t n_points; /* of all nodes */
    uint64_t n_clusters, n_dimensions;
    uint64_t n_rounds; /* at most */
    uint64_t per_item; /* points of a work-item, if combined */
    double tolerance;  /* stop once no coordinate of a centre moves more, in widths of the space */
    const char *send;  /* "sums" or "points"; NULL until open_node if it is to be chosen */
    bool is_combined;  /* it is "sums" */
    struct node node;

    struct block_range own; /* points of this process */
    uint32_t block;         /* clusters of a node */
    /* Heap offsets. sums: [block][n_dimensions + 1], of which the last are counts. centres: all. */
    uint64_t sums, centres;
    cl_kernel assign, measure;
    cl_mem points, label, totals;

    cl_uint *before;        /* [n_clusters][n_dimensions] of the last round's beginning */
    cl_uint *after;         /* and of its end */
    uint64_t n_done;        /* rounds of the last trial */
    double inertia;         /* sum of all points' squared distances [squared widths of the space] */
    uint64_t inertia_fixed; /* the same in fixed point, exactly */
};

/** Words of all centres [count]. */
static inline uint64_t n_words(const struct kmeans *kmeans)
{
    return kmeans->n_clusters * kmeans->n_dimensions;
}

/* ---- points.c: the input --------------------------------------------------------------------- */

/**
 * Coordinates of points [first, last), in 24 bits: [n_dimensions][last - first]. The points scatter
 * about n_clusters random places; number i is the same on every node and machine.
 */
void points_generate(const struct kmeans *kmeans, struct block_range range, uint32_t *coordinates);

/** Bits of a coordinate of points_generate. */
#define POINT_BITS 24

/** A coordinate as points and centres have it. */
static inline cl_uint point_word(uint32_t coordinate)
{
    return coordinate >> (POINT_BITS - FIXED_BITS);
}
/** The centres to start from: the first n_clusters points. */
void points_start(const struct kmeans *kmeans, cl_uint *centres);

/* ---- check.c ------------------------------------------------------------------ */

/**
 * Compare centres, labels of this process's points, and inertia with a serial computation of as
 * many rounds.
 *
 * @param serial_s  [out] the serial rounds took [s].
 * @return          words that are wrong [count].
 */
uint64_t compare_with_serial(struct kmeans *kmeans, double *serial_s);

#endif
