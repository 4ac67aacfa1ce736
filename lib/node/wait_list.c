/* SPDX-License-Identifier: MIT */
/*
 * Waits for the events of a launch. See enqueue.h.
 */
#include "node/enqueue.h"

#include "base/clock.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

/* One of them. */
struct listed {
    struct gravel *gravel;
    cl_event event;
    cl_uint i;
};

/* An event is held if it waits for something itself, which may be a user event that no thread sets, and not for a
 * kernel of gravel_launch. */
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
                                 (double)waited_ns * 1e-9)
                   : gravel_fail(GRAVEL_EKERNEL,
                                 "%s: wait[%u] has not ended within %.1f s (GRAVEL_KERNEL_LIMIT)",
                                 wait->what, listed->i, (double)waited_ns * 1e-9);
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
