/* SPDX-License-Identifier: MIT */
/*
 * An execution: events in the order in which an engine added them, and for each what it read and its store's
 * position in coherence order.
 *
 * Path:    explore.c -> execution.h -> orders.c, race.c, consistent.c, print.c.
 * Owner:   the engine; hrf_execution_copy keeps one.
 *
 * Events are added and dropped at the end alone, and each knows its predecessors, so the lists need no repair.
 */
#ifndef GRAVEL_HRF_EXECUTION_H
#define GRAVEL_HRF_EXECUTION_H

#include "checker/program.h"

struct hrf_event {
    const struct hrf_instruction *instruction;
    uint32_t value;    /* stored, else read */
    int16_t source;    /* event read from; HRF_NONE: the initial value */
    uint16_t position; /* of a store in coherence order, from 1 */
    uint16_t index;    /* in the thread, from 1 */
    uint16_t instance; /* of its scope */
    int16_t location;  /* or HRF_NONE */
    uint8_t thread, order, regions;
    bool reads, writes, is_atomic, is_remote, is_fence, is_barrier;
    uint16_t round; /* of a barrier: number of the event that the first thread has there */
    /* The nearest before it, or HRF_NONE. */
    int16_t previous_access, previous_write; /* to the location */
    int16_t release_fence, atomic_read;      /* of the thread */
    int16_t previous;                        /* of the thread */
};

/* How an execution ended. */
struct hrf_outcome {
    bool is_stuck, has_diverged, is_cut; /* is_cut: a loop or the execution is too long */
    int32_t failed_thread;               /* whose assert failed, or HRF_NONE */
    uint32_t failed_line;
    const uint32_t *memory; /* [n_locations] at the end */
    const struct hrf_locals *locals;
};

struct hrf_execution {
    const struct hrf_program *program;
    struct hrf_event *events; /* [n] */
    uint32_t n;
    int16_t last_access[HRF_MAX_LOCATIONS], last_write[HRF_MAX_LOCATIONS];
    int16_t last[HRF_MAX_THREADS];
};

/** Returns 0; -1 without memory. */
int hrf_execution_init(struct hrf_execution *execution, const struct hrf_program *program);
void hrf_execution_free(struct hrf_execution *execution);

/** Adds an event, of which kind, thread, location, order and scope are set. @return its number. */
int16_t hrf_execution_add(struct hrf_execution *execution, const struct hrf_event *event);
/** Drops events until there are n. */
void hrf_execution_drop(struct hrf_execution *execution, uint32_t n);
/** Copies the events. @return 0; -1 without memory. */
int hrf_execution_copy(struct hrf_execution *to, const struct hrf_execution *from);

static inline bool hrf_acquires(const struct hrf_event *event)
{
    return (event->order & HRF_ACQUIRE) && (event->reads || event->is_fence);
}
static inline bool hrf_releases(const struct hrf_event *event)
{
    return (event->order & HRF_RELEASE) && (event->writes || event->is_fence);
}
/** Returns the position in coherence order of the value that an event reads; 0: the initial one. */
static inline uint16_t hrf_read_position(const struct hrf_execution *execution,
                                         const struct hrf_event *event)
{
    return event->source < 0 ? 0 : execution->events[event->source].position;
}
/** Returns the position of the newest store that an access has, by storing or reading. */
static inline uint16_t hrf_newest_position(const struct hrf_execution *execution,
                                           const struct hrf_event *event)
{
    return event->writes ? event->position : hrf_read_position(execution, event);
}

#endif
