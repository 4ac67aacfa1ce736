/* SPDX-License-Identifier: MIT */
/* Work stealing: the nodes of an uneven tree are counted by work-groups that take tasks from each other. */
#include <err.h>
#include <gravel/steal.h>
#include <stdio.h>

enum { N_ROOTS = 16, MOST_DEPTH = 12 };

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

/* A task is a node of the tree: its depth in the upper half, random bits in the lower one. It has up to 4 children. */
static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "#include \"steal.cl.h\"\n"
    "uint mix(uint x)\n"
    "{\n"
    "    x = (x ^ x >> 16) * 0x7feb352du;\n"
    "    x = (x ^ x >> 15) * 0x846ca68bu;\n"
    "    return x ^ x >> 16;\n"
    "}\n"
    "kernel void count(GRAVEL_STEAL, global volatile uint *n_nodes, uint most_depth)\n"
    "{\n"
    "    GRAVEL_STEAL_OPEN(s);\n"
    "    uint n = 0;\n"
    "    GRAVEL_STEAL_EACH(s, node) { /* every work-item of the group, for each task */\n"
    "        uint lane = (uint)get_local_id(0), depth = (uint)(node >> 32);\n"
    "        uint child = mix((uint)node + lane + 1);\n"
    "        bool has = lane < 4 && depth < most_depth && child % 8 < 5;\n"
    "        gravel_steal_push_wg_if(s, has, (ulong)(depth + 1) << 32 | child);\n"
    "        n += lane == 0;\n"
    "    }\n"
    "    atomic_add(n_nodes, n);\n"
    "}\n";

static cl_uint mix(cl_uint x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static cl_uint count(cl_uint bits, cl_uint depth)
{
    cl_uint n = 1;
    for (cl_uint lane = 0; lane < 4 && depth < MOST_DEPTH; lane++) {
        cl_uint child = mix(bits + lane + 1);
        if (child % 8 < 5)
            n += count(child, depth + 1);
    }
    return n;
}

int main(void)
{
    struct gravel *gravel;
    struct gravel_steal *steal;
    struct gravel_steal_options options = GRAVEL_STEAL_OPTIONS(.capacity = 4096, .group_size = 64);
    struct gravel_steal_stats stats;
    cl_program program;
    cl_ulong roots[N_ROOTS];
    cl_uint found = 0, expected = 0, most_depth = MOST_DEPTH;
    for (cl_uint i = 0; i < N_ROOTS; i++) {
        roots[i] = mix(i);
        expected += count(mix(i), 0);
    }
    TRY(gravel_open(&gravel, NULL, NULL));
    TRY(gravel_program_build(gravel, "stealing.cl", source, NULL, &program));
    TRY(gravel_steal_create(&steal, gravel, &options));
    cl_kernel kernel = clCreateKernel(program, "count", NULL);
    cl_mem n_nodes =
        clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       sizeof found, &found, NULL);
    clSetKernelArg(kernel, 1, sizeof n_nodes,
                   &n_nodes); /* argument 0, the deques, is set by the launch */
    clSetKernelArg(kernel, 2, sizeof most_depth, &most_depth);
    TRY(gravel_steal_fill(steal, roots, N_ROOTS));
    TRY(gravel_steal_launch(steal, kernel, 0, NULL, NULL));
    TRY(gravel_steal_stats_read(steal, &stats, sizeof stats,
                                GRAVEL_ALL_GROUPS)); /* waits for the launch */
    clEnqueueReadBuffer(gravel_cl_queue(gravel), n_nodes, CL_TRUE, 0, sizeof found, &found, 0, NULL,
                        NULL);
    int is_right = found == expected && stats.done == expected;
    printf("stealing: node %u, %u nodes of a tree, %s\n", gravel_node(gravel), found,
           is_right ? "all right" : "WRONG");
    clReleaseMemObject(n_nodes);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_steal_destroy(steal));
    TRY(gravel_close(gravel));
    return !is_right;
}
