/* SPDX-License-Identifier: MIT */
/*
 * Gathers the counters that the node's threads keep, each its own; at the end what all nodes have sent to each other.
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
#include <stdlib.h>
#include <string.h>

/* Adds what has been sent to a node, or to all: by senders, and by the device, which has applied it in place. */
static void add_sent(const struct gravel *gravel, uint32_t node, struct gravel_stats *stats)
{
    const struct gravel_network *network = &gravel->network;
    const uint32_t self = network->transport->node, n_queues = gravel->config.n_aggregators;
    const bool is_all = node == GRAVEL_ALL_NODES;
    const uint32_t end = is_all ? network->transport->n_nodes : node + 1;
    for (uint32_t i = 0; i < 2 * n_queues + 2; i++) {
        const bool is_host = i >= 2 * n_queues;
        const struct gravel_aggregator *queue = is_host ? NULL : &gravel->aggregators[i / 2];
        const struct gravel_sender *sender =
            is_host ? (i % 2 ? network->host_sender : network->handler_sender)
                    : (i % 2 ? queue->sender : queue->records);
        for (uint32_t to = is_all ? 0 : node; to < end; to++) {
            const uint64_t messages = gravel_counter_load(&sender->counts[to].messages);
            stats->sent_messages += messages;
            stats->sent_buffers += gravel_counter_load(&sender->counts[to].buffers);
            stats->buffer_bytes += gravel_counter_load(&sender->counts[to].bytes);
            stats->remote_messages += is_all && to != self ? messages : 0;
            stats->host_messages += is_all && is_host ? messages : 0;
        }
        if (is_all) {
            stats->buffers_full += gravel_counter_load(&sender->shipped[GRAVEL_SHIP_FULL]);
            stats->buffers_timeout += gravel_counter_load(&sender->shipped[GRAVEL_SHIP_TIMEOUT]);
            stats->buffers_flush += gravel_counter_load(&sender->shipped[GRAVEL_SHIP_FLUSH]);
            stats->buffer_waits += gravel_counter_load(&sender->waits);
        }
    }
    for (uint32_t i = 0; i < n_queues && (is_all || node == self); i++)
        stats->sent_messages += gravel_counter_load(&gravel->aggregators[i].n_in_place);
}

static void add_polls(struct gravel_stats *stats, const struct gravel_idle *idle,
                      uint64_t started_ns)
{
    stats->polls += gravel_counter_load(&idle->polls);
    stats->poll_ns += gravel_counter_load(&idle->poll_ns);
    stats->thread_ns += gravel_clock_ns() - started_ns;
}

