/* SPDX-License-Identifier: MIT */
/* PageRank of a random graph: each edge adds its source's share to its target, wherever that lives. */
#include <err.h>
#include <gravel/gravel.h>
#include <math.h>
#include <stdio.h>

enum { N_VERTICES = 4096, DEGREE = 8, N_ROUNDS = 10 };

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "/* Vertex v lives on node v / block, at index v % block; n vertices are this node's. */\n"
    "kernel void push(GRAVEL_ARENA, ulong ranks, ulong sums, uint n, uint block,\n"
    "                 global const uint *targets)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint i = (uint)get_global_id(0), active = i < n;\n"
    "    float share = active ? ((global float *)gravel_local(g, ranks))[i] / DEGREE : 0;\n"
    "    for (uint e = 0; e < DEGREE; e++) {\n"
    "        uint to = active ? targets[i * DEGREE + e] : 0;\n"
    "        gravel_add_float_wg_if(g, active, sums, to % block, share, to / block);\n"
    "    }\n"
    "}\n"
    "kernel void take(GRAVEL_ARENA, ulong ranks, ulong sums, uint n)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    global float *rank = gravel_local(g, ranks), *sum = gravel_local(g, sums);\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    if (i < n) {\n"
    "        rank[i] = 0.15f / N_VERTICES + 0.85f * sum[i];\n"
    "        sum[i] = 0;\n"
    "    }\n"
    "}\n";

static cl_uint targets[N_VERTICES][DEGREE];
static cl_float found[N_VERTICES], expected[N_VERTICES];

/* The whole graph on one core, in double. */
static void compute_expected(void)
{
    static double rank[N_VERTICES], sum[N_VERTICES];
    for (int v = 0; v < N_VERTICES; v++)
        rank[v] = 1.0 / N_VERTICES;
    for (int round = 0; round < N_ROUNDS; round++) {
        for (int v = 0; v < N_VERTICES; v++)
            for (int e = 0; e < DEGREE; e++)
                sum[targets[v][e]] += rank[v] / DEGREE;
        for (int v = 0; v < N_VERTICES; v++) {
            rank[v] = 0.15 / N_VERTICES + 0.85 * sum[v];
            sum[v] = 0;
        }
    }
    for (int v = 0; v < N_VERTICES; v++)
        expected[v] = (cl_float)rank[v];
}

int main(void)
{
    struct gravel *gravel;
    cl_program program;
    uint64_t ranks, sums, n_processes = 1;
    cl_uint x = 1, n_wrong = 0;
    for (int v = 0; v < N_VERTICES; v++)
        for (int e = 0; e < DEGREE; e++)
            targets[v][e] = (x = x * 1664525 + 1013904223) >> 20;
    compute_expected();
    TRY(gravel_open(&gravel, NULL, NULL));
    TRY(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_processes, 1));
    cl_uint node = gravel_node(gravel), n_nodes = gravel_n_nodes(gravel);
    if (n_processes != n_nodes)
        errx(77, "pagerank needs a process for each node: loop-back nodes launch nothing");
    cl_uint block = (N_VERTICES + n_nodes - 1) / n_nodes, first = node * block;
    cl_uint n = first >= N_VERTICES ? 0 : N_VERTICES - first < block ? N_VERTICES - first : block;
    size_t group = 128, n_items = (block + group - 1) / group * group;
    TRY(gravel_alloc(gravel, block * sizeof(cl_float), &ranks));
    TRY(gravel_alloc(gravel, block * sizeof(cl_float), &sums));
    TRY(gravel_program_build(gravel, "pagerank.cl", source, "-DN_VERTICES=4096 -DDEGREE=8",
                             &program));
    cl_kernel push = clCreateKernel(program, "push", NULL),
              take = clCreateKernel(program, "take", NULL);
    cl_mem own = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                sizeof targets[0] * (n ? n : 1), targets[n ? first : 0], NULL);
    TRY(gravel_kernel_set_arena(gravel, push, 0));
    TRY(gravel_kernel_set_arena(gravel, take, 0));
    for (cl_uint k = 0; k < 2; k++) {
        cl_kernel kernel = k ? push : take;
        clSetKernelArg(kernel, 1, sizeof ranks, &ranks);
        clSetKernelArg(kernel, 2, sizeof sums, &sums);
        clSetKernelArg(kernel, 3, sizeof n, &n);
    }
    clSetKernelArg(push, 4, sizeof block, &block);
    clSetKernelArg(push, 5, sizeof own, &own);
    for (cl_uint i = 0; i < n; i++)
        found[i] = 1.0f / N_VERTICES;
    TRY(gravel_put(gravel, ranks, found, n * sizeof *found, node));
    TRY(gravel_barrier(gravel));
    for (int round = 0; round < N_ROUNDS; round++) {
        TRY(gravel_launch(gravel, push, 1, &n_items, &group, 0, NULL, NULL));
        TRY(gravel_barrier(gravel)); /* every share of every node has been added */
        TRY(gravel_launch(gravel, take, 1, &n_items, &group, 0, NULL, NULL));
        TRY(gravel_barrier(gravel)); /* and taken, before the next round's shares come */
    }
    TRY(gravel_get(gravel, ranks, found, n * sizeof *found, node));
    for (cl_uint i = 0; i < n; i++)
        n_wrong += fabsf(found[i] - expected[first + i]) > 1e-4f * expected[first + i];
    printf("pagerank: node %u of %u, %u vertices, %s\n", node, n_nodes, n,
           n_wrong ? "WRONG" : "all right");
    clReleaseMemObject(own);
    clReleaseKernel(push);
    clReleaseKernel(take);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    return n_wrong != 0;
}
