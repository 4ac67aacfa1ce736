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

struct place {
    uint32_t table_words_log2, updates_log2; /* of each rank */
    uint32_t rank, n_ranks;
};

static const struct gups_variant *const built[] = {&gups_gravel, &gups_alone, &gups_hand,
                                                   &gups_accumulate};
static const struct bench_variant variants[] = {{"gravel", "updates/s"},
                                                {"kernel", "updates/s"},
                                                {"mpi-hand", "updates/s"},
                                                {"mpi-accumulate", "updates/s"}};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

/* ---- the check ------------------------------------------------------------------------------- */

/* How many updates, and the sum of their weights modulo 2^64. */
struct tally {
    uint64_t n_updates;
    uint64_t weight;
};

/* Returns a random weight for each word of the global table. */
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

static struct gups_problem problem_of(const struct place *place, uint32_t variant)
{
    const uint64_t n_updates = UINT64_C(1) << place->updates_log2 >> built[variant]->updates_shift;
    return (struct gups_problem){.rank = place->rank,
                                 .n_ranks = place->n_ranks,
                                 .mask = (uint32_t)((UINT64_C(1) << place->table_words_log2) - 1),
                                 .n_updates = n_updates ? n_updates : 1};
}

/* Runs a variant; the rate is that of all ranks together. */
static bool run(void *context, uint32_t variant, double *rate)
{
    const struct gups_problem problem = problem_of(context, variant);
    struct gups *gups = built[variant]->open(&problem, built[variant]->is_alone);
    if (!gups)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = bench_now();
    gups->run(gups);
    double seconds = bench_now() - start;
    bool is_valid = is_right(gups);
    gups->close(gups);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    *rate = (double)problem.n_updates * problem.n_ranks / seconds;
    return is_valid;
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct place *place = context;
    const struct gups_problem problem = problem_of(place, median > 0 ? variant : 0);
    return json_pack("{s:i, s:i, s:I}", "ranks", (int)place->n_ranks, "table_words_log2",
                     (int)place->table_words_log2, "updates", (json_int_t)problem.n_updates);
}

/* Says why a variant is left out, on rank 0, unless it is for one rank and was not asked for. */
static bool takes_part(void *context, uint32_t variant)
{
    const struct place *place = context;
    const bool is_one_too_many = built[variant]->is_alone && place->n_ranks > 1;
    const char *reason = is_one_too_many           ? "it is for one rank"
                         : built[variant]->why_not ? built[variant]->why_not()
                                                   : NULL;
    if (reason && place->rank == 0 && (!is_one_too_many || bench_given.variants))
        fprintf(stderr, "bench-gups: variant %s is left out: %s\n", variants[variant].name, reason);
    return !reason;
}

static const struct bench_contest contest = {.name = "bench-gups",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .takes_part = takes_part,
                                             .fields = fields,
                                             .has_ratio = bench_of_first,
                                             .is_warm = true};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"table-words-log2", 't', "N", "64-bit words of each rank's table (default 24)",
         OPTION_NUMBER(struct place, table_words_log2, 4, 32)},
        {"updates-log2", 'u', "N",
         "updates of each rank (default 24; mpi-accumulate makes 16 times fewer)",
         OPTION_NUMBER(struct place, updates_log2, 4, 36)},
        {0}};
    struct place place = {.table_words_log2 = 24, .updates_log2 = 24};
    int provided, rank, n_ranks;
    bench_parse(argc, argv, "Updates a second of random words of a distributed table.", own,
                &place);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "bench-gups: this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    place.rank = (uint32_t)rank, place.n_ranks = (uint32_t)n_ranks;
    bool is_valid = bench_hold(&contest, &place, rank == 0);
    MPI_Finalize();
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
