/* SPDX-License-Identifier: MIT */
/*
 * Binning: each message goes to the open run of its destination's buffer. See sender.h.
 *
 * Full runs, new commands and destinations without a buffer are dealt with here; bin.c has the loops. Where all of a
 * chunk goes to one destination, as near the middle of a node's part of a graph, whole rows are copied.
 *
 * Memory:  buffers change hands through lists, whose edges order their contents.
 */
#include "aggregate/sender.h"

#include "base/clock.h"
#include "base/counter.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static int allocate(struct gravel_sender *sender)
{
    uint32_t n = sender->shape.n_nodes;
    sender->bins.bins = aligned_alloc(GRAVELP_CACHELINE, n * sizeof *sender->bins.bins);
    sender->open = calloc(n, sizeof *sender->open);
    sender->counts = calloc(n, sizeof *sender->counts);
    if (!sender->bins.bins || !sender->open || !sender->counts)
        return GRAVEL_ENOMEM;
    memset(sender->bins.bins, 0, n * sizeof *sender->bins.bins);
    const struct gravel_pool_shape pool = {.buffer_bytes = sender->shape.buffer_bytes,
                                           .n_buffers = sender->shape.n_buffers,
                                           .frames = sender->shape.frames};
    gravel_pool_init(&sender->pool, &pool, &sender->returned);
    return 0;
}

int gravel_sender_create(struct gravel_sender **out, const struct gravel_sender_shape *shape)
{
    *out = NULL;
    if (gravel_buffer_fits(shape->buffer_bytes, GRAVELP_WIDEST) == 0)
        return gravel_fail(GRAVEL_ECONFIG,
                           "node buffer of %u bytes is smaller than its header and one message",
                           shape->buffer_bytes);
    struct gravel_sender *sender = aligned_alloc(GRAVELP_CACHELINE, sizeof *sender);
    if (!sender)
        return gravel_fail(GRAVEL_ENOMEM, "sender");
    memset(sender, 0, sizeof *sender);
    sender->shape = *shape;
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
    for (uint32_t i = 0; sender->open && i < sender->shape.n_nodes; i++)
        gravel_buffer_destroy(sender->open[i]);
    gravel_pool_destroy(&sender->pool);
    free(sender->bins.bins);
    free(sender->open);
    free(sender->counts);
    free(sender);
}

/* Wait until a buffer comes home. This is where a slow network holds the kernel back; or a slow writer, for records: it
 * has a limit of its own, so that this or the pump renews those of kernels, and they wait as long. */
static struct gravel_buffer *wait_for_buffer(struct gravel_sender *sender)
{
    const bool holds = sender->shape.queue && sender->shape.has_records;
    struct gravel_buffer *buffer;
    gravel_counter_add(&sender->waits, 1);
    if (holds)
        gravel_package_hold(sender->shape.queue, true);
    while (!(buffer = gravel_pool_take(&sender->pool))) {
        if (gravel_failure_is_fatal(sender->shape.failure))
            break;
        if (holds)
            gravel_package_renew(sender->shape.queue);
        if (sender->shape.queue)
            gravel_package_beat(sender->shape.queue, gravel_clock_ns());
        gravel_idle_wait(&sender->idle, &sender->returned, GRAVEL_IDLE_MAX_NS);
    }
    if (holds)
        gravel_package_hold(sender->shape.queue, false);
    gravel_idle_reset(&sender->idle);
    return buffer;
}

/* An empty buffer: one that came home, a new one, or the next that comes home. NULL on abort or no memory. */
static struct gravel_buffer *take_buffer(struct gravel_sender *sender)
{
    struct gravel_buffer *buffer = gravel_pool_take(&sender->pool);
    bool some_travel =
        sender->shape.n_buffers &&
        sender->pool.n_made >= sender->shape.n_nodes; /* n_nodes - 1 are open at most */
    return buffer || !some_travel ? buffer : wait_for_buffer(sender);
}

/* How often the network thread has come for what was shipped, and found some. */
static uint64_t n_gathers(const struct gravel_sender *sender)
{
    return sender->shape.shipped ? gravel_counter_load(&sender->shape.shipped->n_gathers) : 0;
}

