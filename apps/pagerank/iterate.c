/* SPDX-License-Identifier: MIT */
/*
 * This node's part: its vertices and the iterations.
 *
 * Path: pagerank.c -> this -> pull.c, words.c, push.c, pagerank.cl -> sums at every node -> this
 * Owner: see pagerank.h.
 * Threads: main's.
 */
#include "pagerank.h"
#include "frame/die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_BYTES (UINT64_C(64) << 10)

size_t pagerank_rank_bytes(const struct pagerank *pagerank)
{
    return pagerank->is_fixed ? sizeof(cl_ulong) : sizeof(cl_float);
}

static uint64_t n_own(const struct pagerank *pagerank)
{
    return pagerank->part.rows.n_vertices;
}

static uint64_t n_groups(const struct pagerank *pagerank)
{
    uint32_t group_items = pagerank->node.group_items;
    return (n_own(pagerank) + group_items - 1) / group_items;
}

/* ---- the part of the graph ------------------------------------------------------------------- */

static void upload_degrees(struct pagerank *pagerank)
{
    uint64_t n = n_own(pagerank);
    cl_uint *degrees = app_array(n, sizeof *degrees, "a list of edges");
    for (uint64_t u = 0; u < n; u++)
        degrees[u] = (cl_uint)graph_degree(&pagerank->part.rows, u);
    pagerank->degree = node_array(&pagerank->node, n * sizeof *degrees, degrees);
    free(degrees);
}

/* Where the edges begin, in each row, that are messages: edges before them are pulled along. */
static uint32_t *split_rows(struct pagerank *pagerank)
{
    struct graph_part *part = &pagerank->part;
    if (!pagerank->sends_words)
        return node_part_split(part, pagerank->sends_own);
    uint32_t *ends = app_array(part->rows.n_vertices, sizeof *ends, "a list of edges");
    for (uint64_t u = 0; u < part->rows.n_vertices; u++)
        ends[u] = (uint32_t)part->rows.offsets[u + 1];
    return ends;
}

/* One list after the other, so that the host never has more than one; then the device has all. */
static void upload_lists(struct pagerank *pagerank)
{
    if (pagerank->sends_words)
        pagerank_words_plan(pagerank);
    uint32_t *splits = split_rows(pagerank);
    pagerank_push_upload(pagerank, splits);
    pagerank_pull_upload(pagerank, splits);
    free(splits);
    ghosts_close(&pagerank->ghosts);
    upload_degrees(pagerank);
    part_forget_edges(&pagerank->part);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void build(struct pagerank *pagerank)
{
    extern const char pagerank_cl[];
    char defines[64];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u%s%s", pagerank->node.group_items,
             pagerank->is_fixed ? " -DPAGERANK_FIXED" : "",
             pagerank->node.schedule ? " -DHAS_TASKS" : "");
    node_build(&pagerank->node, "pagerank.cl", pagerank_cl, defines);
    pagerank->apply = node_kernel(&pagerank->node, "apply");
}

static void set_arguments(struct pagerank *pagerank)
{
    NODE_SET(pagerank->apply, 2, cl_mem, pagerank->rank);
    NODE_SET(pagerank->apply, 3, cl_mem, pagerank->share);
    NODE_SET(pagerank->apply, 4, cl_mem, pagerank->degree);
    NODE_SET(pagerank->apply, 8, cl_mem, pagerank->totals);
    NODE_SET(pagerank->apply, 9, cl_mem, pagerank->chunks);
    NODE_SET(pagerank->apply, 10, cl_mem, pagerank->partial);
}

/* Words, if no option is about messages. */
static void choose_send(struct pagerank *pagerank)
{
    const bool has_messages =
        pagerank->sends_own || pagerank->per_item || pagerank->node.model != model_gravel;
    if (pagerank->node.schedule && pagerank->sends_own)
        die("--schedule: no --send-own, as its vertices pull");
    if (!pagerank->send)
        pagerank->send = has_messages ? "edges" : "words";
    pagerank->sends_words = !strcmp(pagerank->send, "words");
    if (pagerank->sends_words && has_messages)
        die("--send words: no --send-own, --per-item or --model, which are about messages");
}

/* As for one node, because only an open node knows how many there are; what is not used costs nothing. Words need sums,
 * slots, and the words that arrive, twice; while nodes exchange plans, of each node some bytes. */
static uint64_t heap_bytes(const struct pagerank *pagerank)
{
    const uint64_t bytes = pagerank->n_vertices * pagerank_rank_bytes(pagerank);
    return pagerank->sends_words ? 4 * bytes + PLAN_BYTES : 2 * bytes;
}

