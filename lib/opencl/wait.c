/* SPDX-License-Identifier: MIT */
/*
 * Waits for the device that end. See wait.h.
 */
#include "opencl/wait.h"

#include "base/clock.h"
#include "base/error.h"
#include "opencl/objects.h"

#include <stdio.h>
#include <unistd.h>

#define YIELDS_NS UINT64_C(300000)      /* most copies are shorter */
#define LOCK_YIELDS_NS UINT64_C(100000) /* a round of the pump is shorter */
#define SLEEP_MIN_US 20u
#define SLEEP_MAX_US 1000u /* so that a long wait is not much longer for it */
/* Of the self-test's kernels, which end by themselves; many times GRAVEL_TEST_CUT_OFF_MS. */
#define TEST_NS (20 * GRAVEL_NS_PER_S)
#define TEST_YIELDS_NS UINT64_C(20000000) /* some measure by them */

/* ---- a wait ---------------------------------------------------------------------------------- */

int gravel_wait_check(struct gravel_wait *wait)
{
    return wait->limit.check ? wait->limit.check(wait->limit.context, wait) : 0;
}

int gravel_wait_pause(struct gravel_wait *wait)
{
    if (gravel_awake_yield(&wait->awake, wait->limit.yields_ns ? wait->limit.yields_ns : YIELDS_NS))
        return 0;
    int code = gravel_wait_check(wait);
    if (code)
        return code;
    uint64_t us = (gravel_clock_ns() - wait->awake.begin_ns) / 32000; /* so a wait is 1/32 longer */
    usleep(us < SLEEP_MIN_US ? SLEEP_MIN_US : us > SLEEP_MAX_US ? SLEEP_MAX_US : (useconds_t)us);
    return 0;
}

/* The pump lets go of its lock for a moment between two rounds, which a sleep that grows would miss. */
int gravel_wait_lock(struct gravel_wait *wait, pthread_mutex_t *lock)
{
    int code = 0;
    struct gravel_awake awake = {0};
    while (pthread_mutex_trylock(lock) && !(code = gravel_wait_check(wait)))
        if (!gravel_awake_yield(&awake, LOCK_YIELDS_NS))
            usleep(SLEEP_MIN_US);
    return code;
}

/* ---- what is waited for ---------------------------------------------------------------------- */

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

/* A flush that failed is reported after the wait: the command may have begun nevertheless. */
int gravel_wait_command(const struct gravel_device *device, cl_command_queue queue, cl_int error,
                        cl_event event, const char *what)
{
    cl_int flushed = error == CL_SUCCESS ? clFlush(queue) : error;
    int code = error == CL_SUCCESS ? gravel_wait_event(device, event, what) : 0;
    gravel_cl_event_release(event);
    return code ? code : gravel_check_cl(what, flushed);
}

/*
 * A read, where there is something to read: on NVIDIA neither a marker nor the event of a kernel ends beside a kernel
 * of another queue that waits, and copies do.
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
    char reason[GRAVEL_LAST_ERROR_BYTES]; /* of the failure that is being cleaned up */
    cl_event all = NULL;
    if (!queue)
        return true;
    snprintf(reason, sizeof reason, "%s", gravel_last_error());
    cl_int error = gravel_wait_mark(device, queue, &all);
    if (error !=
        CL_SUCCESS) /* which says nothing of the commands; a device that is lost refuses again */
        error = gravel_wait_mark(device, queue, &all);
    const int code = gravel_wait_command(device, queue, error, all, what);
    bool is_done = error == CL_SUCCESS && !gravel_wait_gave_up(code);
    if (!is_done && device->limit.keep)
        device->limit.keep(device->limit.context);
    gravel_fail_text(0, reason);
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
                           device->capability.name, (double)TEST_NS * 1e-9);
    wait->limit = device->limit;
    wait->waited = (struct gravel_waited){.alone_ns = 0};
    return 0;
}

int gravel_wait_test(const struct gravel_device *device, cl_command_queue queue)
{
    struct gravel_device tested = *device;
    tested.limit = (struct gravel_limit){
        .check = check_test, .context = (void *)device, .yields_ns = TEST_YIELDS_NS};
    return gravel_wait_queue(&tested, queue, "self-test: kernels that end by themselves");
}
