/* SPDX-License-Identifier: MIT */
/*
 * Jobs of which a node, or all, are stopped for a while: one that is silent for less than GRAVEL_TIMEOUT lives, and one that
 * the others have given up learns that. A node that ends so prints "as expected".
 *
 * usage: mpirun ... stops MODE      see the table at the end; fault.sh counts the nodes that print
 *
 * Path: fault.sh -> mpirun -> this -> survivor.c
 */
#include "survivor.h"

#include <signal.h>
#include <unistd.h>

/* A child wakes this process: it cannot do so itself. */
static void stop_myself(unsigned ms)
{
    pid_t me = getpid(), child = fork();
    MUST(child >= 0);
    if (child == 0) {
        kill(me, SIGSTOP);
        usleep(1000 * ms);
        kill(me, SIGCONT);
        _exit(0);
    }
    usleep(100000);
}

/* A node that is silent for less than GRAVEL_TIMEOUT lives. */
static void stopped_for_half_the_timeout(void)
{
    const unsigned stop_ms = TIMEOUT_MS * patience();
    set_limit("GRAVEL_TIMEOUT", 2 * TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    double begin = seconds_now();
    OK(send_some(gravel, kernel));
    if (rank == 1)
        stop_myself(stop_ms);
    OK(gravel_barrier(gravel));
    MUST(seconds_now() - begin > 0.5e-3 * stop_ms);
    OK(run_kernel(gravel, kernel, 65536, 256));
    clReleaseKernel(kernel);
    OK(gravel_close(gravel));
    as_expected();
}

/* Takes 300 ms of a life. */
static int live(struct gravel *gravel, void *user, uint32_t source,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)user, (void)source, (void)args;
    for (unsigned i = 0; i < 30; i++)
        usleep(10000);
    return 0;
}

/* A machine that sleeps: no node counts the time that it was stopped itself, nor the others', and quiet waits on. */
static void all_stopped_beyond_the_timeout(void)
{
    static const struct gravel_handler table[] = {{.name = "live", .function = live}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1);
    const unsigned stop_ms = 2 * TIMEOUT_MS * patience();
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    struct gravel *gravel = open_default(&bindings);
    OK(gravel_barrier(gravel));
    pid_t me = getpid(), child = fork();
    MUST(child >= 0);
    if (child == 0) {
        usleep(150000);
        kill(me, SIGSTOP);
        usleep(1000 * stop_ms);
        kill(me, SIGCONT);
        _exit(0);
    }
    double begin = seconds_now();
    OK(gravel_am(gravel, 0, NULL, 0, ((uint32_t)rank + 1) % gravel_n_nodes(gravel)));
    OK(gravel_quiet(gravel));
    MUST(seconds_now() - begin > 1e-3 * stop_ms); /* the stop came within it */
    OK(gravel_barrier(gravel));
    OK(gravel_close(gravel));
    as_expected();
}

/* A node that comes back after the others have given it up learns that, in each call. */
static void stopped_beyond_the_timeout(void)
{
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank != 1)
        expect_death(gravel, kernel, "node 1 ");
    stop_myself(4 * TIMEOUT_MS * patience());
    double begin = seconds_now();
    int code;
    while ((code = gravel_barrier(gravel)) == 0)
        ;
    expect(code, GRAVEL_EPEER, "");
    MUST(is_in_time(begin));
    MUST(gravel_close(gravel) == GRAVEL_EPEER);
    as_expected();
    _exit(0);
}

/* ---- the run --------------------------------------------------------------------------------- */

static const struct mode modes[] = {
    MODE(stopped_for_half_the_timeout),
    MODE(all_stopped_beyond_the_timeout),
    MODE(stopped_beyond_the_timeout),
};

int main(int argc, char **argv)
{
    run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
    return 0;
}
