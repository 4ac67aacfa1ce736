/* SPDX-License-Identifier: MIT */
/*
 * Opens a node: joins the parts in the order in which a message meets them.
 *
 * Path:    gravel_open -> network thread and transport -> device -> outbound.c: arena and aggregators. close.c frees.
 * Note:    every node takes part in every collective step of opening, also a node that has failed, so that
 *          all nodes open or none does.
 */
#include "base/descriptor.h"
#include "device/cores.h"
#include "settings/defaults.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "settings/settings.h"
#include "self_test/self_test.h"

#include <stdlib.h>
#include <string.h>

/* Takes node 0's settings, unless their byte order is another: its nodes are refused in the first round. */
static void take_shared(void *context)
{
    struct gravel *gravel = context;
    if (gravel->shared.mark == GRAVEL_BYTE_ORDER && gravel->network.transport->node != 0)
        gravel_config_take(&gravel->config, &gravel->shared.config);
}

static int open_network(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    bool has_mpi;
    GRAVEL_TRY(
        gravel_transport_choose(gravel->config.transport, bindings->mpi_comm != NULL, &has_mpi));
    /* without a segment node buffers are sent to nodes of this machine as to all others */
    if (has_mpi && gravel_segment_create(&gravel->segment))
        gravel_log(gravel, "%s", gravel_last_error());
    const struct gravel_network_shape shape = {
        .config = &gravel->config,
        .heap = gravel->heap,
        .endpoints = &gravel->endpoints,
        .context = gravel,
        .report = gravel_report,
        .log = gravel_log_text,
        .warn = gravel_warn,
        .failure = &gravel->failure,
        .use_mpi = has_mpi,
        .opening = {.comm = bindings->mpi_comm,
                    .segment = gravel->segment,
                    .shared = &gravel->shared,
                    .shared_bytes = sizeof gravel->shared,
                    .finalising = gravel_abort_finalising},
        .take_shared = take_shared,
    };
    return gravel_network_start(&gravel->network, &shape);
}

/* Opens what one node can open by itself, once it knows who it is. */
static int open_device(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    const struct gravel_transport *transport = gravel->network.transport;
    const struct gravel_neighbours neighbours = {transport->n_sharing, transport->local};
    int code = gravel_device_open(&gravel->device, &gravel->config, bindings, &neighbours);
    gravel->device.limit = (struct gravel_limit){
        .check = gravel_node_check_wait, .keep = gravel_node_keep_memory, .context = gravel};
    gravel->device.private_memory = &gravel->private_memory;
    gravel->private_memory.is_pooled =
        !gravel->device.capability.is_cpu && gravel_step_may_wait(gravel->device.step);
    GRAVEL_TRY(code);
    /* A slice that fills the device would keep the resolver's kernels out, for which its leaders wait. */
    const uint32_t most = gravel->device.units - 1, wanted = gravel->config.slice_groups;
    if (gravel_device_leaves_unit(&gravel->device) && wanted > most)
        return gravel_fail(
            GRAVEL_ECONFIG,
            "GRAVEL_SLICE=%u: on step %s %u work-groups at most, so that one of %u compute "
            "units stays free",
            wanted, gravel_step_name(gravel->device.step), most, most + 1);
    GRAVEL_TRY(gravel_self_test(&gravel->device, gravel->config.self_test_rounds, NULL));
    return gravel_self_test_handlers(&gravel->device, bindings);
}

/* Derives settings. Nodes whose steps differ would take different buffers; the largest suits all. Collective. */
static int derive(struct gravel *gravel)
{
    const struct gravel_transport *transport = gravel->network.transport;
    const struct gravel_surroundings surroundings = {
        .device = &gravel->device,
        .n_nodes = transport->n_nodes,
        .cores = gravel_cores_of_node(transport->n_sharing),
    };
    uint64_t bytes =
        gravel->config.buffer_bytes; /* the same everywhere: gravel_agree_on_settings */
    if (bytes == 0)
        bytes = gravel_derive_buffer_bytes(&gravel->config, &surroundings);
    int code = gravel_node_reduce(gravel, &gravel_call_open, GRAVEL_MAX, GRAVEL_ULONG, &bytes, 1);
    gravel->config.buffer_bytes = bytes;
    gravel->has_n_servers = gravel->config.n_servers != 0;
    gravel_derive(&gravel->config, &surroundings);
    gravel->awake_us = gravel_derive_awake_us(&gravel->config, &surroundings);
    return code;
}

/* Opens the rest of the node, once the settings are known. */
static int open_local(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    const struct gravel_transport *transport = gravel->network.transport;
    const struct gravel_device_calls_shape calls = {
        .device = &gravel->device,
        .memory = &gravel->memory,
        .endpoints = &gravel->endpoints,
        .bindings = bindings,
        .config = &gravel->config,
        .keys = &gravel->servers.keys,
        .is_kept = gravel_node_is_kept,
        .context = gravel,
    };
    GRAVEL_TRY(gravel_derive_check_route_memory(&gravel->config, transport->n_nodes));
    GRAVEL_TRY(gravel_node_open_arena(gravel));
    GRAVEL_TRY(gravel_cl_queue_create(&gravel->device, "copies of accumulators and deques",
                                      &gravel->copies));
    GRAVEL_TRY(gravel_device_calls_create(&gravel->calls, &calls));
    if (gravel->config.trace[0])
        GRAVEL_TRY(gravel_trace_open(&gravel->trace, gravel->config.trace, transport->node));
    gravel->destination_base = calloc(transport->n_nodes, sizeof *gravel->destination_base);
    if (!gravel->destination_base)
        return gravel_fail_memory("gravel_open: statistics",
                                  transport->n_nodes * sizeof *gravel->destination_base);
    GRAVEL_TRY(gravel_network_attach(&gravel->network, &gravel->memory,
                                     gravel_node_host_frames(gravel), gravel->calls,
                                     gravel->trace));
    GRAVEL_TRY(gravel_node_open_aggregators(gravel));
    gravel_node_provide_private(gravel, GRAVEL_PRIVATE_LEAST);
    return 0;
}

