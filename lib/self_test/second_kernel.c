/* SPDX-License-Identifier: MIT */
/*
 * Kernels that count, and copies, beside a kernel whose groups hold all that launches may hold, with another kernel
 * enqueued behind it. See parts.h and self_test.h.
 *
 * A driver may map command queues to fewer channels of the hardware: what shares one with the held kernel's queue
 * stands behind the kernel that has not begun.
 */
#include "device/beside.h"

#include "base/error.h"
#include "base/lived.h"
#include "layout/self_test.h"
#include "opencl/objects.h"
#include "self_test/parts.h"
#include "self_test/self_test.h"

#include <stdlib.h>
#include <unistd.h>

/* Command queues of a node on step pump beside the caller's: copies of the heap, copies of accumulators and deques, the
 * pump's two, binning, the resolver's two; transactions and the mailbox, where they are used; and one that
 * gravel_cl_buffer_create has for a moment. */
#define N_QUEUES 10u

/* What a queue has to do: count, then copy a word to the host, unless host and kernels share it. */
struct side {
    struct gravel_test_launch counting;
    cl_event copied;
    uint32_t copy;
};

/* The kernel that holds, the one behind it on its queue, and what is beside. */
struct contest {
    struct gravel_test_launch holding, behind;
    struct side *sides; /* [n_sides] */
    uint32_t n_sides;
};

static int start_holding(struct contest *contest, const struct gravel_test_words *words,
                         size_t n_groups)
{
    struct gravel_test_launch *holding = &contest->holding;
    const uint32_t values[] = {GRAVEL_TEST_CUT_OFF_MS, holding->device->look_ns};
    contest->behind = *holding;
    int code = gravel_test_clear(words, holding->queue, 0, GRAVELP_TEST_WORDS);
    if (!code)
        code = gravel_test_start(holding, words, "hold", values, 2, n_groups, GRAVEL_TEST_GROUP);
    return code ? code
                : gravel_test_start(&contest->behind, words, "hold", values, 2, 1,
                                    GRAVEL_TEST_GROUP);
}

static int start_side(struct side *side, const struct gravel_test_words *words)
{
    struct gravel_test_launch *counting = &side->counting;
    const uint32_t each = GRAVEL_TEST_EACH;
    int code = gravel_test_start(counting, words, "count_up", &each, 1, GRAVEL_TEST_GROUPS,
                                 GRAVEL_TEST_GROUP);
    if (code || words->shared)
        return code;
    cl_int error = clEnqueueReadBuffer(counting->queue, words->buffer, CL_FALSE, 0,
                                       sizeof side->copy, &side->copy, 0, NULL, &side->copied);
    return gravel_check_cl("self-test: clEnqueueReadBuffer",
                           gravel_cl_flush(counting->queue, error));
}

static bool have_landed(const struct contest *contest)
{
    for (uint32_t i = 0; i < contest->n_sides; i++)
        if (contest->sides[i].copied &&
            gravel_cl_event_status(contest->sides[i].copied) != CL_COMPLETE)
            return false;
    return true;
}

/* Whether all is counted and copied while no group has stopped holding. */
static int wait_for_sides(const struct contest *contest, const struct gravel_test_words *words,
                          bool *are_beside)
{
    struct gravel_lived lived = gravel_lived_for(GRAVEL_TEST_LIMIT_NS);
    uint32_t count = 0, gave_up = 0, sum = contest->n_sides * GRAVEL_TEST_SUM;
    int code = 0;
    bool are_done = false;
    while (!code && !are_done && !gave_up &&
           gravel_lived_tick(&lived, gravel_clock_ns()) < GRAVEL_TEST_LIMIT_NS) {
        usleep(20);
        code = gravel_test_get(words, GRAVELP_TEST_COUNT, &count, 1);
        are_done = count == sum && have_landed(contest);
        if (!code)
            code = gravel_test_get(words, GRAVELP_TEST_ENDED, &gave_up, 1);
    }
    *are_beside = !code && are_done && !gave_up;
    return code;
}

/* Wait until all has ended. @return  GRAVEL_ETIMEOUT: a kernel still runs, with all of it. */
static int finish(struct contest *contest)
{
    int code = gravel_test_finish(&contest->holding);
    if (code != GRAVEL_ETIMEOUT)
        gravel_test_release(&contest->behind); /* of one queue, which is finished */
    for (uint32_t i = 0; i < contest->n_sides && code != GRAVEL_ETIMEOUT; i++) {
        int ended = gravel_test_finish(&contest->sides[i].counting);
        if (ended != GRAVEL_ETIMEOUT)
            gravel_cl_event_release(contest->sides[i].copied);
        code = code ? code : ended;
    }
    return code;
}

