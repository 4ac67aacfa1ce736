/* SPDX-License-Identifier: MIT */
/*
 * Binning: each message goes to the open run of its destination's buffer. See sender.h.
 *
 * A bin, one cache line, holds what the loops need, so that a message costs a load of its bin and a store a row. They
 * stop at a bin that has no room or belongs to another run, which is rare, and is then renewed. Where all of a chunk
 * goes to one destination, as near the middle of a node's part of a graph, whole rows are copied.
 *
 * Memory:  buffers change hands through lists, whose edges order their contents.
 */
#include "aggregate/sender.h"

#include "base/clock.h"
#include "base/counter.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The open run of a destination's open buffer. */
struct gravel_bin {
    _Alignas(GRAVELP_CACHELINE) unsigned char *index; /* first index of the run */
    unsigned char *values[GRAVEL_AM_MAX_ARGS];        /* first value of each row */
    uint32_t n;                                       /* messages in the run */
    uint32_t end;                                     /* messages it has room for */
    uint32_t run; /* the sender's run number it was opened for; another number: poll again */
};

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
    const uint32_t n = shape->n_nodes;
    sender->shape = *shape;
    sender->bins = aligned_alloc(GRAVELP_CACHELINE, n * sizeof *sender->bins);
    sender->open = calloc(n, sizeof *sender->open);
    sender->counts = calloc(n, sizeof *sender->counts);
    sender->pool = (struct gravel_pool){.buffer_bytes = shape->buffer_bytes,
                                        .n_buffers = shape->n_buffers,
                                        .frames = shape->frames,
                                        .returned = &sender->returned};
    if (!sender->bins || !sender->open || !sender->counts) {
        gravel_sender_destroy(sender);
        return gravel_fail(GRAVEL_ENOMEM, "sender for %u nodes", n);
    }
    memset(sender->bins, 0, n * sizeof *sender->bins);
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
    free(sender->bins);
    free(sender->open);
    free(sender->counts);
    free(sender);
}

/* Waits until a buffer is returned. This is where a slow network holds the kernel back; or a slow writer, for records:
 * it has a limit of its own, so that this or the pump renews those of kernels, and they wait as long. */
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

/* Takes an empty buffer: a returned one, a new one, or the next that is returned. NULL on abort or no memory. */
static struct gravel_buffer *take_buffer(struct gravel_sender *sender)
{
    struct gravel_buffer *buffer = gravel_pool_take(&sender->pool);
    bool some_travel =
        sender->shape.n_buffers &&
        sender->pool.n_made >= sender->shape.n_nodes; /* n_nodes - 1 are open at most */
    return buffer || !some_travel ? buffer : wait_for_buffer(sender);
}

/* Returns how often the network thread has come for what was shipped, and found some. */
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
    struct gravel_bin *bin = &sender->bins[node];
    if (bin->run == 0)
        return;
    sender->open[node]->run_n = bin->n;
    bin->n = bin->end = 0;
    bin->run = 0;
}

/* Closes and ships a node's open buffer. They are a list, oldest first: what flushes them visits no other node. */
static void ship_open(struct gravel_sender *sender, uint32_t node, enum gravel_ship_reason reason)
{
    struct gravel_buffer *buffer = sender->open[node];
    leave_run(sender, node);
    sender->open[node] = NULL;
    *(buffer->previous ? &buffer->previous->next : &sender->oldest) = buffer->next;
    *(buffer->next ? &buffer->next->previous : &sender->newest) = buffer->previous;
    gravel_buffer_close(buffer);
    ship(sender, buffer, reason);
}

/* Opens an empty buffer for the node. False as take_buffer. */
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
    buffer->previous = sender->newest;
    *(sender->newest ? &sender->newest->next : &sender->oldest) = buffer;
    sender->newest = buffer;
    return true;
}

/* Point the bin at a run of the current command with room; ships a full buffer. False as take_buffer. */
static bool renew_bin(struct gravel_sender *sender, uint32_t node, uint64_t now_ns)
{
    struct gravel_bin *bin = &sender->bins[node];
    struct gravel_buffer *buffer;
    leave_run(sender, node);
    while (!(buffer = sender->open[node]) || !gravel_buffer_make_room(buffer, &sender->key, 1))
        if (buffer)
            ship_open(sender, node, GRAVEL_SHIP_FULL);
        else if (!open_buffer(sender, node, now_ns))
            return false;
    bin->n = buffer->run_n;
    buffer->run_n = 0; /* the bin counts on, from the start of the rows */
    bin->index = gravel_buffer_index(buffer);
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(sender->key.command); row++)
        bin->values[row] = gravel_buffer_value(buffer, row);
    bin->end = buffer->run_capacity;
    bin->run = sender->run;
    return true;
}

