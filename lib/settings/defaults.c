/* SPDX-License-Identifier: MIT */
/*
 * Defaults that depend on the step, the machine or the job. See defaults.h.
 */
#include "settings/defaults.h"

#include "base/error.h"
#include "base/timeouts.h"
#include "layout/package.h"
#include "layout/server.h"
#include "network/network.h"
#include "pump/block.h"
#include "transport/pool.h"

#include <inttypes.h>

/* GRAVEL_ROUTE_MEMORY. An aggregator may use a quarter of it; host calls use half at most. */
#define ROUTE_MEMORY (UINT64_C(256) << 20)
#define ROUTE_PARTS 4u
#define QUEUE_BYTES (32u << 20) /* of one queue */
/* Where a GPU bins: senders run ahead by milliseconds, and two million messages come between two rounds of the pump. */
#define BINNED_QUEUE_BYTES (512u << 20)
#define QUEUES_BUDGET \
    (UINT64_C(2) << 30) /* of all queues of a node; copies reach 4 GiB (memory/arena.c) */

/* Where the device bins, its blocks are copied to node buffers of the pump. All node buffers of a node shall lie in a
 * gigabyte, the most that is pinned and that other nodes of the machine map; so of many nodes each has fewer. */
#define PUMP_BUFFERS_BUDGET (512u << 20)
#define PUMP_BUFFERS_LEAST (64u << 20)
#define ALL_BUFFERS_BUDGET (UINT64_C(1) << 30)

/* Where host and kernels share memory. */
#define SHARED_BUFFER_BYTES (64u << 10)
#define SHARED_LEAST_BYTES (4u << 10)
#define SHARED_SLOT_BYTES 9280u /* 256 active messages of 4 arguments */
#define SHARED_FLUSH_US 125u
/* All open buffers leave once an age, and a frame, sent and received, costs a network thread 3 us. With many nodes
 * buffers stay longer, so that frames that leave by age take a quarter of the thread, and carry more. */
#define FRAME_US 3u
#define FRAMES_SHARE 4u

/* Buffers of an aggregator for each node. */
#define LEAST_BUFFERS 2u
#define MOST_BUFFERS 32u

/* On step pump a node buffer is an upload and a kernel or more, so there should be few; so large that an aggregator has
 * four of them for each node, so that some are filled while others travel. */
#define PUMP_BUFFERS 4u
#define PUMP_BUFFER_BYTES (4u << 20)
/* Of a GPU between two nodes: half a block, whose parts then leave in one piece. */
#define GPU_BUFFER_BYTES (8u << 20)
/* Packages come in bursts, one a poll of the pump: buffers that leave after 125 us are mostly empty. */
#define PUMP_FLUSH_US 2000u
/* Two aggregators keep up with the pump; with it and the network thread each needs a core. Where the device bins one
 * keeps up, and a second one would halve the runs. */
#define PUMP_AGGREGATORS 2u
#define PUMP_CORES 4u

/* A call of a group waits for memory some times, however many messages it sends. Groups of 256 on part of a GPU's units
 * send more slowly than the other stations take; larger groups or more leave those less room (performance.md). */
#define GROUP 256u
#define PUMP_GROUP 512u

#define MOST_LIMIT_MS 86400000u

#define GPU_SERVER_ITEMS 256u

/* Except the aggregators: the caller's, the network's, the pump's, the driver's. */
#define HOST_THREADS 4u
/* What a round waits for comes sooner: its longest part, on two GPUs, takes some 50 us. */
#define AWAKE_US 200u

static uint64_t route_memory(const struct gravel_config *config)
{
    return config->route_memory ? config->route_memory : ROUTE_MEMORY;
}

uint64_t gravel_derive_buffer_bytes(const struct gravel_config *config,
                                    const struct gravel_surroundings *around)
{
    const struct gravel_device *device = around->device;
    const bool is_pump = gravel_step_is_pumped(device->step);
    const uint64_t pump_bytes = device->capability.is_cpu ? PUMP_BUFFER_BYTES : GPU_BUFFER_BYTES,
                   least = is_pump ? SHARED_BUFFER_BYTES : SHARED_LEAST_BYTES,
                   n_wanted = is_pump ? PUMP_BUFFERS : LEAST_BUFFERS; /* an aggregator and node */
    const uint64_t budget = route_memory(config) / ROUTE_PARTS / n_wanted / around->n_nodes;
    uint64_t bytes = is_pump ? pump_bytes : SHARED_BUFFER_BYTES;
    while (bytes > least && bytes > budget)
        bytes /= 2;
    return bytes;
}

/* Returns the bytes of a buffer for each node. */
static uint64_t each_node_bytes(const struct gravel_config *config, uint32_t n_nodes)
{
    return gravel_pool_frame_bytes((uint32_t)config->buffer_bytes) * n_nodes;
}

static uint32_t derive_n_buffers(const struct gravel_config *config, uint32_t n_nodes)
{
    const uint64_t memory = route_memory(config), part = memory / ROUTE_PARTS;
    const uint64_t host = GRAVEL_HOST_BUFFERS * each_node_bytes(config, n_nodes);
    const uint64_t left = host < memory ? (memory - host) / config->n_aggregators : 0;
    const uint64_t share = part / config->buffer_bytes / n_nodes;
    const uint64_t rest = left / each_node_bytes(config, n_nodes);
    const uint64_t n = share < rest ? share : rest;
    return n < LEAST_BUFFERS ? LEAST_BUFFERS : n > MOST_BUFFERS ? MOST_BUFFERS : (uint32_t)n;
}

