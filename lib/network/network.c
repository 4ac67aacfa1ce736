/* SPDX-License-Identifier: MIT */
/*
 * The network thread's loop: what it sends and receives. The loop alone sends what senders have shipped: jobs say that
 * they wait for it. See network.h.
 *
 * Path:    outgoing.c -> network.c -> transport, or control.c for a frame to this node; transport -> control.c.
 */
#include "network/parts.h"

#include "base/clock.h"

#define BATCH 16u                      /* frames of one kind before those of the next kind */
#define SHIPS_FIRST_NS UINT64_C(40000) /* about what a poll and a hand-over take */

/* Hand a frame to the transport; or act on it, if its destination is here. */
static void pass_on(struct gravel_network *network, struct gravel_buffer *buffer)
{
    struct gravel_frame *frame = buffer->frame;
    const uint32_t node = frame->destination;
    if (!gravel_transport_is_local(network->transport, node)) {
        gravel_network_transmit(network, buffer);
        return;
    }
    gravel_network_number(network, frame);
    network->peers[node].n_acked = network->peers[node].n_sent[0];
    const struct gravel_received received = {.source = network->transport->node,
                                             .destination = node,
                                             .sequence = frame->sequence,
                                             .bytes = frame->bytes,
                                             .buffer = buffer,
                                             .rows = buffer->rows.memory ? &buffer->rows : NULL};
    if (!gravel_control_handle(network, frame, &received))
        gravel_pool_return(buffer);
}

/* Passes a frame on, unless it has records, and is parked for want of credit. */
static void deliver(struct gravel_network *network, struct gravel_buffer *buffer)
{
    if (buffer->frame->kind != GRAVEL_FRAME_RECORDS || gravel_records_admit(network, buffer))
        pass_on(network, buffer);
}

static uint32_t send_pending(struct gravel_network *network, uint32_t limit)
{
    struct gravel_buffer *buffer;
    uint32_t n = 0;
    while (n < limit && (buffer = gravel_fifo_pop(&network->pending))) {
        deliver(network, buffer);
        n++;
    }
    return n;
}

/* Sends all that senders have shipped so far; not what kernels or handlers add while it does: there may be no end. */
static uint32_t send_shipped(struct gravel_network *network)
{
    struct gravel_buffer *buffer;
    uint32_t n = 0, n_gathers = 0;
    do
        for (; (buffer = gravel_list_next(&network->outgoing)); n++)
            deliver(network, buffer);
    while (n_gathers++ == 0 && gravel_list_gather(&network->outgoing));
    return n;
}

/* Send all that has been shipped so far, and what handlers have sent. */
static uint32_t drain(struct gravel_network *network)
{
    uint32_t n = send_shipped(network), n_pending = 0;
    gravel_sender_flush(network->handler_sender);
    const uint64_t n_calls = gravel_counter_load(&network->n_handler_calls);
    for (const struct gravel_buffer *buffer = network->pending.first; buffer; buffer = buffer->next)
        n_pending++;
    n += send_pending(network, n_pending);
    atomic_store_explicit(&network->n_handler_shipped, n_calls, memory_order_relaxed); /* U12 */
    return n;
}

/*
 * Returns whether frames of others can wait. Nodes whose rounds keep step drain at one time, and each waits for the
 * other's frames: what a node is about to ship leaves before it has the device apply what came, which takes the driver
 * as long as a poll. But a drain may last, so only for a moment.
 */
static bool ships_first(struct gravel_network *network, uint64_t now_ns, uint64_t *due_ns)
{
    if (!atomic_load_explicit(&network->n_draining, memory_order_relaxed)) { /* U13 */
        network->draining_ns = 0;
        return false;
    }
    if (network->draining_ns == 0)
        network->draining_ns = now_ns;
    uint64_t lasts_ns = now_ns - network->draining_ns;
    if (lasts_ns >= SHIPS_FIRST_NS)
        return false;
    if (SHIPS_FIRST_NS - lasts_ns < *due_ns)
        *due_ns = SHIPS_FIRST_NS - lasts_ns;
    return true;
}

static uint32_t receive(struct gravel_network *network, uint32_t limit)
{
    struct gravel_transport *transport = network->transport;
    struct gravel_frame *frame;
    uint32_t bytes, source, n = 0;
    while (n < limit && (frame = transport->operations->receive(transport, &bytes, &source))) {
        gravel_liveness_hear(network, source);
        bool is_life = bytes >= sizeof *frame && gravel_frame_is_life(frame->kind);
        uint64_t *n_before = &network->peers[source].n_received[is_life];
        const struct gravel_received received = {.source = source,
                                                 .destination = transport->node,
                                                 .sequence = (*n_before)++,
                                                 .bytes = bytes};
        const bool is_kept = gravel_control_handle(network, frame, &received);
        /* The frames that lie in its sender's memory go back to it in their order. */
        if (!is_kept && network->n_kept_foreign)
            gravel_network_check(network, gravel_resolver_give_back(network->resolver));
        network->n_kept_foreign += is_kept;
        transport->operations->received(transport, is_kept);
        n++;
    }
    gravel_network_check(network, transport->fault);
    transport->fault = 0; /* reported */
    return n;
}

