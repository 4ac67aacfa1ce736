/* SPDX-License-Identifier: MIT */
/*
 * bench-gups: updates a second of random words of a table that is spread over all ranks.
 *
 *     mpirun --bind-to none -np 2 bench-gups --table-words-log2 24 --updates-log2 24
 *
 * Variants take turns in one job. After each run the table is compared with a replay of every
 * rank's updates: the number of updates in it, and the sum of a random weight for each, must agree.
 *
 * Path:    options -> rounds over the variants, all ranks together -> rank 0 reports.
 * Memory:  a variant's table lives for one run.
 * Threads: the main thread, under MPI_THREAD_MULTIPLE: Gravel's network thread calls MPI too.
 * Source:  Orr 2016, section 5.4.2 (GUPS); HPC Challenge RandomAccess.
 */
#include "bench.h"
#include "bench_thread.h"
#include "gups.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VARIANTS 8u

struct options {
    struct bench_options common;
    uint32_t table_words_log2; /* of each rank */
    uint32_t updates_log2;     /* of each rank */
};

/* Variants that were built; ratios are taken of the first. */
static const struct gups_variant *const built[] = {
#ifdef BENCH_HAVE_GRAVEL
    &gups_gravel, &gups_alone,
#endif
    &gups_hand, &gups_accumulate};
#define N_BUILT ((uint32_t)(sizeof built / sizeof *built))

struct contest {
    struct gups_problem problems[MAX_VARIANTS];
    const struct gups_variant *variants[MAX_VARIANTS];
    uint32_t n_variants;
};

/* ---- the check ------------------------------------------------------------------------------- */

/* How many updates, and the sum of their weights modulo 2^64. */
struct tally {
    uint64_t n_updates;
    uint64_t weight;
};

/* A random weight for each word of the global table. */
static uint64_t weight_of(uint32_t rank, uint32_t index)
{
    return gups_mix(((uint64_t)rank << 32 | index) + 1);
}

static struct tally tally_of_table(const struct gups *gups)
{
    struct tally tally = {0, 0};
    for (uint64_t i = 0; i <= gups->problem->mask; i++) {
        tally.n_updates += gups->table[i];
        tally.weight += gups->table[i] * weight_of(gups->problem->rank, (uint32_t)i);
    }
    return tally;
}

static struct tally tally_of_stream(const struct gups_problem *problem)
{
    struct tally tally = {problem->n_updates, 0};
    for (uint64_t i = 0; i < problem->n_updates; i++) {
        uint64_t random = gups_random(problem->rank, i);
        tally.weight += weight_of(gups_destination(random, problem->n_ranks),
                                  gups_index(random, problem->mask));
    }
    return tally;
}

/* Compare what all tables hold with what all ranks sent. Collective; the same answer at every rank.
 */
