/* SPDX-License-Identifier: MIT */
/*
 * The self-test of the steps on which the host reaches kernels' memory by copies only. See
 * self_test.h.
 *
 * Memory:  T1 to T4 as in self_test.c; the host's stores and loads are copies on a second command
 * queue, and two copies on it are in order.
 */
#include "base/error.h"
#include "base/lived.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "opencl/wait.h"
#include "self_test/self_test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RESULTS 16u
#define FINISHES 8u
#define ROUNDS_A_LAUNCH 2u /* of the hand-over */

struct test {
    struct gravel_device *device;
    cl_program program;
    cl_command_queue side; /* for copies and kernels beside the one that waits */
    cl_mem words, results;
};

static cl_int put(const struct test *test, cl_mem to, uint32_t first, const uint32_t *words,
                  uint32_t n)
{
    return clEnqueueWriteBuffer(test->side, to, CL_TRUE, first * sizeof *words, n * sizeof *words,
                                words, 0, NULL, NULL);
}

static cl_int get(const struct test *test, cl_mem from, uint32_t first, uint32_t *words, uint32_t n)
{
    return clEnqueueReadBuffer(test->side, from, CL_TRUE, first * sizeof *words, n * sizeof *words,
                               words, 0, NULL, NULL);
}

static int prepare(struct test *test)
{
    static const uint32_t zeros[GRAVEL_TEST_WORDS];
    const struct gravel_device *device = test->device;
    int code = gravel_cl_queue_create(device, "self-test", &test->side);
    if (!code)
        code = gravel_cl_buffer_create(device, "self-test", sizeof zeros, &test->words);
    if (!code)
        code = gravel_cl_buffer_create(device, "self-test", sizeof zeros, &test->results);
    if (code)
        return code;
    cl_int error = put(test, test->words, 0, zeros, GRAVEL_TEST_WORDS);
    if (error == CL_SUCCESS)
        error = put(test, test->results, 0, zeros, RESULTS);
    clFinish(test->side); /* for the reason told at start_counting */
    return gravel_check_cl("self-test: buffers", error);
}

/* ---- hand-over ------------------------------------------------------------------------------- */

/* One hand-over there and back. @return false if the kernel did not answer in time. */
static bool play_round(const struct test *test, uint32_t r, uint32_t *wrong)
{
    struct gravel_lived lived = gravel_lived_for(GRAVEL_TEST_LIMIT_NS);
    uint32_t payload[16], answer = 0;
    for (uint32_t i = 0; i < 16; i++)
        payload[i] = r + i;
    put(test, test->words, 32, payload, 16);
    put(test, test->words, 0, &r, 1); /* T2, pairs with T1 */
    while (get(test, test->words, 16, &answer, 1) == CL_SUCCESS &&
           answer != r) { /* T4, pairs with T3 */
        if (gravel_lived_tick(&lived, gravel_clock_ns()) > GRAVEL_TEST_LIMIT_NS)
            return false;
        usleep(1);
    }
    get(test, test->words, 48, payload, 16);
    for (uint32_t i = 0; i < 16; i++)
        *wrong += payload[i] != r * 3 + i;
    return answer == r;
}

/* Start the kernel anew, with no turn taken. Cleared on its own command queue, for the reason told at start_counting. */
static int start_hand_over(const struct test *test, uint32_t n_rounds, cl_kernel *kernel)
{
    static const uint32_t zeros[GRAVEL_TEST_WORDS];
    const uint32_t max_ms = GRAVEL_TEST_CUT_OFF_MS;
    cl_int error = clEnqueueWriteBuffer(test->device->queue, test->words, CL_TRUE, 0, sizeof zeros,
                                        zeros, 0, NULL, NULL);
    int code = gravel_check_cl("self-test: clear", error);
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(test->words), GRAVEL_ARGUMENT(test->results), GRAVEL_ARGUMENT(n_rounds),
        GRAVEL_ARGUMENT(max_ms), GRAVEL_ARGUMENT(test->device->look_ns)};
    if (!code)
        code = gravel_cl_kernel_create(test->device, test->program, "hand_over", NULL, kernel);
    return code ? code
                : GRAVEL_SELF_TEST_LAUNCH(test->device, test->device->queue, *kernel, arguments, 1,
                                          1);
}

