/* SPDX-License-Identifier: MIT */
/*
 * A driver that has fewer channels than a node has command queues, so that some of them stand behind the caller's: step
 * pump is refused, with the reason; with a channel for each it is taken.
 *
 * The linker sends the call here (--wrap): queues without a channel of their own are the first one.
 *
 * Path: meson test -> this -> lib/self_test/second_kernel.c
 */
#include "expect.h"

static cl_command_queue first;
static unsigned n_queues, n_channels;

cl_command_queue __real_clCreateCommandQueueWithProperties(cl_context, cl_device_id,
                                                           const cl_queue_properties *, cl_int *);
cl_command_queue __wrap_clCreateCommandQueueWithProperties(cl_context, cl_device_id,
                                                           const cl_queue_properties *, cl_int *);

cl_command_queue __wrap_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                           const cl_queue_properties *properties,
                                                           cl_int *error)
{
    if (n_queues++ >= n_channels) {
        *error = clRetainCommandQueue(first);
        return first;
    }
    cl_command_queue queue =
        __real_clCreateCommandQueueWithProperties(context, device, properties, error);
    if (n_queues == 1)
        first = queue;
    return queue;
}

static int open_with(unsigned channels, struct gravel **gravel)
{
    const struct gravel_config config = loopback_config(2);
    n_queues = 0;
    n_channels = channels;
    return gravel_open(gravel, &config, NULL);
}

static void queue_behind_a_kernel_that_waits_is_refused(void **state)
{
    (void)state;
    struct gravel *gravel;
    watch(60, "few channels");
    for (unsigned channels = 2; channels <= 11;
         channels += 3) { /* the caller's, the self-test's copies, 10 */
        expect_error(open_with(channels, &gravel), GRAVEL_ECAPABILITY,
                     "on each of 10 command queues beside one that holds");
        assert_null(gravel);
    }
}

static void queue_of_its_own_channel_is_enough(void **state)
{
    (void)state;
    struct gravel *gravel;
    watch(60, "many channels");
    OK(open_with(100, &gravel));
    assert_string_equal(gravel_step(gravel), "pump");
    assert_in_range(n_queues, 12,
                    n_channels); /* the self-test's among them; none shares a channel */
    expect_works(gravel);
    OK(gravel_close(gravel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_behind_a_kernel_that_waits_is_refused),
        cmocka_unit_test(queue_of_its_own_channel_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
