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
#include "bench_thread.h"

#include "gravel/accumulator.h"

#include <string.h>

#define GROUP 256u
#define TURNS 64u
#define TURNS_TEXT "-DTURNS=64u"
#define MOST_WORDS (1u << 24)

extern const char bench_accumulate_cl[];

static const char *const variants[] = {"messages", "accumulated"};
enum { MESSAGES, ACCUMULATED, N_VARIANTS };

struct options {
    struct bench_options bench;
    uint32_t words[BENCH_MAX_LIST], n_words, groups;
};

struct desk {
    const struct options *options;
    struct gravel *gravel;
    struct gravel_accumulator *accumulator;
    cl_kernel kernels[N_VARIANTS];
    uint64_t table, n_updates; /* of a node */
    uint32_t n_words;          /* that are updated now */
};

static uint64_t table_bytes(const struct options *options)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < options->n_words; i++)
        most = options->words[i] > most ? options->words[i] : most;
    return 4 * (uint64_t)most;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void clear(const struct desk *desk)
{
    for (uint32_t node = 0; node < gravel_n_nodes(desk->gravel); node++) {
        void *memory;
        if (!gravel_is_local(desk->gravel, node))
            continue;
        must(gravel_map(desk->gravel, desk->table, table_bytes(desk->options),
                        CL_MAP_WRITE_INVALIDATE_REGION, node, &memory),
             "gravel_map");
        memset(memory, 0, table_bytes(desk->options));
        must(gravel_unmap(desk->gravel, memory), "gravel_unmap");
    }
    must(gravel_barrier(desk->gravel), "gravel_barrier");
}

/* Updates that have arrived at this process. */
static uint64_t count(const struct desk *desk)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(desk->gravel); node++) {
        void *memory;
        if (!gravel_is_local(desk->gravel, node))
            continue;
        must(gravel_map(desk->gravel, desk->table, 4 * (uint64_t)desk->n_words, CL_MAP_READ, node,
                        &memory),
             "gravel_map");
        for (uint32_t i = 0; i < desk->n_words; i++)
            sum += ((const uint32_t *)memory)[i];
        gravel_unmap(desk->gravel, memory);
    }
    return sum;
}

/* In a process of loop-back nodes node 0 alone sends, to node 1. */
static uint64_t n_senders(const struct desk *desk)
{
    uint32_t n_nodes = gravel_n_nodes(desk->gravel);
    return gravel_is_local(desk->gravel, 0) && gravel_is_local(desk->gravel, n_nodes - 1) ? 1
                                                                                          : n_nodes;
}

static void set_arguments(const struct desk *desk, cl_kernel kernel)
{
    const cl_uint node = (gravel_node(desk->gravel) + 1) % gravel_n_nodes(desk->gravel);
    must(gravel_kernel_set_accumulator(desk->accumulator, kernel, 1),
         "gravel_kernel_set_accumulator");
    clSetKernelArg(kernel, 2, sizeof desk->table, &desk->table);
    clSetKernelArg(kernel, 3, sizeof desk->n_words, &desk->n_words);
    clSetKernelArg(kernel, 4, sizeof node, &node);
}

static bool run(void *context, uint32_t subject, double *rate)
{
    const struct desk *desk = context;
    const cl_kernel kernel = desk->kernels[subject];
    const size_t local_size = GROUP, global_size = (size_t)GROUP * desk->options->groups;
    const uint64_t n_updates = n_senders(desk) * desk->n_updates;
    clear(desk);
    set_arguments(desk, kernel);
    double begin_s = bench_now();
    must(gravel_launch(desk->gravel, kernel, 1, &global_size, &local_size, 0, NULL, NULL),
         "gravel_launch");
    must(gravel_barrier(desk->gravel), "gravel_barrier");
    *rate = (double)n_updates / (bench_now() - begin_s);
    uint64_t sum = count(desk);
    must(gravel_reduce(desk->gravel, GRAVEL_ADD, GRAVEL_ULONG, &sum, 1), "gravel_reduce");
    return sum == n_updates;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_desk(struct desk *desk)
{
    cl_program program;
    must(gravel_open(&desk->gravel, NULL, NULL), "gravel_open");
    must(gravel_alloc(desk->gravel, table_bytes(desk->options), &desk->table), "gravel_alloc");
    must(gravel_program_build(desk->gravel, "bench_accumulate.cl", bench_accumulate_cl, TURNS_TEXT,
                              &program),
         "gravel_program_build");
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        char name[32];
        cl_int error;
        snprintf(name, sizeof name, "send_%s", variants[i]);
        desk->kernels[i] = clCreateKernel(program, name, &error);
        must(error == CL_SUCCESS ? gravel_kernel_set_arena(desk->gravel, desk->kernels[i], 0)
                                 : GRAVEL_ECL,
             "clCreateKernel");
    }
    clReleaseProgram(program);
    desk->n_updates = (uint64_t)GROUP * desk->options->groups * TURNS;
}

static json_t *fields(const struct desk *desk)
{
    return json_pack("{si si sI ss}", "nodes", (int)gravel_n_nodes(desk->gravel), "words",
                     (int)desk->n_words, "updates", (json_int_t)(n_senders(desk) * desk->n_updates),
                     "step", gravel_step(desk->gravel));
}

/* A range has one accumulator at a time. */
static void measure(struct desk *desk, uint32_t n_words)
{
    struct bench_subject subjects[N_VARIANTS];
    const struct bench_options *bench = &desk->options->bench;
    desk->n_words = n_words;
    must(gravel_accumulator_create(&desk->accumulator, desk->gravel, desk->table, n_words,
                                   GRAVEL_INC, GRAVEL_UINT),
         "gravel_accumulator_create");
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        double rate; /* a kernel is compiled at its first launch */
        subjects[i] = (struct bench_subject){.variant = variants[i]};
        run(desk, i, &rate);
    }
    bench_rounds(subjects, N_VARIANTS, bench->runs, run, desk);
    must(gravel_accumulator_destroy(desk->accumulator), "gravel_accumulator_destroy");
    if (gravel_node(desk->gravel) != 0)
        return;
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        bench_report(bench, "bench-accumulate", "updates/s", &subjects[i], fields(desk));
    bench_report_ratio(bench, "bench-accumulate", &subjects[ACCUMULATED], &subjects[MESSAGES],
                       fields(desk));
}

int main(int argc, char **argv)
{
    static const struct bench_option own[] = {
        {"words", 'w', "words that updates are for (32,1048576)",
         BENCH_LIST(struct options, words, n_words, 1, MOST_WORDS)},
        {"groups", 'g', "work-groups of each node, of 16384 updates (512)",
         BENCH_COUNT(struct options, groups, 1, 1u << 20)},
        {0}};
    struct options options = {
        .bench = BENCH_OPTIONS_INIT, .words = {32, 1u << 20}, .n_words = 2, .groups = 512};
    static struct desk desk;
    bench_parse(argc, argv, NULL, own, &options, &options.bench);
    desk.options = &options;
    open_desk(&desk);
    for (uint32_t i = 0; i < options.n_words; i++)
        measure(&desk, options.words[i]);
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        clReleaseKernel(desk.kernels[i]);
    must(gravel_close(desk.gravel), "gravel_close");
    return 0;
}
