/* SPDX-License-Identifier: MIT */
/* A program's own context, device and queue: Gravel uses them, and the program enqueues its kernels itself. */
#include <err.h>
#include <gravel/gravel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "kernel void put_to_next(GRAVEL_ARENA, ulong words)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint i = (uint)get_global_id(0), node = gravel_node(g);\n"
    "    gravel_put_uint_wg(g, words, i, i * 3 + node, (node + 1) % gravel_n_nodes(g));\n"
    "}\n";

int main(void)
{
    static cl_uint found[65536]; /* that each node puts to the next one */
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "16", 0); /* before NVIDIA's platform is asked for */
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    if (!queue)
        errx(1, "the first OpenCL platform has no device");
    struct gravel_bindings own =
        GRAVEL_BINDINGS(.context = context, .device = device, .queue = queue);
    struct gravel *gravel;
    cl_program program;
    uint64_t words;
    TRY(gravel_open(&gravel, NULL, &own));
    TRY(gravel_alloc(gravel, sizeof found, &words));
    TRY(gravel_program_build(gravel, "own_context.cl", source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "put_to_next", NULL);
    TRY(gravel_kernel_set_arena(gravel, kernel, 0));
    clSetKernelArg(kernel, 1, sizeof words, &words);
    const size_t n = sizeof found / sizeof *found, group = 256;
    if (strcmp(gravel_step(gravel), "svm") && strcmp(gravel_step(gravel), "usm"))
        TRY(gravel_launch(gravel, kernel, 1, &n, &group, 0, NULL, NULL)); /* in slices */
    else
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, &group, 0, NULL, NULL);
    clFinish(queue); /* gravel_quiet covers messages of kernels that have ended */
    TRY(gravel_quiet(gravel));
    cl_uint n_wrong = 0, node = gravel_node(gravel), next = (node + 1) % gravel_n_nodes(gravel);
    TRY(gravel_get(gravel, words, found, sizeof found, next));
    for (cl_uint i = 0; i < n; i++)
        n_wrong += found[i] != i * 3 + node;
    printf("own_context: from node %u to %u, %s\n", node, next, n_wrong ? "WRONG" : "all right");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return n_wrong != 0;
}