/* @param n_groups  that hold. @param are_beside  [out] whether all sides made progress. */
static int run_beside(struct contest *contest, const struct gravel_test_words *words,
                      size_t n_groups, bool *are_beside)
{
    const uint32_t go = 1;
    *are_beside = false;
    int code = start_holding(contest, words, n_groups);
    for (uint32_t i = 0; i < contest->n_sides && !code; i++)
        code = start_side(&contest->sides[i], words);
    if (!code)
        code = wait_for_sides(contest, words, are_beside);
    gravel_test_put(words, GRAVELP_TEST_GO, &go, 1);
    int finished = finish(contest);
    return finished ? finished : code;
}

/* ---- command queues -------------------------------------------------------------------------- */

static int open_sides(struct contest *contest, const struct gravel_device *device,
                      cl_program program)
{
    int code = 0;
    for (uint32_t i = 0; i < contest->n_sides && !code; i++) {
        struct gravel_test_launch *counting = &contest->sides[i].counting;
        *counting = (struct gravel_test_launch){.device = device, .program = program};
        code = gravel_cl_queue_create(device, "self-test", &counting->queue);
    }
    return code;
}

int gravel_self_test_beside(const struct gravel_device *device, cl_program program,
                            const struct gravel_test_words *words)
{
    struct contest contest = {
        .holding = {.device = device, .queue = device->queue, .program = program},
        .sides = calloc(N_QUEUES, sizeof *contest.sides),
        .n_sides = N_QUEUES,
    };
    bool are_beside = false;
    if (!contest.sides)
        return gravel_fail(GRAVEL_ENOMEM, "self-test");
    int code = open_sides(&contest, device, program);
    if (!code)
        code = run_beside(&contest, words, device->units - 1, &are_beside);
    if (code == GRAVEL_ETIMEOUT) /* a kernel still runs, with all of it */
        return code;
    for (uint32_t i = 0; i < N_QUEUES; i++)
        gravel_cl_queue_release(contest.sides[i].counting.queue);
    free(contest.sides);
    if (code || are_beside)
        return code;
    return gravel_fail(
        GRAVEL_ECAPABILITY,
        "self-test: %s runs no second kernel on each of %u command queues beside one "
        "that holds %u of %u compute units, with another one enqueued behind it%s",
        device->capability.name, N_QUEUES, device->units - 1, device->units,
        gravel_test_excuse(device));
}

/* ---- handlers -------------------------------------------------------------------------------- */

static int make_launch(struct gravel_test_launch *launch)
{
    int code = gravel_cl_queue_create(launch->device, "self-test", &launch->queue);
    return code ? code : gravel_test_build(launch->device, &launch->program);
}

static void release_launch(const struct gravel_test_launch *launch)
{
    gravel_cl_program_release(launch->program);
    gravel_cl_queue_release(launch->queue);
}

/* As many groups hold as may wait at once: of a slice, or more than there are units. */
int gravel_self_test_handlers(const struct gravel_device *device,
                              const struct gravel_bindings *bindings)
{
    if (!gravel_step_is_shared(device->step) || !gravel_beside_is_wanted(bindings))
        return 0;
    const struct gravel_device other = gravel_beside_device(device);
    const size_t n_groups = device->is_sliced ? device->units - 1 : 2 * (size_t)device->units;
    struct side side = {.counting = {.device = &other}};
    struct contest contest = {.holding = {.device = device}, .sides = &side, .n_sides = 1};
    struct gravel_test_words words;
    bool is_beside = false;
    int code = gravel_test_words_create(&words, device);
    if (!code)
        code = make_launch(&contest.holding);
    if (!code)
        code = make_launch(&side.counting);
    if (!code)
        code = run_beside(&contest, &words, n_groups, &is_beside);
    if (code == GRAVEL_ETIMEOUT) /* a kernel still runs, with all of it */
        return code;
    release_launch(&contest.holding);
    release_launch(&side.counting);
    gravel_test_words_destroy(&words, device);
    if (code || is_beside)
        return code;
    return gravel_fail(GRAVEL_ECAPABILITY,
                       "self-test: %s runs no handler beside kernels that wait (%s); "
                       "GRAVEL_STEP=drain needs none",
                       device->capability.name, device->cores);
}
