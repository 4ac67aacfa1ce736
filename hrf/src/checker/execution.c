/* SPDX-License-Identifier: MIT */
/*
 * Adding and dropping events. See execution.h.
 */
#include "checker/execution.h"

#include <stdlib.h>
#include <string.h>

int hrf_execution_init(struct hrf_execution *execution, const struct hrf_program *program)
{
    *execution = (struct hrf_execution){
        .program = program,
        .events = calloc(hrf_max_events(program) + 1, sizeof *execution->events)};
    memset(execution->last_access, -1, sizeof execution->last_access);
    memset(execution->last_write, -1, sizeof execution->last_write);
    memset(execution->last, -1, sizeof execution->last);
    return execution->events ? 0 : -1;
}

void hrf_execution_free(struct hrf_execution *execution)
{
    free(execution->events);
    execution->events = NULL;
}

/* Its predecessors in the thread. */
static void link_thread(struct hrf_execution *execution, struct hrf_event *event)
{
    const int16_t last = execution->last[event->thread];
    const struct hrf_event *previous = last < 0 ? NULL : &execution->events[last];
    event->previous = last;
    event->index = previous ? (uint16_t)(previous->index + 1) : 1;
    event->release_fence = HRF_NONE;
    event->atomic_read = HRF_NONE;
    if (!previous)
        return;
    bool is_release_fence = previous->is_fence && hrf_releases(previous);
    event->release_fence = is_release_fence ? last : previous->release_fence;
    event->atomic_read = previous->is_atomic && previous->reads ? last : previous->atomic_read;
}

int16_t hrf_execution_add(struct hrf_execution *execution, const struct hrf_event *given)
{
    const int16_t number = (int16_t)execution->n++;
    struct hrf_event *event = &execution->events[number];
    *event = *given;
    link_thread(execution, event);
    execution->last[event->thread] = number;
    if (event->location < 0)
        return number;
    event->previous_access = execution->last_access[event->location];
    event->previous_write = execution->last_write[event->location];
    execution->last_access[event->location] = number;
    if (event->writes)
        execution->last_write[event->location] = number;
    return number;
}

void hrf_execution_drop(struct hrf_execution *execution, uint32_t n)
{
    while (execution->n > n) {
        const struct hrf_event *event = &execution->events[--execution->n];
        execution->last[event->thread] = event->previous;
        if (event->location < 0)
            continue;
        execution->last_access[event->location] = event->previous_access;
        execution->last_write[event->location] = event->previous_write;
    }
}

int hrf_execution_copy(struct hrf_execution *to, const struct hrf_execution *from)
{
    struct hrf_event *events = calloc(from->n + 1, sizeof *events);
    if (!events)
        return -1;
    if (from->n)
        memcpy(events, from->events, from->n * sizeof *events);
    *to = *from;
    to->events = events;
    return 0;
}