/* Number runs, so that a bin of another is noticed. */
static void begin_run(struct gravel_sender *sender, const struct gravel_run_key *key)
{
    sender->is_urgent |= GRAVELP_HAS_SIGNAL(key->command) && !GRAVELP_IS_RECORD(key->command);
    if (sender->run && gravel_run_is_same(&sender->key, key))
        return;
    sender->key = *key;
    if (key->text) /* a kernel's memory */
        sender->key.text = memcpy(sender->text, key->text, GRAVELP_TEXT_BYTES(key->command));
    if (GRAVELP_IS_REQUEST(sender->key.command) && !GRAVELP_IS_CALL(sender->key.command))
        sender->key.call = sender->n_calls = sender->n_calls + 1 ? sender->n_calls + 1 : 1;
    if (++sender->run == 0)
        sender->run = 1;
}

/* Bits of a chunk's destinations. */
struct node_bits {
    uint32_t any;    /* the bits that any has */
    uint32_t differ; /* the bits in which any differs from the first; 0: they are one node */
};

/* Copy a chunk's destinations and read them once: kernels' memory is input like any other. */
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

/* Returns whether all n destinations exist. @param refused  [out] one that does not, if there is one. */
static bool has_nodes(const struct gravel_sender *sender, const uint32_t *nodes, uint32_t n,
                      uint32_t *refused)
{
    for (uint32_t i = 0; i < n; i++)
        if ((*refused = nodes[i]) >= sender->shape.n_nodes)
            return false;
    return true;
}

/*
 * The sizes are constants wherever this is inlined. Computing all positions first gained nothing with two nodes and
 * made messages of four values 10 % slower.
 */
static inline __attribute__((always_inline)) uint32_t
bin_shape(const struct gravel_sender *sender, const struct gravel_columns *columns,
          const uint32_t *nodes, size_t first, uint32_t n, uint32_t index_bytes,
          uint32_t value_bytes, uint32_t n_values)
{
    struct gravel_bin *all =
        sender->bins; /* locals: the stores below might change what is in memory */
    uint32_t run = sender->run;
    const unsigned char *index = index_bytes ? columns->index + first * index_bytes : NULL;
    const unsigned char *values[GRAVEL_AM_MAX_ARGS];
    for (uint32_t row = 0; row < n_values; row++)
        values[row] = columns->values[row] + first * value_bytes;
    for (uint32_t i = 0; i < n; i++) {
        struct gravel_bin *bin = &all[nodes[i]];
        if (__builtin_expect(bin->n == bin->end || bin->run != run, 0))
            return i;
        size_t to = bin->n++;
        if (index_bytes)
            memcpy(bin->index + to * index_bytes, index + (size_t)i * index_bytes, index_bytes);
        for (uint32_t row = 0; row < n_values; row++)
            memcpy(bin->values[row] + to * value_bytes, values[row] + (size_t)i * value_bytes,
                   value_bytes);
    }
    return n;
}

/* Bins n messages, from column `first` on, whose destinations are checked, in memory that no other thread writes: a
 * loop for each usual shape. @return  messages binned: n, or fewer if the next one's bin must be renewed. */
static uint32_t bin_messages(const struct gravel_sender *sender,
                             const struct gravel_columns *columns, const uint32_t *nodes,
                             size_t first, uint32_t n)
{
    uint32_t command = columns->key.command;
    uint32_t index_bytes = GRAVELP_INDEX_BYTES(command), value_bytes = GRAVELP_VALUE_BYTES(command);
    uint32_t n_values = GRAVELP_N_VALUES(command);
#define SHAPE(index, value, values)                                                          \
    if (index_bytes == index && n_values == values && (values == 0 || value_bytes == value)) \
        return bin_shape(sender, columns, nodes, first, n, index, value, values);
    SHAPE(4, 0, 0)
    SHAPE(4, 4, 1)
    SHAPE(4, 8, 1)
    SHAPE(8, 0, 0)
    SHAPE(8, 4, 1)
    SHAPE(8, 8, 1)
    SHAPE(0, 8, 1)
    SHAPE(0, 8, 2)
    SHAPE(0, 8, 3)
    SHAPE(0, 8, 4)
#undef SHAPE
    return bin_shape(sender, columns, nodes, first, n, index_bytes, value_bytes, n_values);
}

