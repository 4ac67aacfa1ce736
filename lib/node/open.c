/* SPDX-License-Identifier: MIT */
/*
 * Opens a node: joins the parts in the order in which a message meets them.
 *
 * Path:    gravel_open -> network thread and transport -> device -> arena -> aggregators; close.c takes them apart.
 * Note:    every node takes part in every collective step of opening, also one that has failed meanwhile, so
 *          that all nodes open or none does.
 */
#include "base/clock.h"
#include "base/fork.h"
#include "device/cores.h"
#include "node/bindings.h"
#include "node/defaults.h"
#include "node/node.h"
#include "node/settings.h"
#include "pump/device_aggregator.h"
#include "resolve/on_device/device_resolver.h"
#include "self_test/self_test.h"
#include "transport/launcher.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_TEST_ROUNDS 64u

void gravel_log(struct gravel *gravel, const char *format, ...)
{
    char text[GRAVEL_ERROR_BYTES];
    if (!gravel->log)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gravel->log(gravel->log_user, text);
}

/* Let every wait of the node end: kernels see H1, threads H2. */
static void abort_node(struct gravel *gravel)
{
    atomic_store_explicit(&gravel->aborted, true, memory_order_relaxed); /* H2 */
    if (gravel->arena)
        gravel_word_store(&gravel->arena->abort, 1, memory_order_relaxed); /* H1 */
    gravel_network_wake(&gravel->network);
    for (uint32_t i = 0; gravel->aggregators && i < gravel->config.n_aggregators; i++) {
        struct gravel_aggregator *aggregator = &gravel->aggregators[i];
        if (aggregator->sender)
            gravel_event_signal(&aggregator->sender->returned);
        gravel_event_signal(&aggregator->flushed);
    }
}

void gravel_report(void *context, int code, bool is_fatal, const char *text)
{
    struct gravel *gravel = context;
    gravel_log(gravel, "%s: %s", gravel_strerror(code), text);
    if (!is_fatal)
        gravel_failure_note_refusal(&gravel->failure, code, text);
    else if (gravel_failure_note_fatal(&gravel->failure, code, text))
        abort_node(gravel);
}

/* ---- open ------------------------------------------------------------------------------------ */

static bool use_mpi(const struct gravel_config *config, const struct gravel_bindings *bindings)
{
    if (!strcmp(config->transport, "auto"))
        return bindings->mpi_comm || gravel_transport_mpi_is_launched();
    return !strcmp(config->transport, "mpi");
}

/* Processes of a job that would each be a job of its own, without a word. */
static int check_launcher(const struct gravel_config *config)
{
    const char *variable;
    uint32_t n = gravel_launcher_processes(&variable);
    if (n < 2 || strcmp(config->transport, "auto") != 0)
        return 0;
    return gravel_fail(GRAVEL_ECONFIG,
                       "launched as %u processes (%s), %s; GRAVEL_TRANSPORT=self would make each a "
                       "job of its own",
                       n, variable,
                       gravel_transport_mpi_is_built() ? "but by no launcher of MPI"
                                                       : "built without MPI (meson option mpi)");
}

/* Without it node buffers are sent to nodes of this machine as to all others. */
static void make_segment(struct gravel *gravel)
{
    if (gravel_segment_create(&gravel->segment))
        gravel_log(gravel, "%s", gravel_last_error());
}

static int open_network(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    bool has_mpi = use_mpi(&gravel->config, bindings);
    int code = has_mpi ? 0 : check_launcher(&gravel->config);
    if (code)
        return code;
    if (has_mpi)
        make_segment(gravel);
    const struct gravel_network_shape shape = {
        .config = &gravel->config,
        .heap = gravel->heap,
        .handlers = gravel->handlers,
        .n_handlers = gravel->n_handlers,
        .call = gravel_call_handler,
        .context = gravel,
        .report = gravel_report,
        .failure = &gravel->failure,
        .aborted = &gravel->aborted,
        .use_mpi = has_mpi,
        .comm = bindings->mpi_comm,
        .segment = gravel->segment,
    };
    return gravel_network_start(&gravel->network, &shape);
}

