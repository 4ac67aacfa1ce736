/* SPDX-License-Identifier: MIT */
/*
 * Gathers the counters that the node's threads keep, each its own.
 *
 * Memory:  relaxed loads; each counter is exact, their sums a moment apart.
 * Source:  Orr 2016, table 5-4 and section 5.5.
 */
#include "base/clock.h"
#include "base/counter.h"
#include "base/growing.h"
#include "node/node.h"
#include "spool/spool.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Adds what the device has applied in place: sent by this node to itself, and applied. */
static void add_settled(struct gravel_stats *stats, const struct gravel_aggregator *aggregator)
{
    const uint64_t n = gravel_counter_load(&aggregator->n_settled);
    stats->sent_messages += n;
    stats->resolved_messages += n;
}

/* Adds what a sender has sent to one node. */
static void add_sent(struct gravel_stats *stats, const struct gravel_sender *sender, uint32_t node)
{
    stats->sent_messages += gravel_counter_load(&sender->counts[node].messages);
    stats->sent_buffers += gravel_counter_load(&sender->counts[node].buffers);
    stats->buffer_bytes += gravel_counter_load(&sender->counts[node].bytes);
}

static void add_sender(struct gravel_stats *stats, const struct gravel_sender *sender, bool is_host)
{
    stats->buffers_full += gravel_counter_load(&sender->shipped[GRAVEL_SHIP_FULL]);
    stats->buffers_timeout += gravel_counter_load(&sender->shipped[GRAVEL_SHIP_TIMEOUT]);
    stats->buffers_flush += gravel_counter_load(&sender->shipped[GRAVEL_SHIP_FLUSH]);
    stats->buffer_waits += gravel_counter_load(&sender->waits);
    for (uint32_t node = 0; node < sender->shape.n_nodes; node++) {
        uint64_t messages = gravel_counter_load(&sender->counts[node].messages);
        add_sent(stats, sender, node);
        if (node != sender->shape.node)
            stats->remote_messages += messages;
        if (is_host)
            stats->host_messages += messages;
    }
}

static void add_polls(struct gravel_stats *stats, const struct gravel_idle *idle,
                      uint64_t started_ns)
{
    stats->polls += gravel_counter_load(&idle->polls);
    stats->poll_ns += gravel_counter_load(&idle->poll_ns);
    stats->thread_ns += gravel_clock_ns() - started_ns;
}

static void add_aggregator(struct gravel_stats *stats, struct gravel_aggregator *aggregator)
{
    stats->packages += gravel_counter_load(&aggregator->n_packages);
    stats->messages += gravel_counter_load(&aggregator->n_messages);
    stats->binned_messages += gravel_counter_load(&aggregator->n_binned);
    stats->refused_messages += gravel_counter_load(&aggregator->n_refused);
    stats->queue_full_waits +=
        gravel_word_load(&aggregator->queue.words->waits, memory_order_relaxed);
    add_sender(stats, aggregator->sender, false);
    add_sender(stats, aggregator->records, false);
    add_settled(stats, aggregator);
    add_polls(stats, &aggregator->idle, aggregator->started_ns);
}

static void gather_all(struct gravel *gravel, struct gravel_stats *stats)
{
    const struct gravel_network *network = &gravel->network;
    memset(stats, 0, sizeof *stats);
    for (uint32_t i = 0; i < gravel->config.n_aggregators; i++)
        add_aggregator(stats, &gravel->aggregators[i]);
    add_sender(stats, network->host_sender, true);
    add_sender(stats, network->handler_sender, true);
    if (gravel->pump)
        stats->buffer_waits += gravel_pump_buffer_waits(gravel->pump);
    add_polls(stats, &network->idle, network->started_ns);
    stats->served_messages = gravel_counter_load(&gravel->servers.n_served);
    stats->server_phases = gravel_counter_load(&gravel->servers.n_phases);
    stats->network_buffers = gravel_counter_load(&network->counts.network_buffers);
    stats->network_bytes = gravel_counter_load(&network->counts.network_bytes);
    stats->handed_buffers = gravel_counter_load(&network->transport->handover.n_handed);
    stats->resolved_buffers = gravel_counter_load(&network->counts.resolved_buffers);
    stats->resolved_messages += gravel_counter_load(&network->counts.resolved_messages);
    stats->refused_buffers = gravel_counter_load(&network->counts.refused_buffers);
    stats->lines = gravel_spool_lines(network->spool);
    stats->credit_waits = gravel_counter_load(&network->counts.credit_waits);
}

static void gather_destination(struct gravel *gravel, uint32_t node, struct gravel_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    for (uint32_t i = 0; i < gravel->config.n_aggregators; i++) {
        add_sent(stats, gravel->aggregators[i].sender, node);
        add_sent(stats, gravel->aggregators[i].records, node);
        if (node == gravel_node(gravel))
            add_settled(stats, &gravel->aggregators[i]);
    }
    add_sent(stats, gravel->network.host_sender, node);
    add_sent(stats, gravel->network.handler_sender, node);
}

/* Since the last reset. @param node  a node of the job, or GRAVEL_ALL_NODES. */
static void read_since_reset(struct gravel *gravel, uint32_t node, struct gravel_stats *stats)
{
    const struct gravel_stats *base = &gravel->stats_base;
    pthread_mutex_lock(&gravel->stats_lock); /* a reset in between would be subtracted from less */
    if (node == GRAVEL_ALL_NODES) {
        gather_all(gravel, stats);
    } else {
        gather_destination(gravel, node, stats);
        base = &gravel->destination_base[node];
    }
#define SUBTRACT(field, unit, help) stats->field -= base->field;
    GRAVEL_STATS_FIELDS(SUBTRACT)
#undef SUBTRACT
    pthread_mutex_unlock(&gravel->stats_lock);
}

