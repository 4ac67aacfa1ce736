/* SPDX-License-Identifier: MIT */
/*
 * bench-block-pool: blocks of memory that kernels take and free while they run, beside what programs do without a pool.
 *
 *     bench-block-pool --runs 5 --items 32768 --blocks 1048576 --full 0,91
 *
 * Each work-item holds two blocks of 64 bytes at most, and looks whether each is as it left it. `groups` and `items` are
 * blocks of a pool that is --full percent full before, at random: taken and freed by work-groups, up to 32 by an atomic
 * operation, or by work-items alone. `counter` is an atomic counter, whose blocks are never freed; `ask` a list of blocks
 * of the host: groups ask its functions, and wait for the answers, of fewer work-items. Rates are blocks a second that
 * are taken and, but for `counter`, freed: by the device's clock, and for `ask`, whose messages have to end, by the
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

#include <string.h>

#define GROUP 256u
#define BLOCK_BYTES 64u
#define ROUNDS 16u        /* less than 32: see the kernel's mark */
#define MOST_ASKING 4096u /* work-items */

extern const char bench_block_pool_cl[];

enum subject { GROUPS, ITEMS, COUNTER, ASK, N_SUBJECTS };
static const char *const names[N_SUBJECTS] = {"groups", "items", "counter", "ask"};

struct desk {
    struct gravel *first, *gravel; /* which chooses the device; which has the pool */
    cl_context context;
    cl_command_queue queue; /* the node's, which times what is on it */
    struct gravel_block_pool *pool;
    cl_kernel kernels[N_SUBJECTS], fill, thin;
    cl_mem blocks, got, next, memory; /* of all, for fill; [items]; of counter */
    uint64_t answers, signals;        /* of ask */
    uint64_t *list;                   /* [n_list] the host's free blocks */
    uint32_t n_list, n_items, n_blocks, full, n_used;
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
    uint64_t first;
    must(gravel_alloc(desk->gravel, (uint64_t)n * BLOCK_BYTES, &first), "gravel_alloc");
    desk->list = malloc(n * sizeof *desk->list);
    must(desk->list ? 0 : GRAVEL_ENOMEM, "a list of blocks");
    for (desk->n_list = 0; desk->n_list < n; desk->n_list++)
        desk->list[desk->n_list] = first + (uint64_t)desk->n_list * BLOCK_BYTES;
}

/* ---- runs -------------------------------------------------------------------------------------- */

/* Kernels that send nothing, and so need no slices. @return seconds of the device. */
static double launch(const struct desk *desk, cl_kernel kernel, size_t n)
{
    const size_t group = GROUP;
    cl_ulong begin = 0, end = 1;
    cl_event event;
    must_cl(clEnqueueNDRangeKernel(desk->queue, kernel, 1, NULL, &n, &group, 0, NULL, &event),
            "clEnqueueNDRangeKernel");
    must_cl(clWaitForEvents(1, &event), "clWaitForEvents");
    must_cl(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL),
            "clGetEventProfilingInfo");
    must_cl(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
            "clGetEventProfilingInfo");
    clReleaseEvent(event);
    return 1e-9 * (double)(end - begin);
}

/* @return seconds of the host. */
static double launch_asking(const struct desk *desk)
{
    const size_t n = n_asking(desk), group = GROUP;
    const cl_uint zero = 0;
    must(gravel_fill(desk->gravel, desk->signals, n / GROUP * sizeof zero, &zero, sizeof zero, 0),
         "gravel_fill");
    must(gravel_barrier(desk->gravel), "gravel_barrier");
    const double begin_s = bench_now();
    must(gravel_launch(desk->gravel, desk->kernels[ASK], 1, &n, &group, 0, NULL, NULL),
         "gravel_launch");
    must(gravel_barrier(desk->gravel), "gravel_barrier");
    return bench_now() - begin_s;
}

