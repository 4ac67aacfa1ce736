/* SPDX-License-Identifier: MIT */
/*
 * K-means: points find the nearest of a few centres, which then move to the middle of their points.
 *
 * Points are spread over all nodes, and so are clusters; a point adds its coordinates to its
 * cluster's sums, wherever those live. In fixed point the result is the same bit for bit in any
 * order and on any number of nodes.
 *
 * Path: main -> round.c -> reference.c -> report
 * Source: Lloyd, Least squares quantization in PCM, 1982; Orr 2016, section 5.4 (8 clusters, 16
 * million points).
 */
#include "kmeans.h"

#include <stdio.h>

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
    {"combine", 0, NULL, "Add up inside a work-group before sending",
     OPTION_FLAG(struct kmeans, is_combined)},
    {"per-item", 0, "N", "Points of a work-item, with --combine (16)",
     OPTION_NUMBER(struct kmeans, per_item, 1, 1 << 13)},
    {"accumulate", 0, NULL, "Add up by an accumulator, not by messages; of whole numbers",
     OPTION_FLAG(struct kmeans, accumulates)},
    {"float", 0, NULL, "Add floats, not whole numbers", OPTION_FLAG(struct kmeans, is_float)},
    {0}};

/* All trials make as many rounds as the one that warmed up. */
static void describe(void *self, struct trials *trials)
{
    const struct kmeans *kmeans = self;
    snprintf(trials->variant, sizeof trials->variant, "%s%s%s",
             kmeans->is_float ? "float" : "fixed", kmeans->is_combined ? "-combined" : "",
             kmeans->accumulates ? "-accumulated" : "");
    snprintf(trials->input, sizeof trials->input, "%llu points, %llu clusters, %llu-d",
             (unsigned long long)kmeans->n_points, (unsigned long long)kmeans->n_clusters,
             (unsigned long long)kmeans->n_dimensions);
    trials->work = (double)kmeans->n_points * (double)kmeans->n_done;
    trials_add_number(trials, "points", kmeans->n_points);
    trials_add_number(trials, "clusters", kmeans->n_clusters);
    trials_add_number(trials, "dimensions", kmeans->n_dimensions);
    trials_add_number(trials, "rounds", kmeans->n_done);
    trials_add_number(trials, "points_per_item", kmeans->is_combined ? kmeans->per_item : 1);
    trials_add_number(trials, "group_items", kmeans->node.group_items);
    trials_add_number(trials, "seed", kmeans->options.seed);
}

static void result(void *self, struct trials *trials)
{
    struct kmeans *kmeans = self;
    kmeans_measure(kmeans);
    trials_add_real(trials, "inertia", kmeans->inertia);
    trials_say(trials, "  %llu rounds, inertia %.9g\n", (unsigned long long)kmeans->n_done,
               kmeans->inertia);
}

static uint64_t check(void *self, struct trials *trials)
{
    double serial_s;
    uint64_t n_wrong = kmeans_check(self, &serial_s);
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
                               .open = kmeans_open,
                               .reset = kmeans_reset,
                               .run = kmeans_run,
                               .describe = describe,
                               .result = result,
                               .check = check,
                               .close = kmeans_close};

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
