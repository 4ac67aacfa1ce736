/* SPDX-License-Identifier: MIT */
/*
 * Binning: a counting sort of each chunk of messages on its node row. See sender.h.
 *
 * Memory:  buffers change hands through queues, whose edges order their contents.
 */
#include "sender.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "wait/clock.h"

static void count(_Atomic uint64_t *counter, uint64_t n)
{
    uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + n, memory_order_relaxed); /* one writer */
}

static uint32_t power_of_two_above(uint32_t value)
{
    uint32_t power = 1;
    while (power < value)
        power *= 2;
    return power;
}

static int allocate(struct gravel_sender *sender)
{
    uint32_t n = sender->shape.n_nodes;
    sender->open = calloc(n, sizeof *sender->open);
    sender->counts = calloc(n, sizeof *sender->counts);
    sender->n_to = calloc(n, sizeof *sender->n_to);
    sender->to = calloc(n, sizeof *sender->to);
    sender->touched = calloc((size_t)n + 1, sizeof *sender->touched);
    sender->nodes = calloc(GRAVEL_SENDER_CHUNK, sizeof *sender->nodes);
    sender->position = calloc(GRAVEL_SENDER_CHUNK, sizeof *sender->position);
    if (!sender->open || !sender->counts || !sender->n_to || !sender->to || !sender->touched ||
        !sender->nodes || !sender->position)
        return GRAVEL_ENOMEM;
    if (sender->shape.n_buffers == 0)
        return 0;
    return gravel_spsc_create(&sender->free, power_of_two_above(sender->shape.n_buffers),
                              sizeof(struct gravel_buffer *), 0);
}

int gravel_sender_create(struct gravel_sender **out, const struct gravel_sender_shape *shape)
{
    *out = NULL;
    uint32_t widest = GRAVEL_COMMAND_AM(0, GRAVEL_AM_MAX_ARGS);
    if (gravel_buffer_fits(shape->buffer_bytes, widest) == 0)
        return gravel_fail(GRAVEL_ECONFIG,
                           "node buffer of %u bytes is smaller than its header and one message",
                           shape->buffer_bytes);
    struct gravel_sender *sender = aligned_alloc(GRAVEL_CACHELINE, sizeof *sender);
    if (!sender)
        return gravel_fail(GRAVEL_ENOMEM, "sender");
    memset(sender, 0, sizeof *sender);
    sender->shape = *shape;
    sender->oldest_ns = UINT64_MAX;
    if (allocate(sender)) {
        gravel_sender_destroy(sender);
        return gravel_fail(GRAVEL_ENOMEM, "sender for %u nodes", shape->n_nodes);
    }
    *out = sender;
    return 0;
}

void gravel_sender_destroy(struct gravel_sender *sender)
{
    if (!sender)
        return;
    struct gravel_buffer *buffer;
    while (sender->free && (buffer = gravel_spsc_pop_pointer(sender->free)))
        gravel_buffer_destroy(buffer);
    for (uint32_t i = 0; sender->open && i < sender->shape.n_nodes; i++)
        gravel_buffer_destroy(sender->open[i]);
    gravel_spsc_destroy(sender->free);
    free(sender->open);
    free(sender->counts);
    free(sender->n_to);
    free(sender->to);
    free(sender->touched);
    free(sender->nodes);
    free(sender->position);
    free(sender);
}

static struct gravel_buffer *make(struct gravel_sender *sender)
{
    struct gravel_buffer *buffer = gravel_buffer_create(sender->shape.buffer_bytes);
    if (!buffer)
        return NULL;
    buffer->home = sender->free ? sender : NULL;
    sender->n_made++;
    return buffer;
}

/* Wait until a buffer comes home. This is where a slow network holds the kernel back. */
static struct gravel_buffer *wait_for_buffer(struct gravel_sender *sender)
{
    struct gravel_buffer *buffer;
    count(&sender->waits, 1);
    while (!(buffer = gravel_spsc_pop_pointer(sender->free))) {
        if (atomic_load_explicit(sender->shape.aborted, memory_order_relaxed)) /* H2 */
            break;
        if (sender->shape.queue)
            gravel_package_beat(sender->shape.queue);
        gravel_idle_wait(&sender->idle, &sender->returned, GRAVEL_IDLE_MAX_NS);
    }
    gravel_idle_reset(&sender->idle);
    return buffer;
}

/* An empty buffer: one that came home, a new one, or the next that comes home. NULL on abort or no memory. */
static struct gravel_buffer *take_buffer(struct gravel_sender *sender)
{
    struct gravel_buffer *buffer = sender->free ? gravel_spsc_pop_pointer(sender->free) : NULL;
    if (buffer)
        return buffer;
    if (!sender->free || sender->n_made < sender->shape.n_buffers)
        if ((buffer = make(sender)))
            return buffer;
    bool some_travel = sender->n_made >= sender->shape.n_nodes; /* at most n_nodes - 1 are open now */
    return sender->free && some_travel ? wait_for_buffer(sender) : NULL;
}