/* Bins messages that all go to one node, as bin_messages does. */
static uint32_t bin_rows(const struct gravel_sender *sender, const struct gravel_columns *columns,
                         uint32_t node, size_t first, uint32_t n)
{
    struct gravel_bin *bin = &sender->bins[node];
    uint32_t command = columns->key.command;
    size_t index_bytes = GRAVELP_INDEX_BYTES(command), value_bytes = GRAVELP_VALUE_BYTES(command);
    uint32_t room = bin->run == sender->run ? bin->end - bin->n : 0;
    if (n > room)
        n = room;
    if (n && index_bytes)
        memcpy(bin->index + bin->n * index_bytes, columns->index + first * index_bytes,
               n * index_bytes);
    for (uint32_t row = 0; n && row < GRAVELP_N_VALUES(command); row++)
        memcpy(bin->values[row] + bin->n * value_bytes, columns->values[row] + first * value_bytes,
               n * value_bytes);
    bin->n += n;
    return n;
}

/* Bins n messages, GRAVEL_SENDER_CHUNK at most. @return as gravel_sender_append. */
static int append_chunk(struct gravel_sender *sender, const struct gravel_columns *columns,
                        uint32_t first, uint32_t n, uint64_t now_ns, uint32_t *refused)
{
    const struct node_bits bits = copy_nodes(sender, columns->nodes + first, n);
    const uint32_t *nodes = sender->nodes;
    if (bits.any >= sender->shape.n_nodes && !has_nodes(sender, nodes, n, refused))
        return GRAVEL_ERANGE;
    for (uint32_t done = 0; done < n;) {
        done += bits.differ ? bin_messages(sender, columns, nodes + done, first + done, n - done)
                            : bin_rows(sender, columns, nodes[done], first + done, n - done);
        if (done < n && !renew_bin(sender, nodes[done], now_ns))
            return gravel_failure_is_fatal(sender->shape.failure) ? GRAVEL_EPEER : GRAVEL_ENOMEM;
    }
    return 0;
}

int gravel_sender_append(struct gravel_sender *sender, const struct gravel_columns *columns,
                         uint64_t now_ns, uint32_t *refused)
{
    const enum gravel_aggregation aggregation = sender->shape.aggregation;
    const uint32_t most = aggregation == GRAVEL_AGGREGATE_OFF ? 1 : GRAVEL_SENDER_CHUNK;
    int code = 0;
    if (columns->n > most && !has_nodes(sender, columns->nodes, columns->n, refused))
        return GRAVEL_ERANGE; /* before any chunk goes */
    begin_run(sender, &columns->key);
    for (uint32_t first = 0; !code && first < columns->n; first += most) {
        uint32_t left = columns->n - first;
        code = append_chunk(sender, columns, first, left < most ? left : most, now_ns, refused);
        if (aggregation == GRAVEL_AGGREGATE_OFF ||
            (aggregation == GRAVEL_AGGREGATE_GROUP && left <= most))
            gravel_sender_flush(sender);
    }
    return code;
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

/* Returns the sessions of the kernels whose packages it bins; see gravel_package_sessions. */
static uint32_t count_of_kernels(const struct gravel_sender *sender)
{
    return sender->shape.queue ? gravel_package_sessions(sender->shape.queue) : 0;
}

void gravel_sender_end_sessions(struct gravel_sender *sender)
{
    sender->ended_sessions = count_of_kernels(sender);
}

/* Returns whether buffers do not age: asked when one is old, so that a session costs nothing where they fill. */
static bool is_in_session(struct gravel_sender *sender)
{
    const _Atomic uint32_t *n_sessions = sender->shape.n_sessions;
    const int32_t n = (int32_t)(count_of_kernels(sender) - sender->ended_sessions);
    if (n < 0) /* a kernel ran on behind a flush, and has ended what that had ended */
        gravel_sender_end_sessions(sender);
    return n_sessions &&
           (n > 0 || atomic_load_explicit(n_sessions, memory_order_relaxed) != 0); /* A7 */
}

/* Returns when the oldest open buffer is sent, whether or not a session lasts. */
static uint64_t latest_ns(const struct gravel_sender *sender)
{
    const uint64_t age_ns = sender->shape.flush_ns;
    const uint64_t session_ns = sender->shape.timeout_ns / SESSION_PART;
    return sender->oldest->opened_ns + (age_ns > session_ns ? age_ns : session_ns);
}

/* Returns when the oldest open buffer is sent if no session is seen until then. */
static uint64_t due_ns(const struct gravel_sender *sender)
{
    const uint64_t opened_ns = sender->oldest->opened_ns;
    const bool was_kept = sender->session_ns > opened_ns;
    const uint64_t due_ns = (was_kept ? sender->session_ns : opened_ns) + sender->shape.flush_ns;
    return due_ns < latest_ns(sender) ? due_ns : latest_ns(sender);
}

/* Returns whether buffers that are due would only wait behind others: on a busy machine, or one of many nodes, for so
 * long that many more messages fit them. Behind buffers of its own that the thread has not come for; behind those of
 * others, not for long: they may come without an end. */
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
