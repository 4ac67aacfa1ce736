/* SPDX-License-Identifier: MIT */
/*
 * No copy of the library's is queued behind a kernel that waits for room: where a driver maps command queues to few
 * channels, it would keep the pump's copies from that kernel. Nor does a driver have fewer channels than it could. What a
 * read fills that is queued behind a kernel stays until the read has ended, also where counters are read whose zeros the
 * driver refuses.
 *
 * The linker sends the library's copies and the ends of its mappings here (--wrap).
 *
 * Path: meson test -> this -> lib/accumulate, lib/device/select.c, lib/opencl/region.c
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "wrapped_opencl.h"
#include "expect.h"

#include <gravel/accumulator.h>

#define GROUP 64u
#define N_ITEMS (128u * GROUP)
#define EACH 64u /* messages of a work-item, more than the queues hold */
#define N_WORDS 256u

static _Atomic cl_command_queue of_caller; /* the caller's, on which the main thread alone reads */
static cl_event running;                   /* the launch under way, or NULL */
static unsigned n_reads, n_behind;

#define N_COUNTERS 3u
#define LATE_US 300000u

/* Of counters whose zeros are refused: their read waits for an event of ours, which opens long after that. */
static _Atomic bool refuses_zeros, is_refused, has_opened;
static cl_event late; /* NULL: there was no read */

static bool is_of_counters(size_t bytes)
{
    return atomic_load(&refuses_zeros) && bytes == N_COUNTERS * sizeof(cl_uint);
}

static void *open_late(void *unused)
{
    (void)unused;
    usleep(LATE_US);
    atomic_store(&has_opened, true);
    MUST(clSetUserEventStatus(late, CL_COMPLETE) == CL_SUCCESS);
    return NULL;
}

WRAP(clEnqueueReadBuffer)
{
    cl_int status = CL_COMPLETE;
    cl_context context;
    if (is_of_counters(size) && !late) {
        MUST(clGetCommandQueueInfo(command_queue, CL_QUEUE_CONTEXT, sizeof context, &context,
                                   NULL) == CL_SUCCESS);
        late = clCreateUserEvent(context, &status);
        MUST(status == CL_SUCCESS);
        num_events_in_wait_list = 1, event_wait_list = &late;
    }
    if (command_queue == atomic_load(&of_caller) && running) {
        clGetEventInfo(running, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        n_reads++;
        n_behind += status > CL_COMPLETE;
    }
    return PASS_ON(clEnqueueReadBuffer);
}

WRAP(clEnqueueWriteBuffer)
{
    pthread_t thread;
    if (!is_of_counters(size) || !late)
        return PASS_ON(clEnqueueWriteBuffer);
    atomic_store(&is_refused, true);
    MUST(pthread_create(&thread, NULL, open_late, NULL) == 0);
    pthread_detach(thread);
    return CL_OUT_OF_RESOURCES;
}

static _Atomic unsigned n_unmapped;

WRAP(clEnqueueUnmapMemObject)
{
    atomic_fetch_add(&n_unmapped, 1);
    return PASS_ON(clEnqueueUnmapMemObject);
}

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "#include \"accumulator.cl.h\"\n"
    "kernel void send(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), ulong table, uint n_words, uint each)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    gravel_accumulate_uint_wi(g, a, i % n_words, 1, 1);\n"
    "    for (uint turn = 0; turn < each; turn++)\n"
    "        gravel_inc_uint_wg(g, table, (i + turn) % n_words, 1);\n"
    "}\n";

/* @param each  messages that a work-item sends. */
static cl_kernel make_kernel(struct gravel *gravel, const struct gravel_accumulator *accumulator,
                             uint64_t table, cl_uint each)
{
    const cl_uint n_words = N_WORDS;
    cl_program program = build_or_die(gravel, source, NULL);
    cl_kernel kernel = kernel_or_die(gravel, program, "send");
    clReleaseProgram(program);
    OK(gravel_kernel_set_accumulator(accumulator, kernel, 1));
    MUST(clSetKernelArg(kernel, 2, sizeof table, &table) == CL_SUCCESS &&
         clSetKernelArg(kernel, 3, sizeof n_words, &n_words) == CL_SUCCESS &&
         clSetKernelArg(kernel, 4, sizeof each, &each) == CL_SUCCESS);
    return kernel;
}

static void expect_sums(struct gravel *gravel, uint64_t offset, uint32_t sum)
{
    void *memory;
    OK(gravel_map(gravel, offset, N_WORDS * sizeof(cl_uint), CL_MAP_READ, 1, &memory));
    for (uint32_t i = 0; i < N_WORDS; i++)
        assert_int_equal(((const cl_uint *)memory)[i], sum);
    OK(gravel_unmap(gravel, memory));
}

TEST(a_flush_reads_when_the_kernels_before_it_have_ended)
{
    const size_t global = N_ITEMS, local = GROUP;
    struct gravel *gravel = scoped_loopback(2, NULL);
    struct gravel_accumulator *accumulator;
    uint64_t table, sums;
    atomic_store(&of_caller, gravel_cl_queue(gravel));
    OK(gravel_alloc(gravel, N_WORDS * sizeof(cl_uint), &table));
    OK(gravel_alloc(gravel, N_WORDS * sizeof(cl_uint), &sums));
    OK(gravel_accumulator_create(&accumulator, gravel, sums, N_WORDS, GRAVEL_ADD, GRAVEL_UINT));
    cl_kernel kernel = make_kernel(gravel, accumulator, table, EACH);
    OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, &running));
    OK(gravel_barrier(gravel));
    assert_true(n_reads > 0);
    assert_int_equal(n_behind, 0);
    clReleaseEvent(running);
    running = NULL;
    expect_sums(gravel, sums, N_ITEMS / N_WORDS);
    expect_sums(gravel, table, N_ITEMS / N_WORDS * EACH);
    OK(gravel_accumulator_destroy(accumulator));
    clReleaseKernel(kernel);
}