static void ship(struct gravel_sender *sender, struct gravel_buffer *buffer,
                 enum gravel_ship_reason reason)
{
    gravel_buffer_close(buffer);
    struct gravel_sender_counts *counts = &sender->counts[buffer->frame->destination];
    count(&counts->buffers, 1);
    count(&counts->bytes, buffer->frame->bytes);
    count(&sender->shipped[reason], 1);
    sender->shape.ship(sender->shape.context, buffer);
}

static void ship_open(struct gravel_sender *sender, uint32_t node, enum gravel_ship_reason reason)
{
    struct gravel_buffer *buffer = sender->open[node];
    sender->open[node] = NULL;
    ship(sender, buffer, reason);
}

/* The node's open buffer with room for n messages of the command; ships a full one. NULL as take_buffer. */
static struct gravel_buffer *room_for(struct gravel_sender *sender, uint32_t node,
                                      const struct gravel_columns *columns, uint32_t n,
                                      uint64_t now_ns)
{
    struct gravel_buffer *buffer = sender->open[node];
    if (buffer && gravel_buffer_make_room(buffer, columns->command, columns->base, n))
        return buffer;
    if (buffer)
        ship_open(sender, node, GRAVEL_SHIP_FULL);
    buffer = take_buffer(sender);
    if (!buffer)
        return NULL;
    gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, sender->shape.node, node);
    buffer->opened_ns = now_ns;
    if (now_ns < sender->oldest_ns)
        sender->oldest_ns = now_ns;
    sender->open[node] = buffer;
    gravel_buffer_make_room(buffer, columns->command, columns->base, n); /* fits: see chunk_of */
    return buffer;
}

/* Copy a chunk's destinations and look at them once: kernels' memory is input like any other. */
static bool copy_nodes(struct gravel_sender *sender, const uint32_t *nodes, uint32_t n,
                       uint32_t *refused)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = nodes[i];
        sender->nodes[i] = node;
        most = node > most ? node : most;
    }
    *refused = most;
    return most < sender->shape.n_nodes;
}

/* Give every message its place among those to its node; @return destinations touched [count]. */
static uint32_t place(struct gravel_sender *sender, uint32_t n)
{
    uint32_t n_touched = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = sender->nodes[i];
        uint32_t before = sender->n_to[node];
        sender->position[i] = before;
        sender->n_to[node] = before + 1;
        sender->touched[n_touched] = node;
        n_touched += before == 0;
    }
    return n_touched;
}

static void scatter4(struct gravel_sender *sender, const unsigned char *row, uint32_t n)
{
    const uint32_t *from = (const uint32_t *)row;
    for (uint32_t i = 0; i < n; i++)
        ((uint32_t *)sender->to[sender->nodes[i]])[sender->position[i]] = from[i];
}

static void scatter8(struct gravel_sender *sender, const unsigned char *row, uint32_t n)
{
    const uint64_t *from = (const uint64_t *)row;
    for (uint32_t i = 0; i < n; i++)
        ((uint64_t *)sender->to[sender->nodes[i]])[sender->position[i]] = from[i];
}

/* Move one row into the buffers; sender->to says where. */
static void scatter(struct gravel_sender *sender, const unsigned char *row, uint32_t bytes,
                    uint32_t n, uint32_t n_touched)
{
    if (n_touched == 1)
        memcpy(sender->to[sender->touched[0]], row, (size_t)bytes * n);
    else if (bytes == 4)
        scatter4(sender, row, n);
    else
        scatter8(sender, row, n);
}

static void scatter_rows(struct gravel_sender *sender, const struct gravel_columns *columns,
                         uint32_t first, uint32_t n, uint32_t n_touched)
{
    uint32_t command = columns->command;
    uint32_t index_bytes = GRAVEL_INDEX_BYTES(command), value_bytes = GRAVEL_VALUE_BYTES(command);
    if (index_bytes) {
        for (uint32_t t = 0; t < n_touched; t++)
            sender->to[sender->touched[t]] =
                gravel_buffer_index(sender->open[sender->touched[t]]);
        scatter(sender, columns->index + (size_t)first * index_bytes, index_bytes, n, n_touched);
    }
    for (uint32_t row = 0; row < GRAVEL_N_VALUES(command); row++) {
        for (uint32_t t = 0; t < n_touched; t++)
            sender->to[sender->touched[t]] =
                gravel_buffer_value(sender->open[sender->touched[t]], row);
        scatter(sender, columns->values[row] + (size_t)first * value_bytes, value_bytes, n,
                n_touched);
    }
}

