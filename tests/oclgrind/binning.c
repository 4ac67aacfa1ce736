/* SPDX-License-Identifier: MIT */
/*
 * The kernels of cl/kernels/aggregate.cl under oclgrind, which sees races in local memory, divergence and stray accesses: one
 * run of packages, binned for one node, for two and for many. No C11 compiler takes these kernels, as it takes those of
 * tests/tsan.
 *
 * usage: oclgrind --data-races --check-api binning OPTIONS     OPTIONS of the build: where the headers are
 * exit:  0 and "as sent" if every node got its messages and no other; oclgrind's reports come on standard error
 *
 * Path:  meson test -> this -> cl/kernels/aggregate.cl
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* oclgrind knows no later way to make a queue */
#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "layout/package.h"
#include "must.h"

#define SLOT_BYTES 1088u
#define GROUP 64u
#define COMMAND GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_LONG)
#define FIRST_TICKET 0xfffffffdu /* tickets wrap */
#define INDICES_AT 64u
#define MOST_NODES 15u
#define VALUES_AT (INDICES_AT + 4u * (N_MESSAGES + MOST_NODES + 1))
#define BLOCK_BYTES (VALUES_AT + 8u * (N_MESSAGES + MOST_NODES))

static const uint32_t lengths[] = {16, 1, 30, 33, 40};
#define N_PACKAGES 5u
#define PACKAGES_EACH 2u
#define N_GROUPS 3u
#define N_MESSAGES 120u
#define MOST_MESSAGES 40u
#define COLUMNS 32u /* of a tile, of which a package takes two */

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static uint32_t n_nodes;

static void open_device(const char *options)
{
    const char *text = "#include \"aggregate.cl\"\n";
    cl_platform_id platform;
    cl_device_id device;
    MUST(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    MUST(clBuildProgram(program, 1, &device, options, NULL, NULL) == CL_SUCCESS);
}

static cl_mem make_buffer(size_t bytes, void *contents)
{
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (contents ? CL_MEM_COPY_HOST_PTR : 0);
    return clCreateBuffer(context, flags, bytes, contents, NULL);
}

struct argument {
    size_t bytes;
    const void *value;
};

/* Set a kernel's arguments and run it. */
static void run(const char *name, const struct argument *arguments, cl_uint n, size_t n_groups)
{
    const size_t local = GROUP, global = n_groups * GROUP;
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    for (cl_uint i = 0; i < n; i++)
        MUST(clSetKernelArg(kernel, i, arguments[i].bytes, arguments[i].value) == CL_SUCCESS);
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL) ==
         CL_SUCCESS);
    MUST(clFinish(queue) == CL_SUCCESS);
    clReleaseKernel(kernel);
}

/* Message m of all has index m and goes to node m * 7 % n_nodes. */
static void write_packages(unsigned char *slots)
{
    uint32_t m = 0;
    for (uint32_t p = 0; p < N_PACKAGES; p++) {
        unsigned char *slot = slots + (size_t)p * SLOT_BYTES;
        uint32_t n = lengths[p], stride = GRAVELP_PACKAGE_STRIDE(n);
        const struct gravelp_package package = {.published = FIRST_TICKET + p + 1,
                                                .command = COMMAND,
                                                .n_messages = n,
                                                .stride = stride,
                                                .base = 64};
        memcpy(slot, &package, sizeof package);
        for (uint32_t i = 0; i < n; i++, m++) {
            uint32_t node = m * 7 % n_nodes;
            uint64_t value = m + 1000;
            memcpy(slot + GRAVELP_NODE_ROW + 4 * i, &node, 4);
            memcpy(slot + GRAVELP_INDEX_ROW(stride) + 4 * i, &m, 4);
            memcpy(slot + GRAVELP_VALUE_ROW(COMMAND, stride, 0) + 8 * i, &value, 8);
        }
    }
    MUST(m == N_MESSAGES);
}

/* The package that the message of this index is in. */
static uint32_t package_of(uint32_t index)
{
    uint32_t package = 0;
    for (; package + 1 < N_PACKAGES && index >= lengths[package]; package++)
        index -= lengths[package];
    return package;
}