/* Bytes of all node buffers of one aggregator. */
static uint64_t frames_bytes(const struct gravel *gravel)
{
    return gravel_pool_frame_bytes((uint32_t)gravel->config.buffer_bytes) *
           gravel->config.n_buffers * gravel->network.transport->n_nodes;
}

/* What the device bins. It does so for whole buffers only. */
static const char *device_aggregation(const struct gravel *gravel)
{
    const struct gravel_config *config = &gravel->config;
    return gravel_aggregation_of(config->aggregation) || config->check ? "off"
                                                                       : config->device_aggregation;
}

/* Memory for node buffers of the aggregators, and of the pump behind them, where it matters what memory that is. */
static void place_frames(struct gravel *gravel)
{
    const struct gravel_config *config = &gravel->config;
    bool bins = gravel_device_bins(&gravel->device, device_aggregation(gravel));
    if (bins)
        gravel->n_pump_buffers =
            gravel_derive_pump_buffers(config, gravel->network.transport->n_nodes);
    uint64_t pump_bytes =
        gravel_pool_frames_bytes((uint32_t)config->buffer_bytes, gravel->n_pump_buffers);
    uint64_t bytes = (frames_bytes(gravel) + pump_bytes) * config->n_aggregators;
    unsigned char *shared = NULL;
    if (gravel->network.transport->n_takers)
        shared = gravel_segment_take(gravel->segment, bytes);
    gravel_memory_place_frames(&gravel->memory, shared, bytes,
                               bins || config->buffer_bytes >= GRAVEL_STRAIGHT_BYTES);
    gravel_memory_pin_others(&gravel->memory, gravel->network.transport->views,
                             gravel->network.transport->n_views);
}

/* Servers are for handlers with keys. @return GRAVEL_ECONFIG if the inboxes asked for are too small. */
static int shape_servers(const struct gravel *gravel, struct gravel_servers_shape *shape)
{
    const struct gravel_config *config = &gravel->config;
    const uint32_t least = gravel_servers_slots_for(1), wanted = config->inbox_slots;
    *shape = (struct gravel_servers_shape){.n_servers = config->n_servers,
                                           .n_slots = 256,
                                           .n_clients = gravel_node_groups_at_once(gravel)};
    for (uint32_t i = 0; i < gravel->n_handlers; i++)
        if (gravel->handlers[i].n_keys && gravel->handlers[i].n_args > shape->n_args)
            shape->n_args = gravel->handlers[i].n_args;
    if (wanted && wanted < 2 * least)
        return gravel_fail(GRAVEL_ECONFIG, "GRAVEL_INBOX=%u: at least %u slots", wanted, 2 * least);
    while (wanted ? shape->n_slots <= wanted / 2
                  : shape->n_slots < 2 * gravel_servers_slots_for(shape->n_clients))
        shape->n_slots *= 2;
    while (wanted && shape->n_slots > wanted)
        shape->n_slots /= 2;
    while (shape->n_clients > 1 && gravel_servers_slots_for(shape->n_clients) > shape->n_slots / 2)
        shape->n_clients--;
    return 0;
}

