/* SPDX-License-Identifier: MIT */
/*
 * bench-round: what a round of a bulk-synchronous application costs besides its messages.
 *
 *     mpirun --bind-to none -np 4 bench-round --runs 5
 *
 * `launch` is a kernel that does nothing and the wait for it, `reduce` and `barrier` those calls alone, and `round` all
 * of it: a kernel whose one work-group of 256 sends a message each to the next node, a barrier, a reduction. After each
 * run every counter must hold the number of rounds.
 *
 * `level` and `level_sum` are levels of a traversal, whose kernel counts at the next node what it finds there: the sum
 * over all nodes is learned by a barrier, a read and a reduction, or by a gravel_barrier_sum.
 * `barrier_read_reduce` and `barrier_sum` are the waits alone. Each level's sum must be 256 a node.
 *
 * Path:    options -> rounds over the variants, all nodes together -> bench_round.cl -> node 0 reports.
 * Memory:  the counters are in the symmetric heap, for the length of the process.
 * Threads: the main thread, and the library's own.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <string.h>

#define N_ITEMS 256u

extern const char bench_round_cl[];

struct place {
    struct gravel *gravel;
    cl_kernel nothing, count, find;
    uint64_t counters; /* heap offset of uint [N_ITEMS] */
    uint32_t n_rounds; /* of a run */
    uint64_t found;    /* by all nodes in this run's levels so far */
};

static uint32_t *map(const struct place *place, uint32_t n, cl_map_flags flags)
{
    void *memory;
    must(gravel_map(place->gravel, place->counters, n * sizeof(cl_uint), flags,
                    gravel_node(place->gravel), &memory),
         "gravel_map");
    return memory;
}

static void unmap(const struct place *place, const uint32_t *counters)
{
    must(gravel_unmap(place->gravel, (void *)(uintptr_t)counters), "gravel_unmap");
}

/* ---- the variants ---------------------------------------------------------------------------- */

static void launch(const struct place *place, cl_kernel kernel)
{
    const size_t n_items = N_ITEMS;
    must(gravel_launch(place->gravel, kernel, 1, &n_items, &n_items, 0, NULL, NULL),
         "gravel_launch");
}

static void one_launch(struct place *place)
{
    launch(place, place->nothing);
    must(gravel_fence(place->gravel), "gravel_fence");
}

static void one_reduce(struct place *place)
{
    uint64_t value = 1;
    must(gravel_reduce(place->gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1), "gravel_reduce");
}

static void one_barrier(struct place *place)
{
    must(gravel_barrier(place->gravel), "gravel_barrier");
}

static void one_round(struct place *place)
{
    launch(place, place->count);
    one_barrier(place);
    one_reduce(place);
}

/* What this level has found, of what was found before it: the counters grow. */
static uint64_t barrier_read_reduce(struct place *place)
{
    one_barrier(place);
    const uint32_t *counter = map(place, 1, CL_MAP_READ);
    uint64_t sum = *counter;
    unmap(place, counter);
    must(gravel_reduce(place->gravel, GRAVEL_ADD, GRAVEL_ULONG, &sum, 1), "gravel_reduce");
    uint64_t found = sum - place->found;
    place->found = sum;
    return found;
}

static uint64_t barrier_sum(struct place *place)
{
    uint64_t own, sum;
    must(gravel_barrier_sum(place->gravel, place->counters, 1, &own, &sum), "gravel_barrier_sum");
    return sum;
}

static void expect_found(uint64_t found, uint64_t due)
{
    must(found == due ? 0 : GRAVEL_EINVAL, "the sum of a level");
}

static void one_barrier_read_reduce(struct place *place)
{
    expect_found(barrier_read_reduce(place), 0);
}

static void one_barrier_sum(struct place *place)
{
    expect_found(barrier_sum(place), 0);
}

static void one_level(struct place *place)
{
    launch(place, place->find);
    expect_found(barrier_read_reduce(place), (uint64_t)N_ITEMS * gravel_n_nodes(place->gravel));
}

static void one_level_sum(struct place *place)
{
    launch(place, place->find);
    expect_found(barrier_sum(place), (uint64_t)N_ITEMS * gravel_n_nodes(place->gravel));
}

static const struct variant {
    const char *name;
    void (*one)(struct place *place);
} variants[] = {{"launch", one_launch},
                {"reduce", one_reduce},
                {"barrier", one_barrier},
                {"round", one_round},
                {"barrier_read_reduce", one_barrier_read_reduce},
                {"barrier_sum", one_barrier_sum},
                {"level", one_level},
                {"level_sum", one_level_sum}};