/* Each of the first n work-items has found all blocks as it left them. */
static bool has_got_all(const struct desk *desk, uint32_t n)
{
    cl_uint *got = malloc(n * sizeof *got);
    must(got ? 0 : GRAVEL_ENOMEM, "what work-items have got");
    must_cl(clEnqueueReadBuffer(desk->queue, desk->got, CL_TRUE, 0, n * sizeof *got, got, 0, NULL,
                                NULL),
            "clEnqueueReadBuffer");
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
    must_cl(
        clEnqueueReadBuffer(desk->queue, desk->next, CL_TRUE, 0, sizeof next, &next, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    return next == desk->n_items * ROUNDS;
}

static void clear(const struct desk *desk, cl_mem buffer, size_t bytes)
{
    const cl_uint zero = 0;
    must_cl(clEnqueueFillBuffer(desk->queue, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL),
            "clEnqueueFillBuffer");
}

struct wanted {
    struct desk desk;
    enum subject which[N_SUBJECTS];
};

static bool run(void *context, uint32_t subject, double *rate)
{
    const struct wanted *wanted = context;
    const struct desk *desk = &wanted->desk;
    const enum subject which = wanted->which[subject];
    const uint32_t n = which == ASK ? n_asking(desk) : desk->n_items;
    clear(desk, desk->got, desk->n_items * sizeof(cl_uint));
    clear(desk, desk->next, sizeof(cl_uint));
    must_cl(clFinish(desk->queue), "clFinish");
    const double seconds =
        which == ASK ? launch_asking(desk) : launch(desk, desk->kernels[which], n);
    *rate = (double)n * ROUNDS / seconds;
    if (!has_got_all(desk, n))
        return false;
    return which == COUNTER ? has_counted(desk)
           : which == ASK   ? desk->n_list == 2 * n
                            : has_as_before(desk);
}

/* ---- the pool ---------------------------------------------------------------------------------- */

/* As kernel thin. */
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
    const cl_uint percent = desk->full;
    must(gravel_block_pool_create(&desk->pool, desk->gravel, BLOCK_BYTES, desk->n_blocks),
         "gravel_block_pool_create");
    const uint64_t offset = gravel_block_pool_offset(desk->pool);
    clSetKernelArg(desk->fill, 1, sizeof offset, &offset);
    clSetKernelArg(desk->thin, 1, sizeof offset, &offset);
    clSetKernelArg(desk->thin, 3, sizeof percent, &percent);
    clSetKernelArg(desk->kernels[GROUPS], 1, sizeof offset, &offset);
    clSetKernelArg(desk->kernels[ITEMS], 1, sizeof offset, &offset);
    launch(desk, desk->fill, desk->n_blocks);
    launch(desk, desk->thin, desk->n_blocks);
    desk->n_used = desk->n_blocks - n_free(desk);
    must(has_as_before(desk) ? 0 : GRAVEL_EINVAL, "a pool that is full in part");
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Its heap has room for the pool, its bits, and blocks of the host. */
static void open_node(struct desk *desk)
{
    const cl_queue_properties timed[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const struct gravel_handler handlers[] = {
        {.name = "take", .n_args = 0, .answer = take, .user = desk},
        {.name = "give", .n_args = 1, .function = give, .user = desk}};
    struct gravel_config config;
    cl_int error;
    must(gravel_open(&desk->first, NULL, NULL), "gravel_open");
    desk->context = gravel_cl_context(desk->first);
    const cl_device_id device = gravel_cl_device(desk->first);
    desk->queue = clCreateCommandQueueWithProperties(desk->context, device, timed, &error);
    must_cl(error, "clCreateCommandQueueWithProperties");
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.context = desk->context, .device = device, .queue = desk->queue,
                        .handlers = handlers, .n_handlers = 2);
    must(gravel_config_load(&config, sizeof config), "gravel_config_load");
    config.heap_bytes = (uint64_t)desk->n_blocks * (BLOCK_BYTES + 1) + (UINT64_C(2) << 20);
    must(gravel_open(&desk->gravel, &config, &bindings), "gravel_open");
    if (gravel_n_nodes(desk->gravel) > 1)
        must(GRAVEL_EINVAL, "bench-block-pool is for one node");
    must(gravel_alloc(desk->gravel, 8 * n_asking(desk), &desk->answers), "gravel_alloc");
    must(gravel_alloc(desk->gravel, 4 * n_asking(desk), &desk->signals), "gravel_alloc");
    make_list(desk);
}

static cl_kernel make_kernel(const struct desk *desk, cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    must_cl(error, "clCreateKernel");
    if (strcmp(name, names[COUNTER]))
        must(gravel_kernel_set_arena(desk->gravel, kernel, 0), "gravel_kernel_set_arena");
    return kernel;
}

static cl_mem make_buffer(const struct desk *desk, size_t bytes)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(desk->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    must_cl(error, "clCreateBuffer");
    return buffer;
}

static void make_kernels(struct desk *desk)
{
    const cl_uint rounds = ROUNDS;
    cl_program program;
    must(gravel_program_build(desk->gravel, "bench_block_pool.cl", bench_block_pool_cl, NULL,
                              &program),
         "gravel_program_build");
    desk->fill = make_kernel(desk, program, "fill");
    desk->thin = make_kernel(desk, program, "thin");
    desk->blocks = make_buffer(desk, desk->n_blocks * sizeof(cl_ulong));
    desk->got = make_buffer(desk, desk->n_items * sizeof(cl_uint));
    desk->next = make_buffer(desk, sizeof(cl_uint));
    desk->memory = make_buffer(desk, (size_t)desk->n_items * ROUNDS * BLOCK_BYTES);
    clSetKernelArg(desk->fill, 2, sizeof desk->blocks, &desk->blocks);
    clSetKernelArg(desk->thin, 2, sizeof desk->blocks, &desk->blocks);
    for (enum subject i = 0; i < N_SUBJECTS; i++) {
        desk->kernels[i] = make_kernel(desk, program, names[i]);
        const cl_uint at = i == ASK ? 3 : 2;
        clSetKernelArg(desk->kernels[i], at, sizeof desk->got, &desk->got);
        clSetKernelArg(desk->kernels[i], at + 1, sizeof rounds, &rounds);
    }
    clSetKernelArg(desk->kernels[COUNTER], 0, sizeof desk->next, &desk->next);
    clSetKernelArg(desk->kernels[COUNTER], 1, sizeof desk->memory, &desk->memory);
    clSetKernelArg(desk->kernels[ASK], 1, sizeof desk->answers, &desk->answers);
    clSetKernelArg(desk->kernels[ASK], 2, sizeof desk->signals, &desk->signals);
    clReleaseProgram(program);
}

static json_t *fields_of(const struct desk *desk)
{
    return json_pack("{ss si si si}", "step", gravel_step(desk->gravel), "items",
                     (int)desk->n_items, "blocks", (int)desk->n_blocks, "full", (int)desk->full);
}

static void report(const struct wanted *wanted, const struct bench_options *options,
                   const struct bench_subject *subjects, uint32_t n)
{
    const struct bench_subject *of[N_SUBJECTS] = {NULL};
    for (uint32_t i = 0; i < n; i++) {
        of[wanted->which[i]] = &subjects[i];
        bench_report(options, "bench-block-pool", "blocks/s", &subjects[i],
                     fields_of(&wanted->desk));
    }
    for (enum subject i = GROUPS; i <= ITEMS; i++)
        for (enum subject against = i + 1; against < N_SUBJECTS; against++)
            if (of[i] && of[against])
                bench_report_ratio(options, "bench-block-pool", of[i], of[against],
                                   fields_of(&wanted->desk));
}

/* Rounds over the variants, with the pool so full. */
static void measure(struct wanted *wanted, const struct bench_options *options)
{
    static struct bench_subject subjects[N_SUBJECTS];
    struct desk *desk = &wanted->desk;
    const bool may_wait = strcmp(gravel_step(desk->gravel), "drain") != 0;
    uint32_t n = 0;
    make_pool(desk);
    for (enum subject i = 0; i < N_SUBJECTS; i++) {
        double rate; /* a kernel is compiled at its first launch */
        if (!bench_variant_is_wanted(options, names[i]) || (i == ASK && !may_wait))
            continue;
        subjects[n] = (struct bench_subject){.variant = names[i]};
        wanted->which[n] = i;
        run(wanted, n++, &rate);
    }
    bench_rounds(subjects, n, options->runs, run, wanted);
    report(wanted, options, subjects, n);
    must(gravel_block_pool_destroy(desk->pool), "gravel_block_pool_destroy");
}

static void close_desk(struct desk *desk)
{
    for (enum subject i = 0; i < N_SUBJECTS; i++)
        clReleaseKernel(desk->kernels[i]);
    clReleaseKernel(desk->fill);
    clReleaseKernel(desk->thin);
    clReleaseMemObject(desk->blocks);
    clReleaseMemObject(desk->got);
    clReleaseMemObject(desk->next);
    clReleaseMemObject(desk->memory);
    must(gravel_close(desk->gravel), "gravel_close");
    clReleaseCommandQueue(desk->queue);
    must(gravel_close(desk->first), "gravel_close");
    free(desk->list);
}

struct options {
    struct bench_options bench;
    uint32_t items, blocks, n_full, full[BENCH_MAX_LIST];
};

/* @return a multiple of a group's work-items. */
static uint32_t parse_groups(struct argp_state *state, const char *name, const char *text)
{
    uint32_t value = 0;
    if (!bench_count_parse(text, GROUP, 1u << 26, &value) || value % GROUP)
        argp_error(state, "%s takes a multiple of %u up to %u, not %s", name, GROUP, 1u << 26,
                   text);
    return value;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->bench;
        return 0;
    case 'i':
        options->items = parse_groups(state, "--items", argument);
        return 0;
    case 'b':
        options->blocks = parse_groups(state, "--blocks", argument);
        return 0;
    case 'f':
        options->n_full = bench_list_parse(argument, 0, 99, options->full);
        if (!options->n_full)
            argp_error(state, "--full takes percents from 0 to 99, not %s", argument);
        return 0;
    case ARGP_KEY_END:
        for (uint32_t i = 0; i < options->n_full; i++)
            if (n_free(&(struct desk){.n_blocks = options->blocks, .full = options->full[i]}) <
                2 * options->items)
                argp_error(state, "%u work-items have no room in %u blocks, %u percent full",
                           options->items, options->blocks, options->full[i]);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
    static const struct argp_option known[] = {
        {"items", 'i', "N", 0, "Work-items, each with up to two blocks (32768)", 0},
        {"blocks", 'b', "N", 0, "Blocks of the pool (1048576)", 0},
        {"full", 'f', "PERCENT,...", 0, "Of them, allocated before (0,91)", 0},
        {0}};
    const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {known, parse, NULL, NULL, children, NULL, NULL};
    struct options options = {.bench = BENCH_OPTIONS_INIT,
                              .items = 1u << 15,
                              .blocks = 1u << 20,
                              .n_full = 2,
                              .full = {0, 91}};
    static struct wanted wanted;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    wanted.desk.n_items = options.items;
    wanted.desk.n_blocks = options.blocks;
    open_node(&wanted.desk);
    make_kernels(&wanted.desk);
    for (uint32_t i = 0; i < options.n_full; i++) {
        wanted.desk.full = options.full[i];
        measure(&wanted, &options.bench);
    }
    close_desk(&wanted.desk);
    return 0;
}
