/* SPDX-License-Identifier: MIT */
/*
 * The first launch of a kernel behind one that waits for room: a driver may have to enlarge what it keeps for all kernels, and
 * wait for an idle device with every other thread kept out. Every way to enqueue one ends, on any device; pooled_driver.c makes
 * PoCL such a driver.
 *
 * The array of each case is larger than any before, for a driver keeps what it has.
 *
 * Path: meson test -> this -> lib/node/enqueue.c
 */
#include <stdio.h>

#include "expect.h"

#include <gravel/flow.h>
#include <gravel/mirror.h>
#include <gravel/steal.h>

#define LIMIT_S 60u
#define QUEUE_BYTES (16u * 9280u)

/* Its name tells how much private memory it takes: for pooled_driver.c. A program of its own, for there are many sizes. */
static const char array_source[] = "kernel void NAME(global void *arena, global uint *out)\n"
                                   "{\n"
                                   "    uint words[WORDS], at = out[get_global_id(0)];\n"
                                   "    for (uint i = 0; i < WORDS; i++)\n"
                                   "        words[(i * 7 + at) % WORDS] = i;\n"
                                   "    for (uint i = 0; i < 64; i++)\n"
                                   "        at += words[(at + i) % WORDS];\n"
                                   "    out[get_global_id(0)] = at | 1;\n"
                                   "}\n";

#define GROUP 64u
#define N_SMALL 1024u /* work-items of the kernel behind */

static struct gravel *gravel;
static cl_mem out;
static unsigned private_bytes = 2048;

/* A program of a larger array than any before, by the library, or by OpenCL: then only gravel_launch can know of it. */
static cl_program build_array(bool by_library, char name[32])
{
    char options[64];
    cl_int error;
    const char *text = array_source;
    cl_device_id device = gravel_cl_device(gravel);
    private_bytes += 1024;
    snprintf(name, 32, "private_%u", private_bytes);
    snprintf(options, sizeof options, "-DWORDS=%u -DNAME=%s", private_bytes / 4, name);
    if (by_library)
        return build_or_die(gravel, text, options);
    cl_program program =
        clCreateProgramWithSource(gravel_cl_context(gravel), 1, &text, NULL, &error);
    MUST(error == CL_SUCCESS &&
         clBuildProgram(program, 1, &device, options, NULL, NULL) == CL_SUCCESS);
    return program;
}

/* Enough messages to fill the queues many times over. */
static void launch_sender(uint64_t table)
{
    const size_t local = GROUP, global = (size_t)n_compute_units(gravel) * 16 * GROUP;
    cl_kernel kernel = body_kernel(
        gravel,
        BODY(
            "uint x = (uint)i * 2654435761u + 1;"
            "for (uint n = 0; n < 24; n++) {"
            "    x = x * 1664525u + 1013904223u;"
            "    gravel_inc_uint_wg(g, a, x >> 8 & 1023, (gravel_node(g) + 1) % gravel_n_nodes(g));"
            "}"),
        (const uint64_t[3]){table});
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

/* How the kernel behind the one that waits is enqueued; when and by whom its program is built. */
static const struct row {
    way *enqueue;
    enum { BEFORE, BESIDE, BY_CALLER } built;
} rows[] = {{by_launch, BEFORE}, {on_the_nodes_queue, BEFORE}, {on_an_own_queue, BEFORE},
            {by_launch, BESIDE}, {on_the_nodes_queue, BESIDE}, {by_launch, BY_CALLER}};

static void run_behind(const struct row *row)
{
    const size_t local = GROUP, global = N_SMALL;
    const bool by_library = row->built != BY_CALLER;
    char name[32];
    uint64_t table = alloc_or_die(gravel, 4096);
    cl_program array = NULL;
    watch(LIMIT_S, "a kernel behind one that waits");
    if (row->built != BESIDE)
        array = build_array(by_library, name);
    launch_sender(table);
    if (row->built == BESIDE)
        array = build_array(by_library, name);
    cl_kernel kernel = kernel_or_die(gravel, array, name);
    SET(kernel, 1, out);
    row->enqueue(kernel, &global, &local);
    OK(gravel_barrier(gravel));
    MUST(clFinish(gravel_cl_queue(gravel)) == CL_SUCCESS);
    OK(gravel_free(gravel, table));
    clReleaseKernel(kernel);
    clReleaseProgram(array);
}

TEST(each_kernel_ends_behind_a_kernel_that_waits)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run_behind(&rows[i]);
}

static void make_flow(void)
{
    static const struct gravel_channel channels[] = {{"a", 4, GRAVEL_STREAM, 64, 0, NULL},
                                                     {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL}};
    const struct gravel_channel_graph graph = GRAVEL_CHANNEL_GRAPH(channels, 2, .depth = 1);
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
        launch_sender(table);
        makes[i]();
        OK(gravel_free(gravel, table));
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