static void check(const unsigned char *block, cl_uint in_order)
{
    const uint32_t *counts = (const void *)block, *indices = (const void *)(block + INDICES_AT);
    const uint64_t *values = (const void *)(block + VALUES_AT);
    bool seen[N_MESSAGES] = {false};
    uint32_t n = 0;
    for (uint32_t node = 0, start = 0; node < n_nodes; start += (counts[node++] + 1) & ~1u)
        for (uint32_t i = 0, last = 0; i < counts[node]; i++, n++) {
            uint32_t at = start + i, package = package_of(indices[at]);
            MUST(!in_order || package >= last);
            last = package;
            MUST(n < N_MESSAGES && indices[at] < N_MESSAGES && !seen[indices[at]]);
            MUST(indices[at] * 7 % n_nodes == node && values[at] == indices[at] + 1000);
            seen[indices[at]] = true;
        }
    MUST(n == N_MESSAGES && counts[n_nodes] == 0);
}

/* Bin the run. @param turn  how many were binned before: the kernels leave their state ready for the next. */
static void bin(cl_mem arena, cl_mem state, cl_mem tiles, cl_mem blocks, cl_uint turn,
                cl_uint is_sorted, cl_uint in_order)
{
    const cl_uint slot_bytes = SLOT_BYTES, ticket = FIRST_TICKET, n_packages = N_PACKAGES,
                  packages_each = PACKAGES_EACH, team = GROUP / 2, command = COMMAND,
                  most = MOST_MESSAGES, n_messages = N_MESSAGES, n_replicas = 4, columns = COLUMNS,
                  n_rounds = 2, each = 1, n_counters = is_sorted ? n_replicas : 1,
                  package_replicas = in_order && n_nodes > 1 ? 2 : 0, n_tiles = N_GROUPS;
    const cl_ulong zero = 0, base = 64, indices_at = INDICES_AT, values_at = VALUES_AT;
#define RUN                                                                               \
    {sizeof arena, &arena}, {8, &zero}, {4, &slot_bytes}, {4, &ticket}, {4, &n_packages}, \
        {4, &packages_each}, {4, &most}, {4, &command}, {8, &base}, {4, &n_nodes},        \
        {sizeof state, &state}, {4, &turn}, {sizeof tiles, &tiles},                       \
    {                                                                                     \
        4, &in_order                                                                      \
    }
    const struct argument count[] = {RUN,
                                     {4, &team},
                                     {4, &n_replicas},
                                     {(n_nodes + 1) * n_replicas * 4, NULL},
                                     {packages_each * 4, NULL}};
    const struct argument group[] = {RUN,
                                     {4, &columns},
                                     {4, &each},
                                     {4, &n_rounds},
                                     {4, &is_sorted},
                                     {4, &n_counters},
                                     {4, &package_replicas},
                                     {sizeof blocks, &blocks},
                                     {8, &zero},
                                     {4, &n_messages},
                                     {8, &indices_at},
                                     {8, &values_at},
                                     {n_nodes * n_counters * 4, NULL},
                                     {(MOST_NODES + 1) * n_counters * 4, NULL},
                                     {GROUP * 8, NULL},
                                     {packages_each * 8, NULL},
                                     {GROUP * 2, NULL},
                                     {GROUP * 8, NULL}};
    run("count_messages", count, sizeof count / sizeof *count, N_GROUPS);
    const struct argument order[] = {
        {sizeof tiles, &tiles}, {4, &n_tiles}, {4, &n_nodes}, {GROUP * 8, NULL}};
    if (in_order)
        run("order_tiles", order, sizeof order / sizeof *order, n_nodes);
    run("group_by_node", group, sizeof group / sizeof *group, N_GROUPS);
}

static void bin_for(uint32_t n)
{
    static _Alignas(8) unsigned char slots[N_PACKAGES * SLOT_BYTES], block[BLOCK_BYTES];
    static uint32_t nothing[3 * (MOST_NODES + 1)];
    n_nodes = n;
    write_packages(slots);
    cl_mem arena = make_buffer(sizeof slots, slots);
    cl_mem state = make_buffer(sizeof nothing, nothing);
    cl_mem tiles = make_buffer(sizeof nothing, nothing);
    for (cl_uint turn = 0; turn < 6; turn++) {
        cl_uint in_order = turn >= 4;
        cl_mem blocks = make_buffer(sizeof block, NULL);
        bin(arena, state, tiles, blocks, turn % 2, (turn < 2 || in_order) && n_nodes > 1, in_order);
        MUST(clEnqueueReadBuffer(queue, blocks, CL_TRUE, 0, sizeof block, block, 0, NULL, NULL) ==
             CL_SUCCESS);
        clReleaseMemObject(blocks);
        check(block, in_order);
    }
    clReleaseMemObject(arena);
    clReleaseMemObject(state);
    clReleaseMemObject(tiles);
}

int main(int argc, char **argv)
{
    MUST(argc == 2);
    open_device(argv[1]);
    bin_for(1);
    bin_for(2);
    bin_for(13);
    puts("as sent");
    return 0;
}
