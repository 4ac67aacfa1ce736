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

#include <stdio.h>

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
enum { PLAIN, ASKED = 3, N_HANDLERS };
static const struct bench_variant variants[N_HANDLERS] = {{"plain", "messages/s"},
                                                          {"keyed", "messages/s"},
                                                          {"narrow", "messages/s"},
                                                          {"asked", "messages/s"}};

struct desk {
    struct gravel *gravel;
    cl_kernel kernels[N_HANDLERS];
    uint64_t counters, answers;
    uint32_t keys[BENCH_MAX_LIST], n_keys;
    uint32_t key_count; /* of this contest */
};

/* ---- a run ----------------------------------------------------------------------------------- */

/* Returns how many messages of this node have an answer: a number that a counter had. */
static uint64_t count_answers(const struct desk *desk)
{
    uint64_t n = 0;
    const uint64_t *answers = bench_map(desk->gravel, desk->answers, 8 * N_MESSAGES, CL_MAP_READ,
                                        gravel_node(desk->gravel));
    for (uint64_t i = 0; i < N_MESSAGES; i++)
        n += answers[i] < N_MESSAGES;
    bench_unmap(desk->gravel, answers);
    return n;
}

static bool run(void *context, uint32_t variant, double *rate)
{
    const struct desk *desk = context;
    const cl_kernel kernel = desk->kernels[variant];
    const uint64_t n_messages = N_MESSAGES * bench_n_senders(desk->gravel);
    bench_set_bytes(desk->gravel, desk->answers, 0xff, 8 * N_MESSAGES);
    bench_set_bytes(desk->gravel, desk->counters, 0, 4 * (uint64_t)MOST_KEYS);
    bench_set_ulongs(kernel, 1, (cl_ulong[]){desk->counters, desk->answers}, 2);
    bench_set_uints(kernel, 3, (cl_uint[]){desk->key_count, bench_next_node(desk->gravel)}, 2);
    *rate = (double)n_messages / bench_time(desk->gravel, kernel, (size_t)GROUP * N_GROUPS, GROUP);
    uint64_t sums[2] = {bench_sum_words(desk->gravel, desk->counters, desk->key_count),
                        count_answers(desk)};
    must(gravel_reduce(desk->gravel, GRAVEL_ADD, GRAVEL_ULONG, sums, 2), "gravel_reduce");
    return sums[0] == n_messages && sums[1] == (variant == ASKED ? n_messages : 0);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_desk(struct desk *desk)
{
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = N_HANDLERS,
                        .device_code.source = bench_handler_cl,
                        .device_code.name = "bench_handler.cl", .device_code.options = ROUNDS_TEXT);
    must(gravel_open(&desk->gravel, NULL, &bindings), "gravel_open");
    desk->counters = bench_alloc(desk->gravel, 4 * (uint64_t)MOST_KEYS);
    desk->answers = bench_alloc(desk->gravel, 8 * N_MESSAGES);
    cl_program program =
        bench_build(desk->gravel, "bench_handler.cl", bench_handler_cl, ROUNDS_TEXT);
    for (uint32_t i = 0; i < N_HANDLERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "send_%s", handlers[i].name);
        desk->kernels[i] = bench_kernel(desk->gravel, program, name);
    }
    clReleaseProgram(program);
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct desk *desk = context;
    (void)variant, (void)median;
    return json_pack("{si si ss}", "nodes", (int)gravel_n_nodes(desk->gravel), "keys",
                     (int)desk->key_count, "step", gravel_step(desk->gravel));
}

static const struct bench_contest contest = {.name = "bench-handler",
                                             .variants = variants,
                                             .n_variants = N_HANDLERS,
                                             .run = run,
                                             .fields = fields,
                                             .has_ratio = bench_to_first};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"keys", 'k', "N,...", "counters that messages are for (256,1024,32768,131072)",
         BENCH_LIST(struct desk, keys, n_keys, 1, MOST_KEYS)},
        {0}};
    static struct desk desk = {.keys = {256, 1024, 32768, 131072}, .n_keys = 4};
    bool is_valid = true;
    bench_parse(argc, argv, "Active messages a second, by the kind of handler.", own, &desk);
    open_desk(&desk);
    for (uint32_t i = 0; i < desk.n_keys; i++) {
        desk.key_count = desk.keys[i];
        is_valid &= bench_hold(&contest, &desk, gravel_node(desk.gravel) == 0);
    }
    for (uint32_t i = 0; i < N_HANDLERS; i++)
        clReleaseKernel(desk.kernels[i]);
    must(gravel_close(desk.gravel), "gravel_close");
    return is_valid ? 0 : 1;
}