/* The launch waits for a user event, and the node is given up before it. @param left  [out] what stays. */
static void expect_kept(bool has_reset, struct gravel_accumulator **left)
{
    static const char why[] = "given up";
    const size_t local = GROUP;
    struct gravel *gravel = open_loopback(2, NULL);
    cl_int error;
    cl_event gate = clCreateUserEvent(gravel_cl_context(gravel), &error);
    MUST(error == CL_SUCCESS);
    const uint64_t sums = alloc_or_die(gravel, N_WORDS * sizeof(cl_uint));
    OK(gravel_accumulator_create(left, gravel, sums, N_WORDS, GRAVEL_ADD, GRAVEL_UINT));
    cl_kernel kernel = make_kernel(gravel, *left, sums, 0);
    OK(gravel_launch(gravel, kernel, 1, &local, &local, 1, &gate, NULL));
    OK(gravel_accumulator_begin(*left));
    if (has_reset)
        OK(gravel_accumulator_reset(*left));
    OK(gravel_abort(gravel, why));
    const unsigned before = atomic_load(&n_unmapped);
    expect_error(gravel_accumulator_destroy(*left), GRAVEL_EABORT, why);
    const unsigned after = atomic_load(&n_unmapped);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS &&
         clFinish(gravel_cl_queue(gravel)) == CL_SUCCESS);
    clReleaseEvent(gate);
    clReleaseKernel(kernel);
    expect_error(gravel_close(gravel), GRAVEL_EABORT, why);
    assert_int_equal(after, before);
}

TEST(what_a_read_fills_stays_until_the_read_has_ended)
{
    static struct gravel_accumulator *left[2]; /* leak checkers find what stays here */
    expect_kept(false, &left[0]);
    expect_kept(true, &left[1]);
}

TEST_OF("counters", counters_that_cannot_be_zeroed_are_read_to_the_end)
{
    uint64_t sums[N_COUNTERS];
    struct gravel *gravel = open_loopback(1, NULL);
    const uint64_t counters = alloc_or_die(gravel, sizeof(cl_uint) * N_COUNTERS);
    OK(gravel_barrier_sum(gravel, counters, N_COUNTERS, NULL, sums));
    atomic_store(&refuses_zeros, true);
    expect_error(gravel_barrier_sum(gravel, counters, N_COUNTERS, NULL, sums), GRAVEL_ECL,
                 "taking counters: clEnqueueReadBuffer, clEnqueueWriteBuffer: "
                 "CL_OUT_OF_RESOURCES");
    assert_true(atomic_load(&is_refused));
    assert_true(atomic_load(&has_opened));
    atomic_store(&refuses_zeros, false);
    assert_true(gravel_close(gravel) < 0);
    clReleaseEvent(late);
}

TEST(a_driver_is_asked_for_a_channel_each_unless_the_user_asks)
{
    static const char name[] = "CUDA_DEVICE_MAX_CONNECTIONS";
    unsetenv(name);
    OK(gravel_close(open_loopback(1, NULL)));
    assert_string_equal(getenv(name), "16");
    setenv(name, "24", true);
    OK(gravel_close(open_loopback(1, NULL)));
    assert_string_equal(getenv(name), "24");
}

const struct fixture fixture = {.limit_s = 120};
