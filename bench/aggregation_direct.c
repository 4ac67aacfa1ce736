/* SPDX-License-Identifier: MIT */
/*
 * SIMT-direct aggregation for bench-aggregation: each launch fills buffers on the device, one a
 * destination; while the next launch fills another set of them, these are copied to node buffers.
 *
 * Path:    bench_aggregation.cl (send_direct) -> this -> lib/aggregate/sender.c -> sink.
 * Memory:  everything lives for one case.
 * Source:  Orr 2016, section 3.2.2.
 */
#include "aggregation.h"
#include "bench_gravel.h"
#include "base/clock.h"
#include "opencl/region.h"
#include "transport/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_SETS 2u
#define MOST_MESSAGES (1u << 20) /* of a launch */

struct set {
    cl_mem fill, buffers; /* on the device */
    cl_event sent;
};

struct aggregation_direct {
    struct aggregation_case *common;
    struct aggregation_sink sink;
    struct gravel_sender *sender;
    struct set sets[N_SETS];
    struct gravel_pool pool;     /* of the node buffers that are copied to */
    struct gravel_pinned pinned; /* their memory */
    cl_kernel kernel;
    cl_command_queue kernels, copies;
    uint32_t capacity, rounds; /* rounds of one launch */
};

/* Makes two sets of buffers, a quarter larger than the mean. */
static void make_sets(struct aggregation_direct *direct)
{
    const cl_context context = direct->common->device.context;
    uint32_t n_nodes = direct->common->n_nodes;
    uint32_t n_items = direct->common->n_groups * AGGREGATION_GROUP;
    direct->rounds = MOST_MESSAGES / n_items ? MOST_MESSAGES / n_items : 1;
    if (direct->rounds > direct->common->rounds)
        direct->rounds = direct->common->rounds;
    uint32_t mean = n_items * direct->rounds / n_nodes;
    direct->capacity = mean + mean / 4 + 1024;
    for (uint32_t i = 0; i < N_SETS; i++) {
        direct->sets[i].fill = bench_buffer(context, 0, n_nodes * 4);
        direct->sets[i].buffers = bench_buffer(context, 0, (size_t)n_nodes * direct->capacity * 4);
    }
}

/* Returns how many messages a node buffer holds. */
static uint32_t buffer_messages(void)
{
    return gravel_buffer_fits(AGGREGATION_BUFFER_BYTES, AGGREGATION_COMMAND);
}

/* Makes as many node buffers as one set fills. */
static void make_pool(struct aggregation_direct *direct)
{
    struct gravel_pool *pool = &direct->pool;
    pool->buffer_bytes = AGGREGATION_BUFFER_BYTES;
    pool->n_buffers = direct->common->n_nodes * (direct->capacity / buffer_messages() + 1);
    int code = gravel_pinned_create(&direct->pinned, &direct->common->device, direct->copies,
                                    "bench-aggregation", NULL,
                                    gravel_pool_frames_bytes(pool->buffer_bytes, pool->n_buffers));
    pool->frames = direct->pinned.begin;
    must(code, "node buffers");
}

struct aggregation_direct *aggregation_direct_open(struct aggregation_case *common)
{
    struct aggregation_direct *direct = calloc(1, sizeof *direct);
    must(direct ? 0 : GRAVEL_ENOMEM, "memory");
    direct->common = common;
    direct->sender = aggregation_sender(common, &direct->sink);
    direct->kernels = bench_queue(common->device.context, common->device.id, 0);
    direct->copies = bench_queue(common->device.context, common->device.id, 0);
    direct->kernel = bench_plain_kernel(common->program, "send_direct");
    make_sets(direct);
    make_pool(direct);
    return direct;
}

void aggregation_direct_close(struct aggregation_direct *direct)
{
    gravel_pool_destroy(&direct->pool);
    gravel_pinned_destroy(&direct->pinned);
    clFinish(direct->copies);
    for (uint32_t i = 0; i < N_SETS; i++) {
        clReleaseMemObject(direct->sets[i].fill);
        clReleaseMemObject(direct->sets[i].buffers);
    }
    clReleaseKernel(direct->kernel);
    clReleaseCommandQueue(direct->kernels);
    clReleaseCommandQueue(direct->copies);
    gravel_sender_destroy(direct->sender);
    free(direct);
}

