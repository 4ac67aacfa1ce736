/* SPDX-License-Identifier: MIT */
/*
 * bench-block-pool: blocks of memory that kernels take and free while they run, and what programs do without a pool.
 *
 *     bench-block-pool --runs 5 --items 32768 --blocks 1048576 --full 0,91
 *
 * Each work-item holds two blocks of 64 bytes at most, and looks whether each is as it left it. `groups` and `items` are
 * blocks of a pool that is --full percent full before, at random: taken and freed by work-groups, up to 32 by an atomic
 * operation, or by work-items alone. `counter` is an atomic counter, whose blocks are never freed; `ask` a list of blocks
 * of the host: groups ask its functions, and wait for the answers, of fewer work-items. Rates are blocks a second that
 * are taken and, except for `counter`, freed: by the device's clock, and for `ask`, whose messages have to end, by the
 * host's. After each run the pool has as many blocks as before, and no work-item has found another one's. One node.
 *
 * Path:    options -> for each --full rounds over the variants -> bench_block_pool.cl -> report.
 * Memory:  the symmetric heap and buffers, for the length of the process.
 * Threads: the main thread; the library's network thread runs take and give.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <gravel/block_pool.h>

#include <stdlib.h>

#define GROUP 256u
#define BLOCK_BYTES 64u
#define ROUNDS 16u        /* less than 32: see the kernel's mark */
#define MOST_ASKING 4096u /* work-items */

extern const char bench_block_pool_cl[];

enum { GROUPS, ITEMS, COUNTER, ASK, N_VARIANTS };
static const struct bench_variant variants[N_VARIANTS] = {
    {"groups", "blocks/s"}, {"items", "blocks/s"}, {"counter", "blocks/s"}, {"ask", "blocks/s"}};

struct desk {
    struct gravel *gravel;
    cl_command_queue queue; /* which times what is on it */
    struct gravel_block_pool *pool;
    cl_kernel kernels[N_VARIANTS], fill, thin;
    cl_mem blocks, got, next, memory; /* of all, for fill; [items]; of counter */
    uint64_t answers, signals;        /* of ask */
    uint64_t *list;                   /* [n_list] the host's free blocks */
    uint32_t n_list, n_items, n_blocks, n_used;
    uint32_t fulls[BENCH_MAX_LIST], n_fulls, full; /* [percent]; of this contest */
};

/* ---- blocks of the host ------------------------------------------------------------------------ */

static int take(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                uint64_t *answer)
{
    struct desk *desk = user;
    (void)gravel, (void)source, (void)args;
    if (!desk->n_list)
        return -1;
    *answer = desk->list[--desk->n_list];
    return 0;
}

static int give(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    struct desk *desk = user;
    (void)gravel, (void)source;
    desk->list[desk->n_list++] = args[0];
    return 0;
}

static uint32_t n_asking(const struct desk *desk)
{
    return desk->n_items < MOST_ASKING ? desk->n_items : MOST_ASKING;
}

static void make_list(struct desk *desk)
{
    const uint32_t n = 2 * n_asking(desk);
    const uint64_t first = bench_alloc(desk->gravel, (uint64_t)n * BLOCK_BYTES);
    desk->list = malloc(n * sizeof *desk->list);
    must(desk->list ? 0 : GRAVEL_ENOMEM, "a list of blocks");
    for (desk->n_list = 0; desk->n_list < n; desk->n_list++)
        desk->list[desk->n_list] = first + (uint64_t)desk->n_list * BLOCK_BYTES;
}

/* ---- runs -------------------------------------------------------------------------------------- */

/* @return seconds of the device. */
static double launch(const struct desk *desk, cl_kernel kernel, size_t n)
{
    return bench_seconds_of(bench_enqueue(desk->queue, kernel, n, GROUP));
}

/* Returns whether each of the first n work-items has found all blocks as it left them. */
static bool has_got_all(const struct desk *desk, uint32_t n)
{
    cl_uint *got = malloc(n * sizeof *got);
    must(got ? 0 : GRAVEL_ENOMEM, "what work-items have got");
    bench_read(desk->queue, desk->got, n * sizeof *got, got);
    bool is_right = true;
    for (uint32_t i = 0; i < n; i++)
        is_right &= got[i] == ROUNDS;
    free(got);
    return is_right;
}

