/* SPDX-License-Identifier: MIT */
/*
 * Threads that stand in a call of the driver, one of each kind: a launching one, the network thread, the pump.
 *
 * Path:    test_endless.c -> here -> failing_opencl.h
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_STANDING_H
#define GRAVEL_TESTS_STANDING_H

#include "bodies.h"
#include "failing_opencl.h"

static const struct gravel_handler standing_handlers[] = {{.name = "tally", .n_args = 1}};
static const char standing_source[] =
    "#include \"gravel.cl.h\"\n"
    "void tally(struct gravel_call call, ulong at)\n"
    "{ gravelp_device_fetch_add_relaxed((global uint *)gravel_call_local(call, at), 1); }\n";

/* On every step the network thread launches these handlers. */
#define STANDING_BINDINGS                                           \
    GRAVEL_BINDINGS(.handlers = standing_handlers, .n_handlers = 1, \
                    .device_code.source = standing_source, .log = note_log)

/* All that the node has logged. */
static char standing_log[16 * 1024];

static inline void note_log(void *user, const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)user;
    pthread_mutex_lock(&lock);
    strncat(standing_log, text, sizeof standing_log - strlen(standing_log) - 2);
    strcat(standing_log, "\n");
    pthread_mutex_unlock(&lock);
}

struct standing {
    struct gravel *gravel;
    uint64_t word;
    cl_kernel kernel;
    pthread_t launcher;
    bool has_launcher;
};

static inline struct standing make_standing(struct gravel *gravel)
{
    struct standing standing = {.gravel = gravel, .word = alloc_or_die(gravel, 64)};
    const uint64_t arguments[3] = {standing.word};
    standing.kernel = body_kernel(
        gravel, "for (uint n = 0; n < 8; n++) gravel_inc_uint_wg(g, a, 0, 0);", arguments);
    return standing;
}

static inline void hold_calls(unsigned kinds, const char *thread)
{
    atomic_store(&failing.n_held, 0);
    atomic_store(&failing.held_thread, thread);
    atomic_store(&failing.holds, kinds);
}

static inline void wait_until_held(void)
{
    while (!atomic_load(&failing.n_held))
        usleep(1000);
}

#define N_STANDING 1280u /* work-items: leaders wait for room in a small queue */

static inline void launch_some(const struct standing *standing)
{
    const size_t global = N_STANDING, local = 64;
    gravel_launch(standing->gravel, standing->kernel, 1, &global, &local, 0, NULL, NULL);
}

static inline void *launch_by_name(void *standing)
{
    pthread_setname_np(pthread_self(), "launcher");
    launch_some(standing);
    return NULL;
}

/** A thread of the application's launches: as the main thread does in programs of one. */
static inline void stand_in_launch(struct standing *standing)
{
    hold_calls(KERNELS, "launcher");
    MUST(pthread_create(&standing->launcher, NULL, launch_by_name, standing) == 0);
    standing->has_launcher = true;
    wait_until_held();
}

static inline void stand_in_network_thread(struct standing *standing)
{
    hold_calls(READS | WRITES | KERNELS | WAITS, "gravel-net");
    OK(gravel_am(standing->gravel, 0, &standing->word, 1, gravel_node(standing->gravel)));
    wait_until_held();
}

/** Step pump. */
static inline void stand_in_pump(struct standing *standing)
{
    hold_calls(READS, "gravel-pump");
    launch_some(standing);
    wait_until_held();
}

/** The driver comes back; what the node has left behind is used then. */
static inline void end_standing(struct standing *standing)
{
    atomic_store(&failing.holds, 0);
    if (standing->has_launcher)
        MUST(pthread_join(standing->launcher, NULL) == 0);
    usleep(100000);
    clReleaseKernel(standing->kernel);
}

#endif
