/* SPDX-License-Identifier: MIT */
/*
 * bench-kmeans: k-means in plain C, as a peer of apps/kmeans in whole numbers: its points, rounds, report.
 *
 *     bench-kmeans -n 5 -v
 *
 *     lloyd    by OpenMP on all cores (OMP_NUM_THREADS), if the compiler has it
 *     serial   on one
 *
 * Points go by blocks that stay in the first cache; for each centre a block's squared distances are one loop over
 * neighbours in memory, which the compiler makes vectors of (omp simd). Every thread has sums of its own. The check takes
 * point by point, on one core; all centres and clusters must agree in every bit.
 *
 * Path:    main -> apps/kmeans/points.c -> rounds -> check -> report.
 * Memory:  4 bytes a coordinate and a byte a point, until the process ends.
 * Threads: the main thread; in a round OpenMP's.
 * Source:  Lloyd, Least squares quantization in PCM, 1982.
 */
#include "peer.h"
#include "kmeans/kmeans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 256u    /* points: 16 dimensions of them are 16 [KiB] */
#define LINE_BYTES 64 /* a vector that ends in another line takes two loads */
#define MAX_POINTS (UINT64_C(1) << 36)

struct centres {
    uint32_t at[MAX_CLUSTERS][MAX_DIMENSIONS];
};

struct sums {
    uint64_t of[MAX_CLUSTERS][MAX_DIMENSIONS], n_points[MAX_CLUSTERS];
};

struct rival {
    struct kmeans kmeans; /* its options, which points.c reads too */
    enum peer_variant variant;
    uint32_t
        *points; /* [blocks][n_dimensions][BLOCK]; the last one is filled up with more points */
    uint8_t *cluster; /* [n_points] of the last round */
    struct centres centres;
    uint64_t n_done; /* rounds of the last trial */
};

/* ---- options --------------------------------------------------------------------------------- */

#define PARALLEL "lloyd" /* the variant by OpenMP */

static error_t take_variant(struct argp_state *state, const struct app_option *option,
                            const char *value, void *field)
{
    return peer_take_variant(state, option, value, PARALLEL, field);
}

static const struct app_option own_options[] = {
    {"points", 'p', "N", "Points (16777216)",
     OPTION_NUMBER(struct rival, kmeans.n_points, 1, MAX_POINTS)},
    {"clusters", 'k', "N", "Clusters, up to 256 (8)",
     OPTION_NUMBER(struct rival, kmeans.n_clusters, 1, MAX_CLUSTERS)},
    {"dimensions", 'd', "N", "Coordinates of a point, up to 16 (4)",
     OPTION_NUMBER(struct rival, kmeans.n_dimensions, 1, MAX_DIMENSIONS)},
    {"iterations", 'i', "N", "Make at most this many rounds (20)",
     OPTION_NUMBER(struct rival, kmeans.n_rounds, 1, 1000000)},
    {"tolerance", 't', "WIDTH", "Stop once no coordinate moves more, in widths of the space (1e-5)",
     OPTION_REAL(struct rival, kmeans.tolerance)},
    {"variant", 0, "NAME",
     "lloyd, on all cores, if the compiler has OpenMP; serial, on one (lloyd)", take_variant,
     OPTION_AT(struct rival, variant, enum peer_variant), 0, 0},
    {0}};

static const struct option_group groups[] = {
    {"K-means:", 1, own_options, 0}, OPTIONS_RUN_GROUP(offsetof(struct rival, kmeans.options))};

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Coordinates of the block that begins with this point: [n_dimensions][BLOCK]. */
static uint32_t *block_at(const struct rival *self, uint64_t begin)
{
    return self->points + begin * self->kmeans.n_dimensions;
}

static void make_block(const struct rival *self, uint64_t begin)
{
    uint32_t *block = block_at(self, begin);
    points_generate(&self->kmeans, (struct block_range){begin, begin + BLOCK}, block);
    for (uint64_t i = 0; i < self->kmeans.n_dimensions * BLOCK; i++)
        block[i] = point_word(block[i]);
}

/* Blocks go to threads as in the rounds, so that their pages lie near the core that reads them. */
static void set_up(struct rival *self)
{
    const struct kmeans *kmeans = &self->kmeans;
    uint64_t n_blocks = (kmeans->n_points + BLOCK - 1) / BLOCK;
    uint64_t block_bytes = kmeans->n_dimensions * BLOCK * sizeof *self->points;
    self->points = aligned_alloc(LINE_BYTES, n_blocks * block_bytes);
    if (!self->points)
        die("no memory for the points: %llu times %llu bytes", (unsigned long long)n_blocks,
            (unsigned long long)block_bytes);
    self->cluster = app_array(kmeans->n_points, sizeof *self->cluster, "the points");
#pragma omp parallel for schedule(static) if (self->variant == PEER_PARALLEL)
    for (uint64_t begin = 0; begin < kmeans->n_points; begin += BLOCK)
        make_block(self, begin);
}