static int open_arena(struct gravel *gravel, const struct gravel_servers_shape *servers)
{
    const struct gravel_config *config = &gravel->config;
    const struct gravel_transport *transport = gravel->network.transport;
    gravel->n_heaps = transport->is_loopback ? transport->n_nodes : 1;
    const struct gravel_arena_shape shape = {
        .node = transport->node,
        .n_nodes = transport->n_nodes,
        .n_heaps = gravel->n_heaps,
        .n_queues = config->n_aggregators,
        .queue_bytes = config->queue_bytes,
        .slot_bytes = config->slot_bytes,
        .heap_bytes = config->heap_bytes,
        .wait_ms = gravel->device.step == GRAVEL_STEP_DRAIN
                       ? 0
                       : (uint32_t)gravel_network_patience_ms(&gravel->network),
        .look_ns = gravel->device.look_ns,
        .servers_bytes = gravel_servers_bytes(servers),
        .huge_pages = config->huge_pages,
    };
    int code = gravel_memory_create(&gravel->memory, &gravel->device, &shape);
    gravel->arena = gravel->memory.arena;
    if (!code)
        code = gravel_servers_open(&gravel->servers, servers, &gravel->memory, gravel->n_heaps);
    if (!code)
        place_frames(gravel);
    return code;
}

static void wake_aggregator(void *context, uint32_t queue)
{
    struct gravel *gravel = context;
    gravel_aggregator_wake(&gravel->aggregators[queue]);
}

/* Where kernels' packages must be fetched. */
static int open_pump(struct gravel *gravel)
{
    uint64_t before = frames_bytes(gravel) * gravel->config.n_aggregators;
    const struct gravel_pump_shape shape = {
        .memory = &gravel->memory,
        .aborted = &gravel->aborted,
        .report = gravel_report,
        .wake = wake_aggregator,
        .context = gravel,
        .timeout_ns = gravel_network_patience_ms(&gravel->network) * UINT64_C(1000000),
        .aggregation = device_aggregation(gravel),
        .buffer_bytes = (uint32_t)gravel->config.buffer_bytes,
        .n_buffers = gravel->n_pump_buffers,
        .is_loopback = gravel->network.transport->is_loopback,
        .frames = gravel->memory.frames ? gravel->memory.frames + before : NULL,
    };
    return gravel->memory.buffer ? gravel_pump_create(&gravel->pump, &shape) : 0;
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
                  .arrived = gravel->pump ? gravel_pump_arrived(gravel->pump, number) : NULL,
                  .clock = gravel_package_clock(arena)},
        .arena = arena,
        .blocks = gravel->pump ? gravel_pump_blocks(gravel->pump, number) : NULL,
        .aborted = &gravel->aborted,
        .report = gravel_report,
        .report_context = gravel,
        .timeout_ns = config->timeout_ms * UINT64_C(1000000),
        .aggregation = gravel_aggregation_of(config->aggregation),
        .check = {.names = &gravel->kernel_names},
        .number = number,
    };
    const struct gravel_sender_shape shape = {
        .node = arena->node,
        .n_nodes = arena->n_nodes,
        .buffer_bytes = (uint32_t)config->buffer_bytes,
        .n_buffers = config->n_buffers * arena->n_nodes,
        .frames =
            gravel->memory.frames ? gravel->memory.frames + number * frames_bytes(gravel) : NULL,
        .flush_ns = config->flush_us * UINT64_C(1000),
        .ship = gravel_network_ship,
        .context = &gravel->network,
        .aborted = &gravel->aborted,
        .queue = &aggregator->queue,
    };
    return gravel_sender_create(&aggregator->sender, &shape);
}

static int open_aggregators(struct gravel *gravel)
{
    uint32_t n = gravel->config.n_aggregators;
    gravel->aggregators = aligned_alloc(GRAVELP_CACHELINE, n * sizeof *gravel->aggregators);
    if (!gravel->aggregators)
        return gravel_fail(GRAVEL_ENOMEM, "%u aggregators", n);
    memset(gravel->aggregators, 0, n * sizeof *gravel->aggregators);
    int code = open_pump(gravel);
    for (uint32_t i = 0; i < n && !code; i++)
        code = make_aggregator(gravel, i);
    for (uint32_t i = 0; i < n && !code; i++)
        code = gravel_aggregator_start(&gravel->aggregators[i]);
    return code;
}