/* The rounds of one launch. @param result  [in, out] rounds, and the time they took. @param wrong  [in, out] words. */
static int hand_over(const struct test *test, uint32_t n_rounds, struct gravel_self_test *result,
                     uint32_t wrong[2])
{
    const uint32_t stop = GRAVEL_TEST_STOP;
    uint32_t done = 0, seen[2] = {0};
    cl_kernel kernel = NULL;
    int code = start_hand_over(test, n_rounds, &kernel);
    uint64_t begin_ns = gravel_clock_ns();
    while (!code && done < n_rounds && play_round(test, done + 1, &wrong[0]))
        done++;
    result->n_rounds += done;
    result->round_us += (double)(gravel_clock_ns() - begin_ns) * 1e-3;
    put(test, test->words, 0, &stop, 1);                                /* T2, pairs with T1 */
    int finished = gravel_wait_test(test->device, test->device->queue); /* its looks are bounded */
    if (!finished)
        get(test, test->results, 0, seen, 2);
    wrong[1] += seen[1];
    gravel_cl_kernel_release(kernel);
    return code ? code : finished;
}

/*
 * In many launches: on two cores copies of Intel's CPU runtime pass one running kernel, and not the next. The first round
 * of a launch may be over before its kernel begins.
 */
static int test_hand_over(const struct test *test, uint32_t n_rounds,
                          struct gravel_self_test *result)
{
    uint32_t wrong[2] = {0}, wanted = 0;
    int code = 0;
    n_rounds += n_rounds % ROUNDS_A_LAUNCH;
    while (!code && wanted < n_rounds && result->n_rounds == wanted) {
        wanted += ROUNDS_A_LAUNCH;
        code = hand_over(test, ROUNDS_A_LAUNCH, result, wrong);
    }
    result->round_us /= result->n_rounds ? result->n_rounds : 1;
    if (code)
        return code;
    return gravel_self_test_judge_rounds(test->device, n_rounds, result->n_rounds, wrong);
}

/* ---- counting -------------------------------------------------------------------------------- */

/*
 * Cleared on the kernel's own command queue: on a busy machine Intel's CPU runtime 2026.22 returned
 * from blocking writes of another queue before they had landed, and they undid what the kernel had
 * counted.
 */
static int start_counting(const struct test *test, cl_command_queue queue, cl_kernel *kernel)
{
    const uint32_t zero = 0, n = GRAVEL_TEST_EACH;
    cl_int error =
        clEnqueueWriteBuffer(queue, test->words, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL);
    int code = gravel_check_cl("self-test: clear", error);
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(test->words), GRAVEL_ARGUMENT(n)};
    if (!code)
        code = gravel_cl_kernel_create(test->device, test->program, "count_up", NULL, kernel);
    return code ? code
                : GRAVEL_SELF_TEST_LAUNCH(test->device, queue, *kernel, arguments,
                                          GRAVEL_TEST_GROUPS, GRAVEL_TEST_GROUP);
}

/* Count, wait as `ends` says, and judge. */
static int count(const struct test *test, int (*ends)(const struct test *test),
                 struct gravel_self_test *result)
{
    cl_kernel kernel = NULL;
    int code = start_counting(test, test->device->queue, &kernel);
    if (!code)
        code = ends(test);
    if (!code)
        code =
            gravel_check_cl("self-test: read", get(test, test->words, 0, &result->n_increments, 1));
    gravel_cl_kernel_release(kernel);
    return code ? code : gravel_self_test_judge_count(test->device, result->n_increments);
}

static int wait_patiently(const struct test *test)
{
    return gravel_wait_test(test->device, test->device->queue);
}

static int wait_by_finish(const struct test *test)
{
    return gravel_check_cl("self-test: clFinish", clFinish(test->device->queue));
}

/*
 * Once patiently, and some times by clFinish, as applications wait: it has no bound, so only once
 * the same kernel has ended in time. Mesa's rusticl 22.3 mostly returns from it before a kernel's
 * stores can be seen.
 */
