/* SPDX-License-Identifier: MIT */
/* Connected components: each vertex takes the smallest number that reaches it, in rounds that stay on the device. */
#include <err.h>
#include <gravel/rounds.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, N_COMPONENTS = 12 }; /* vertices of each node; of the graph */

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

/* Vertex v is word v / n_nodes of node v % n_nodes. Neighbours of own vertex i are to[first[i]] to to[first[i + 1] - 1]. */
static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "kernel void components(GRAVEL_ARENA, GRAVEL_ROUND, ulong labels, global uint *told,\n"
    "                       global const uint *first, global const uint *to)\n"
    "{\n"
    "    GRAVEL_ROUND_OPEN(r);\n"
    "    GRAVEL_EACH_ROUND(r) {\n"
    "        GRAVEL_PHASE(r, tell) {\n"
    "            global const uint *label = gravel_local(r.group, labels);\n"
    "            uint n_told = 0, n_nodes = gravel_n_nodes(r.group);\n"
    "            for (uint v = gravel_round_item(r); v < N; v += gravel_round_items(r)) {\n"
    "                uint own = label[v];\n"
    "                if (own == told[v])\n"
    "                    continue; /* the neighbours know it */\n"
    "                told[v] = own;\n"
    "                for (uint i = first[v]; i < first[v + 1]; i++)\n"
    "                    gravel_min_uint_wi(r.group, labels, to[i] / n_nodes, own, to[i] % "
    "n_nodes);\n"
    "                n_told++;\n"
    "            }\n"
    "            gravel_round_count_wg(r, n_told);\n"
    "        }\n"
    "    }\n"
    "}\n";

static cl_uint label[N], told[N], first[N + 1], to[2 * N];

/* A path for each component: from a vertex to those N_COMPONENTS before and behind it. */
static void make_graph(cl_uint node, cl_uint n_nodes)
{
    for (cl_uint i = 0; i < N; i++) {
        cl_uint v = label[i] = i * n_nodes + node, n = first[i];
        told[i] = ~0u;
        if (v >= N_COMPONENTS)
            to[n++] = v - N_COMPONENTS;
        if (v + N_COMPONENTS < N * n_nodes)
            to[n++] = v + N_COMPONENTS;
        first[i + 1] = n;
    }
}

static cl_mem set_buffer(struct gravel *gravel, cl_kernel kernel, cl_uint index, void *data,
                         size_t bytes)
{
    cl_mem buffer = clCreateBuffer(gravel_cl_context(gravel),
                                   CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, NULL);
    clSetKernelArg(kernel, index, sizeof buffer, &buffer);
    return buffer;
}

int main(void)
{
    struct gravel *gravel;
    struct gravel_rounds *rounds;
    struct gravel_rounds_ended ended;
    cl_kernel kernel;
    uint64_t labels, n_processes = 1;
    cl_uint n_wrong = 0;
    TRY(gravel_open(&gravel, NULL, NULL));
    TRY(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_processes, 1));
    cl_uint node = gravel_node(gravel), n_nodes = gravel_n_nodes(gravel);
    if (n_processes != n_nodes)
        errx(77, "components needs a process for each node: loop-back nodes launch nothing");
    make_graph(node, n_nodes);
    TRY(gravel_alloc(gravel, sizeof label, &labels));
    TRY(gravel_put(gravel, labels, label, sizeof label, node));
    TRY(gravel_barrier(gravel));
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "components.cl", .source = source, .options = "-DN=1000",
                              .function = "components");
    TRY(gravel_rounds_create(&rounds, gravel, &program));
    TRY(gravel_rounds_kernel(rounds, &kernel));
    clSetKernelArg(kernel, 2, sizeof labels, &labels);
    cl_mem buffers[] = {set_buffer(gravel, kernel, 3, told, sizeof told),
                        set_buffer(gravel, kernel, 4, first, sizeof first),
                        set_buffer(gravel, kernel, 5, to, sizeof to)};
    TRY(gravel_rounds_run(rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, &ended, sizeof ended));
    TRY(gravel_get(gravel, labels, label, sizeof label, node));
    for (cl_uint i = 0; i < N; i++)
        n_wrong += label[i] != (i * n_nodes + node) % N_COMPONENTS;
    printf("components: node %u of %u, %llu rounds, %s\n", node, n_nodes,
           (unsigned long long)ended.n_rounds, n_wrong ? "WRONG" : "all right");
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernel);
    TRY(gravel_rounds_destroy(rounds));
    TRY(gravel_close(gravel));
    return n_wrong != 0;
}
