/* SPDX-License-Identifier: MIT */
/*
 * Groups that wait for each other in one kernel. See self_test.h.
 */
#include "base/error.h"
#include "layout/self_test.h"
#include "opencl/objects.h"
#include "self_test/parts.h"
#include "self_test/self_test.h"

#define ARRIVAL_MS 1000u /* longest wait of a group, by its looks */

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
    const uint32_t values[] = {n_servers, ARRIVAL_MS, launch->device->look_ns};
    int code = gravel_test_build(launch->device, &launch->program);
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
    if (!code)
        code = judge(device, &words, n_servers, n_servers + n_clients);
    return gravel_test_end(device, launch.program, &words, code);
}
