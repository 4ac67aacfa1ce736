/* SPDX-License-Identifier: MIT */
/*
 * A kernel that counts, beside one whose groups hold all that launches may hold. See parts.h and self_test.h.
 */
#include "device/beside.h"

#include "base/error.h"
#include "base/lived.h"
#include "layout/self_test.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "self_test/parts.h"
#include "self_test/self_test.h"

#include <unistd.h>

extern const char gravel_self_test_cl[];

/* Whether all is counted while no group has stopped holding. */
static int wait_for_count(const struct gravel_test_words *words, bool *is_beside)
{
    struct gravel_lived lived = gravel_lived_for(GRAVEL_TEST_LIMIT_NS);
    uint32_t count = 0, gave_up = 0;
    int code = 0;
    while (!code && count != GRAVEL_TEST_SUM && !gave_up &&
           gravel_lived_tick(&lived, gravel_clock_ns()) < GRAVEL_TEST_LIMIT_NS) {
        usleep(20);
        code = gravel_test_get(words, GRAVELP_TEST_COUNT, &count, 1);
        if (!code)
            code = gravel_test_get(words, GRAVELP_TEST_ENDED, &gave_up, 1);
    }
    *is_beside = !code && count == GRAVEL_TEST_SUM && !gave_up;
    return code;
}

static int start_holding(struct gravel_test_launch *launch, const struct gravel_test_words *words,
                         size_t n_groups)
{
    const uint32_t values[] = {GRAVEL_TEST_CUT_OFF_MS, launch->device->look_ns};
    int code = gravel_test_clear(words, launch->queue, 0, GRAVELP_TEST_WORDS);
    return code ? code
                : gravel_test_start(launch, words, "hold", values, 2, n_groups, GRAVEL_TEST_GROUP);
}

/* @param n_groups  that hold. */
static int run_beside(struct gravel_test_launch *holding, struct gravel_test_launch *counting,
                      const struct gravel_test_words *words, size_t n_groups, bool *is_beside)
{
    const uint32_t go = 1;
    *is_beside = false;
    int code = start_holding(holding, words, n_groups);
    if (!code)
        code = gravel_test_start_counting(counting, words);
    if (!code)
        code = wait_for_count(words, is_beside);
    gravel_test_put(words, GRAVELP_TEST_GO, &go, 1);
    int held = gravel_test_finish(holding);
    int counted = held == GRAVEL_ETIMEOUT ? 0 : gravel_test_finish(counting);
    return held ? held : counted ? counted : code;
}

int gravel_self_test_beside(const struct gravel_device *device, cl_program program,
                            const struct gravel_test_words *words)
{
    struct gravel_test_launch holding = {
        .device = device, .queue = device->queue, .program = program};
    struct gravel_test_launch counting = {.device = device, .program = program};
    bool is_beside = false;
    int code = gravel_cl_queue_create(device, "self-test", &counting.queue);
    if (!code)
        code = run_beside(&holding, &counting, words, device->units - 1, &is_beside);
    if (code == GRAVEL_ETIMEOUT) /* a kernel still runs, with all of it */
        return code;
    gravel_cl_queue_release(counting.queue);
    if (code || is_beside)
        return code;
    return gravel_fail(GRAVEL_ECAPABILITY,
                       "self-test: %s runs no second kernel beside one that holds %u of %u compute "
                       "units",
                       device->capability.name, device->units - 1, device->units);
}

/* ---- handlers -------------------------------------------------------------------------------- */

static int make_launch(struct gravel_test_launch *launch)
{
    const struct gravel_program_request request = {.name = "self_test.cl",
                                                   .source = gravel_self_test_cl};
    int code = gravel_cl_queue_create(launch->device, "self-test", &launch->queue);
    return code ? code : gravel_device_build(launch->device, &request, &launch->program);
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
    struct gravel_test_launch holding = {.device = device}, counting = {.device = &other};
    struct gravel_test_words words;
    bool is_beside = false;
    int code = gravel_test_words_create(&words, device);
    if (!code)
        code = make_launch(&holding);
    if (!code)
        code = make_launch(&counting);
    if (!code)
        code = run_beside(&holding, &counting, &words, n_groups, &is_beside);
    if (code == GRAVEL_ETIMEOUT) /* a kernel still runs, with all of it */
        return code;
    release_launch(&holding);
    release_launch(&counting);
    gravel_test_words_destroy(&words, device);
    if (code || is_beside)
        return code;
    return gravel_fail(GRAVEL_ECAPABILITY,
                       "self-test: %s runs no handler beside kernels that wait (%s); "
                       "GRAVEL_STEP=drain needs none",
                       device->capability.name, device->cores);
}
