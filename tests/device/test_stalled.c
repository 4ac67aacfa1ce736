/* SPDX-License-Identifier: MIT */
/*
 * A device that says nothing more: copies that never end, a driver's call that does not return, a kernel that keeps
 * a device without a free compute unit. Waits end in time and name what they waited for; leaders end by their own
 * patience; the node closes; and messages go on once a kernel that was only slow has ended.
 *
 * Path: meson test -> failing_opencl.h -> lib/opencl/wait.c, lib/node/limits.c, lib/pump/settle.c
 */
#include <stdio.h>

#include "expect.h"
#include "failing_opencl.h"

#define TIMEOUT_MS 500u
#define LIMIT_S 8.0 /* of anything here; generous: the machine is shared */

static struct gravel *open_impatient(uint64_t queue_bytes, uint32_t kernel_limit_ms)
{
    struct gravel_config config = loopback_config(2);
    struct gravel *gravel;
    config.timeout_ms = TIMEOUT_MS;
    config.queue_bytes = queue_bytes;
    config.kernel_limit_ms = kernel_limit_ms;
    OK(gravel_open(&gravel, &config, NULL));
    return gravel;
}

static void work_again(void)
{
    atomic_store(&failing.stalls, 0);
    atomic_store(&failing.holds, 0);
    atomic_store(&failing.keeps_pump, false);
}

/* Whatever is called next returns in time, with an error. */
static void expect_dead_in_time(struct gravel *gravel, double begin, const char *part)
{
    int code = gravel_barrier(gravel);
    print_message("%.2f s: %s\n", seconds_now() - begin, gravel_last_error());
    assert_true(code < 0);
    assert_non_null(strstr(gravel_last_error(), part));
    assert_true(is_within(begin, LIMIT_S));
    assert_true(gravel_quiet(gravel) < 0);
    assert_true(gravel_close(gravel) < 0);
    assert_true(is_within(begin, 2 * LIMIT_S));
}

/* ---- a driver that compiles at a first use -------------------------------------------------- */

#define RESOLVER 2 /* program that a node builds; the first is the self-test */

/* Copies stall when the resolver's kernels are used first, for longer than the time limit. */
TEST(first_use_may_take_longer_than_the_time_limit)
{
    atomic_store(&failing.stall_ms, 2 * TIMEOUT_MS);
    atomic_store(&failing.builds_left, RESOLVER);
    struct gravel *gravel = open_impatient(0, 0);
    assert_true(atomic_load(&failing.builds_left) <= 0);
    expect_works(gravel);
    OK(gravel_close(gravel));
}

/* ---- copies that never end ------------------------------------------------------------------- */

#define SEND_8 "for (uint n = 0; n < 8; n++) gravel_inc_uint_wg(g, a, 0, 1);"

TEST(copies_of_packages_that_never_end_are_told)
{
    struct gravel *gravel = open_impatient(16 * 9280, 0);
    const size_t global = 6400, local = 64;
    cl_kernel kernel = scoped_body(gravel, SEND_8, alloc_or_die(gravel, 64), 0, 0);
    double begin = seconds_now();
    atomic_store(&failing.stalls, READS | WRITES | WAITS);
    gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL);
    expect_dead_in_time(gravel, begin, "the device did not answer for 0.5 s");
    atomic_store(&failing.stalls, 0);
}

TEST(frames_that_are_never_applied_are_told)
{
    struct gravel *gravel = open_impatient(0, 0);
    uint64_t word = alloc_or_die(gravel, 64);
    uint32_t got = 0x5a5a5a5a;
    double begin = seconds_now();
    atomic_store(&failing.stalls, WAITS | READS); /* by which the end of a queue is known */
    OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, word, NULL, 1));
    assert_int_not_equal(gravel_get(gravel, word, &got, 4, 0), 0);
    expect_dead_in_time(gravel, begin,
                        "the device did not answer"); /* told by any thread that waits */
    atomic_store(&failing.stalls, 0);
}

TEST(copies_of_the_heap_that_never_end_are_told)
{
    struct gravel *gravel = open_impatient(0, 0);
    uint64_t word = alloc_or_die(gravel, 64);
    uint32_t got = 0x5a5a5a5a;
    void *mapped;
    double begin = seconds_now();
    atomic_store(&failing.stalls, READS | WRITES | WAITS);
    expect_error(gravel_map(gravel, word, 4, CL_MAP_READ, 0, &mapped), GRAVEL_ETIMEOUT,
                 "reading the heap");
    assert_int_not_equal(gravel_get(gravel, word, &got, 4, 0), 0);
    assert_int_equal(got, 0x5a5a5a5a);
    expect_dead_in_time(gravel, begin,
                        "the device did not answer"); /* told by any thread that waits */
    atomic_store(&failing.stalls, 0);
}

