/* SPDX-License-Identifier: MIT */
/*
 * Every setting of a node, once: this list makes the struct, its defaults, the GRAVEL_* environment
 * variables, the table of `gravel-info --env`, and docs/reference/settings.md.
 *
 * X(kind, field, VARIABLE, default, min, max, category, help)
 *     kind is STRING, BOOL, COUNT (uint32_t) or BYTES (uint64_t; the variable takes suffixes k, M, G and T).
 *     For STRING, min is the list of its choices, or 0: any text; max is unused.
 */
#ifndef GRAVEL_CONFIG_H
#define GRAVEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAVEL_MAX_AGGREGATORS 64 /* of a node; each has a queue of its own */

#define GRAVEL_CONFIG_FIELDS(X)                                                                \
    X(STRING, device, GRAVEL_DEVICE, "", 0, 0, "device",                                       \
      "platform:device numbers, or part of a platform's or device's name; empty: the first "   \
      "device that has a step; nodes of a host take equal devices in turn")                    \
    X(STRING, step, GRAVEL_STEP, "auto", "auto, svm, usm, pump, drain", 0, "device",           \
      "step of the capability ladder; auto: the first that suits the device")                  \
    X(COUNT, slice_groups, GRAVEL_SLICE, 0, 0, 4294967295u, "device",                          \
      "work-groups launched at once on steps pump and drain; 0 derives it [work-groups]")      \
    X(COUNT, host_cores, GRAVEL_HOST_CORES, 1, 0, 1024, "device",                              \
      "cores of a CPU device left to this node's host threads [cores]")                        \
    X(COUNT, self_test_rounds, GRAVEL_SELF_TEST, 64, 2, 1000000, "device",                     \
      "hand-overs between host and running kernel that prove the step when a node opens; "     \
      "more catch drivers that fail sometimes [hand-overs]")                                   \
    X(STRING, build_options, GRAVEL_BUILD_OPTIONS, "", 0, 0, "device",                         \
      "OpenCL compiler options of all programs and handlers, appended last")                   \
    X(STRING, steal_policy, GRAVEL_STEAL_POLICY, "promoted", "promoted, private, counter", 0,  \
      "device",                                                                                \
      "how work-groups share tasks: promoted, a group offers tasks when another asks; "        \
      "private, no stealing; counter, tasks known in advance")                                 \
    X(COUNT, kernel_limit_ms, GRAVEL_KERNEL_LIMIT, 0, 0, 86400000, "device",                   \
      "longest wait of quiet, fence or barrier for a kernel, of rounds for a phase "           \
      "[milliseconds]; 0: no limit, in checked mode 4 times GRAVEL_TIMEOUT")                   \
    X(STRING, scheduler, GRAVEL_SCHEDULER, "auto", "auto, host, resident", 0, "device",        \
      "who chooses rounds of flows: host, for each launch; resident, the groups of a "         \
      "launch; auto: resident, with one group on CPU devices and where groups fail the "       \
      "self-test; always host where nodes send messages")                                      \
    X(COUNT, flow_groups, GRAVEL_FLOW_GROUPS, 0, 0, 65536, "device",                           \
      "work-groups of a resident launch; 0: one per compute unit of a CPU device (1 by auto "  \
      "for flows), else two for rounds, four for flows, with one unit free on step pump "      \
      "[work-groups]")                                                                         \
    X(COUNT, flow_slice_ms, GRAVEL_FLOW_SLICE, 100, 1, 10000, "device",                        \
      "length of a resident launch [milliseconds]")                                            \
    X(COUNT, flow_width, GRAVEL_FLOW_WIDTH, 0, 0, 1u << 28, "device",                          \
      "elements of a level of a flow's channel whose graph gives none, rounded down to a "     \
      "power of two; 0: 32Ki a core of a CPU, else 4Mi, or what the device allocates in a "    \
      "piece [elements]")                                                                      \
    X(COUNT, n_servers, GRAVEL_SERVERS, 0, 0, 256, "device",                                   \
      "work-groups that serve handlers with keys; 0: one per compute unit of a CPU device, "   \
      "one per two elsewhere [work-groups]")                                                   \
    X(COUNT, server_items, GRAVEL_SERVER_GROUP, 0, 0, 256, "device",                           \
      "work-items of a server; 0: 1 on CPU devices, else 256 [work-items]")                    \
    X(STRING, server_mode, GRAVEL_SERVER_MODE, "auto", "auto, resident, phases", 0, "device",  \
      "how clients and servers run: resident, in one kernel, where a node is alone; phases, "  \
      "alternately; auto: resident where possible on GPUs, else phases")                       \
    X(COUNT, inbox_slots, GRAVEL_INBOX, 0, 0, 1u << 20, "device",                              \
      "slots of 128 messages of a server's inbox, rounded down to a power of two; 0: 256, "    \
      "more for many groups of clients [slots]")                                               \
    X(BYTES, heap_bytes, GRAVEL_HEAP, 256u << 20, 4096, 1ull << 46, "memory",                  \
      "symmetric heap of each node [bytes]")                                                   \
    X(BYTES, accumulate_bytes, GRAVEL_ACCUMULATE_MEMORY, 1u << 30, 4096, 1ull << 46, "memory", \
      "device memory for shadows of all accumulators of a node [bytes]")                       \
    X(BOOL, huge_pages, GRAVEL_HUGE_PAGES, 1, 0, 1, "memory",                                  \
      "ask the system for huge pages for the arena")                                           \
    X(BYTES, queue_bytes, GRAVEL_QUEUE, 0, 0, 1ull << 40, "queue",                             \
      "slots of all producer/consumer queues together [bytes]; 0: 32M a queue, 512M where "    \
      "the device bins, at most 2G")                                                           \
    X(BYTES, slot_bytes, GRAVEL_SLOT, 0, 0, 1 << 24, "queue",                                  \
      "a slot with its 64-byte header, at least 768 [bytes]; 0: 9280, on step pump what an "   \
      "increment of each work-item of gravel_group_size needs, in checked mode 1344")          \
    X(COUNT, n_aggregators, GRAVEL_AGGREGATORS, 0, 0, GRAVEL_MAX_AGGREGATORS, "aggregation",   \
      "aggregator threads, each with a queue; 0: 1; on step pump 2 where the host bins and "   \
      "a node has 4 cores")                                                                    \
    X(BYTES, buffer_bytes, GRAVEL_BUFFER, 0, 0, 1 << 26, "aggregation",                        \
      "a node buffer with its header, at least 256 [bytes]; 0: 64k, on step pump 4M, 8M on "   \
      "GPUs; less, down to 4k and 64k, to fit a quarter of GRAVEL_ROUTE_MEMORY")               \
    X(COUNT, n_buffers, GRAVEL_BUFFERS, 0, 0, 65536, "aggregation",                            \
      "node buffers per aggregator and destination; 0: 2 to 32, what a quarter of "            \
      "GRAVEL_ROUTE_MEMORY holds")                                                             \
    X(BYTES, route_memory, GRAVEL_ROUTE_MEMORY, 0, 0, 1ull << 46, "aggregation",               \
      "node buffers of all aggregators and host calls together [bytes], which sizes derived "  \
      "ones; if it is set, larger ones are an error; 0: 256M")                                 \
    X(COUNT, flush_us, GRAVEL_FLUSH, 0, 0, 10000000, "aggregation",                            \
      "age at which a partly filled node buffer is sent [microseconds], outside of "           \
      "sessions; except on step pump it stays while the network thread has not taken "         \
      "earlier ones; 0: 125, on step pump 2000, at least 12 for each node")                    \
    X(STRING, aggregation, GRAVEL_AGGREGATION, "destination", "destination, group, off", 0,    \
      "aggregation",                                                                           \
      "which messages of kernels share a node buffer: destination, all for one destination; "  \
      "for comparisons group, those of one work-group's call, and off, none, both without "    \
      "binning on the device")                                                                 \
    X(STRING, device_aggregation, GRAVEL_DEVICE_AGGREGATION, "auto", "auto, on, off", 0,       \
      "aggregation",                                                                           \
      "whether the device bins messages on steps pump and drain: on; off; auto, long runs "    \
      "of packages on step pump of devices other than CPUs, and on step pump the node's own "  \
      "few packages of a round in place")                                                      \
    X(STRING, transport, GRAVEL_TRANSPORT, "auto", "auto, self, mpi", 0, "network",            \
      "auto: mpi under an MPI launcher, else self, unless the process was launched as one "    \
      "of several")                                                                            \
    X(COUNT, loopback_nodes, GRAVEL_LOOPBACK, 1, 1, 4096, "network",                           \
      "loop-back nodes of transport self, each with its own heap")                             \
    X(COUNT, timeout_ms, GRAVEL_TIMEOUT, 8000, 100, 86400000, "network",                       \
      "time without a heartbeat after which a peer counts as dead; longest wait without "      \
      "progress, in kernels too; longest call of the driver [milliseconds]")                   \
    X(COUNT, open_timeout_ms, GRAVEL_OPEN_TIMEOUT, 60000, 0, 86400000, "network",              \
      "longest that gravel_open waits for all processes and for MPI to connect them; 0: no "   \
      "limit [milliseconds]")                                                                  \
    X(COUNT, chain_limit_ms, GRAVEL_CHAIN_LIMIT, 0, 0, 86400000, "network",                    \
      "longest that handlers may keep sending while all nodes wait in a barrier "              \
      "[milliseconds]; 0: 75 times GRAVEL_TIMEOUT, a day at most")                             \
    X(BYTES, spool_bytes, GRAVEL_SPOOL, 16u << 20, 4096, 1ull << 40, "network",                \
      "lines and records of all nodes that may wait at a node [bytes], after which kernels "   \
      "that print wait; each node may have 2 node buffers of at most 64k under way "           \
      "nevertheless")                                                                          \
    X(STRING, print, GRAVEL_PRINT, "0", 0, 0, "observation",                                   \
      "node at which lines of kernels are written: its number; or own, the node that prints "  \
      "them")                                                                                  \
    X(BOOL, print_tags, GRAVEL_PRINT_TAGS, 1, 0, 1, "observation",                             \
      "begin lines of kernels with the numbers of node and work-item")                         \
    X(BOOL, check, GRAVEL_CHECK, 0, 0, 1, "observation",                                       \
      "checked mode: errors for group calls that some work-items leave out, maps made too "    \
      "early, and more, with kernel and line; much slower")                                    \
    X(STRING, log, GRAVEL_LOG, "auto", "auto, 0, 1", 0, "observation",                         \
      "lines of the log to print to standard error: 0, none; 1, all; auto, without a "         \
      "gravel_log_function, those on what makes a job slow or keeps it waiting")               \
    X(BOOL, stats, GRAVEL_STATS, 0, 0, 1, "observation",                                       \
      "print statistics of the node to standard error when it closes; node 0's setting: its "  \
      "table of what nodes have sent to each other, too")                                      \
    X(STRING, trace, GRAVEL_TRACE, "", 0, 0, "observation",                                    \
      "write a Chrome trace to this file; the node number is put before its suffix")

#define GRAVEL_CONFIG_STRING_BYTES 256

/** Fill it by gravel_config_load. Later versions with the same soname add fields at the end. */
struct gravel_config {
    size_t bytes; /**< sizeof(struct gravel_config), as the caller's header has it */
#define GRAVEL_FIELD_STRING(field) char field[GRAVEL_CONFIG_STRING_BYTES];
#define GRAVEL_FIELD_BOOL(field) bool field;
#define GRAVEL_FIELD_COUNT(field) uint32_t field;
#define GRAVEL_FIELD_BYTES(field) uint64_t field;
#define GRAVEL_FIELD(kind, field, variable, preset, min, max, category, help) \
    GRAVEL_FIELD_##kind(field)
    GRAVEL_CONFIG_FIELDS(GRAVEL_FIELD)
#undef GRAVEL_FIELD
#undef GRAVEL_FIELD_STRING
#undef GRAVEL_FIELD_BOOL
#undef GRAVEL_FIELD_COUNT
#undef GRAVEL_FIELD_BYTES
};

#endif