static void start(const struct rival *self, struct centres *centres)
{
    const struct kmeans *kmeans = &self->kmeans;
    cl_uint first[MAX_CLUSTERS * MAX_DIMENSIONS];
    points_start(kmeans, first);
    for (uint64_t i = 0; i < n_words(kmeans); i++)
        centres->at[i / kmeans->n_dimensions][i % kmeans->n_dimensions] = first[i];
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Squared distances of a block's points from a centre: less than 2^32. */
static void measure(const uint32_t *block, uint64_t n_dimensions, const uint32_t *centre,
                    uint32_t distance[restrict BLOCK])
{
    memset(distance, 0, BLOCK * sizeof *distance);
    for (uint64_t d = 0; d < n_dimensions; d++) {
        const uint32_t *x = block + d * BLOCK;
        uint32_t middle = centre[d];
#pragma omp simd
        for (uint32_t i = 0; i < BLOCK; i++)
            distance[i] += (x[i] - middle) * (x[i] - middle); /* right modulo 2^32 */
    }
}

/* The nearest centres to a block's points; of several equally near, the first. */
static void find_nearest(const struct rival *self, const uint32_t *block,
                         uint32_t nearest[restrict BLOCK])
{
    const struct kmeans *kmeans = &self->kmeans;
    _Alignas(LINE_BYTES) uint32_t least[BLOCK], distance[BLOCK];
    measure(block, kmeans->n_dimensions, self->centres.at[0], least);
    memset(nearest, 0, BLOCK * sizeof *nearest);
    for (uint32_t c = 1; c < kmeans->n_clusters; c++) {
        measure(block, kmeans->n_dimensions, self->centres.at[c], distance);
#pragma omp simd
        for (uint32_t i = 0; i < BLOCK; i++) {
            bool is_nearer = distance[i] < least[i];
            nearest[i] = is_nearer ? c : nearest[i];
            least[i] = is_nearer ? distance[i] : least[i];
        }
    }
}

static void add_block(const struct rival *self, uint64_t begin, struct sums *sums)
{
    const uint32_t *block = block_at(self, begin);
    uint64_t left = self->kmeans.n_points - begin, n_dimensions = self->kmeans.n_dimensions;
    _Alignas(LINE_BYTES) uint32_t nearest[BLOCK];
    find_nearest(self, block, nearest);
    for (uint32_t i = 0; i < BLOCK && i < left; i++) {
        uint64_t *sum = sums->of[nearest[i]];
        for (uint64_t d = 0; d < n_dimensions; d++)
            sum[d] += block[d * BLOCK + i];
        sums->n_points[nearest[i]]++;
        self->cluster[begin + i] = (uint8_t)nearest[i];
    }
}

static void add_sums(struct sums *to, const struct sums *from, const struct kmeans *kmeans)
{
    for (uint64_t c = 0; c < kmeans->n_clusters; c++) {
        to->n_points[c] += from->n_points[c];
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++)
            to->of[c][d] += from->of[c][d];
    }
}

static void sum_points(const struct rival *self, struct sums *all)
{
    const struct kmeans *kmeans = &self->kmeans;
#pragma omp parallel if (self->variant == PEER_PARALLEL)
    {
        struct sums own = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t begin = 0; begin < kmeans->n_points; begin += BLOCK)
            add_block(self, begin, &own);
#pragma omp critical
        add_sums(all, &own, kmeans);
    }
}

/* Every centre goes to the middle of its points; one without points stays.
 * @return  how far the one that moves most does, along a coordinate [widths of the space]. */
static double move_centres(const struct kmeans *kmeans, const struct sums *sums,
                           struct centres *centres)
{
    uint32_t most = 0;
    for (uint64_t c = 0; c < kmeans->n_clusters; c++)
        for (uint64_t d = 0; d < kmeans->n_dimensions && sums->n_points[c]; d++) {
            uint64_t n = sums->n_points[c];
            uint32_t old = centres->at[c][d], new = (uint32_t)((sums->of[c][d] + n / 2) / n);
            uint32_t moved = old < new ? new - old : old - new;
            most = moved > most ? moved : most;
            centres->at[c][d] = new;
        }
    return (double)most / (1 << FIXED_BITS);
}

static int reset(void *app, unsigned trial)
{
    struct rival *self = app;
    (void)trial;
    start(self, &self->centres);
    return 0;
}

static int iterate(void *app, unsigned trial)
{
    struct rival *self = app;
    double moved = 1;
    (void)trial;
    for (self->n_done = 0; self->n_done < self->kmeans.n_rounds && moved > self->kmeans.tolerance;
         self->n_done++) {
        struct sums sums = {0};
        sum_points(self, &sums);
        moved = move_centres(&self->kmeans, &sums, &self->centres);
    }
    return 0;
}

/* ---- the check ------------------------------------------------------------------------------- */

static uint32_t coordinate(const struct rival *self, uint64_t i, uint64_t d)
{
    return block_at(self, i - i % BLOCK)[d * BLOCK + i % BLOCK];
}

