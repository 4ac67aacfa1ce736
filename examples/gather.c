/* SPDX-License-Identifier: MIT */
/* Index gather by requests: at[i] = table[at[i]], N_HOPS times, of a table that is spread over the nodes. */
#include <gravel/gravel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_ROWS = 65536,
    N_ITEMS = 16384,
    N_HOPS = 3,
    GROUP = 256
}; /* rows of all nodes, items of each */

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) \
    ((call) ? (fprintf(stderr, "%s: %s\n", #call, gravel_last_error()), exit(1)) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "/* Row r lives on node r / block, at index r % block. Each group has a signal of its own. */\n"
    "kernel void gather(GRAVEL_ARENA, ulong table, ulong places, ulong signals, uint block, uint "
    "n_hops)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint i = (uint)get_global_id(0), n_asked = 0;\n"
    "    global const uint *at = gravel_local(g, places);\n"
    "    struct gravel_reply reply = {places, signals + i / get_local_size(0) * sizeof(uint)};\n"
    "    for (uint hop = 0; hop < n_hops; hop++) {\n"
    "        /* For the answers of the hop before; the first hop does not wait. */\n"
    "        gravel_wait_until_uint_wg(g, reply.signal, GRAVEL_CMP_GE, n_asked);\n"
    "        n_asked += gravel_get_uint_wg(g, table, at[i] % block, reply, i, at[i] / block);\n"
    "    }\n"
    "}\n";

int main(void)
{
    static cl_uint rows[2 * N_ROWS], at[N_ITEMS], found[N_ITEMS];
    struct gravel *gravel;
    cl_program program;
    uint64_t table, places, signals;
    TRY(gravel_open(&gravel, NULL, NULL));
    cl_uint me = gravel_node(gravel), n_nodes = gravel_n_nodes(gravel),
            block = (N_ROWS + n_nodes - 1) / n_nodes;
    TRY(gravel_alloc(gravel, block * sizeof(cl_uint), &table));
    TRY(gravel_alloc(gravel, sizeof at, &places));
    TRY(gravel_alloc(gravel, N_ITEMS / GROUP * sizeof(cl_uint), &signals));
    for (cl_uint r = 0; r < 2 * N_ROWS; r++)
        rows[r] = (r * 2654435761u >> 8) % N_ROWS;
    memcpy(at, rows + me, sizeof at);
    TRY(gravel_put(gravel, places, at, sizeof at, me));
    for (cl_uint node = 0; node < n_nodes; node++)
        TRY(gravel_put(gravel, table, rows + node * block, block * sizeof(cl_uint), node));
    TRY(gravel_barrier(gravel));
    TRY(gravel_program_build(gravel, "gather.cl", source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "gather", NULL);
    TRY(gravel_kernel_set_arena(gravel, kernel, 0));
    /* On step drain no kernel waits: one hop a launch, and the next launch finds the answers. */
    cl_uint n_hops = strcmp(gravel_step(gravel), "drain") ? N_HOPS : 1;
    const void *values[] = {&table, &places, &signals, &block, &n_hops};
    for (cl_uint i = 0; i < 5; i++)
        clSetKernelArg(kernel, 1 + i, i < 3 ? sizeof(cl_ulong) : sizeof(cl_uint), values[i]);
    for (cl_uint hop = 0; hop < N_HOPS; hop += n_hops) {
        TRY(gravel_launch(gravel, kernel, 1, &(size_t){N_ITEMS}, &(size_t){GROUP}, 0, NULL, NULL));
        TRY(gravel_quiet(gravel));
    }
    TRY(gravel_get(gravel, places, found, sizeof found, me));
    for (cl_uint i = 0; i < N_ITEMS * N_HOPS; i++) /* in plain C */
        at[i % N_ITEMS] = rows[at[i % N_ITEMS]];
    int is_wrong = memcmp(found, at, sizeof at) != 0;
    printf("gather: node %u of %u, %u rows %u times, %s\n", me, n_nodes, N_ITEMS, N_HOPS,
           is_wrong ? "WRONG" : "all right");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    return is_wrong;
}
