/* SPDX-License-Identifier: MIT */
/*
 * A search that finds no known number of hits, numbers with long Collatz sequences: kernels of all nodes append them to a
 * stream, whose function at node 0 keeps them.
 */
#include <err.h>
#include <gravel/gravel.h>
#include <stdio.h>

enum { N = 1 << 18, GROUP = 256, LONG = 300, MOST_HITS = 1024 };

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "#include \"print.cl.h\"\n"
    "struct hit { uint number, steps; };\n"
    "kernel void search(GRAVEL_ARENA, uint stride, uint last, uint least)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    struct hit hit = {(uint)get_global_id(0) * stride + gravel_node(g) + 1, 0};\n"
    "    for (ulong n = hit.number; n != 1; hit.steps++)\n"
    "        n = n % 2 ? 3 * n + 1 : n / 2;\n"
    "    gravel_append_wg_if(g, hit.number <= last && hit.steps >= least, hits, hit, 0);\n"
    "}\n";

struct hit {
    cl_uint number, steps;
};
struct found {
    cl_uint n;
    struct hit hits[MOST_HITS];
};

/* Takes records of any node, n at once. Another value than 0 is an error there and here. */
static int keep(struct gravel *gravel, void *user, uint32_t node, const void *records, uint32_t n)
{
    struct found *found = user;
    (void)gravel, (void)node;
    for (uint32_t i = 0; i < n && found->n < MOST_HITS; i++)
        found->hits[found->n++] = ((const struct hit *)records)[i];
    return found->n == MOST_HITS;
}

static cl_uint steps_of(cl_ulong n)
{
    cl_uint steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static int is_wrong(const struct found *found)
{
    cl_uint n_expected = 0, n_wrong = 0;
    for (cl_uint number = 1; number <= N; number++)
        n_expected += steps_of(number) >= LONG;
    for (cl_uint i = 0; i < found->n; i++)
        n_wrong += steps_of(found->hits[i].number) != found->hits[i].steps;
    return n_wrong > 0 || found->n != n_expected;
}

int main(void)
{
    static struct found found;
    const struct gravel_stream stream = {"hits", sizeof(struct hit), keep, &found};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.streams = &stream, .n_streams = 1);
    struct gravel *gravel;
    cl_program program;
    cl_uint n_here = 0;
    TRY(gravel_open(&gravel, NULL, &bindings));
    for (cl_uint node = 0; node < gravel_n_nodes(gravel); node++)
        n_here += gravel_is_local(gravel, node); /* 1, or loop-back nodes, whose kernel is one */
    const cl_uint arguments[] = {gravel_n_nodes(gravel) / n_here, N, LONG};
    const size_t n_items = (N / arguments[0] / GROUP + 1) * GROUP, group = GROUP;
    TRY(gravel_program_build(gravel, "search.cl", source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "search", NULL);
    TRY(gravel_kernel_set_arena(gravel, kernel, 0));
    for (cl_uint i = 0; i < 3; i++)
        clSetKernelArg(kernel, 1 + i, sizeof *arguments, &arguments[i]);
    TRY(gravel_launch(gravel, kernel, 1, &n_items, &group, 0, NULL, NULL));
    TRY(gravel_barrier(gravel)); /* the function has taken all hits */
    int wrong = gravel_node(gravel) == 0 && is_wrong(&found);
    printf("records: node %u of %u, %u hits, %s\n", gravel_node(gravel), gravel_n_nodes(gravel),
           found.n, wrong ? "WRONG" : "all right");
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    return wrong;
}
