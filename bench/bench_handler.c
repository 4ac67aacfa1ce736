/* SPDX-License-Identifier: MIT */
/*
 * bench-handler: how many active messages a second a node's device handles for another node: by a handler without a
 * key, by the same one with a key, with arguments of 4 bytes, and with an answer.
 *
 *     mpirun --bind-to none -np 2 bench-handler --runs 5 --keys 256,32768
 *
 * Every node sends to the next one. After each run the counters' sum must be the number of messages, and of those asked
 * every answer must be below it. Ratios are those over the handler without a key, at one number of keys.
 *
 * Path:    options -> rounds over the variants, all nodes together -> bench_handler.cl -> node 0 reports.
 * Memory:  all of it in the symmetric heap, for the length of the process.
 * Threads: the main thread, and the library's own.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <string.h>

#define GROUP 256u
#define N_GROUPS 64u
#define ROUNDS 32u
#define ROUNDS_TEXT "-DROUNDS=32u"
#define N_MESSAGES ((uint64_t)GROUP * N_GROUPS * ROUNDS)
#define MOST_KEYS (1u << 20)

extern const char bench_handler_cl[];

/* Rates of the rest are given relative to the first. */
static const struct gravel_handler handlers[] = {
    {.name = "plain", .n_args = 2},
    {.name = "keyed", .n_args = 2, .serve = {.n_keys = 1}},
    {.name = "narrow", .n_args = 2, .arg_bytes = 4},
    {.name = "asked", .n_args = 2, .n_answers = 1},
};
#define N_HANDLERS ((uint32_t)(sizeof handlers / sizeof *handlers))
enum { ASKED = 3 };

struct options {
    struct bench_options bench;
    uint32_t keys[BENCH_MAX_LIST], n_keys;
};

struct desk {
    const struct options *options;
    struct gravel *gravel;
    cl_kernel kernels[N_HANDLERS];
    uint64_t counters, answers;
};

/* ---- a run ----------------------------------------------------------------------------------- */

static void fill(const struct desk *desk, uint32_t node, uint64_t offset, int byte, uint64_t bytes)
{
    void *memory;
    must(gravel_map(desk->gravel, offset, bytes, CL_MAP_WRITE_INVALIDATE_REGION, node, &memory),
         "gravel_map");
    memset(memory, byte, bytes);
    must(gravel_unmap(desk->gravel, memory), "gravel_unmap");
}

static void set_arguments(const struct desk *desk, cl_kernel kernel, cl_uint n_keys)
{
    const cl_uint node = (gravel_node(desk->gravel) + 1) % gravel_n_nodes(desk->gravel);
    clSetKernelArg(kernel, 1, sizeof desk->counters, &desk->counters);
    clSetKernelArg(kernel, 2, sizeof desk->answers, &desk->answers);
    clSetKernelArg(kernel, 3, sizeof n_keys, &n_keys);
    clSetKernelArg(kernel, 4, sizeof node, &node);
}

/* Messages counted at this node. In a process of loop-back nodes node 0 alone sends, to node 1. */
static uint64_t count(const struct desk *desk, uint32_t n_keys)
{
    uint64_t sum = 0;
    void *memory;
    for (uint32_t node = 0; node < gravel_n_nodes(desk->gravel); node++) {
        if (!gravel_is_local(desk->gravel, node))
            continue;
        must(gravel_map(desk->gravel, desk->counters, 4 * (uint64_t)n_keys, CL_MAP_READ, node,
                        &memory),
             "gravel_map");
        for (uint32_t i = 0; i < n_keys; i++)
            sum += ((const uint32_t *)memory)[i];
        gravel_unmap(desk->gravel, memory);
    }
    return sum;
}

/* Every message of this node that asked has an answer: a number that a counter had. */
static uint64_t count_answers(const struct desk *desk)
{
    uint64_t n = 0;
    void *memory;
    must(gravel_map(desk->gravel, desk->answers, 8 * N_MESSAGES, CL_MAP_READ,
                    gravel_node(desk->gravel), &memory),
         "gravel_map");
    for (uint64_t i = 0; i < N_MESSAGES; i++)
        n += ((const uint64_t *)memory)[i] < N_MESSAGES;
    gravel_unmap(desk->gravel, memory);
    return n;
}

static bool is_loopback(const struct desk *desk)
{
    return gravel_n_nodes(desk->gravel) > 1 && gravel_is_local(desk->gravel, 0) &&
           gravel_is_local(desk->gravel, 1);
}

static void clear(const struct desk *desk)
{
    fill(desk, gravel_node(desk->gravel), desk->answers, 0xff, 8 * N_MESSAGES);
    for (uint32_t node = 0; node < gravel_n_nodes(desk->gravel); node++)
        if (gravel_is_local(desk->gravel, node))
            fill(desk, node, desk->counters, 0, 4 * (uint64_t)MOST_KEYS);
    must(gravel_barrier(desk->gravel), "gravel_barrier");
}

