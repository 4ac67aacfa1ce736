/* SPDX-License-Identifier: MIT */
/*
 * Waits for the events of a launch. See wait_list.h.
 */
#include "node/wait_list.h"

#include "base/clock.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <stdio.h>

/* One of them. */
struct listed {
    struct gravel *gravel;
    cl_uint i;
    bool is_set_by_host; /* a user event */
};

static bool is_set_by_host(cl_event event)
{
    cl_command_type type = 0;
    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
    return type == CL_COMMAND_USER;
}

static int check(void *context, struct gravel_wait *wait)
{
    const struct listed *listed = context;
    const struct gravel_config *config = &listed->gravel->config;
    uint64_t limit_ms = listed->is_set_by_host ? config->timeout_ms : config->kernel_limit_ms;
    uint64_t limit_ns = limit_ms * GRAVEL_NS_PER_MS;
    wait->waited.lived.step_ns = config->timeout_ms * GRAVEL_NS_PER_MS / GRAVEL_LIVED_STEPS;
    uint64_t waited_ns = gravel_lived_tick(&wait->waited.lived, gravel_clock_ns());
    if (gravel_node_has_failed(listed->gravel))
        return gravel_failure_report(&listed->gravel->failure);
    if (limit_ns == 0 || waited_ns < limit_ns)
        return 0;
    return listed->is_set_by_host
               ? gravel_fail(GRAVEL_ETIMEOUT,
                             "%s waits for its list on step %s, and no thread has set wait[%u], a "
                             "user event, for %.1f s (GRAVEL_TIMEOUT)",
                             wait->what, gravel_step_name(listed->gravel->device.step), listed->i,
                             (double)waited_ns * 1e-9)
               : gravel_fail(GRAVEL_EKERNEL,
                             "%s: wait[%u] has not ended within %.1f s (GRAVEL_KERNEL_LIMIT)",
                             wait->what, listed->i, (double)waited_ns * 1e-9);
}

static int wait_for(struct listed *listed, const char *call, cl_event event)
{
    struct gravel_wait wait = {.limit = {.check = check, .context = listed}, .what = call};
    int code = 0;
    cl_int status;
    while ((status = gravel_cl_event_status(event)) > CL_COMPLETE &&
           !(code = gravel_wait_pause(&wait)))
        ;
    if (code || status == CL_COMPLETE)
        return code;
    return gravel_fail(GRAVEL_ECL, "%s: wait[%u] ended with an error: %s (%d)", call, listed->i,
                       gravel_cl_error(status), (int)status);
}

int gravel_wait_list(struct gravel *gravel, const char *call, cl_uint n, const cl_event *events)
{
    int code = n ? gravel_check_cl("clFlush", clFlush(gravel->device.queue)) : 0;
    for (cl_uint i = 0; i < n && !code; i++) {
        struct listed listed = {gravel, i, is_set_by_host(events[i])};
        code = wait_for(&listed, call, events[i]);
    }
    if (code || n == 0)
        return code;
    return gravel_check_cl(call, clWaitForEvents(n, events)); /* returns at once; orders */
}
