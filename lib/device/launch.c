/* SPDX-License-Identifier: MIT */
/*
 * Kernels under way. See launch.h.
 */
#include "launch.h"

#include <stdlib.h>

#include "../error.h"

void gravel_launches_init(struct gravel_launches *launches)
{
    *launches = (struct gravel_launches){.n = 0};
    pthread_mutex_init(&launches->lock, NULL);
}

void gravel_launches_destroy(struct gravel_launches *launches)
{
    for (uint32_t i = 0; i < launches->n; i++)
        clReleaseEvent(launches->events[i]);
    free(launches->events);
    pthread_mutex_destroy(&launches->lock);
}

/* Forget kernels that ended well; one that failed stays for gravel_launches_wait to report. */
static void forget_ended(struct gravel_launches *launches)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < launches->n; i++) {
        cl_int status = CL_QUEUED;
        clGetEventInfo(launches->events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                       &status, NULL);
        if (status == CL_COMPLETE)
            clReleaseEvent(launches->events[i]);
        else
            launches->events[kept++] = launches->events[i];
    }
    launches->n = kept;
}

int gravel_launches_add(struct gravel_launches *launches, cl_event event)
{
    int code = 0;
    pthread_mutex_lock(&launches->lock);
    if (launches->n == launches->capacity)
        forget_ended(launches);
    if (launches->n == launches->capacity) {
        uint32_t capacity = launches->capacity ? launches->capacity * 2 : 16;
        cl_event *events = realloc(launches->events, capacity * sizeof *events);
        if (events) {
            launches->events = events;
            launches->capacity = capacity;
        }
    }
    if (launches->n < launches->capacity) {
        clRetainEvent(event);
        launches->events[launches->n++] = event;
    } else {
        code = gravel_fail(GRAVEL_ENOMEM, "list of %u kernels under way", launches->n);
    }
    pthread_mutex_unlock(&launches->lock);
    return code;
}

/* The oldest kernel under way, retained; it stays in the list, for other threads that wait. */
static cl_event oldest(struct gravel_launches *launches)
{
    cl_event event = NULL;
    pthread_mutex_lock(&launches->lock);
    if (launches->n) {
        event = launches->events[0];
        clRetainEvent(event);
    }
    pthread_mutex_unlock(&launches->lock);
    return event;
}

static void forget(struct gravel_launches *launches, cl_event event)
{
    uint32_t kept = 0;
    pthread_mutex_lock(&launches->lock);
    for (uint32_t i = 0; i < launches->n; i++)
        if (launches->events[i] != event)
            launches->events[kept++] = launches->events[i];
        else
            clReleaseEvent(event);
    launches->n = kept;
    pthread_mutex_unlock(&launches->lock);
}

int gravel_launches_wait(struct gravel_launches *launches)
{
    cl_event event;
    int code = 0;
    while ((event = oldest(launches))) {
        cl_int error = clWaitForEvents(1, &event);
        if (error != CL_SUCCESS)
            code = gravel_fail_cl("a kernel ended with an error: clWaitForEvents", error);
        forget(launches, event);
        clReleaseEvent(event);
    }
    return code;
}
