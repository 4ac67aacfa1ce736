/* SPDX-License-Identifier: MIT */
/*
 * The self-test of a device's step. See self_test.h.
 */
#include "self_test/self_test.h"

#include "base/clock.h"
#include "base/error.h"
#include "device/capability.h"
#include "layout/self_test.h"
#include "opencl/objects.h"
#include "opencl/wait.h"
#include "self_test/words.h"

#include <string.h>

#define FINISHES 8u
#define LOCK_NS (30 * GRAVEL_NS_PER_S) /* a few other nodes' tests */
#define HAND_OVER_TRIES 3u
#define ROUNDS_A_LAUNCH 2u /* of the hand-over by copies */
#define FIRST_POLLS (1u << 6)
#define MOST_POLLS (1u << 24)
#define ENOUGH_NS GRAVEL_NS_PER_MS
#define GROWTH 3u /* of the time, at 4 times the polls: the start of a kernel is less */
#define POLLS_TRIES 5u

static int build(struct gravel_device *device, cl_program *program)
{
    struct gravel_capability *capability = &device->capability;
    device->poll_ns = 1; /* no poll is faster */
    bool try_atomics = !capability->has_c11_atomics && capability->may_have_c11_atomics;
    /* Only CPU devices need to yield, and not every CPU compiler takes a system call. */
    device->can_yield = capability->is_cpu;
    capability->has_c11_atomics |= try_atomics;
    int code = gravel_test_build(device, program);
    if (code && device->can_yield) {
        device->can_yield = false;
        code = gravel_test_build(device, program);
    }
    if (code && try_atomics && !gravel_step_may_wait(device->step)) {
        capability->has_c11_atomics = false; /* the end of a kernel orders enough */
        code = gravel_test_build(device, program);
    }
    return code;
}

/* ---- hand-over ------------------------------------------------------------------------------- */

/* Plays one hand-over there and back. @param done  [in, out] counted if the kernel has answered in time. */
static int play_round(const struct gravel_test *test, uint32_t *done, uint32_t *wrong)
{
    uint32_t payload[GRAVELP_TEST_LINE], r = *done + 1;
    bool is_in_time = false;
    for (uint32_t i = 0; i < GRAVELP_TEST_LINE; i++)
        payload[i] = r + i;
    GRAVEL_TRY(gravel_test_put(test, GRAVELP_TEST_SENT, payload, GRAVELP_TEST_LINE));
    GRAVEL_TRY(gravel_test_put(test, GRAVELP_TEST_TURN, &r, 1));
    GRAVEL_TRY(gravel_test_await(test, GRAVELP_TEST_ANSWER, r, &is_in_time));
    if (!is_in_time)
        return 0;
    int code = gravel_test_get(test, GRAVELP_TEST_BACK, payload, GRAVELP_TEST_LINE);
    for (uint32_t i = 0; i < GRAVELP_TEST_LINE; i++)
        *wrong += payload[i] != r * 3 + i;
    *done = r;
    return code;
}

/* The rounds of a launch, and of all before it. */
struct rounds {
    uint32_t n;        /* of this launch */
    uint32_t wrong[2]; /* words that came back wrong, and came to the device wrong */
    struct gravel_self_test *result;
};

static int play_rounds(const struct gravel_test *test, void *context)
{
    struct rounds *rounds = context;
    uint32_t done = 0;
    int code = 0;
    uint64_t begin_ns = gravel_clock_ns();
    for (uint32_t i = 0; !code && done == i && i < rounds->n; i++)
        code = play_round(test, &done, &rounds->wrong[0]);
    rounds->result->n_rounds += done;
    rounds->result->round_us += (double)(gravel_clock_ns() - begin_ns) * 1e-3;
    return code;
}

static int judge_rounds(const struct gravel_device *device, uint32_t n_rounds, uint32_t done,
                        const uint32_t wrong[2])
{
    const char *name = device->capability.name;
    if (done < n_rounds)
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "self-test: %s did not see the host's word (or the host not its) in "
                           "round %u of %u while the kernel ran%s",
                           name, done + 1, n_rounds, gravel_test_excuse(device));
    if (wrong[0] || wrong[1])
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "self-test: %s hands over out of order: %u and %u wrong words", name,
                           wrong[0], wrong[1]);
    return 0;
}

/*
 * By copies in many launches: on two cores copies of Intel's CPU runtime pass one running kernel, and not the next. The
 * first round of a launch may be over before its kernel begins.
 */
