/* SPDX-License-Identifier: MIT */
/* A histogram kept by handlers that run on the device: each node has bins of a width of its own. */
#include <err.h>
#include <gravel/gravel.h>
#include <stdio.h>
#include <string.h>

enum { N_BINS = 100, N_SAMPLES = 65536 }; /* of each node; of each process */

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "void sample(struct gravel_call call, ulong bins, ulong value)\n"
    "{\n"
    "    ulong bin = value / (10 + call.node);\n"
    "    volatile global uint *count = gravel_call_at(call, bins, bin, sizeof(uint));\n"
    "    atomic_inc(count); /* other messages run at the same time */\n"
    "}\n"
    "kernel void send_samples(GRAVEL_ARENA, ulong bins)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    gravel_am2_wg(g, GRAVEL_HANDLER(sample), bins, i % 1000, i % gravel_n_nodes(g));\n"
    "}\n";

int main(void)
{
    const struct gravel_handler handler = {.name = "sample", .n_args = 2}; /* no function */
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1,
                        .device_code = {source, "histogram.cl", NULL});
    const size_t n_samples = N_SAMPLES;
    struct gravel *gravel;
    cl_program program;
    uint64_t bins, n_processes = 1, n_wrong = 0;
    TRY(gravel_open(&gravel, NULL, &bindings));
    TRY(gravel_alloc(gravel, N_BINS * sizeof(cl_uint), &bins));
    TRY(gravel_program_build(gravel, "histogram.cl", source, NULL, &program));
    TRY(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_processes, 1));
    cl_kernel kernel = clCreateKernel(program, "send_samples", NULL);
    TRY(gravel_kernel_set_arena(gravel, kernel, 0));
    clSetKernelArg(kernel, 1, sizeof bins, &bins);
    TRY(gravel_launch(gravel, kernel, 1, &n_samples, NULL, 0, NULL, NULL));
    TRY(gravel_barrier(gravel));
    for (cl_uint node = 0, n_nodes = gravel_n_nodes(gravel); node < n_nodes; node++) {
        cl_uint found[N_BINS], expected[N_BINS] = {0};
        for (cl_uint i = node; i < N_SAMPLES; i += n_nodes)
            expected[i % 1000 / (10 + node)] += (cl_uint)n_processes;
        TRY(gravel_get(gravel, bins, found, sizeof found, node));
        n_wrong += memcmp(found, expected, sizeof found) != 0;
    }
    printf("histogram: node %u sent %u samples, %s\n", gravel_node(gravel), N_SAMPLES,
           n_wrong ? "WRONG" : "all right");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    return n_wrong != 0;
}
