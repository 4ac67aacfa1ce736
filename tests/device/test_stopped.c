/* SPDX-License-Identifier: MIT */
/*
 * A process that is stopped, as by SIGSTOP or a laptop that sleeps, for longer than GRAVEL_TIMEOUT: no limit counts that
 * time, but for an eighth, and what was under way ends as if nothing had been.
 *
 * Path: meson test -> this -> lib/base/clock.h
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

#define TIMEOUT_MS 2000u
#define BEFORE_MS (TIMEOUT_MS / 4)
#define STOP_MS (2 * TIMEOUT_MS)

/* A child stops this process after a while, for a while. */
static pid_t stop_later(void)
{
    pid_t me = getpid(), child = fork();
    MUST(child >= 0);
    if (child)
        return child;
    usleep(1000 * BEFORE_MS);
    kill(me, SIGSTOP);
    usleep(1000 * STOP_MS);
    kill(me, SIGCONT);
    _exit(0);
}

static struct gravel *open_node(void)
{
    struct gravel_config config = loopback_config(2);
    struct gravel *gravel;
    config.timeout_ms = TIMEOUT_MS;
    config.queue_bytes = 16 * 9280; /* a group of eight packages fits on drain */
    OK(gravel_open(&gravel, &config, NULL));
    return gravel;
}

#define RESERVE_ONLY                                                       \
    "uint ticket;"                                                         \
    "if (get_local_id(0) == 0)"                                            \
    "    gravelp_queue_reserve(g.arena, gravelp_own_ring(g), 1, &ticket);" \
    "gravelp_group_meet(g.arena);"

/* A wait that must end by its limit. @return how long it took [ms] */
static double wait_over_a_stop(void)
{
    struct gravel *gravel = open_node();
    const uint64_t arguments[3] = {0};
    const size_t size = 64;
    cl_kernel kernel = body_kernel(gravel, BODY(RESERVE_ONLY), arguments);
    pid_t child = stop_later();
    double begin = seconds_now();
    int code = gravel_launch(gravel, kernel, 1, &size, &size, 0, NULL, NULL);
    if (!code)
        code = gravel_quiet(gravel);
    double waited_ms = 1000 * (seconds_now() - begin);
    expect_error(code, GRAVEL_EKERNEL, "ticket 0");
    MUST(waitpid(child, NULL, 0) == child);
    clReleaseKernel(kernel);
    gravel_close(gravel);
    print_message("%.0f ms: %s\n", waited_ms, gravel_last_error());
    return waited_ms;
}

/* However late the stop begins, the rest of the limit comes behind it; again if the limit was over before the stop. */
TEST(limit_leaves_out_the_time_of_a_stop)
{
    double waited_ms = 0;
    for (unsigned n = 0; n < 10 && waited_ms < STOP_MS; n++)
        waited_ms = wait_over_a_stop();
    assert_true(waited_ms > STOP_MS + TIMEOUT_MS * 3 / 4);
}

/* Kernels whose leaders wait for room, the host for them, all threads of the node for each other. */
TEST(messages_survive_a_stop)
{
    struct gravel *gravel = open_node();
    const uint64_t word = alloc_or_die(gravel, 64);
    const uint64_t arguments[3] = {word};
    const size_t global = 1280, local = 64;
    uint32_t n = 0;
    cl_kernel kernel = body_kernel(
        gravel, "for (uint n = 0; n < 8; n++) gravel_inc_uint_wg(g, a, 0, 1);", arguments);
    pid_t child = stop_later();
    for (double begin = seconds_now(); seconds_now() - begin < 1e-3 * (STOP_MS + 2 * BEFORE_MS);
         n++) {
        OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL));
        OK(gravel_barrier(gravel));
    }
    MUST(waitpid(child, NULL, 0) == child);
    assert_int_equal(word32(gravel, 1, word), (uint32_t)(n * 8 * global));
    clReleaseKernel(kernel);
    OK(gravel_close(gravel));
}

const struct fixture fixture = {.open = skip_untaken_step};
