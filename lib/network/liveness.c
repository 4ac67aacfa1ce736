/* SPDX-License-Identifier: MIT */
/*
 * Heartbeats: every node sends one to its right neighbour and listens to its left one. A node whose neighbour is silent
 * for GRAVEL_TIMEOUT is reported to all nodes, and they fail with an error that names it.
 *
 * MPI itself does not say that a peer is gone: sends to it succeed, receives from it wait.
 *
 * Heartbeats also say whom a collective call waits for: after 5 s, or GRAVEL_TIMEOUT if that is less, the log names a
 * node that has not made it. The late node's right neighbour prints that line if no function gets its log. A round
 * alone does not show which node is missing. Heartbeats say how many rounds their sender has begun: a node sees that
 * its left neighbour is behind it, and a node whose left neighbour waits too passes on whom that one waits for.
 *
 * Path:    network.c, collective.c, control.c -> liveness.c -> the log.
 * Threads: the network thread.
 */
#include "base/clock.h"
#include "base/timeouts.h"
#include "base/await.h"
#include "network/parts.h"

#include <stdio.h>
#include <string.h>

#define BEATS_PER_TIMEOUT 8u
#define FAREWELL_NS (GRAVEL_NS_PER_S / 4) /* most that exit waits */

static uint64_t heartbeat_ns(const struct gravel_network *network)
{
    return gravel_limit_ns(GRAVEL_LIMIT_HEARTBEAT, network->shape.config->timeout_ms);
}

uint64_t gravel_network_patience_ns(const struct gravel_network *network)
{
    return gravel_transport_is_alone(network->transport)
               ? heartbeat_ns(network)
               : gravel_limit_ns(GRAVEL_LIMIT_PEERS, network->shape.config->timeout_ms);
}

static uint32_t left_of(const struct gravel_network *network)
{
    const uint32_t n_nodes = network->transport->n_nodes;
    return (network->transport->node + n_nodes - 1) % n_nodes;
}

static uint64_t interval_ns(const struct gravel_network *network)
{
    return heartbeat_ns(network) / BEATS_PER_TIMEOUT;
}

void gravel_liveness_begin(struct gravel_network *network)
{
    network->beat_ns = gravel_clock_ns();
    network->lived = (struct gravel_lived){.step_ns = interval_ns(network), .lived_ns = 1};
    network->silence = network->loss = (struct gravel_lived){.step_ns = interval_ns(network)};
}

void gravel_liveness_hear(struct gravel_network *network, uint32_t source)
{
    if (source != left_of(network))
        return;
    gravel_lived_tick(&network->silence, gravel_clock_ns());
    network->silence.lived_ns = 0;
}

uint64_t gravel_liveness_step(struct gravel_network *network, uint64_t now_ns)
{
    if (gravel_transport_is_alone(network->transport))
        return UINT64_MAX;
    if (now_ns - network->beat_ns >= interval_ns(network)) {
        const struct gravel_heartbeat_frame beat = {.n_rounds = network->late.n_rounds,
                                                    .late_node = network->late.node};
        gravel_network_transmit(network,
                                gravel_network_frame(network, GRAVEL_FRAME_HEARTBEAT,
                                                     (network->node + 1) % network->n_nodes, &beat,
                                                     sizeof beat, 0));
        network->beat_ns = now_ns;
    }
    uint64_t silence_ns = gravel_lived_tick(&network->silence, now_ns);
    if (silence_ns >= heartbeat_ns(network)) {
        gravel_network_fail(
            network, GRAVEL_EPEER, "node %u has been silent for %.1f s (GRAVEL_TIMEOUT is %u ms)",
            left_of(network), gravel_seconds(silence_ns), network->shape.config->timeout_ms);
        network->silence.lived_ns = 0;
    }
    /* Most likely a node is dead, which its neighbour finds out before this; waiters for this node, after it. */
    if (network->transport->lost[0] &&
        gravel_lived_tick(&network->loss, now_ns) >=
            (heartbeat_ns(network) + gravel_network_patience_ns(network)) / 2) {
        gravel_network_fail(network, GRAVEL_EMPI, "frames to this node are lost: %s",
                            network->transport->lost);
        network->transport->lost[0] = '\0';
    }
    return network->beat_ns + interval_ns(network) - now_ns;
}

