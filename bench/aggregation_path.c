/* SPDX-License-Identifier: MIT */
/*
 * The variants of bench-aggregation by way of the queue: an arena, a pump, and an aggregator whose
 * node buffers go to the sink.
 *
 * Path:    bench_aggregation.cl (send_packages) -> lib/pump/pump.c -> lib/aggregate -> sink.
 * Memory:  everything lives for one case.
 * Source:  Orr 2016, sections 3.3 and 5.6.1.
 */
#include "aggregation.h"
#include "bench_gravel.h"
#include "opencl/slice.h"
#include "pump/pump.h"
#include "base/clock.h"
#include "transport/pool.h"

#include <stdio.h>
#include <stdlib.h>

#define SLOT_BYTES (GRAVELP_NODE_ROW + AGGREGATION_GROUP * 8u)
#define RING_BYTES (64u << 20)
#define N_BUFFERS 256u /* of the pump: 8 blocks of 8 MB; and one for the rest of each part */

static void wake(void *context, uint32_t queue)
{
    struct aggregation_path *path = context;
    (void)queue;
    gravel_aggregator_wake(&path->aggregator);
}

static void open_pump(struct aggregation_path *path, const char *aggregation)
{
    uint32_t elsewhere = path->common->n_nodes; /* no destination is this node: all parts travel */
    const struct gravel_arena_shape shape = {.node = elsewhere,
                                             .n_nodes = path->common->n_nodes,
                                             .n_heaps = 1,
                                             .n_queues = 1,
                                             .queue_bytes = RING_BYTES,
                                             .slot_bytes = SLOT_BYTES,
                                             .heap_bytes = 4096,
                                             .wait_ms = 8000,
                                             .poll_ns = 1};
    struct gravel_pump_shape pump = {.memory = &path->memory,
                                     .failure = &path->common->failure,
                                     .report = bench_end,
                                     .wake = wake,
                                     .context = path,
                                     .timeout_ns = 8 * GRAVEL_NS_PER_S,
                                     .aggregation = aggregation,
                                     .buffer_bytes = AGGREGATION_BUFFER_BYTES,
                                     .n_buffers = N_BUFFERS + 8 * shape.n_nodes};
    int code = gravel_memory_create(&path->memory, &path->common->device, &shape);
    gravel_memory_take_frames(&path->memory, NULL,
                              gravel_pool_frames_bytes(pump.buffer_bytes, pump.n_buffers), true,
                              NULL, 0);
    pump.frames = path->memory.frames;
    if (!code)
        code = gravel_pump_create(&path->pump, &pump);
    must(code, "arena and pump");
}

void aggregation_path_open(struct aggregation_path *path, struct aggregation_case *common,
                           const char *aggregation)
{
    path->common = common;
    open_pump(path, aggregation);
    struct gravelp_arena *mirror = path->memory.arena;
    path->aggregator =
        (struct gravel_aggregator){.queue = {.words = gravel_arena_queue(mirror, 0),
                                             .slots = gravel_arena_slots(mirror, 0),
                                             .n_slots = mirror->n_slots,
                                             .slot_bytes = mirror->slot_bytes},
                                   .sender = aggregation_sender(path->common, &path->sink),
                                   .arena = mirror,
                                   .blocks = gravel_pump_blocks(path->pump, 0),
                                   .failure = &path->common->failure,
                                   .report = bench_end,
                                   .timeout_ns = 8 * GRAVEL_NS_PER_S};
    gravel_pump_attach(path->pump, 0, &path->aggregator.queue);
    path->aggregator.records = path->aggregator.sender; /* there are none */
    int code = gravel_aggregator_start(&path->aggregator);
    must(code, "aggregator");
    path->kernel = bench_plain_kernel(path->common->program, "send_packages");
    must_cl(gravel_memory_set_argument(&path->memory, path->kernel, 0), "arena");
    bench_set_uints(path->kernel, 1, (cl_uint[]){path->common->rounds, path->common->n_nodes}, 2);
}

void aggregation_path_close(struct aggregation_path *path)
{
    gravel_pump_stop(path->pump);
    gravel_aggregator_stop(&path->aggregator);
    gravel_sender_destroy(path->aggregator.sender);
    gravel_pump_destroy(path->pump);
    clReleaseKernel(path->kernel);
    gravel_memory_destroy(&path->memory);
}

/*
 * Launch the kernel in slices as gravel_launch does: leaders wait for room, and the kernels that bin find a
 * compute unit that no slice takes. There are few enough that the driver's list of commands never fills.
 *
 * @return  the last one's event.
 */
static cl_event launch_slices(struct aggregation_path *path)
{
    const struct gravel_device *device = &path->common->device;
    size_t local = AGGREGATION_GROUP, global = path->common->n_groups * local;
    struct gravel_slicer slicer;
    struct gravel_slice slice;
    cl_event last = NULL;
    gravel_slicer_init(&slicer, 1, &global, &local);
    while (gravel_slicer_next(&slicer, device->units - 1, &slice)) {
        if (last)
            clReleaseEvent(last);
        must_cl(clEnqueueNDRangeKernel(device->queue, path->kernel, 1, slice.offset, slice.size,
                                       &local, 0, NULL, &last),
                "clEnqueueNDRangeKernel");
    }
    clFlush(device->queue);
    return last;
}

void aggregation_path_run(struct aggregation_path *path)
{
    cl_event event = launch_slices(path);
    gravel_pump_watch(path->pump, event);
    gravel_aggregator_wake(&path->aggregator);
    int code = gravel_wait_event(&path->common->device, event, "waiting for send_packages");
    clReleaseEvent(event);
    if (!code)
        code = gravel_pump_drain(path->pump, NULL);
    must(code, "pump");
    gravel_aggregator_flush_wait(&path->aggregator, gravel_aggregator_flush(&path->aggregator));
}
