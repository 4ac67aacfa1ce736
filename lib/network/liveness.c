/* SPDX-License-Identifier: MIT */
/*
 * Heartbeats: every node sends one to its right neighbour and listens to its left one. A node whose neighbour is silent
 * for GRAVEL_TIMEOUT tells all nodes, and they fail with its name.
 *
 * MPI itself does not say that a peer is gone: sends to it succeed, receives from it wait.
 *
 * Path:    network.c -> liveness.c.
 * Threads: the network thread.
 */
#include "base/clock.h"
#include "network/parts.h"

#include <stdio.h>
#include <string.h>

#define BEATS_PER_TIMEOUT 8u
/* Within which all know of a death; a busy machine may keep from its core the node that finds it. */
#define BEATS_TO_TELL 4u

uint64_t gravel_network_patience_ms(const struct gravel_network *network)
{
    uint64_t timeout_ms = network->shape.config->timeout_ms;
    if (network->transport->is_loopback || network->transport->n_nodes == 1)
        return timeout_ms;
    return timeout_ms + timeout_ms * BEATS_TO_TELL / BEATS_PER_TIMEOUT;
}

static void beat(struct gravel_network *network, uint32_t node)
{
    struct gravel_buffer *buffer = gravel_network_frame(network, GRAVEL_FRAME_HEARTBEAT, node,
                                                        sizeof(struct gravel_heartbeat_frame));
    if (!buffer)
        return;
    gravel_late_write(network, (struct gravel_heartbeat_frame *)buffer->frame);
    gravel_network_transmit(network, buffer);
}

static void report_silence(struct gravel_network *network, uint32_t node, uint64_t silence_ns)
{
    char text[160];
    snprintf(text, sizeof text, "node %u has been silent for %.1f s (GRAVEL_TIMEOUT is %u ms)",
             node, (double)silence_ns * 1e-9, network->shape.config->timeout_ms);
    gravel_network_fail(network, GRAVEL_EPEER, text);
}

static uint64_t interval_ns(const struct gravel_network *network)
{
    return network->shape.config->timeout_ms * UINT64_C(1000000) / BEATS_PER_TIMEOUT;
}

void gravel_liveness_begin(struct gravel_network *network)
{
    network->beat_ns = gravel_clock_ns();
    network->lived = (struct gravel_lived){.step_ns = interval_ns(network), .lived_ns = 1};
    network->silence = network->loss = (struct gravel_lived){.step_ns = interval_ns(network)};
}

void gravel_liveness_hear(struct gravel_network *network)
{
    gravel_lived_tick(&network->silence, gravel_clock_ns());
    network->silence.lived_ns = 0;
}

/* This thread waited for the device since the last look, and has frames to read: that time is no silence. */
static void leave_out(struct gravel_network *network, uint64_t now_ns)
{
    network->silence.ticked_ns = now_ns;
}

/* Most likely a node is dead, which its neighbour finds out before this; those who wait for this node, after it. */
static void check_loss(struct gravel_network *network, uint64_t now_ns)
{
    uint64_t limit_ms =
        (network->shape.config->timeout_ms + gravel_network_patience_ms(network)) / 2;
    char text[240];
    if (!network->transport->lost[0] ||
        gravel_lived_tick(&network->loss, now_ns) < limit_ms * UINT64_C(1000000))
        return;
    snprintf(text, sizeof text, "frames to this node are lost: %s", network->transport->lost);
    gravel_network_fail(network, GRAVEL_EMPI, text);
    network->transport->lost[0] = '\0';
}

uint64_t gravel_liveness_step(struct gravel_network *network, uint64_t now_ns)
{
    uint32_t node = network->transport->node, n_nodes = network->transport->n_nodes;
    uint64_t timeout_ns = network->shape.config->timeout_ms * UINT64_C(1000000);
    if (network->transport->is_loopback || n_nodes == 1)
        return UINT64_MAX;
    if (now_ns - network->beat_ns >= interval_ns(network)) {
        beat(network, (node + 1) % n_nodes);
        network->beat_ns = now_ns;
    }
    uint64_t silence_ns = gravel_lived_tick(&network->silence, now_ns);
    if (silence_ns >= timeout_ns) {
        report_silence(network, (node + n_nodes - 1) % n_nodes, silence_ns);
        network->silence.lived_ns = 0;
    }
    check_loss(network, now_ns);
    return network->beat_ns + interval_ns(network) - now_ns;
}

void gravel_network_keep_alive(struct gravel_network *network, uint64_t now_ns)
{
    if (!gravel_thread_is_own(&network->thread))
        return;
    leave_out(network, now_ns);
    gravel_liveness_step(network, now_ns);
}

static void write_why(const struct gravel_network *network, struct gravel_death_frame *death)
{
    struct gravel_failure *failure = network->shape.failure;
    uint32_t node = network->transport->node;
    pthread_mutex_lock(&failure->lock);
    const int fatal = atomic_load_explicit(&failure->fatal, memory_order_relaxed); /* H2 */
    death->code = fatal ? fatal : GRAVEL_EPEER;
    if (fatal)
        snprintf(death->text, sizeof death->text, "node %u gave up: %.400s", node,
                 failure->fatal_text);
    else
        snprintf(death->text, sizeof death->text,
                 "node %u: its process has ended without gravel_close", node);
    pthread_mutex_unlock(&failure->lock);
}

static void tell_death(struct gravel_network *network, uint32_t node)
{
    struct gravel_buffer *buffer =
        gravel_network_frame(network, GRAVEL_FRAME_DEATH, node, sizeof(struct gravel_death_frame));
    if (!buffer)
        return;
    struct gravel_death_frame *death = (struct gravel_death_frame *)buffer->frame;
    write_why(network, death);
    gravel_network_transmit(network, buffer);
}

static uint32_t death_of(const struct gravel_network *network)
{
    return atomic_load_explicit(&network->death, memory_order_relaxed); /* N3 */
}

void gravel_liveness_set_death(struct gravel_network *network, uint32_t death)
{
    if (death_of(network) < death)
        atomic_store_explicit(&network->death, death, memory_order_relaxed); /* N3 */
    gravel_event_signal(&network->job_done);
}

void gravel_liveness_tell_death(struct gravel_network *network)
{
    const uint32_t death = death_of(network);
    for (uint32_t node = 0; death == GRAVEL_DEATH_UNTOLD && node < network->n_nodes; node++)
        if (!gravel_transport_is_local(network->transport, node))
            tell_death(network, node);
    if (death != GRAVEL_DEATH_TOLD)
        gravel_liveness_set_death(network, death + 1);
}

void gravel_network_wait_told(struct gravel_network *network, uint64_t most_ns)
{
    struct gravel_lived waited = gravel_lived_for(most_ns);
    if (gravel_thread_is_own(&network->thread))
        return;
    while (death_of(network) != GRAVEL_DEATH_TOLD &&
           gravel_lived_tick(&waited, gravel_clock_ns()) < most_ns) {
        uint32_t key = gravel_event_prepare(&network->job_done);
        if (death_of(network) == GRAVEL_DEATH_TOLD)
            gravel_event_cancel(&network->job_done);
        else
            gravel_event_wait(&network->job_done, key, waited.step_ns);
    }
}