/* Handlers that the device runs, if there are any. */
static int open_calls(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    const struct gravel_device_calls_shape shape = {
        .device = &gravel->device,
        .memory = &gravel->memory,
        .handlers = gravel->handlers,
        .n_handlers = gravel->n_handlers,
        .bindings = bindings,
        .config = &gravel->config,
        .turn = &gravel->servers.turn,
    };
    return gravel_device_calls_create(&gravel->calls, &shape);
}

/* What one node can open by itself, once it knows who it is. */
static int open_device(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    const struct gravel_transport *transport = gravel->network.transport;
    const struct gravel_neighbours neighbours = {transport->n_local, transport->local};
    int code = gravel_device_open(&gravel->device, &gravel->config, bindings, &neighbours);
    gravel->device.limit =
        (struct gravel_limit){.check = gravel_node_check_wait, .context = gravel};
    if (!code)
        code = gravel_node_check_slice(gravel);
    if (!code)
        code = gravel_self_test(&gravel->device, OPEN_TEST_ROUNDS, NULL);
    return code ? code : gravel_self_test_handlers(&gravel->device, bindings);
}

/* Nodes whose steps differ would take different buffers; the largest suits all. Collective. */
static int derive(struct gravel *gravel)
{
    const struct gravel_transport *transport = gravel->network.transport;
    const struct gravel_surroundings place = {
        .device = &gravel->device,
        .n_nodes = transport->n_nodes,
        .cores = gravel_cores_of_node(transport->n_local),
    };
    uint64_t bytes =
        gravel->config.buffer_bytes; /* the same everywhere: gravel_agree_on_settings */
    if (bytes == 0)
        bytes = gravel_derive_buffer_bytes(&place);
    int code = gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_ULONG, &bytes, 1);
    gravel->config.buffer_bytes = bytes;
    gravel_derive(&gravel->config, &place);
    return code;
}

/* The rest of it, once the settings are known. */
static int open_local(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    const struct gravel_transport *transport = gravel->network.transport;
    struct gravel_servers_shape servers;
    int code = shape_servers(gravel, &servers);
    if (!code)
        code = open_arena(gravel, &servers);
    if (!code)
        code = open_calls(gravel, bindings);
    if (!code && gravel->config.trace[0])
        code = gravel_trace_open(&gravel->trace, gravel->config.trace, transport->node);
    gravel->destination_base = calloc(transport->n_nodes, sizeof *gravel->destination_base);
    if (!code && !gravel->destination_base)
        code = gravel_fail(GRAVEL_ENOMEM, "statistics of %u nodes", transport->n_nodes);
    if (!code) {
        uint32_t n_buffers = gravel->config.n_buffers * gravel->config.n_aggregators + 4;
        uint32_t n_staying = transport->is_loopback ? transport->n_nodes : 1;
        uint32_t n_pump_buffers = (gravel->n_pump_buffers + GRAVEL_BLOCK_ROOMS * n_staying) *
                                  gravel->config.n_aggregators;
        code =
            gravel_network_attach(&gravel->network, &gravel->memory, gravel->calls, gravel->trace,
                                  n_buffers * transport->n_nodes + n_pump_buffers);
    }
    return code ? code : open_aggregators(gravel);
}

/* @param code  whether this node's settings and handlers will do. */
static int open_together(struct gravel *gravel, const struct gravel_bindings *bindings, int code)
{
    code = gravel_agree_on_success(gravel, code);
    if (!code)
        code = gravel_agree_on_settings(gravel);
    if (!code)
        code = gravel_agree_on_success(gravel, open_device(gravel, bindings));
    if (!code)
        code = derive(gravel);
    if (!code)
        code = gravel_agree_on_success(gravel, open_local(gravel, bindings));
    if (!code)
        code = gravel_node_tell_neighbours(gravel);
    return code ? code : gravel_barrier(gravel);
}

static int check_call(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    int code = gravel_config_check(&gravel->config);
    if (!code)
        code = gravel_node_take_handlers(gravel, bindings);
    if (!code && gravel_heap_create(&gravel->heap, gravel->config.heap_bytes))
        code = gravel_fail(GRAVEL_ENOMEM, "books of the symmetric heap");
    return code;
}

