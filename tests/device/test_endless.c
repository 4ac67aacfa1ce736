/* SPDX-License-Identifier: MIT */
/*
 * What does not end: copies and handlers, a call of the driver, a kernel. Every wait ends in time with a text that
 * names it, the node closes, and what was only slow is no error.
 *
 * Path: meson test -> standing.h, failing_opencl.h -> lib/opencl/wait.c, lib/node/launches.c, lib/node/limits.c,
 *       lib/node/watch.c, lib/base/mark.h, lib/pump/drain.c, lib/self_test/self_test.c
 */
#include <stdio.h>

#include "expect.h"
#include "standing.h"

#define TIMEOUT_MS 500u
#define KERNEL_LIMIT_MS 300u
#define LIMIT_S 8.0      /* of anything here but the self-test; generous: the machine is shared */
#define SELF_TEST_S 20.0 /* that its kernels get on top */

static int try_open(struct gravel **gravel, uint32_t kernel_limit_ms)
{
    const struct gravel_bindings bindings = STANDING_BINDINGS;
    struct gravel_config config = loopback_config(2);
    config.timeout_ms = TIMEOUT_MS;
    config.kernel_limit_ms = kernel_limit_ms;
    config.queue_bytes = 4 * 9280;
    standing_log[0] = '\0';
    return gravel_open(gravel, &config, &bindings);
}

static struct gravel *open_impatient(uint32_t kernel_limit_ms)
{
    struct gravel *gravel;
    OK(try_open(&gravel, kernel_limit_ms));
    return gravel;
}

static void work_again(void)
{
    atomic_store(&failing.stalls, 0);
    atomic_store(&failing.holds, 0);
    atomic_store(&failing.keeps_pump, false);
    atomic_store(&failing.build_ms, 0);
}

static void expect_logged(const char *text)
{
    for (double begin = seconds_now(); !strstr(standing_log, text) && may_wait(begin, LIMIT_S);)
        ; /* calls return the failure before its line is there */
    if (!strstr(standing_log, text))
        fail_msg("the log does not say \"%s\" but: %s", text, standing_log);
}

/* ---- copies, handlers, calls of the driver ---------------------------------------------------- */

static void send_update(struct standing *standing)
{
    uint32_t got;
    OK(gravel_update(standing->gravel, GRAVEL_INC, GRAVEL_UINT, standing->word, NULL, 1));
    assert_true(gravel_get(standing->gravel, standing->word, &got, 4, 0) < 0);
}

static void read_heap(struct standing *standing)
{
    uint32_t got = 0x5a5a5a5a;
    void *mapped;
    expect_error(gravel_map(standing->gravel, standing->word, 4, CL_MAP_READ, 0, &mapped),
                 GRAVEL_ETIMEOUT, "reading the heap");
    assert_true(gravel_get(standing->gravel, standing->word, &got, 4, 0) < 0);
    assert_int_equal(got, 0x5a5a5a5a);
}

static void send_call(struct standing *standing)
{
    OK(gravel_am(standing->gravel, 0, &standing->word, 1, 1));
}

static void launch(struct standing *standing)
{
    launch_some(standing);
}

static const struct silence {
    const char *name, *steps;
    unsigned stalls; /* kinds of commands that never end */
    void (*begin)(struct standing *);
    const char *text;
} silences[] = {
    {"copies of packages", "pump drain", READS | WRITES | WAITS, launch,
     "the device did not answer for 0.5 s"},
    {"frames that are applied", "pump drain", READS | WAITS, send_update,
     "the device did not answer"},
    {"copies of the heap", "pump drain", READS | WRITES | WAITS, read_heap,
     "the device did not answer"},
    /* A driver may not tell that a kernel runs: NVIDIA's does not. */
    {"handlers", "drain", KERNELS, send_call, "handler tally has not ended"},
    {"a call of a thread that launches", "svm pump drain", 0, stand_in_launch, "thread launcher ("},
    {"a call of the network thread", "svm pump drain", 0, stand_in_network_thread,
     "thread gravel-net ("},
    {"a call of the pump", "pump", 0, stand_in_pump, "thread gravel-pump ("},
};

