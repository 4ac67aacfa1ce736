/* SPDX-License-Identifier: MIT */
/*
 * A driver that begins nothing before it is flushed, as OpenCL allows and Mesa's rusticl does: every kernel that the
 * library waits for was flushed before, on every step.
 *
 * A kernel waits for a gate, an event of ours, that opens when its command queue is flushed by any call that
 * does so. The linker sends the calls here (--wrap); see meson.build.
 *
 * Path: meson test -> this -> lib/node/launch.c, lib/self_test, lib/pump
 */
#include <pthread.h>

#include "expect.h"
#include "wrapped_opencl.h"

#define MAX_GATES 256u
#define N_ITEMS 4096u

struct gate {
    cl_command_queue queue;
    cl_event event;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate gates[MAX_GATES];
static unsigned n_gates, n_closed;

static cl_event add_gate(cl_command_queue queue)
{
    cl_context context;
    cl_int error;
    MUST(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) ==
         CL_SUCCESS);
    cl_event event = clCreateUserEvent(context, &error);
    MUST(error == CL_SUCCESS);
    pthread_mutex_lock(&lock);
    MUST(n_gates < MAX_GATES);
    gates[n_gates++] = (struct gate){queue, event};
    n_closed++;
    pthread_mutex_unlock(&lock);
    return event;
}

static void open_gates(cl_command_queue queue)
{
    unsigned kept = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n_gates; i++)
        if (gates[i].queue == queue) {
            MUST(clSetUserEventStatus(gates[i].event, CL_COMPLETE) == CL_SUCCESS);
            clReleaseEvent(gates[i].event);
        } else {
            gates[kept++] = gates[i];
        }
    n_gates = kept;
    pthread_mutex_unlock(&lock);
}

WRAP(clEnqueueNDRangeKernel)
{
    cl_event events[8];
    MUST(num_events_in_wait_list < 8);
    for (cl_uint i = 0; i < num_events_in_wait_list; i++)
        events[i] = event_wait_list[i];
    events[num_events_in_wait_list++] = add_gate(command_queue);
    event_wait_list = events;
    return PASS_ON(clEnqueueNDRangeKernel);
}

WRAP(clFlush)
{
    open_gates(command_queue);
    return PASS_ON(clFlush);
}

WRAP(clFinish)
{
    open_gates(command_queue);
    return PASS_ON(clFinish);
}

/* It flushes the queues of the events it waits for; a gate that another thread needs opens too, which is no harm. */
WRAP(clWaitForEvents)
{
    for (cl_uint i = 0; i < num_events; i++) {
        cl_command_queue queue = NULL;
        clGetEventInfo(event_list[i], CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL);
        open_gates(queue);
    }
    return PASS_ON(clWaitForEvents);
}

TEST(launches_that_are_waited_for_are_flushed)
{
    struct gravel_config config = loopback_config(2);
    struct gravel *gravel;
    config.kernel_limit_ms = 20000;
    int code = gravel_open(&gravel, &config, NULL);
    skip_if_refused(code);
    OK(code);
    uint64_t table = alloc_or_die(gravel, N_ITEMS * 4u);
    for (int round = 0; round < 3; round++)
        OK(run_body(gravel, "gravel_inc_uint_wg(g, a, i, 1);", N_ITEMS, 64, table, 0, 0));
    const uint32_t *words = read_map(gravel, 1, table, N_ITEMS * 4u);
    for (uint32_t i = 0; i < N_ITEMS; i++)
        assert_int_equal(words[i], 3);
    unmap(gravel, words);
    OK(gravel_free(gravel, table));
    OK(gravel_close(gravel));
    assert_true(n_closed > 3); /* the self-test's, and ours */
    assert_int_equal(n_gates, 0);
}

const struct fixture fixture = {.limit_s = 60};
