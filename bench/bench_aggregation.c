/* SPDX-License-Identifier: MIT */
/*
 * bench-aggregation: messages a second from a running kernel to closed node buffers on the host, by
 * number of destinations and by who bins them.
 *
 *     GRAVEL_DEVICE=... bench-aggregation [--destinations 2,4,8,16,32,64] [--json]
 *
 *     host         step pump copies packages, a CPU thread bins them message by message
 *     device       step pump has kernels bin them, a CPU thread copies the parts (section 5.6.1);
 *                  on GPUs runs worth it, and binned_share is the part of messages that were
 *     simt-direct  the sending work-groups bin; nothing is sent while a launch runs (section 3.2.2)
 *
 * All send from the same work-groups. Those of host and device wait for room, and are launched in
 * slices as gravel_launch does; those of simt-direct wait for nothing, and are launched whole.
 *
 * Node buffers are returned at once. Every run checks how many messages each destination got; one
 * before the rounds also checks the sum of their indices.
 *
 * Path:    options -> cases (destinations) -> rounds over variants -> reports.
 * Memory:  everything lives for one case; host and device have an arena, a pump and an aggregator
 *          each.
 * Source:  Orr 2016, sections 3.2.2 and 5.6.1.
 */
#include "aggregation.h"
#include "bench.h"
#include "bench_gravel.h"
#include "bench_thread.h"
#include "opencl/program.h"
#include "self_test/self_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICES 4u             /* of a run */
#define N_MESSAGES (1u << 28) /* of a run on a GPU */
#define CPU_N_MESSAGES (1u << 21)

extern const char bench_aggregation_cl[];

enum { HOST, DEVICE, DIRECT, N_VARIANTS };
static const struct bench_variant variants[N_VARIANTS] = {
    {"host", "messages/s"}, {"device", "messages/s"}, {"simt-direct", "messages/s"}};

struct place {
    uint32_t destinations[BENCH_MAX_LIST], n_destinations;
    struct aggregation_case common;
    struct aggregation_path paths[2];
    struct aggregation_direct *direct;
};

/* ---- the sink -------------------------------------------------------------------------------- */

/* Counts a buffer that would travel now. Its runs are all of one command. */
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

struct gravel_sender *aggregation_sender(struct aggregation_case *common,
                                         struct aggregation_sink *sink)
{
    struct gravel_sender *sender;
    const struct gravel_sender_shape shape = {.n_nodes = common->n_nodes,
                                              .buffer_bytes = AGGREGATION_BUFFER_BYTES,
                                              .n_buffers = 2 * common->n_nodes,
                                              .flush_ns = UINT64_C(1000000000),
                                              .ship = receive,
                                              .context = sink,
                                              .failure = &common->failure};
    must(gravel_sender_create(&sender, &shape), "sender");
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

/* Returns whether all has arrived, and forgets it. */
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
    must(gravel_config_load(&config, sizeof config), "gravel_config_load");
    strcpy(config.step, "pump");
    must(gravel_device_open(&common->device, &config, NULL, &alone), "device");
    must(gravel_self_test(&common->device, 8, NULL), "device");
    must(gravel_device_build(&common->device, &request, &common->program), "bench_aggregation.cl");
}

static void open_case(struct place *place, uint32_t n_nodes)
{
    struct aggregation_case *common = &place->common;
    *common = (struct aggregation_case){.n_nodes = n_nodes};
    place->paths[HOST] = place->paths[DEVICE] = (struct aggregation_path){.common = common};
    open_device(common);
    bool is_cpu = common->device.capability.is_cpu;
    uint32_t n = is_cpu ? CPU_N_MESSAGES : N_MESSAGES;
    common->n_groups = (common->device.units - 1) * SLICES;
    common->rounds = n / (common->n_groups * AGGREGATION_GROUP) + 1;
    expect_messages(common);
    for (uint32_t i = 0; i < 2; i++)
        aggregation_path_open(&place->paths[i], common, i == 0 ? "off" : is_cpu ? "on" : "auto");
    place->direct = aggregation_direct_open(common);
}

static void close_case(struct place *place)
{
    for (uint32_t i = 0; i < 2; i++)
        aggregation_path_close(&place->paths[i]);
    aggregation_direct_close(place->direct);
    clReleaseProgram(place->common.program);
    gravel_device_close(&place->common.device);
}

static struct aggregation_sink *sink_of(struct place *place, uint32_t i)
{
    return i < 2 ? &place->paths[i].sink : aggregation_direct_sink(place->direct);
}

static bool run(void *context, uint32_t variant, double *rate)
{
    struct place *place = context;
    bool is_valid = true;
    const double begin_s = bench_now();
    if (variant == DIRECT)
        is_valid = aggregation_direct_run(place->direct);
    else
        aggregation_path_run(&place->paths[variant]);
    *rate = (double)place->common.n_groups * AGGREGATION_GROUP * place->common.rounds /
            (bench_now() - begin_s);
    return check(&place->common, sink_of(place, variant)) && is_valid;
}

/* Runs each variant once, and compares every index. */
static bool verify(struct place *place)
{
    bool is_valid = true;
    double rate;
    for (uint32_t i = 0; i < N_VARIANTS; i++) {
        struct aggregation_sink *sink = sink_of(place, i);
        sink->adds = true;
        is_valid &= run(place, i, &rate);
        sink->adds = false;
    }
    return is_valid && place->paths[DEVICE].aggregator.n_binned > 0;
}

/* Adds which share of its messages the device has binned so far. */
static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct place *place = context;
    const struct gravel_aggregator *aggregator = &place->paths[variant % 2].aggregator;
    if (median <= 0)
        return json_pack("{s:i}", "destinations", (int)place->common.n_nodes);
    return json_pack(
        "{s:i, s:f, s:i, s:s}", "destinations", (int)place->common.n_nodes, "binned_share",
        variant == DIRECT ? 1 : (double)aggregator->n_binned / (double)aggregator->n_messages,
        "work_group", (int)AGGREGATION_GROUP, "device", place->common.device.capability.name);
}

static const struct bench_contest contest = {.name = "bench-aggregation",
                                             .variants = variants,
                                             .n_variants = N_VARIANTS,
                                             .run = run,
                                             .fields = fields,
                                             .has_ratio = bench_to_first,
                                             .is_warm = true};

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"destinations", 'd', "N,...", "numbers of destinations (default 2,4,8,16,32,64)",
         BENCH_LIST(struct place, destinations, n_destinations, 1, AGGREGATION_MAX_NODES)},
        {0}};
    static struct place place = {.destinations = {2, 4, 8, 16, 32, 64}, .n_destinations = 6};
    bool is_valid = true;
    bench_parse(argc, argv, "Messages a second from a kernel to node buffers.", own, &place);
    for (uint32_t i = 0; i < place.n_destinations; i++) {
        open_case(&place, place.destinations[i]);
        is_valid &= verify(&place);
        is_valid &= bench_hold(&contest, &place, true);
        close_case(&place);
    }
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