static void ship(struct gravel_sender *sender, struct gravel_buffer *buffer,
                 enum gravel_ship_reason reason)
{
    struct gravel_sender_counts *counts = &sender->counts[buffer->frame->destination];
    gravel_counter_add(&counts->messages, buffer->frame->n_messages);
    gravel_counter_add(&counts->buffers, 1);
    gravel_counter_add(&counts->bytes, buffer->frame->bytes);
    gravel_counter_add(&sender->shipped[reason], 1);
    sender->n_gathers = n_gathers(sender);
    sender->shape.ship(sender->shape.context, buffer);
}

/* Leave the bin's run, if it is in one: the buffer knows how far it got, the bin has no room. */
static void leave_run(struct gravel_sender *sender, uint32_t node)
{
    struct gravel_bin *bin = &sender->bins.bins[node];
    if (bin->run == 0)
        return;
    sender->open[node]->run_n = bin->n;
    bin->n = bin->end = 0;
    bin->run = 0;
}

/* Open buffers are a list, oldest first: what flushes them looks at no other node. */
static void link_open(struct gravel_sender *sender, struct gravel_buffer *buffer)
{
    buffer->next = NULL;
    buffer->previous = sender->newest;
    *(sender->newest ? &sender->newest->next : &sender->oldest) = buffer;
    sender->newest = buffer;
}

static void unlink_open(struct gravel_sender *sender, struct gravel_buffer *buffer)
{
    *(buffer->previous ? &buffer->previous->next : &sender->oldest) = buffer->next;
    *(buffer->next ? &buffer->next->previous : &sender->newest) = buffer->previous;
}

static void ship_open(struct gravel_sender *sender, uint32_t node, enum gravel_ship_reason reason)
{
    struct gravel_buffer *buffer = sender->open[node];
    leave_run(sender, node);
    sender->open[node] = NULL;
    unlink_open(sender, buffer);
    gravel_buffer_close(buffer);
    ship(sender, buffer, reason);
}

/* An empty open buffer for the node. False as take_buffer. */
static bool open_buffer(struct gravel_sender *sender, uint32_t node, uint64_t now_ns)
{
    struct gravel_buffer *buffer = take_buffer(sender);
    if (!buffer)
        return false;
    gravel_buffer_reset(buffer,
                        sender->shape.has_records ? GRAVEL_FRAME_RECORDS : GRAVEL_FRAME_MESSAGES,
                        sender->shape.node, node);
    buffer->opened_ns = now_ns;
    sender->open[node] = buffer;
    link_open(sender, buffer);
    return true;
}

/* Point the bin at a run of the current command with room; ships a full buffer. False as take_buffer. */
static bool renew_bin(struct gravel_sender *sender, uint32_t node, uint64_t now_ns)
{
    struct gravel_bin *bin = &sender->bins.bins[node];
    struct gravel_buffer *buffer = sender->open[node];
    if (buffer) {
        leave_run(sender, node);
        if (!gravel_buffer_make_room(buffer, &sender->key, 1))
            ship_open(sender, node, GRAVEL_SHIP_FULL);
    }
    if (!sender->open[node]) {
        if (!open_buffer(sender, node, now_ns))
            return false;
        gravel_buffer_make_room(sender->open[node], &sender->key, 1);
    }
    buffer = sender->open[node];
    bin->n = buffer->run_n;
    buffer->run_n = 0; /* the bin counts on, from the start of the rows */
    bin->index = gravel_buffer_index(buffer);
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(sender->key.command); row++)
        bin->values[row] = gravel_buffer_value(buffer, row);
    bin->end = buffer->run_capacity;
    bin->run = sender->bins.run;
    return true;
}

/* Number runs, so that a bin of another is noticed. */
static void begin_run(struct gravel_sender *sender, const struct gravel_run_key *key)
{
    sender->is_urgent |= GRAVELP_HAS_SIGNAL(key->command) && !GRAVELP_IS_RECORD(key->command);
    if (sender->bins.run && gravel_run_is_same(&sender->key, key))
        return;
    sender->key = *key;
    if (key->text) /* a kernel's memory */
        sender->key.text = memcpy(sender->text, key->text, GRAVELP_TEXT_BYTES(key->command));
    if (GRAVELP_IS_REQUEST(sender->key.command) && !GRAVELP_IS_CALL(sender->key.command))
        sender->key.call = sender->n_calls = sender->n_calls + 1 ? sender->n_calls + 1 : 1;
    if (++sender->bins.run == 0)
        sender->bins.run = 1;
}

