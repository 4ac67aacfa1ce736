/* SPDX-License-Identifier: MIT */
/*
 * The first launch of a kernel behind one that waits for room: a driver may have to load it, or to enlarge what it keeps
 * for all kernels, and wait for an idle device with every other thread kept out. Every form of kernel and every way to
 * enqueue one ends, on any device; pooled_driver.c makes PoCL such a driver.
 *
 * The array of each case is larger than any before, for a driver keeps what it has.
 *
 * Path: meson test -> this -> lib/node/enqueue.c, lib/opencl/private.c
 */
#include <stdio.h>

#include "expect.h"

#include <gravel/flow.h>
#include <gravel/mirror.h>
#include <gravel/steal.h>

#define LIMIT_S 60u
#define EACH 24u /* messages of a work-item of the kernel that waits */
#define QUEUE_BYTES (16u * 9280u)

extern const char first_launch_cl[], first_launch_array_cl[]; /* kernels/ */

#define GROUP 64u
#define N_SMALL 1024u /* work-items of the kernel behind */

static struct gravel *gravel;
static cl_mem out;
static unsigned private_bytes = 2048;

static cl_program build(void)
{
    char options[32];
    snprintf(options, sizeof options, "-DEACH=%u", EACH);
    return build_or_die(gravel, first_launch_cl, options);
}

static cl_program build_array(unsigned bytes)
{
    char options[64];
    snprintf(options, sizeof options, "-DWORDS=%u -DNAME=private_%u", bytes / 4, bytes);
    return build_or_die(gravel, first_launch_array_cl, options);
}

static cl_kernel make_kernel(cl_program program, const char *name)
{
    cl_kernel kernel = kernel_or_die(gravel, program, name);
    SET(kernel, 1, out);
    return kernel;
}

/* Enough messages to fill the queues many times over. */
static void launch_sender(cl_program program, uint64_t table)
{
    const cl_uint n_nodes = gravel_n_nodes(gravel);
    const size_t local = GROUP, global = (size_t)n_compute_units(gravel) * 16 * GROUP;
    cl_kernel kernel = kernel_or_die(gravel, program, "send_much");
    SET(kernel, 1, table);
    SET(kernel, 2, n_nodes);
    OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

/* ---- ways to enqueue --------------------------------------------------------------------------- */

typedef void way(cl_kernel kernel, const size_t *global, const size_t *local);

static void by_launch(cl_kernel kernel, const size_t *global, const size_t *local)
{
    OK(gravel_launch(gravel, kernel, 1, global, local, 0, NULL, NULL));
}

static void on_the_nodes_queue(cl_kernel kernel, const size_t *global, const size_t *local)
{
    MUST(clEnqueueNDRangeKernel(gravel_cl_queue(gravel), kernel, 1, NULL, global, local, 0, NULL,
                                NULL) == CL_SUCCESS);
}

static void on_an_own_queue(cl_kernel kernel, const size_t *global, const size_t *local)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueueWithProperties(
        gravel_cl_context(gravel), gravel_cl_device(gravel), NULL, &error);
    MUST(error == CL_SUCCESS);
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, local, 0, NULL, NULL) ==
         CL_SUCCESS);
    MUST(clFinish(queue) == CL_SUCCESS);
    clReleaseCommandQueue(queue);
}

/* A kernel of that name, or one with a larger array, whose program is built while nothing runs; or while the kernel that
   waits runs. */
static void run_behind(const char *name, way *enqueue, bool is_late)
{
    const size_t local = GROUP, global = N_SMALL;
    char own_name[32];
    if (has_argument(
            "by_launch") && /* the driver tells no sizes: the library learns of a kernel by gravel_launch */
        enqueue != by_launch)
        return;
    private_bytes += name ? 0 : 1024;
    snprintf(own_name, sizeof own_name, "private_%u", private_bytes);
    watch(LIMIT_S, name ? name : own_name);
    uint64_t table = alloc_or_die(gravel, 4096);
    cl_program forms = build(), array = name || is_late ? NULL : build_array(private_bytes);
    launch_sender(forms, table);
    if (is_late)
        array = build_array(private_bytes);
    cl_kernel kernel = make_kernel(array ? array : forms, name ? name : own_name);
    enqueue(kernel, &global, &local);
    OK(gravel_barrier(gravel));
    MUST(clFinish(gravel_cl_queue(gravel)) == CL_SUCCESS);
    OK(gravel_free(gravel, table));
    clReleaseKernel(kernel);
    clReleaseProgram(forms);
    if (array)
        clReleaseProgram(array);
}

