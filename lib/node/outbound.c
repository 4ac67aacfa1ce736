/* SPDX-License-Identifier: MIT */
/*
 * Opens what is between kernels and the network thread: the arena, memory of node buffers, the pump, aggregators.
 *
 * Path:    open.c -> outbound.c -> memory.c, pump.c, aggregator.c.
 * Owner:   node buffers of aggregators come first in the memory of frames, those of the pump behind them, those of host
 *          calls last.
 */
#include "base/counter.h"
#include "base/number.h"
#include "settings/defaults.h"
#include "node/node.h"
#include "settings/settings.h"
#include "pump/block.h"
#include "resolve/on_device/ring.h"

#include <stdlib.h>
#include <string.h>

/* Returns the bytes of all node buffers of one aggregator. */
static uint64_t frames_bytes(const struct gravel *gravel)
{
    return gravel_pool_frame_bytes((uint32_t)gravel->config.buffer_bytes) *
           gravel->config.n_buffers * gravel->network.transport->n_nodes;
}

/* GRAVEL_DEVICE_AGGREGATION; off in checked mode, and where GRAVEL_AGGREGATION asks for less than whole buffers. */
static const char *device_aggregation(const struct gravel *gravel)
{
    const struct gravel_config *config = &gravel->config;
    return GRAVEL_CHOICE(config, aggregation) || config->check ? "off" : config->device_aggregation;
}

/* Returns the bytes before the node buffers of host calls. */
static uint64_t queues_frames_bytes(const struct gravel *gravel)
{
    const struct gravel_config *config = &gravel->config;
    uint64_t pump_bytes =
        gravel_pool_frames_bytes((uint32_t)config->buffer_bytes, gravel->n_pump_buffers);
    return (frames_bytes(gravel) + pump_bytes) * config->n_aggregators;
}

/* Takes memory for node buffers where it must be shared or pinned. */
static void make_frames(struct gravel *gravel)
{
    const struct gravel_config *config = &gravel->config;
    uint32_t n_nodes = gravel->network.transport->n_nodes;
    bool bins = gravel_device_bins(&gravel->device, device_aggregation(gravel));
    if (bins)
        gravel->n_pump_buffers = gravel_derive_pump_buffers(config, n_nodes);
    uint64_t bytes =
        queues_frames_bytes(gravel) +
        gravel_pool_frames_bytes((uint32_t)config->buffer_bytes, n_nodes * GRAVEL_HOST_BUFFERS);
    unsigned char *shared = NULL;
    if (gravel->network.transport->handover.n_takers)
        shared = gravel_segment_take(gravel->segment, bytes);
    gravel_memory_take_frames(
        &gravel->memory, shared, bytes, bins || config->buffer_bytes >= GRAVEL_STRAIGHT_BYTES,
        gravel->network.transport->handover.views, gravel->network.transport->handover.n_views);
}

int gravel_node_open_arena(struct gravel *gravel)
{
    struct gravel_servers_shape servers;
    const struct gravel_config *config = &gravel->config;
    const struct gravel_transport *transport = gravel->network.transport;
    uint64_t print_node = transport->node; /* where lines of this one's kernels come out */
    GRAVEL_TRY(gravel_node_shape_servers(gravel, &servers));
    if (strcmp(config->print, "own") &&
        !gravel_number_within(config->print, 0, transport->n_nodes - 1, &print_node))
        return gravel_fail(GRAVEL_ECONFIG,
                           "print = \"%s\" (GRAVEL_PRINT): neither own nor one of %u nodes",
                           config->print, transport->n_nodes);
    gravel->n_heaps = transport->is_loopback ? transport->n_nodes : 1;
    const struct gravel_arena_shape shape = {
        .node = transport->node,
        .n_nodes = transport->n_nodes,
        .print_node = (uint32_t)print_node,
        .n_heaps = gravel->n_heaps,
        .n_queues = config->n_aggregators,
        .queue_bytes = config->queue_bytes,
        .slot_bytes = config->slot_bytes,
        .heap_bytes = GRAVEL_HEAP_FIRST + config->heap_bytes,
        .wait_ms =
            !gravel_step_may_wait(gravel->device.step)
                ? 0
                : (uint32_t)(gravel_network_patience_ns(&gravel->network) / GRAVEL_NS_PER_MS),
        .poll_ns = gravel->device.poll_ns,
        .servers_bytes = gravel_servers_bytes(&servers),
        .huge_pages = config->huge_pages,
        .is_checked = config->check,
    };
    int code = gravel_memory_create(&gravel->memory, &gravel->device, &shape);
    gravel->arena = gravel->memory.arena;
    if (!code)
        code = gravel_servers_open(&gravel->servers, &servers, &gravel->memory, gravel->n_heaps);
    if (!code)
        make_frames(gravel);
    return code;
}

unsigned char *gravel_node_host_frames(const struct gravel *gravel)
{
    unsigned char *frames = gravel->memory.frames;
    return frames ? frames + queues_frames_bytes(gravel) : NULL;
}

static void wake_aggregator(void *context, uint32_t queue)
{
    struct gravel *gravel = context;
    gravel_aggregator_wake(&gravel->aggregators[queue]);
}

static int apply_in_place(void *context, const uint32_t *tickets, uint32_t n_queues,
                          cl_command_queue *behind)
{
    const struct gravel *gravel = context;
    return gravel_resolver_apply_in_place(gravel->network.resolver, tickets, n_queues, behind);
}

static uint64_t count_host_calls(void *context)
{
    const struct gravel *gravel = context;
    return gravel_counter_load(&gravel->network.n_host_calls) + /* U12 */
           gravel_counter_load(&gravel->network.n_handler_calls);
}

