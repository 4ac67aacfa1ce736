/* SPDX-License-Identifier: MIT */
/*
 * Between the network thread's own files.
 *
 * Path:    start.c -> network.c, leave.c -> control.c, job.c -> bytes.c, collective.c, records.c, resolving.c ->
 *          liveness.c, outgoing.c.
 * Threads: the network thread, if not said otherwise.
 */
#ifndef GRAVEL_NETWORK_PARTS_H
#define GRAVEL_NETWORK_PARTS_H

#include "base/clock.h"
#include "network/network.h"

#include <inttypes.h>

static inline bool gravel_network_has_aborted(const struct gravel_network *network)
{
    return gravel_failure_is_fatal(network->shape.failure);
}

/* Returns whether the network thread has been given up. */
static inline bool gravel_network_is_lost(const struct gravel_network *network)
{
    return gravel_thread_state(&network->thread) == GRAVEL_THREAD_LOST;
}

/* Returns how long the network thread has lived [ns], for limits of its waits; never 0. The network thread. */
static inline uint64_t gravel_network_lived_ns(struct gravel_network *network)
{
    return gravel_lived_tick(&network->lived, gravel_clock_ns());
}

/** outgoing.c: report a fatal failure. */
void gravel_network_fail(const struct gravel_network *network, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Fail the node, with the thread's last error, if `code` is one: no peer can mend it. @return code */
static inline int gravel_network_check(struct gravel_network *network, int code)
{
    if (code)
        gravel_network_fail(network, code, "%s", gravel_last_error());
    return code;
}

/* Returns the number of a local node's heap. */
static inline uint32_t gravel_network_heap_of(const struct gravel_network *network, uint32_t node)
{
    return network->transport->is_loopback ? node : 0;
}

/** network.c: runs the thread until gravel_network_stop. */
void gravel_network_loop(struct gravel_network *network);
/** Polls once, and rests if nothing moved. */
void gravel_network_progress(struct gravel_network *network);
/** Runs one round. @param due_ns [in, out] when something is due, made less [ns]. @return whether anything moved. */
bool gravel_network_step(struct gravel_network *network, uint64_t now_ns, uint64_t *due_ns);
/** Runs the part of a round that sends nothing new: what has arrived, and buffers that are sent. As step. */
bool gravel_network_exchange(struct gravel_network *network);

/**
 * outgoing.c: make a frame of our own, to be put or transmitted.
 *
 * @param frame  [bytes] a struct that begins with a frame's header, which is filled in.
 * @param more   bytes behind it, to be written by the caller.
 * @return       NULL, and a fatal report, if memory is out.
 */
struct gravel_buffer *gravel_network_frame(struct gravel_network *network, uint16_t kind,
                                           uint32_t node, const void *frame, uint32_t bytes,
                                           uint32_t more);
/** outgoing.c: append a frame, or NULL, to those pending. */
void gravel_network_put(void *context, struct gravel_buffer *buffer);
/** outgoing.c: give a frame its number among those to its destination, and count it as sent. */
void gravel_network_number(struct gravel_network *network, struct gravel_frame *frame);
/** outgoing.c: send a frame, or NULL, to another node at once, before those that are pending. */
void gravel_network_transmit(struct gravel_network *network, struct gravel_buffer *buffer);

/** resolving.c: have a frame of messages resolved. @return whether the resolver keeps it for a while. */
bool gravel_resolving_take(struct gravel_network *network, struct gravel_frame *frame,
                           const struct gravel_received *received);
/** resolving.c: wait until every frame handled so far is applied; the node fails if one cannot be. */
void gravel_resolving_finish(struct gravel_network *network);
/** resolving.c: reports to this node and the sender that messages were not applied. */
void gravel_resolving_refuse(struct gravel_network *network, int code, const char *why,
                             uint32_t source, uint32_t destination);
/** resolving.c: gives back a frame's bytes, which are resolved. `context` is the network, as of the next call. */
void gravel_resolving_give_back(void *context, const struct gravel_received *received);
/** resolving.c: counts n messages of a frame that were applied, or reports why not. As gravel_frame_owner's. */
void gravel_resolving_ended(void *context, const struct gravel_received *received,
                            uint64_t n_messages, const struct gravel_refusal *refusal);

/** records.c: returns whether a frame of records may leave now: it counts as sent then. Else it is parked. */
bool gravel_records_admit(struct gravel_network *network, struct gravel_buffer *buffer);
/** records.c: takes a parked frame that may be sent now, the oldest of its destination; NULL: none. */
struct gravel_buffer *gravel_records_unpark(struct gravel_network *network);
/** records.c: returns whether what was parked before credit.n_parked was `mark` has been sent. */
bool gravel_records_have_left(const struct gravel_network *network, uint64_t mark);
/** records.c: take back what has been dealt with. @return whether there is any for gravel_records_poll. */
bool gravel_records_collect(struct gravel_network *network);
/** records.c: reports what is written, and answers; the node fails if nothing is written for too long. @return whether
 * any was. What functions sent before they answered has left by then. */
bool gravel_records_poll(struct gravel_network *network);
/** records.c: acknowledge `acked` frames once records received so far are written. */
void gravel_records_acknowledge(struct gravel_network *network, uint32_t source, uint64_t acked);

/* Acts on a frame of a kind, for control.c: in bytes.c, records.c and liveness.c.
 * @return 0; or GRAVEL_ECORRUPT, and the error's text says which field cannot be right: "count of rounds (9, not 1 to
 * 2)". */
typedef int gravel_frame_handler(struct gravel_network *network, const void *frame,
                                 const struct gravel_received *received);
gravel_frame_handler gravel_bytes_store, gravel_bytes_answer, gravel_bytes_take_reply,
    gravel_records_take, gravel_records_hear, gravel_late_read, gravel_exchange_take;

/** control.c: check a frame that has arrived, and act on it or have it held. @return whether the resolver keeps it: its
 * owner is called back. */
bool gravel_control_handle(struct gravel_network *network, struct gravel_frame *frame,
                           const struct gravel_received *received);
/** control.c: act on a frame that is checked. @return as gravel_control_handle's */
bool gravel_control_act(struct gravel_network *network, struct gravel_frame *frame,
                        const struct gravel_received *received);
/* By how much the number of a round can be above that of the last one applied here: no node ends one before all have
 * reported it, and the ends and beginnings of launches and runs between two rounds have numbers too. */
#define GRAVEL_AHEAD_MOST 5u
/** ahead.c: holds a copy of a frame if this node may not act on it yet. @return whether it does. */
bool gravel_ahead_hold(struct gravel_network *network, const struct gravel_frame *frame,
                       const struct gravel_received *received);
/** ahead.c: takes the oldest frame that is held, if it need be no longer; NULL: none. @param due_ns  as
 * gravel_network_step's */
struct gravel_buffer *gravel_ahead_next(struct gravel_network *network, uint64_t *due_ns);

/** resolving.c: send the answers of a run of requests; `context` is the network. See gravel_apply_reply. */
void gravel_reply_send(void *context, const struct gravel_signal_run *run, uint32_t source,
                       const void *requests, const unsigned char *answers);

/** job.c: take the jobs that host threads have submitted. */
void gravel_job_take_new(struct gravel_network *network);
/** job.c: returns whether a job gets no further until all that has been shipped so far is sent. */
bool gravel_job_waits_for_sends(const struct gravel_network *network);
/** job.c: get all a step further, after that. @return whether one has ended. */
bool gravel_job_step(struct gravel_network *network);
/** job.c: end every job; the node has failed. */
void gravel_job_fail_all(struct gravel_network *network);
/* bytes.c, collective.c: get a job a step further, and set its state. @return whether it has ended, with job->code. */
bool gravel_job_step_get(struct gravel_network *network, struct gravel_job *job);
bool gravel_job_step_reduce(struct gravel_network *network, struct gravel_job *job);
bool gravel_job_step_barrier(struct gravel_network *network, struct gravel_job *job);
bool gravel_job_step_exchange(struct gravel_network *network, struct gravel_job *job);

/** exchange.c: returns the post of an outbox for a node. */
struct gravel_post *gravel_exchange_post(const struct gravel_network *network,
                                         const struct gravel_pinned *outbox, uint32_t node,
                                         uint64_t number);
/** exchange.c: returns whether a node reads this one's outbox. */
bool gravel_exchange_is_read_by(const struct gravel_network *network, uint32_t node);

/** liveness.c: the round that began last has not ended, so find whom it waits for, to name it; or it has ended. */
void gravel_late_poll(struct gravel_network *network);
void gravel_late_end(struct gravel_network *network);

/** liveness.c: from now on, beat and listen. */
void gravel_liveness_begin(struct gravel_network *network);
/** liveness.c: notes that a node has sent something, maybe our left neighbour. */
void gravel_liveness_hear(struct gravel_network *network, uint32_t source);
/** liveness.c: beat, and watch our left neighbour. @return time until the next beat is due [ns]. */
uint64_t gravel_liveness_step(struct gravel_network *network, uint64_t now_ns);
/** leave.c: after the loop: send what is left and, as all nodes close, receive what was sent to this one. */
void gravel_network_leave(struct gravel_network *network);
/** liveness.c: raise what other nodes know to an enum gravel_death. */
void gravel_liveness_set_death(struct gravel_network *network, uint32_t death);
/** liveness.c: reports to every node that this one has failed, or ends, and why, once. */
void gravel_liveness_report_death(struct gravel_network *network);

#endif