void gravel_network_keep_alive(struct gravel_network *network, uint64_t now_ns)
{
    if (!gravel_thread_is_own(&network->thread))
        return;
    /* This thread waited for the device since it last listened, and has frames to read: that time is not silence. */
    network->silence.ticked_ns = now_ns;
    gravel_liveness_step(network, now_ns);
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

void gravel_liveness_report_death(struct gravel_network *network)
{
    struct gravel_failure *failure = network->shape.failure;
    const uint32_t death = death_of(network);
    struct gravel_error_frame frame = {.code = GRAVEL_EPEER};
    if (death == GRAVEL_DEATH_REPORTED)
        return;
    snprintf(frame.text, sizeof frame.text, "node %u: its process has ended without gravel_close",
             network->node);
    pthread_mutex_lock(&failure->lock);
    const int fatal = atomic_load_explicit(&failure->fatal, memory_order_relaxed); /* H2 */
    if (fatal) {
        frame.code = fatal;
        snprintf(frame.text, sizeof frame.text, "node %u gave up: %.400s", network->node,
                 failure->fatal_text);
    }
    pthread_mutex_unlock(&failure->lock);
    for (uint32_t node = 0; death == GRAVEL_DEATH_UNTOLD && node < network->n_nodes; node++)
        if (!gravel_transport_is_local(network->transport, node))
            gravel_network_transmit(network, gravel_network_frame(network, GRAVEL_FRAME_DEATH, node,
                                                                  &frame, sizeof frame, 0));
    gravel_liveness_set_death(network, death + 1);
}

void gravel_network_wait_reported(struct gravel_network *network, uint64_t most_ns)
{
    struct gravel_wait wait = {.limit.ns = most_ns, .event = &network->job_done};
    if (gravel_thread_is_own(&network->thread))
        return;
    while (death_of(network) != GRAVEL_DEATH_REPORTED && !gravel_wait_pause(&wait))
        ;
    gravel_wait_end(&wait);
}

void gravel_network_say_farewell(struct gravel_network *network)
{
    atomic_store_explicit(&network->is_ending, true, memory_order_relaxed); /* event orders */
    gravel_event_signal(&network->event);
    const uint32_t state = gravel_thread_state(&network->thread);
    if (network->shape.use_mpi && state >= GRAVEL_THREAD_OPENED && state < GRAVEL_THREAD_LOST &&
        network->n_nodes > 1)
        gravel_network_wait_reported(network, FAREWELL_NS);
}

/* ---- whom a round waits for ------------------------------------------------------------------- */

void gravel_late_end(struct gravel_network *network)
{
    network->late.begun_ns = 0;
    network->late.node = 0;
}

void gravel_late_poll(struct gravel_network *network)
{
    struct gravel_late *late = &network->late;
    const uint64_t beat_ns = heartbeat_ns(network),
                   limit_ns = beat_ns < GRAVEL_WARN_NS ? beat_ns : GRAVEL_WARN_NS;
    uint64_t waited_ns = gravel_network_lived_ns(network) - late->begun_ns;
    char text[160];
    if (late->begun_ns == 0 || late->node || waited_ns < limit_ns)
        return;
    late->node = late->left_n_rounds < late->n_rounds ? left_of(network) + 1 : late->left_node;
    if (late->node == 0 || late->node == network->transport->node + 1)
        return;
    snprintf(text, sizeof text, "%s waits for node %u, which has not made that call for %.1f s",
             gravel_call_name(late->kind), late->node - 1, gravel_seconds(waited_ns));
    gravel_log_function *log = /* a job prints one line for each node that is late */
        late->node == left_of(network) + 1 ? network->shape.warn : network->shape.log;
    log(network->shape.context, text);
}

int gravel_late_read(struct gravel_network *network, const void *frame,
                     const struct gravel_received *received)
{
    const struct gravel_heartbeat_frame *beat = frame;
    struct gravel_late *late = &network->late;
    if (received->source != left_of(network))
        return gravel_fail(GRAVEL_ECORRUPT, "sender (node %u listens to node %u)", network->node,
                           left_of(network));
    /* A round ends when all have begun it, so a node is one round ahead at most. */
    if (beat->n_rounds < late->left_n_rounds || beat->n_rounds > late->n_rounds + 1)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "count of rounds (%" PRIu64 ", not %" PRIu64 " to %" PRIu64 ")",
                           beat->n_rounds, late->left_n_rounds, late->n_rounds + 1);
    if (beat->late_node > network->n_nodes)
        return gravel_fail(GRAVEL_ECORRUPT, "late node (%u of %u)", beat->late_node - 1,
                           network->n_nodes);
    late->left_n_rounds = beat->n_rounds;
    late->left_node = beat->late_node;
    return 0;
}
