/* SPDX-License-Identifier: MIT */
/*
 * Iterations of PageRank by pulling.
 *
 * What a vertex gives each target, its rank over its weight out, is a word of its slot; every node has the words of all
 * slots that its edges come from. An iteration is four kernels. A node that is alone enqueues the next one before it reads
 * what this one has changed, so that the device does not wait for the host: ranks are there twice. Several nodes add up
 * what they have changed, and send the words by a mirror; meanwhile each pulls from its own vertices.
 *
 * Path:    pagerank.c -> this -> strips.c, pagerank.cl, gravel/mirror.h.
 * Owner:   graph->pagerank.
 * Threads: one at a time.
 * Source:  see pagerank.cl.
 */
#include "pagerank.h"

#include <gravel/mirror.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GROUP_ITEMS 256u
#define WARP 32u   /* lanes of a team on a GPU */
#define N_PARTS 3u /* of a row, of several nodes: sources here, and at lower and higher nodes */
#define N_KNOWN 4u /* iterations whose changes the device keeps; two are under way */

/* Kernels of pagerank.cl; a node that is alone has no TAKE. */
enum { INTERLEAVE, PULL, JOIN, APPLY, TOTAL, TAKE, N_KERNELS };
#define APPLY_ARENA 20u /* its argument, the last one */

extern const char graph_pagerank_cl[];

static const char call[] = "gravel_graph_pagerank";

struct graph_pagerank {
    bool is_double;
    size_t bytes;     /* of a rank */
    uint32_t n_parts; /* of rows: 1 or N_PARTS */
    struct graph_strips strips[N_PARTS];
    uint32_t group_items;
    cl_program program;
    cl_kernel kernels[N_KERNELS];
    cl_command_queue reader;   /* reads while the next iteration runs */
    cl_mem given[2], ranks[2]; /* of even and odd iterations */
    cl_mem sums[N_PARTS];
    cl_mem shares, partial, known; /* see pagerank.cl */
    /* Of several nodes. */
    struct gravel_mirror *mirror;
    uint64_t words; /* heap offset of what own vertices give */
    cl_mem copied;  /* [n_copied] slots of the mirror's copies */
    uint32_t n_copied;
    /* Of a call. */
    cl_mem wishes; /* NULL: all alike */
    double damping, change, idle;
    cl_event done[N_KNOWN];
};

/* ---- kernels --------------------------------------------------------------------------------- */

/* Enqueues a kernel of `n_items` work-items, rounded up to groups; 0 are nothing. */
static int run(const struct gravel_graph *graph, uint32_t kernel, uint64_t n_items, cl_event *done)
{
    const size_t local = graph->pagerank->group_items,
                 global = (n_items + local - 1) / local * local;
    if (!global)
        return 0;
    return graph_check_cl("clEnqueueNDRangeKernel",
                          clEnqueueNDRangeKernel(graph->queue, graph->pagerank->kernels[kernel], 1,
                                                 NULL, &global, &local, 0, NULL, done),
                          0);
}

static int build(struct gravel_graph *graph)
{
    static const char *const names[] = {"interleave", "pull", "join", "apply", "total", "take"};
    static const char *const weights[] = {[GRAVEL_UINT] = "-DWEIGHTS=uint",
                                          [GRAVEL_FLOAT] = "-DWEIGHTS=float",
                                          [GRAVEL_DOUBLE] = "-DWEIGHTS=double"};
    struct graph_pagerank *own = graph->pagerank;
    const char *type = own->is_double ? "double" : "float";
    char options[256];
    snprintf(options, sizeof options, "-DT=%s -DT2=%s2 -DT4=%s4 -DGROUP=%u -DLANES=%u %s %s", type,
             type, type, own->group_items, own->strips[0].lanes,
             graph->weight_type ? weights[graph->weight_type] : "",
             graph->n_nodes > 1 ? "-DSEVERAL_NODES" : "");
    GRAPH_TRY(gravel_program_build(graph->gravel, "pagerank.cl", graph_pagerank_cl, options,
                                   &own->program));
    for (int i = 0; i < (graph->n_nodes > 1 ? N_KERNELS : TAKE); i++) {
        cl_int error;
        own->kernels[i] = clCreateKernel(own->program, names[i], &error);
        GRAPH_TRY(graph_check_cl("clCreateKernel", error, 0));
    }
    if (graph->n_nodes == 1)
        return 0;
    GRAPH_TRY(gravel_kernel_set_arena(graph->gravel, own->kernels[APPLY], APPLY_ARENA));
    return gravel_kernel_set_arena(graph->gravel, own->kernels[TAKE], 0);
}

