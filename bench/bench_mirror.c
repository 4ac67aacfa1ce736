/* SPDX-License-Identifier: MIT */
/*
 * bench-mirror: how many words a second all nodes bring up to date, of each every second word of a stretch of the next
 * node's: by a mirror, or, as the limit of what goes through the host, by two plain copies of as many bytes, from the device
 * to pinned memory and back, with no other node.
 *
 *     mpirun --bind-to none -np 2 bench-mirror --runs 5 --words 1024,1048576
 *
 * After each run the copies must hold what the next node, or the copied array, had before it. Ratios are the mirror over the
 * copies, for each number of words.
 *
 * Path:    options -> rounds over the variants, all nodes together -> node 0 reports.
 * Memory:  the table in the symmetric heap; of the copies, two buffers on the device and a pinned one. For the length of the
 *          process.
 * Threads: the main thread, and the library's own.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include "gravel/mirror.h"

#include <stdlib.h>

#define MOST_WORDS (1u << 24)

enum { SHARED, COPIED, N_VARIANTS };
static const struct bench_variant variants[N_VARIANTS] = {{"shared", "words/s"},
                                                          {"copied", "words/s"}};

struct desk {
    uint32_t times;
    uint32_t words[BENCH_MAX_LIST], n_counts;
    struct gravel *gravel;
    struct gravel_mirror *mirror;
    uint64_t table; /* [2 * most words] */
    cl_command_queue queue;
    cl_mem from, to, pinned;
    void *host;       /* `pinned`, mapped */
    uint32_t n_words; /* that are brought up to date now */
    uint32_t mark;    /* of this run, the same at every node */
};