TEST(every_form_ends_behind_a_kernel_that_waits)
{
    static const char *const names[] = {"plain", "opened", "with_local", NULL};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        run_behind(names[i], by_launch, false);
        run_behind(names[i], on_the_nodes_queue, false);
    }
}

TEST(own_queue_ends_behind_a_kernel_that_waits)
{
    run_behind(NULL, on_an_own_queue, false);
}

TEST(program_is_built_beside_a_kernel_that_waits)
{
    run_behind(NULL, by_launch, true);
    run_behind(NULL, on_the_nodes_queue, true);
}

/* Without the library: only gravel_launch can know of it. */
TEST(program_of_the_callers_ends_by_gravel_launch)
{
    static const char own[] = "kernel void private_65536(global uint *out, uint n)\n"
                              "{\n"
                              "    uint words[16384], at = n;\n"
                              "    for (uint i = 0; i < n; i++)\n"
                              "        words[(at = at * 1664525u + i) % 16384] = i;\n"
                              "    out[get_global_id(0)] = n ? words[at % 16384] : 7;\n"
                              "}\n";
    const char *source = own;
    const size_t local = GROUP, global = N_SMALL;
    const cl_uint none = 0;
    cl_int error;
    watch(LIMIT_S, "a program of the caller's");
    cl_device_id device = gravel_cl_device(gravel);
    cl_program program =
        clCreateProgramWithSource(gravel_cl_context(gravel), 1, &source, NULL, &error);
    MUST(error == CL_SUCCESS &&
         clBuildProgram(program, 1, &device, NULL, NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "private_65536", &error);
    MUST(error == CL_SUCCESS);
    SET(kernel, 0, out);
    SET(kernel, 1, none);
    uint64_t table = alloc_or_die(gravel, 4096);
    cl_program sender = build();
    launch_sender(sender, table);
    OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL));
    OK(gravel_barrier(gravel));
    cl_uint first;
    MUST(clEnqueueReadBuffer(gravel_cl_queue(gravel), out, CL_TRUE, 0, sizeof first, &first, 0,
                             NULL, NULL) == CL_SUCCESS);
    assert_int_equal(first, 7);
    OK(gravel_free(gravel, table));
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseProgram(sender);
}

static void make_flow(void)
{
    static const struct gravel_channel channels[] = {{"a", 4, GRAVEL_STREAM, 64, 0, NULL},
                                                     {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL}};
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 2, .depth = 1);
    struct gravel_flow *flow;
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_barrier(gravel));
    OK(gravel_flow_destroy(flow));
}

static void make_deques(void)
{
    struct gravel_steal *steal;
    OK(gravel_steal_create(&steal, gravel, NULL));
    OK(gravel_barrier(gravel));
    OK(gravel_steal_destroy(steal));
}

static void make_mirror(void)
{
    static const uint64_t n_words[2] = {1, 1};
    static const uint32_t indices[2] = {0, 0};
    uint64_t array = alloc_or_die(gravel, 64);
    const struct gravel_words words = GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
    struct gravel_mirror *mirror;
    OK(gravel_mirror_create(&mirror, gravel, &words));
    OK(gravel_barrier(gravel));
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_free(gravel, array));
}

/* Memory of the device, for which a driver may wait as for a larger pool. */
TEST(memory_is_made_behind_a_kernel_that_waits)
{
    void (*const makes[])(void) = {make_flow, make_deques, make_mirror};
    static const char *const names[] = {"a flow", "deques", "a mirror"};
    for (int i = 0; i < 3; i++) {
        watch(LIMIT_S, names[i]);
        uint64_t table = alloc_or_die(gravel, 4096);
        cl_program program = build();
        launch_sender(program, table);
        makes[i]();
        OK(gravel_free(gravel, table));
        clReleaseProgram(program);
    }
}

static void open_node(void)
{
    cl_int error;
    watch(2 * LIMIT_S, "opening");
    struct gravel_config config = loopback_config(2);
    config.queue_bytes = QUEUE_BYTES;
    OK(gravel_open(&gravel, &config, NULL));
    out = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_WRITE, N_SMALL * sizeof(cl_uint),
                         NULL, &error);
    MUST(error == CL_SUCCESS);
    const cl_uint zero = 0;
    MUST(clEnqueueFillBuffer(gravel_cl_queue(gravel), out, &zero, sizeof zero, 0,
                             N_SMALL * sizeof zero, 0, NULL, NULL) == CL_SUCCESS);
    MUST(clFinish(gravel_cl_queue(gravel)) == CL_SUCCESS);
}

static void close_node(void)
{
    clReleaseMemObject(out);
    OK(gravel_close(gravel));
}

const struct fixture fixture = {.open = open_node, .close = close_node};
