/* SPDX-License-Identifier: MIT */
/*
 * The check: k-means by one thread over all points, with another formula for what is nearest.
 *
 * |x - c|^2 = |x|^2 - (2 x.c - |c|^2), so the nearest centre has the largest 2 x.c - |c|^2. All is exact, and must
 * agree in every bit.
 *
 * Path: rounds.c -> this -> points.c
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "kmeans.h"

#include <stdlib.h>

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

uint64_t kmeans_check(void *self, struct trials *trials)
{
    struct kmeans *kmeans = self;
    const uint64_t n = kmeans->n_points, n_own = kmeans->own.last - kmeans->own.first;
    uint32_t *points = app_array(n * kmeans->n_dimensions, sizeof *points, "the check");
    uint32_t *centres = app_array(n_words(kmeans), sizeof *centres, "the check");
    uint8_t *label = app_array(n, sizeof *label, "the check");
    cl_uchar *own = app_array(n_own, sizeof *own, "the labels");
    uint64_t n_wrong = 0;
    points_generate(kmeans, (struct block_range){0, n}, points);
    points_start(kmeans, centres);
    const double begin_s = trials_clock();
    for (uint64_t i = 0; i < kmeans->n_done; i++)
        make_round(kmeans, points, label, centres);
    trials_add_serial(trials, "serial", begin_s);
    node_read(&kmeans->node, kmeans->label, n_own, own);
    for (uint64_t i = 0; i < n_own; i++)
        n_wrong += own[i] != label[kmeans->own.first + i];
    for (uint64_t i = 0; i < n_words(kmeans); i++)
        n_wrong += kmeans->after[i] != centres[i];
    const double inertia = (double)make_round(kmeans, points, label, centres) /
                           (double)(UINT64_C(1) << 2 * FIXED_BITS);
    trials_add_real(trials, "inertia", inertia);
    trials_say(trials, "  %llu rounds, inertia %.9g\n", (unsigned long long)kmeans->n_done,
               inertia);
    free(own);
    free(label);
    free(centres);
    free(points);
    return n_wrong;
}
