/* SPDX-License-Identifier: MIT */
/*
 * A kernel that does not end: waits give up and name it, the node closes without it, and one that
 * ends after all is no error.
 *
 * The kernel turns until a word of memory is set, which each test does at last, so that the test
 * ends.
 *
 * Path: meson test -> this -> lib/opencl/launches.c, lib/node/open.c
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "expect.h"

#define LIMIT_MS 300u
#define TIMEOUT_MS 500u
#define SLACK_S 0.6 /* of a wait; a busy machine may be late some of the times: is_once_within */

static const char turn_source[] = "#include \"gravel.cl.h\"\n"
                                  "kernel void turn_until_told(GRAVEL_ARENA, global uint *gate)\n"
                                  "{\n"
                                  "    GRAVEL_OPEN(g);\n"
                                  "    while (gravelp_load_acquire(gate) == 0)\n"
                                  "        gravelp_pause(0, false);\n"
                                  "    gate[1] = 1;\n"
                                  "}\n"
                                  "kernel void fail_and_turn(GRAVEL_ARENA, global uint *gate)\n"
                                  "{\n"
                                  "    GRAVEL_OPEN(g);\n"
                                  "    gravelp_fault(g.arena, GRAVELP_FAULT_QUEUE, 0, 0, 77);\n"
                                  "    while (gravelp_load_acquire(gate) == 0)\n"
                                  "        gravelp_pause(0, false);\n"
                                  "    gate[1] = 1;\n"
                                  "}\n";

/* A node, and a kernel of it that turns. The gate is memory of the host: it outlives the node. */
struct turning {
    struct gravel *gravel;
    cl_context context;
    _Atomic uint32_t *gate; /* [0] set by the test, [1] by the kernel at its end */
    cl_kernel kernel;
    cl_event ended; /* NULL if the launch itself has waited, and has given up */
    char log[4096];
};

static void keep_log(void *user, const char *text)
{
    struct turning *turning = user;
    size_t n = strlen(turning->log);
    snprintf(turning->log + n, sizeof turning->log - n, "%s\n", text);
}

static void prepare(struct turning *turning, const char *name, uint32_t kernel_limit_ms)
{
    struct gravel_config config = loopback_config(2);
    struct gravel_bindings bindings = GRAVEL_BINDINGS(.log = keep_log, .log_user = turning);
    memset(turning, 0, sizeof *turning);
    config.timeout_ms = TIMEOUT_MS;
    config.kernel_limit_ms = kernel_limit_ms;
    OK(gravel_open(&turning->gravel, &config, &bindings));
    turning->context = gravel_cl_context(turning->gravel);
    clRetainContext(turning->context);
    turning->gate =
        clSVMAlloc(turning->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    if (!turning->gate)
        skip_all(
            "the device has no fine-grain buffer SVM, through which the test ends its kernels");
    atomic_init(&turning->gate[0], 0);
    atomic_init(&turning->gate[1], 0);
    cl_program program = build_or_die(turning->gravel, turn_source, NULL);
    turning->kernel = kernel_or_die(turning->gravel, program, name);
    MUST(clSetKernelArgSVMPointer(turning->kernel, 1, turning->gate) == CL_SUCCESS);
    clReleaseProgram(program);
}

static int launch(struct turning *turning)
{
    const size_t one = 1;
    return gravel_launch(turning->gravel, turning->kernel, 1, &one, &one, 0, NULL, &turning->ended);
}

static void start(struct turning *turning, const char *name, uint32_t kernel_limit_ms)
{
    prepare(turning, name, kernel_limit_ms);
    OK(launch(turning));
}

static void tell(struct turning *turning)
{
    atomic_store_explicit(&turning->gate[0], 1, memory_order_release);
}

/* Whether somebody else holds the kernel: the command that runs it. */
static bool is_in_use(cl_kernel kernel)
{
    cl_uint n = 0;
    MUST(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof n, &n, NULL) == CL_SUCCESS);
    return n > 1;
}

/* Call it before closing: on PoCL 3.1 a context is of no use without the node's sub-device. */
static void expect_it_ended(struct turning *turning)
{
    if (turning->ended) {
        MUST(clWaitForEvents(1, &turning->ended) == CL_SUCCESS);
        clReleaseEvent(turning->ended);
    }
    while (turning->gate[1] == 0 || is_in_use(turning->kernel))
        usleep(1000);
    clReleaseKernel(turning->kernel);
    clSVMFree(turning->context, turning->gate);
    clReleaseContext(turning->context);
}

static double late_s; /* the most by which a wait of an attempt has ended behind its limit */

