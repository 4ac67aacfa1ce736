/* SPDX-License-Identifier: MIT */
/*
 * What does not end: copies and handlers, a call of the driver, a kernel. Every wait ends in time with a text that names it, the
 * node closes, and what was only slow is no error.
 *
 * Path: meson test -> standing.h, failing_opencl.h -> lib/opencl/wait.c, lib/node/launches.c, lib/node/limits.c, lib/node/watch.c,
 *       lib/base/mark.h, lib/pump/settle.c, lib/self_test/self_test.c
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
 * Its thread gets no turn for longer than kernels wait, nor does the thread that waits for them: a busy machine. Leaders
 * wait for room all the time.
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

#define SLACK_S 0.6 /* of a wait; a busy machine may be late some of the times: is_once_within */

static const char turn_source[] =
    "#include \"gravel.cl.h\"\n"
    "kernel void turn_until_told(GRAVEL_ARENA, global uint *gate, uint fault)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    if (fault)\n"
    "        gravelp_fault(g.arena, GRAVELP_FAULT_QUEUE, 0, 0, fault);\n"
    "    gravelp_store_release(gate + 1, 1);\n"
    "    while (gravelp_load_acquire(gate) == 0)\n"
    "        gravelp_pause(0, false);\n"
    "    gate[2] = 1;\n"
    "}\n";

/* A node, and a kernel of it that turns, launched by a thread, for on step drain a launch waits. */
struct turning {
    struct gravel *gravel;
    cl_context context;
    _Atomic uint32_t *
        gate; /* memory of the host that outlives the node. [0]: it may end; [1]: it runs; [2]: it has ended */
    uint64_t word;
    cl_kernel kernel;
    pthread_t thread;
    bool has_thread;
    int code; /* of the launch */
    char error[512];
};

static void *launch_turning(void *argument)
{
    struct turning *turning = argument;
    const size_t one = 1;
    turning->code = gravel_launch(turning->gravel, turning->kernel, 1, &one, &one, 0, NULL, NULL);
    snprintf(turning->error, sizeof turning->error, "%s", gravel_last_error());
    return NULL;
}

static void start_turning(struct turning *turning, cl_uint fault, uint32_t kernel_limit_ms)
{
    struct gravel *gravel = open_impatient(kernel_limit_ms);
    *turning = (struct turning){.gravel = gravel,
                                .context = gravel_cl_context(gravel),
                                .word = alloc_or_die(gravel, 64),
                                .has_thread = true};
    clRetainContext(turning->context);
    turning->gate =
        clSVMAlloc(turning->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    if (!turning->gate)
        skip_all("the device has no fine-grain buffer SVM, through which the test ends its kernel");
    for (int i = 0; i < 3; i++)
        atomic_init(&turning->gate[i], 0);
    cl_program program = build_or_die(gravel, turn_source, NULL);
    turning->kernel = kernel_or_die(gravel, program, "turn_until_told");
    MUST(clSetKernelArgSVMPointer(turning->kernel, 1, turning->gate) == CL_SUCCESS);
    MUST(clSetKernelArg(turning->kernel, 2, sizeof fault, &fault) == CL_SUCCESS);
    clReleaseProgram(program);
    MUST(pthread_create(&turning->thread, NULL, launch_turning, turning) == 0);
    for (double begin = seconds_now(); atomic_load(&turning->gate[1]) == 0; usleep(1000))
        assert_true(may_wait(begin, LIMIT_S));
}

/* Waits until the launch has returned: at once, but on step drain. */
static void await_launch(struct turning *turning)
{
    if (turning->has_thread)
        MUST(pthread_join(turning->thread, NULL) == 0);
    turning->has_thread = false;
}

/* Whether somebody else holds the kernel: the command that runs it. */
static bool is_in_use(cl_kernel kernel)
{
    cl_uint n = 0;
    MUST(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof n, &n, NULL) == CL_SUCCESS);
    return n > 1;
}

/* Lets the kernel end, and waits for it. */
static void end_turning(struct turning *turning)
{
    assert_int_equal(turning->gate[2], 0);
    atomic_store(&turning->gate[0], 1);
    await_launch(turning);
    while (turning->gate[2] == 0 || is_in_use(turning->kernel))
        usleep(1000);
    clReleaseKernel(turning->kernel);
    clSVMFree(turning->context, turning->gate);
    clReleaseContext(turning->context);
}

static double late_s; /* the most by which a wait of an attempt has ended behind its limit */

