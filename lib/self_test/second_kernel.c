/* SPDX-License-Identifier: MIT */
/*
 * Kernels that count, and copies, concurrent with a kernel whose groups hold all that launches may hold, with another
 * kernel enqueued behind it. See words.h and self_test.h.
 *
 * A driver may map command queues to fewer channels of the hardware: what shares one with the held kernel's queue
 * is behind the kernel that has not begun.
 */
#include "device/device.h"

#include "base/clock.h"
#include "base/error.h"
#include "layout/self_test.h"
#include "opencl/objects.h"
#include "self_test/self_test.h"
#include "self_test/words.h"

#include <stdlib.h>

/* Command queues of a node on step pump except the caller's: copies of the heap, copies of accumulators and deques, the
 * pump's two, binning, the resolver's two; and one that gravel_cl_buffer_create has for a moment. */
#define N_QUEUES 8u

#define COPIES_NS GRAVEL_NS_PER_S /* longest wait for copies behind kernels that have counted */

/* What a queue has to do: count, then copy a word to the host, unless host and kernels share it. */
struct side {
    struct gravel_test test; /* with the holding test's words */
    cl_kernel counting;
    cl_event copied;
    uint32_t copy;
};

/* What runs while a kernel holds. */
struct contest {
    cl_kernel behind; /* on its queue */
    uint32_t n_sides;
    bool are_concurrent; /* all sides made progress */
    struct side sides[N_QUEUES];
};

static int start_side(struct side *side)
{
    const struct gravel_test_row row = {.name = "count_up",
                                        .n_groups = GRAVEL_TEST_GROUPS,
                                        .group = GRAVEL_TEST_GROUP,
                                        .n_values = 1,
                                        .values = {GRAVEL_TEST_EACH}};
    const cl_command_queue queue = side->test.queue;
    int code = gravel_test_start(&side->test, &row, &side->counting);
    if (code || side->test.shared)
        return code;
    cl_int error = clEnqueueReadBuffer(queue, side->test.buffer, CL_FALSE, 0, sizeof side->copy,
                                       &side->copy, 0, NULL, &side->copied);
    return gravel_check_cl("self-test: clEnqueueReadBuffer", gravel_cl_flush(queue, error));
}

static bool have_landed(const struct contest *contest)
{
    for (uint32_t i = 0; i < contest->n_sides; i++)
        if (contest->sides[i].copied &&
            gravel_cl_event_status(contest->sides[i].copied) != CL_COMPLETE)
            return false;
    return true;
}

static struct gravel_test_row holding(const struct gravel_test *test, size_t n_groups)
{
    return (struct gravel_test_row){.name = "hold",
                                    .n_groups = n_groups,
                                    .group = GRAVEL_TEST_GROUP,
                                    .n_values = 2,
                                    .values = {GRAVEL_TEST_CUT_OFF_MS, test->device->poll_ns},
                                    .end_at = GRAVELP_TEST_GO,
                                    .end = 1};
}

/* Starts the rest while a kernel holds, and finds whether all is counted and copied before a group stops holding. */
static int watch(const struct gravel_test *test, void *context)
{
    struct contest *contest = context;
    const struct gravel_test_row behind = holding(test, 1);
    int code = gravel_test_start(test, &behind, &contest->behind);
    for (uint32_t i = 0; i < contest->n_sides && !code; i++)
        code = start_side(&contest->sides[i]);
    struct gravel_wait wait = {.limit.ns = COPIES_NS};
    uint32_t n_gave_up = 0;
    bool is_counted = false;
    if (!code)
        code = gravel_test_await(test, GRAVELP_TEST_COUNT, contest->n_sides * GRAVEL_TEST_SUM,
                                 &is_counted);
    while (is_counted && !have_landed(contest) && !gravel_wait_pause(&wait))
        ;
    if (is_counted)
        code = gravel_test_get(test, GRAVELP_TEST_ENDED, &n_gave_up, 1);
    contest->are_concurrent = !code && is_counted && have_landed(contest) && !n_gave_up;
    return code;
}

/*
 * Lets sides count on queues of a device, while a kernel of the test's holds with n_groups.
 *
 * @param program     the device's.
 * @param are_concurrent  [out] whether all made progress.
 * @return            0; GRAVEL_ENOMEM; GRAVEL_ECL; GRAVEL_ETIMEOUT: a kernel still runs, with all of it.
 */
static int hold_contest(const struct gravel_test *test, const struct gravel_device *device,
                        cl_program program, uint32_t n_sides, size_t n_groups, bool *are_concurrent)
{
    struct contest *contest = calloc(1, sizeof *contest); /* copies land in it, also late */
    if (!contest)
        return gravel_fail_memory("self-test", sizeof *contest);
    int code = 0;
    for (; contest->n_sides < n_sides && !code; contest->n_sides++) {
        struct gravel_test *side = &contest->sides[contest->n_sides].test;
        *side = *test;
        side->device = device;
        side->program = program;
        side->queue = NULL;
        code = gravel_cl_queue_create(device, "self-test", &side->queue);
    }
    struct gravel_test_row row = holding(test, n_groups);
    row.watch = watch;
    if (!code)
        code = gravel_test_run(test, &row, contest);
    if (code == GRAVEL_ETIMEOUT)
        return code;
    gravel_cl_kernel_release(contest->behind); /* of one queue, which is finished */
    for (uint32_t i = 0; i < contest->n_sides; i++) {
        struct side *side = &contest->sides[i];
        int ended = gravel_test_finish(&side->test, side->counting);
        if (ended == GRAVEL_ETIMEOUT)
            return ended;
        code = gravel_first_failure(code, ended);
        gravel_cl_event_release(side->copied);
        gravel_cl_queue_release(side->test.queue);
    }
    *are_concurrent = contest->are_concurrent;
    free(contest);
    return code;
}

int gravel_self_test_concurrent(const struct gravel_test *test)
{
    const struct gravel_device *device = test->device;
    bool are_concurrent;
    GRAVEL_TRY(
        hold_contest(test, device, test->program, N_QUEUES, device->units - 1, &are_concurrent));
    if (are_concurrent)
        return 0;
    return gravel_fail(GRAVEL_ECAPABILITY,
                       "self-test: %s runs no second kernel on each of %u command queues while "
                       "one holds %u of %u compute units, with another one enqueued behind "
                       "it%s",
                       device->capability.name, N_QUEUES, device->units - 1, device->units,
                       gravel_test_excuse(device));
}

/* Tests a kernel while as many groups run as may wait at once: those of a slice, or more than there are units. */
int gravel_self_test_handlers(const struct gravel_device *device,
                              const struct gravel_bindings *bindings)
{
    if (!gravel_step_is_shared(device->step) || !gravel_device_has_handlers(bindings))
        return 0;
    const struct gravel_device other = gravel_device_of_handlers(device);
    const size_t n_groups = device->is_sliced ? device->units - 1 : 2 * (size_t)device->units;
    struct gravel_test test;
    cl_program program = NULL;
    bool are_concurrent = true;
    int code = gravel_test_open(&test, device);
    if (!code)
        code = gravel_test_build(&other, &program);
    if (!code)
        code = hold_contest(&test, &other, program, 1, n_groups, &are_concurrent);
    if (!code && !are_concurrent)
        code = gravel_fail(GRAVEL_ECAPABILITY,
                           "self-test: %s runs no handler while kernels wait (%s); "
                           "GRAVEL_STEP=drain needs none",
                           device->capability.name, device->cores);
    if (code != GRAVEL_ETIMEOUT)
        gravel_cl_program_release(program);
    return gravel_test_close(&test, code);
}
