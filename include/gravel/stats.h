/* SPDX-License-Identifier: MIT */
/*
 * What a node counted: one list, from which the struct, the JSON keys and the manual are made.
 *
 * X(field, unit, help). Counters are of this node since it opened or since gravel_stats_reset.
 * Source:  Orr 2016, table 5-4 (remote share, average network message size) and section 5.5 (polling).
 */
#ifndef GRAVEL_STATS_H
#define GRAVEL_STATS_H

#include <stdint.h>

#define GRAVEL_STATS_FIELDS(X)                                                                     \
    X(packages, "count", "packages taken off the queues")                                          \
    X(messages, "count", "messages in those packages")                                             \
    X(binned_messages, "count", "messages that the device had binned (GRAVEL_DEVICE_AGGREGATION)") \
    X(remote_messages, "count", "messages to other nodes, from kernels and host")                  \
    X(host_messages, "count",                                                                      \
      "messages of host calls, handlers and accumulators; each piece of a put is one")             \
    X(buffers_full, "count", "node buffers sent because they were full")                           \
    X(buffers_timeout, "count", "node buffers sent at the flush time")                             \
    X(buffers_flush, "count",                                                                      \
      "node buffers sent by quiet, fence, barrier or the end of a session, or as "                 \
      "GRAVEL_AGGREGATION says")                                                                   \
    X(buffer_bytes, "bytes", "bytes in node buffers sent; for a destination: to it")               \
    X(network_buffers, "count", "node buffers sent to other nodes")                                \
    X(network_bytes, "bytes", "bytes in those")                                                    \
    X(handed_buffers, "count",                                                                     \
      "of network_buffers, those in memory shared with nodes of the machine")                      \
    X(buffer_waits, "count",                                                                       \
      "waits of an aggregator, or of messages that the device had binned, for a free node "        \
      "buffer")                                                                                    \
    X(queue_full_waits, "count", "leaders that found the queue full")                              \
    X(resolved_buffers, "count", "node buffers applied here")                                      \
    X(resolved_messages, "count", "messages applied here")                                         \
    X(refused_buffers, "count", "node buffers refused here")                                       \
    X(refused_messages, "count", "messages dropped because their destination does not exist")      \
    X(polls, "count", "polls of an empty queue or network by aggregator and network threads")      \
    X(poll_ns, "nanoseconds", "time for which those threads were awake and idle")                  \
    X(thread_ns, "nanoseconds",                                                                    \
      "time those threads have existed; poll_ns over this is the poll ratio")                      \
    X(sent_messages, "count", "messages sent, to this node too; for a destination: to it")         \
    X(sent_buffers, "count", "node buffers sent, to this node too; for a destination: to it")      \
    X(served_messages, "count",                                                                    \
      "messages of gravel_server_launch that servers of this node have run")                       \
    X(server_phases, "count", "phases of clients and servers in those launches")                   \
    X(lines, "count", "lines of kernels written here")                                             \
    X(credit_waits, "count",                                                                       \
      "node buffers of lines that waited until others were written (GRAVEL_SPOOL)")

#define GRAVEL_STATS_FIELD(field, unit, help) uint64_t field;
/** From version 1.0 on, new counters are added at the end. */
struct gravel_stats {
    GRAVEL_STATS_FIELDS(GRAVEL_STATS_FIELD)
};
#undef GRAVEL_STATS_FIELD

#endif