/* Sends partly filled buffers of handlers and host calls by age, as aggregators do. */
static uint64_t flush_aged(struct gravel_network *network, uint64_t now_ns)
{
    uint64_t due_ns = gravel_sender_flush_aged(network->handler_sender, now_ns);
    if (pthread_mutex_trylock(&network->host_lock) == 0) {
        uint64_t host_due_ns = gravel_sender_flush_aged(network->host_sender, now_ns);
        pthread_mutex_unlock(&network->host_lock);
        due_ns = host_due_ns < due_ns ? host_due_ns : due_ns;
    }
    return due_ns;
}

static void act_on_held(struct gravel_network *network, struct gravel_buffer *buffer)
{
    const struct gravel_received received = {.source = buffer->frame->source,
                                             .destination = buffer->frame->destination,
                                             .sequence = buffer->frame->sequence,
                                             .bytes = buffer->frame->bytes,
                                             .buffer = buffer};
    if (!gravel_control_act(network, buffer->frame, &received))
        gravel_pool_return(buffer);
}

bool gravel_network_exchange(struct gravel_network *network)
{
    struct gravel_transport *transport = network->transport;
    if (gravel_transport_is_alone(transport))
        return false;
    const uint32_t n = transport->operations->sent(transport);
    return receive(network, BATCH) + n != 0;
}

bool gravel_network_step(struct gravel_network *network, uint64_t now_ns, uint64_t *due_ns)
{
    struct gravel_buffer *buffer;
    bool has_moved;
    uint32_t n = 0;
    if (atomic_load_explicit(&network->is_attached, memory_order_acquire)) { /* N2 */
        if (!network->sees_attached && !gravel_transport_is_alone(network->transport)) {
            /* The size of node buffers is agreed on; frames of records and our own must fit as well. */
            const uint32_t bytes = (uint32_t)network->shape.config->buffer_bytes;
            _Static_assert(sizeof(struct gravel_error_frame) <= GRAVEL_RECORDS_LEAST_BYTES, "fit");
            gravel_network_check(network, network->transport->operations->prepare(
                                              network->transport, bytes < GRAVEL_RECORDS_LEAST_BYTES
                                                                      ? GRAVEL_RECORDS_LEAST_BYTES
                                                                      : bytes));
        }
        network->sees_attached = true;
        *due_ns = flush_aged(network, now_ns);
        gravel_network_check(network, gravel_resolver_poll(network->resolver, &has_moved));
        n += has_moved; /* also if nothing waits for a handler on the device that does not end */
        if (gravel_records_collect(network))
            n += send_shipped(network); /* what functions have sent goes ahead of their answers */
        n += gravel_records_poll(network);
        for (; (buffer = gravel_records_unpark(network)); n++)
            pass_on(network, buffer);
        for (uint32_t i = 0; i < BATCH && (buffer = gravel_list_take(&network->outgoing)); i++, n++)
            deliver(network, buffer);
    }
    n += send_pending(network, BATCH);
    if (!ships_first(network, now_ns, due_ns))
        n += gravel_network_exchange(network);
    for (; (buffer = gravel_ahead_next(network, due_ns)); n++)
        act_on_held(network, buffer);
    if (network->sees_attached)
        gravel_sender_flush_urgent(network->handler_sender); /* answers */
    bool has_aborted = gravel_network_has_aborted(network);
    if (has_aborted || atomic_load_explicit(&network->is_ending, memory_order_relaxed))
        gravel_liveness_report_death(network);
    if (has_aborted)
        gravel_job_fail_all(network);
    gravel_job_take_new(network);
    if (gravel_job_waits_for_sends(network))
        n += drain(network);
    has_moved = gravel_job_step(network);
    uint64_t beat_due_ns =
        gravel_liveness_step(network, gravel_clock_ns()); /* all this took time */
    if (beat_due_ns < *due_ns)
        *due_ns = beat_due_ns;
    return n || has_moved;
}

void gravel_network_progress(struct gravel_network *network)
{
    uint64_t due_ns = UINT64_MAX;
    if (gravel_network_step(network, gravel_clock_ns(), &due_ns))
        gravel_idle_reset(&network->idle);
    else
        gravel_idle_wait(&network->idle, &network->event, due_ns);
}

void gravel_network_loop(struct gravel_network *network)
{
    while (!gravel_thread_is_stopping(&network->thread) &&
           gravel_thread_state(&network->thread) != GRAVEL_THREAD_LEAVES_MPI)
        gravel_network_progress(network);
    gravel_idle_reset(&network->idle);
}
