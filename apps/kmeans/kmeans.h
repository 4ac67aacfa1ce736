/* SPDX-License-Identifier: MIT */
/*
 * What the parts of k-means share.
 *
 * Path:    kmeans.c (options, trials) -> points.c (input) -> round.c (this node's part) ->
 *          reference.c (check)
 * Owner:   kmeans_open makes what kmeans_close frees.
 * Threads: main's.
 */
#ifndef APPS_KMEANS_H
#define APPS_KMEANS_H

#include "frame/app.h"
#include "graph/partition.h"

/* Labels are bytes; squared distances in fixed point have 32 bits: 16 * (2^14 - 1)^2 < 2^32. */
#define MAX_CLUSTERS 256
#define MAX_DIMENSIONS 16
#define FIXED_BITS 14

/* A word of a centre or a point in the form that is in use: [0, 2^14), or [0, 1). */
union centre {
    cl_float real;
    cl_uint fixed;
};

/* A word of a sum: of coordinates, or of how far points are off their old centre. */
union sum {
    cl_float real;
    cl_ulong fixed;
};

struct kmeans {
    struct options options;
    uint64_t n_points; /* of all nodes */
    uint64_t n_clusters, n_dimensions;
    uint64_t n_rounds; /* at most */
    uint64_t per_item; /* points of a work-item, if combined */
    double tolerance;  /* stop once no coordinate of a centre moves more, in widths of the space */
    bool is_float;
    bool is_combined;
    bool accumulates;
    struct gravel_accumulator *accumulator; /* of the sums */
    struct node node;

    struct block_range own; /* points of this process */
    uint32_t block;         /* clusters of a node */
    /* Heap offsets. sums: [block][n_dimensions + 1], of whole numbers the last are counts. counts: [block], of floats only.
     * centres: all. */
    uint64_t sums, counts, centres;
    cl_kernel assign, measure;
    cl_mem points, label, totals;

    union centre *before;   /* [n_clusters][n_dimensions] of the last round's beginning */
    union centre *after;    /* and of its end */
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

/** A coordinate in the form that is in use. */
static inline cl_uint point_fixed(uint32_t coordinate)
{
    return coordinate >> (POINT_BITS - FIXED_BITS);
}
static inline cl_float point_real(uint32_t coordinate)
{
    return (cl_float)coordinate * (1.0f / (1 << POINT_BITS));
}

/** The centres to start from: the first n_clusters points. */
void points_start(const struct kmeans *kmeans, union centre *centres);

/* ---- round.c: this node's part --------------------------------------------------------------- */

/** Open the node and make its points. */
app_step kmeans_open;

/** Every node has the first centres again, and no sums. */
app_step kmeans_reset;

/** Rounds until nothing moves, or n_rounds. */
app_step kmeans_run;

/** Set inertia, from the centres of the last round's end. Collective. */
void kmeans_measure(struct kmeans *kmeans);

/** Free what kmeans_open made. */
app_step kmeans_close;

/* ---- reference.c: the check ------------------------------------------------------------------ */

/**
 * Compare centres, labels of this process's points, and inertia with a serial computation of as
 * many rounds.
 *
 * @param serial_s  [out] the serial rounds took [s].
 * @return          words that are wrong [count].
 */
uint64_t kmeans_check(struct kmeans *kmeans, double *serial_s);

#endif
