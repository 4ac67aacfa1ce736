/* SPDX-License-Identifier: MIT */
/* Walks of a random graph, counted in rounds: a node reads words of others' vertices in copies, not by a message an edge. */
#include <err.h>
#include <gravel/mirror.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_VERTICES = 4096, DEGREE = 8, N_ROUNDS = 10 };

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "/* Walks that end at a vertex, one step longer: those that end at its neighbours, now. */\n"
    "kernel void walk(GRAVEL_ARENA, ulong walks, ulong copies, uint n, global const uint *slots)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    global uint *own = gravel_local(g, walks);\n"
    "    global const uint *copy = gravel_local(g, copies);\n"
    "    uint i = (uint)get_global_id(0), sum = 0;\n"
    "    for (uint e = 0; i < n && e < DEGREE; e++)\n"
    "        sum += copy[slots[i * DEGREE + e]];\n"
    "    if (i < n)\n"
    "        own[i] = sum;\n"
    "}\n";

static cl_uint neighbours[N_VERTICES][DEGREE], slots[N_VERTICES][DEGREE];
static cl_uint found[N_VERTICES], expected[N_VERTICES];

/* The whole graph on one core; modulo 2^32, as on the device. */
static void compute_expected(void)
{
    static cl_uint next[N_VERTICES];
    for (int v = 0; v < N_VERTICES; v++)
        expected[v] = 1;
    for (int round = 0; round < N_ROUNDS; round++) {
        for (int v = 0; v < N_VERTICES; v++)
            for (int e = next[v] = 0; e < DEGREE; e++)
                next[v] += expected[neighbours[v][e]];
        for (int v = 0; v < N_VERTICES; v++)
            expected[v] = next[v];
    }
}

/* The plan: each vertex that neighbours one of [first, first + n), once. Vertex v is word v % block of node v / block. */
static struct gravel_mirror *make_mirror(struct gravel *gravel, uint64_t walks, cl_uint block,
                                         cl_uint first, cl_uint n)
{
    static cl_uint slot_of[N_VERTICES], indices[N_VERTICES];
    uint64_t *n_words = calloc(gravel_n_nodes(gravel), sizeof *n_words);
    struct gravel_mirror *mirror;
    if (!n_words)
        errx(1, "no memory for a plan");
    for (cl_uint i = 0; i < n * DEGREE; i++)
        slot_of[neighbours[first + i / DEGREE][i % DEGREE]] = 1; /* is wanted */
    for (cl_uint v = 0, next = 0; v < N_VERTICES; v++) {
        if (!slot_of[v])
            continue;
        n_words[v / block]++;
        indices[next] = v % block;
        slot_of[v] = next++;
    }
    for (cl_uint i = 0; i < n * DEGREE; i++)
        slots[i / DEGREE][i % DEGREE] = slot_of[neighbours[first + i / DEGREE][i % DEGREE]];
    const struct gravel_words words = GRAVEL_WORDS(walks, GRAVEL_UINT, n_words, indices);
    TRY(gravel_mirror_create(&mirror, gravel, &words));
    free(n_words);
    return mirror;
}

int main(void)
{
    struct gravel *gravel;
    cl_program program;
    uint64_t walks, n_processes = 1;
    cl_uint x = 1, n_wrong = 0;
    for (int v = 0; v < N_VERTICES; v++)
        for (int e = 0; e < DEGREE; e++)
            neighbours[v][e] = (x = x * 1664525 + 1013904223) >> 20;
    compute_expected();
    TRY(gravel_open(&gravel, NULL, NULL));
    TRY(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_processes, 1));
    cl_uint node = gravel_node(gravel), n_nodes = gravel_n_nodes(gravel);
    if (n_processes != n_nodes)
        errx(77, "sharing needs a process for each node: loop-back nodes launch nothing");
    cl_uint block = (N_VERTICES + n_nodes - 1) / n_nodes, first = node * block;
    cl_uint n = first >= N_VERTICES ? 0 : N_VERTICES - first < block ? N_VERTICES - first : block;
    size_t group = 128, n_items = (block + group - 1) / group * group;
    TRY(gravel_alloc(gravel, block * sizeof(cl_uint), &walks));
    struct gravel_mirror *mirror = make_mirror(gravel, walks, block, first, n);
    TRY(gravel_program_build(gravel, "sharing.cl", source, "-DDEGREE=8", &program));
    cl_kernel walk = clCreateKernel(program, "walk", NULL);
    cl_mem own = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                sizeof slots[0] * (n ? n : 1), slots, NULL);
    TRY(gravel_kernel_set_arena(gravel, walk, 0));
    clSetKernelArg(walk, 1, sizeof walks, &walks);
    clSetKernelArg(walk, 3, sizeof n, &n);
    clSetKernelArg(walk, 4, sizeof own, &own);
    for (cl_uint i = 0; i < n; i++)
        found[i] = 1;
    TRY(gravel_put(gravel, walks, found, n * sizeof *found, node));
    TRY(gravel_quiet(gravel));
    for (int round = 0; round < N_ROUNDS; round++) {
        TRY(gravel_mirror_share(mirror)); /* copies of all that nodes have now: a word each */
        cl_ulong copies = gravel_mirror_offset(mirror);
        clSetKernelArg(walk, 2, sizeof copies, &copies);
        TRY(gravel_launch(gravel, walk, 1, &n_items, &group, 0, NULL, NULL));
    }
    TRY(gravel_quiet(gravel)); /* the last kernel has ended */
    TRY(gravel_get(gravel, walks, found, n * sizeof *found, node));
    for (cl_uint i = 0; i < n; i++)
        n_wrong += found[i] != expected[first + i];
    printf("sharing: node %u of %u, %u vertices, %s\n", node, n_nodes, n,
           n_wrong ? "WRONG" : "all right");
    clReleaseMemObject(own);
    clReleaseKernel(walk);
    clReleaseProgram(program);
    TRY(gravel_mirror_destroy(mirror));
    TRY(gravel_close(gravel));
    return n_wrong != 0;
}
