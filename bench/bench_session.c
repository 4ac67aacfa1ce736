/* SPDX-License-Identifier: MIT */
/*
 * bench-session: what sessions are worth to a kernel that sends in bursts, to all nodes.
 *
 *     mpirun --oversubscribe --bind-to none -np 32 bench-session --runs 3
 *
 * `none` has no session, `host` has one around launch and barrier, `kernel` one of each work-group. The rate is in
 * messages a second of all nodes together; `frame_bytes` is the mean length of a node buffer that was sent. After each
 * run every counter of every node must hold the number of bursts.
 *
 * Path:    options -> rounds over the variants, all nodes together -> bench_session.cl -> node 0 reports.
 * Memory:  counters and what kernels compute are in the symmetric heap, for the length of the process.
 * Threads: the main thread, and the library's own.
 * Source:  OpenSHMEM 1.6, shmem_session_start with SHMEM_CTX_SESSION_BATCH.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#include <string.h>

#define GROUP_ITEMS 64u

extern const char bench_session_cl[];

struct place {
    struct gravel *gravel;
    cl_kernel bursts;
    uint64_t counters, wastes;  /* heap offsets of uint [n_items] */
    uint64_t n_senders;         /* nodes that run this program: one of GRAVEL_LOOPBACK's */
    uint32_t n_groups, n_items; /* work-groups; messages of a burst */
    uint32_t n_bursts, rest;    /* bursts of a run; rounds of mix */
};

/* ---- the variants ---------------------------------------------------------------------------- */

static void launch_and_wait(const struct place *place, cl_uint has_session)
{
    const size_t n_items = place->n_items, n_group = GROUP_ITEMS;
    must(clSetKernelArg(place->bursts, 5, sizeof has_session, &has_session) ? GRAVEL_ECL : 0,
         "clSetKernelArg");
    must(gravel_launch(place->gravel, place->bursts, 1, &n_items, &n_group, 0, NULL, NULL),
         "gravel_launch");
    must(gravel_barrier(place->gravel), "gravel_barrier");
}

static void without(const struct place *place)
{
    launch_and_wait(place, 0);
}

static void by_host(const struct place *place)
{
    must(gravel_session_begin(place->gravel), "gravel_session_begin");
    launch_and_wait(place, 0);
    must(gravel_session_end(place->gravel), "gravel_session_end");
}

static void by_kernel(const struct place *place)
{
    launch_and_wait(place, 1);
}

static const struct variant {
    const char *name;
    void (*one)(const struct place *place);
} variants[] = {{"none", without}, {"host", by_host}, {"kernel", by_kernel}};
#define N_VARIANTS ((uint32_t)(sizeof variants / sizeof *variants))

/* ---- a run ----------------------------------------------------------------------------------- */

/* Subjects and the mean length of their frames in the last run [bytes]. */
struct contest {
    struct place place;
    const struct variant *variants[N_VARIANTS];
    double frame_bytes[N_VARIANTS];
    uint32_t n_variants;
};

static uint32_t *map(const struct place *place, uint32_t node, cl_map_flags flags)
{
    void *memory;
    must(gravel_map(place->gravel, place->counters, place->n_items * sizeof(cl_uint), flags, node,
                    &memory),
         "gravel_map");
    return memory;
}

/* Nodes whose counters are here: this one, or all of GRAVEL_LOOPBACK. */
static uint32_t end_of_own(const struct place *place)
{
    return place->n_senders == 1 ? gravel_n_nodes(place->gravel) : gravel_node(place->gravel) + 1;
}

static void clear(const struct place *place)
{
    for (uint32_t node = gravel_node(place->gravel); node < end_of_own(place); node++) {
        uint32_t *counters = map(place, node, CL_MAP_WRITE_INVALIDATE_REGION);
        memset(counters, 0, place->n_items * sizeof *counters);
        must(gravel_unmap(place->gravel, counters), "gravel_unmap");
    }
    must(gravel_stats_reset(place->gravel), "gravel_stats_reset");
    must(gravel_barrier(place->gravel), "gravel_barrier");
}

/* Over all nodes. */
static double mean_frame(const struct place *place)
{
    struct gravel_stats stats;
    must(gravel_stats_read(place->gravel, &stats, sizeof stats, GRAVEL_ALL_NODES),
         "gravel_stats_read");
    uint64_t sums[2] = {stats.buffer_bytes, stats.sent_buffers};
    must(gravel_reduce(place->gravel, GRAVEL_ADD, GRAVEL_ULONG, sums, 2), "gravel_reduce");
    return sums[1] ? (double)sums[0] / (double)sums[1] : 0;
}

/* Of all nodes' bursts of one number, one sends to a counter; of a single sender's, each n-th does. */
static uint32_t expected_of(const struct place *place, uint32_t node, uint32_t i)
{
    const uint32_t n = gravel_n_nodes(place->gravel);
    const uint32_t first = (node + n - (i + gravel_node(place->gravel)) % n) % n;
    if (place->n_senders == n)
        return place->n_bursts;
    return first < place->n_bursts ? (place->n_bursts - first - 1) / n + 1 : 0;
}

/* Every message of every node came, and none twice. */
static bool holds(const struct place *place)
{
    uint64_t n_wrong = 0;
    for (uint32_t node = gravel_node(place->gravel); node < end_of_own(place); node++) {
        uint32_t *counters = map(place, node, CL_MAP_READ);
        for (uint32_t i = 0; i < place->n_items; i++)
            n_wrong += counters[i] != expected_of(place, node, i);
        must(gravel_unmap(place->gravel, counters), "gravel_unmap");
    }
    must(gravel_reduce(place->gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_wrong, 1), "gravel_reduce");
    return n_wrong == 0;
}

