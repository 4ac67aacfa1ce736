/* SPDX-License-Identifier: MIT */
/*
 * Groups of one launch that meet: whether those that have started continue while other groups wait. How many start
 * at once is another question, and a launch ends whatever the answer; so the best of a few launches counts.
 *
 * Path:    lib/settings/scheduler.c -> meet.c -> cl/kernels/self_test.cl, cl/device/members.cl.h.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/lived.h"
#include "layout/members.h"
#include "layout/self_test.h"
#include "opencl/objects.h"
#include "self_test/parts.h"
#include "self_test/self_test.h"

#include <unistd.h>

#define N_ROUNDS 32u
#define N_TRIES 8u

/* Where the host's stores reach a running kernel: end one whose members do not meet. Elsewhere its looks end it. */
static int watch(const struct gravel_test_words *words)
{
    struct gravel_lived lived = gravel_lived_for(GRAVEL_TEST_LIMIT_NS);
    const uint32_t go = 1;
    uint32_t phase = 0, ended = 0;
    int code = 0;
    while (!code && words->shared && phase != N_ROUNDS && !ended &&
           gravel_lived_tick(&lived, gravel_clock_ns()) < GRAVEL_TEST_LIMIT_NS) {
        usleep(20);
        code = gravel_test_get(
            words, GRAVELP_TEST_MEMBERS + offsetof(struct gravelp_members, phase) / 4, &phase, 1);
        if (!code)
            code = gravel_test_get(words, GRAVELP_TEST_ENDED, &ended, 1);
    }
    int told = words->shared ? gravel_test_put(words, GRAVELP_TEST_GO, &go, 1) : 0;
    return code ? code : told;
}

/* One launch. @param seen  [out] */
static int meet(struct gravel_test_launch *launch, const struct gravel_test_words *words,
                struct gravel_meeting *seen)
{
    const uint32_t values[] = {seen->n_groups, N_ROUNDS, GRAVEL_TEST_CUT_OFF_MS,
                               launch->device->look_ns};
    struct gravelp_members members = {0};
    uint64_t begin_ns = gravel_clock_ns();
    int code = gravel_test_clear(words, launch->queue, 0, GRAVELP_TEST_WORDS);
    if (!code)
        code =
            gravel_test_start(launch, words, "meet", values, 4, seen->n_groups, GRAVEL_TEST_GROUP);
    if (!code)
        code = watch(words);
    int finished = gravel_test_finish(launch);
    seen->round_us = (double)(gravel_clock_ns() - begin_ns) * 1e-3 / N_ROUNDS;
    if (finished || code)
        return finished ? finished : code;
    code = gravel_test_get(words, GRAVELP_TEST_COUNT, &seen->n_rounds, 1);
    if (!code)
        code =
            gravel_test_get(words, GRAVELP_TEST_MEMBERS, (uint32_t *)&members, sizeof members / 4);
    seen->n_members = members.n;
    return code;
}

/* Whether one group had to wait for another, and both continued. */
static bool is_proof(const struct gravel_meeting *seen)
{
    return seen->n_rounds == N_ROUNDS && (seen->n_members > 1 || seen->n_groups == 1);
}

static int judge(const struct gravel_device *device, const struct gravel_meeting *seen)
{
    if (is_proof(seen))
        return 0;
    if (seen->n_members < 2)
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "self-test meet: %s ran 1 of %u work-groups at a time, in %u launches",
                           device->capability.name, seen->n_groups, N_TRIES);
    return gravel_fail(GRAVEL_ECAPABILITY,
                       "self-test meet: %s: %u of %u work-groups had started, and met in %u of %u "
                       "rounds",
                       device->capability.name, seen->n_members, seen->n_groups, seen->n_rounds,
                       N_ROUNDS);
}

/* Until one launch is a proof; members that did not meet are the answer. */
static int meet_some_times(struct gravel_test_launch *launch, const struct gravel_test_words *words,
                           struct gravel_meeting *seen)
{
    int code = 0;
    for (uint32_t i = 0; i < N_TRIES && !code; i++) {
        code = meet(launch, words, seen);
        if (is_proof(seen) || seen->n_rounds < N_ROUNDS)
            break;
    }
    return code ? code : judge(launch->device, seen);
}

int gravel_self_test_meet(const struct gravel_device *device, uint32_t n_groups,
                          struct gravel_meeting *seen)
{
    struct gravel_test_launch launch = {.device = device, .queue = device->queue};
    struct gravel_test_words words;
    *seen = (struct gravel_meeting){.n_groups = n_groups};
    int code = gravel_test_words_create(&words, device);
    if (!code)
        code = gravel_test_build(device, &launch.program);
    if (!code)
        code = meet_some_times(&launch, &words, seen);
    return gravel_test_end(device, launch.program, &words, code);
}