/* Interleaves the columns of a part's slices. */
static int interleave(struct gravel_graph *graph, struct graph_strips *strips)
{
    GRAPH_TRY(GRAPH_SET(graph->pagerank->kernels[INTERLEAVE], 0, GRAPH_UINT(strips->n_slices),
                        GRAPH_UINT(strips->n_short), GRAPH_UINT(graph->n_slots),
                        GRAPH_MEM(strips->rows), GRAPH_MEM(graph->pull.ends),
                        GRAPH_MEM(graph->pull.weights), GRAPH_MEM(strips->slices),
                        GRAPH_MEM(strips->columns), GRAPH_MEM(strips->column_weights)));
    GRAPH_TRY(run(graph, INTERLEAVE, (uint64_t)strips->n_slices * strips->lanes, NULL));
    GRAPH_TRY(graph_check_cl("clFinish", clFinish(graph->queue), 0));
    graph_release(graph, &strips->rows); /* not needed any more */
    return 0;
}

/* ---- make and free --------------------------------------------------------------------------- */

static int make_zeros(struct gravel_graph *graph, cl_mem *out, uint64_t bytes)
{
    GRAPH_TRY(graph_buffer(graph, out, NULL, bytes));
    return graph_fill(graph, *out, 0, bytes);
}

/* Makes a buffer of ranks' type. @param values  [n_own] */
static int make_reals(struct gravel_graph *graph, cl_mem *out, const double *values)
{
    const uint32_t n = graph->n_own;
    if (graph->pagerank->is_double)
        return graph_buffer(graph, out, values, n * sizeof *values);
    float *floats = malloc((n + UINT64_C(1)) * sizeof *floats);
    if (!floats)
        return graph_fail_memory(call, n * sizeof *floats);
    for (uint32_t i = 0; i < n; i++)
        floats[i] = (float)values[i];
    const int code = graph_buffer(graph, out, floats, n * sizeof *floats);
    free(floats);
    return code;
}

/* Divides each row by the nodes of its sources, which ascend. @param rows  [out] [N_PARTS][n_own] */
static void divide(const struct gravel_graph *graph, const uint32_t *offsets, cl_uint2 *rows)
{
    const uint32_t n = graph->n_own, first = graph_first_slot(graph);
    cl_uint2 *here = rows, *lower = rows + n, *higher = rows + 2 * (uint64_t)n;
    for (uint64_t edge = 0; edge < graph->n_edges; edge++) {
        lower[graph->to[edge]].s[1] += graph->from[edge] < first;
        here[graph->to[edge]].s[1] += graph->from[edge] / graph->block == graph->node;
    }
    for (uint32_t v = 0; v < n; v++) {
        lower[v].s[0] = offsets[v];
        here[v].s[0] = lower[v].s[1] += offsets[v];
        higher[v].s[0] = here[v].s[1] += here[v].s[0];
        higher[v].s[1] = offsets[v + 1];
    }
}

/* Makes strips of all parts. */
static int make_strips(struct gravel_graph *graph, uint32_t lanes)
{
    struct graph_pagerank *own = graph->pagerank;
    const uint64_t n = graph->n_own;
    uint32_t *offsets = calloc(n + 1, sizeof *offsets);
    cl_uint2 *rows = calloc(own->n_parts * n + 1, sizeof *rows);
    int code = offsets && rows ? graph_need_pull(graph) : graph_fail_memory(call, 32 * n);
    if (!code)
        code = graph_read(graph, graph->pull.offsets, 0, offsets, (n + 1) * sizeof *offsets);
    for (uint64_t v = 0; v < n && !code && own->n_parts == 1; v++)
        rows[v] = (cl_uint2){{offsets[v], offsets[v + 1]}};
    if (!code && own->n_parts > 1)
        divide(graph, offsets, rows);
    for (uint32_t part = 0; part < own->n_parts && !code; part++)
        code = graph_strips_make(&own->strips[part], graph, lanes, rows + part * n);
    free(offsets);
    free(rows);
    return code;
}

