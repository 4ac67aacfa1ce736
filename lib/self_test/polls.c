/* SPDX-License-Identifier: MIT */
/*
 * How long a waiting leader's poll takes at least, so that a number of polls can stand for a time where the host's
 * clock does not reach a kernel: it has none of its own. One leader alone, which nothing slows down and which keeps
 * its core.
 *
 * Path:    self_test.c -> polls.c -> cl/kernels/self_test.cl; lib/settings/defaults.c uses the result.
 */
#include "base/clock.h"
#include "base/error.h"
#include "opencl/wait.h"
#include "self_test/parts.h"

#define FIRST_POLLS (1u << 10)
#define MOST_POLLS (1u << 24)
#define ENOUGH_NS GRAVEL_NS_PER_MS /* against what it takes to start a kernel */
#define N_TRIES 5u

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

int gravel_self_test_polls(struct gravel_device *device, const struct gravel_test *test)
{
    struct gravel_test_row row = {
        .name = "poll", .n_groups = 1, .group = 1, .n_values = 1, .watch = time_polls};
    uint64_t ns = 0;
    uint32_t n = FIRST_POLLS / 4;
    while (ns < ENOUGH_NS && n < MOST_POLLS) {
        ns = UINT64_MAX;
        row.values[0] = n *= 4;
        for (uint32_t i = 0; i < N_TRIES; i++)
            GRAVEL_TRY(gravel_test_run(test, &row, &ns));
    }
    device->poll_ns = (uint32_t)(ns / n ? ns / n : 1);
    return 0;
}
