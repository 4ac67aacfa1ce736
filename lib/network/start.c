/* SPDX-License-Identifier: MIT */
/*
 * Starts and stops the network thread, and joins it to senders and the resolver. See network.h.
 *
 * Path:    gravel_open -> start.c -> network.c; gravel_close -> start.c.
 * Memory:  U5: transport and opened are set, for the thread that opens the node. N2: senders, resolver and memory are
 *          set, for the network thread.
 */
#include "network/parts.h"
#include "spool/spool.h"

#include "base/await.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/timeouts.h"
#include "transport/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_THAT_WARN 2u  /* ranks: if one has not come, the other warns */
#define LEAST_WINDOW 2u /* of credit: one frame is written while the next one travels */

static void advance(struct gravel_network *network, uint32_t state)
{
    gravel_thread_advance(&network->thread, state);
    gravel_event_signal(&network->job_done);
}

/* Fails the node as the program finalises MPI: it continues without other nodes until it is closed. */
static void leave_mpi(struct gravel_network *network)
{
    network->transport->operations->leave_mpi(network->transport,
                                              !gravel_network_has_aborted(network));
    gravel_liveness_set_death(network, GRAVEL_DEATH_SENT);
    gravel_network_fail(network, GRAVEL_EMPI,
                        "MPI_Finalize: node %u is open and ends: call gravel_close before",
                        network->node);
    advance(network, GRAVEL_THREAD_HAS_LEFT_MPI);
    gravel_network_loop(network);
}

static void *thread_main(void *argument)
{
    struct gravel_network *network = argument;
    gravel_thread_begin("gravel-net");
    gravel_thread_block_write_signals();
    network->shape.opening.call = &network->opening_call;
    int code = network->shape.use_mpi
                   ? gravel_transport_mpi_open(&network->transport, &network->shape.opening)
                   : gravel_transport_self_open(&network->transport,
                                                network->shape.config->loopback_nodes);
    if (!code) {
        network->node = network->transport->node;
        network->n_nodes = network->transport->n_nodes;
        network->peers = calloc(network->n_nodes, sizeof *network->peers);
        if (!network->peers)
            code = gravel_fail(GRAVEL_ENOMEM, "network thread for %u nodes", network->n_nodes);
    }
    if (!code && network->shape.use_mpi)
        network->shape.take_shared(network->shape.context);
    network->opened = gravel_keep(code);
    gravel_liveness_begin(network);
    advance(network, GRAVEL_THREAD_OPENED);
    if (gravel_network_is_lost(network))
        return NULL; /* the opening thread has given up, the node is lost, and MPI with it: nothing is closed */
    if (!code) {
        gravel_network_loop(network);
        const bool leaves_mpi = gravel_thread_state(&network->thread) == GRAVEL_THREAD_LEAVES_MPI;
        gravel_network_leave(network);
        if (leaves_mpi)
            leave_mpi(network);
    }
    if (network->transport)
        network->transport->operations->close(network->transport,
                                              !gravel_network_has_aborted(network));
    advance(network, GRAVEL_THREAD_ENDED);
    return NULL;
}

/* ---- The wait for the transport. MPI has no limit for the calls by which processes find each other, and a network
 * that loses their packets keeps them without limit; so the thread is left in them after a while. ---- */

/* "MPI_Comm_dup for 5.0 s, as one of 4 processes, on host a (eth0 10.0.0.1)" */
static void describe(const struct gravel_network *network, uint64_t waited_ns, char *text,
                     size_t bytes)
{
    const char *call = atomic_load_explicit(&network->opening_call, memory_order_relaxed);
    const uint32_t n = gravel_launcher_read().n_processes;
    char host[256];
    gravel_host_describe(host, sizeof host);
    snprintf(text, bytes, "%s for %.1f s", call ? call : "the network thread",
             gravel_seconds(waited_ns));
    if (n)
        gravel_append(text, bytes, ", as one of %u processes", n);
    gravel_append(text, bytes, ", on %s", host);
}

/* Warns once that opening takes long; GRAVEL_OPEN_TIMEOUT of 0 is no limit. */
static int check(void *context, struct gravel_wait *wait)
{
    struct gravel_network *network = context;
    const uint64_t limit_ns = network->shape.config->open_timeout_ms * GRAVEL_NS_PER_MS;
    struct gravel_lived *lived = &wait->waited.lived;
    const uint64_t before_ns = lived->lived_ns;
    lived->step_ns = (limit_ns ? limit_ns : GRAVEL_WARN_NS) / GRAVEL_LIVED_STEPS;
    const uint64_t waited_ns = gravel_lived_tick(lived, gravel_clock_ns());
    char waits[400];
    if (limit_ns && waited_ns >= limit_ns) {
        if (!gravel_thread_move(&network->thread, GRAVEL_THREAD_RUNS, GRAVEL_THREAD_LOST))
            return 0; /* the thread has just ended its part after all */
        describe(network, waited_ns, waits, sizeof waits);
        return gravel_fail(
            GRAVEL_EMPI,
            "gravel_open: in %s (GRAVEL_OPEN_TIMEOUT is %u ms): another process has not come to "
            "gravel_open, or packets between hosts are lost. MPI may take a network that does not "
            "connect them: see OMPI_MCA_btl_tcp_if_include, UCX_NET_DEVICES, FI_TCP_IFACE, and "
            "firewalls",
            waits, network->shape.config->open_timeout_ms);
    }
    if (before_ns >= GRAVEL_WARN_NS || waited_ns < GRAVEL_WARN_NS)
        return 0;
    char text[480];
    describe(network, waited_ns, waits, sizeof waits);
    snprintf(text, sizeof text, "gravel_open waits for other processes in %s", waits);
    (gravel_launcher_read().rank < N_THAT_WARN ? network->shape.warn
                                               : network->shape.log)(network->shape.context, text);
    return 0;
}