int gravel_derive_check_route_memory(const struct gravel_config *config, uint32_t n_nodes)
{
    const uint64_t n = (uint64_t)config->n_aggregators * config->n_buffers + GRAVEL_HOST_BUFFERS;
    const uint64_t bytes = n * each_node_bytes(config, n_nodes);
    if (config->route_memory == 0 || bytes <= config->route_memory)
        return 0;
    return gravel_fail(GRAVEL_ECONFIG,
                       "route_memory = %" PRIu64 " (GRAVEL_ROUTE_MEMORY): %" PRIu64
                       " node buffers of %" PRIu64 " bytes for each of %u nodes take %" PRIu64,
                       config->route_memory, n, config->buffer_bytes, n_nodes, bytes);
}

uint32_t gravel_derive_pump_buffers(const struct gravel_config *config, uint32_t n_nodes)
{
    uint32_t n_queues = config->n_aggregators;
    if (n_nodes > GRAVEL_BLOCK_MOST_NODES)
        return 0;
    uint64_t frame = gravel_pool_frame_bytes((uint32_t)config->buffer_bytes);
    uint64_t block = gravel_block_bytes(n_queues, config->queue_bytes / n_queues);
    /* Of each block one for each node, and what its messages fill. */
    uint64_t wanted = GRAVEL_BLOCK_ROOMS * (n_nodes + block / config->buffer_bytes + 1);
    uint64_t others = each_node_bytes(config, n_nodes) *
                      ((uint64_t)config->n_buffers * n_queues + GRAVEL_HOST_BUFFERS);
    uint64_t budget = others < ALL_BUFFERS_BUDGET ? ALL_BUFFERS_BUDGET - others : 0;
    budget = budget < PUMP_BUFFERS_LEAST    ? PUMP_BUFFERS_LEAST
             : budget < PUMP_BUFFERS_BUDGET ? budget
                                            : PUMP_BUFFERS_BUDGET;
    uint64_t most = budget / n_queues / frame;
    return (uint32_t)(wanted < most ? wanted : most);
}

uint32_t gravel_derive_awake_us(const struct gravel_config *config,
                                const struct gravel_surroundings *around)
{
    uint32_t n_units = around->device->capability.is_cpu ? around->device->units : 0;
    return around->cores >= n_units + config->n_aggregators + HOST_THREADS ? AWAKE_US : 0;
}

static uint32_t limit_ms(enum gravel_limit_name name, const struct gravel_config *config)
{
    const uint64_t ms = gravel_limit_ns(name, config->timeout_ms) / GRAVEL_NS_PER_MS;
    return ms < MOST_LIMIT_MS ? (uint32_t)ms : MOST_LIMIT_MS;
}

uint32_t gravel_derive_group_size(const struct gravel_device *device)
{
    const struct gravel_capability *capability = &device->capability;
    uint32_t group =
        gravel_step_is_pumped(device->step) && !capability->is_cpu ? PUMP_GROUP : GROUP;
    while (group > 1 && group > capability->max_group)
        group /= 2;
    return group;
}

/* Returns the bytes of a slot. In checked mode it has one message, or one record, which may be the largest. One that is
 * copied is filled to the last byte by a group of increments, which makes a run of slots one piece of memory. */
static uint32_t derive_slot_bytes(const struct gravel_config *config,
                                  const struct gravel_device *device)
{
    if (config->check)
        return (GRAVELP_SLOT_RECORD_BYTES + GRAVELP_CACHELINE - 1) &
               ~(uint32_t)(GRAVELP_CACHELINE - 1);
    if (!gravel_step_is_pumped(device->step))
        return SHARED_SLOT_BYTES;
    const uint32_t bytes = GRAVELP_NODE_ROW + 8 * gravel_derive_group_size(device);
    return bytes < GRAVELP_SLOT_MIN_BYTES ? GRAVELP_SLOT_MIN_BYTES : bytes;
}

void gravel_derive(struct gravel_config *config, const struct gravel_surroundings *around)
{
    const struct gravel_device *device = around->device;
    const bool is_pump = gravel_step_is_pumped(device->step), is_cpu = device->capability.is_cpu,
               bins = gravel_device_bins(device, config->device_aggregation);
/* What has been set stays. */
#define DERIVE(field, value) config->field = config->field ? config->field : (value)
    DERIVE(n_aggregators, is_pump && !bins && around->cores >= PUMP_CORES ? PUMP_AGGREGATORS : 1);
    DERIVE(slot_bytes, derive_slot_bytes(config, device));
    const uint64_t queues =
        config->n_aggregators * (uint64_t)(bins && !is_cpu ? BINNED_QUEUE_BYTES : QUEUE_BYTES);
    DERIVE(queue_bytes, queues < QUEUES_BUDGET ? queues : QUEUES_BUDGET);
    DERIVE(buffer_bytes, gravel_derive_buffer_bytes(config, around));
    DERIVE(n_buffers, derive_n_buffers(config, around->n_nodes));
    const uint32_t few_us = is_pump ? PUMP_FLUSH_US : SHARED_FLUSH_US,
                   many_us = FRAMES_SHARE * FRAME_US * around->n_nodes;
    DERIVE(flush_us, many_us > few_us ? many_us : few_us);
    /* Groups of a GPU that serve leave room for the kernels whose messages they serve: see slice_most of launch.c.
     */
    const uint32_t n_servers = is_cpu ? device->units : device->units / 2 + 1;
    DERIVE(n_servers, n_servers < GRAVELP_MOST_SERVERS ? n_servers : GRAVELP_MOST_SERVERS);
    DERIVE(server_items, is_cpu ? 1 : GPU_SERVER_ITEMS);
    DERIVE(chain_limit_ms, limit_ms(GRAVEL_LIMIT_CHAIN, config));
    if (config->check) /* a kernel that polls for what never comes is a mistake */
        DERIVE(kernel_limit_ms, limit_ms(GRAVEL_LIMIT_CHECKED, config));
#undef DERIVE
}
