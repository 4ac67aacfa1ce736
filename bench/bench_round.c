/* SPDX-License-Identifier: MIT */
/*
 * bench-round: what a round of a bulk-synchronous application costs besides its messages.
 *
 *     mpirun --bind-to none -np 4 bench-round --runs 5
 *
 * `launch` is a kernel that does nothing and the wait for it, `reduce` and `barrier` those calls alone, and `round` all
 * of it: a kernel whose one work-group of 256 sends a message each to the next node, a barrier, a reduction. After each
 * run the counters' sum must be the number of messages.
 *
 * `level` and `level_sum` are levels of a traversal, whose kernel counts at the next node what it finds there: the sum
 * over all nodes is learned by a barrier, a read and a reduction, or by a gravel_barrier_sum.
 * `barrier_read_reduce` and `barrier_sum` are the waits alone. Each level's sum must be 256 a node.
 *
 * `stay` is level_sum as rounds (gravel/rounds.h), whose kernel stays on the device where it can: 256 messages of a node
 * are 4 kB; `stay_none` sends none, `stay_60k` and `stay_1m` send 60 kB and 1 MB.
 *
 * Path:    options -> rounds over the variants, all nodes together -> bench_round.cl -> node 0 reports.
 * Memory:  the counters are in the symmetric heap, for the length of the process.
 * Threads: the main thread, and the library's own.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <gravel/rounds.h>

#define N_ITEMS 256u
#define N_COUNTERS 65536u /* messages of 1 MB: on the way to another node each has 16 bytes */

extern const char bench_round_cl[];

struct place {
    struct gravel *gravel;
    cl_kernel nothing, count, find;
    struct gravel_rounds *staying;
    cl_kernel stay;    /* of them */
    uint64_t counters; /* heap offset of uint [N_COUNTERS] */
    uint32_t n_rounds; /* of a run */
    uint64_t found;    /* by all nodes in this run's levels so far */
};

/* ---- the variants ---------------------------------------------------------------------------- */

static void barrier(const struct place *place)
{
    must(gravel_barrier(place->gravel), "gravel_barrier");
}

static void launch(const struct place *place, cl_kernel kernel)
{
    const size_t n_items = N_ITEMS;
    must(gravel_launch(place->gravel, kernel, 1, &n_items, &n_items, 0, NULL, NULL),
         "gravel_launch");
}

