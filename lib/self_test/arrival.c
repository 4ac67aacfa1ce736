/* SPDX-License-Identifier: MIT */
/*
 * Groups that wait for each other in one kernel. See self_test.h.
 */
#include "base/error.h"
#include "layout/self_test.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "self_test/parts.h"
#include "self_test/self_test.h"

#define ARRIVAL_MS 1000u /* longest wait of a group, by its looks */

extern const char gravel_self_test_cl[];

static int judge(const struct gravel_device *device, const struct gravel_test_words *words,
                 uint32_t n_servers, uint32_t n_groups)
{
    uint32_t n_answered = 0, n_gave_up = 0;
    int code = gravel_test_get(words, GRAVELP_TEST_ANSWERED, &n_answered, 1);
    if (!code)
        code = gravel_test_get(words, GRAVELP_TEST_ENDED, &n_gave_up, 1);
    if (code || (n_answered == n_servers && n_gave_up == 0))
        return code;
    return gravel_fail(
        GRAVEL_ECAPABILITY,
        "self-test: %s does not run groups of a kernel beside each other: of %u that "
        "waited for one more, %u saw it, and %u of %u gave up",
        device->capability.name, n_servers, n_answered, n_gave_up, n_groups);
}

static int run(struct gravel_test_launch *launch, const struct gravel_test_words *words,
               uint32_t n_servers, uint32_t n_groups)
{
    const struct gravel_program_request request = {.name = "self_test.cl",
                                                   .source = gravel_self_test_cl};
    const uint32_t values[] = {n_servers, ARRIVAL_MS, launch->device->look_ns};
    int code = gravel_device_build(launch->device, &request, &launch->program);
    if (!code)
        code = gravel_test_clear(words, launch->queue, 0, GRAVELP_TEST_WORDS);
    if (!code)
        code = gravel_test_start(launch, words, "arrive", values, 3, n_groups, GRAVEL_TEST_GROUP);
    int finished = gravel_test_finish(launch);
    return finished ? finished : code;
}

int gravel_self_test_arrival(const struct gravel_device *device, uint32_t n_servers,
                             uint32_t n_clients)
{
    struct gravel_test_launch launch = {.device = device, .queue = device->queue};
    struct gravel_test_words words;
    int code = gravel_test_words_create(&words, device);
    if (!code)
        code = run(&launch, &words, n_servers, n_servers + n_clients);
    if (code == GRAVEL_ETIMEOUT) /* a kernel still runs, with all of it */
        return code;
    if (!code)
        code = judge(device, &words, n_servers, n_servers + n_clients);
    gravel_cl_program_release(launch.program);
    gravel_test_words_destroy(&words, device);
    return code;
}
