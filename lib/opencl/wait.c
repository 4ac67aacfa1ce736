/* SPDX-License-Identifier: MIT */
/*
 * Waits for the device that end. See wait.h.
 */
#include "opencl/wait.h"

#include "base/clock.h"
#include "base/error.h"
#include "opencl/objects.h"

/* Of the self-test's kernels, which end by themselves; many times GRAVEL_TEST_CUT_OFF_MS. */
#define TEST_NS (20 * GRAVEL_NS_PER_S)
#define TEST_YIELDS_NS UINT64_C(20000000) /* some measure by them */

/* Waits for an event. A driver that does not say its state at one poll may at the next, while the limit lasts. */
int gravel_wait_event(const struct gravel_device *device, cl_event event, const char *what)
{
    struct gravel_wait wait = gravel_wait_on(device, what);
    int code = 0;
    while (!code) {
        cl_int status, error = gravel_cl_event_ask(event, &status);
        if (error == CL_SUCCESS && status <= CL_COMPLETE)
            return gravel_check_cl(what, status);
        code = error != CL_SUCCESS && !wait.limit.check ? gravel_fail_cl(what, error)
                                                        : gravel_wait_pause(&wait);
    }
    return code;
}

/* Reports a flush that failed after the wait: the command may have begun nevertheless. */
int gravel_wait_command(const struct gravel_device *device, cl_command_queue queue, cl_int error,
                        cl_event event, const char *what)
{
    cl_int flushed = error == CL_SUCCESS ? clFlush(queue) : error;
    int code = error == CL_SUCCESS ? gravel_wait_event(device, event, what) : 0;
    gravel_cl_event_release(event);
    GRAVEL_TRY(code);
    return gravel_check_cl(what, flushed);
}

/*
 * Enqueues a read, where there is something to read: on NVIDIA neither a marker nor the event of a kernel ends while a
 * kernel of another queue waits, and copies do.
 */
cl_int gravel_wait_mark(const struct gravel_device *device, cl_command_queue queue, cl_event *all)
{
    if (!device->probe_word)
        return clEnqueueMarkerWithWaitList(queue, 0, NULL, all);
    return clEnqueueReadBuffer(queue, device->probe_word, CL_FALSE, 0, sizeof *device->probed,
                               device->probed, 0, NULL, all);
}

int gravel_wait_queue(const struct gravel_device *device, cl_command_queue queue, const char *what)
{
    cl_event all = NULL;
    cl_int error = gravel_wait_mark(device, queue, &all);
    return gravel_wait_command(device, queue, error, all, what);
}

bool gravel_wait_is_done(const struct gravel_device *device, cl_command_queue queue,
                         const char *what)
{
    cl_event all = NULL;
    if (!queue)
        return true;
    const struct gravel_kept met = gravel_keep(0); /* that is being cleaned up after */
    cl_int error = gravel_wait_mark(device, queue, &all);
    if (error !=
        CL_SUCCESS) /* which says nothing of the commands; a device that is lost refuses again */
        error = gravel_wait_mark(device, queue, &all);
    const int code = gravel_wait_command(device, queue, error, all, what);
    bool is_done = error == CL_SUCCESS && !gravel_wait_gave_up(code);
    if (!is_done && device->limit.keep)
        device->limit.keep(device->limit.context);
    gravel_fail_again(&met);
    return is_done;
}

/* ---- kernels of the self-test ---------------------------------------------------------------- */

/* TEST_NS are added to the device's limit, so that a device that is only slow is reported by what it lacks. */
static int check_test(void *context, struct gravel_wait *wait)
{
    const struct gravel_device *device = context;
    wait->waited.lived.step_ns = TEST_NS / GRAVEL_LIVED_STEPS;
    if (gravel_lived_tick(&wait->waited.lived, gravel_clock_ns()) < TEST_NS)
        return 0;
    if (!device->limit.check)
        return gravel_fail(GRAVEL_ETIMEOUT, "%s: %s has not ended them in %.0f s", wait->what,
                           device->capability.name, gravel_seconds(TEST_NS));
    wait->limit = device->limit;
    gravel_wait_renew(wait);
    return 0;
}

int gravel_wait_test(const struct gravel_device *device, cl_command_queue queue)
{
    struct gravel_device tested = *device;
    tested.limit = (struct gravel_limit){
        .check = check_test, .context = (void *)device, .yields_ns = TEST_YIELDS_NS};
    return gravel_wait_queue(&tested, queue, "self-test: kernels that end by themselves");
}
