/* SPDX-License-Identifier: MIT */
/*
 * bench-aggregation: messages a second from a running kernel to closed node buffers on the host, by
 * number of destinations and by who bins them.
 *
 *     GRAVEL_DEVICE=... bench-aggregation [--destinations 2,4,8,16,32,64] [--json]
 *
 *     host         step pump copies packages, a CPU thread bins them message by message
 *     device       step pump has kernels bin them, a CPU thread copies the parts (section 5.6.1);
 *                  on GPUs runs worth it, and binned_share tells how many messages that were
 *     simt-direct  the sending work-groups bin; nothing is sent while a launch runs (section 3.2.2)
 *
 * All send from the same work-groups. Those of host and device wait for room, and are launched in
 * slices as gravel_launch does; those of simt-direct wait for nothing, and are launched whole.
 *
 * Node buffers come home at once. Every run checks how many messages each destination got; one
 * before the rounds also checks the sum of their indices.
 *
 * Path:    options -> cases (destinations) -> rounds over variants -> reports.
 * Memory:  everything lives for one case; host and device have an arena, a pump and an aggregator
 *          each.
 * Source:  Orr 2016, sections 3.2.2 and 5.6.1.
 */
#include "aggregation.h"
#include "bench.h"
#include "opencl/program.h"
#include "self_test/self_test.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICES 4u             /* of a run */
#define N_MESSAGES (1u << 28) /* of a run on a GPU */
#define CPU_N_MESSAGES (1u << 21)

extern const char bench_aggregation_cl[];

struct options {
    struct bench_options common;
    uint32_t destinations[BENCH_MAX_LIST], n_destinations;
};

struct contest {
    struct aggregation_case common;
    struct aggregation_path paths[2];
    struct aggregation_direct *direct;
};

static const char *const variants[] = {"host", "device", "simt-direct"};

static double now(void)
{
    return (double)gravel_clock_ns() * 1e-9;
}

void aggregation_die(const char *what, int code)
{
    fprintf(stderr, "bench-aggregation: %s: %s: %s\n", what, gravel_strerror(code),
            gravel_last_error());
    exit(EXIT_FAILURE);
}

void aggregation_must(const char *what, cl_int error)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "bench-aggregation: %s: OpenCL error %d\n", what, error);
        exit(EXIT_FAILURE);
    }
}

/* ---- the sink -------------------------------------------------------------------------------- */

/* A buffer would travel now. Its runs are all of one command. */
static void receive(void *context, struct gravel_buffer *buffer)
{
    struct aggregation_sink *sink = context;
    const struct gravel_frame *frame = buffer->frame;
    const unsigned char *at = (const unsigned char *)(frame + 1);
    const unsigned char *end = (const unsigned char *)frame + frame->bytes;
    sink->counts[frame->destination] += frame->n_messages;
    while (sink->adds && at < end) {
        const struct gravel_run *run = (const void *)at;
        const uint32_t *indices = (const void *)(run + 1);
        for (uint32_t i = 0; i < run->n_messages; i++)
            sink->sums[frame->destination] += indices[i];
        at += GRAVEL_RUN_BYTES(run->command, run->n_messages);
    }
    gravel_pool_return(buffer);
}

struct gravel_sender *aggregation_sender(struct aggregation_case *contest,
                                         struct aggregation_sink *sink)
{
    struct gravel_sender *sender;
    const struct gravel_sender_shape shape = {.n_nodes = contest->n_nodes,
                                              .buffer_bytes = AGGREGATION_BUFFER_BYTES,
                                              .n_buffers = 2 * contest->n_nodes,
                                              .flush_ns = GRAVEL_NS_PER_S,
                                              .ship = receive,
                                              .context = sink,
                                              .failure = &contest->failure};
    int code = gravel_sender_create(&sender, &shape);
    if (code)
        aggregation_die("sender", code);
    return sender;
}

static void expect_messages(struct aggregation_case *common)
{
    uint32_t n = common->n_groups * AGGREGATION_GROUP * common->rounds;
    memset(common->counts, 0, sizeof common->counts);
    memset(common->sums, 0, sizeof common->sums);
    for (uint32_t number = 0; number < n; number++) {
        uint32_t node = (uint32_t)((uint64_t)(number * 2654435761u) * common->n_nodes >> 32);
        common->counts[node]++;
        common->sums[node] += number;
    }
}