static uint64_t find_one(const struct rival *self, const struct centres *centres, uint64_t i,
                         uint64_t *distance)
{
    const struct kmeans *kmeans = &self->kmeans;
    uint64_t best = 0;
    *distance = UINT64_MAX;
    for (uint64_t c = 0; c < kmeans->n_clusters; c++) {
        uint64_t sum = 0;
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++) {
            int64_t off = (int64_t)coordinate(self, i, d) - centres->at[c][d];
            sum += (uint64_t)(off * off);
        }
        best = sum < *distance ? c : best;
        *distance = sum < *distance ? sum : *distance;
    }
    return best;
}

/* A round point by point, from one set of centres to the next. @return  points in a wrong cluster [count]. */
static uint64_t check_round(const struct rival *self, struct centres *centres)
{
    const struct kmeans *kmeans = &self->kmeans;
    struct sums sums = {0};
    uint64_t n_wrong = 0, distance;
    for (uint64_t i = 0; i < kmeans->n_points; i++) {
        uint64_t c = find_one(self, centres, i, &distance);
        n_wrong += self->cluster[i] != c;
        sums.n_points[c]++;
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++)
            sums.of[c][d] += coordinate(self, i, d);
    }
    for (uint64_t c = 0; c < kmeans->n_clusters; c++)
        for (uint64_t d = 0, n = sums.n_points[c]; d < kmeans->n_dimensions && n; d++)
            centres->at[c][d] = (uint32_t)((2 * sums.of[c][d] + n) / (2 * n));
    return n_wrong;
}

/* @return  clusters of the last round's points, and words of centres, that are wrong [count]. */
static uint64_t check(const struct rival *self)
{
    const struct kmeans *kmeans = &self->kmeans;
    struct centres centres = {0};
    uint64_t n_wrong = 0;
    start(self, &centres);
    for (uint64_t round = 1; round <= self->n_done; round++)
        n_wrong = check_round(self, &centres);
    for (uint64_t c = 0; c < kmeans->n_clusters; c++)
        for (uint64_t d = 0; d < kmeans->n_dimensions; d++)
            n_wrong += centres.at[c][d] != self->centres.at[c][d];
    return n_wrong;
}

/* ---- main ------------------------------------------------------------------------------------ */

/* How well the centres fit: the sum of squared distances [squared widths of the space]. */
static double inertia(const struct rival *self)
{
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) if (self->variant == PEER_PARALLEL)
    for (uint64_t i = 0; i < self->kmeans.n_points; i++) {
        uint64_t distance;
        find_one(self, &self->centres, i, &distance);
        sum += distance;
    }
    return (double)sum / (double)(UINT64_C(1) << 2 * FIXED_BITS);
}

static void describe(const struct rival *self, struct trials *trials)
{
    const struct kmeans *kmeans = &self->kmeans;
    double fit = inertia(self);
    trials->work = (double)kmeans->n_points * (double)self->n_done;
    trials_add_number(trials, "points", kmeans->n_points);
    trials_add_number(trials, "clusters", kmeans->n_clusters);
    trials_add_number(trials, "dimensions", kmeans->n_dimensions);
    trials_add_number(trials, "rounds", self->n_done);
    trials_add_number(trials, "seed", kmeans->options.seed);
    trials_add_number(trials, "threads", peer_threads(self->variant));
    trials_add_real(trials, "inertia", fit);
    trials_say(trials, "  %llu rounds, inertia %.9g\n", (unsigned long long)self->n_done, fit);
}

static uint64_t run(struct rival *self)
{
    const struct kmeans *kmeans = &self->kmeans;
    struct trials trials = {.name = "bench-kmeans",
                            .unit = "points/s",
                            .n_nodes = 1,
                            .n_trials = kmeans->options.n_trials,
                            .json = kmeans->options.json};
    snprintf(trials.variant, sizeof trials.variant, "%s", peer_name(self->variant, PARALLEL));
    snprintf(trials.input, sizeof trials.input, "%llu points, %llu clusters, %llu-d",
             (unsigned long long)kmeans->n_points, (unsigned long long)kmeans->n_clusters,
             (unsigned long long)kmeans->n_dimensions);
    reset(self, 0);
    iterate(self, 0); /* tells how many rounds there are */
    trials.work = (double)kmeans->n_points * (double)self->n_done;
    peer_run(&trials, reset, iterate, self);
    describe(self, &trials);
    return peer_report(&trials, kmeans->options.verify, kmeans->options.verify ? check(self) : 0);
}

int main(int argc, char **argv)
{
    struct rival self = {.kmeans = {.options = OPTIONS_DEFAULT,
                                    .n_points = 1 << 24,
                                    .n_clusters = 8,
                                    .n_dimensions = 4,
                                    .n_rounds = 20,
                                    .tolerance = 1e-5},
                         .variant = peer_default()};
    options_parse(groups, sizeof groups / sizeof *groups,
                  "K-means in plain C, on all cores, or on one.", &self, argc, argv);
    set_up(&self);
    uint64_t n_wrong = run(&self);
    free(self.points);
    free(self.cluster);
    return n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
