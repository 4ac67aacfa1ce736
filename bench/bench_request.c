/* SPDX-License-Identifier: MIT */
/*
 * bench-request: how long a request takes there and back, and how many a second many groups get answered.
 *
 *     mpirun --bind-to none -np 2 bench-request --runs 5
 *
 * Every node draws numbers (fetch_add) at the next one: `round-trip` is one group that waits for every answer,
 * `split-phase` many groups that send 16 requests a work-item before they wait. After each run the counters' sum and
 * the signals' must be the number of requests.
 *
 * Path:    options -> rounds over the variants, all nodes together -> bench_request.cl -> node 0 reports.
 * Memory:  all of it in the symmetric heap, for the length of the process.
 * Threads: the main thread, and the library's own.
 */
#include "bench.h"
#include "bench_gravel.h"

#define N_COUNTERS 4096u
#define N_COUNTERS_TEXT "4096u"
#define MAX_ITEMS (1u << 16)

extern const char bench_request_cl[];

static const struct bench_variant variants[] = {{"round-trip-1", "round trips/s"},
                                                {"round-trip-256", "round trips/s"},
                                                {"split-phase-256", "requests/s"}};
enum { SPLIT_PHASE = 2, N_VARIANTS };

static const struct shape {
    uint32_t n_groups, group, rounds, depth;
} shapes[N_VARIANTS] = {{1, 1, 1000, 1}, {1, 256, 1000, 1}, {256, 256, 4, 16}};

struct desk {
    struct gravel *gravel;
    cl_kernel kernel;
    uint64_t counters, answers, signals;
};

/* ---- a run ----------------------------------------------------------------------------------- */

/* Returns whether every request raised a counter somewhere, whose upper half stays 0, and the asker's signal. */
static bool holds(const struct desk *desk, uint32_t n_groups, uint64_t n_requests)
{
    uint64_t sums[2] = {bench_sum_words(desk->gravel, desk->counters, 2 * N_COUNTERS),
                        bench_sum_words(desk->gravel, desk->signals, n_groups)};
    must(gravel_reduce(desk->gravel, GRAVEL_ADD, GRAVEL_ULONG, sums, 2), "gravel_reduce");
    return sums[0] == n_requests && sums[1] == n_requests;
}

static bool run(void *context, uint32_t variant, double *rate)
{
    const struct desk *desk = context;
    const struct shape *shape = &shapes[variant];
    const size_t n_items = (size_t)shape->n_groups * shape->group;
    const uint64_t n_requests =
        (uint64_t)n_items * shape->rounds * shape->depth * gravel_n_nodes(desk->gravel);
    bench_set_bytes(desk->gravel, desk->counters, 0, 8 * N_COUNTERS);
    bench_set_bytes(desk->gravel, desk->signals, 0, 4 * MAX_ITEMS);
    bench_set_ulongs(desk->kernel, 1, (cl_ulong[]){desk->counters, desk->answers, desk->signals},
                     3);
    bench_set_uints(desk->kernel, 4,
                    (cl_uint[]){shape->rounds, shape->depth, bench_next_node(desk->gravel)}, 3);
    const double seconds = bench_time(desk->gravel, desk->kernel, n_items, shape->group);
    *rate = (variant == SPLIT_PHASE ? (double)n_requests : shape->rounds) / seconds;
    return holds(desk, shape->n_groups, n_requests);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool takes_part(void *context, uint32_t variant)
{
    const struct desk *desk = context;
    return variant == SPLIT_PHASE || bench_may_wait(desk->gravel);
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct desk *desk = context;
    (void)median;
    return json_pack("{si ss si}", "nodes", (int)gravel_n_nodes(desk->gravel), "step",
                     gravel_step(desk->gravel), "work_group", (int)shapes[variant].group);
}

static const struct bench_contest contest = {.name = "bench-request",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .takes_part = takes_part,
                                             .fields = fields};

int main(int argc, char **argv)
{
    static struct desk desk;
    bench_parse(argc, argv, "How long a request takes there and back.", NULL, NULL);
    must(gravel_open(&desk.gravel, NULL, NULL), "gravel_open");
    desk.counters = bench_alloc(desk.gravel, 8 * N_COUNTERS);
    desk.answers = bench_alloc(desk.gravel, 8 * MAX_ITEMS);
    desk.signals = bench_alloc(desk.gravel, 4 * MAX_ITEMS);
    desk.kernel =
        bench_one_kernel(desk.gravel, bench_request_cl,
                         bench_may_wait(desk.gravel) ? "-DN_COUNTERS=" N_COUNTERS_TEXT " -DWAITS=1"
                                                     : "-DN_COUNTERS=" N_COUNTERS_TEXT " -DWAITS=0",
                         "ask");
    const bool is_valid = bench_hold(&contest, &desk, gravel_node(desk.gravel) == 0);
    clReleaseKernel(desk.kernel);
    must(gravel_close(desk.gravel), "gravel_close");
    return is_valid ? 0 : 1;
}