/* Bits of a chunk's destinations. */
struct node_bits {
    uint32_t any;    /* the bits that any has */
    uint32_t differ; /* the bits in which any differs from the first; 0: they are one node */
};

/* Copy a chunk's destinations and look at them once: kernels' memory is input like any other. */
static struct node_bits copy_nodes(struct gravel_sender *sender, const uint32_t *nodes, uint32_t n)
{
    struct node_bits bits = {0, 0};
    uint32_t first = nodes[0];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = nodes[i];
        sender->nodes[i] = node;
        bits.any |= node;
        bits.differ |= node ^ first;
    }
    return bits;
}

bool gravel_sender_has_nodes(const struct gravel_sender *sender, const uint32_t *nodes, uint32_t n,
                             uint32_t *refused)
{
    for (uint32_t i = 0; i < n; i++)
        if ((*refused = nodes[i]) >= sender->shape.n_nodes)
            return false;
    return true;
}

/* n messages for one node, from column `first` on. False as take_buffer. */
static bool append_rows(struct gravel_sender *sender, const struct gravel_columns *columns,
                        uint32_t node, size_t first, uint32_t n, uint64_t now_ns)
{
    for (uint32_t done = 0; done < n;) {
        done += gravel_bin_rows(&sender->bins, columns, node, first + done, n - done);
        if (done < n && !renew_bin(sender, node, now_ns))
            return false;
    }
    return true;
}

/* n messages, whose destinations are in sender->nodes. False as take_buffer. */
static bool append_each(struct gravel_sender *sender, const struct gravel_columns *columns,
                        size_t first, uint32_t n, uint64_t now_ns)
{
    for (uint32_t done = 0; done < n;) {
        done += gravel_bin_messages(&sender->bins, columns, sender->nodes + done, first + done,
                                    n - done);
        if (done < n && !renew_bin(sender, sender->nodes[done], now_ns))
            return false;
    }
    return true;
}

int gravel_sender_append(struct gravel_sender *sender, const struct gravel_columns *columns,
                         uint64_t now_ns, uint32_t *refused)
{
    if (columns->n > GRAVEL_SENDER_CHUNK &&
        !gravel_sender_has_nodes(sender, columns->nodes, columns->n, refused))
        return GRAVEL_ERANGE; /* before any chunk goes */
    begin_run(sender, &columns->key);
    for (uint32_t first = 0; first < columns->n; first += GRAVEL_SENDER_CHUNK) {
        uint32_t left = columns->n - first;
        uint32_t n = left < GRAVEL_SENDER_CHUNK ? left : GRAVEL_SENDER_CHUNK;
        struct node_bits bits = copy_nodes(sender, columns->nodes + first, n);
        if (bits.any >= sender->shape.n_nodes &&
            !gravel_sender_has_nodes(sender, sender->nodes, n, refused))
            return GRAVEL_ERANGE;
        if (bits.differ ? !append_each(sender, columns, first, n, now_ns)
                        : !append_rows(sender, columns, sender->nodes[0], first, n, now_ns))
            return gravel_failure_is_fatal(sender->shape.failure) ? GRAVEL_EPEER : GRAVEL_ENOMEM;
    }
    return 0;
}

void gravel_sender_ship_block(struct gravel_sender *sender, struct gravel_block *block)
{
    struct gravel_buffer *buffer;
    while ((buffer = block->first)) {
        uint32_t node = buffer->frame->destination;
        block->first = buffer->next;
        if (sender->open[node])
            ship_open(sender, node, GRAVEL_SHIP_FLUSH);
        gravel_buffer_complete(buffer);
        ship(sender, buffer, GRAVEL_SHIP_FULL);
    }
}

static void flush(struct gravel_sender *sender, uint64_t opened_before_ns,
                  enum gravel_ship_reason reason)
{
    while (sender->oldest && sender->oldest->opened_ns <= opened_before_ns)
        ship_open(sender, sender->oldest->frame->destination, reason);
    sender->is_urgent &= sender->oldest != NULL;
}