/* Whether all has arrived; forgets it. */
static bool check(const struct aggregation_case *common, struct aggregation_sink *sink)
{
    size_t bytes = common->n_nodes * sizeof *sink->counts;
    bool is_right = !memcmp(sink->counts, common->counts, bytes) &&
                    (!sink->adds || !memcmp(sink->sums, common->sums, bytes));
    *sink = (struct aggregation_sink){.adds = sink->adds};
    return is_right;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void open_device(struct aggregation_case *common)
{
    const struct gravel_neighbours alone = {.n_sharing = 1};
    struct gravel_config config;
    const struct gravel_program_request request = {.name = "bench_aggregation.cl",
                                                   .source = bench_aggregation_cl,
                                                   .options = "-DGRAVELP_INTERNAL"};
    int code = gravel_config_load(&config, sizeof config);
    strcpy(config.step, "pump");
    if (!code)
        code = gravel_device_open(&common->device, &config, NULL, &alone);
    if (!code)
        code = gravel_self_test(&common->device, 8, NULL);
    if (!code)
        code = gravel_device_build(&common->device, &request, &common->program);
    if (code)
        aggregation_die("device", code);
}

static void open_case(struct contest *contest, uint32_t n_nodes)
{
    struct aggregation_case *common = &contest->common;
    open_device(common);
    bool is_cpu = common->device.capability.is_cpu;
    uint32_t n = is_cpu ? CPU_N_MESSAGES : N_MESSAGES;
    common->n_nodes = n_nodes;
    common->n_groups = (common->device.units - 1) * SLICES;
    common->rounds = n / (common->n_groups * AGGREGATION_GROUP) + 1;
    expect_messages(common);
    for (uint32_t i = 0; i < 2; i++)
        aggregation_path_open(&contest->paths[i], common, i == 0 ? "off" : is_cpu ? "on" : "auto");
    contest->direct = aggregation_direct_open(common);
}

static void close_case(struct contest *contest)
{
    for (uint32_t i = 0; i < 2; i++)
        aggregation_path_close(&contest->paths[i]);
    aggregation_direct_close(contest->direct);
    clReleaseProgram(contest->common.program);
    gravel_device_close(&contest->common.device);
}

static struct aggregation_sink *sink_of(struct contest *contest, uint32_t i)
{
    return i < 2 ? &contest->paths[i].sink : aggregation_direct_sink(contest->direct);
}

static bool run_variant(void *context, uint32_t i, double *rate)
{
    struct contest *contest = context;
    bool is_valid = true;
    double start = now();
    if (i < 2)
        aggregation_path_run(&contest->paths[i]);
    else
        is_valid = aggregation_direct_run(contest->direct);
    *rate = (double)contest->common.n_groups * AGGREGATION_GROUP * contest->common.rounds /
            (now() - start);
    return check(&contest->common, sink_of(contest, i)) && is_valid;
}

/* One run of each, in which every index counts. */
static bool verify(struct contest *contest)
{
    bool is_valid = true;
    double rate;
    for (uint32_t i = 0; i < 3; i++) {
        struct aggregation_sink *sink = sink_of(contest, i);
        sink->adds = true;
        is_valid &= run_variant(contest, i, &rate);
        sink->adds = false;
    }
    return is_valid && contest->paths[1].aggregator.n_binned > 0;
}

/* Share of the messages of a variant that the device has binned so far. */
static double binned_share(const struct contest *contest, uint32_t i)
{
    if (i == 2)
        return 1;
    const struct gravel_aggregator *aggregator = &contest->paths[i].aggregator;
    return (double)aggregator->n_binned / (double)aggregator->n_messages;
}

static bool run_case(const struct options *options, uint32_t n_nodes)
{
    static struct contest contest;
    struct bench_subject subjects[3];
    memset(&contest, 0, sizeof contest);
    memset(subjects, 0, sizeof subjects);
    for (uint32_t i = 0; i < 3; i++)
        subjects[i].variant = variants[i];
    open_case(&contest, n_nodes);
    bool is_valid = verify(&contest);
    bench_rounds(subjects, 3, options->common.runs, run_variant, &contest);
    for (uint32_t i = 0; i < 3; i++) {
        subjects[i].is_valid &= is_valid;
        bench_report(&options->common, "bench-aggregation", "messages/s", &subjects[i],
                     json_pack("{s:i, s:f, s:i, s:s}", "destinations", (int)n_nodes, "binned_share",
                               binned_share(&contest, i), "work_group", (int)AGGREGATION_GROUP,
                               "device", contest.common.device.capability.name));
    }
    for (uint32_t i = 1; i < 3; i++)
        bench_report_ratio(&options->common, "bench-aggregation", &subjects[i], &subjects[0],
                           json_pack("{s:i}", "destinations", (int)n_nodes));
    close_case(&contest);
    return subjects[0].is_valid && subjects[1].is_valid && subjects[2].is_valid;
}

static const struct bench_option own_options[] = {
    {"destinations", 'd', "numbers of destinations (default 2,4,8,16,32,64)",
     BENCH_LIST(struct options, destinations, n_destinations, 1, AGGREGATION_MAX_NODES)},
    {0}};

int main(int argc, char **argv)
{
    struct options options = {
        .common = BENCH_OPTIONS_INIT, .destinations = {2, 4, 8, 16, 32, 64}, .n_destinations = 6};
    bool is_valid = true;
    bench_parse(argc, argv, "Messages a second from a kernel to node buffers.", own_options,
                &options, &options.common);
    for (uint32_t i = 0; i < options.n_destinations; i++)
        is_valid &= run_case(&options, options.destinations[i]);
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