/* A driver may not tell that a kernel runs: NVIDIA's does not. */
TEST(handlers_that_never_seem_to_run_are_told)
{
    static const struct gravel_handler handlers[] = {{.name = "tally", .n_args = 1}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1,
                        .device_code.source =
                            "#include \"gravel.cl.h\"\n"
                            "void tally(struct gravel_call call, ulong at)\n"
                            "{ *(global uint *)gravel_call_local(call, at) += 1; }\n");
    struct gravel_config config = loopback_config(2);
    struct gravel *gravel;
    config.timeout_ms = TIMEOUT_MS;
    OK(gravel_open(&gravel, &config, &bindings));
    uint64_t word = alloc_or_die(gravel, 64);
    if (takes_step(gravel, "pump")) {
        OK(gravel_close(gravel));
        skip_because("on step pump a copy tells that a handler has ended");
    }
    OK(gravel_am(gravel, 0, &word, 1, 1));
    OK(gravel_barrier(gravel));
    assert_int_equal(word32(gravel, 1, word), 1);
    double begin = seconds_now();
    atomic_store(&failing.stalls, KERNELS);
    OK(gravel_am(gravel, 0, &word, 1, 1));
    expect_dead_in_time(gravel, begin, "handler tally has not ended");
    atomic_store(&failing.stalls, 0);
}

/* ---- a pump that stops ----------------------------------------------------------------------- */

#define N_FITTING 128u  /* work-items whose packages all fit the queue */
#define N_WAITING 1280u /* leaders wait for room */

/* Its thread is in a call of the driver; here it comes back at the end. */
static void expect_stopped_pump_is_told(size_t global)
{
    struct gravel *gravel = open_impatient(4 * 9280, 0);
    const uint64_t arguments[3] = {alloc_or_die(gravel, 64)};
    const size_t local = 64;
    cl_kernel kernel = body_kernel(gravel, SEND_8, arguments);
    double begin = seconds_now();
    atomic_store(&failing.n_held, 0);
    atomic_store(&failing.holds, READS);
    gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL);
    while (!atomic_load(&failing.n_held))
        usleep(1000);
    expect_dead_in_time(gravel, begin, "thread gravel-pump (");
    atomic_store(&failing.holds, 0);
    usleep(100000); /* it uses what the node has left behind */
    clReleaseKernel(kernel);
}

static void skip_without_a_pump(void)
{
    struct gravel *gravel = open_impatient(0, 0);
    bool has_pump = takes_step(gravel, "pump");
    OK(gravel_close(gravel));
    if (!has_pump)
        skip_because("a pump of its own is on step pump only");
}

TEST(pump_that_stops_is_told)
{
    skip_without_a_pump();
    expect_stopped_pump_is_told(N_FITTING);
    expect_stopped_pump_is_told(N_WAITING);
}

/*
 * Its thread gets no turn for longer than kernels wait, nor does the thread that waits for them: a busy machine. Leaders
 * wait for room all the time.
 */
TEST(pump_without_a_turn_fails_no_kernel)
{
    skip_without_a_pump();
    struct gravel *gravel = open_impatient(4 * 9280, 0);
    const uint64_t word = alloc_or_die(gravel, 64), arguments[3] = {word};
    const size_t global = N_WAITING, local = 64;
    cl_kernel kernel = body_kernel(gravel, SEND_8, arguments);
    atomic_store(&failing.keeps_pump, true);
    OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL));
    usleep(3 * TIMEOUT_MS * 1000);
    atomic_store(&failing.keeps_pump, false);
    OK(gravel_barrier(gravel));
    assert_int_equal(word32(gravel, 1, word), 8 * global);
    clReleaseKernel(kernel);
    OK(gravel_close(gravel));
}

/* ---- a kernel that keeps the device ---------------------------------------------------------- */

static const char turn_source[] = "#include \"gravel.cl.h\"\n"
                                  "kernel void turn(GRAVEL_ARENA, global uint *gate)\n"
                                  "{\n"
                                  "    GRAVEL_OPEN(g);\n"
                                  "    gravelp_store_release(gate + 1, 1);\n"
                                  "    while (gravelp_load_acquire(gate) == 0)\n"
                                  "        gravelp_pause(0, false);\n"
                                  "}\n";

/* A kernel launched by another thread, for on drain a launch waits. */
struct turning {
    struct gravel *gravel;
    cl_kernel kernel;
    _Atomic uint32_t *gate; /* [0]: it may end; [1]: it runs */
    pthread_t thread;
    int code; /* of the launch */
};

static void *launch_thread(void *argument)
{
    struct turning *turning = argument;
    const size_t one = 1;
    turning->code = gravel_launch(turning->gravel, turning->kernel, 1, &one, &one, 0, NULL, NULL);
    return NULL;
}