int gravel_stats_read(struct gravel *gravel, struct gravel_stats *stats, size_t bytes,
                      uint32_t node)
{
    struct gravel_stats own;
    GRAVEL_TRY(gravel_enter(gravel, "gravel_stats_read", GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_require("gravel_stats_read", "stats", stats));
    if (node != GRAVEL_ALL_NODES && node >= gravel->network.transport->n_nodes)
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_stats_read: node %u does not exist (there are %u)", node,
                           gravel->network.transport->n_nodes);
    read_since_reset(gravel, node, &own);
    return gravel_growing_give("gravel_stats_read", stats, bytes, &own, sizeof own);
}

int gravel_stats_get(struct gravel *gravel, uint32_t i, const char **name, uint64_t *value)
{
#define NAME(field, unit, help) #field,
    static const char *const names[] = {GRAVEL_STATS_FIELDS(NAME)};
#undef NAME
    const uint32_t n = sizeof names / sizeof *names;
    struct gravel_stats stats;
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_require(__func__, "name", name));
    GRAVEL_TRY(gravel_require(__func__, "value", value));
    if (i >= n)
        return gravel_fail(GRAVEL_ERANGE,
                           "gravel_stats_get: counter %u out of range (0 to %u allowed)", i, n - 1);
    GRAVEL_TRY(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    *name = names[i];
    memcpy(value, (const unsigned char *)&stats + i * sizeof *value, sizeof *value);
    return 0;
}

int gravel_stats_reset(struct gravel *gravel)
{
    GRAVEL_TRY(gravel_enter(gravel, "gravel_stats_reset", GRAVEL_ANYWHERE));
    pthread_mutex_lock(&gravel->stats_lock);
    gather_all(gravel, &gravel->stats_base);
    for (uint32_t node = 0; node < gravel->network.transport->n_nodes; node++)
        gather_destination(gravel, node, &gravel->destination_base[node]);
    pthread_mutex_unlock(&gravel->stats_lock);
    return 0;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* Bytes of a line: its text, and each counter with the most digits that it may have. */
#define ROOM(field, unit, help) +sizeof " " #field "=" + 20
enum { LINE_BYTES = GRAVEL_ERROR_BYTES GRAVEL_STATS_FIELDS(ROOM) };
#undef ROOM

static void print(const struct gravel_listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print(const struct gravel_listener *listener, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    gravel_listener_print(listener, line);
}

/* ---- destinations ---------------------------------------------------------------------------- */

/* Destinations that have lines of their own: in a large job each node would print one for each other. */
#define FULLEST 16u

struct destination {
    uint32_t node;
    struct gravel_stats sent;
};

static void print_sent(const struct gravel_listener *listener, const char *before, uint32_t number,
                       const char *after, const struct gravel_stats *sent)
{
    print(listener, "to %s%u%s: %" PRIu64 " messages in %" PRIu64 " buffers of %.0f bytes", before,
          number, after, sent->sent_messages, sent->sent_buffers,
          ratio(sent->buffer_bytes, sent->sent_buffers));
}

/* Inserts a destination where it belongs, the most messages first. @return what has no place any longer. */
static struct destination keep_fullest(struct destination fullest[FULLEST], struct destination next)
{
    for (uint32_t i = 0; i < FULLEST; i++) {
        const struct destination there = fullest[i];
        if (next.sent.sent_messages > there.sent.sent_messages || !there.sent.sent_buffers) {
            fullest[i] = next;
            next = there;
        }
    }
    return next;
}

static void print_destinations(struct gravel *gravel, const struct gravel_listener *listener)
{
    struct destination fullest[FULLEST] = {0};
    struct gravel_stats others = {0};
    uint32_t n_others = 0;
    for (uint32_t node = 0; node < gravel->network.transport->n_nodes; node++) {
        struct destination destination = {.node = node};
        read_since_reset(gravel, node, &destination.sent);
        destination = keep_fullest(fullest, destination);
        others.sent_messages += destination.sent.sent_messages;
        others.sent_buffers += destination.sent.sent_buffers;
        others.buffer_bytes += destination.sent.buffer_bytes;
        n_others += destination.sent.sent_buffers != 0;
    }
    for (uint32_t i = 0; i < FULLEST && fullest[i].sent.sent_buffers; i++)
        print_sent(listener, "node ", fullest[i].node, "", &fullest[i].sent);
    if (n_others)
        print_sent(listener, "", n_others, " other nodes", &others);
}

void gravel_stats_print(struct gravel *gravel)
{
    const struct gravel_listener listener = gravel_listener_of(gravel);
    struct gravel_stats stats;
    char sharers[48] = "";
    read_since_reset(gravel, GRAVEL_ALL_NODES, &stats);
    if (gravel->n_sharers)
        snprintf(sharers, sizeof sharers, ", shared with %u other nodes", gravel->n_sharers);
    print(&listener, "device %s: %s, step %s%s", gravel->device.chosen,
          gravel->device.capability.name, gravel_step(gravel), sharers);
#define FORMAT(field, unit, help) " " #field "=%" PRIu64
#define VALUE(field, unit, help) , stats.field
    print(&listener, "%s" GRAVEL_STATS_FIELDS(FORMAT), "counters:" GRAVEL_STATS_FIELDS(VALUE));
#undef FORMAT
#undef VALUE
    print(&listener, "remote share %.3f, mean network message %.0f bytes, poll ratio %.4f",
          ratio(stats.remote_messages, stats.messages + stats.host_messages),
          ratio(stats.network_bytes, stats.network_buffers), ratio(stats.poll_ns, stats.thread_ns));
    print_destinations(gravel, &listener);
}