/* Makes what this node needs for itself. */
static int make_own(struct gravel_graph *graph, bool is_double, const double *shares)
{
    struct graph_pagerank *own = graph->pagerank = calloc(1, sizeof *own);
    const uint64_t bytes = is_double ? sizeof(double) : sizeof(float), n = graph->n_own;
    cl_device_type type = 0;
    size_t most_items = 0;
    cl_int error;
    if (!own)
        return graph_fail_memory(call, sizeof *own);
    *own = (struct graph_pagerank){.is_double = is_double,
                                   .bytes = bytes,
                                   .n_parts = graph->n_nodes > 1 ? N_PARTS : 1,
                                   .group_items = MOST_GROUP_ITEMS};
    clGetDeviceInfo(graph->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(graph->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most_items, &most_items,
                    NULL);
    while (own->group_items > most_items && own->group_items > WARP)
        own->group_items /= 2;
    own->reader = clCreateCommandQueueWithProperties(graph->context, graph->device, NULL, &error);
    GRAPH_TRY(graph_check_cl("clCreateCommandQueueWithProperties", error, 0));
    GRAPH_TRY(make_strips(graph, type & CL_DEVICE_TYPE_CPU ? 1 : WARP));
    for (int i = 0; i < 2; i++) {
        GRAPH_TRY(make_zeros(graph, &own->given[i], (graph->n_slots + UINT64_C(1)) * bytes));
        GRAPH_TRY(make_zeros(graph, &own->ranks[i], n * bytes));
    }
    GRAPH_TRY(make_zeros(graph, &own->partial, (n / own->group_items + 1) * 2 * bytes));
    GRAPH_TRY(make_zeros(graph, &own->known, N_KNOWN * 2 * bytes));
    GRAPH_TRY(make_reals(graph, &own->shares, shares));
    GRAPH_TRY(build(graph));
    for (uint32_t part = 0; part < own->n_parts; part++) {
        struct graph_strips *strips = &own->strips[part];
        GRAPH_TRY(make_zeros(graph, &own->sums[part], (strips->n_cut + n + WARP) * bytes));
        GRAPH_TRY(interleave(graph, strips));
    }
    return 0;
}

/* Lists words of other nodes: of each the first ones, to the last that an own edge comes from. */
static uint32_t list_words(const struct gravel_graph *graph, uint64_t *n_words, uint32_t *indices,
                           uint32_t *slots)
{
    uint32_t n = 0;
    for (uint64_t edge = 0; edge < graph->n_edges; edge++) {
        const uint32_t node = graph->from[edge] / graph->block,
                       index = graph->from[edge] - node * graph->block;
        if (node != graph->node && index >= n_words[node])
            n_words[node] = index + UINT64_C(1);
    }
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        for (uint32_t i = 0; i < n_words[node]; i++, n++) {
            indices[n] = i;
            slots[n] = node * graph->block + i;
        }
    return n;
}

/* Collective. */
static int make_mirror(struct gravel_graph *graph)
{
    struct graph_pagerank *own = graph->pagerank;
    const uint64_t n_slots = graph->n_slots;
    uint64_t *n_words = calloc(graph->n_nodes, sizeof *n_words);
    uint32_t *indices = malloc(2 * n_slots * sizeof *indices), *slots = indices + n_slots;
    int code = n_words && indices ? 0 : graph_fail_memory(call, 8 * n_slots);
    if (!code) {
        own->n_copied = list_words(graph, n_words, indices, slots);
        code = graph_buffer(graph, &own->copied, slots, own->n_copied * sizeof *slots);
    }
    code = graph_agree(graph, call, code);
    if (!code)
        code = gravel_alloc(graph->gravel, graph->block * own->bytes, &own->words);
    if (!code) {
        const struct gravel_words words =
            GRAVEL_WORDS(.offset = own->words,
                         .type = own->is_double ? GRAVEL_DOUBLE : GRAVEL_FLOAT, .n_words = n_words,
                         .indices = indices);
        code = gravel_mirror_create(&own->mirror, graph->gravel, &words);
    }
    free(n_words);
    free(indices);
    return code;
}

static void let_go(cl_event *event)
{
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

int graph_pull_make(struct gravel_graph *graph, bool is_double, const double *shares)
{
    GRAPH_TRY(graph_agree(graph, call, make_own(graph, is_double, shares)));
    return graph->n_nodes > 1 ? make_mirror(graph) : 0;
}

bool graph_pull_is_double(const struct gravel_graph *graph)
{
    return graph->pagerank->is_double;
}

void graph_pagerank_free(struct gravel_graph *graph)
{
    struct graph_pagerank *own = graph->pagerank;
    if (!own)
        return;
    cl_mem *buffers[] = {&own->given[0], &own->given[1], &own->ranks[0], &own->ranks[1],
                         &own->sums[0],  &own->sums[1],  &own->sums[2],  &own->shares,
                         &own->partial,  &own->known,    &own->copied,   &own->wishes};
    clFinish(graph->queue);
    gravel_mirror_destroy(own->mirror);
    if (own->words)
        gravel_free(graph->gravel, own->words);
    for (int i = 0; i < N_KERNELS; i++)
        if (own->kernels[i])
            clReleaseKernel(own->kernels[i]);
    if (own->program)
        clReleaseProgram(own->program);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        graph_release(graph, buffers[i]);
    for (uint32_t part = 0; part < N_PARTS; part++)
        graph_strips_free(&own->strips[part], graph);
    for (uint32_t i = 0; i < N_KNOWN; i++)
        let_go(&own->done[i]);
    if (own->reader)
        clReleaseCommandQueue(own->reader);
    free(own);
    graph->pagerank = NULL;
}

/* ---- an iteration ---------------------------------------------------------------------------- */

/* Adds up a part of the rows behind iteration i. */
static int pull(const struct gravel_graph *graph, uint32_t part, uint32_t i)
{
    const struct graph_pagerank *own = graph->pagerank;
    const struct graph_strips *strips = &own->strips[part];
    const uint64_t per_group = own->group_items / strips->lanes,
                   n_teams = (strips->n_strips + per_group - 1) / per_group * per_group +
                             strips->n_slices;
    GRAPH_TRY(GRAPH_SET(
        own->kernels[PULL], 0, GRAPH_UINT(strips->n_strips), GRAPH_UINT(strips->n_cut),
        GRAPH_UINT(strips->n_wide), GRAPH_UINT(strips->n_slices), GRAPH_MEM(strips->strips),
        GRAPH_MEM(strips->slices), GRAPH_MEM(graph->pull.ends), GRAPH_MEM(graph->pull.weights),
        GRAPH_MEM(strips->columns), GRAPH_MEM(strips->column_weights), GRAPH_MEM(own->given[i % 2]),
        GRAPH_MEM(own->sums[part])));
    GRAPH_TRY(run(graph, PULL, n_teams * strips->lanes, NULL));
    GRAPH_TRY(GRAPH_SET(own->kernels[JOIN], 0, GRAPH_UINT(strips->n_wide),
                        GRAPH_UINT(strips->n_cut), GRAPH_MEM(strips->firsts),
                        GRAPH_MEM(own->sums[part])));
    GRAPH_TRY(run(graph, JOIN, (uint64_t)strips->n_wide * strips->lanes, NULL));
    return graph_check_cl("clFlush", clFlush(graph->queue), 0);
}

/* Enqueues iteration i, of several nodes without their own part of the rows; number 0 makes ranks alike. */
static int enqueue(struct gravel_graph *graph, uint32_t i)
{
    struct graph_pagerank *own = graph->pagerank;
    const double damping = i ? own->damping : 0, even = 1 / (double)graph->n_vertices;
    const float dampings = (float)damping, evens = (float)even, idles = (float)own->idle;
    const cl_mem wishes = i ? own->wishes : NULL;
    const cl_uint last = (i + N_KNOWN - 1) % N_KNOWN, at = i % N_KNOWN, n = graph->n_own,
                  first_slot = graph_first_slot(graph),
                  n_groups = (n + own->group_items - 1) / own->group_items;
    for (uint32_t part = own->n_parts > 1; i && part < own->n_parts; part++)
        GRAPH_TRY(pull(graph, part, i - 1));
    GRAPH_TRY(GRAPH_SET(own->kernels[APPLY], 0, GRAPH_UINT(n),
                        {own->bytes, own->is_double ? (const void *)&damping : &dampings, NULL},
                        {own->bytes, own->is_double ? (const void *)&even : &evens, NULL},
                        GRAPH_MEM(own->strips[0].places), GRAPH_MEM(own->sums[0]),
                        GRAPH_MEM(own->shares), GRAPH_MEM(wishes),
                        GRAPH_MEM(own->ranks[(i + 1) % 2]), GRAPH_MEM(own->ranks[i % 2]),
                        GRAPH_UINT(first_slot), GRAPH_MEM(own->given[i % 2]), GRAPH_MEM(own->known),
                        GRAPH_UINT(last), GRAPH_MEM(own->partial)));
    if (own->n_parts > 1)
        GRAPH_TRY(GRAPH_SET(own->kernels[APPLY], 14, GRAPH_MEM(own->strips[1].places),
                            GRAPH_MEM(own->sums[1]), GRAPH_MEM(own->strips[2].places),
                            GRAPH_MEM(own->sums[2]),
                            {own->bytes, own->is_double ? (const void *)&own->idle : &idles, NULL},
                            GRAPH_ULONG(own->words)));
    GRAPH_TRY(run(graph, APPLY, n, NULL));
    GRAPH_TRY(GRAPH_SET(own->kernels[TOTAL], 0, GRAPH_UINT(n_groups), GRAPH_MEM(own->partial),
                        GRAPH_MEM(own->known), GRAPH_UINT(at)));
    let_go(&own->done[at]);
    GRAPH_TRY(run(graph, TOTAL, 1, &own->done[at]));
    return graph_check_cl("clFlush", clFlush(graph->queue), 0);
}

/* Waits for iteration i, and reads its change and idle rank: of this node. */
static int read_known(struct graph_pagerank *own, uint32_t i, double known[2])
{
    float floats[2] = {0};
    const cl_int error = clEnqueueReadBuffer(
        own->reader, own->known, CL_TRUE, i % N_KNOWN * 2 * own->bytes, 2 * own->bytes,
        own->is_double ? (void *)known : floats, 1, &own->done[i % N_KNOWN], NULL);
    for (int k = 0; k < 2 && !own->is_double; k++)
        known[k] = (double)floats[k];
    return graph_check_cl("clEnqueueReadBuffer", error, 0);
}

/* Waits for iteration i, and adds up over all nodes what is known of it. Collective: if one node has failed, all end. */
static int finish(struct gravel_graph *graph, uint32_t i, int code)
{
    struct graph_pagerank *own = graph->pagerank;
    double known[3] = {0}; /* change, idle rank, nodes that have failed */
    if (!code)
        code = read_known(own, i, known);
    known[2] = code != 0;
    if (graph->n_nodes > 1)
        GRAPH_KEEP(code, gravel_reduce(graph->gravel, GRAVEL_ADD, GRAVEL_DOUBLE, known, 3));
    own->change = known[0];
    own->idle = known[1];
    if (!code && known[2] > 0)
        code = graph_fail(GRAVEL_EMISMATCH, "%s: failed at %.0f other nodes, which say why", call,
                          known[2]);
    return code;
}

/* Sends what own vertices give, and takes that of others. Collective: what fails at one node is returned there, and ends
 * no other node's. */
static int exchange(struct gravel_graph *graph, uint32_t i)
{
    struct graph_pagerank *own = graph->pagerank;
    int code = gravel_mirror_begin(own->mirror);
    GRAPH_KEEP(code, gravel_mirror_end(own->mirror));
    if (code)
        return code;
    const cl_ulong copies = gravel_mirror_offset(own->mirror);
    GRAPH_TRY(GRAPH_SET(own->kernels[TAKE], 1, GRAPH_ULONG(copies), GRAPH_UINT(own->n_copied),
                        GRAPH_MEM(own->copied), GRAPH_MEM(own->given[i % 2])));
    return run(graph, TAKE, own->n_copied, NULL);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* @param i  [out] the iteration that ended it. Collective. */
static int iterate(struct gravel_graph *graph, const struct gravel_graph_pagerank_options *options,
                   uint32_t *i)
{
    struct graph_pagerank *own = graph->pagerank;
    const double enough = options->tolerance * (double)graph->n_vertices;
    const bool is_alone = graph->n_nodes == 1;
    const uint32_t most = options->most_iterations;
    uint32_t n_enqueued = 0;
    int code = enqueue(graph, 0);
    for (*i = 0;; ++*i) {
        while (!code && n_enqueued < most && n_enqueued < *i + is_alone)
            code = enqueue(graph, ++n_enqueued);
        if (!code && !is_alone && *i < most)
            code = pull(graph, 0, *i); /* while words travel */
        code = finish(graph, *i, code);
        if (code || *i == most || (*i > 0 && own->change < enough))
            return code;
        if (!is_alone)
            code = exchange(graph, *i);
    }
}

int graph_pull_iterate(struct gravel_graph *graph, struct gravel_graph_pagerank_options *options,
                       const double *wishes, cl_mem *ranks)
{
    struct graph_pagerank *own = graph->pagerank;
    own->damping = options->damping;
    own->idle = 0;
    int code = wishes ? make_reals(graph, &own->wishes, wishes) : 0;
    code = graph_agree(graph, call, code);
    if (!code)
        code = iterate(graph, options, &options->n_iterations);
    options->change = own->change;
    *ranks = own->ranks[options->n_iterations % 2];
    clFinish(graph->queue);
    graph_release(graph, &own->wishes);
    return graph_agree(graph, call, code);
}