static bool run(void *context, uint32_t subject, double *rate)
{
    struct contest *contest = context;
    const struct place *place = &contest->place;
    clear(place);
    double begin_s = bench_now();
    contest->variants[subject]->one(place);
    double seconds = bench_now() - begin_s;
    *rate = (double)place->n_items * place->n_bursts * (double)place->n_senders / seconds;
    contest->frame_bytes[subject] = mean_frame(place);
    return holds(place);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void make_kernel(struct place *place)
{
    cl_program program;
    cl_int error;
    must(gravel_program_build(place->gravel, "bench_session.cl", bench_session_cl, "", &program),
         "gravel_program_build");
    place->bursts = clCreateKernel(program, "bursts", &error);
    must(error == CL_SUCCESS ? gravel_kernel_set_arena(place->gravel, place->bursts, 0)
                             : GRAVEL_ECL,
         "bursts");
    clReleaseProgram(program);
    const cl_ulong offsets[] = {place->counters, place->wastes};
    const cl_uint counts[] = {place->n_bursts, place->rest};
    for (cl_uint i = 0; i < 2; i++) {
        error = error ? error : clSetKernelArg(place->bursts, 1 + i, sizeof *offsets, &offsets[i]);
        error = error ? error : clSetKernelArg(place->bursts, 3 + i, sizeof *counts, &counts[i]);
    }
    must(error == CL_SUCCESS ? 0 : GRAVEL_ECL, "clSetKernelArg");
}

static void open_place(struct place *place)
{
    place->n_items = GROUP_ITEMS * place->n_groups;
    const uint64_t bytes = place->n_items * sizeof(cl_uint);
    must(gravel_open(&place->gravel, NULL, NULL), "gravel_open");
    place->n_senders = 1;
    must(gravel_reduce(place->gravel, GRAVEL_ADD, GRAVEL_ULONG, &place->n_senders, 1),
         "gravel_reduce");
    must(gravel_alloc(place->gravel, bytes, &place->counters), "gravel_alloc");
    must(gravel_alloc(place->gravel, bytes, &place->wastes), "gravel_alloc");
    make_kernel(place);
}

static json_t *fields_of(const struct contest *contest, double frame_bytes)
{
    const struct place *place = &contest->place;
    return json_pack("{si ss si si si sf}", "nodes", (int)gravel_n_nodes(place->gravel), "step",
                     gravel_step(place->gravel), "items", (int)place->n_items, "bursts",
                     (int)place->n_bursts, "rest", (int)place->rest, "frame_bytes", frame_bytes);
}

/* Frames by the first variant's, too, which is the one without a session if it takes part. */
static void report(const struct contest *contest, const struct bench_options *options,
                   const struct bench_subject *subjects)
{
    for (uint32_t i = 0; i < contest->n_variants; i++)
        bench_report(options, "bench-session", "messages/s", &subjects[i],
                     fields_of(contest, contest->frame_bytes[i]));
    for (uint32_t i = 1; i < contest->n_variants; i++)
        bench_report_ratio(options, "bench-session", &subjects[i], &subjects[0],
                           fields_of(contest, contest->frame_bytes[i]));
}

/* ---- options --------------------------------------------------------------------------------- */

/* @return false, after a message, if a name is unknown. */
static bool choose_variants(const struct bench_options *options, struct contest *contest)
{
    const char *names[N_VARIANTS];
    char unknown[64];
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        names[i] = variants[i].name;
        if (bench_variant_is_wanted(options, names[i]))
            contest->variants[contest->n_variants++] = &variants[i];
    }
    if (!bench_variant_unknown(options, names, N_VARIANTS, unknown))
        return true;
    fprintf(stderr, "bench-session: no variant '%s'; there are none, host and kernel\n", unknown);
    return false;
}

int main(int argc, char **argv)
{
    static const struct bench_option own[] = {
        {"groups", 'g', "work-groups of 64, each work-item a message of a burst (4)",
         BENCH_COUNT(struct place, n_groups, 1, 1u << 24)},
        {"bursts", 'n', "bursts of a run (200)", BENCH_COUNT(struct place, n_bursts, 1, 1u << 24)},
        {"rest", 'w', "rounds of computing behind each burst (1000)",
         BENCH_COUNT(struct place, rest, 0, 1u << 24)},
        {0}};
    static struct bench_subject subjects[N_VARIANTS];
    static struct contest contest = {.place = {.n_groups = 4, .n_bursts = 200, .rest = 1000}};
    struct bench_options options = BENCH_OPTIONS_INIT;
    bool is_valid = true;
    bench_parse(argc, argv, "Messages a second of a kernel that sends in bursts.", own,
                &contest.place, &options);
    if (!choose_variants(&options, &contest))
        return 1;
    open_place(&contest.place);
    for (uint32_t i = 0; i < contest.n_variants; i++) {
        double rate; /* the kernel is compiled at its first launch */
        run(&contest, i, &rate);
        subjects[i] = (struct bench_subject){.variant = contest.variants[i]->name};
    }
    bench_rounds(subjects, contest.n_variants, options.runs, run, &contest);
    for (uint32_t i = 0; i < contest.n_variants; i++)
        is_valid &= subjects[i].is_valid;
    if (gravel_node(contest.place.gravel) == 0)
        report(&contest, &options, subjects);
    clReleaseKernel(contest.place.bursts);
    must(gravel_close(contest.place.gravel), "gravel_close");
    return is_valid ? 0 : 1;
}
