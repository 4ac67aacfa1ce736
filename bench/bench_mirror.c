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

#define MOST_WORDS (1u << 24)

static const char *const variants[] = {"shared", "copied"};
enum { SHARED, COPIED, N_VARIANTS };

struct options {
    struct bench_options bench;
    uint32_t words[BENCH_MAX_LIST], n_words, times;
};

struct desk {
    const struct options *options;
    struct gravel *gravel;
    struct gravel_mirror *mirror;
    uint64_t table; /* [2 * most words] */
    cl_command_queue queue;
    cl_mem from, to, pinned;
    void *host;       /* `pinned`, mapped */
    uint32_t n_words; /* that are brought up to date now */
    uint32_t mark;    /* of this run, the same at every node */
};

static uint32_t most_words(const struct options *options)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < options->n_words; i++)
        most = options->words[i] > most ? options->words[i] : most;
    return most;
}

static uint32_t next_node(const struct desk *desk)
{
    return (gravel_node(desk->gravel) + 1) % gravel_n_nodes(desk->gravel);
}

/* What word i of a node's table is in this run. */
static uint32_t word_of(const struct desk *desk, uint32_t node, uint32_t i)
{
    return desk->mark * 0x9e3779b1u + node * 0x85ebca6bu + i;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static uint32_t *map(const struct desk *desk, uint64_t offset, uint64_t n_words, cl_map_flags flags)
{
    void *memory;
    must(gravel_map(desk->gravel, offset, 4 * n_words, flags, gravel_node(desk->gravel), &memory),
         "gravel_map");
    return memory;
}

static void fill(const struct desk *desk)
{
    const uint32_t node = gravel_node(desk->gravel), n = 2 * desk->n_words;
    uint32_t *words = map(desk, desk->table, n, CL_MAP_WRITE_INVALIDATE_REGION);
    for (uint32_t i = 0; i < n; i++)
        words[i] = word_of(desk, node, i);
    must_cl(clEnqueueWriteBuffer(desk->queue, desk->from, CL_TRUE, 0, 4 * (size_t)desk->n_words,
                                 words, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
    must(gravel_unmap(desk->gravel, words), "gravel_unmap");
    must(gravel_barrier(desk->gravel), "gravel_barrier");
}

static void share(const struct desk *desk)
{
    for (uint32_t i = 0; i < desk->options->times; i++)
        must(gravel_mirror_share(desk->mirror), "gravel_mirror_share");
}

static void copy(const struct desk *desk)
{
    const size_t bytes = 4 * (size_t)desk->n_words;
    for (uint32_t i = 0; i < desk->options->times; i++) {
        must_cl(clEnqueueReadBuffer(desk->queue, desk->from, CL_FALSE, 0, bytes, desk->host, 0,
                                    NULL, NULL),
                "clEnqueueReadBuffer");
        must_cl(clEnqueueWriteBuffer(desk->queue, desk->to, CL_FALSE, 0, bytes, desk->host, 0, NULL,
                                     NULL),
                "clEnqueueWriteBuffer");
        must_cl(clFinish(desk->queue), "clFinish");
    }
}

static uint64_t n_wrong_shared(const struct desk *desk)
{
    uint64_t n_wrong = 0;
    uint32_t *words = map(desk, gravel_mirror_offset(desk->mirror), desk->n_words, CL_MAP_READ);
    for (uint32_t i = 0; i < desk->n_words; i++)
        n_wrong += words[i] != word_of(desk, next_node(desk), 2 * i);
    must(gravel_unmap(desk->gravel, words), "gravel_unmap");
    return n_wrong;
}

static uint64_t n_wrong_copied(const struct desk *desk)
{
    const uint32_t *words = desk->host;
    uint64_t n_wrong = 0;
    must_cl(clEnqueueReadBuffer(desk->queue, desk->to, CL_TRUE, 0, 4 * (size_t)desk->n_words,
                                desk->host, 0, NULL, NULL),
            "clEnqueueReadBuffer");
    for (uint32_t i = 0; i < desk->n_words; i++)
        n_wrong += words[i] != word_of(desk, gravel_node(desk->gravel), i);
    return n_wrong;
}

static bool run(void *context, uint32_t subject, double *rate)
{
    struct desk *desk = context;
    desk->mark++;
    fill(desk);
    double begin_s = bench_now();
    if (subject == SHARED)
        share(desk);
    else
        copy(desk);
    double seconds = bench_now() - begin_s;
    *rate = (double)desk->n_words * desk->options->times * gravel_n_nodes(desk->gravel) / seconds;
    uint64_t n_wrong = subject == SHARED ? n_wrong_shared(desk) : n_wrong_copied(desk);
    must(gravel_reduce(desk->gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_wrong, 1), "gravel_reduce");
    return n_wrong == 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cl_mem make_buffer(const struct desk *desk, cl_mem_flags flags)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(gravel_cl_context(desk->gravel), CL_MEM_READ_WRITE | flags,
                                   4 * (size_t)most_words(desk->options), NULL, &error);
    must_cl(error, "clCreateBuffer");
    return buffer;
}

static void open_desk(struct desk *desk)
{
    cl_int error;
    const size_t bytes = 4 * (size_t)most_words(desk->options);
    must(gravel_open(&desk->gravel, NULL, NULL), "gravel_open");
    must(gravel_alloc(desk->gravel, 2 * bytes, &desk->table), "gravel_alloc");
    desk->queue = clCreateCommandQueueWithProperties(gravel_cl_context(desk->gravel),
                                                     gravel_cl_device(desk->gravel), NULL, &error);
    must_cl(error, "clCreateCommandQueueWithProperties");
    desk->from = make_buffer(desk, 0);
    desk->to = make_buffer(desk, 0);
    desk->pinned = make_buffer(desk, CL_MEM_ALLOC_HOST_PTR);
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

/* Every second word of the next node's. */
static void make_mirror(struct desk *desk)
{
    const uint32_t n_nodes = gravel_n_nodes(desk->gravel);
    uint64_t *n_words = calloc(n_nodes, sizeof *n_words);
    uint32_t *indices = malloc(desk->n_words * sizeof *indices);
    must(n_words && indices ? 0 : GRAVEL_ENOMEM, "a plan");
    n_words[next_node(desk)] = desk->n_words;
    for (uint32_t i = 0; i < desk->n_words; i++)
        indices[i] = 2 * i;
    const struct gravel_words words = GRAVEL_WORDS(.offset = desk->table, .type = GRAVEL_UINT,
                                                   .n_words = n_words, .indices = indices);
    must(gravel_mirror_create(&desk->mirror, desk->gravel, &words), "gravel_mirror_create");
    free(indices);
    free(n_words);
}

static json_t *fields(const struct desk *desk)
{
    return json_pack("{si si ss}", "nodes", (int)gravel_n_nodes(desk->gravel), "words",
                     (int)desk->n_words, "step", gravel_step(desk->gravel));
}

/* @return  whether all was right. */
static bool measure(struct desk *desk, uint32_t n_words)
{
    struct bench_subject subjects[N_VARIANTS];
    const struct bench_options *bench = &desk->options->bench;
    desk->n_words = n_words;
    make_mirror(desk);
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        double rate; /* a kernel is compiled at its first launch */
        subjects[i] = (struct bench_subject){.variant = variants[i]};
        run(desk, i, &rate);
    }
    bench_rounds(subjects, N_VARIANTS, bench->runs, run, desk);
    must(gravel_mirror_destroy(desk->mirror), "gravel_mirror_destroy");
    for (uint32_t i = 0; i < N_VARIANTS && gravel_node(desk->gravel) == 0; i++)
        bench_report(bench, "bench-mirror", "words/s", &subjects[i], fields(desk));
    if (gravel_node(desk->gravel) == 0)
        bench_report_ratio(bench, "bench-mirror", &subjects[SHARED], &subjects[COPIED],
                           fields(desk));
    return subjects[SHARED].is_valid && subjects[COPIED].is_valid;
}

int main(int argc, char **argv)
{
    static const struct bench_option own[] = {
        {"words", 'w', "words of each node (1024,1048576)",
         BENCH_LIST(struct options, words, n_words, 1, MOST_WORDS)},
        {"times", 't', "that a run brings them up to date (20)",
         BENCH_COUNT(struct options, times, 1, 10000)},
        {0}};
    struct options options = {
        .bench = BENCH_OPTIONS_INIT, .words = {1024, 1u << 20}, .n_words = 2, .times = 20};
    static struct desk desk;
    bench_parse(argc, argv, NULL, own, &options, &options.bench);
    desk.options = &options;
    open_desk(&desk);
    bool is_valid = true;
    for (uint32_t i = 0; i < options.n_words; i++)
        is_valid = measure(&desk, options.words[i]) && is_valid;
    close_desk(&desk);
    return is_valid ? 0 : 1;
}
