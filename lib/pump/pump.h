/* SPDX-License-Identifier: MIT */
/*
 * The pump: moves packages from queues in device memory to their mirror in host memory, by copies.
 *
 * Towards the device it is the queues' one consumer, towards the aggregators the mirror's one producer: it reads
 * publish words, copies every ready run of slots, publishes to the aggregators how far it is, and gives the slots back
 * to the device. On step pump that is a thread's work while kernels run; on step drain the launching thread's, between
 * two slices. Long runs of packages whose messages may be reordered are not copied: the device bins them, and what is
 * copied is a block (lib/pump/block.h), straight to node buffers.
 *
 * Path:    cl/device/queue.cl.h (device memory) -> pump.c -> lib/memory/package.h (mirror) -> lib/aggregate.
 * Owner:   its command queues and staging, and the node buffers of blocks, wherever they are; they are returned before
 *          it is destroyed, or are given up. The memory is the node's.
 * Threads: gravel_pump_watch, _move and _drain by any, one at a time through a lock; the thread is its own.
 * Memory:  U1/U2 hand a package to the aggregator, C2/U3 its mirror slot back. Towards the device: a copy that is
 *          enqueued after the publish word was seen (P2) sees the package.
 */
#ifndef GRAVEL_PUMP_PUMP_H
#define GRAVEL_PUMP_PUMP_H

#include "base/error.h"
#include "base/event.h"
#include "gravel/gravel.h"
#include "memory/memory.h"
#include "memory/package.h"
#include "opencl/wait.h"

struct gravel_pump;
struct gravel_block;

struct gravel_pump_shape {
    const struct gravel_memory *memory;
    const struct gravel_failure *failure; /* the node has failed: the pump stops kernels (H1) */
    const _Atomic uint32_t *unanswered;
    /* U10: of the network: whether functions that block are asked; or NULL */
    gravel_report_function *report;
    void (*wake)(void *context, uint32_t queue); /* packages came for a queue's aggregator */
    /* Have the device apply all queues' next packages: as gravel_resolver_apply_in_place. NULL: it does not. */
    int (*apply_in_place)(void *context, const uint32_t *tickets, uint32_t n_queues,
                          cl_command_queue *behind);
    uint64_t (*n_host_calls)(void *context); /* U12: that have sent; with apply_in_place */
    void *context;
    uint64_t timeout_ns;     /* longest wait of gravel_pump_move for room in the mirror */
    const char *aggregation; /* GRAVEL_DEVICE_AGGREGATION's value; NULL is off */
    /* Where the device bins: node buffers that blocks are copied to. */
    uint32_t buffer_bytes;
    uint32_t n_buffers;    /* for each queue; 0: the device bins nothing */
    unsigned char *frames; /* memory for all of them, as struct gravel_pool has it; or NULL */
    bool is_loopback;      /* all nodes are in this process */
};

/** @return 0; GRAVEL_ENOMEM; GRAVEL_ECL; GRAVEL_ESYSTEM. On step pump its thread runs then. */
int gravel_pump_create(struct gravel_pump **out, const struct gravel_pump_shape *shape);
/**
 * Stop its thread, before the aggregators it wakes go. NULL is allowed.
 *
 * @return  false if the thread is in a call of the driver that does not return: all that it uses must stay.
 */
bool gravel_pump_stop(struct gravel_pump *pump);
/** Reports for the stopped pump, to kernels that still run, that no room will be made. NULL is allowed. */
void gravel_pump_abandon(struct gravel_pump *pump);
/**
 * Free the stopped pump. NULL is allowed. Kernels must have ended.
 *
 * @return  false if copies that it began do not end: it stays, and so must all that they use.
 */
bool gravel_pump_destroy(struct gravel_pump *pump);

/* Give an aggregator its view of a queue's mirror: tickets that the pump has brought (U1), how often it has read
 * the device (U6), and where the aggregator notes that it waits for the writer of records (U8). */
void gravel_pump_attach(struct gravel_pump *pump, uint32_t queue,
                        struct gravel_package_queue *view);

/** [GRAVEL_BLOCK_ROOMS] Blocks of a queue, by room; NULL if there never are any. */
struct gravel_block *gravel_pump_blocks(const struct gravel_pump *pump, uint32_t queue);

/** Step pump: keep pumping at least until this event has completed. @param event  retained. */
void gravel_pump_watch(struct gravel_pump *pump, cl_event event);

/* A wait for kernels and their packages: what was known as it began, and how far its drain came. */
struct gravel_pump_mark {
    uint32_t n_launches;                      /* watched */
    uint64_t n_host_calls;                    /* that had sent */
    uint32_t tickets[GRAVEL_MAX_AGGREGATORS]; /* of each queue: the packages before it are moved */
};

/** Note what is known as a wait begins. @param mark  [out] its tickets are the drain's. */
void gravel_pump_begin_wait(const struct gravel_pump *pump, struct gravel_pump_mark *mark);

/**
 * Move every package of kernels that have ended to the mirror; or have the device apply them, if they are few, updates
 * of this node's own words, and nothing that this node sent itself before is under way.
 *
 * @param mark  [in, out] gets its tickets; or NULL.
 * @return  0; GRAVEL_EPEER if the node aborted; otherwise the node fails: GRAVEL_EKERNEL if one is reserved and not
 *          published; GRAVEL_ETIMEOUT if the aggregators make no room, or the device ends no copy; GRAVEL_ECL.
 */
int gravel_pump_drain(struct gravel_pump *pump, struct gravel_pump_mark *mark);

/** All kernels launched before the wait began have ended, and their packages are moved: the thread need not poll again
 * until another one is watched, or the clock ticks. */
void gravel_pump_note_drained(struct gravel_pump *pump, const struct gravel_pump_mark *mark);

/** Notes that all messages before the mark, of kernels and host calls, are applied. */
void gravel_pump_note_applied(struct gravel_pump *pump, const struct gravel_pump_mark *mark);

/** Returns how many blocks had to wait for a node buffer so far. */
uint64_t gravel_pump_buffer_waits(const struct gravel_pump *pump);

/** Returns the packages that kernels reserved so far in all queues, as of the last poll [count]; wraps. */
uint32_t gravel_pump_reserved(const struct gravel_pump *pump);

#endif