/* Fallback settings, just enough to tell the other nodes that this node cannot open. */
static void use_modest_settings(struct gravel_config *config)
{
    const char *wanted = config->transport[0] ? config->transport : getenv("GRAVEL_TRANSPORT");
    const char *transport = !wanted                   ? "auto"
                            : !strcmp(wanted, "self") ? "self"
                            : !strcmp(wanted, "mpi")  ? "mpi"
                                                      : "auto";
    strcpy(config->transport, transport);
    config->loopback_nodes = 1;
    config->timeout_ms = 8000;
}

/* @param code  of reading the bindings and settings. */
static int open_parts(struct gravel *gravel, const struct gravel_bindings *bindings, int code)
{
    char text[GRAVEL_ERROR_BYTES] = "";
    if (!code)
        code = check_call(gravel, bindings);
    if (code) {
        snprintf(text, sizeof text, "%s", gravel_last_error());
        use_modest_settings(&gravel->config);
    }
    int network = open_network(gravel, bindings);
    if (!network)
        network = open_together(gravel, bindings, code);
    return code ? gravel_fail(code, "%s", text) : network;
}

/* A node without parts. */
static struct gravel *make_node(const struct gravel_bindings *bindings)
{
    struct gravel *gravel = aligned_alloc(GRAVELP_CACHELINE, sizeof *gravel);
    if (!gravel)
        return NULL;
    memset(gravel, 0, sizeof *gravel);
    gravel->log = bindings->log;
    gravel->log_user = bindings->log_user;
    gravel->opened_ns = gravel_clock_ns();
    gravel->n_forks = gravel_fork_count();
    gravel_failure_init(&gravel->failure);
    gravel_launches_init(&gravel->launches);
    pthread_mutex_init(&gravel->drain_lock, NULL);
    pthread_mutex_init(&gravel->stats_lock, NULL);
    pthread_mutex_init(&gravel->maps_lock, NULL);
    pthread_mutex_init(&gravel->kernel_names.lock, NULL);
    return gravel;
}

/* @param bindings  a copy: its handlers become the library's own. */
static int open_node(struct gravel *gravel, const struct gravel_config *config,
                     struct gravel_bindings *bindings)
{
    int code = gravel_bindings_read_handlers(bindings);
    if (config)
        gravel->config = *config;
    else if (!code)
        code = gravel_config_load(&gravel->config, sizeof gravel->config);
    code = open_parts(gravel, bindings, code);
    free((void *)bindings->handlers);
    return code;
}

int gravel_open(struct gravel **out, const struct gravel_config *config,
                const struct gravel_bindings *bindings)
{
    struct gravel_bindings own;
    struct gravel_config settings;
    if (!out)
        return gravel_fail(GRAVEL_EINVAL, "gravel_open: out is NULL");
    *out = NULL;
    gravel_fork_watch();
    if (gravel_fork_count())
        return gravel_fail(GRAVEL_EINVAL, "gravel_open after fork: the parent had opened a node, "
                                          "whose drivers have no threads in a child");
    int code = gravel_bindings_read(&own, bindings);
    if (!code && config)
        code = gravel_config_read(&settings, config);
    if (code)
        return code;
    struct gravel *gravel = make_node(&own);
    if (!gravel)
        return gravel_fail(GRAVEL_ENOMEM, "node");
    code = open_node(gravel, config ? &settings : NULL, &own);
    if (code) {
        char text[16 * GRAVEL_ERROR_BYTES]; /* freeing may overwrite the reason */
        snprintf(text, sizeof text, "%s", gravel_last_error());
        gravel_node_free(gravel);
        return gravel_fail_text(code, text);
    }
    atomic_store_explicit(&gravel->is_open, true, memory_order_relaxed); /* H5 */
    *out = gravel;
    return 0;
}