static bool run(void *context, uint32_t subject, double *rate)
{
    const struct desk *desk = context;
    const uint32_t handler = subject % N_HANDLERS,
                   n_keys = desk->options->keys[subject / N_HANDLERS];
    const size_t local_size = GROUP, global_size = (size_t)GROUP * N_GROUPS;
    const uint64_t n_senders = is_loopback(desk) ? 1 : gravel_n_nodes(desk->gravel);
    clear(desk);
    set_arguments(desk, desk->kernels[handler], n_keys);
    double begin_s = bench_now();
    must(gravel_launch(desk->gravel, desk->kernels[handler], 1, &global_size, &local_size, 0, NULL,
                       NULL),
         "gravel_launch");
    must(gravel_barrier(desk->gravel), "gravel_barrier");
    *rate = (double)(N_MESSAGES * n_senders) / (bench_now() - begin_s);
    uint64_t sums[2] = {count(desk, n_keys), count_answers(desk)};
    must(gravel_reduce(desk->gravel, GRAVEL_ADD, GRAVEL_ULONG, sums, 2), "gravel_reduce");
    return sums[0] == N_MESSAGES * n_senders &&
           sums[1] == (handler == ASKED ? N_MESSAGES * n_senders : 0);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_desk(struct desk *desk)
{
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = N_HANDLERS,
                        .device_code.source = bench_handler_cl,
                        .device_code.name = "bench_handler.cl", .device_code.options = ROUNDS_TEXT);
    cl_program program;
    must(gravel_open(&desk->gravel, NULL, &bindings), "gravel_open");
    must(gravel_alloc(desk->gravel, 4 * (uint64_t)MOST_KEYS, &desk->counters), "gravel_alloc");
    must(gravel_alloc(desk->gravel, 8 * N_MESSAGES, &desk->answers), "gravel_alloc");
    must(gravel_program_build(desk->gravel, "bench_handler.cl", bench_handler_cl, ROUNDS_TEXT,
                              &program),
         "gravel_program_build");
    for (uint32_t i = 0; i < N_HANDLERS; i++) {
        char name[32];
        cl_int error;
        snprintf(name, sizeof name, "send_%s", handlers[i].name);
        desk->kernels[i] = clCreateKernel(program, name, &error);
        must(error == CL_SUCCESS ? gravel_kernel_set_arena(desk->gravel, desk->kernels[i], 0)
                                 : GRAVEL_ECL,
             "clCreateKernel");
    }
    clReleaseProgram(program);
}

static json_t *fields(const struct desk *desk, uint32_t n_keys)
{
    return json_pack("{si si ss}", "nodes", (int)gravel_n_nodes(desk->gravel), "keys", (int)n_keys,
                     "step", gravel_step(desk->gravel));
}

static void report(const struct desk *desk, const struct bench_subject *subjects)
{
    for (uint32_t k = 0; k < desk->options->n_keys && gravel_node(desk->gravel) == 0; k++) {
        const struct bench_subject *plain = &subjects[k * N_HANDLERS];
        for (uint32_t i = 0; i < N_HANDLERS; i++)
            bench_report(&desk->options->bench, "bench-handler", "messages/s", plain + i,
                         fields(desk, desk->options->keys[k]));
        for (uint32_t i = 1; i < N_HANDLERS; i++)
            bench_report_ratio(&desk->options->bench, "bench-handler", plain + i, plain,
                               fields(desk, desk->options->keys[k]));
    }
}

int main(int argc, char **argv)
{
    static struct bench_subject subjects[BENCH_MAX_LIST * N_HANDLERS];
    static const struct bench_option own[] = {
        {"keys", 'k', "counters that messages are for (256,1024,32768,131072)",
         BENCH_LIST(struct options, keys, n_keys, 1, MOST_KEYS)},
        {0}};
    struct options options = {
        .bench = BENCH_OPTIONS_INIT, .keys = {256, 1024, 32768, 131072}, .n_keys = 4};
    static struct desk desk;
    bench_parse(argc, argv, NULL, own, &options, &options.bench);
    desk.options = &options;
    open_desk(&desk);
    const uint32_t n = options.n_keys * N_HANDLERS;
    for (uint32_t i = 0; i < n; i++) {
        double rate; /* the kernel is compiled at its first launch */
        subjects[i] = (struct bench_subject){.variant = handlers[i % N_HANDLERS].name};
        if (i < N_HANDLERS)
            run(&desk, i, &rate);
    }
    bench_rounds(subjects, n, options.bench.runs, run, &desk);
    report(&desk, subjects);
    for (uint32_t i = 0; i < N_HANDLERS; i++)
        clReleaseKernel(desk.kernels[i]);
    must(gravel_close(desk.gravel), "gravel_close");
    return 0;
}
