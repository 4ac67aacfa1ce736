/* SPDX-License-Identifier: MIT */
/*
 * The check: k-means by one thread over all points, with another formula for what is nearest.
 *
 * |x - c|^2 = |x|^2 - (2 x.c - |c|^2), so the nearest centre has the largest 2 x.c - |c|^2. In
 * fixed point all is exact and must agree in every bit. The float form is compared with double
 * precision.
 *
 * Path: kmeans.c -> this -> points.c
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "kmeans.h"
#include "frame/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the space's width, its square, and relative. Measured with 2^24 points, 20 rounds: centres
 * 5e-7, labels 2e-7, inertia 4e-8. */
#define CENTRE_TOLERANCE 1e-4
#define LABEL_TOLERANCE 1e-5
#define INERTIA_TOLERANCE 1e-4

struct serial {
    const struct kmeans *kmeans;
    uint32_t *points; /* [n_dimensions][n_points] */
    uint8_t *label;   /* [n_points] of the last round */
    double real[MAX_CLUSTERS][MAX_DIMENSIONS];
    int64_t fixed[MAX_CLUSTERS][MAX_DIMENSIONS];
    double inertia;
    uint64_t inertia_fixed;
    struct progress progress;
};

static void start(struct serial *serial)
{
    const struct kmeans *kmeans = serial->kmeans;
    union centre *centres = app_array(n_words(kmeans), sizeof *centres, "the centres");
    points_start(kmeans, centres);
    for (uint64_t i = 0; i < n_words(kmeans); i++) {
        uint64_t c = i / kmeans->n_dimensions, d = i % kmeans->n_dimensions;
        if (kmeans->is_float)
            serial->real[c][d] = (double)centres[i].real;
        else
            serial->fixed[c][d] = centres[i].fixed;
    }
    free(centres);
}

/* ---- fixed point ----------------------------------------------------------------------------- */

static void point_of_fixed(const struct serial *serial, uint64_t i, int64_t x[MAX_DIMENSIONS])
{
    for (uint64_t d = 0; d < serial->kmeans->n_dimensions; d++)
        x[d] = point_fixed(serial->points[d * serial->kmeans->n_points + i]);
}

/* The nearest centre, and |x|^2 minus its squared distance: the first of the largest. */
static uint64_t find_fixed(const struct serial *serial, const int64_t *x, const int64_t *squares,
                           int64_t *most)
{
    uint64_t best = 0;
    *most = INT64_MIN;
    for (uint64_t c = 0; c < serial->kmeans->n_clusters; c++) {
        int64_t product = 0;
        for (uint64_t d = 0; d < serial->kmeans->n_dimensions; d++)
            product += x[d] * serial->fixed[c][d];
        if (2 * product - squares[c] > *most) {
            *most = 2 * product - squares[c];
            best = c;
        }
    }
    return best;
}

static int64_t square_fixed(const int64_t *x, uint64_t n_dimensions)
{
    int64_t sum = 0;
    for (uint64_t d = 0; d < n_dimensions; d++)
        sum += x[d] * x[d];
    return sum;
}

static void round_fixed(struct serial *serial, bool is_last)
{
    const struct kmeans *kmeans = serial->kmeans;
    int64_t sums[MAX_CLUSTERS][MAX_DIMENSIONS] = {{0}}, counts[MAX_CLUSTERS] = {0};
    int64_t squares[MAX_CLUSTERS], x[MAX_DIMENSIONS], most;
    serial->inertia_fixed = 0;
    for (uint64_t c = 0; c < kmeans->n_clusters; c++)
        squares[c] = square_fixed(serial->fixed[c], kmeans->n_dimensions);
    for (uint64_t i = 0; i < kmeans->n_points; i++) {
        point_of_fixed(serial, i, x);
        uint64_t c = find_fixed(serial, x, squares, &most);
        serial->inertia_fixed += (uint64_t)(square_fixed(x, kmeans->n_dimensions) - most);
        if (is_last)
            continue;
        serial->label[i] = (uint8_t)c;
        counts[c]++;
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++)
            sums[c][d] += x[d];
    }
    for (uint64_t c = 0; c < kmeans->n_clusters; c++)
        for (uint64_t d = 0; d < kmeans->n_dimensions && counts[c]; d++)
            serial->fixed[c][d] = (sums[c][d] + counts[c] / 2) / counts[c];
}

static uint64_t compare_fixed(const struct serial *serial, const cl_uchar *label)
{
    const struct kmeans *kmeans = serial->kmeans;
    uint64_t n_wrong = serial->inertia_fixed != kmeans->inertia_fixed;
    for (uint64_t i = 0; i < n_words(kmeans); i++)
        n_wrong += kmeans->after[i].fixed !=
                   serial->fixed[i / kmeans->n_dimensions][i % kmeans->n_dimensions];
    for (uint64_t i = kmeans->own.first; i < kmeans->own.last; i++)
        n_wrong += label[i - kmeans->own.first] != serial->label[i];
    return n_wrong;
}

/* ---- float ----------------------------------------------------------------------------------- */