/* A wait that must give up with this text, soon after the limit [s] is over. */
#define EXPECT_GIVES_UP(call, limit_s, part)                                            \
    do {                                                                                \
        double begin_s_ = seconds_now();                                                \
        expect_error((call), GRAVEL_EKERNEL, part);                                     \
        double late_s_ = seconds_now() - begin_s_ - (limit_s);                          \
        print_message("%s: late by %.2f s, %s\n", #call, late_s_, gravel_last_error()); \
        if (late_s_ > late_s)                                                           \
            late_s = late_s_;                                                           \
    } while (0)

static double try_waits_name_the_kernel_and_end(void)
{
    struct turning turning;
    late_s = 0;
    double begin = seconds_now();
    start_turning(&turning, 0, KERNEL_LIMIT_MS);
    await_launch(&turning);
    EXPECT_GIVES_UP(gravel_quiet(turning.gravel), 0.3, "kernel turn_until_told");
    assert_true(seconds_now() - begin >= 0.3);
    EXPECT_GIVES_UP(gravel_fence(turning.gravel), 0.3, "kernel turn_until_told");
    EXPECT_GIVES_UP(gravel_barrier(turning.gravel), 0.3, "GRAVEL_KERNEL_LIMIT");
    end_turning(&turning);
    if (takes_step(turning.gravel, "drain")) {
        assert_int_equal(turning.code, GRAVEL_EKERNEL);
        assert_non_null(strstr(turning.error, "kernel turn_until_told"));
    }
    OK(gravel_quiet(turning.gravel)); /* it was slow, and that is all */
    OK(gravel_close(turning.gravel));
    return late_s;
}

TEST(waits_name_the_kernel_and_end)
{
    assert_true(is_once_within(SLACK_S, try_waits_name_the_kernel_and_end));
}

static void *quiet_thread(void *gravel)
{
    return (void *)(intptr_t)gravel_quiet(gravel);
}

/* For longer than the time limit a kernel keeps step drain's network thread from applying: that is no failure, unless there
 * is a limit. */
TEST(kernel_without_a_limit_is_waited_for)
{
    struct turning turning;
    pthread_t quiet;
    void *code;
    double begin = seconds_now();
    start_turning(&turning, 0, KERNEL_LIMIT_MS);
    OK(gravel_update(turning.gravel, GRAVEL_INC, GRAVEL_UINT, turning.word, NULL, 1));
    expect_error(gravel_quiet(turning.gravel), GRAVEL_EKERNEL, "GRAVEL_KERNEL_LIMIT");
    end_turning(&turning);
    gravel_close(turning.gravel);
    assert_true(is_within(begin, LIMIT_S));
    start_turning(&turning, 0, 0);
    OK(gravel_update(turning.gravel, GRAVEL_INC, GRAVEL_UINT, turning.word, NULL, 1));
    MUST(pthread_create(&quiet, NULL, quiet_thread, turning.gravel) == 0);
    usleep(3 * TIMEOUT_MS * 1000);
    end_turning(&turning);
    MUST(pthread_join(quiet, &code) == 0);
    assert_int_equal((intptr_t)code, 0);
    assert_int_equal(turning.code, 0);
    OK(gravel_quiet(turning.gravel));
    assert_int_equal(word32(turning.gravel, 1, turning.word), 1);
    OK(gravel_close(turning.gravel));
}

static double try_close_leaves_the_kernel_its_memory(void)
{
    struct turning turning;
    late_s = 0;
    start_turning(&turning, 0, KERNEL_LIMIT_MS);
    await_launch(&turning);
    EXPECT_GIVES_UP(gravel_close(turning.gravel), 0.3, "kernel turn_until_told");
    expect_logged("a kernel still runs");
    end_turning(&turning);
    return late_s;
}

TEST(close_leaves_the_kernel_its_memory)
{
    assert_true(is_once_within(SLACK_S, try_close_leaves_the_kernel_its_memory));
}

/* The failure is the error of every call; which kernel does not heed it is in the log. @return what closing takes [s]. */
static double close_failed(void)
{
    struct turning turning;
    start_turning(&turning, 77, 0);
    await_launch(&turning);
    EXPECT_GIVES_UP(gravel_quiet(turning.gravel), 0.5, "needs 77 slots");
    expect_logged("kernel turn_until_told has not ended");
    EXPECT_GIVES_UP(gravel_barrier(turning.gravel), 0.0, "needs 77 slots");
    double begin = seconds_now();
    expect_error(gravel_close(turning.gravel), GRAVEL_EKERNEL, "needs 77 slots");
    double took_s = seconds_now() - begin;
    end_turning(&turning);
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
