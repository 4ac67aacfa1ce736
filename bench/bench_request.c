/* SPDX-License-Identifier: MIT */
/*
 * bench-request: how long a request takes there and back, and how many a second many groups get answered.
 *
 *     mpirun --bind-to none -np 2 bench-request --runs 5
 *
 * Every node draws numbers (fetch_add) at the next one: `round-trip` is one group that waits for every answer,
 * `split-phase` many groups that send 16 requests a work-item before they wait. After each run the counters' sum and
 * the signals must be the number of requests.
 *
 * Path:    options -> rounds over the variants, all nodes together -> bench_request.cl -> node 0 reports.
 * Memory:  all of it in the symmetric heap, for the length of the process.
 * Threads: the main thread, and the library's own.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <string.h>

#define N_COUNTERS 4096u
#define N_COUNTERS_TEXT "4096u"
#define MAX_ITEMS (1u << 16)

extern const char bench_request_cl[];

struct variant {
    const char *name, *unit;
    uint32_t n_groups, group, rounds, depth;
};

static const struct variant variants[] = {
    {"round-trip-1", "round trips/s", 1, 1, 1000, 1},
    {"round-trip-256", "round trips/s", 1, 256, 1000, 1},
    {"split-phase-256", "requests/s", 256, 256, 4, 16},
};
#define N_VARIANTS ((uint32_t)(sizeof variants / sizeof *variants))

struct desk {
    struct gravel *gravel;
    cl_kernel kernel;
    uint64_t counters, answers, signals;
    bool waits;
};

/* ---- a run ----------------------------------------------------------------------------------- */

static void clear(const struct desk *desk, uint64_t offset, uint64_t bytes)
{
    void *memory;
    must(gravel_map(desk->gravel, offset, bytes, CL_MAP_WRITE_INVALIDATE_REGION,
                    gravel_node(desk->gravel), &memory),
         "gravel_map");
    memset(memory, 0, bytes);
    must(gravel_unmap(desk->gravel, memory), "gravel_unmap");
}

static void set_arguments(const struct desk *desk, const struct variant *variant)
{
    const cl_uint node = (gravel_node(desk->gravel) + 1) % gravel_n_nodes(desk->gravel);
    const cl_ulong offsets[] = {desk->counters, desk->answers, desk->signals};
    const cl_uint counts[] = {variant->rounds, variant->depth, node};
    for (cl_uint i = 0; i < 3; i++) {
        clSetKernelArg(desk->kernel, 1 + i, sizeof offsets[i], &offsets[i]);
        clSetKernelArg(desk->kernel, 4 + i, sizeof counts[i], &counts[i]);
    }
}

/* Every request of all nodes raised a counter somewhere, and a signal at home. */
static bool holds(const struct desk *desk, const struct variant *variant)
{
    uint64_t per_group = (uint64_t)variant->group * variant->rounds * variant->depth;
    uint64_t sums[2] = {0, 0},
             wanted = per_group * variant->n_groups * gravel_n_nodes(desk->gravel);
    void *memory;
    uint32_t node = gravel_node(desk->gravel);
    must(gravel_map(desk->gravel, desk->counters, 8 * N_COUNTERS, CL_MAP_READ, node, &memory),
         "gravel_map");
    for (uint32_t i = 0; i < N_COUNTERS; i++)
        sums[0] += ((const uint64_t *)memory)[i];
    gravel_unmap(desk->gravel, memory);
    must(gravel_map(desk->gravel, desk->signals, 4 * variant->n_groups, CL_MAP_READ, node, &memory),
         "gravel_map");
    for (uint32_t i = 0; i < variant->n_groups; i++)
        sums[1] += ((const uint32_t *)memory)[i] == per_group ? per_group : 0;
    gravel_unmap(desk->gravel, memory);
    must(gravel_reduce(desk->gravel, GRAVEL_ADD, GRAVEL_ULONG, sums, 2), "gravel_reduce");
    return sums[0] == wanted && sums[1] == wanted;
}

