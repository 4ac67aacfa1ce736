/* SPDX-License-Identifier: MIT */
/*
 * bench-accumulate: how many updates a second all nodes make of words of the next node, drawn at random: a message each, or
 * added up by an accumulator and flushed by the barrier.
 *
 *     mpirun --bind-to none -np 2 bench-accumulate --runs 5 --words 32,1048576 --groups 1024
 *
 * After each run the words' sum must be the number of updates. Ratios are accumulated over messages, for each number of
 * words.
 *
 * Path:    options -> rounds over the variants, all nodes together -> bench_accumulate.cl -> node 0 reports.
 * Memory:  the table in the symmetric heap, for the length of the process.
 * Threads: the main thread, and the library's own.
 */
#include "bench.h"
#include "bench_gravel.h"

#include "gravel/accumulator.h"

#define GROUP 256u
#define TURNS 64u
#define TURNS_TEXT "-DTURNS=64u"
#define MOST_WORDS (1u << 24)

extern const char bench_accumulate_cl[];

enum { MESSAGES, ACCUMULATED, N_VARIANTS };
static const struct bench_variant variants[N_VARIANTS] = {{"messages", "updates/s"},
                                                          {"accumulated", "updates/s"}};

struct desk {
    uint32_t groups;
    uint32_t words[BENCH_MAX_LIST], n_counts;
    struct gravel *gravel;
    struct gravel_accumulator *accumulator;
    cl_kernel kernels[N_VARIANTS];
    uint64_t table, n_updates; /* of all nodes */
    uint32_t n_words;          /* that are updated now */
};

/* ---- a run ----------------------------------------------------------------------------------- */

static bool run(void *context, uint32_t variant, double *rate)
{
    const struct desk *desk = context;
    const cl_kernel kernel = desk->kernels[variant];
    bench_set_bytes(desk->gravel, desk->table, 0, 4 * (uint64_t)desk->n_words);
    must(gravel_kernel_set_accumulator(desk->accumulator, kernel, 1),
         "gravel_kernel_set_accumulator");
    bench_set_ulongs(kernel, 2, &desk->table, 1);
    bench_set_uints(kernel, 3, (cl_uint[]){desk->n_words, bench_next_node(desk->gravel)}, 2);
    *rate = (double)desk->n_updates /
            bench_time(desk->gravel, kernel, (size_t)GROUP * desk->groups, GROUP);
    const uint64_t sum = bench_sum_words(desk->gravel, desk->table, desk->n_words);
    return bench_add_up(desk->gravel, sum) == desk->n_updates;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_desk(struct desk *desk)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < desk->n_counts; i++)
        most = desk->words[i] > most ? desk->words[i] : most;
    must(gravel_open(&desk->gravel, NULL, NULL), "gravel_open");
    desk->table = bench_alloc(desk->gravel, 4 * (uint64_t)most);
    cl_program program =
        bench_build(desk->gravel, "bench_accumulate.cl", bench_accumulate_cl, TURNS_TEXT);
    desk->kernels[MESSAGES] = bench_kernel(desk->gravel, program, "send_messages");
    desk->kernels[ACCUMULATED] = bench_kernel(desk->gravel, program, "send_accumulated");
    clReleaseProgram(program);
    desk->n_updates = (uint64_t)GROUP * desk->groups * TURNS * bench_n_senders(desk->gravel);
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct desk *desk = context;
    (void)variant, (void)median;
    return json_pack("{si si sI ss}", "nodes", (int)gravel_n_nodes(desk->gravel), "words",
                     (int)desk->n_words, "updates", (json_int_t)desk->n_updates, "step",
                     gravel_step(desk->gravel));
}

static const struct bench_contest contest = {.name = "bench-accumulate",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .fields = fields,
                                             .has_ratio = bench_to_first};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"words", 'w', "N,...", "words that updates are for (32,1048576)",
         BENCH_LIST(struct desk, words, n_counts, 1, MOST_WORDS)},
        {"groups", 'g', "N", "work-groups of each node, of 16384 updates (512)",
         OPTION_NUMBER(struct desk, groups, 1, 1u << 20)},
        {0}};
    static struct desk desk = {.groups = 512, .words = {32, 1u << 20}, .n_counts = 2};
    bool is_valid = true;
    bench_parse(argc, argv, "Updates of words of the next node, added up or not.", own, &desk);
    open_desk(&desk);
    for (uint32_t i = 0; i < desk.n_counts; i++) { /* a range has one accumulator at a time */
        desk.n_words = desk.words[i];
        must(gravel_accumulator_create(&desk.accumulator, desk.gravel, desk.table, desk.n_words,
                                       GRAVEL_INC, GRAVEL_UINT),
             "gravel_accumulator_create");
        is_valid &= bench_hold(&contest, &desk, gravel_node(desk.gravel) == 0);
        must(gravel_accumulator_destroy(desk.accumulator), "gravel_accumulator_destroy");
    }
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        clReleaseKernel(desk.kernels[i]);
    must(gravel_close(desk.gravel), "gravel_close");
    return is_valid ? 0 : 1;
}
