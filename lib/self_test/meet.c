/* SPDX-License-Identifier: MIT */
/*
 * Whether groups of one launch that have started continue while other groups wait, as flows and resident servers need.
 * How many start at once is another question, and a launch ends whatever the answer; so the best of a few launches
 * counts.
 *
 * Path:    lib/settings/scheduler.c, lib/node/server_shape.c -> meet.c -> cl/kernels/self_test.cl,
 *          cl/device/members.cl.h.
 */
#include "base/clock.h"
#include "base/error.h"
#include "layout/flow.h"
#include "layout/self_test.h"
#include "self_test/self_test.h"
#include "self_test/words.h"

#define N_ROUNDS 32u
#define N_TRIES 8u

/* Waits until all rounds are over, if the host's stores reach a kernel whose members do not meet: it is ended then.
 * Otherwise its count of polls ends it. */
static int watch(const struct gravel_test *test, void *context)
{
    bool have_met;
    (void)context;
    return test->shared
               ? gravel_test_await(
                     test, GRAVELP_TEST_MEMBERS + offsetof(struct gravelp_members, phase) / 4,
                     N_ROUNDS, &have_met)
               : 0;
}

/* Runs one launch. @param seen  [out] */
static int meet(const struct gravel_test *test, struct gravel_meeting *seen)
{
    const struct gravel_test_row row = {
        .name = "meet",
        .n_groups = seen->n_groups,
        .group = GRAVEL_TEST_GROUP,
        .n_values = 4,
        .values = {seen->n_groups, N_ROUNDS, GRAVEL_TEST_CUT_OFF_MS, test->device->poll_ns},
        .watch = watch,
        .end_at = GRAVELP_TEST_GO,
        .end = test->shared != NULL};
    struct gravelp_members members = {0};
    uint64_t begin_ns = gravel_clock_ns();
    GRAVEL_TRY(gravel_test_run(test, &row, NULL));
    seen->round_us = (double)(gravel_clock_ns() - begin_ns) * 1e-3 / N_ROUNDS;
    GRAVEL_TRY(gravel_test_get(test, GRAVELP_TEST_COUNT, &seen->n_rounds, 1));
    GRAVEL_TRY(
        gravel_test_get(test, GRAVELP_TEST_MEMBERS, (uint32_t *)&members, sizeof members / 4));
    seen->n_members = members.n;
    return 0;
}

/* Returns whether enough groups had to wait for each other, and all continued. */
static bool is_proof(const struct gravel_meeting *seen, uint32_t n_least)
{
    const uint32_t n = n_least < seen->n_groups ? n_least : seen->n_groups;
    return seen->n_rounds == N_ROUNDS && seen->n_members >= n;
}

/* Launches until one is a proof; members that did not meet are the answer. */
int gravel_self_test_meet(const struct gravel_device *device, uint32_t n_groups, uint32_t n_least,
                          struct gravel_meeting *seen)
{
    struct gravel_test test;
    *seen = (struct gravel_meeting){.n_groups = n_groups};
    int code = gravel_test_open(&test, device);
    for (uint32_t i = 0; i < N_TRIES && !code; i++) {
        code = meet(&test, seen);
        if (is_proof(seen, n_least) || seen->n_rounds < N_ROUNDS)
            break;
    }
    const char *name = device->capability.name;
    if (!code && seen->n_rounds < N_ROUNDS)
        code = gravel_fail(GRAVEL_ECAPABILITY,
                           "self-test meet: %s: %u of %u work-groups had started, and met in %u of "
                           "%u rounds",
                           name, seen->n_members, n_groups, seen->n_rounds, N_ROUNDS);
    else if (!code && !is_proof(seen, n_least))
        code = gravel_fail(GRAVEL_ECAPABILITY,
                           "self-test meet: %s ran %u of %u work-groups at a time, in %u launches; "
                           "%u are needed",
                           name, seen->n_members, n_groups, N_TRIES, n_least);
    return gravel_test_close(&test, code);
}