static bool run(void *context, uint32_t subject, double *rate)
{
    const struct desk *desk = context;
    const struct variant *variant = &variants[subject];
    size_t local_size = variant->group, global_size = (size_t)variant->n_groups * variant->group;
    clear(desk, desk->counters, 8 * N_COUNTERS);
    clear(desk, desk->signals, 4 * MAX_ITEMS);
    set_arguments(desk, variant);
    must(gravel_barrier(desk->gravel), "gravel_barrier");
    double begin_s = bench_now();
    must(gravel_launch(desk->gravel, desk->kernel, 1, &global_size, &local_size, 0, NULL, NULL),
         "gravel_launch");
    must(gravel_barrier(desk->gravel), "gravel_barrier");
    double seconds = bench_now() - begin_s;
    bool is_trip = !strncmp(variant->name, "round", 5);
    *rate = (is_trip ? variant->rounds
                     : (double)global_size * variant->rounds * variant->depth *
                           gravel_n_nodes(desk->gravel)) /
            seconds;
    return holds(desk, variant);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_desk(struct desk *desk)
{
    cl_program program;
    cl_int error;
    must(gravel_open(&desk->gravel, NULL, NULL), "gravel_open");
    desk->waits = strcmp(gravel_step(desk->gravel), "drain") != 0;
    must(gravel_alloc(desk->gravel, 8 * N_COUNTERS, &desk->counters), "gravel_alloc");
    must(gravel_alloc(desk->gravel, 8 * MAX_ITEMS, &desk->answers), "gravel_alloc");
    must(gravel_alloc(desk->gravel, 4 * MAX_ITEMS, &desk->signals), "gravel_alloc");
    must(gravel_program_build(desk->gravel, "bench_request.cl", bench_request_cl,
                              desk->waits ? "-DN_COUNTERS=" N_COUNTERS_TEXT " -DWAITS=1"
                                          : "-DN_COUNTERS=" N_COUNTERS_TEXT " -DWAITS=0",
                              &program),
         "gravel_program_build");
    desk->kernel = clCreateKernel(program, "ask", &error);
    must(error == CL_SUCCESS ? gravel_kernel_set_arena(desk->gravel, desk->kernel, 0) : GRAVEL_ECL,
         "clCreateKernel");
    clReleaseProgram(program);
}

static void report(const struct desk *desk, const struct bench_options *options,
                   struct bench_subject *subjects, const uint32_t *which, uint32_t n)
{
    for (uint32_t i = 0; i < n && gravel_node(desk->gravel) == 0; i++)
        bench_report(options, "bench-request", variants[which[i]].unit, &subjects[i],
                     json_pack("{si ss si}", "nodes", (int)gravel_n_nodes(desk->gravel), "step",
                               gravel_step(desk->gravel), "work_group",
                               (int)variants[which[i]].group));
}

struct wanted {
    struct desk desk;
    uint32_t which[N_VARIANTS];
};

static bool run_wanted(void *context, uint32_t subject, double *rate)
{
    struct wanted *wanted = context;
    return run(&wanted->desk, wanted->which[subject], rate);
}

int main(int argc, char **argv)
{
    static struct bench_subject subjects[N_VARIANTS];
    static struct wanted wanted;
    struct bench_options options = BENCH_OPTIONS_INIT;
    argp_parse(&bench_argp, argc, argv, 0, NULL, &options);
    open_desk(&wanted.desk);
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        bool is_trip = !strncmp(variants[i].name, "round", 5);
        if (!bench_variant_is_wanted(&options, variants[i].name) || (is_trip && !wanted.desk.waits))
            continue;
        double rate; /* the kernel is compiled at its first launch of a size */
        run(&wanted.desk, i, &rate);
        subjects[n] = (struct bench_subject){.variant = variants[i].name};
        wanted.which[n++] = i;
    }
    bench_rounds(subjects, n, options.runs, run_wanted, &wanted);
    report(&wanted.desk, &options, subjects, wanted.which, n);
    clReleaseKernel(wanted.desk.kernel);
    must(gravel_close(wanted.desk.gravel), "gravel_close");
    return 0;
}
