/* SPDX-License-Identifier: MIT */
/*
 * Checks and applies incoming buffers: in the network thread or, where the heap is device memory, by kernels.
 *
 * Active messages that the device runs divide a buffer: what is before them is applied before, what is behind
 * them after. One thread applies all that the host applies: several, each with its part of the heap, would show a flag
 * in the part of one before the data in that of another.
 *
 * Path:    network thread -> resolver.c -> decode.c, apply.c or on_device/ring.c -> the symmetric heap and handlers.
 * Threads: the network thread.
 * Source:  Orr 2016, section 5.2.3.
 */
#ifndef GRAVEL_RESOLVE_RESOLVER_H
#define GRAVEL_RESOLVE_RESOLVER_H

#include "base/clock.h"
#include "base/trace.h"
#include "memory/memory.h"
#include "resolve/apply.h"
#include "resolve/decode.h"
#include "serve/calls.h"
#include "transport/buffer.h"

#include <stdio.h>

struct gravel_resolver;

/* A frame for the resolver, which may keep it for a while: until give_back. It stays the owner's. */
struct gravel_received {
    uint32_t source, destination; /* nodes */
    uint64_t sequence;            /* of the frame among those from source */
    uint64_t bytes;               /* as received */
    void *buffer;
    /* the owner's: what is given back; NULL: the frame that lies in source's memory */
    const struct gravel_rows *rows; /* where the messages are on the device; NULL: in the frame */
};

/* What the owner learns of frames that were kept, in the order in which they came. */
struct gravel_frame_owner {
    void *context;
    /* The frame may be written to again, and what rows describes. */
    void (*give_back)(void *context, const struct gravel_received *received);
    /* @param n_messages  applied; 0 if refused. @param refusal  code 0 if it was not. */
    void (*ended)(void *context, const struct gravel_received *received, uint64_t n_messages,
                  const struct gravel_refusal *refusal);
};

static inline struct gravel_expect gravel_received_expects(const struct gravel_received *received,
                                                           const struct gravel_endpoints *endpoints,
                                                           const struct gravel_heap *heap)
{
    return (struct gravel_expect){
        received->source,           received->destination, received->sequence, endpoints, heap,
        .is_header = received->rows};
}

struct gravel_resolver_shape {
    struct gravel_heap *heap; /* the allocation table; the same for all local nodes */
    const struct gravel_endpoints *endpoints;
    gravel_apply_reply *reply;          /* sends answers; called by the network thread only */
    void *network;                      /* for reply */
    const struct gravel_memory *memory; /* of the local heaps */
    struct gravel_device_calls *calls;  /* handlers that the device runs; NULL if none */
    uint64_t max_frame_bytes;
    struct gravel_frame_owner owner; /* to whom frames belong that are kept */
    struct gravel_trace *trace;      /* or NULL */
};

/** Writes to the trace, if there is one, that the run's handler has run since begin_ns; nothing for other runs. */
static inline void gravel_resolver_trace(const struct gravel_resolver_shape *shape,
                                         const struct gravel_run *run, uint64_t begin_ns)
{
    char name[64];
    if (!shape->trace || !GRAVELP_IS_CALL(run->command))
        return;
    snprintf(name, sizeof name, "handler %s",
             shape->endpoints->handlers[GRAVELP_COMMAND_HANDLER(run->command)].name);
    gravel_trace_span(shape->trace, name, begin_ns, gravel_clock_ns());
}

/** @return 0; GRAVEL_ENOMEM; GRAVEL_ECL. */
int gravel_resolver_create(struct gravel_resolver **out, const struct gravel_resolver_shape *shape);
/** Destroys it; NULL is allowed. @return false if the device may still use it: it stays. */
bool gravel_resolver_destroy(struct gravel_resolver *resolver);

/** From now on kernels of programs change words too, by atomic operations, and so do the resolver's. */
void gravel_resolver_share(struct gravel_resolver *resolver);

/**
 * Check a MESSAGES frame, and apply it (or, where kernels apply, begin to) if it passes. Nothing is written if it does
 * not.
 *
 * @param frame     [received->bytes] as received; its requests get their answers in it.
 * @param received      whose it is, and which frame is due.
 * @param heap      number of the destination's heap.
 * @param is_kept   [out] the resolver still reads the frame: its callbacks report, instead of this call.
 * @param refusal   [out] why it was refused, or which handler failed; code 0 if all is well.
 * @return          messages applied [count].
 */
uint64_t gravel_resolver_resolve(struct gravel_resolver *resolver, void *frame,
                                 const struct gravel_received *received, uint32_t heap,
                                 bool *is_kept, struct gravel_refusal *refusal);

/**
 * Enqueue that each queue's next few packages are applied where they lie, as far as they are updates for this node.
 *
 * @param tickets  [n_queues] the next that the host would take of each queue.
 * @param behind   [out] the command queue, to read behind what it enqueued how many were (U11); NULL: nothing is
 *                 enqueued, as where the host applies.
 * @return         0; GRAVEL_ECL.
 *
 * Threads: one at a time, concurrently with the one that applies frames. The last one's commands have ended.
 */
int gravel_resolver_apply_in_place(struct gravel_resolver *resolver, const uint32_t *tickets,
                                   uint32_t n_queues, cl_command_queue *behind);

/** Give back every frame that is kept, once the device has it. @return 0; GRAVEL_ECL; or given up: opencl/wait.h. */
int gravel_resolver_give_back(struct gravel_resolver *resolver);

/** Wait until every frame resolved so far is applied; only where kernels apply is there something to wait for. Before
 * the heap is read or written otherwise, and before messages are reported as applied.
 * @return  0; GRAVEL_ECL; GRAVEL_EKERNEL: a handler on the device has not ended in time. */
int gravel_resolver_finish(struct gravel_resolver *resolver);

/** Begins what a finish will wait for, without waiting. @return 0; GRAVEL_ECL. */
int gravel_resolver_begin_finish(struct gravel_resolver *resolver);

/** Moves kept frames further without waiting, and asks whether handlers on the device have ended well, or may
 * still. @param moved  [out] whether a frame got further. @return 0; GRAVEL_ECL; GRAVEL_EKERNEL. */
int gravel_resolver_poll(struct gravel_resolver *resolver, bool *moved);

#endif
