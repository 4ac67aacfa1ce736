/* SPDX-License-Identifier: MIT */
/*
 * Kernels under way, remembered so that quiet can wait for them, and counted; and events that a launch waits for.
 *
 * OpenCL's own wait has no bound, so a thread that waits polls, and sleeps in between for a part of the wait so far.
 *
 * Memory:  what the kernel wrote is ordered by clWaitForEvents, called once the kernel has ended; a poll of its status
 *          orders nothing.
 */
#include "node/enqueue.h"

#include "base/clock.h"
#include "base/error.h"
#include "opencl/wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gravel_launches_destroy(struct gravel_launches *launches)
{
    for (uint32_t i = 0; i < launches->n; i++)
        clReleaseEvent(launches->kernels[i].event);
    free(launches->kernels);
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Gets the oldest kernel that was remembered after number `after`, its event retained; it stays in the list, for other
 * threads that wait. */
static bool get_next(struct gravel_launches *launches, uint64_t after, struct gravel_running *next)
{
    pthread_mutex_lock(&launches->lock);
    uint32_t i = 0;
    while (i < launches->n && launches->kernels[i].number <= after)
        i++;
    const bool is_there = i < launches->n;
    if (is_there) {
        *next = launches->kernels[i];
        clRetainEvent(next->event);
    }
    pthread_mutex_unlock(&launches->lock);
    return is_there;
}

static void forget(struct gravel_launches *launches, uint64_t number)
{
    uint32_t kept = 0;
    pthread_mutex_lock(&launches->lock);
    for (uint32_t i = 0; i < launches->n; i++)
        if (launches->kernels[i].number != number)
            launches->kernels[kept++] = launches->kernels[i];
        else
            clReleaseEvent(launches->kernels[i].event);
    launches->n = kept;
    pthread_mutex_unlock(&launches->lock);
}

static struct gravel_running name_of(cl_kernel kernel, cl_event event)
{
    struct gravel_running running = {.event = event};
    gravel_cl_kernel_name(kernel, running.name);
    return running;
}

/* Asks the driver without the lock. Kernels that ended well are forgotten; one that failed stays for
 * gravel_launches_wait to report. */
int gravel_launches_reserve(struct gravel_launches *launches)
{
    struct gravel_running kernel = {.number = 0};
    pthread_mutex_lock(&launches->lock);
    const bool is_full = launches->n + launches->n_reserved == launches->capacity;
    pthread_mutex_unlock(&launches->lock);
    while (is_full && get_next(launches, kernel.number, &kernel)) {
        if (gravel_cl_event_status(kernel.event) == CL_COMPLETE)
            forget(launches, kernel.number);
        clReleaseEvent(kernel.event);
    }
    pthread_mutex_lock(&launches->lock);
    if (launches->n + launches->n_reserved == launches->capacity) {
        uint32_t capacity = launches->capacity ? launches->capacity * 2 : 16;
        struct gravel_running *kernels = realloc(launches->kernels, capacity * sizeof *kernels);
        launches->kernels = kernels ? kernels : launches->kernels;
        launches->capacity = kernels ? capacity : launches->capacity;
    }
    const bool has_room = launches->n + launches->n_reserved < launches->capacity;
    launches->n_reserved += has_room;
    uint32_t n = launches->n;
    pthread_mutex_unlock(&launches->lock);
    return has_room ? 0
                    : gravel_fail_memory("the list of kernels under way",
                                         2 * n * sizeof *launches->kernels);
}

void gravel_launches_fill(struct gravel_launches *launches, cl_kernel kernel, cl_event event)
{
    struct gravel_running running = {.event = NULL};
    if (event) {
        running = name_of(kernel, event);
        clRetainEvent(event);
    }
    pthread_mutex_lock(&launches->lock);
    launches->n_reserved--;
    running.number = ++launches->n_filled;
    if (event)
        launches->kernels[launches->n++] = running;
    pthread_mutex_unlock(&launches->lock);
}

/* Asks the driver without the lock. */
bool gravel_launches_are_running(struct gravel_launches *launches, bool if_unknown)
{
    struct gravel_running kernel = {.number = 0};
    bool is_running = false;
    while (!is_running && get_next(launches, kernel.number, &kernel)) {
        cl_int status, error = gravel_cl_event_ask(kernel.event, &status);
        is_running = error == CL_SUCCESS ? status > CL_COMPLETE : if_unknown;
        clReleaseEvent(kernel.event);
    }
    return is_running;
}

/* ---- the wait -------------------------------------------------------------------------------- */

/* Waits for one kernel. @return 0 when it has ended, whether or not it succeeded; GRAVEL_EKERNEL. */
static int wait_for(const struct gravel_running *kernel, struct gravel_limit limit)
{
    struct gravel_wait wait = {.limit = limit, .what = kernel->name};
    for (;;) {
        cl_int status, error = gravel_cl_event_ask(kernel->event, &status);
        if (error != CL_SUCCESS) /* the kernel may run on, and uses memory */
            return gravel_fail(GRAVEL_EKERNEL,
                               "kernel %s: the driver does not say whether it has ended: %s (%d)",
                               kernel->name, gravel_cl_error(error), (int)error);
        if (status <= CL_COMPLETE)
            return 0;
        GRAVEL_TRY(gravel_wait_pause(&wait));
    }
}

/* Wait for one kernel, and ask how it ended. @return 0; GRAVEL_ECL; GRAVEL_EKERNEL: it has not. */
static int wait_and_ask(const struct gravel_running *kernel, struct gravel_limit limit)
{
    int gave_up = wait_for(kernel, limit);
    cl_int error = gave_up ? CL_SUCCESS : clWaitForEvents(1, &kernel->event);
    char what[256];
    snprintf(what, sizeof what,
             "a kernel ended with an error, %s (GRAVEL_CHECK=1 names group calls that some "
             "work-items leave out): clWaitForEvents",
             kernel->name);
    return error == CL_SUCCESS ? gave_up : gravel_fail_cl(what, error);
}

int gravel_launches_wait(struct gravel_launches *launches, struct gravel_limit limit)
{
    struct gravel_running kernel;
    int code = 0, one = 0;
    while (one != GRAVEL_EKERNEL && get_next(launches, 0, &kernel)) {
        one = wait_and_ask(&kernel, limit);
        if (one)
            code = one;
        if (one != GRAVEL_EKERNEL)
            forget(launches, kernel.number);
        clReleaseEvent(kernel.event);
    }
    return code;
}

int gravel_launches_wait_for(cl_kernel kernel, cl_event event, struct gravel_limit limit)
{
    const struct gravel_running one = name_of(kernel, event);
    return wait_and_ask(&one, limit);
}

/* ---- events that a launch waits for ---------------------------------------------------------------- */

/* One of them. */
struct listed {
    struct gravel *gravel;
    cl_event event;
    cl_uint i;
};

/* Checks for a held event: one that waits for something itself, which may be a user event that no thread sets, and not
 * for a kernel of gravel_launch. */
static int check(void *context, struct gravel_wait *wait)
{
    const struct listed *listed = context;
    struct gravel *gravel = listed->gravel;
    const struct gravel_config *config = &gravel->config;
    const bool is_held = gravel_cl_event_status(listed->event) > CL_RUNNING &&
                         !gravel_launches_are_running(&gravel->launches, false);
    const uint64_t held_ns = gravel_limit_ns(GRAVEL_LIMIT_LIST, config->timeout_ms);
    uint64_t limit_ns = config->kernel_limit_ms * GRAVEL_NS_PER_MS;
    wait->waited.lived.step_ns = held_ns / GRAVEL_LIVED_STEPS;
    uint64_t waited_ns = gravel_lived_tick(&wait->waited.lived, gravel_clock_ns());
    GRAVEL_TRY(gravel_leave(gravel, 0));
    if (!is_held)
        wait->waited.alone_ns = waited_ns;
    else if (limit_ns < held_ns)
        limit_ns = held_ns;
    if (is_held)
        waited_ns -= wait->waited.alone_ns;
    if (limit_ns == 0 || waited_ns < limit_ns)
        return 0;
    return is_held ? gravel_fail(GRAVEL_ETIMEOUT,
                                 "%s waits for its list on step %s, and wait[%u] has not begun for "
                                 "%.1f s: set the user event that holds it up, or raise "
                                 "GRAVEL_TIMEOUT",
                                 wait->what, gravel_step_name(gravel->device.step), listed->i,
                                 gravel_seconds(waited_ns))
                   : gravel_fail(GRAVEL_EKERNEL,
                                 "%s: wait[%u] has not ended within %.1f s (GRAVEL_KERNEL_LIMIT)",
                                 wait->what, listed->i, gravel_seconds(waited_ns));
}

int gravel_wait_list(struct gravel *gravel, const char *call, cl_uint n, const cl_event *events)
{
    if (n == 0)
        return 0;
    GRAVEL_TRY(gravel_check_cl("clFlush", clFlush(gravel->device.queue)));
    for (cl_uint i = 0; i < n; i++) {
        struct listed listed = {gravel, events[i], i};
        struct gravel_wait wait = {.limit = {.check = check, .context = &listed}, .what = call};
        cl_int status;
        while ((status = gravel_cl_event_status(events[i])) > CL_COMPLETE)
            GRAVEL_TRY(gravel_wait_pause(&wait));
        if (status != CL_COMPLETE)
            return gravel_fail(GRAVEL_ECL, "%s: wait[%u] ended with an error: %s (%d)", call, i,
                               gravel_cl_error(status), (int)status);
    }
    return gravel_check_cl(call, clWaitForEvents(n, events)); /* returns at once; orders */
}

/* ---- counts of launches, and which wait has covered them ------------------------------------------- */

/* So gravel_map can refuse to show what may not be there yet, in checked mode, and the aggregators know when a group's
 * calls are final. Counts are kept without checked mode, too. */

void gravel_checked_begin_launch(struct gravel *gravel)
{
    pthread_mutex_lock(&gravel->launched_lock);
    gravel->launched.n_begun++;
    pthread_mutex_unlock(&gravel->launched_lock);
}

void gravel_checked_end_launch(struct gravel *gravel, cl_kernel kernel)
{
    struct gravel_launch_counts *counts = &gravel->launched;
    char name[GRAVEL_KERNEL_NAME_BYTES] = "";
    if (gravel->config.check && kernel)
        gravel_cl_kernel_name(kernel, name);
    pthread_mutex_lock(&gravel->launched_lock);
    counts->n_ended++;
    counts->n_launched += kernel != NULL;
    if (kernel)
        strcpy(counts->last, name);
    pthread_mutex_unlock(&gravel->launched_lock);
}

struct gravel_launch_counts gravel_checked_read(struct gravel *gravel)
{
    pthread_mutex_lock(&gravel->launched_lock);
    const struct gravel_launch_counts counts = gravel->launched;
    pthread_mutex_unlock(&gravel->launched_lock);
    return counts;
}

/* Notes nothing if a call that launches was under way as the wait began: it says nothing of kernels' ends. */
void gravel_checked_note(struct gravel *gravel, const struct gravel_launch_counts *mark,
                         bool are_applied)
{
    struct gravel_launch_counts *counts = &gravel->launched;
    pthread_mutex_lock(&gravel->launched_lock);
    if (mark->n_begun == mark->n_ended && mark->n_begun > counts->n_over)
        counts->n_over = mark->n_begun;
    if (are_applied && mark->n_launched > counts->n_applied)
        counts->n_applied = mark->n_launched;
    pthread_mutex_unlock(&gravel->launched_lock);
}

bool gravel_checked_are_over(void *context)
{
    const struct gravel_launch_counts counts = gravel_checked_read(context);
    return counts.n_over == counts.n_begun;
}

int gravel_checked_refuse_map(struct gravel *gravel, const char *call)
{
    if (!gravel->config.check || gravel_node_is_in_handler(gravel))
        return 0; /* a handler sees what was applied before its message */
    const struct gravel_launch_counts counts = gravel_checked_read(gravel);
    if (counts.n_launched == counts.n_applied)
        return 0;
    return gravel_fail(
        GRAVEL_EINVAL,
        "%s: kernel %s was launched since the last gravel_quiet or gravel_barrier, and "
        "may still run, or its messages travel: call one of them first",
        call, counts.last);
}
