/* SPDX-License-Identifier: MIT */
/*
 * bench-session: what sessions are worth to a kernel that sends in bursts, to all nodes.
 *
 *     mpirun --oversubscribe --bind-to none -np 32 bench-session --runs 3
 *
 * `none` has no session, `host` has one around launch and barrier, `kernel` one of each work-group. The rate is in
 * messages a second of all nodes together; `frame_bytes` is the mean length of a node buffer that was sent. After each
 * run the counters' sum must be the number of messages.
 *
 * Path:    options -> rounds over the variants, all nodes together -> bench_session.cl -> node 0 reports.
 * Memory:  counters and what kernels compute are in the symmetric heap, for the length of the process.
 * Threads: the main thread, and the library's own.
 * Source:  OpenSHMEM 1.6, shmem_session_start with SHMEM_CTX_SESSION_BATCH.
 */
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"

#define GROUP_ITEMS 64u

extern const char bench_session_cl[];

enum { WITHOUT, BY_HOST, BY_KERNEL, N_VARIANTS };
static const struct bench_variant variants[N_VARIANTS] = {
    {"none", "messages/s"}, {"host", "messages/s"}, {"kernel", "messages/s"}};

struct place {
    struct gravel *gravel;
    cl_kernel bursts;
    uint64_t counters, wastes;      /* heap offsets of uint [n_items] */
    uint32_t n_groups, n_items;     /* work-groups; messages of a burst */
    uint32_t n_bursts, rest;        /* bursts of a run; rounds of mix */
    double frame_bytes[N_VARIANTS]; /* mean length of the frames of a variant's last run */
};

/* ---- a run ----------------------------------------------------------------------------------- */

/* Returns the mean length of frames over all nodes. */
static double mean_frame(const struct place *place)
{
    struct gravel_stats stats;
    must(gravel_stats_read(place->gravel, &stats, sizeof stats, GRAVEL_ALL_NODES),
         "gravel_stats_read");
    const uint64_t bytes = bench_add_up(place->gravel, stats.buffer_bytes);
    const uint64_t n = bench_add_up(place->gravel, stats.sent_buffers);
    return n ? (double)bytes / (double)n : 0;
}

static bool run(void *context, uint32_t variant, double *rate)
{
    struct place *place = context;
    const cl_uint has_session = variant == BY_KERNEL;
    bench_set_bytes(place->gravel, place->counters, 0, 4 * (uint64_t)place->n_items);
    bench_set_uints(place->bursts, 5, &has_session, 1);
    must(gravel_stats_reset(place->gravel), "gravel_stats_reset");
    must(gravel_barrier(place->gravel), "gravel_barrier");
    const double begin_s = bench_now();
    if (variant == BY_HOST)
        must(gravel_session_begin(place->gravel), "gravel_session_begin");
    bench_launch(place->gravel, place->bursts, place->n_items, GROUP_ITEMS);
    if (variant == BY_HOST)
        must(gravel_session_end(place->gravel), "gravel_session_end");
    const uint64_t n_messages =
        (uint64_t)place->n_items * place->n_bursts * bench_n_senders(place->gravel);
    *rate = (double)n_messages / (bench_now() - begin_s);
    place->frame_bytes[variant] = mean_frame(place);
    const uint64_t n_come = bench_sum_words(place->gravel, place->counters, place->n_items);
    return bench_add_up(place->gravel, n_come) == n_messages;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void open_place(struct place *place)
{
    place->n_items = GROUP_ITEMS * place->n_groups;
    must(gravel_open(&place->gravel, NULL, NULL), "gravel_open");
    place->counters = bench_alloc(place->gravel, 4 * (uint64_t)place->n_items);
    place->wastes = bench_alloc(place->gravel, 4 * (uint64_t)place->n_items);
    place->bursts = bench_one_kernel(place->gravel, bench_session_cl, "", "bursts");
    bench_set_ulongs(place->bursts, 1, (cl_ulong[]){place->counters, place->wastes}, 2);
    bench_set_uints(place->bursts, 3, (cl_uint[]){place->n_bursts, place->rest}, 2);
}

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct place *place = context;
    (void)median;
    return json_pack("{si ss si si si sf}", "nodes", (int)gravel_n_nodes(place->gravel), "step",
                     gravel_step(place->gravel), "items", (int)place->n_items, "bursts",
                     (int)place->n_bursts, "rest", (int)place->rest, "frame_bytes",
                     place->frame_bytes[variant]);
}

static const struct bench_contest contest = {.name = "bench-session",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .fields = fields,
                                             .has_ratio = bench_to_first};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"groups", 'g', "N", "work-groups of 64, each work-item a message of a burst (4)",
         OPTION_NUMBER(struct place, n_groups, 1, 1u << 24)},
        {"bursts", 'n', "N", "bursts of a run (200)",
         OPTION_NUMBER(struct place, n_bursts, 1, 1u << 24)},
        {"rest", 'w', "N", "rounds of computing behind each burst (1000)",
         OPTION_NUMBER(struct place, rest, 0, 1u << 24)},
        {0}};
    static struct place place = {.n_groups = 4, .n_bursts = 200, .rest = 1000};
    bench_parse(argc, argv, "Messages a second of a kernel that sends in bursts.", own, &place);
    open_place(&place);
    const bool is_valid = bench_hold(&contest, &place, gravel_node(place.gravel) == 0);
    clReleaseKernel(place.bursts);
    must(gravel_close(place.gravel), "gravel_close");
    return is_valid ? 0 : 1;
}