/* Returns what this level has found; the counters keep what was found before it. */
static uint64_t barrier_read_reduce(struct place *place)
{
    barrier(place);
    const uint32_t *counter =
        bench_map(place->gravel, place->counters, 4, CL_MAP_READ, gravel_node(place->gravel));
    const uint64_t own = *counter;
    bench_unmap(place->gravel, counter);
    const uint64_t sum = bench_add_up(place->gravel, own);
    const uint64_t found = sum - place->found;
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

static const struct bench_variant variants[] = {{"launch", "a second"},
                                                {"reduce", "a second"},
                                                {"barrier", "a second"},
                                                {"round", "a second"},
                                                {"barrier_read_reduce", "a second"},
                                                {"barrier_sum", "a second"},
                                                {"level", "a second"},
                                                {"level_sum", "a second"},
                                                {"stay", "a second"},
                                                {"stay_none", "a second"},
                                                {"stay_60k", "a second"},
                                                {"stay_1m", "a second"}};
enum {
    LAUNCH,
    REDUCE,
    BARRIER,
    ROUND,
    BARRIER_READ_REDUCE,
    BARRIER_SUM,
    LEVEL,
    LEVEL_SUM,
    STAY,
    STAY_NONE,
    STAY_60K,
    STAY_1M,
    N_VARIANTS
};

/* Messages of a node in a round. */
static const cl_uint n_staying[N_VARIANTS] = {
    [STAY] = N_ITEMS, [STAY_60K] = 60 * 1024 / 16, [STAY_1M] = N_COUNTERS};

static void do_once(struct place *place, uint32_t variant)
{
    const uint64_t n_found = (uint64_t)N_ITEMS * gravel_n_nodes(place->gravel);
    switch (variant) {
    case LAUNCH:
        launch(place, place->nothing);
        must(gravel_fence(place->gravel), "gravel_fence");
        break;
    case REDUCE:
        bench_add_up(place->gravel, 1);
        break;
    case BARRIER:
        barrier(place);
        break;
    case ROUND:
        launch(place, place->count);
        barrier(place);
        bench_add_up(place->gravel, 1);
        break;
    case BARRIER_READ_REDUCE:
        expect_found(barrier_read_reduce(place), 0);
        break;
    case BARRIER_SUM:
        expect_found(barrier_sum(place), 0);
        break;
    case LEVEL:
        launch(place, place->find);
        expect_found(barrier_read_reduce(place), n_found);
        break;
    case LEVEL_SUM:
        launch(place, place->find);
        expect_found(barrier_sum(place), n_found);
        break;
    }
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void stay(struct place *place, cl_uint n)
{
    struct gravel_rounds_ended ended;
    bench_set_uints(place->stay, 4, &n, 1);
    must(gravel_rounds_run(place->staying, n ? GRAVEL_UNTIL_ZERO : GRAVEL_UNTIL_MOST,
                           place->n_rounds, &ended, sizeof ended),
         "gravel_rounds_run");
    expect_found(ended.sum, (uint64_t)n * gravel_n_nodes(place->gravel));
    expect_found(ended.n_rounds, place->n_rounds);
}

static bool run(void *context, uint32_t variant, double *rate)
{
    struct place *place = context;
    bench_set_bytes(place->gravel, place->counters, 0, 4 * N_COUNTERS);
    place->found = 0;
    barrier(place);
    double begin_s = bench_now();
    if (variant >= STAY)
        stay(place, n_staying[variant]);
    for (uint32_t i = 0; i < place->n_rounds && variant < STAY; i++)
        do_once(place, variant);
    *rate = place->n_rounds / (bench_now() - begin_s);
    const uint64_t n_each = variant == ROUND || variant == LEVEL ? N_ITEMS : n_staying[variant];
    const bool is_right = bench_sum_words(place->gravel, place->counters, N_COUNTERS) ==
                          (uint32_t)(place->n_rounds * n_each);
    return bench_add_up(place->gravel, !is_right) == 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_place(struct place *place)
{
    must(gravel_open(&place->gravel, NULL, NULL), "gravel_open");
    place->counters = bench_alloc(place->gravel, 4 * N_COUNTERS);
    cl_program program = bench_build(place->gravel, "bench_round.cl", bench_round_cl, "");
    place->nothing = bench_kernel(place->gravel, program, "nothing");
    place->count = bench_kernel(place->gravel, program, "count");
    place->find = bench_kernel(place->gravel, program, "find");
    clReleaseProgram(program);
    const cl_ulong counters = place->counters;
    const cl_uint node = bench_next_node(place->gravel);
    const cl_kernel senders[] = {place->count, place->find};
    for (uint32_t i = 0; i < 2; i++) {
        bench_set_ulongs(senders[i], 1, &counters, 1);
        bench_set_uints(senders[i], 2, &node, 1);
    }
}

static void open_rounds(struct place *place)
{
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "bench_round.cl", .source = bench_round_cl,
                              .function = "stay");
    must(gravel_rounds_create(&place->staying, place->gravel, &program), "gravel_rounds_create");
    must(gravel_rounds_kernel(place->staying, &place->stay), "gravel_rounds_kernel");
    const cl_ulong counters = place->counters;
    const cl_uint node = bench_next_node(place->gravel);
    bench_set_ulongs(place->stay, 2, &counters, 1);
    bench_set_uints(place->stay, 3, &node, 1);
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct place *place = context;
    (void)variant;
    return json_pack("{si ss sf}", "nodes", (int)gravel_n_nodes(place->gravel), "step",
                     gravel_step(place->gravel), "microseconds", 1e6 / median);
}

static const struct bench_contest contest = {.name = "bench-round",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .fields = fields};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {{"rounds", 'n', "N", "Rounds of a run (200)",
                                             OPTION_NUMBER(struct place, n_rounds, 1, 1000000)},
                                            {0}};
    static struct place place = {.n_rounds = 200};
    bench_parse(argc, argv, "What a round costs besides messages.", own, &place);
    open_place(&place);
    open_rounds(&place);
    const bool is_valid = bench_hold(&contest, &place, gravel_node(place.gravel) == 0);
    must(gravel_rounds_destroy(place.staying), "gravel_rounds_destroy");
    clReleaseKernel(place.stay);
    clReleaseKernel(place.nothing);
    clReleaseKernel(place.count);
    clReleaseKernel(place.find);
    must(gravel_close(place.gravel), "gravel_close");
    return is_valid ? 0 : 1;
}