/* A wait that must give up, naming the kernel, not before this time [s], and soon after it. */
#define EXPECT_GIVES_UP(call, least_s, part)                                      \
    do {                                                                          \
        double begin_s_ = seconds_now();                                          \
        expect_error((call), GRAVEL_EKERNEL, part);                               \
        double waited_s_ = seconds_now() - begin_s_;                              \
        print_message("%s: %.2f s, %s\n", #call, waited_s_, gravel_last_error()); \
        assert_true(waited_s_ >= (least_s));                                      \
        if (waited_s_ - (least_s) > late_s)                                       \
            late_s = waited_s_ - (least_s);                                       \
    } while (0)

static bool is_drained; /* on step drain it is the launch that waits */

static void find_step(void)
{
    struct gravel *gravel = open_loopback(1, NULL);
    is_drained = takes_step(gravel, "drain");
    OK(gravel_close(gravel));
}

/* A test whose waits are all in time in one of its attempts, try_NAME: of step drain, or of the others. */
#define IN_TIME(name, of_drain)                           \
    TEST(name)                                            \
    {                                                     \
        if (is_drained != (of_drain))                     \
            skip();                                       \
        assert_true(is_once_within(SLACK_S, try_##name)); \
    }

static double try_waits_name_the_kernel_and_end(void)
{
    struct turning turning;
    late_s = 0;
    start(&turning, "turn_until_told", LIMIT_MS);
    EXPECT_GIVES_UP(gravel_quiet(turning.gravel), 0.3, "kernel turn_until_told");
    EXPECT_GIVES_UP(gravel_fence(turning.gravel), 0.3, "kernel turn_until_told");
    EXPECT_GIVES_UP(gravel_barrier(turning.gravel), 0.3, "GRAVEL_KERNEL_LIMIT");
    assert_int_equal(turning.gate[1], 0);
    tell(&turning);
    expect_it_ended(&turning);
    OK(gravel_quiet(turning.gravel)); /* it was slow, and that is all */
    OK(gravel_close(turning.gravel));
    return late_s;
}
IN_TIME(waits_name_the_kernel_and_end, false)

static void *tell_later(void *turning)
{
    usleep(200000);
    tell(turning);
    return NULL;
}

TEST(kernel_without_a_limit_is_waited_for)
{
    struct turning turning;
    pthread_t teller;
    prepare(&turning, "turn_until_told", 0);
    assert_int_equal(pthread_create(&teller, NULL, tell_later, &turning), 0);
    OK(launch(&turning));
    OK(gravel_quiet(turning.gravel));
    assert_int_equal(turning.gate[1], 1);
    pthread_join(teller, NULL);
    expect_it_ended(&turning);
    OK(gravel_close(turning.gravel));
}

static double try_close_leaves_the_kernel_its_memory(void)
{
    struct turning turning;
    late_s = 0;
    start(&turning, "turn_until_told", LIMIT_MS);
    EXPECT_GIVES_UP(gravel_close(turning.gravel), 0.3, "kernel turn_until_told");
    assert_non_null(strstr(turning.log, "a kernel still runs"));
    tell(&turning);
    expect_it_ended(&turning);
    return late_s;
}
IN_TIME(close_leaves_the_kernel_its_memory, false)

/* The failure is the error of every call; which kernel does not heed it is in the log. @return what closing takes [s]. */
static double close_failed(void)
{
    struct turning turning;
    start(&turning, "fail_and_turn", 0);
    EXPECT_GIVES_UP(gravel_quiet(turning.gravel), 0.5, "needs 77 slots");
    assert_non_null(strstr(turning.log, "kernel fail_and_turn has not ended"));
    EXPECT_GIVES_UP(gravel_barrier(turning.gravel), 0.0, "needs 77 slots");
    double begin = seconds_now();
    expect_error(gravel_close(turning.gravel), GRAVEL_EKERNEL, "needs 77 slots");
    double took_s = seconds_now() - begin;
    tell(&turning);
    expect_it_ended(&turning);
    return took_s;
}

TEST(failed_node_gives_kernels_the_time_limit_once)
{
    if (is_drained)
        skip();
    assert_true(is_once_within(0.4, close_failed));
}

static double try_launch_names_the_kernel_and_ends(void)
{
    struct turning turning;
    late_s = 0;
    prepare(&turning, "turn_until_told", LIMIT_MS);
    EXPECT_GIVES_UP(launch(&turning), 0.3, "kernel turn_until_told");
    assert_null(turning.ended);
    EXPECT_GIVES_UP(gravel_quiet(turning.gravel), 0.3, "GRAVEL_KERNEL_LIMIT");
    tell(&turning);
    expect_it_ended(&turning);
    OK(gravel_quiet(turning.gravel));
    OK(gravel_close(turning.gravel));
    return late_s;
}
IN_TIME(launch_names_the_kernel_and_ends, true)

static double try_close_after_such_a_launch_leaves_the_kernel_its_memory(void)
{
    struct turning turning;
    late_s = 0;
    prepare(&turning, "turn_until_told", LIMIT_MS);
    EXPECT_GIVES_UP(launch(&turning), 0.3, "kernel turn_until_told");
    EXPECT_GIVES_UP(gravel_close(turning.gravel), 0.3, "kernel turn_until_told");
    assert_non_null(strstr(turning.log, "a kernel still runs"));
    tell(&turning);
    expect_it_ended(&turning);
    return late_s;
}
IN_TIME(close_after_such_a_launch_leaves_the_kernel_its_memory, true)

const struct fixture fixture = {.open = find_step};