static void launch(struct aggregation_direct *direct, struct set *set, uint32_t first,
                   uint32_t rounds)
{
    const struct aggregation_case *common = direct->common;
    const cl_kernel kernel = direct->kernel;
    const cl_uint zero = 0, n_nodes = common->n_nodes;
    must_cl(
        clEnqueueFillBuffer(direct->kernels, set->fill, &zero, 4, 0, n_nodes * 4, 0, NULL, NULL),
        "clEnqueueFillBuffer");
    bench_set(kernel, 0, sizeof set->fill, &set->fill);
    bench_set(kernel, 1, sizeof set->buffers, &set->buffers);
    bench_set_uints(kernel, 2, (cl_uint[]){direct->capacity, first, rounds, n_nodes}, 4);
    bench_set(kernel, 6, n_nodes * 4, NULL);
    bench_set(kernel, 7, n_nodes * 4, NULL);
    set->sent = bench_enqueue(direct->kernels, kernel, (size_t)common->n_groups * AGGREGATION_GROUP,
                              AGGREGATION_GROUP);
    clFlush(direct->kernels);
}

/* Begin to copy n indices, from an offset [bytes] on, to node buffers. @return the end of their list. */
static struct gravel_buffer **begin_copies(struct aggregation_direct *direct, cl_mem from,
                                           size_t at, uint32_t n, uint32_t node,
                                           struct gravel_buffer **end)
{
    const struct gravel_run_key key = {.command = AGGREGATION_COMMAND};
    for (uint32_t piece; n; n -= piece, at += piece * (size_t)4) {
        struct gravel_buffer *buffer = gravel_pool_take(&direct->pool);
        piece = n < buffer_messages() ? n : buffer_messages();
        must(!buffer ? GRAVEL_ENOMEM : 0, "node buffers");
        gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, 0, node);
        gravel_buffer_lay_out(buffer, &key, piece, NULL);
        must_cl(clEnqueueReadBuffer(direct->copies, from, CL_FALSE, at, piece * (size_t)4,
                                    gravel_buffer_index(buffer), 0, NULL, NULL),
                "copying buffers");
        *end = buffer;
        end = &buffer->next;
    }
    return end;
}

/* Copy what is in a set's buffers, and have the sender ship it. @return false if more was sent. */
static bool take(struct aggregation_direct *direct, struct set *set)
{
    uint32_t n_nodes = direct->common->n_nodes, fill[AGGREGATION_MAX_NODES];
    struct gravel_block block = {.first = NULL};
    struct gravel_buffer **end = &block.first;
    bool fits = true;
    must_cl(clEnqueueReadBuffer(direct->copies, set->fill, CL_TRUE, 0, n_nodes * 4, fill, 1,
                                &set->sent, NULL),
            "reading counts");
    clReleaseEvent(set->sent);
    for (uint32_t node = 0; node < n_nodes; node++) {
        fits &= fill[node] <= direct->capacity;
        if (fits)
            end = begin_copies(direct, set->buffers, (size_t)node * direct->capacity * 4,
                               fill[node], node, end);
    }
    must_cl(clFinish(direct->copies), "copying buffers");
    gravel_sender_ship_block(direct->sender, &block);
    return fits;
}

struct aggregation_sink *aggregation_direct_sink(struct aggregation_direct *direct)
{
    return &direct->sink;
}

bool aggregation_direct_run(struct aggregation_direct *direct)
{
    const struct aggregation_case *common = direct->common;
    uint32_t n_items = common->n_groups * AGGREGATION_GROUP, left = common->rounds, first = 0;
    struct set *before = NULL;
    bool fits = true;
    for (uint32_t n = 0; left; n++) {
        struct set *set = &direct->sets[n % N_SETS];
        uint32_t rounds = left < direct->rounds ? left : direct->rounds;
        launch(direct, set, first, rounds);
        first += rounds * n_items;
        left -= rounds;
        if (before)
            fits &= take(direct, before);
        before = set;
    }
    fits &= take(direct, before);
    gravel_sender_flush(direct->sender);
    return fits;
}