/* Returns what word i of a node's table is in this run. */
static uint32_t word_of(const struct desk *desk, uint32_t node, uint32_t i)
{
    return desk->mark * 0x9e3779b1u + node * 0x85ebca6bu + i;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void fill(const struct desk *desk)
{
    const uint32_t node = gravel_node(desk->gravel), n = 2 * desk->n_words;
    uint32_t *words =
        bench_map(desk->gravel, desk->table, 4 * (uint64_t)n, CL_MAP_WRITE_INVALIDATE_REGION, node);
    for (uint32_t i = 0; i < n; i++)
        words[i] = word_of(desk, node, i);
    must_cl(clEnqueueWriteBuffer(desk->queue, desk->from, CL_TRUE, 0, 4 * (size_t)desk->n_words,
                                 words, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
    bench_unmap(desk->gravel, words);
    must(gravel_barrier(desk->gravel), "gravel_barrier");
}

static void copy(const struct desk *desk)
{
    const size_t bytes = 4 * (size_t)desk->n_words;
    must_cl(
        clEnqueueReadBuffer(desk->queue, desk->from, CL_FALSE, 0, bytes, desk->host, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    must_cl(
        clEnqueueWriteBuffer(desk->queue, desk->to, CL_FALSE, 0, bytes, desk->host, 0, NULL, NULL),
        "clEnqueueWriteBuffer");
    must_cl(clFinish(desk->queue), "clFinish");
}

/* Counts words that are not each `stride`-th of a node's table. */
static uint64_t count_wrong(const struct desk *desk, const uint32_t *words, uint32_t node,
                            uint32_t stride)
{
    uint64_t n_wrong = 0;
    for (uint32_t i = 0; i < desk->n_words; i++)
        n_wrong += words[i] != word_of(desk, node, stride * i);
    return n_wrong;
}

static uint64_t count_wrong_of(const struct desk *desk, uint32_t variant)
{
    const uint32_t node = gravel_node(desk->gravel);
    const uint64_t bytes = 4 * (uint64_t)desk->n_words;
    if (variant == COPIED) {
        bench_read(desk->queue, desk->to, bytes, desk->host);
        return count_wrong(desk, desk->host, node, 1);
    }
    const uint32_t *words =
        bench_map(desk->gravel, gravel_mirror_offset(desk->mirror), bytes, CL_MAP_READ, node);
    const uint64_t n_wrong = count_wrong(desk, words, bench_next_node(desk->gravel), 2);
    bench_unmap(desk->gravel, words);
    return n_wrong;
}

static bool run(void *context, uint32_t variant, double *rate)
{
    struct desk *desk = context;
    desk->mark++;
    fill(desk);
    const double begin_s = bench_now();
    for (uint32_t i = 0; i < desk->times; i++)
        if (variant == SHARED)
            must(gravel_mirror_share(desk->mirror), "gravel_mirror_share");
        else
            copy(desk);
    const double seconds = bench_now() - begin_s;
    *rate = (double)desk->n_words * desk->times * gravel_n_nodes(desk->gravel) / seconds;
    return bench_add_up(desk->gravel, count_wrong_of(desk, variant)) == 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_desk(struct desk *desk)
{
    cl_int error;
    uint32_t most = 0;
    for (uint32_t i = 0; i < desk->n_counts; i++)
        most = desk->words[i] > most ? desk->words[i] : most;
    const size_t bytes = 4 * (size_t)most;
    must(gravel_open(&desk->gravel, NULL, NULL), "gravel_open");
    const cl_context context = gravel_cl_context(desk->gravel);
    desk->table = bench_alloc(desk->gravel, 2 * bytes);
    desk->queue = bench_queue(context, gravel_cl_device(desk->gravel), 0);
    desk->from = bench_buffer(context, 0, bytes);
    desk->to = bench_buffer(context, 0, bytes);
    desk->pinned = bench_buffer(context, CL_MEM_ALLOC_HOST_PTR, bytes);
    desk->host = clEnqueueMapBuffer(desk->queue, desk->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                    0, bytes, 0, NULL, NULL, &error);
    must_cl(error, "clEnqueueMapBuffer");
}

static void close_desk(struct desk *desk)
{
    clEnqueueUnmapMemObject(desk->queue, desk->pinned, desk->host, 0, NULL, NULL);
    clFinish(desk->queue);
    clReleaseMemObject(desk->pinned);
    clReleaseMemObject(desk->to);
    clReleaseMemObject(desk->from);
    clReleaseCommandQueue(desk->queue);
    must(gravel_close(desk->gravel), "gravel_close");
}

/* Makes a mirror of every second word of the next node's. */
static void make_mirror(struct desk *desk)
{
    uint64_t *n_words = calloc(gravel_n_nodes(desk->gravel), sizeof *n_words);
    uint32_t *indices = malloc(desk->n_words * sizeof *indices);
    must(n_words && indices ? 0 : GRAVEL_ENOMEM, "a plan");
    n_words[bench_next_node(desk->gravel)] = desk->n_words;
    for (uint32_t i = 0; i < desk->n_words; i++)
        indices[i] = 2 * i;
    const struct gravel_words words = GRAVEL_WORDS(.offset = desk->table, .type = GRAVEL_UINT,
                                                   .n_words = n_words, .indices = indices);
    must(gravel_mirror_create(&desk->mirror, desk->gravel, &words), "gravel_mirror_create");
    free(indices);
    free(n_words);
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct desk *desk = context;
    (void)variant, (void)median;
    return json_pack("{si si ss}", "nodes", (int)gravel_n_nodes(desk->gravel), "words",
                     (int)desk->n_words, "step", gravel_step(desk->gravel));
}

static const struct bench_contest contest = {.name = "bench-mirror",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .fields = fields,
                                             .has_ratio = bench_of_first};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"words", 'w', "N,...", "words of each node (1024,1048576)",
         BENCH_LIST(struct desk, words, n_counts, 1, MOST_WORDS)},
        {"times", 't', "N", "that a run brings them up to date (20)",
         OPTION_NUMBER(struct desk, times, 1, 10000)},
        {0}};
    static struct desk desk = {.times = 20, .words = {1024, 1u << 20}, .n_counts = 2};
    bool is_valid = true;
    bench_parse(argc, argv, "Words of the next node that a mirror brings up to date.", own, &desk);
    open_desk(&desk);
    for (uint32_t i = 0; i < desk.n_counts; i++) {
        desk.n_words = desk.words[i];
        make_mirror(&desk);
        is_valid &= bench_hold(&contest, &desk, gravel_node(desk.gravel) == 0);
        must(gravel_mirror_destroy(desk.mirror), "gravel_mirror_destroy");
    }
    close_desk(&desk);
    return is_valid ? 0 : 1;
}
