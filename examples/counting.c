/* SPDX-License-Identifier: MIT */
/* In-edges of every vertex, counted on the node that owns the vertex: the program of which README.md shows parts. */
#include <err.h>
#include <gravel/gravel.h>
#include <stdio.h>
#include <string.h>

enum { N_EDGES = 1 << 20, N_VERTICES = 1000 }; /* 256 edges in turn from each node */

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "/* Vertex v lives on node v / block, at index v % block. */\n"
    "kernel void count_in_edges(GRAVEL_ARENA, ulong counters, global const uint *targets,\n"
    "                           uint block)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint v = targets[get_global_id(0)];\n"
    "    gravel_inc_uint_wg(g, counters, v % block, v / block);\n"
    "}\n";

int main(void)
{
    static cl_uint targets[N_EDGES], expected[N_VERTICES], found[2 * N_VERTICES];
    struct gravel *gravel;
    cl_program program;
    uint64_t counters;
    size_t n_mine = 0, group = 256;
    TRY(gravel_open(&gravel, NULL, NULL));
    cl_uint n_nodes = gravel_n_nodes(gravel), block = (N_VERTICES + n_nodes - 1) / n_nodes;
    for (cl_uint e = 0; e < N_EDGES; e++) {
        cl_uint v = (e * 2654435761u >> 8) % N_VERTICES;
        expected[v]++;
        if (gravel_is_local(gravel, e / 256 % n_nodes)) /* this node, or loop-back ones */
            targets[n_mine++] = v;
    }
    TRY(gravel_alloc(gravel, block * sizeof(cl_uint), &counters));
    TRY(gravel_program_build(gravel, "counting.cl", source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "count_in_edges", NULL);
    cl_mem edges = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_COPY_HOST_PTR,
                                  n_mine * sizeof(cl_uint), targets, NULL);
    TRY(gravel_kernel_set_arena(gravel, kernel, 0));
    clSetKernelArg(kernel, 1, sizeof counters, &counters);
    clSetKernelArg(kernel, 2, sizeof edges, &edges);
    clSetKernelArg(kernel, 3, sizeof block, &block);
    TRY(gravel_launch(gravel, kernel, 1, &n_mine, &group, 0, NULL, NULL));
    TRY(gravel_barrier(gravel)); /* all messages of all nodes are applied */
    for (cl_uint v = 0; v < N_VERTICES; v += block)
        TRY(gravel_get(gravel, counters, found + v, block * sizeof(cl_uint), v / block));
    int is_wrong = memcmp(found, expected, sizeof expected) != 0;
    printf("counting: node %u of %u, %u edges, %s\n", gravel_node(gravel), n_nodes, N_EDGES,
           is_wrong ? "WRONG" : "all right");
    clReleaseMemObject(edges);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    return is_wrong;
}