static bool has_as_before(const struct desk *desk)
{
    struct gravel_block_pool_stats stats;
    must(gravel_block_pool_stats_read(desk->pool, &stats, sizeof stats),
         "gravel_block_pool_stats_read");
    return stats.n_used == desk->n_used && stats.n_failed == 0;
}

static bool has_counted(const struct desk *desk)
{
    cl_uint next;
    bench_read(desk->queue, desk->next, sizeof next, &next);
    return next == desk->n_items * ROUNDS;
}

static void clear(const struct desk *desk, cl_mem buffer, size_t bytes)
{
    const cl_uint zero = 0;
    must_cl(clEnqueueFillBuffer(desk->queue, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL),
            "clEnqueueFillBuffer");
}

static bool run(void *context, uint32_t variant, double *rate)
{
    const struct desk *desk = context;
    const uint32_t n = variant == ASK ? n_asking(desk) : desk->n_items;
    double seconds;
    clear(desk, desk->got, desk->n_items * sizeof(cl_uint));
    clear(desk, desk->next, sizeof(cl_uint));
    must_cl(clFinish(desk->queue), "clFinish");
    if (variant == ASK) {
        bench_set_bytes(desk->gravel, desk->signals, 0, n / GROUP * sizeof(cl_uint));
        seconds = bench_time(desk->gravel, desk->kernels[ASK], n, GROUP);
    } else {
        seconds = launch(desk, desk->kernels[variant], n);
    }
    *rate = (double)n * ROUNDS / seconds;
    if (!has_got_all(desk, n))
        return false;
    return variant == COUNTER ? has_counted(desk)
           : variant == ASK   ? desk->n_list == 2 * n
                              : has_as_before(desk);
}

/* ---- the pool ---------------------------------------------------------------------------------- */

/* Returns whether kernel thin frees block i. */
static bool is_freed(uint32_t i, uint32_t percent)
{
    return (i * 2654435761u >> 8) % 100 >= percent;
}

static uint32_t n_free(const struct desk *desk)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < desk->n_blocks; i++)
        n += is_freed(i, desk->full);
    return n;
}

static void make_pool(struct desk *desk)
{
    must(gravel_block_pool_create(&desk->pool, desk->gravel, BLOCK_BYTES, desk->n_blocks),
         "gravel_block_pool_create");
    const uint64_t offset = gravel_block_pool_offset(desk->pool);
    const cl_kernel of_pools[] = {desk->fill, desk->thin, desk->kernels[GROUPS],
                                  desk->kernels[ITEMS]};
    for (size_t i = 0; i < sizeof of_pools / sizeof *of_pools; i++)
        bench_set_ulongs(of_pools[i], 1, &offset, 1);
    bench_set_uints(desk->thin, 3, &desk->full, 1);
    if (n_free(desk) < 2 * desk->n_items)
        must(GRAVEL_EINVAL, "--blocks, --full: too few free blocks for --items");
    launch(desk, desk->fill, desk->n_blocks);
    launch(desk, desk->thin, desk->n_blocks);
    desk->n_used = desk->n_blocks - n_free(desk);
    must(has_as_before(desk) ? 0 : GRAVEL_EINVAL, "a pool that is full in part");
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Opens a node whose heap has room for the pool, its bits, and blocks of the host. */
static void open_node(struct desk *desk)
{
    const struct gravel_handler handlers[] = {
        {.name = "take", .n_args = 0, .answer = take, .user = desk},
        {.name = "give", .n_args = 1, .function = give, .user = desk}};
    struct gravel_config config;
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 2);
    must(gravel_config_load(&config, sizeof config), "gravel_config_load");
    config.heap_bytes = (uint64_t)desk->n_blocks * (BLOCK_BYTES + 1) + (UINT64_C(2) << 20);
    must(gravel_open(&desk->gravel, &config, &bindings), "gravel_open");
    if (gravel_n_nodes(desk->gravel) > 1)
        must(GRAVEL_EINVAL, "bench-block-pool is for one node");
    desk->queue = bench_queue(gravel_cl_context(desk->gravel), gravel_cl_device(desk->gravel),
                              CL_QUEUE_PROFILING_ENABLE);
    desk->answers = bench_alloc(desk->gravel, 8 * n_asking(desk));
    desk->signals = bench_alloc(desk->gravel, 4 * n_asking(desk));
    make_list(desk);
}