/* Every call returns, sooner or later with an error: a barrier by itself may succeed until the limit is over. */
static void expect_told_in_time(struct gravel *gravel, double begin, const char *text)
{
    uint64_t offset;
    int code = 0;
    while (!code && may_wait(begin, LIMIT_S))
        code = gravel_barrier(gravel);
    print_message("%.2f s: %s\n", seconds_now() - begin, gravel_last_error());
    expect_error(code, code, text);
    expect_logged(gravel_last_error());
    assert_true(is_within(begin, LIMIT_S));
    assert_true(gravel_quiet(gravel) < 0);
    assert_true(gravel_alloc(gravel, 64, &offset) < 0);
    assert_true(gravel_close(gravel) < 0);
    assert_true(is_within(begin, 2 * LIMIT_S));
}

static bool is_at_step(const struct gravel *gravel, const char *steps)
{
    return (strstr(steps, "svm") && !takes_step(gravel, "pump") && !takes_step(gravel, "drain")) ||
           (strstr(steps, "pump") && takes_step(gravel, "pump")) ||
           (strstr(steps, "drain") && takes_step(gravel, "drain"));
}

/* A launch that does not return is printed while it runs, too, whatever the settings say. */
static void expect_told(const struct silence *silence)
{
    struct gravel *gravel = open_impatient(0);
    if (!is_at_step(gravel, silence->steps)) {
        OK(gravel_close(gravel));
        return;
    }
    print_message("%s\n", silence->name);
    struct standing standing = make_standing(gravel);
    send_call(&standing); /* a first one is compiled, and may take longer */
    OK(gravel_barrier(gravel));
    FILE *file = tmpfile();
    char printed[1024] = "";
    int terminal = dup(STDERR_FILENO);
    MUST(file && terminal >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    double begin = seconds_now();
    atomic_store(&failing.stalls, silence->stalls);
    silence->begin(&standing);
    expect_told_in_time(gravel, begin, silence->text);
    atomic_store(&failing.stalls, 0);
    end_standing(&standing);
    MUST(dup2(terminal, STDERR_FILENO) >= 0);
    MUST(pread(fileno(file), printed, sizeof printed - 1, 0) >= 0);
    fclose(file), close(terminal);
    if (silence->begin == stand_in_launch) {
        assert_non_null(strstr(printed, silence->text));
        assert_non_null(strstr(printed, ", in a call of the driver: cl"));
    }
}

TEST_OF("driver", what_does_not_end_is_told_in_time)
{
    for (size_t i = 0; i < sizeof silences / sizeof *silences; i++)
        expect_told(&silences[i]);
}

TEST_OF("driver", last_handlers_that_never_end_do_not_keep_close)
{
    struct gravel *gravel = open_impatient(0);
    if (!is_at_step(gravel, "svm")) {
        OK(gravel_close(gravel));
        skip_because("where steps copy, the network thread waits for each");
    }
    uint64_t word = alloc_or_die(gravel, 64);
    OK(gravel_am(gravel, 0, &word, 1, 1));
    OK(gravel_quiet(gravel));
    double begin = seconds_now();
    atomic_store(&failing.stalls, WAITS);
    gravel_close(gravel);
    assert_true(is_within(begin, LIMIT_S));
    expect_logged("the last handlers: the device did not answer for 0.5 s");
    expect_logged("its memory and OpenCL objects stay");
}

TEST_OF("driver", self_test_that_never_ends_is_told)
{
    struct gravel *gravel = open_impatient(0);
    bool is_shared = is_at_step(gravel, "svm");
    OK(gravel_close(gravel));
    if (!is_shared)
        skip_because("the other steps are taken without these kernels");
    double begin = seconds_now();
    atomic_store(&failing.stalls, WAITS);
    expect_error(try_open(&gravel, 0), GRAVEL_ETIMEOUT,
                 "self-test: kernels that end by themselves: the device did not answer");
    assert_true(is_within(begin, SELF_TEST_S + LIMIT_S));
    assert_null(gravel);
}

/* ---- what is only slow ------------------------------------------------------------------------- */

#define RESOLVER 2 /* program that a node builds; the first is the self-test */

/* Copies stall when the resolver's kernels are used first, for longer than the time limit. */
TEST_OF("driver", first_use_may_take_longer_than_the_time_limit)
{
    atomic_store(&failing.stall_ms, 2 * TIMEOUT_MS);
    atomic_store(&failing.builds_left, RESOLVER);
    struct gravel *gravel = open_impatient(0);
    assert_true(atomic_load(&failing.builds_left) <= 0);
    expect_works(gravel);
    OK(gravel_close(gravel));
}

/* Nor are threads told that must wait for it, of this node and of another. */
TEST_OF("driver", program_may_be_built_and_node_opened_for_longer)
{
    struct gravel *one = open_impatient(0);
    atomic_store(&failing.build_ms, 2 * TIMEOUT_MS);
    struct gravel *other = open_impatient(0);
    expect_works(one);
    atomic_store(&failing.build_ms, 0);
    expect_works(other);
    OK(gravel_close(one));
    OK(gravel_close(other));
}

/*
 * Its thread gets no turn for longer than kernels wait, nor does the thread that waits for them: a busy machine.
 * Leaders wait for room all the time.
 */
TEST_OF("driver", pump_without_a_turn_fails_no_kernel)
{
    struct standing standing = make_standing(open_impatient(0));
    if (!takes_step(standing.gravel, "pump")) {
        end_standing(&standing);
        OK(gravel_close(standing.gravel));
        skip_because("a pump of its own is on step pump only");
    }
    atomic_store(&failing.keeps_pump, true);
    launch_some(&standing);
    usleep(3 * TIMEOUT_MS * 1000);
    atomic_store(&failing.keeps_pump, false);
    OK(gravel_barrier(standing.gravel));
    assert_int_equal(word32(standing.gravel, 0, standing.word), 8 * N_STANDING);
    end_standing(&standing);
    OK(gravel_close(standing.gravel));
}

/* ---- a kernel that does not end ---------------------------------------------------------------- */

#define SLACK_S 0.6 /* of waits; a busy machine may be late some of the times: is_once_within */

/* A node, and a kernel of it that is queued behind a gate. */
struct gated {
    struct gravel *gravel;
    cl_command_queue queue;
    cl_event gate;
    uint64_t word;
    cl_kernel kernel;
};

static struct gated open_gated(uint32_t kernel_limit_ms)
{
    cl_int error;
    struct gated gated = {.gravel = open_impatient(kernel_limit_ms)};
    gated.word = alloc_or_die(gated.gravel, 64);
    gated.kernel = body_kernel(gated.gravel, "gravel_inc_uint_wg(g, a, 0, 0);",
                               (const uint64_t[3]){gated.word});
    gated.queue = gravel_cl_queue(gated.gravel);
    MUST(clRetainCommandQueue(gated.queue) == CL_SUCCESS);
    gated.gate = clCreateUserEvent(gravel_cl_context(gated.gravel), &error);
    MUST(error == CL_SUCCESS);
    return gated;
}

/* Returns what the launch did, which waits on step drain. */
static int launch_gated(const struct gated *gated)
{
    const size_t size = 64;
    MUST(clEnqueueBarrierWithWaitList(gated->queue, 1, &gated->gate, NULL) == CL_SUCCESS);
    return gravel_launch(gated->gravel, gated->kernel, 1, &size, &size, 0, NULL, NULL);
}

/* Lets the kernel run, in memory that the node may have left, and waits for it. */
static void end_gated(struct gated *gated)
{
    clSetUserEventStatus(gated->gate, CL_COMPLETE); /* unless it is */
    MUST(clFinish(gated->queue) == CL_SUCCESS);
    clReleaseEvent(gated->gate);
    clReleaseKernel(gated->kernel);
    clReleaseCommandQueue(gated->queue);
}

/* Returns by how long the waits end behind their limits [s]. */
static double try_waits_name_the_kernel_and_end(void)
{
    struct gated gated = open_gated(KERNEL_LIMIT_MS);
    const bool is_drained = takes_step(gated.gravel, "drain");
    const double begin = seconds_now();
    const int code = launch_gated(&gated);
    expect_error(code, is_drained ? GRAVEL_EKERNEL : 0, "kernel body");
    OK(gravel_update(gated.gravel, GRAVEL_INC, GRAVEL_UINT, gated.word, NULL, 1));
    expect_error(gravel_quiet(gated.gravel), GRAVEL_EKERNEL, "kernel body");
    const double first_s = seconds_now() - begin;
    expect_error(gravel_fence(gated.gravel), GRAVEL_EKERNEL, "kernel body");
    expect_error(gravel_barrier(gated.gravel), GRAVEL_EKERNEL, "GRAVEL_KERNEL_LIMIT");
    const double took_s = seconds_now() - begin;
    assert_true(first_s >= 0.3);
    end_gated(&gated);
    OK(gravel_quiet(gated.gravel)); /* it was slow, and that is all */
    assert_int_equal(word32(gated.gravel, 0, gated.word), 64);
    assert_int_equal(word32(gated.gravel, 1, gated.word), 1);
    OK(gravel_close(gated.gravel));
    return took_s - 0.3 * (is_drained ? 4 : 3);
}

TEST(waits_name_the_kernel_and_end)
{
    assert_true(is_once_within(SLACK_S, try_waits_name_the_kernel_and_end));
}

static void *open_gate_later(void *gate)
{
    usleep(3 * TIMEOUT_MS * 1000);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    return NULL;
}

/* For longer than the time limit. */
TEST(kernel_without_a_limit_is_waited_for)
{
    struct gated gated = open_gated(0);
    pthread_t thread;
    const double begin = seconds_now();
    MUST(pthread_create(&thread, NULL, open_gate_later, gated.gate) == 0);
    OK(launch_gated(&gated));
    OK(gravel_update(gated.gravel, GRAVEL_INC, GRAVEL_UINT, gated.word, NULL, 1));
    OK(gravel_quiet(gated.gravel));
    assert_true(seconds_now() - begin >= 3e-3 * TIMEOUT_MS);
    MUST(pthread_join(thread, NULL) == 0);
    end_gated(&gated);
    assert_int_equal(word32(gated.gravel, 0, gated.word), 64);
    assert_int_equal(word32(gated.gravel, 1, gated.word), 1);
    OK(gravel_close(gated.gravel));
}

static double try_close_leaves_the_kernel_its_memory(void)
{
    struct gated gated = open_gated(KERNEL_LIMIT_MS);
    (void)launch_gated(&gated);
    const double begin = seconds_now();
    expect_error(gravel_close(gated.gravel), GRAVEL_EKERNEL, "kernel body");
    const double took_s = seconds_now() - begin;
    expect_logged("a kernel still runs");
    end_gated(&gated);
    return took_s - 0.3;
}

TEST(close_leaves_the_kernel_its_memory)
{
    assert_true(is_once_within(SLACK_S, try_close_leaves_the_kernel_its_memory));
}

/* The failure of another kernel is the error of every call; which kernel does not heed it is in the log. @return what
 * the calls take behind the first, which gives kernels the time limit [s]. */
static double close_failed(void)
{
    struct gated gated = open_gated(0);
    const size_t size = 64;
    cl_int error;
    cl_event first = clCreateUserEvent(gravel_cl_context(gated.gravel), &error);
    MUST(error == CL_SUCCESS);
    cl_kernel fails =
        body_kernel(gated.gravel, "gravelp_fault(g.arena, GRAVELP_FAULT_QUEUE, 0, 0, 77);",
                    (const uint64_t[3]){0});
    OK(gravel_launch(gated.gravel, fails, 1, &size, &size, 1, &first, NULL));
    OK(launch_gated(&gated));
    MUST(clSetUserEventStatus(first, CL_COMPLETE) == CL_SUCCESS);
    expect_error(gravel_quiet(gated.gravel), GRAVEL_EKERNEL, "needs 77 slots");
    expect_logged("kernel body has not ended");
    const double begin = seconds_now();
    expect_error(gravel_barrier(gated.gravel), GRAVEL_EKERNEL, "needs 77 slots");
    expect_error(gravel_close(gated.gravel), GRAVEL_EKERNEL, "needs 77 slots");
    const double took_s = seconds_now() - begin;
    end_gated(&gated);
    clReleaseKernel(fails);
    clReleaseEvent(first);
    return took_s;
}

TEST(failed_node_gives_kernels_the_time_limit_once)
{
    struct gravel *gravel = open_impatient(0);
    bool is_drained = takes_step(gravel, "drain");
    OK(gravel_close(gravel));
    if (is_drained)
        skip_because("on step drain the launch would wait");
    assert_true(is_once_within(0.4, close_failed));
}

const struct fixture fixture = {.open = skip_untaken_step, .after = work_again};