/* Opens the pump, where kernels' packages must be fetched. */
static int open_pump(struct gravel *gravel)
{
    const char *aggregation = device_aggregation(gravel);
    uint64_t before = frames_bytes(gravel) * gravel->config.n_aggregators;
    const struct gravel_pump_shape shape = {
        .memory = &gravel->memory,
        .failure = &gravel->failure,
        .unanswered = &gravel->network.credit.n_unanswered,
        .report = gravel_report,
        .wake = wake_aggregator,
        /* not where the host does it all, or blocks of every package are asked for */
        .apply_in_place = strcmp(aggregation, "auto") ? NULL : apply_in_place,
        .n_host_calls = count_host_calls,
        .context = gravel,
        .timeout_ns = gravel_network_patience_ns(&gravel->network),
        .aggregation = aggregation,
        .buffer_bytes = (uint32_t)gravel->config.buffer_bytes,
        .n_buffers = gravel->n_pump_buffers,
        .is_loopback = gravel->network.transport->is_loopback,
        .frames = gravel->memory.frames ? gravel->memory.frames + before : NULL,
    };
    return gravel->memory.region.buffer ? gravel_pump_create(&gravel->pump, &shape) : 0;
}

/* Few and small buffers: lines are few, and a line is not to wait for a large one to fill. */
#define RECORDS_BUFFERS 4u /* a destination */

/* @param shape  of the aggregator's other sender. */
static int make_records_sender(struct gravel_aggregator *aggregator,
                               struct gravel_sender_shape shape)
{
    shape.has_records = true;
    shape.n_sessions = NULL; /* who prints waits for lines */
    shape.shipped = NULL;
    if (shape.buffer_bytes > GRAVEL_RECORDS_MOST_BYTES)
        shape.buffer_bytes = GRAVEL_RECORDS_MOST_BYTES;
    if (shape.buffer_bytes < GRAVEL_RECORDS_LEAST_BYTES)
        shape.buffer_bytes = GRAVEL_RECORDS_LEAST_BYTES;
    shape.n_buffers = RECORDS_BUFFERS * shape.n_nodes;
    shape.frames = NULL;
    return gravel_sender_create(&aggregator->records, &shape);
}

static int make_aggregator(struct gravel *gravel, uint32_t number)
{
    const struct gravel_config *config = &gravel->config;
    struct gravelp_arena *arena = gravel->arena;
    struct gravel_aggregator *aggregator = &gravel->aggregators[number];
    *aggregator = (struct gravel_aggregator){
        .queue = {.words = gravel_arena_queue(arena, number),
                  .slots = gravel_arena_slots(arena, number),
                  .n_slots = arena->n_slots,
                  .slot_bytes = arena->slot_bytes,
                  .unanswered = &gravel->network.credit.n_unanswered,
                  .clock = gravel_package_clock(arena)},
        .endpoints = &gravel->endpoints,
        .arena = arena,
        .heap = gravel->heap,
        .guards = gravel->config.check ? &gravel->guards : NULL,
        .blocks = gravel->pump ? gravel_pump_blocks(gravel->pump, number) : NULL,
        .failure = &gravel->failure,
        .report = gravel_report,
        .report_context = gravel,
        .timeout_ns = gravel_limit_ns(GRAVEL_LIMIT_DEVICE, config->timeout_ms),
        .check = {.names = &gravel->kernel_names,
                  .are_over = gravel->config.check ? gravel_checked_are_over : NULL,
                  .context = gravel},
        .trace = gravel->trace,
        .number = number,
    };
    if (gravel->pump)
        gravel_pump_attach(gravel->pump, number, &aggregator->queue);
    const struct gravel_sender_shape shape = {
        .node = arena->node,
        .n_nodes = arena->n_nodes,
        .buffer_bytes = (uint32_t)config->buffer_bytes,
        .n_buffers = config->n_buffers * arena->n_nodes,
        .frames =
            gravel->memory.frames ? gravel->memory.frames + number * frames_bytes(gravel) : NULL,
        .flush_ns = config->flush_us * GRAVEL_NS_PER_US,
        .timeout_ns = aggregator->timeout_ns,
        .n_sessions = &gravel->network.n_sessions,
        .ship = gravel_network_ship,
        .shipped = gravel->pump ? NULL : &gravel->network.outgoing, /* a pump's are few */
        .context = &gravel->network,
        .failure = &gravel->failure,
        .queue = &aggregator->queue,
        .aggregation = (enum gravel_aggregation)GRAVEL_CHOICE(config, aggregation),
    };
    GRAVEL_TRY(gravel_sender_create(&aggregator->sender, &shape));
    return make_records_sender(aggregator, shape);
}

int gravel_node_open_aggregators(struct gravel *gravel)
{
    uint32_t n = gravel->config.n_aggregators;
    gravel->aggregators = aligned_alloc(GRAVELP_CACHELINE, n * sizeof *gravel->aggregators);
    if (!gravel->aggregators)
        return gravel_fail_memory("gravel_open: aggregators", n * sizeof *gravel->aggregators);
    memset(gravel->aggregators, 0, n * sizeof *gravel->aggregators);
    GRAVEL_TRY(open_pump(gravel));
    for (uint32_t i = 0; i < n; i++)
        GRAVEL_TRY(make_aggregator(gravel, i));
    gravel_report_to_outbound(gravel, true);
    for (uint32_t i = 0; i < n; i++)
        GRAVEL_TRY(gravel_aggregator_start(&gravel->aggregators[i]));
    return 0;
}