static void make_kernels(struct desk *desk)
{
    const cl_context context = gravel_cl_context(desk->gravel);
    const cl_uint rounds = ROUNDS;
    cl_program program =
        bench_build(desk->gravel, "bench_block_pool.cl", bench_block_pool_cl, NULL);
    desk->fill = bench_kernel(desk->gravel, program, "fill");
    desk->thin = bench_kernel(desk->gravel, program, "thin");
    desk->blocks = bench_buffer(context, 0, desk->n_blocks * sizeof(cl_ulong));
    desk->got = bench_buffer(context, 0, desk->n_items * sizeof(cl_uint));
    desk->next = bench_buffer(context, 0, sizeof(cl_uint));
    desk->memory = bench_buffer(context, 0, (size_t)desk->n_items * ROUNDS * BLOCK_BYTES);
    bench_set(desk->fill, 2, sizeof desk->blocks, &desk->blocks);
    bench_set(desk->thin, 2, sizeof desk->blocks, &desk->blocks);
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        const cl_uint at = i == ASK ? 3 : 2;
        desk->kernels[i] = i == COUNTER ? bench_plain_kernel(program, "counter")
                                        : bench_kernel(desk->gravel, program, variants[i].name);
        bench_set(desk->kernels[i], at, sizeof desk->got, &desk->got);
        bench_set_uints(desk->kernels[i], at + 1, &rounds, 1);
    }
    bench_set(desk->kernels[COUNTER], 0, sizeof desk->next, &desk->next);
    bench_set(desk->kernels[COUNTER], 1, sizeof desk->memory, &desk->memory);
    bench_set_ulongs(desk->kernels[ASK], 1, (cl_ulong[]){desk->answers, desk->signals}, 2);
    clReleaseProgram(program);
}

static void close_desk(struct desk *desk)
{
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        clReleaseKernel(desk->kernels[i]);
    clReleaseKernel(desk->fill);
    clReleaseKernel(desk->thin);
    clReleaseMemObject(desk->blocks);
    clReleaseMemObject(desk->got);
    clReleaseMemObject(desk->next);
    clReleaseMemObject(desk->memory);
    clReleaseCommandQueue(desk->queue);
    must(gravel_close(desk->gravel), "gravel_close");
    free(desk->list);
}

static bool takes_part(void *context, uint32_t variant)
{
    const struct desk *desk = context;
    return variant != ASK || bench_may_wait(desk->gravel);
}

static bool has_ratio(uint32_t variant, uint32_t against)
{
    return variant <= ITEMS && against > variant;
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct desk *desk = context;
    (void)variant, (void)median;
    return json_pack("{ss si si si}", "step", gravel_step(desk->gravel), "items",
                     (int)desk->n_items, "blocks", (int)desk->n_blocks, "full", (int)desk->full);
}

static const struct bench_contest contest = {.name = "bench-block-pool",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .takes_part = takes_part,
                                             .fields = fields,
                                             .has_ratio = has_ratio};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"items", 'i', "N", "Work-items, each with up to two blocks (32768)",
         BENCH_MULTIPLE(struct desk, n_items, GROUP, 1u << 26)},
        {"blocks", 'b', "N", "Blocks of the pool (1048576)",
         BENCH_MULTIPLE(struct desk, n_blocks, GROUP, 1u << 26)},
        {"full", 'f', "N,...", "Percent of them that are allocated before (0,91)",
         BENCH_LIST(struct desk, fulls, n_fulls, 0, 99)},
        {0}};
    static struct desk desk = {
        .n_items = 1u << 15, .n_blocks = 1u << 20, .fulls = {0, 91}, .n_fulls = 2};
    bool is_valid = true;
    bench_parse(argc, argv, "Blocks of memory that kernels take and free while they run.", own,
                &desk);
    open_node(&desk);
    make_kernels(&desk);
    for (uint32_t i = 0; i < desk.n_fulls; i++) {
        desk.full = desk.fulls[i];
        make_pool(&desk);
        is_valid &= bench_hold(&contest, &desk, true);
        must(gravel_block_pool_destroy(desk.pool), "gravel_block_pool_destroy");
    }
    close_desk(&desk);
    return is_valid ? 0 : 1;
}
