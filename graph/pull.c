/* SPDX-License-Identifier: MIT */
/*
 * Iterations of PageRank by pulling.
 *
 * What a vertex gives each target, its rank over its weight out, is a word of its slot; every node has the words of all
 * slots that its edges come from. An iteration is four kernels. A node that is alone enqueues the next one before it reads
 * what this one has changed, so that the device does not wait for the host: ranks are there twice. Several nodes add up
 * what they have changed, and send the words by a mirror; meanwhile each pulls from its own vertices.
 *
 * Path:    pagerank.c -> this -> pagerank.cl, gravel/mirror.h.
 * Owner:   graph->pagerank, see ranks.c.
 * Threads: one at a time.
 * Source:  see pagerank.cl.
 */
#include "pagerank.h"

static const char call[] = "gravel_graph_pagerank";

int graph_pull_run(const struct gravel_graph *graph, uint32_t kernel, uint64_t n_items,
                   cl_event *done)
{
    const struct graph_pagerank *own = graph->pagerank;
    return graph_launch(graph, own->kept.kernels[kernel], n_items, own->group_items, done);
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
        own->kept.kernels[PULL], 0, GRAPH_UINT(strips->n_strips), GRAPH_UINT(strips->n_cut),
        GRAPH_UINT(strips->n_wide), GRAPH_UINT(strips->n_slices), GRAPH_MEM(strips->strips),
        GRAPH_MEM(strips->slices), GRAPH_MEM(graph->pull.ends), GRAPH_MEM(graph->pull.weights),
        GRAPH_MEM(strips->columns), GRAPH_MEM(strips->column_weights), GRAPH_MEM(own->given[i % 2]),
        GRAPH_MEM(own->sums[part])));
    GRAPH_TRY(graph_pull_run(graph, PULL, n_teams * strips->lanes, NULL));
    GRAPH_TRY(GRAPH_SET(own->kept.kernels[JOIN], 0, GRAPH_UINT(strips->n_wide),
                        GRAPH_UINT(strips->n_cut), GRAPH_MEM(strips->firsts),
                        GRAPH_MEM(own->sums[part])));
    GRAPH_TRY(graph_pull_run(graph, JOIN, (uint64_t)strips->n_wide * strips->lanes, NULL));
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
    GRAPH_TRY(GRAPH_SET(own->kept.kernels[APPLY], 0, GRAPH_UINT(n),
                        {own->bytes, own->is_double ? (const void *)&damping : &dampings, NULL},
                        {own->bytes, own->is_double ? (const void *)&even : &evens, NULL},
                        GRAPH_MEM(own->strips[0].places), GRAPH_MEM(own->sums[0]),
                        GRAPH_MEM(own->shares), GRAPH_MEM(wishes),
                        GRAPH_MEM(own->ranks[(i + 1) % 2]), GRAPH_MEM(own->ranks[i % 2]),
                        GRAPH_UINT(first_slot), GRAPH_MEM(own->given[i % 2]), GRAPH_MEM(own->known),
                        GRAPH_UINT(last), GRAPH_MEM(own->partial)));
    if (own->n_parts > 1)
        GRAPH_TRY(GRAPH_SET(own->kept.kernels[APPLY], 14, GRAPH_MEM(own->strips[1].places),
                            GRAPH_MEM(own->sums[1]), GRAPH_MEM(own->strips[2].places),
                            GRAPH_MEM(own->sums[2]),
                            {own->bytes, own->is_double ? (const void *)&own->idle : &idles, NULL},
                            GRAPH_ULONG(own->kept.heap)));
    GRAPH_TRY(graph_pull_run(graph, APPLY, n, NULL));
    GRAPH_TRY(GRAPH_SET(own->kept.kernels[TOTAL], 0, GRAPH_UINT(n_groups), GRAPH_MEM(own->partial),
                        GRAPH_MEM(own->known), GRAPH_UINT(at)));
    if (own->done[at])
        clReleaseEvent(own->done[at]);
    own->done[at] = NULL;
    GRAPH_TRY(graph_pull_run(graph, TOTAL, 1, &own->done[at]));
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
    GRAPH_KEEP(code, graph_reduce(graph, GRAVEL_ADD, GRAVEL_DOUBLE, known, 3));
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
    int code = gravel_mirror_begin(own->kept.mirror);
    GRAPH_KEEP(code, gravel_mirror_end(own->kept.mirror));
    if (code)
        return code;
    const cl_ulong copies = gravel_mirror_offset(own->kept.mirror);
    GRAPH_TRY(GRAPH_SET(own->kept.kernels[TAKE], 1, GRAPH_ULONG(copies), GRAPH_UINT(own->n_copied),
                        GRAPH_MEM(own->copied), GRAPH_MEM(own->given[i % 2])));
    return graph_pull_run(graph, TAKE, own->n_copied, NULL);
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
        code = finish(graph, *i, graph_progress(graph, call, code, *i, most));
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
    int code = wishes ? graph_pull_reals(graph, &own->wishes, wishes) : 0;
    code = graph_agree(graph, call, code);
    if (!code)
        code = iterate(graph, options, &options->n_iterations);
    options->change = own->change;
    *ranks = own->ranks[options->n_iterations % 2];
    clFinish(graph->queue);
    graph_release(graph, &own->wishes);
    return graph_agree(graph, call, code);
}