static void point_of_real(const struct serial *serial, uint64_t i, double x[MAX_DIMENSIONS])
{
    for (uint64_t d = 0; d < serial->kmeans->n_dimensions; d++)
        x[d] = (double)point_real(serial->points[d * serial->kmeans->n_points + i]);
}

static double distance_real(const struct serial *serial, const double *x, uint64_t c)
{
    double sum = 0;
    for (uint64_t d = 0; d < serial->kmeans->n_dimensions; d++) {
        double difference = x[d] - serial->real[c][d];
        sum += difference * difference;
    }
    return sum;
}

static uint64_t find_real(const struct serial *serial, const double *x, double *distance)
{
    uint64_t best = 0;
    *distance = INFINITY;
    for (uint64_t c = 0; c < serial->kmeans->n_clusters; c++) {
        double next = distance_real(serial, x, c);
        best = next < *distance ? c : best;
        *distance = next < *distance ? next : *distance;
    }
    return best;
}

/* Labels are compared before the centres move: a point between two centres may go to either. */
static uint64_t count_wrong_labels(const struct serial *serial, const cl_uchar *label)
{
    const struct kmeans *kmeans = serial->kmeans;
    uint64_t n_wrong = 0;
    double x[MAX_DIMENSIONS], distance;
    for (uint64_t i = kmeans->own.first; i < kmeans->own.last; i++) {
        uint64_t given = label[i - kmeans->own.first];
        point_of_real(serial, i, x);
        find_real(serial, x, &distance);
        n_wrong += given >= kmeans->n_clusters ||
                   !(distance_real(serial, x, given) - distance <= LABEL_TOLERANCE);
    }
    return n_wrong;
}

static void round_real(struct serial *serial, bool is_last)
{
    const struct kmeans *kmeans = serial->kmeans;
    double sums[MAX_CLUSTERS][MAX_DIMENSIONS] = {{0}}, counts[MAX_CLUSTERS] = {0};
    double x[MAX_DIMENSIONS] = {0}, distance;
    serial->inertia = 0;
    for (uint64_t i = 0; i < kmeans->n_points; i++) {
        point_of_real(serial, i, x);
        uint64_t c = find_real(serial, x, &distance);
        serial->inertia += distance;
        counts[c]++;
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++)
            sums[c][d] += x[d];
    }
    for (uint64_t c = 0; !is_last && c < kmeans->n_clusters; c++)
        for (uint64_t d = 0; d < kmeans->n_dimensions && counts[c] > 0; d++)
            serial->real[c][d] = sums[c][d] / counts[c];
}

static uint64_t compare_real(const struct serial *serial)
{
    const struct kmeans *kmeans = serial->kmeans;
    double inertia_off = fabs(kmeans->inertia - serial->inertia);
    uint64_t n_wrong = !(inertia_off <= INERTIA_TOLERANCE * serial->inertia);
    for (uint64_t i = 0; i < n_words(kmeans); i++) {
        double right = serial->real[i / kmeans->n_dimensions][i % kmeans->n_dimensions];
        n_wrong += !(fabs((double)kmeans->after[i].real - right) <= CENTRE_TOLERANCE);
    }
    return n_wrong;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* The rounds, and one more for the inertia of their result. */
static uint64_t run(struct serial *serial, const cl_uchar *label, double *serial_s)
{
    const struct kmeans *kmeans = serial->kmeans;
    uint64_t n_wrong = 0;
    *serial_s = 0;
    for (uint64_t i = 0; i <= kmeans->n_done; i++) {
        if (kmeans->is_float && i + 1 == kmeans->n_done)
            n_wrong += count_wrong_labels(serial, label);
        double begin_s = trials_clock();
        (kmeans->is_float ? round_real : round_fixed)(serial, i == kmeans->n_done);
        *serial_s += i < kmeans->n_done ? trials_clock() - begin_s : 0;
        progress_at(&serial->progress, i + 1);
    }
    return n_wrong + (kmeans->is_float ? compare_real(serial) : compare_fixed(serial, label));
}

uint64_t kmeans_check(struct kmeans *kmeans, double *serial_s)
{
    uint64_t n = kmeans->n_points, n_own = kmeans->own.last - kmeans->own.first;
    struct serial *serial = app_array(1, sizeof *serial, "the check");
    serial->kmeans = kmeans;
    serial->points = app_array(n * kmeans->n_dimensions, sizeof(uint32_t), "the check");
    serial->label = app_array(n, sizeof *serial->label, "the check");
    cl_uchar *label = app_array(n_own, sizeof *label, "the labels");
    node_read(&kmeans->node, kmeans->label, n_own, label);
    points_generate(kmeans, (struct block_range){0, n}, serial->points);
    start(serial);
    progress_begin(&serial->progress, stderr, "check", kmeans->n_done + 1,
                   kmeans->options.quiet || kmeans->node.number != 0);
    uint64_t n_wrong = run(serial, label, serial_s);
    progress_end(&serial->progress);
    free(label);
    free(serial->points);
    free(serial->label);
    free(serial);
    return n_wrong;
}
