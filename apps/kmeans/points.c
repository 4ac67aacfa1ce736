/* SPDX-License-Identifier: MIT */
/*
 * Points that scatter about random places, in whole numbers, so that all machines make the same.
 *
 * Path: kmeans.c, bench/bench_input.c -> this -> random.h
 * Owner: the caller's arrays.
 * Threads: any.
 *
 * A coordinate is made in units of 2^-24 of the space's width: its place's plus the sum of four uniform numbers, which is
 * nearly normal: deviation 0.036 widths, never more than 0.125. FIXED_BITS of it are given.
 */
#include "kmeans.h"
#include "frame/random.h"

#include <stdlib.h>

#define POINT_BITS 24
#define WIDTH (UINT32_C(1) << POINT_BITS)
#define MARGIN (WIDTH / 8) /* places keep this far from the borders */
#define SCATTER 16         /* times [-131070, 131070], which is less than the margin */

#define MAX_POINTS (UINT64_C(1) << 36)

const struct app_option options_of_points[] = {
    {"points", 'p', "N", "Points of all nodes together (16777216)",
     OPTION_NUMBER(struct kmeans, n_points, 1, MAX_POINTS)},
    {"clusters", 'k', "N", "Clusters, up to 256 (8)",
     OPTION_NUMBER(struct kmeans, n_clusters, 1, MAX_CLUSTERS)},
    {"dimensions", 'd', "N", "Coordinates of a point, up to 16 (4)",
     OPTION_NUMBER(struct kmeans, n_dimensions, 1, MAX_DIMENSIONS)},
    {0}};

static uint32_t scatter(uint64_t ran)
{
    uint32_t sum = 0;
    for (unsigned piece = 0; piece < 4; piece++)
        sum += ran >> 16 * piece & 0xffff;
    return (sum - 2 * 0xffff) * SCATTER; /* may be negative, and wraps */
}

void points_generate(const struct kmeans *kmeans, struct block_range range, uint32_t *coordinates)
{
    /* Streams of random numbers that share nothing. Those of a point: its centre, then its coordinates. */
    const uint64_t key_of_places = random_key(2 * kmeans->options.seed);
    const uint64_t key = random_key(2 * kmeans->options.seed + 1);
    const uint64_t n = range.last - range.first, n_dimensions = kmeans->n_dimensions;
    uint32_t places[MAX_CLUSTERS * MAX_DIMENSIONS];
    for (uint64_t i = 0; i < n_words(kmeans); i++)
        places[i] =
            MARGIN + (uint32_t)((random_at(key_of_places, i) >> 32) * (WIDTH - 2 * MARGIN) >> 32);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t number = (range.first + i) * (n_dimensions + 1);
        const uint64_t place = (random_at(key, number) >> 32) * kmeans->n_clusters >> 32;
        for (uint64_t d = 0; d < n_dimensions; d++)
            coordinates[d * n + i] =
                (places[place * n_dimensions + d] + scatter(random_at(key, number + 1 + d))) >>
                (POINT_BITS - FIXED_BITS);
    }
}

void points_start(const struct kmeans *kmeans, uint32_t *centres)
{
    const uint64_t n = kmeans->n_clusters;
    uint32_t *coordinates = app_array(n_words(kmeans), sizeof *coordinates, "the centres");
    points_generate(kmeans, (struct block_range){0, n}, coordinates);
    for (uint64_t i = 0; i < n_words(kmeans); i++)
        centres[i] = coordinates[i % kmeans->n_dimensions * n + i / kmeans->n_dimensions];
    free(coordinates);
}
