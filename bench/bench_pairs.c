/* SPDX-License-Identifier: MIT */
/*
 * bench-pairs: how far the ranks of a job are from each other: round trips of one word, and bytes a second, between each
 * pair alone, by calls of the host.
 *
 *     mpirun --hostfile hosts --bind-to none -n 8 bench-pairs --runs 5
 *
 * One pair is measured at a time, and all other ranks wait in a collective call. After each run the other rank's memory
 * must hold what was put.
 *
 * Path:    options -> rounds over the variants of each pair, all nodes together -> node 0 reports.
 * Memory:  one allocation of the heap.
 * Threads: the main thread, and the library's own.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <stdlib.h>

#define N_TRIPS 200u
#define N_PUTS 8u

enum { ROUND_TRIP, STREAM, N_VARIANTS };
static const struct bench_variant variants[N_VARIANTS] = {{"round-trip", "round trips/s"},
                                                          {"stream", "B/s"}};

struct pair {
    uint32_t kib;
    struct gravel *gravel;
    uint64_t at, bytes, *words; /* heap offset; [bytes] of a put */
    uint64_t mark;              /* of this run, the same at every node */
    uint32_t from, to;
    uint64_t n_handed; /* frames between them that were handed over in memory */
};

static uint64_t count_handed(struct gravel *gravel)
{
    struct gravel_stats stats;
    must(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES), "gravel_stats_read");
    return stats.handed_buffers;
}

/* Gives the other node's last word the mark. */
static void put(const struct pair *pair, uint32_t variant)
{
    uint64_t *last = &pair->words[pair->bytes / sizeof *last - 1];
    *last = pair->mark;
    for (uint32_t i = 0; variant == STREAM && i < N_PUTS; i++)
        must(gravel_put(pair->gravel, pair->at, pair->words, pair->bytes, pair->to), "gravel_put");
    if (variant == ROUND_TRIP)
        must(gravel_put(pair->gravel, pair->at + pair->bytes - sizeof *last, last, sizeof *last,
                        pair->to),
             "gravel_put");
    must(gravel_quiet(pair->gravel), "gravel_quiet");
}

/* Returns how often the other node's last word was not the mark. */
static uint64_t get(const struct pair *pair, uint32_t n_times)
{
    uint64_t word = 0, n_wrong = 0;
    for (uint32_t i = 0; i < n_times; i++) {
        must(gravel_get(pair->gravel, pair->at + pair->bytes - sizeof word, &word, sizeof word,
                        pair->to),
             "gravel_get");
        n_wrong += word != pair->mark;
    }
    return n_wrong;
}

static bool run(void *context, uint32_t variant, double *rate)
{
    struct pair *pair = context;
    const uint64_t handed = count_handed(pair->gravel);
    uint64_t milli = 0, n_wrong = 0;
    must(gravel_barrier(pair->gravel), "gravel_barrier");
    pair->mark++;
    if (gravel_node(pair->gravel) == pair->from) {
        double begin_s = bench_now();
        put(pair, variant);
        if (variant == ROUND_TRIP)
            begin_s = bench_now();
        n_wrong = get(pair, variant == STREAM ? 1 : N_TRIPS);
        const double n = variant == STREAM ? (double)(N_PUTS * pair->bytes) : N_TRIPS;
        milli = (uint64_t)(1e3 * n / (bench_now() - begin_s));
    }
    pair->n_handed += bench_add_up(pair->gravel, count_handed(pair->gravel) - handed);
    *rate = 1e-3 * (double)bench_add_up(pair->gravel, milli);
    return bench_add_up(pair->gravel, n_wrong) == 0;
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct pair *pair = context;
    (void)variant, (void)median;
    return json_pack("{si si ss si}", "rank", (int)pair->from, "other", (int)pair->to, "way",
                     pair->n_handed ? "handed over" : "MPI", "bytes", (int)pair->bytes);
}

static const struct bench_contest contest = {.name = "bench-pairs",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .fields = fields};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"kib", 'k', "N", "of a put (1024)", OPTION_NUMBER(struct pair, kib, 1, 65536)}, {0}};
    struct pair pair = {.kib = 1024};
    bool is_valid = true;
    bench_parse(argc, argv, "Round trips and rates between each pair of ranks.", own, &pair);
    pair.bytes = (uint64_t)pair.kib << 10;
    must(gravel_open(&pair.gravel, NULL, NULL), "gravel_open");
    pair.at = bench_alloc(pair.gravel, pair.bytes);
    pair.words = calloc(1, pair.bytes);
    must(pair.words ? 0 : GRAVEL_ENOMEM, "calloc");
    for (pair.from = 0; pair.from < gravel_n_nodes(pair.gravel); pair.from++)
        for (pair.to = pair.from + 1; pair.to < gravel_n_nodes(pair.gravel); pair.to++) {
            pair.n_handed = 0;
            is_valid &= bench_hold(&contest, &pair, gravel_node(pair.gravel) == 0);
        }
    must(gravel_close(pair.gravel), "gravel_close");
    free(pair.words);
    return is_valid ? 0 : 1;
}