int gravel_network_start(struct gravel_network *network, const struct gravel_network_shape *shape)
{
    network->shape = *shape;
    network->started_ns = gravel_clock_ns();
    GRAVEL_TRY(gravel_thread_start(&network->thread, "network thread", thread_main, network));
    struct gravel_wait wait = {.limit = {.check = check, .context = network},
                               .event = &network->job_done};
    int code = 0;
    while (gravel_thread_state(&network->thread) < GRAVEL_THREAD_OPENED &&
           !(code = gravel_wait_pause(&wait)))
        ;
    gravel_wait_end(&wait);
    GRAVEL_TRY(code);
    return network->opened.code ? gravel_fail_again(&network->opened) : 0;
}

int gravel_network_attach(struct gravel_network *network, const struct gravel_memory *memory,
                          unsigned char *host_frames, struct gravel_device_calls *calls,
                          struct gravel_trace *trace)
{
    const struct gravel_config *config = network->shape.config;
    struct gravel_resolver_shape resolver = {
        .heap = network->shape.heap,
        .endpoints = network->shape.endpoints,
        .reply = gravel_reply_send,
        .network = network,
        .memory = memory,
        .calls = calls,
        .max_frame_bytes = config->buffer_bytes,
        .owner = {.context = network,
                  .give_back = gravel_resolving_give_back,
                  .ended = gravel_resolving_ended},
        .trace = trace,
    };
    struct gravel_sender_shape sender = {
        .node = network->transport->node,
        .n_nodes = network->transport->n_nodes,
        .buffer_bytes = (uint32_t)config->buffer_bytes,
        .flush_ns = config->flush_us * GRAVEL_NS_PER_US,
        .timeout_ns = gravel_limit_ns(GRAVEL_LIMIT_HEARTBEAT, config->timeout_ms),
        .ship =
            gravel_network_put, /* handlers run in this thread: when the buffer at hand is done */
        .context = network,
        .failure = network->shape.failure,
    };
    const struct gravel_spool_shape spool = {
        .limit_ns = gravel_limit_ns(GRAVEL_LIMIT_RECORDS, config->timeout_ms),
        .dealt_with = &network->event,
        .endpoints = network->shape.endpoints,
        .are_bare = !config->print_tags,
    };
    network->shape.memory = memory;
    network->trace = trace;
    GRAVEL_TRY(gravel_resolver_create(&network->resolver, &resolver));
    GRAVEL_TRY(gravel_spool_create(&network->spool, &spool));
    network->credit.window = config->spool_bytes / GRAVEL_RECORDS_MOST_BYTES / sender.n_nodes;
    if (network->credit.window < LEAST_WINDOW)
        network->credit.window = LEAST_WINDOW;
    GRAVEL_TRY(gravel_sender_create(&network->handler_sender, &sender));
    sender.ship = gravel_network_ship;
    sender.n_buffers = network->transport->n_nodes * GRAVEL_HOST_BUFFERS;
    sender.frames = host_frames;
    sender.n_sessions = &network->n_sessions;
    GRAVEL_TRY(gravel_sender_create(&network->host_sender, &sender));
    atomic_store_explicit(&network->is_attached, true, memory_order_release); /* N2 */
    return 0;
}

/* @param state  HAS_LEFT_MPI, or 0: wait for its end. @return whether the thread has come so far; else it is lost. */
static bool wait_for(struct gravel_network *network, uint32_t state)
{
    struct gravel_wait wait = {.event =
                                   &network->job_done}; /* what the thread waits for has limits */
    uint32_t now;
    while ((now = gravel_thread_state(&network->thread)) < GRAVEL_THREAD_LOST && now != state)
        gravel_wait_pause(&wait);
    gravel_wait_end(&wait);
    return now != GRAVEL_THREAD_LOST;
}

void gravel_network_leave_mpi(struct gravel_network *network)
{
    gravel_thread_advance(&network->thread, GRAVEL_THREAD_LEAVES_MPI);
    gravel_event_signal(&network->event);
    wait_for(network, GRAVEL_THREAD_HAS_LEFT_MPI);
}

bool gravel_network_stop(struct gravel_network *network, bool keep_resolver)
{
    struct gravel_buffer *buffer;
    if (!gravel_thread_stop(&network->thread, &network->event))
        return true;
    bool has_ended = wait_for(network, 0);
    gravel_thread_end(&network->thread, has_ended);
    if (!has_ended)
        return false;
    while ((buffer = gravel_fifo_pop(&network->pending)) ||
           (buffer = gravel_fifo_pop(&network->held_acks)) ||
           (buffer = gravel_fifo_pop(&network->held)) ||
           (buffer = gravel_list_take(&network->outgoing)))
        gravel_pool_return(buffer);
    for (uint32_t node = 0; network->peers && node < network->n_nodes; node++)
        while ((buffer = gravel_fifo_pop(&network->peers[node].parked)))
            gravel_pool_return(buffer);
    if (!gravel_spool_destroy(network->spool))
        return false;
    if (!keep_resolver && !gravel_resolver_destroy(network->resolver))
        return false;
    gravel_sender_destroy(network->handler_sender);
    gravel_sender_destroy(network->host_sender);
    free(network->peers);
    return true;
}
