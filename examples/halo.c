/* SPDX-License-Identifier: MIT */
/* Heat along a ring of nodes: a kernel puts its outermost cells beside the neighbours', and waits for theirs by signals. */
#include <err.h>
#include <gravel/gravel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_CELLS = 1 << 16, N_STEPS = 100 }; /* cells of a node */

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "/* Cells are 1 to n; 0 and n + 1 are the neighbours'. Signal 0 counts those that came from\n"
    " * the left, 1 from the right. A neighbour that is a step ahead writes to the other array;\n"
    " * none is two ahead, for it waits for this node's cells. */\n"
    "kernel void advance(GRAVEL_ARENA, ulong old, ulong new, ulong signals, uint n, uint step)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    global const float *from = gravel_local(g, old);\n"
    "    global float *to = gravel_local(g, new);\n"
    "    uint node = gravel_node(g), n_nodes = gravel_n_nodes(g), i = (uint)get_global_id(0) + 1;\n"
    "    for (uint side = 0; side < 2; side++)\n"
    "        if (!gravel_wait_until_uint_wg(g, signals + side * sizeof(uint), GRAVEL_CMP_GE, "
    "step))\n"
    "            return; /* the node has failed: the host's next call says why */\n"
    "    float value = 0;\n"
    "    if (i <= n)\n"
    "        to[i] = value = 0.25f * (from[i - 1] + 2 * from[i] + from[i + 1]);\n"
    "    gravel_barrier_wg(g);\n"
    "    gravel_put_signal_float_wg_if(g, i == 1, new, n + 1, value, signals + sizeof(uint),\n"
    "                                  (node + n_nodes - 1) % n_nodes);\n"
    "    gravel_put_signal_float_wg_if(g, i == n, new, 0, value, signals, (node + 1) % n_nodes);\n"
    "}\n";

/* Cell i of the ring at the beginning. */
static float first_heat(size_t i)
{
    return (float)(i * 2654435761u >> 20 & 1023);
}

/* The whole ring on one core: the same operations, and so the same numbers. */
static void step_serially(float *cells, float *next, size_t n)
{
    for (int step = 0; step < N_STEPS; step++) {
        for (size_t i = 0; i < n; i++)
            next[i] = 0.25f * (cells[(i + n - 1) % n] + 2 * cells[i] + cells[(i + 1) % n]);
        memcpy(cells, next, n * sizeof *cells);
    }
}

int main(void)
{
    static float cells[N_CELLS + 2];
    struct gravel *gravel;
    cl_program program;
    uint64_t grids[2], signals, n_processes = 1;
    const cl_uint n = N_CELLS;
    size_t n_items = N_CELLS, group = 256, n_wrong = 0;
    TRY(gravel_open(&gravel, NULL, NULL));
    TRY(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_processes, 1));
    const cl_uint node = gravel_node(gravel), n_nodes = gravel_n_nodes(gravel);
    if (n_processes != n_nodes)
        errx(77, "halo needs a process for each node: loop-back nodes launch nothing");
    const size_t n_all = (size_t)n_nodes * N_CELLS, first = (size_t)node * N_CELLS;
    for (size_t i = 0; i < N_CELLS + 2; i++)
        cells[i] = first_heat((first + n_all - 1 + i) % n_all);
    for (int i = 0; i < 2; i++)
        TRY(gravel_alloc(gravel, sizeof cells, &grids[i]));
    TRY(gravel_alloc(gravel, 2 * sizeof(cl_uint), &signals)); /* zero-filled */
    TRY(gravel_put(gravel, grids[0], cells, sizeof cells, node));
    TRY(gravel_program_build(gravel, "halo.cl", source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "advance", NULL);
    TRY(gravel_kernel_set_arena(gravel, kernel, 0));
    clSetKernelArg(kernel, 3, sizeof signals, &signals);
    clSetKernelArg(kernel, 4, sizeof n, &n);
    TRY(gravel_barrier(gravel)); /* all nodes have their cells, before a neighbour's come */
    for (cl_uint step = 0; step < N_STEPS; step++) {
        clSetKernelArg(kernel, 1, sizeof grids[0], &grids[step % 2]);
        clSetKernelArg(kernel, 2, sizeof grids[0], &grids[(step + 1) % 2]);
        clSetKernelArg(kernel, 5, sizeof step, &step);
        TRY(gravel_launch(gravel, kernel, 1, &n_items, &group, 0, NULL, NULL));
        if (!strcmp(gravel_step(gravel), "drain")) /* where a running kernel sees no message */
            TRY(gravel_barrier(gravel));
    }
    TRY(gravel_barrier(gravel));
    TRY(gravel_get(gravel, grids[N_STEPS % 2], cells, sizeof cells, node));
    float *expected = malloc(2 * n_all * sizeof *expected);
    if (!expected)
        errx(1, "no memory for the ring");
    for (size_t i = 0; i < n_all; i++)
        expected[i] = first_heat(i);
    step_serially(expected, expected + n_all, n_all);
    for (size_t i = 0; i < N_CELLS; i++)
        n_wrong += cells[i + 1] != expected[first + i];
    printf("halo: node %u of %u, %u cells, %s\n", node, n_nodes, n,
           n_wrong ? "WRONG" : "all right");
    free(expected);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    return n_wrong != 0;
}