#define N_VARIANTS ((uint32_t)(sizeof variants / sizeof *variants))

/* ---- a run ----------------------------------------------------------------------------------- */

/* Of a counter, once a run has ended. */
static uint32_t due(const struct place *place, const struct variant *variant, uint32_t i)
{
    if (variant->one == one_round)
        return place->n_rounds;
    return variant->one == one_level && i == 0 ? place->n_rounds * N_ITEMS : 0;
}

/* Every message of every node came, and none twice. */
static bool holds(const struct place *place, const struct variant *variant)
{
    const uint32_t *counters = map(place, N_ITEMS, CL_MAP_READ);
    uint64_t n_wrong = 0;
    for (uint32_t i = 0; i < N_ITEMS; i++)
        n_wrong += counters[i] != due(place, variant, i);
    unmap(place, counters);
    must(gravel_reduce(place->gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_wrong, 1), "gravel_reduce");
    return n_wrong == 0;
}

static bool run(void *context, uint32_t subject, double *rate)
{
    struct place *place = context;
    const struct variant *variant = &variants[subject];
    uint32_t *counters = map(place, N_ITEMS, CL_MAP_WRITE_INVALIDATE_REGION);
    memset(counters, 0, N_ITEMS * sizeof *counters);
    unmap(place, counters);
    place->found = 0;
    one_barrier(place);
    double begin_s = bench_now();
    for (uint32_t i = 0; i < place->n_rounds; i++)
        variant->one(place);
    *rate = place->n_rounds / (bench_now() - begin_s);
    return holds(place, variant);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cl_kernel make_kernel(const struct place *place, cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    must(error == CL_SUCCESS ? gravel_kernel_set_arena(place->gravel, kernel, 0) : GRAVEL_ECL,
         name);
    return kernel;
}

static void open_place(struct place *place)
{
    cl_program program;
    must(gravel_open(&place->gravel, NULL, NULL), "gravel_open");
    must(gravel_alloc(place->gravel, N_ITEMS * sizeof(cl_uint), &place->counters), "gravel_alloc");
    must(gravel_program_build(place->gravel, "bench_round.cl", bench_round_cl, "", &program),
         "gravel_program_build");
    place->nothing = make_kernel(place, program, "nothing");
    place->count = make_kernel(place, program, "count");
    place->find = make_kernel(place, program, "find");
    clReleaseProgram(program);
    const cl_ulong counters = place->counters;
    const cl_uint node = (gravel_node(place->gravel) + 1) % gravel_n_nodes(place->gravel);
    const cl_kernel senders[] = {place->count, place->find};
    for (uint32_t i = 0; i < 2; i++) {
        clSetKernelArg(senders[i], 1, sizeof counters, &counters);
        clSetKernelArg(senders[i], 2, sizeof node, &node);
    }
}

static void report(const struct place *place, const struct bench_options *options,
                   const struct bench_subject *subject)
{
    double median = bench_median(subject->rates, options->runs);
    bench_report(options, "bench-round", "a second", subject,
                 json_pack("{si ss sf}", "nodes", (int)gravel_n_nodes(place->gravel), "step",
                           gravel_step(place->gravel), "microseconds", 1e6 / median));
}

int main(int argc, char **argv)
{
    static const struct bench_option own[] = {
        {"rounds", 'n', "Rounds of a run (200)", BENCH_COUNT(struct place, n_rounds, 1, 1000000)},
        {0}};
    static struct bench_subject subjects[N_VARIANTS];
    static struct place place = {.n_rounds = 200};
    struct bench_options options = BENCH_OPTIONS_INIT;
    bench_parse(argc, argv, "What a round costs besides messages.", own, &place, &options);
    open_place(&place);
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        double rate; /* kernels are compiled at their first launch */
        run(&place, i, &rate);
        subjects[i] = (struct bench_subject){.variant = variants[i].name};
    }
    bench_rounds(subjects, N_VARIANTS, options.runs, run, &place);
    for (uint32_t i = 0; i < N_VARIANTS && gravel_node(place.gravel) == 0; i++)
        if (bench_variant_is_wanted(&options, variants[i].name))
            report(&place, &options, &subjects[i]);
    clReleaseKernel(place.nothing);
    clReleaseKernel(place.count);
    clReleaseKernel(place.find);
    must(gravel_close(place.gravel), "gravel_close");
    return 0;
}