static void start_turning(struct turning *turning, struct gravel *gravel)
{
    *turning = (struct turning){.gravel = gravel};
    turning->gate = clSVMAlloc(gravel_cl_context(gravel),
                               CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    if (!turning->gate) {
        OK(gravel_close(gravel));
        print_message("skipped: the device has no fine-grain buffer SVM, through which the test "
                      "ends its kernel\n");
        skip();
    }
    atomic_init(turning->gate, 0);
    atomic_init(turning->gate + 1, 0);
    cl_program program = build_or_die(gravel, turn_source, NULL);
    turning->kernel = kernel_or_die(gravel, program, "turn");
    MUST(clSetKernelArgSVMPointer(turning->kernel, 1, turning->gate) == CL_SUCCESS);
    clReleaseProgram(program);
    MUST(pthread_create(&turning->thread, NULL, launch_thread, turning) == 0);
    for (double begin = seconds_now(); atomic_load(turning->gate + 1) == 0; usleep(1000))
        assert_true(may_wait(begin, LIMIT_S));
}

static void end_turning(struct turning *turning)
{
    atomic_store(turning->gate, 1);
    MUST(pthread_join(turning->thread, NULL) == 0);
}

static void *quiet_thread(void *argument)
{
    struct turning *turning = argument;
    return (void *)(intptr_t)gravel_quiet(turning->gravel);
}

/* For longer than the time limit a kernel keeps the network thread from applying: that is no failure. */
TEST(messages_wait_for_a_slow_kernel)
{
    struct gravel *gravel = open_impatient(0, 0);
    struct turning turning;
    pthread_t quiet;
    void *code;
    uint64_t word = alloc_or_die(gravel, 64);
    start_turning(&turning, gravel);
    OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, word, NULL, 1));
    MUST(pthread_create(&quiet, NULL, quiet_thread, &turning) == 0);
    usleep(3 * TIMEOUT_MS * 1000);
    end_turning(&turning);
    pthread_join(quiet, &code);
    assert_int_equal((intptr_t)code, 0);
    assert_int_equal(turning.code, 0);
    OK(gravel_quiet(gravel));
    assert_int_equal(word32(gravel, 1, word), 1);
    clReleaseKernel(turning.kernel);
    OK(gravel_close(gravel));
}

/* With a limit, the network thread is not kept for ever, and so nobody who waits for it. */
TEST(kernel_that_keeps_the_device_is_told)
{
    struct gravel *gravel = open_impatient(0, 700);
    struct turning turning;
    if (!takes_step(gravel, "drain")) {
        OK(gravel_close(gravel));
        skip_because("a kernel can keep the device on step drain only");
    }
    uint64_t word = alloc_or_die(gravel, 64);
    start_turning(&turning, gravel);
    double begin = seconds_now();
    OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, word, NULL, 1));
    expect_error(gravel_quiet(gravel), GRAVEL_EKERNEL, "GRAVEL_KERNEL_LIMIT");
    assert_true(is_within(begin, LIMIT_S));
    int code = gravel_barrier(gravel);
    print_message("%s\n", gravel_last_error());
    assert_int_equal(code, GRAVEL_EKERNEL);
    end_turning(&turning);
    clReleaseKernel(turning.kernel);
    gravel_close(gravel);
    assert_true(is_within(begin, 2 * LIMIT_S));
}

/* ---- a driver that is late ------------------------------------------------------------------- */

/* How often a kernel's name is in the trace. */
static unsigned count_in_trace(const char *path)
{
    char text[65536];
    unsigned n = 0;
    FILE *file = fopen(path, "r");
    MUST(file);
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    text[bytes] = '\0';
    fclose(file);
    assert_memory_equal(text + bytes - 3, "\n]\n", 3);
    for (const char *at = text; (at = strstr(at, "\"body\"")); at++)
        n++;
    return n;
}

static unsigned trace_kernel_told_after(unsigned late_ms)
{
    char folder[] = "/tmp/gravel-trace-XXXXXX", written[64];
    MUST(mkdtemp(folder));
    struct gravel_config config = loopback_config(2);
    struct gravel *gravel;
    snprintf(config.trace, sizeof config.trace, "%s/t.json", folder);
    snprintf(written, sizeof written, "%s/t.0.json", folder);
    OK(gravel_open(&gravel, &config, NULL));
    atomic_store(&failing.late_ms, late_ms);
    expect_works(gravel);
    OK(gravel_close(gravel));
    unsigned n = count_in_trace(written);
    while (atomic_load(&failing.n_late))
        usleep(1000);
    atomic_store(&failing.late_ms, 0);
    unlink(written);
    rmdir(folder);
    return n;
}

TEST(kernel_that_is_told_late_is_traced_or_left_out)
{
    assert_int_equal(trace_kernel_told_after(200), 2); /* begin and end */
    assert_int_equal(trace_kernel_told_after(2500), 0);
}

const struct fixture fixture = {.open = skip_untaken_step, .after = work_again};