/* One chunk: at most GRAVEL_SENDER_CHUNK messages, and no more than an empty buffer holds. */
static int append_chunk(struct gravel_sender *sender, const struct gravel_columns *columns,
                        uint32_t first, uint32_t n, uint64_t now_ns, uint32_t *refused)
{
    if (!copy_nodes(sender, columns->nodes + first, n, refused))
        return GRAVEL_ERANGE;
    uint32_t n_touched = place(sender, n);
    int code = 0;
    for (uint32_t t = 0; t < n_touched; t++) {
        uint32_t node = sender->touched[t];
        if (!code && !room_for(sender, node, columns, sender->n_to[node], now_ns))
            code = atomic_load_explicit(sender->shape.aborted, memory_order_relaxed) /* H2 */
                       ? GRAVEL_EPEER
                       : GRAVEL_ENOMEM;
    }
    if (!code)
        scatter_rows(sender, columns, first, n, n_touched);
    for (uint32_t t = 0; t < n_touched; t++) {
        uint32_t node = sender->touched[t];
        if (!code) {
            sender->open[node]->run_n += sender->n_to[node];
            count(&sender->counts[node].messages, sender->n_to[node]);
        }
        sender->n_to[node] = 0;
    }
    return code;
}

/* Messages binned at a time: never more than an empty buffer holds, so that a destination needs but one. */
static uint32_t chunk_of(const struct gravel_sender *sender, uint32_t command)
{
    uint32_t fits = gravel_buffer_fits(sender->shape.buffer_bytes, command);
    return fits < GRAVEL_SENDER_CHUNK ? fits : GRAVEL_SENDER_CHUNK;
}

int gravel_sender_append(struct gravel_sender *sender, const struct gravel_columns *columns,
                         uint64_t now_ns, uint32_t *refused)
{
    uint32_t chunk = chunk_of(sender, columns->command);
    int code = 0;
    for (uint32_t first = 0; first < columns->n && !code; first += chunk) {
        uint32_t left = columns->n - first;
        code = append_chunk(sender, columns, first, left < chunk ? left : chunk, now_ns, refused);
    }
    return code;
}

static void flush(struct gravel_sender *sender, uint64_t opened_before_ns,
                  enum gravel_ship_reason reason)
{
    uint64_t oldest_ns = UINT64_MAX;
    for (uint32_t node = 0; node < sender->shape.n_nodes; node++) {
        struct gravel_buffer *buffer = sender->open[node];
        if (!buffer)
            continue;
        if (buffer->opened_ns <= opened_before_ns)
            ship_open(sender, node, reason);
        else if (buffer->opened_ns < oldest_ns)
            oldest_ns = buffer->opened_ns;
    }
    sender->oldest_ns = oldest_ns;
}

void gravel_sender_flush(struct gravel_sender *sender)
{
    if (sender->oldest_ns != UINT64_MAX)
        flush(sender, UINT64_MAX, GRAVEL_SHIP_FLUSH);
}

uint64_t gravel_sender_flush_aged(struct gravel_sender *sender, uint64_t now_ns)
{
    uint64_t age_ns = sender->shape.flush_ns;
    if (sender->oldest_ns == UINT64_MAX)
        return UINT64_MAX;
    if (sender->oldest_ns + age_ns <= now_ns)
        flush(sender, now_ns - age_ns, GRAVEL_SHIP_TIMEOUT);
    if (sender->oldest_ns == UINT64_MAX)
        return UINT64_MAX;
    uint64_t due_ns = sender->oldest_ns + age_ns;
    return due_ns > now_ns ? due_ns - now_ns : 0;
}

struct gravel_buffer *gravel_sender_frame(struct gravel_sender *sender, uint16_t kind,
                                          uint32_t destination)
{
    if (sender->open[destination])
        ship_open(sender, destination, GRAVEL_SHIP_FLUSH);
    struct gravel_buffer *buffer = take_buffer(sender);
    if (buffer)
        gravel_buffer_reset(buffer, kind, sender->shape.node, destination);
    return buffer;
}

void gravel_sender_ship_frame(struct gravel_sender *sender, struct gravel_buffer *buffer)
{
    struct gravel_sender_counts *counts = &sender->counts[buffer->frame->destination];
    count(&counts->buffers, 1);
    count(&counts->bytes, buffer->frame->bytes);
    count(&sender->shipped[GRAVEL_SHIP_FLUSH], 1);
    sender->shape.ship(sender->shape.context, buffer);
}

void gravel_sender_return(struct gravel_buffer *buffer)
{
    struct gravel_sender *home = buffer->home;
    if (!home) {
        gravel_buffer_destroy(buffer);
        return;
    }
    gravel_spsc_push_pointer(home->free, buffer); /* has room for every buffer there is */
    gravel_event_signal(&home->returned);
}
