/* SPDX-License-Identifier: MIT */
/* Index gather by requests: at[i] = table[at[i]], of a table that is spread over the nodes. */
#include <err.h>
#include <gravel/gravel.h>
#include <stdio.h>

enum { N_ROWS = 65536, N_ITEMS = 16384 }; /* rows of all nodes, items of each */

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "/* Row r lives on node r / block, at index r % block. The answer takes the question's place. "
    "*/\n"
    "kernel void gather(GRAVEL_ARENA, ulong table, ulong places, uint block)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint i = (uint)get_global_id(0), row = ((global uint *)gravel_local(g, places))[i];\n"
    "    struct gravel_reply reply = {places, GRAVEL_NO_SIGNAL};\n"
    "    gravel_get_uint_wg(g, table, row % block, reply, i, row / block);\n"
    "}\n";

int main(void)
{
    static cl_uint rows[2 * N_ROWS], at[N_ITEMS], found[N_ITEMS];
    struct gravel *gravel;
    cl_program program;
    uint64_t table, places, n_wrong = 0;
    TRY(gravel_open(&gravel, NULL, NULL));
    cl_uint me = gravel_node(gravel), n = gravel_n_nodes(gravel), block = (N_ROWS + n - 1) / n;
    TRY(gravel_alloc(gravel, block * sizeof(cl_uint), &table));
    TRY(gravel_alloc(gravel, sizeof at, &places));
    for (cl_uint r = 0; r < N_ROWS; r++)
        rows[r] = r * 2654435761u;
    for (cl_uint i = 0; i < N_ITEMS; i++)
        at[i] = (i * 40503u + me) % N_ROWS;
    for (cl_uint node = 0; node < n; node++)
        TRY(gravel_put(gravel, table, rows + node * block, block * sizeof(cl_uint), node));
    TRY(gravel_put(gravel, places, at, sizeof at, me));
    TRY(gravel_barrier(gravel)); /* each node has put the rows of all; none is put from here on */
    TRY(gravel_program_build(gravel, "gather.cl", source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "gather", NULL);
    TRY(gravel_kernel_set_arena(gravel, kernel, 0));
    clSetKernelArg(kernel, 1, sizeof table, &table);
    clSetKernelArg(kernel, 2, sizeof places, &places);
    clSetKernelArg(kernel, 3, sizeof block, &block);
    TRY(gravel_launch(gravel, kernel, 1, &(size_t){N_ITEMS}, NULL, 0, NULL, NULL));
    TRY(gravel_quiet(gravel)); /* all answers are there */
    TRY(gravel_get(gravel, places, found, sizeof found, me));
    for (cl_uint i = 0; i < N_ITEMS; i++)
        n_wrong += found[i] != rows[at[i]];
    printf("gather: node %u of %u, %s\n", me, n, n_wrong ? "WRONG" : "all right");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    return n_wrong != 0;
}
