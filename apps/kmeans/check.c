/* SPDX-License-Identifier: MIT */
/*
 * The check: k-means by one thread over all points, with another formula for what is nearest.
 *
 * |x - c|^2 = |x|^2 - (2 x.c - |c|^2), so the nearest centre has the largest 2 x.c - |c|^2. All is exact, and must
 * agree in every bit.
 *
 * Path: kmeans.c -> this -> points.c
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "kmeans.h"

#include <stdlib.h>
#include <string.h>

struct serial {
    const struct kmeans *kmeans;
    uint32_t *points; /* [n_dimensions][n_points] */
    uint8_t *label;   /* [n_points] of the last round */
    int64_t centres[MAX_CLUSTERS][MAX_DIMENSIONS];
    uint64_t inertia_fixed;
};

/* The nearest centre, and |x|^2 minus its squared distance: the first of the largest. */
static uint64_t find_nearest(const struct serial *serial, const int64_t *x, const int64_t *squares,
                             int64_t *most)
{
    uint64_t best = 0;
    *most = INT64_MIN;
    for (uint64_t c = 0; c < serial->kmeans->n_clusters; c++) {
        int64_t product = 0;
        for (uint64_t d = 0; d < serial->kmeans->n_dimensions; d++)
            product += x[d] * serial->centres[c][d];
        if (2 * product - squares[c] > *most) {
            *most = 2 * product - squares[c];
            best = c;
        }
    }
    return best;
}

static int64_t square(const int64_t *x, uint64_t n_dimensions)
{
    int64_t sum = 0;
    for (uint64_t d = 0; d < n_dimensions; d++)
        sum += x[d] * x[d];
    return sum;
}

static void make_round(struct serial *serial, bool is_last)
{
    const struct kmeans *kmeans = serial->kmeans;
    int64_t sums[MAX_CLUSTERS][MAX_DIMENSIONS] = {{0}}, counts[MAX_CLUSTERS] = {0};
    int64_t squares[MAX_CLUSTERS], x[MAX_DIMENSIONS], most;
    serial->inertia_fixed = 0;
    for (uint64_t c = 0; c < kmeans->n_clusters; c++)
        squares[c] = square(serial->centres[c], kmeans->n_dimensions);
    for (uint64_t i = 0; i < kmeans->n_points; i++) {
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++)
            x[d] = point_word(serial->points[d * kmeans->n_points + i]);
        uint64_t c = find_nearest(serial, x, squares, &most);
        serial->inertia_fixed += (uint64_t)(square(x, kmeans->n_dimensions) - most);
        if (is_last)
            continue;
        serial->label[i] = (uint8_t)c;
        counts[c]++;
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++)
            sums[c][d] += x[d];
    }
    for (uint64_t c = 0; c < kmeans->n_clusters; c++)
        for (uint64_t d = 0; d < kmeans->n_dimensions && counts[c]; d++)
            serial->centres[c][d] = (sums[c][d] + counts[c] / 2) / counts[c];
}

static uint64_t compare(const struct serial *serial, const cl_uchar *label)
{
    const struct kmeans *kmeans = serial->kmeans;
    uint64_t n_wrong = serial->inertia_fixed != kmeans->inertia_fixed;
    for (uint64_t i = 0; i < n_words(kmeans); i++)
        n_wrong +=
            kmeans->after[i] != serial->centres[i / kmeans->n_dimensions][i % kmeans->n_dimensions];
    for (uint64_t i = kmeans->own.first; i < kmeans->own.last; i++)
        n_wrong += label[i - kmeans->own.first] != serial->label[i];
    return n_wrong;
}

/* The rounds, and one more for the inertia of their result. @return  what the rounds took [s]. */
static double run(struct serial *serial)
{
    const uint64_t n_rounds = serial->kmeans->n_done;
    double serial_s = 0;
    for (uint64_t i = 0; i <= n_rounds; i++) {
        double begin_s = trials_clock();
        make_round(serial, i == n_rounds);
        serial_s += i < n_rounds ? trials_clock() - begin_s : 0;
    }
    return serial_s;
}

uint64_t compare_with_serial(struct kmeans *kmeans, double *serial_s)
{
    uint64_t n = kmeans->n_points, n_own = kmeans->own.last - kmeans->own.first;
    struct serial *serial = app_array(1, sizeof *serial, "the check");
    serial->kmeans = kmeans;
    serial->points = app_array(n * kmeans->n_dimensions, sizeof(uint32_t), "the check");
    serial->label = app_array(n, sizeof *serial->label, "the check");
    cl_uchar *label = app_array(n_own, sizeof *label, "the labels");
    node_read(&kmeans->node, kmeans->label, n_own, label);
    points_generate(kmeans, (struct block_range){0, n}, serial->points);
    cl_uint *centres = app_array(n_words(kmeans), sizeof *centres, "the centres");
    points_start(kmeans, centres);
    for (uint64_t i = 0; i < n_words(kmeans); i++)
        serial->centres[i / kmeans->n_dimensions][i % kmeans->n_dimensions] = centres[i];
    free(centres);
    *serial_s = run(serial);
    uint64_t n_wrong = compare(serial, label);
    free(label);
    free(serial->points);
    free(serial->label);
    free(serial);
    return n_wrong;
}
