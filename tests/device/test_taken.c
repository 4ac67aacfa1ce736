/* SPDX-License-Identifier: MIT */
/*
 * Counters whose zeros the driver refuses: gravel_barrier_sum fails, and not before the device has ended the read of
 * the counters, for the memory that it reads into is what the next copy of the heap goes through.
 *
 * The linker sends copies here (--wrap): the read waits for an event of ours, which opens long after the write behind
 * it was refused.
 *
 * Path: meson test -> this -> lib/opencl/region.c
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "wrapped_opencl.h"
#include "expect.h"

#define N_COUNTERS 3u
#define LATE_US 300000u

static _Atomic bool refuses_zeros; /* of counters */
static _Atomic bool is_refused, has_opened;
static cl_event gate; /* of the read of them; NULL: none was made */

static void *open_late(void *unused)
{
    (void)unused;
    usleep(LATE_US);
    atomic_store(&has_opened, true);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    return NULL;
}

WRAP(clEnqueueReadBuffer)
{
    cl_context context;
    cl_int error;
    if (!atomic_load(&refuses_zeros) || size != N_COUNTERS * sizeof(cl_uint) || gate)
        return PASS_ON(clEnqueueReadBuffer);
    MUST(clGetCommandQueueInfo(command_queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) ==
         CL_SUCCESS);
    gate = clCreateUserEvent(context, &error);
    MUST(error == CL_SUCCESS);
    num_events_in_wait_list = 1, event_wait_list = &gate;
    return PASS_ON(clEnqueueReadBuffer);
}

WRAP(clEnqueueWriteBuffer)
{
    pthread_t thread;
    if (!atomic_load(&refuses_zeros) || size != N_COUNTERS * sizeof(cl_uint) || !gate)
        return PASS_ON(clEnqueueWriteBuffer);
    atomic_store(&is_refused, true);
    MUST(pthread_create(&thread, NULL, open_late, NULL) == 0);
    pthread_detach(thread);
    return CL_OUT_OF_RESOURCES;
}

TEST(counters_that_cannot_be_zeroed_are_read_to_the_end)
{
    uint64_t sums[N_COUNTERS];
    struct gravel *gravel = open_loopback(1, NULL);
    const uint64_t counters = alloc_or_die(gravel, sizeof(cl_uint) * N_COUNTERS);
    OK(gravel_barrier_sum(gravel, counters, N_COUNTERS, NULL, sums));
    atomic_store(&refuses_zeros, true);
    expect_error(gravel_barrier_sum(gravel, counters, N_COUNTERS, NULL, sums), GRAVEL_ECL,
                 "taking counters: clEnqueueReadBuffer, clEnqueueWriteBuffer: "
                 "CL_OUT_OF_RESOURCES");
    assert_true(atomic_load(&is_refused));
    assert_true(atomic_load(&has_opened));
    atomic_store(&refuses_zeros, false);
    assert_true(gravel_close(gravel) < 0);
    clReleaseEvent(gate);
}
