/* SPDX-License-Identifier: MIT */
/*
 * The pump, for its own files: pump.c has its thread and its life, pump_move.c what it does, pump_settle.c the
 * wait for all of it.
 */
#ifndef GRAVEL_QUEUE_PUMP_PARTS_H
#define GRAVEL_QUEUE_PUMP_PARTS_H

#include <pthread.h>

#include "queue/package.h"
#include "queue/pump.h"

#define GRAVEL_PUMP_QUEUES 64u     /* GRAVEL_AGGREGATORS allows no more */
#define GRAVEL_PUMP_FLIGHTS 8u     /* copies under way, of each queue */
#define GRAVEL_PUMP_LOOK_MIN 64u   /* headers read of a queue that had nothing ready at the last look */
#define GRAVEL_PUMP_REST_MIN_US 5u   /* between two looks that find nothing, doubling */
#define GRAVEL_PUMP_REST_MAX_US 500u

/* A run of packages under way. */
struct flight {
    cl_event copied;
    uint32_t end;   /* ticket after its last */
    uint32_t width; /* bytes copied of each slot */
};

struct channel {
    struct gravel_queue_words
        *words;           /* the mirror's: reserved and waits are ours, consumed the aggregator's */
    unsigned char *slots; /* the mirror's */
    struct gravel_package *headers; /* [look_ahead] pinned; what the last look saw */
    uint32_t wanted;                /* headers to read at the next look: twice what was ready */
    uint32_t taken;                 /* tickets whose copies have been enqueued */
    struct flight flights[GRAVEL_PUMP_FLIGHTS];
    uint32_t first_flight, n_flights;
    _Alignas(GRAVEL_CACHELINE) uint32_t arrived; /* U1: tickets brought; atomic */
};

struct gravel_pump {
    struct gravel_pump_shape shape;
    struct gravel_arena *mirror;
    cl_mem device; /* the kernels' arena */
    cl_command_queue looks, moves;
    cl_mem
        pinned; /* staging: device words, then headers of each queue, then words for the device */
    unsigned char *staging;
    unsigned char *seen; /* [state_bytes] control block and queue words as the device has them */
    uint32_t state_bytes;
    struct gravel_queue_words *credits; /* [n_queues] what the device is told */
    struct channel *channels;           /* [n_queues] */
    uint32_t n_queues, n_slots, slot_bytes;
    uint32_t look_ahead; /* headers of each queue */
    bool has_told_abort;
    uint32_t progress; /* sum of all tickets taken, arrived and consumed, as of the last look */
    uint64_t moved_ns; /* when it last changed */

    pthread_mutex_t lock;
    pthread_t thread;
    bool is_running;
    _Atomic bool has_ended; /* the thread's work */
    _Atomic bool stopping;
    _Atomic uint32_t rounds; /* of gravel_pump_move; wraps. Relaxed: it only shows that the pump works */
    struct gravel_event event; /* wakes the thread: a launch, or stop */
    pthread_mutex_t watch_lock;
    cl_event watched; /* the newest launch, retained; NULL if it has ended */
};

/** One round for all queues. @param wait  for the copies too. @param moved  [out] packages found ready [count].
 * @return 0; GRAVEL_ECL. The lock is held. */
int gravel_pump_move(struct gravel_pump *pump, bool wait, uint32_t *moved);

/** Tell the device, once, that the node has failed. The lock is held. */
cl_int gravel_pump_tell_abort(struct gravel_pump *pump);

/** The pump cannot go on, for the reason that gravel_last_error has: so ends the node. The lock is held. @return code */
int gravel_pump_fail(struct gravel_pump *pump, int code);

/** Whether some package is reserved that has not arrived, as of the last look. The lock is held. */
bool gravel_pump_is_behind(const struct gravel_pump *pump);

#endif
