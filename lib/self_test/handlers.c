/* SPDX-License-Identifier: MIT */
/*
 * A kernel beside those that hold all that launches may hold. See handlers.h.
 *
 * Memory:  T1, T2 as in self_test.c.
 */
#include "self_test/handlers.h"

#include "base/error.h"
#include "base/lived.h"
#include "base/word.h"
#include "device/beside.h"
#include "device/shared.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "opencl/wait.h"
#include "self_test/self_test.h"

#include <string.h>
#include <unistd.h>

extern const char gravel_self_test_cl[];

/* A kernel that holds, on the caller's units, or one that counts, on those beside. */
struct part {
    struct gravel_device device;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
};

/* Words of the test, in shared memory, each on a line of its own. */
enum { GO = 0, ENDED = 16, COUNTER = 32, N_WORDS = 48 };

static int make_part(struct part *part, const struct gravel_device *device, const char *name)
{
    const struct gravel_program_request request = {.name = "self_test.cl",
                                                   .source = gravel_self_test_cl};
    part->device = *device;
    int code = gravel_cl_queue_create(device, "self-test", &part->queue);
    if (!code)
        code = gravel_device_build(device, &request, &part->program);
    return code ? code : gravel_cl_kernel_create(device, part->program, name, NULL, &part->kernel);
}

static void release_part(const struct part *part)
{
    gravel_cl_kernel_release(part->kernel);
    gravel_cl_program_release(part->program);
    gravel_cl_queue_release(part->queue);
}

/* As many groups as may wait at once: of a slice, or more than there are units. */
static int start_holding(const struct part *part, uint32_t *words)
{
    const struct gravel_device *device = &part->device;
    const uint32_t max_ms = GRAVEL_TEST_CUT_OFF_MS;
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT_SHARED(words + GO), GRAVEL_ARGUMENT_SHARED(words + ENDED),
        GRAVEL_ARGUMENT(max_ms), GRAVEL_ARGUMENT(device->look_ns)};
    return GRAVEL_SELF_TEST_LAUNCH(
        device, part->queue, part->kernel, arguments,
        device->is_sliced ? device->units - 1 : 2 * (size_t)device->units, GRAVEL_TEST_GROUP);
}

static int start_counting(const struct part *part, uint32_t *words)
{
    const uint32_t n = GRAVEL_TEST_EACH;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT_SHARED(words + COUNTER),
                                                GRAVEL_ARGUMENT(n)};
    return GRAVEL_SELF_TEST_LAUNCH(&part->device, part->queue, part->kernel, arguments,
                                   GRAVEL_TEST_GROUPS, GRAVEL_TEST_GROUP);
}

/* Whether all is counted while the others still hold. */
static bool wait_for_count(uint32_t *words)
{
    struct gravel_lived lived = gravel_lived_for(GRAVEL_TEST_LIMIT_NS);
    while (gravel_word_load(words + COUNTER, memory_order_relaxed) != GRAVEL_TEST_COUNT &&
           gravel_lived_tick(&lived, gravel_clock_ns()) <
               GRAVEL_TEST_LIMIT_NS) /* a number that proves itself: orders nothing */
        usleep(20);
    return gravel_word_load(words + COUNTER, memory_order_relaxed) == GRAVEL_TEST_COUNT &&
           gravel_word_load(words + ENDED, memory_order_relaxed) == 0;
}

static int run_test(const struct part *holding, const struct part *counting, uint32_t *words)
{
    int code = start_holding(holding, words);
    if (!code)
        code = start_counting(counting, words);
    bool is_beside = !code && wait_for_count(words);
    gravel_word_store(words + GO, 1, memory_order_release); /* T2, pairs with T1 */
    int finished = gravel_wait_test(&holding->device, holding->queue);
    if (!finished)
        finished = gravel_wait_test(&counting->device, counting->queue);
    code = finished ? finished : code;
    if (code || is_beside)
        return code;
    return gravel_fail(GRAVEL_ECAPABILITY,
                       "self-test: %s runs no handler beside kernels that wait (%s); "
                       "GRAVEL_STEP=drain needs none",
                       holding->device.capability.name, holding->device.cores);
}

int gravel_self_test_handlers(const struct gravel_device *device,
                              const struct gravel_bindings *bindings)
{
    if (!gravel_step_is_shared(device->step) || !gravel_beside_is_wanted(bindings))
        return 0;
    struct gravel_device other = gravel_beside_device(device);
    struct part holding = {.kernel = NULL}, counting = {.kernel = NULL};
    uint32_t *words = gravel_shared_alloc(device, N_WORDS * sizeof *words);
    int code = words ? make_part(&holding, device, "hold")
                     : gravel_fail(GRAVEL_ENOMEM, "self-test: shared memory");
    if (!code)
        code = make_part(&counting, &other, "count_up");
    if (!code) {
        memset(words, 0, N_WORDS * sizeof *words);
        code = run_test(&holding, &counting, words);
    }
    if (code == GRAVEL_ETIMEOUT) /* a kernel still runs, with all of it */
        return code;
    release_part(&holding);
    release_part(&counting);
    gravel_shared_free(device, words);
    return code;
}
