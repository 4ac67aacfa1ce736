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
#include "node_app.h"

#define MAX_ROUNDS 1000000
#define MAX_POINTS (UINT64_C(1) << 36)

enum { KEY_PER_ITEM = 0x3000, KEY_FLOAT, KEY_COMBINE };

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "K-means:", 1},
    {"points", 'p', "N", 0, "Points of all nodes together (16777216)", 0},
    {"clusters", 'k', "N", 0, "Clusters, up to 256 (8)", 0},
    {"dimensions", 'd', "N", 0, "Coordinates of a point, up to 16 (4)", 0},
    {"iterations", 'i', "N", 0, "Make at most this many rounds (20)", 0},
    {"tolerance", 't', "WIDTH", 0,
     "Stop once no coordinate moves more, in widths of the space (1e-5)", 0},
    {"combine", KEY_COMBINE, NULL, 0, "Add up inside a work-group before sending", 0},
    {"per-item", KEY_PER_ITEM, "N", 0, "Points of a work-item, with --combine (16)", 0},
    {"float", KEY_FLOAT, NULL, 0, "Add floats, not whole numbers", 0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct kmeans *kmeans = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        node_app_inputs(state, node_app_children, &kmeans->options, &kmeans->node);
        return 0;
    case 'p':
        return options_number(state, "-p", value, 1, MAX_POINTS, &kmeans->n_points);
    case 'k':
        return options_number(state, "-k", value, 1, MAX_CLUSTERS, &kmeans->n_clusters);
    case 'd':
        return options_number(state, "-d", value, 1, MAX_DIMENSIONS, &kmeans->n_dimensions);
    case 'i':
        return options_number(state, "-i", value, 1, MAX_ROUNDS, &kmeans->n_rounds);
    case 't':
        return options_real(state, "-t", value, &kmeans->tolerance);
    case KEY_PER_ITEM:
        return options_number(state, "--per-item", value, 1, 1 << 13, &kmeans->per_item);
    case KEY_COMBINE:
        kmeans->is_combined = true;
        return 0;
    case KEY_FLOAT:
        kmeans->is_float = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {.options = own_options,
                                 .parser = parse,
                                 .doc =
                                     "Divide random points into clusters by k-means, and say how "
                                     "many points a second found theirs.",
                                 .children = node_app_children};

static void reset(void *app)
{
    kmeans_reset(app);
}

static void run_rounds(void *app)
{
    kmeans_run(app);
}

/* One trial, so that the device's compiler has done its work before the clock runs. It also tells
 * how many rounds the trials will take, since all are alike. */
static void warm_up(struct kmeans *kmeans)
{
    kmeans_reset(kmeans);
    kmeans_run(kmeans);
    kmeans_measure(kmeans);
}

static json_t *parameters(const struct kmeans *kmeans)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:i, s:I}", "points", (json_int_t)kmeans->n_points,
                     "clusters", (json_int_t)kmeans->n_clusters, "dimensions",
                     (json_int_t)kmeans->n_dimensions, "rounds", (json_int_t)kmeans->n_done,
                     "points_per_item", (json_int_t)(kmeans->is_combined ? kmeans->per_item : 1),
                     "group_items", (int)kmeans->node.group_items, "seed",
                     (json_int_t)kmeans->options.seed);
}

static const char *variant(const struct kmeans *kmeans)
{
    if (kmeans->is_combined)
        return kmeans->is_float ? "float-combined" : "fixed-combined";
    return kmeans->is_float ? "float" : "fixed";
}

static void result(void *app, struct trials *trials)
{
    struct kmeans *kmeans = app;
    kmeans_measure(kmeans);
    json_object_set_new(trials->parameters, "inertia", json_real(kmeans->inertia));
    if (kmeans->node.number == 0 && !trials->json)
        printf("  %llu rounds, inertia %.9g\n", (unsigned long long)kmeans->n_done,
               kmeans->inertia);
}

static uint64_t check(void *app, struct trials *trials)
{
    struct kmeans *kmeans = app;
    double serial_s;
    uint64_t n_wrong = kmeans_check(kmeans, &serial_s);
    json_object_set_new(trials->parameters, "serial_seconds", json_real(serial_s));
    if (kmeans->node.number == 0 && !trials->json)
        printf("  serial: %.6f s, %.4g M points/s\n", serial_s, 1e-6 * trials->work / serial_s);
    return n_wrong;
}

static int run(struct kmeans *kmeans)
{
    static const struct node_app_steps steps = {reset, run_rounds, result, check};
    char input[64];
    snprintf(input, sizeof input, "%llu points, %llu clusters, %llu-d",
             (unsigned long long)kmeans->n_points, (unsigned long long)kmeans->n_clusters,
             (unsigned long long)kmeans->n_dimensions);
    struct trials trials = {.name = "kmeans",
                            .variant = variant(kmeans),
                            .input = input,
                            .unit = "points/s",
                            .work = (double)kmeans->n_points * (double)kmeans->n_done,
                            .parameters = parameters(kmeans)};
    return node_app_run(&trials, &steps, &kmeans->node, &kmeans->options, kmeans);
}

int main(int argc, char **argv)
{
    struct kmeans kmeans = {.options = OPTIONS_DEFAULT,
                            .node = NODE_DEFAULT,
                            .n_points = 1 << 24,
                            .n_clusters = 8,
                            .n_dimensions = 4,
                            .n_rounds = 20,
                            .per_item = 16,
                            .tolerance = 1e-5};
    options_parse(&argp, argc, argv, &kmeans);
    kmeans_open(&kmeans);
    warm_up(&kmeans);
    int status = run(&kmeans);
    kmeans_close(&kmeans);
    return status;
}