static int test_counting(const struct test *test, struct gravel_self_test *result)
{
    int code = count(test, wait_patiently, result);
    for (uint32_t i = 0; i < FINISHES && !code; i++)
        code = count(test, wait_by_finish, result);
    return code;
}

/* ---- beside a kernel that waits -------------------------------------------------------------- */

/* Whether the counting kernel ends while the other still holds its compute units. */
static bool wait_for_count(const struct test *test, cl_mem ended)
{
    struct gravel_lived lived = gravel_lived_for(GRAVEL_TEST_LIMIT_NS);
    uint32_t count = 0, gave_up = 0;
    while (count != GRAVEL_TEST_COUNT && !gave_up &&
           gravel_lived_tick(&lived, gravel_clock_ns()) < GRAVEL_TEST_LIMIT_NS) {
        get(test, test->words, 0, &count, 1);
        get(test, ended, 0, &gave_up, 1);
        usleep(100);
    }
    return count == GRAVEL_TEST_COUNT && !gave_up;
}

static int test_beside(const struct test *test)
{
    const uint32_t one = 1, max_ms = GRAVEL_TEST_CUT_OFF_MS;
    struct gravel_device *device = test->device;
    cl_kernel hold = NULL, counting = NULL;
    cl_command_queue other = NULL;
    cl_mem word = NULL, ended = NULL;
    const uint32_t zero = 0;
    int code = gravel_cl_queue_create(device, "self-test: a third queue", &other);
    if (!code)
        code = gravel_cl_buffer_create(device, "self-test", 64, &word);
    if (!code)
        code = gravel_cl_buffer_create(device, "self-test", 64, &ended);
    if (!code) {
        put(test, word, 0, &zero, 1);
        put(test, ended, 0, &zero, 1);
        code = gravel_cl_kernel_create(device, test->program, "hold", NULL, &hold);
    }
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(word), GRAVEL_ARGUMENT(ended),
                                                GRAVEL_ARGUMENT(max_ms),
                                                GRAVEL_ARGUMENT(device->look_ns)};
    if (!code)
        code = GRAVEL_SELF_TEST_LAUNCH(device, device->queue, hold, arguments, device->units - 1,
                                       GRAVEL_TEST_GROUP);
    if (!code)
        code = start_counting(test, other, &counting);
    bool is_beside = !code && wait_for_count(test, ended);
    if (word)
        put(test, word, 0, &one, 1); /* T2, pairs with T1 */
    int finished = gravel_wait_test(device, device->queue);
    if (other && !finished)
        finished = gravel_wait_test(device, other);
    if (finished) /* a kernel still runs, with all of it */
        return finished;
    if (!code && !is_beside)
        code = gravel_fail(
            GRAVEL_ECAPABILITY,
            "self-test: %s runs no second kernel beside one that holds %u of %u compute "
            "units",
            device->capability.name, device->units - 1, device->units);
    gravel_cl_kernel_release(hold);
    gravel_cl_kernel_release(counting);
    gravel_cl_buffer_release(word);
    gravel_cl_buffer_release(ended);
    gravel_cl_queue_release(other);
    return code;
}

int gravel_self_test_copies(struct gravel_device *device, uint32_t n_rounds,
                            struct gravel_self_test *result)
{
    struct test test = {.device = device};
    int code = gravel_self_test_build(device, &test.program);
    if (!code)
        code = prepare(&test);
    if (!code)
        code = gravel_self_test_looks(device, test.program, test.words); /* they are zeros yet */
    if (!code && device->step == GRAVEL_STEP_PUMP)
        code = test_hand_over(&test, n_rounds, result);
    if (!code)
        code = test_counting(&test, result);
    if (!code && device->step == GRAVEL_STEP_PUMP)
        code = test_beside(&test);
    result->can_yield = device->can_yield;
    if (code == GRAVEL_ETIMEOUT) /* a kernel still runs, with all of it */
        return code;
    gravel_cl_buffer_release(test.words);
    gravel_cl_buffer_release(test.results);
    gravel_cl_queue_release(test.side);
    gravel_cl_program_release(test.program);
    return code;
}