/* @param code  whether this node's settings and handlers will do. */
static int open_together(struct gravel *gravel, const struct gravel_bindings *bindings, int code)
{
    GRAVEL_TRY(gravel_node_agree_on(gravel, &gravel_call_open, false, code));
    GRAVEL_TRY(gravel_agree_on_settings(gravel));
    GRAVEL_TRY(
        gravel_node_agree_on(gravel, &gravel_call_open, false, open_device(gravel, bindings)));
    GRAVEL_TRY(derive(gravel));
    GRAVEL_TRY(
        gravel_node_agree_on(gravel, &gravel_call_open, false, open_local(gravel, bindings)));
    GRAVEL_TRY(gravel_node_log_neighbours(gravel));
    return gravel_node_barrier(gravel, &gravel_call_open, false);
}

static int check_call(struct gravel *gravel, struct gravel_bindings *bindings)
{
    GRAVEL_TRY(gravel_config_check(&gravel->config));
    GRAVEL_TRY(gravel_settings_check_names(NULL, NULL));
    gravel->endpoints.node = gravel;
    GRAVEL_TRY(gravel_endpoints_take(&gravel->endpoints, bindings));
    return gravel_heap_create(&gravel->heap, GRAVEL_HEAP_FIRST, gravel->config.heap_bytes);
}

/* @param code  of reading the bindings and settings. */
static int open_parts(struct gravel *gravel, struct gravel_bindings *bindings, int code)
{
    if (!code)
        code = check_call(gravel, bindings);
    const struct gravel_kept met = gravel_keep(code);
    if (code)
        gravel_config_fall_back(&gravel->config);
    gravel->shared.mark = code ? 0 : GRAVEL_BYTE_ORDER;
    gravel->shared.config = gravel->config;
    int network = open_network(gravel, bindings);
    if (!network)
        network = gravel_watch_start(gravel);
    if (gravel->network.node == 0) /* once a job, whose processes have one environment */
        gravel_settings_check_names(gravel_log_text, gravel);
    if (!network)
        network = open_together(gravel, bindings, code);
    return code ? gravel_fail_again(&met) : network;
}

/* Returns a node without parts. */
static struct gravel *make_node(const struct gravel_bindings *bindings)
{
    struct gravel *gravel = aligned_alloc(GRAVELP_CACHELINE, sizeof *gravel);
    if (!gravel)
        return NULL;
    memset(gravel, 0, sizeof *gravel);
    gravel->log = bindings->log;
    gravel->log_user = bindings->log_user;
    gravel->n_forks = gravel_fork_count();
    gravel_abort_allow(gravel);
    return gravel;
}

int gravel_open(struct gravel **out, const struct gravel_config *config,
                const struct gravel_bindings *bindings)
{
    struct gravel_bindings own;
    struct gravel_config settings;
    if (!out)
        return gravel_fail(GRAVEL_EINVAL, "gravel_open: out is NULL");
    *out = NULL;
    GRAVEL_TRY(gravel_caller_refuse(gravel_fork_count(), "gravel_open", GRAVEL_WAITS));
    gravel_descriptor_guard();
    if (gravel_fork_count())
        return gravel_fail(GRAVEL_EINVAL, "gravel_open after fork: the parent had opened a node, "
                                          "whose drivers have no threads in a child");
    GRAVEL_TRY(gravel_bindings_read(&own, bindings));
    if (config)
        GRAVEL_TRY(gravel_config_read(&settings, config));
    struct gravel *gravel = make_node(&own);
    if (!gravel)
        return gravel_fail_memory("gravel_open: the node", sizeof *gravel);
    int code = 0;
    if (config)
        gravel->config = settings;
    else
        code = gravel_config_load(&gravel->config, sizeof gravel->config);
    code = open_parts(gravel, &own, code);
    if (code) {
        const struct gravel_kept met = gravel_keep(code);
        gravel_node_free(gravel);
        return gravel_fail_again(&met);
    }
    /* all threads whose waits a round consists of */
    gravel_event_stay_awake(&gravel->network.event, gravel->awake_us);
    gravel_event_stay_awake(&gravel->network.job_done, gravel->awake_us);
    for (uint32_t i = 0; i < gravel->config.n_aggregators; i++) {
        gravel_event_stay_awake(&gravel->aggregators[i].event, gravel->awake_us);
        gravel_event_stay_awake(&gravel->aggregators[i].flushed, gravel->awake_us);
    }
    gravel_node_see(gravel, GRAVEL_DEVICE_ANSWERS);
    gravel_watch_end_opening(gravel);
    gravel_watch_progress(gravel, true);
    *out = gravel;
    return 0;
}