void pagerank_open(void *self)
{
    struct pagerank *pagerank = self;
    struct node *node = &pagerank->node;
    choose_send(pagerank);
    node_survey(&pagerank->node, &pagerank->part, pagerank->options.seed,
                (struct part_wish){.no_weights = true});
    pagerank->n_vertices = pagerank->part.survey.n_vertices;
    pagerank->n_edges = pagerank->part.survey.n_edges;
    node_open(node, heap_bytes(pagerank));
    node_part(node, &pagerank->part);
    uint64_t block_bytes = pagerank->part.partition.block * pagerank_rank_bytes(pagerank);
    pagerank->sums[0] = node_alloc(node, block_bytes);
    pagerank->sums[1] = pagerank->sends_words ? pagerank->sums[0] : node_alloc(node, block_bytes);
    upload_lists(pagerank);
    pagerank->rank = node_array(node, n_own(pagerank) * pagerank_rank_bytes(pagerank), NULL);
    pagerank->share = node_array(node, n_own(pagerank) * pagerank_rank_bytes(pagerank), NULL);
    pagerank->totals =
        node_array(node, 2 * n_groups(pagerank) * pagerank_rank_bytes(pagerank), NULL);
    build(pagerank);
    set_arguments(pagerank);
    pagerank_push_open(pagerank);
    pagerank_pull_open(pagerank);
    pagerank_words_open(pagerank);
}

void pagerank_close(void *self)
{
    struct pagerank *pagerank = self;
    if (pagerank->node.schedule)
        tasks_close(&pagerank->tasks);
    part_close(&pagerank->part);
    pagerank_words_close(pagerank);
    node_close(&pagerank->node);
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* Sum the groups' totals, then all nodes'. */
static void sum_fixed(struct pagerank *pagerank, const cl_ulong *totals)
{
    uint64_t sum[2] = {0, 0};
    for (uint64_t i = 0; i < 2 * n_groups(pagerank); i++)
        sum[i % 2] += totals[i];
    node_check(gravel_reduce(pagerank->node.gravel, GRAVEL_ADD, GRAVEL_ULONG, sum, 2));
    pagerank->change = (double)sum[0] / (double)RANK_ONE;
    pagerank->idle_fixed = sum[1];
}

static void sum_real(struct pagerank *pagerank, const cl_float *totals)
{
    double sum[2] = {0, 0};
    for (uint64_t i = 0; i < 2 * n_groups(pagerank); i++)
        sum[i % 2] += (double)totals[i];
    node_check(gravel_reduce(pagerank->node.gravel, GRAVEL_ADD, GRAVEL_DOUBLE, sum, 2));
    pagerank->change = sum[0];
    pagerank->idle = sum[1];
}

static void sum_totals(struct pagerank *pagerank)
{
    size_t bytes = 2 * n_groups(pagerank) * pagerank_rank_bytes(pagerank);
    void *totals = app_array(bytes, 1, "the groups' totals");
    node_read(&pagerank->node, pagerank->totals, bytes, totals);
    if (pagerank->is_fixed)
        sum_fixed(pagerank, totals);
    else
        sum_real(pagerank, totals);
    free(totals);
}

static void set_rank(struct pagerank *pagerank, cl_uint index, union rank rank)
{
    node_set(pagerank->apply, index, pagerank_rank_bytes(pagerank), &rank);
}

static void apply(struct pagerank *pagerank, uint64_t sums, union rank base, union rank extra)
{
    struct node *node = &pagerank->node;
    NODE_SET(pagerank->apply, 5, cl_ulong, sums);
    set_rank(pagerank, 6, base);
    set_rank(pagerank, 7, extra);
    node_run(node, pagerank->apply, n_own(pagerank));
    sum_totals(pagerank);
}

/* Ranks without sums are their base. */
void pagerank_reset(void *self)
{
    struct pagerank *pagerank = self;
    pagerank_pull_reset(pagerank);
    union rank base = {0}, extra = {0};
    if (pagerank->is_fixed)
        base.fixed = RANK_ONE / pagerank->n_vertices;
    else
        base.real = (cl_float)(1.0 / (double)pagerank->n_vertices);
    apply(pagerank, pagerank->sums[0], base, extra);
}

static union rank base_of(const struct pagerank *pagerank)
{
    uint64_t n = pagerank->n_vertices;
    return pagerank->is_fixed ? (union rank){.fixed = (RANK_ONE - DAMP_FIXED(RANK_ONE)) / n}
                              : (union rank){.real = (cl_float)((1 - DAMPING) / (double)n)};
}

static union rank extra_of(const struct pagerank *pagerank)
{
    uint64_t n = pagerank->n_vertices;
    return pagerank->is_fixed ? (union rank){.fixed = pagerank->idle_fixed / n}
                              : (union rank){.real = (cl_float)(pagerank->idle / (double)n)};
}

/* What is sent comes first, and travels while own edges are pulled. */
static void iterate_once(struct pagerank *pagerank, uint64_t sums)
{
    pagerank_words_begin(pagerank);
    if (pagerank->any_sent)
        pagerank_push(pagerank, sums);
    pagerank_pull(pagerank);
    pagerank_words_end(pagerank);
    if (pagerank->any_sent)
        node_barrier(&pagerank->node);
    apply(pagerank, sums, base_of(pagerank), extra_of(pagerank));
}

void pagerank_iterate(void *self)
{
    struct pagerank *pagerank = self;
    pagerank->n_done = 0;
    do
        iterate_once(pagerank, pagerank->sums[pagerank->n_done++ % 2]);
    while (pagerank->n_done < pagerank->n_iterations && pagerank->change >= pagerank->tolerance);
}
