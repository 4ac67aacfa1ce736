/* SPDX-License-Identifier: MIT */
/*
 * A histogram kept by handlers that run on the device: every node has limits of bins of its own, work-items send
 * samples to any node, and the handler there finds the bin. One text of OpenCL C holds kernel and handler.
 *
 *     ./histogram              one node
 *     mpirun -np 4 ./histogram
 *
 * Path:    send_samples -> sample() at the destination -> its heap -> every node checks its own part.
 */
#include <stdio.h>

#include <gravel/gravel.h>

#define N_BINS 16
#define N_SAMPLES 65536 /* of each node */

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

struct table {
    cl_ulong begins[N_BINS];
    cl_uint counts[N_BINS];
};

/* Bins are as wide as the node's number + 10. */
static void set_begins(struct table *table, uint32_t node)
{
    for (cl_ulong bin = 0; bin < N_BINS; bin++)
        table->begins[bin] = bin * (10 + node);
}

/* What sample() must have made of this node's share, in plain C. @return bins that are wrong [count]. */
static int check(const struct table *table, uint32_t node, uint32_t n_nodes)
{
    cl_uint expected[N_BINS] = {0};
    int n_wrong = 0;
    for (uint32_t i = node; i < N_SAMPLES; i += n_nodes) {
        uint32_t bin = i % 1000 / (10 + node);
        expected[bin < N_BINS ? bin : N_BINS - 1] += n_nodes; /* every node sends the same */
    }
    for (int bin = 0; bin < N_BINS; bin++)
        n_wrong += table->counts[bin] != expected[bin];
    return n_wrong;
}

static int fail(const char *call)
{
    fprintf(stderr, "%s: %s\n", call, gravel_last_error());
    return 1;
}

static int run(struct gravel *gravel, cl_kernel kernel, uint64_t table)
{
    const size_t n = N_SAMPLES, group = 256;
    uint32_t node = gravel_node(gravel);
    void *mine;
    if (gravel_map(gravel, table, sizeof(struct table), CL_MAP_WRITE, node, &mine))
        return fail("gravel_map");
    set_begins(mine, node);
    gravel_unmap(gravel, mine);
    gravel_kernel_set_arena(gravel, kernel, 0);
    clSetKernelArg(kernel, 1, sizeof(cl_ulong), &(cl_ulong){table});
    if (gravel_barrier(gravel) || /* every node has its limits */
        gravel_launch(gravel, kernel, 1, &n, &group, 0, NULL, NULL) || gravel_barrier(gravel))
        return fail("sending");
    if (gravel_map(gravel, table, sizeof(struct table), CL_MAP_READ, node, &mine))
        return fail("gravel_map");
    int n_wrong = check(mine, node, gravel_n_nodes(gravel));
    gravel_unmap(gravel, mine);
    printf("node %u (%s): %d of %d bins are wrong\n", node, gravel_step(gravel), n_wrong, N_BINS);
    return n_wrong != 0;
}

int main(void)
{
    const struct gravel_handler handlers[] = {{.name = "sample", .n_args = 2}}; /* no function */
    const struct gravel_bindings bindings = {.handlers = handlers,
                                             .n_handlers = 1,
                                             .device_source = source,
                                             .device_name = "histogram.cl"};
    struct gravel *gravel;
    cl_program program;
    uint64_t table;
    if (gravel_open(&gravel, NULL, &bindings))
        return fail("gravel_open");
    if (gravel_alloc(gravel, sizeof(struct table), &table) ||
        gravel_program_build(gravel, "histogram.cl", source, NULL, &program))
        return fail("preparing");
    cl_kernel kernel = clCreateKernel(program, "send_samples", NULL);
    int is_wrong = run(gravel, kernel, table);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return gravel_close(gravel) ? fail("gravel_close") : is_wrong;
}
