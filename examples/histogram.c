/* SPDX-License-Identifier: MIT */
/* A histogram kept by handlers that run on the device: each node has limits of bins of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gravel/gravel.h>

#define N_BINS 16u
#define N_SAMPLES 65536u /* of each process */

/* A call returns 0, or an error that gravel_last_error() tells. */
#define TRY(call) \
    ((call) ? (fprintf(stderr, "%s: %s\n", #call, gravel_last_error()), exit(1)) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "#define N_BINS 16\n"
    "/* A node's table: where each bin begins, then how many samples fell in it. */\n"
    "void sample(struct gravel_call call, ulong table, ulong value)\n"
    "{\n"
    "    global const ulong *begins = gravel_call_local(call, table);\n"
    "    volatile global uint *counts = gravel_call_local(call, table + N_BINS * sizeof(ulong));\n"
    "    uint bin = 0;\n"
    "    while (bin + 1 < N_BINS && value >= begins[bin + 1])\n"
    "        bin++;\n"
    "    atomic_inc(&counts[bin]); /* other messages are applied at the same time */\n"
    "}\n"
    "kernel void send_samples(GRAVEL_ARENA, ulong table)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    gravel_am2_wg(g, GRAVEL_HANDLER(sample), table, i % 1000, i % gravel_n_nodes(g));\n"
    "}\n";

/* In plain C: what the limits of a node make of a value; its bins are as wide as its number + 10. */
static cl_uint bin_of(cl_uint value, cl_uint node)
{
    cl_uint bin = value / (10 + node);
    return bin < N_BINS ? bin : N_BINS - 1;
}

int main(void)
{
    const struct gravel_handler handlers[] = {{.name = "sample", .n_args = 2}}; /* no function */
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1, .device_code.source = source,
                        .device_code.name = "histogram.cl");
    const size_t n_samples = N_SAMPLES, group = 256;
    cl_ulong begins[N_BINS];
    cl_uint counts[N_BINS];
    struct gravel *gravel;
    cl_program program;
    uint64_t table, n_processes = 1, n_wrong = 0;
    TRY(gravel_open(&gravel, NULL, &bindings));
    TRY(gravel_alloc(gravel, sizeof begins + sizeof counts, &table));
    TRY(gravel_program_build(gravel, "histogram.cl", source, NULL, &program));
    TRY(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_processes, 1));
    cl_uint n_nodes = gravel_n_nodes(gravel);
    for (cl_uint node = 0; node < n_nodes; node++) {
        for (cl_ulong bin = 0; bin < N_BINS; bin++)
            begins[bin] = bin * (10 + node);
        if (gravel_is_local(gravel, node)) /* this node, or loop-back ones */
            TRY(gravel_put(gravel, table, begins, sizeof begins, node));
    }
    TRY(gravel_barrier(gravel)); /* every node has its limits */
    cl_kernel kernel = clCreateKernel(program, "send_samples", NULL);
    TRY(gravel_kernel_set_arena(gravel, kernel, 0));
    clSetKernelArg(kernel, 1, sizeof(cl_ulong), &table);
    TRY(gravel_launch(gravel, kernel, 1, &n_samples, &group, 0, NULL, NULL));
    TRY(gravel_barrier(gravel));
    for (cl_uint node = 0; node < n_nodes; node++) {
        cl_uint expected[N_BINS] = {0};
        for (cl_uint i = node; i < N_SAMPLES; i += n_nodes)
            expected[bin_of(i % 1000, node)] += (cl_uint)n_processes;
        TRY(gravel_get(gravel, table + sizeof begins, counts, sizeof counts, node));
        n_wrong += memcmp(counts, expected, sizeof counts) != 0;
    }
    if (gravel_node(gravel) == 0)
        printf("histogram: %u samples from each process, %u bins on each of %u node(s), %s\n",
               N_SAMPLES, N_BINS, n_nodes, n_wrong ? "WRONG" : "all right");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    return n_wrong != 0;
}