static int try_hand_over(const struct gravel_test *test, uint32_t n_rounds,
                         struct gravel_self_test *result)
{
    struct rounds rounds = {.n = test->shared ? n_rounds : ROUNDS_A_LAUNCH, .result = result};
    const struct gravel_test_row row = {
        .name = "hand_over",
        .n_groups = 1,
        .group = 1,
        .n_values = 3,
        .values = {rounds.n, GRAVEL_TEST_CUT_OFF_MS, test->device->poll_ns},
        .watch = play_rounds,
        .end_at = GRAVELP_TEST_TURN,
        .end = GRAVELP_TEST_STOP};
    uint32_t wanted = 0, seen = 0;
    int code = 0;
    *result = (struct gravel_self_test){.n_rounds = 0};
    if (!test->shared)
        n_rounds += n_rounds % ROUNDS_A_LAUNCH;
    while (!code && wanted < n_rounds && result->n_rounds == wanted) {
        wanted += rounds.n;
        code = gravel_test_run(test, &row, &rounds);
        if (!code)
            code = gravel_test_get(test, GRAVELP_TEST_WRONG, &seen, 1);
        rounds.wrong[1] += seen;
    }
    result->round_us /= result->n_rounds ? result->n_rounds : 1;
    GRAVEL_TRY(code);
    return judge_rounds(test->device, n_rounds, result->n_rounds, rounds.wrong);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Waits as applications do: without a limit. */
static int finish_simply(const struct gravel_test *test, void *n_increments)
{
    cl_int error = clFinish(test->queue);
    return error == CL_SUCCESS ? gravel_test_get(test, GRAVELP_TEST_COUNT, n_increments, 1)
                               : gravel_fail_cl("self-test: clFinish", error);
}

static int count(const struct gravel_test *test, bool is_simple, struct gravel_self_test *result)
{
    const struct gravel_test_row row = {.name = "count_up",
                                        .n_groups = GRAVEL_TEST_GROUPS,
                                        .group = GRAVEL_TEST_GROUP,
                                        .n_values = 1,
                                        .values = {GRAVEL_TEST_EACH},
                                        .watch = is_simple ? finish_simply : NULL};
    int code = gravel_test_run(test, &row, &result->n_increments);
    if (!code && !is_simple)
        code = gravel_test_get(test, GRAVELP_TEST_COUNT, &result->n_increments, 1);
    if (code || result->n_increments == GRAVEL_TEST_SUM)
        return code;
    return gravel_fail(GRAVEL_ECAPABILITY, "self-test: %s counted to %u instead of %u",
                       test->device->capability.name, result->n_increments, GRAVEL_TEST_SUM);
}

/* ---- polls ----------------------------------------------------------------------------------- */

/* Keeps the shortest launch of some: whatever else the machine does makes polls seem longer. */
static int time_polls(const struct gravel_test *test, void *shortest_ns)
{
    uint64_t *best_ns = shortest_ns;
    const uint64_t begin_ns = gravel_clock_ns();
    GRAVEL_TRY(gravel_wait_test(test->device, test->queue));
    const uint64_t ns = gravel_clock_ns() - begin_ns;
    *best_ns = ns < *best_ns ? ns : *best_ns;
    return 0;
}

/*
 * Measures how long a waiting leader's poll takes at least, with words that are 0, so that a number of polls can be
 * used for a time where the host's clock does not reach a kernel: it has none of its own. One leader alone, which
 * nothing slows down and which keeps its core. On a busy machine a kernel starts late, by milliseconds, which must not
 * pass for polls: kernels would give up after a few of them.
 */
static int measure_polls(struct gravel_device *device, const struct gravel_test *test)
{
    struct gravel_test_row row = {
        .name = "poll", .n_groups = 1, .group = 1, .n_values = 1, .watch = time_polls};
    uint64_t ns = UINT64_MAX / GROWTH;
    uint32_t n = FIRST_POLLS / 4, n_grown = 0;
    while ((ns < ENOUGH_NS || n_grown < 2) && n < MOST_POLLS) {
        const uint64_t enough_ns = GROWTH * ns;
        ns = UINT64_MAX;
        row.values[0] = n *= 4;
        for (uint32_t i = 0; i < POLLS_TRIES; i++)
            GRAVEL_TRY(gravel_test_run(test, &row, &ns));
        n_grown = ns >= enough_ns ? n_grown + 1 : 0;
    }
    device->poll_ns = (uint32_t)(ns / n ? ns / n : 1);
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int run_tests(struct gravel_device *device, struct gravel_test *test, uint32_t n_rounds,
                     struct gravel_self_test *result)
{
    GRAVEL_TRY(build(device, &test->program));
    GRAVEL_TRY(gravel_test_words_create(test));
    if (!test->shared) /* the words are zeros yet */
        GRAVEL_TRY(measure_polls(device, test));
    /* On a busy machine a kernel may get no core while the host waits: one that never answered is launched again. A
     * device that answered in some rounds, and not in all, is judged at once. */
    int code = gravel_step_may_wait(device->step) ? GRAVEL_ECAPABILITY : 0;
    for (uint32_t i = 0; code == GRAVEL_ECAPABILITY && !result->n_rounds && i < HAND_OVER_TRIES;
         i++)
        code = try_hand_over(test, n_rounds, result);
    GRAVEL_TRY(code);
    /* Once patiently; by copies also some times by clFinish, which has no bound, so only once the same kernel has ended
     * in time. Mesa's rusticl 22.3 mostly returns from it before a kernel's stores can be seen. */
    GRAVEL_TRY(count(test, false, result));
    for (uint32_t i = 0; i < FINISHES && !test->shared; i++)
        GRAVEL_TRY(count(test, true, result));
    return gravel_step_is_pumped(device->step) ? gravel_self_test_concurrent(test) : 0;
}

int gravel_self_test(struct gravel_device *device, uint32_t n_rounds,
                     struct gravel_self_test *result)
{
    struct gravel_test test = {.device = device, .queue = device->queue};
    struct gravel_self_test unused;
    struct gravel_self_test *to = result ? result : &unused;
    memset(to, 0, sizeof *to);
    /* Nodes on a CPU device have cores of their own. */
    int lock = device->capability.is_cpu
                   ? -1
                   : gravel_test_lock(gravel_device_identity(device->id), LOCK_NS);
    int code = run_tests(device, &test, n_rounds, to);
    gravel_test_unlock(lock);
    to->can_yield = device->can_yield;
    return gravel_test_close(&test, code);
}