static bool is_right(struct gups *gups)
{
    if (gups->fetch)
        gups->fetch(gups);
    struct tally tallies[2] = {tally_of_table(gups), tally_of_stream(gups->problem)};
    MPI_Allreduce(MPI_IN_PLACE, tallies, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return memcmp(&tallies[0], &tallies[1], sizeof *tallies) == 0;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* The bench_run_function; the rate is in updates a second of all ranks together. */
static bool run_variant(void *context, uint32_t i, double *rate)
{
    struct contest *contest = context;
    const struct gups_problem *problem = &contest->problems[i];
    struct gups *gups = contest->variants[i]->open(problem);
    if (!gups)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = bench_now();
    gups->run(gups);
    double seconds = bench_now() - start;
    bool is_valid = is_right(gups);
    gups->close(gups);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    *rate = (double)problem->n_updates * problem->n_ranks / seconds;
    return is_valid;
}

static json_t *fields_of(const struct options *options, const struct gups_problem *problem)
{
    return json_pack("{s:i, s:i, s:I}", "ranks", (int)problem->n_ranks, "table_words_log2",
                     (int)options->table_words_log2, "updates", (json_int_t)problem->n_updates);
}

/* Every rank runs; rank 0 reports. @return whether all runs were valid. */
static bool run(const struct options *options, struct contest *contest)
{
    struct bench_subject subjects[MAX_VARIANTS];
    bool is_valid = true;
    for (uint32_t i = 0; i < contest->n_variants; i++)
        subjects[i] = (struct bench_subject){.variant = contest->variants[i]->name};
    bench_rounds(subjects, contest->n_variants, options->common.runs, run_variant, contest);
    for (uint32_t i = 0; i < contest->n_variants; i++) {
        is_valid &= subjects[i].is_valid;
        if (contest->problems[i].rank == 0)
            bench_report(&options->common, "bench-gups", "updates/s", &subjects[i],
                         fields_of(options, &contest->problems[i]));
    }
    for (uint32_t i = 1; i < contest->n_variants && contest->problems[0].rank == 0; i++)
        bench_report_ratio(&options->common, "bench-gups", &subjects[0], &subjects[i],
                           fields_of(options, &contest->problems[0]));
    return is_valid;
}

/* ---- options --------------------------------------------------------------------------------- */

static const struct bench_option own_options[] = {
    {"table-words-log2", 't', "64-bit words of each rank's table (default 24)",
     BENCH_COUNT(struct options, table_words_log2, 4, 32)},
    {"updates-log2", 'u', "updates of each rank (default 24; mpi-accumulate makes 16 times fewer)",
     BENCH_COUNT(struct options, updates_log2, 4, 36)},
    {0}};

static struct gups_problem problem_of(const struct options *options,
                                      const struct gups_variant *variant)
{
    int rank, n_ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    uint64_t n_updates = UINT64_C(1) << options->updates_log2 >> variant->updates_shift;
    return (struct gups_problem){.rank = (uint32_t)rank,
                                 .n_ranks = (uint32_t)n_ranks,
                                 .mask = (uint32_t)((UINT64_C(1) << options->table_words_log2) - 1),
                                 .n_updates = n_updates ? n_updates : 1};
}

/* Why a variant takes no part in this job; NULL: it does. */
static const char *why_not(const struct gups_variant *variant, uint32_t n_ranks)
{
    if (variant->is_alone && n_ranks > 1)
        return "it is for one rank";
    return variant->why_not ? variant->why_not() : NULL;
}

/* Rank 0 says so, but not of a variant that is for one rank and was not asked for. */
static void leave_out(const struct options *options, const struct gups_variant *variant,
                      const struct gups_problem *problem, const char *reason)
{
    if (problem->rank == 0 && (!variant->is_alone || options->common.variants))
        fprintf(stderr, "bench-gups: variant %s is left out: %s\n", variant->name, reason);
}

/* Put the wanted variants that can run into the contest. @return false, after a message, if there is none, or a name is
 * unknown. */
static bool choose_variants(const struct options *options, struct contest *contest)
{
    const char *names[MAX_VARIANTS];
    char unknown[64];
    for (uint32_t i = 0; i < N_BUILT; i++) {
        names[i] = built[i]->name;
        if (!bench_variant_is_wanted(&options->common, names[i]))
            continue;
        const struct gups_problem problem = problem_of(options, built[i]);
        const char *reason = why_not(built[i], problem.n_ranks);
        if (reason) {
            leave_out(options, built[i], &problem, reason);
            continue;
        }
        contest->problems[contest->n_variants] = problem;
        contest->variants[contest->n_variants++] = built[i];
    }
    if (!bench_variant_unknown(&options->common, names, N_BUILT, unknown))
        return contest->n_variants > 0;
    fprintf(stderr, "bench-gups: no variant '%s'; built:", unknown);
    for (uint32_t i = 0; i < N_BUILT; i++)
        fprintf(stderr, " %s", names[i]);
    fprintf(stderr, "\n");
    return false;
}

int main(int argc, char **argv)
{
    struct options options = {
        .common = BENCH_OPTIONS_INIT, .table_words_log2 = 24, .updates_log2 = 24};
    struct contest contest = {.n_variants = 0};
    bench_parse(argc, argv, "Updates a second of random words of a distributed table.", own_options,
                &options, &options.common);
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "bench-gups: this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    bool is_valid = choose_variants(&options, &contest) && run(&options, &contest);
    MPI_Finalize();
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