void gravel_sender_flush(struct gravel_sender *sender)
{
    flush(sender, UINT64_MAX, GRAVEL_SHIP_FLUSH);
}

/* ---- ages ------------------------------------------------------------------------------------ */

/* Of GRAVEL_TIMEOUT. A session without an end makes messages late, but no wait of another node for them. */
#define SESSION_PART 8u

/* Sessions of the kernels whose packages it bins; see gravel_package_sessions. */
static uint32_t count_of_kernels(const struct gravel_sender *sender)
{
    return sender->shape.queue ? gravel_package_sessions(sender->shape.queue) : 0;
}

void gravel_sender_end_sessions(struct gravel_sender *sender)
{
    sender->ended_sessions = count_of_kernels(sender);
}

static bool are_kernels_in_session(struct gravel_sender *sender)
{
    const int32_t n = (int32_t)(count_of_kernels(sender) - sender->ended_sessions);
    if (n < 0) /* a kernel ran on behind a flush, and has ended what that had ended */
        gravel_sender_end_sessions(sender);
    return n > 0;
}

/* Whether buffers do not age: asked when a buffer is old, so that a session costs nothing where buffers fill. */
static bool is_in_session(struct gravel_sender *sender)
{
    const _Atomic uint32_t *n_sessions = sender->shape.n_sessions;
    if (!n_sessions)
        return false;
    const uint32_t n = atomic_load_explicit(n_sessions, memory_order_relaxed); /* A7 */
    return n != 0 || are_kernels_in_session(sender);
}

/* When the oldest open buffer leaves, whether a session lasts or not. */
static uint64_t latest_ns(const struct gravel_sender *sender)
{
    const uint64_t age_ns = sender->shape.flush_ns;
    const uint64_t session_ns = sender->shape.timeout_ns / SESSION_PART;
    return sender->oldest->opened_ns + (age_ns > session_ns ? age_ns : session_ns);
}

/* When it leaves if no session is seen until then. */
static uint64_t due_ns(const struct gravel_sender *sender)
{
    const uint64_t opened_ns = sender->oldest->opened_ns;
    const bool was_kept = sender->session_ns > opened_ns;
    const uint64_t due_ns = (was_kept ? sender->session_ns : opened_ns) + sender->shape.flush_ns;
    return due_ns < latest_ns(sender) ? due_ns : latest_ns(sender);
}

/* Whether buffers that are due would only wait behind others: on a busy machine, or one of many nodes, for so long that
 * many more messages fit them. Behind buffers of its own that the thread has not come for; behind those of others, not
 * for long: they may come without an end. */
static bool is_network_behind(const struct gravel_sender *sender, uint64_t late_ns)
{
    const struct gravel_list *shipped = sender->shape.shipped;
    return shipped && !gravel_list_is_gathered(shipped) &&
           (n_gathers(sender) == sender->n_gathers ||
            late_ns < GRAVEL_SENDER_AGES * sender->shape.flush_ns);
}

uint64_t gravel_sender_flush_aged(struct gravel_sender *sender, uint64_t now_ns)
{
    if (!sender->oldest)
        return UINT64_MAX;
    const bool is_kept = due_ns(sender) <= now_ns && is_in_session(sender);
    if (is_kept)
        sender->session_ns = now_ns;
    const bool is_due = due_ns(sender) <= now_ns;
    const uint64_t late_ns = is_due ? now_ns - due_ns(sender) : 0;
    if (is_due && is_network_behind(sender, late_ns))
        return (late_ns + sender->shape.flush_ns) / GRAVEL_SENDER_AGES;
    if (is_due)
        flush(sender, now_ns - sender->shape.flush_ns, GRAVEL_SHIP_TIMEOUT);
    if (!sender->oldest)
        return UINT64_MAX;
    const uint64_t next_ns = is_kept ? latest_ns(sender) : due_ns(sender);
    return next_ns > now_ns ? next_ns - now_ns : 0;
}

/* ---- frames ---------------------------------------------------------------------------------- */

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
    ship(sender, buffer, GRAVEL_SHIP_FLUSH);
}