/* Adds what is of no destination. */
static void add_rest(const struct gravel *gravel, struct gravel_stats *stats)
{
    const struct gravel_network *network = &gravel->network;
    for (uint32_t i = 0; i < gravel->config.n_aggregators; i++) {
        const struct gravel_aggregator *aggregator = &gravel->aggregators[i];
        stats->packages += gravel_counter_load(&aggregator->n_packages);
        stats->messages += gravel_counter_load(&aggregator->n_messages);
        stats->binned_messages += gravel_counter_load(&aggregator->n_binned);
        stats->refused_messages += gravel_counter_load(&aggregator->n_refused);
        stats->resolved_messages += gravel_counter_load(&aggregator->n_in_place);
        stats->queue_full_waits +=
            gravel_word_load(&aggregator->queue.words->waits, memory_order_relaxed);
        add_polls(stats, &aggregator->idle, aggregator->started_ns);
    }
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

static void gather(const struct gravel *gravel, uint32_t node, struct gravel_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    add_sent(gravel, node, stats);
    if (node == GRAVEL_ALL_NODES)
        add_rest(gravel, stats);
}

/* Reads counters since the last reset. @param node  a node of the job, or GRAVEL_ALL_NODES. */
static void read_since_reset(struct gravel *gravel, uint32_t node, struct gravel_stats *stats)
{
    const struct gravel_stats *base =
        node == GRAVEL_ALL_NODES ? &gravel->stats_base : &gravel->destination_base[node];
    pthread_mutex_lock(&gravel->stats_lock); /* a reset in between would be subtracted from less */
    gather(gravel, node, stats);
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
    gather(gravel, GRAVEL_ALL_NODES, &gravel->stats_base);
    for (uint32_t node = 0; node < gravel->network.transport->n_nodes; node++)
        gather(gravel, node, &gravel->destination_base[node]);
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

static void print(const struct gravel *gravel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print(const struct gravel *gravel, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    gravel_print(gravel, line);
}

void gravel_stats_print(struct gravel *gravel)
{
    struct gravel_stats stats;
    char sharers[48] = "";
    read_since_reset(gravel, GRAVEL_ALL_NODES, &stats);
    if (gravel->n_sharers)
        snprintf(sharers, sizeof sharers, ", shared with %u other nodes", gravel->n_sharers);
    print(gravel, "device %s: %s, step %s%s", gravel->device.chosen, gravel->device.capability.name,
          gravel_step(gravel), sharers);
#define FORMAT(field, unit, help) " " #field "=%" PRIu64
#define VALUE(field, unit, help) , stats.field
    print(gravel, "%s" GRAVEL_STATS_FIELDS(FORMAT), "counters:" GRAVEL_STATS_FIELDS(VALUE));
#undef FORMAT
#undef VALUE
    print(gravel, "remote share %.3f, mean network message %.0f bytes, poll ratio %.4f",
          ratio(stats.remote_messages, stats.messages + stats.host_messages),
          ratio(stats.network_bytes, stats.network_buffers), ratio(stats.poll_ns, stats.thread_ns));
}

/* ---- the job's traffic ----------------------------------------------------------------------- */

#define TABLE_NODES 16u /* of a larger job only sums and the heaviest pairs are printed */
#define HEAVIEST 16u    /* [pairs] */

/* What this node has sent to another one. */
struct traffic {
    uint64_t messages, bytes;
};

static const struct gravel_collective_call closing = {.kind = GRAVEL_CALL_CLOSE};

static int reduce(struct gravel *gravel, uint32_t op, uint64_t *values, uint32_t n)
{
    return gravel_node_reduce(gravel, &closing, op, GRAVEL_ULONG, values, n);
}

/* Writes a count: 99999, 100.0k. */
static const char *shorten(char text[24], uint64_t count)
{
    double scaled = (double)count;
    uint32_t unit = 0;
    for (; scaled >= 1000 && count > 99999; scaled /= 1000)
        unit++;
    snprintf(text, 24, "%.*f%.1s", unit != 0, scaled, &"\0kMGTPE"[unit]);
    return text;
}

/* Prints what nodes have sent, a row each, and the sums of rows and columns. @param cells  [n_rows][n] */
static void print_table(const struct gravel *gravel, const char *name, const uint64_t *cells,
                        uint32_t n_rows, uint32_t n)
{
    char line[24 * (TABLE_NODES + 2)], text[24];
    uint64_t sums[TABLE_NODES] = {0};
    snprintf(line, sizeof line, "%-8s", name);
    for (uint32_t to = 0; to < n; to++) {
        snprintf(text, sizeof text, "to %u", to);
        gravel_append(line, sizeof line, " %9s", text);
    }
    print(gravel, "%s %9s", line, "all");
    for (uint32_t from = 0; from <= n_rows; from++) {
        const uint64_t *row = from < n_rows ? cells + (size_t)from * n : sums;
        uint64_t sum = 0;
        snprintf(text, sizeof text, "from %u", from);
        snprintf(line, sizeof line, "%-8s", from < n_rows ? text : "all");
        for (uint32_t to = 0; to < n; to++) {
            sum += row[to];
            gravel_append(line, sizeof line, " %9s", shorten(text, row[to]));
            sums[to] += from < n_rows ? row[to] : 0;
        }
        print(gravel, "%s %9s", line, shorten(text, sum));
    }
}

/* Gathers and prints each pair's traffic. Collective. */
static int print_pairs(struct gravel *gravel, const struct traffic *own, uint32_t n)
{
    const uint32_t node = gravel_node(gravel);
    const uint32_t n_rows = gravel->network.transport->is_loopback ? 1 : n, n_cells = n_rows * n;
    uint64_t cells[2 * TABLE_NODES * TABLE_NODES] = {0}; /* messages, then bytes */
    for (uint32_t to = 0; to < n; to++) {
        cells[node * n + to] = own[to].messages;
        cells[n_cells + node * n + to] = own[to].bytes;
    }
    GRAVEL_TRY(reduce(gravel, GRAVEL_ADD, cells, 2 * n_cells));
    if (node == 0) {
        print_table(gravel, "messages", cells, n_rows, n);
        print_table(gravel, "bytes", cells + n_cells, n_rows, n);
    }
    return 0;
}

/* Prints the sum, and the pairs with the most messages, which it takes out of `own` one by one. Collective. */
static int print_heaviest(struct gravel *gravel, struct traffic *own, uint32_t n)
{
    const uint32_t node = gravel_node(gravel);
    char messages[24], bytes[24];
    uint64_t sums[2] = {0, 0};
    for (uint32_t to = 0; to < n; to++) {
        sums[0] += own[to].messages;
        sums[1] += own[to].bytes;
    }
    GRAVEL_TRY(reduce(gravel, GRAVEL_ADD, sums, 2));
    if (node == 0)
        print(gravel, "all nodes: %s messages, %s bytes; most from one to another:",
              shorten(messages, sums[0]), shorten(bytes, sums[1]));
    for (uint32_t i = 0; i < HEAVIEST; i++) {
        uint32_t to = 0;
        for (uint32_t other = 1; other < n; other++)
            to = own[other].messages > own[to].messages ? other : to;
        uint64_t most = own[to].messages, pair = UINT64_MAX, of_pair = 0;
        GRAVEL_TRY(reduce(gravel, GRAVEL_MAX, &most, 1));
        if (!most)
            break;
        if (own[to].messages == most)
            pair = (uint64_t)node * n + to;
        GRAVEL_TRY(reduce(gravel, GRAVEL_MIN, &pair, 1));
        if (pair / n == node) {
            of_pair = own[to].bytes;
            own[to].messages = 0;
        }
        GRAVEL_TRY(reduce(gravel, GRAVEL_ADD, &of_pair, 1));
        if (node == 0)
            print(gravel, "from %u to %u: %s messages, %s bytes", (uint32_t)(pair / n),
                  (uint32_t)(pair % n), shorten(messages, most), shorten(bytes, of_pair));
    }
    return 0;
}

int gravel_stats_print_job(struct gravel *gravel)
{
    const uint32_t n = gravel_n_nodes(gravel);
    struct traffic *own = calloc(n, sizeof *own);
    int code = own ? 0 : gravel_fail_memory("statistics", n * sizeof *own);
    code = gravel_node_agree_on(gravel, &closing, false, code);
    for (uint32_t to = 0; to < n && !code; to++) {
        struct gravel_stats sent;
        read_since_reset(gravel, to, &sent);
        own[to] = (struct traffic){sent.sent_messages, sent.buffer_bytes};
    }
    if (!code)
        code = n > TABLE_NODES ? print_heaviest(gravel, own, n) : print_pairs(gravel, own, n);
    free(own);
    return code;
}
