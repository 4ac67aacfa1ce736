/* SPDX-License-Identifier: MIT */
/*
 * Waits for the device that end. See wait.h.
 */
#include "opencl/wait.h"

#include "base/clock.h"
#include "base/error.h"
#include "opencl/objects.h"

#include <sched.h>
#include <unistd.h>

#define YIELDS_NS \
    300000u             /* of looks before the thread sleeps between them: most copies are short */
#define REST_MIN_US 20u /* between two looks then: an eighth of the wait so far, */
#define REST_MAX_US 1000u /* so that a long one is not much longer for it */
#define TEST_NS \
    (20 * GRAVEL_NS_PER_S) /* of a self-test's kernels: many times GRAVEL_TEST_CUT_OFF_MS */
#define TEST_YIELDS_NS UINT64_C(20000000) /* of these too: some measure by them */

static void rest(uint64_t since_ns)
{
    uint64_t rest_us = (gravel_clock_ns() - since_ns) / 8000;
    usleep(rest_us < REST_MIN_US   ? REST_MIN_US
           : rest_us > REST_MAX_US ? REST_MAX_US
                                   : (useconds_t)rest_us);
}

int gravel_patience_ask(const struct gravel_device *device, const char *what,
                        struct gravel_patience_times *times)
{
    if (!device->patience.go_on)
        return 0;
    return device->patience.go_on(device->patience.context, what, times);
}

int gravel_patience_wait(const struct gravel_device *device, cl_event event, const char *what)
{
    struct gravel_patience_times times = {0};
    uint64_t begin_ns = gravel_clock_ns();
    cl_int status;
    int code = 0;
    while ((status = gravel_cl_event_status(event)) > CL_COMPLETE) {
        if (gravel_clock_ns() - begin_ns < YIELDS_NS) {
            sched_yield();
            continue;
        }
        code = gravel_patience_ask(device, what, &times);
        if (code)
            return code;
        rest(begin_ns);
    }
    return gravel_check_cl(what, status);
}

/*
 * A read, where there is something to read: on NVIDIA neither a marker nor the event of a kernel ends beside a kernel
 * of another queue that waits, and copies do.
 */
cl_int gravel_patience_mark(const struct gravel_device *device, cl_command_queue queue,
                            cl_event *all)
{
    static uint32_t unused; /* of all threads; nobody looks at it */
    if (!device->probe_word)
        return clEnqueueMarkerWithWaitList(queue, 0, NULL, all);
    return clEnqueueReadBuffer(queue, device->probe_word, CL_FALSE, 0, sizeof unused, &unused, 0,
                               NULL, all);
}

/* As gravel_patience_mark, and let it begin. */
static int mark_and_flush(const struct gravel_device *device, cl_command_queue queue,
                          const char *what, cl_event *all)
{
    cl_int error = gravel_patience_mark(device, queue, all);
    if (error != CL_SUCCESS)
        return gravel_fail_cl(what, error);
    error = clFlush(queue);
    if (error != CL_SUCCESS)
        clReleaseEvent(*all);
    return gravel_check_cl(what, error);
}

int gravel_patience_finish_test(const struct gravel_device *device, cl_command_queue queue)
{
    static const char what[] = "self-test: kernels that end by themselves";
    uint64_t begin_ns = gravel_clock_ns();
    struct gravel_lived lived = gravel_lived_for(TEST_NS);
    cl_event all;
    int code = mark_and_flush(device, queue, what, &all);
    if (code)
        return code;
    for (uint64_t ns = 0; gravel_cl_event_status(all) > CL_COMPLETE && ns < TEST_NS;
         ns = gravel_lived_tick(&lived, gravel_clock_ns()))
        if (ns < TEST_YIELDS_NS)
            sched_yield();
        else
            rest(begin_ns);
    if (device->patience.go_on || gravel_cl_event_status(all) <= CL_COMPLETE)
        code = gravel_patience_wait(device, all, what);
    else
        code = gravel_fail(GRAVEL_ETIMEOUT, "%s: %s has not ended them in %.0f s", what,
                           device->capability.name, (double)TEST_NS * 1e-9);
    clReleaseEvent(all);
    return code;
}

int gravel_patience_finish(const struct gravel_device *device, cl_command_queue queue,
                           const char *what)
{
    cl_event all;
    int code = mark_and_flush(device, queue, what, &all);
    if (code)
        return code;
    code = gravel_patience_wait(device, all, what);
    clReleaseEvent(all);
    return code;
}
