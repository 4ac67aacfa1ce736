/* SPDX-License-Identifier: MIT */
/*
 * PageRank of a graph whose vertices, and the edges that leave them, are spread over all nodes in
 * blocks.
 *
 * An iteration sums up what a node's vertices give each vertex, and sends the sums for vertices of
 * other nodes, a word each. With --send-own every edge is a message: a work-item adds its source's
 * share of rank to its target's sum. Vertices without edges give their rank to all. The float form
 * is the usual one; the fixed-point form gives the same bits on any number of nodes.
 *
 * Path: main -> open_node (this node's part) -> iterate -> pagerank.cl -> sums at every node -> check.c -> report
 * Owner: open_node makes what close_node frees.
 * Threads: main's.
 * Source: Page, Brin, Motwani, Winograd 1999; Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015 (flags, start,
 * stop, pulling); Dathathri et al., Gluon, PLDI 2018 (reduce); Orr 2016, section 5.4.2.
 */
#include "pagerank.h"
#include "graph/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 64 /* edges of a chunk, at least: few enough that hubs spread */
#define MAX_ITERATIONS 1000000
#define PLAN_BYTES (UINT64_C(64) << 10)

static size_t rank_bytes(const struct pagerank *pagerank)
{
    return pagerank->is_fixed ? sizeof(cl_ulong) : sizeof(cl_float);
}

static uint64_t n_own(const struct pagerank *pagerank)
{
    return pagerank->part.rows.n_vertices;
}

static uint64_t n_groups_of(uint64_t n, uint64_t group_takes)
{
    return (n + group_takes - 1) / group_takes;
}

static uint64_t n_groups(const struct pagerank *pagerank)
{
    return n_groups_of(n_own(pagerank), pagerank->node.group_items);
}

/* ---- edges that are pulled along ----------------------------------------------------------------
 *
 * Unless edges are messages they are turned round and cut into chunks, each of which a work-item adds up. They end at own
 * vertices and at ghosts, which come after these. An own vertex's sum is that of its chunks and of what other nodes sent; a
 * ghost's is sent to its owner.
 */

/* Edges of a target's chunks. Those of a hub are longer: a work-item adds up a chunk, and another one the chunks. */
static uint64_t chunk_edges(uint64_t n_edges)
{
    uint64_t chunk = CHUNK;
    while (chunk * chunk < n_edges)
        chunk *= 2;
    return chunk;
}

static uint64_t n_targets(const struct pagerank *pagerank)
{
    return n_own(pagerank) + pagerank->n_ghosts;
}

static void list_pulled(const void *source, const struct graph_asked *asked, graph_visit *visit,
                        void *context)
{
    const struct pagerank *pagerank = source;
    const struct graph *graph = &pagerank->part.rows;
    const struct graph_rows rows = graph_rows_of(graph, asked->part, asked->n_parts);
    for (uint64_t u = rows.first; u < rows.last && !pagerank->sends_edges; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
            visit(context,
                  (struct graph_edge){.from = ghosts_slot(&pagerank->ghosts, graph->neighbours[e]),
                                      .to = (uint32_t)u});
}

/* A row for each target, of the sources that it pulls from; or die. */
static struct graph turn_round(const struct pagerank *pagerank)
{
    const struct graph_stream stream = {list_pulled, pagerank, GRAPH_UNWEIGHTED, true};
    const struct partition targets = partition_blocks(n_targets(pagerank), 1);
    struct graph turned;
    if (graph_build_rows(&turned, &targets, 0, &stream))
        die("no memory for a list of %llu edges", (unsigned long long)pagerank->part.rows.n_edges);
    return turned;
}

/* With --schedule a vertex is what is scheduled. */
static void upload_chunks(struct pagerank *pagerank, const uint64_t *offsets)
{
    uint64_t n = n_targets(pagerank);
    cl_uint *chunks = app_array(n + 1, sizeof *chunks, "a list of edges");
    for (uint64_t v = 0; v < n; v++) {
        const uint64_t n_edges = offsets[v + 1] - offsets[v], chunk = chunk_edges(n_edges);
        const uint64_t n_chunks = pagerank->node.schedule ? 1 : (n_edges + chunk - 1) / chunk;
        chunks[v + 1] = chunks[v] + (cl_uint)n_chunks;
    }
    cl_uint *starts = app_array((uint64_t)chunks[n] + 1, sizeof *starts, "a list of edges");
    for (uint64_t v = 0; v < n; v++) {
        const cl_uint chunk = (cl_uint)chunk_edges(offsets[v + 1] - offsets[v]);
        for (cl_uint i = chunks[v]; i < chunks[v + 1]; i++)
            starts[i] = (cl_uint)offsets[v] + (i - chunks[v]) * chunk;
    }
    starts[chunks[n]] = (cl_uint)offsets[n];
    pagerank->n_own_chunks = chunks[n_own(pagerank)];
    pagerank->n_chunks = chunks[n];
    pagerank->chunks = node_upload(&pagerank->node, (n + 1) * sizeof *chunks, chunks);
    pagerank->starts =
        node_upload(&pagerank->node, (pagerank->n_chunks + 1) * sizeof *starts, starts);
}

/* The last word is no chunk's. */
static size_t partial_bytes(const struct pagerank *pagerank)
{
    return (pagerank->n_chunks + 1) * rank_bytes(pagerank);
}

static void upload_pulled(struct pagerank *pagerank)
{
    struct graph turned = turn_round(pagerank);
    pagerank->sources =
        node_array(&pagerank->node, turned.n_edges * sizeof(cl_uint), turned.neighbours);
    upload_chunks(pagerank, turned.offsets);
    graph_free(&turned);
    pagerank->partial = node_array(&pagerank->node, partial_bytes(pagerank), NULL);
}

static void open_pull(struct pagerank *pagerank)
{
    struct node *node = &pagerank->node;
    if (node->schedule) {
        tasks_open_stretches(&pagerank->tasks, node, pagerank->n_chunks);
        pagerank->pull = node_kernel_without_arena(node, "pull_tasks");
        NODE_SET(pagerank->pull, 1, UINT(pagerank->n_chunks));
    } else {
        pagerank->pull = node_kernel(node, "pull");
    }
    NODE_SET(pagerank->pull, 2, ARRAY(pagerank->starts), ARRAY(pagerank->sources),
             ARRAY(pagerank->share), ARRAY(pagerank->partial));
}

static void pull(struct pagerank *pagerank)
{
    if (pagerank->node.schedule)
        tasks_run_stretches(&pagerank->tasks, pagerank->pull);
    else
        node_run(&pagerank->node, pagerank->pull, pagerank->n_own_chunks);
}

/* ---- words --------------------------------------------------------------------------------------
 *
 * What own vertices give vertices of other nodes, a word each: a target that many own edges reach gets their sum. The
 * sums are pulled, as those of own vertices are, into the slots of a mirror, and travel while own edges are pulled.
 *
 * The node adds up before it sends, instead of reading others' shares: then it needs the edges that leave its vertices
 * only, which are those that it has, and words are as few.
 */

static void open_words(struct pagerank *pagerank)
{
    if (!pagerank->slots)
        return;
    pagerank->store_sums = node_kernel(&pagerank->node, "store_sums");
    NODE_SET(pagerank->store_sums, 2, ULONG(gravel_mirror_offset(pagerank->slots)),
             UINT(n_own(pagerank)), ARRAY(pagerank->chunks), ARRAY(pagerank->partial));
}

static void begin_words(struct pagerank *pagerank)
{
    if (!pagerank->slots)
        return;
    node_run_groups(&pagerank->node, pagerank->pull, pagerank->n_own_chunks,
                    pagerank->n_chunks - pagerank->n_own_chunks, pagerank->node.group_items);
    node_run(&pagerank->node, pagerank->store_sums, pagerank->n_ghosts);
    TRY(gravel_mirror_begin(pagerank->slots));
}

/* ---- messages along all edges ------------------------------------------------------------------ */

/* What a kernel knows of an edge. */
enum item { SOURCE, OWNER, INDEX };

static cl_mem upload_items(struct pagerank *pagerank, enum item item)
{
    const struct graph *rows = &pagerank->part.rows;
    const struct partition *partition = &pagerank->part.partition;
    cl_uint *list = app_array(rows->n_edges, sizeof *list, "a list of edges");
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
            const uint32_t v = rows->neighbours[e];
            list[e] = item == SOURCE  ? (cl_uint)u
                      : item == OWNER ? partition_owner(partition, v)
                                      : (cl_uint)partition_index(partition, v);
        }
    return node_upload(&pagerank->node, rows->n_edges * sizeof *list, list);
}

static void upload_pushed(struct pagerank *pagerank)
{
    pagerank->to_node = upload_items(pagerank, OWNER);
    pagerank->to_index = upload_items(pagerank, INDEX);
    pagerank->from = upload_items(pagerank, SOURCE);
}

#define PUMP_SLICES 4u /* of a launch that is long enough, on step pump */
#define MOST_EACH 1024u

/* Edges of a work-item: on step pump, where a launch's slices have a bounded number of work-items, so many that it is a few
 * slices; elsewhere 1. */
static unsigned each(const struct pagerank *pagerank)
{
    const struct node *node = &pagerank->node;
    cl_uint n_units = 0;
    if (!pagerank->sends_edges || node->model->queue_bytes ||
        strcmp(gravel_step(node->gravel), "pump"))
        return 1;
    TRY_CL(clGetDeviceInfo(gravel_cl_device(node->gravel), CL_DEVICE_MAX_COMPUTE_UNITS,
                           sizeof n_units, &n_units, NULL));
    const uint64_t slice_items = (uint64_t)node->group_items * (n_units > 1 ? n_units - 1 : 1);
    const uint64_t n = pagerank->part.rows.n_edges / (PUMP_SLICES * slice_items);
    return n < 1 ? 1 : n < MOST_EACH ? (unsigned)n : MOST_EACH;
}

static void open_push(struct pagerank *pagerank)
{
    pagerank->push = node_kernel(&pagerank->node, "push");
    NODE_SET(pagerank->push, 3, ARRAY(pagerank->from), ARRAY(pagerank->to_node),
             ARRAY(pagerank->to_index), ARRAY(pagerank->share));
}

static void push(struct pagerank *pagerank, uint64_t sums)
{
    /* A message an edge: an index and a rank. */
    const unsigned n_each = each(pagerank);
    const struct node_bound bound = {.n_messages = n_each,
                                     .message_bytes = 4 + (uint32_t)rank_bytes(pagerank)};
    const uint64_t n = pagerank->part.rows.n_edges;
    NODE_SET(pagerank->push, 2, ULONG(n));
    NODE_SET(pagerank->push, 7, ULONG(sums));
    if (n_each == 1)
        node_send(&pagerank->node, pagerank->push, n, bound);
    else
        node_launch(&pagerank->node, pagerank->push,
                    n_groups_of(n, (uint64_t)n_each * pagerank->node.group_items) *
                        pagerank->node.group_items);
}

/* ---- the part of the graph ------------------------------------------------------------------- */

static void upload_degrees(struct pagerank *pagerank)
{
    uint64_t n = n_own(pagerank);
    cl_uint *degrees = app_array(n, sizeof *degrees, "a list of edges");
    for (uint64_t u = 0; u < n; u++)
        degrees[u] = (cl_uint)graph_degree(&pagerank->part.rows, u);
    pagerank->degree = node_upload(&pagerank->node, n * sizeof *degrees, degrees);
}

/* One list after the other, so that the host never has more than one; then the device has all. */
static void upload_lists(struct pagerank *pagerank)
{
    if (pagerank->sends_edges) {
        upload_pushed(pagerank);
    } else {
        ghosts_open(&pagerank->ghosts, &pagerank->part);
        pagerank->n_ghosts = pagerank->ghosts.n;
        pagerank->slots = node_part_mirror(&pagerank->node, &pagerank->ghosts, pagerank->sums[0],
                                           pagerank->is_fixed ? GRAVEL_ULONG : GRAVEL_FLOAT, true);
    }
    upload_pulled(pagerank);
    ghosts_close(&pagerank->ghosts);
    upload_degrees(pagerank);
    part_forget_edges(&pagerank->part);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void build(struct pagerank *pagerank)
{
    extern const char pagerank_cl[];
    char defines[64];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u -DEACH=%u%s%s", pagerank->node.group_items,
             each(pagerank), pagerank->is_fixed ? " -DPAGERANK_FIXED" : "",
             pagerank->node.schedule ? " -DHAS_TASKS" : "");
    node_build(&pagerank->node, "pagerank.cl", pagerank_cl, defines);
}

static void open_node(void *self)
{
    struct pagerank *pagerank = self;
    struct node *node = &pagerank->node;
    pagerank->sends_edges |= node->model != model_gravel;
    if (node->schedule && pagerank->sends_edges)
        die("--schedule: no --send-own and no --model, as its vertices pull");
    node_survey(&pagerank->node, &pagerank->part, pagerank->options.seed,
                (struct part_wish){.no_weights = true});
    pagerank->n_vertices = pagerank->part.survey.n_vertices;
    pagerank->n_edges = pagerank->part.survey.n_edges;
    /* The heap suffices for one node alone, because only an open node knows how many there are. Words need sums, slots,
     * and the words that arrive, twice; while nodes exchange plans, of each node some bytes. */
    const uint64_t bytes = pagerank->n_vertices * rank_bytes(pagerank);
    node_open(node, pagerank->sends_edges ? 2 * bytes : 4 * bytes + PLAN_BYTES);
    node_part(node, &pagerank->part);
    uint64_t block_bytes = pagerank->part.partition.block * rank_bytes(pagerank);
    TRY(gravel_alloc(node->gravel, block_bytes, &pagerank->sums[0]));
    pagerank->sums[1] = pagerank->sums[0];
    if (pagerank->sends_edges)
        TRY(gravel_alloc(node->gravel, block_bytes, &pagerank->sums[1]));
    upload_lists(pagerank);
    pagerank->rank = node_array(node, n_own(pagerank) * rank_bytes(pagerank), NULL);
    pagerank->share = node_array(node, n_own(pagerank) * rank_bytes(pagerank), NULL);
    pagerank->totals = node_array(node, 2 * n_groups(pagerank) * rank_bytes(pagerank), NULL);
    build(pagerank);
    pagerank->apply = node_kernel(node, "apply");
    NODE_SET(pagerank->apply, 2, ARRAY(pagerank->rank), ARRAY(pagerank->share),
             ARRAY(pagerank->degree));
    NODE_SET(pagerank->apply, 8, ARRAY(pagerank->totals), ARRAY(pagerank->chunks),
             ARRAY(pagerank->partial));
    open_pull(pagerank);
    if (pagerank->sends_edges)
        open_push(pagerank);
    open_words(pagerank);
}

static void close_node(void *self)
{
    struct pagerank *pagerank = self;
    tasks_close(&pagerank->tasks);
    part_close(&pagerank->part);
    TRY(gravel_mirror_destroy(pagerank->slots));
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* Sums the groups' totals, then all nodes'. */
static void sum_totals(struct pagerank *pagerank)
{
    const bool is_fixed = pagerank->is_fixed;
    const uint64_t n = 2 * n_groups(pagerank);
    uint64_t fixed[2] = {0, 0};
    double real[2] = {0, 0};
    union rank *totals = app_array(n, sizeof *totals, "the groups' totals");
    node_read(&pagerank->node, pagerank->totals, n * rank_bytes(pagerank), totals);
    for (uint64_t i = 0; i < n; i++)
        if (is_fixed)
            fixed[i % 2] += ((const cl_ulong *)totals)[i];
        else
            real[i % 2] += (double)((const cl_float *)totals)[i];
    free(totals);
    TRY(gravel_reduce(pagerank->node.gravel, GRAVEL_ADD, is_fixed ? GRAVEL_ULONG : GRAVEL_DOUBLE,
                      is_fixed ? (void *)fixed : real, 2));
    pagerank->change = is_fixed ? (double)fixed[0] / (double)RANK_ONE : real[0];
    pagerank->idle_fixed = fixed[1];
    pagerank->idle = real[1];
}

static union rank rank_of(const struct pagerank *pagerank, uint64_t fixed, double real)
{
    return pagerank->is_fixed ? (union rank){.fixed = fixed} : (union rank){.real = (cl_float)real};
}

static void set_rank(struct pagerank *pagerank, cl_uint index, union rank rank)
{
    NODE_SET(pagerank->apply, index, {rank_bytes(pagerank), &rank});
}

static void apply(struct pagerank *pagerank, uint64_t sums, union rank base, union rank extra)
{
    struct node *node = &pagerank->node;
    NODE_SET(pagerank->apply, 5, ULONG(sums));
    set_rank(pagerank, 6, base);
    set_rank(pagerank, 7, extra);
    node_run(node, pagerank->apply, n_own(pagerank));
    sum_totals(pagerank);
}

/* Ranks without sums are their base. */
static void reset(void *self)
{
    struct pagerank *pagerank = self;
    if (pagerank->node.schedule)
        TRY(gravel_steal_stats_reset(pagerank->tasks.steal));
    node_fill(&pagerank->node, pagerank->partial, 0, partial_bytes(pagerank));
    const uint64_t n = pagerank->n_vertices;
    apply(pagerank, pagerank->sums[0], rank_of(pagerank, RANK_ONE / n, 1 / (double)n),
          rank_of(pagerank, 0, 0));
}

/* What is sent comes first, and travels while own edges are pulled. */
static void iterate_once(struct pagerank *pagerank, uint64_t sums)
{
    const uint64_t n = pagerank->n_vertices;
    begin_words(pagerank);
    if (pagerank->sends_edges)
        push(pagerank, sums);
    pull(pagerank);
    if (pagerank->slots)
        TRY(gravel_mirror_end(pagerank->slots));
    if (pagerank->sends_edges)
        TRY(gravel_barrier(pagerank->node.gravel));
    apply(pagerank, sums,
          rank_of(pagerank, (RANK_ONE - DAMP_FIXED(RANK_ONE)) / n, (1 - DAMPING) / (double)n),
          rank_of(pagerank, pagerank->idle_fixed / n, pagerank->idle / (double)n));
}

static void iterate(void *self)
{
    struct pagerank *pagerank = self;
    pagerank->n_done = 0;
    do
        iterate_once(pagerank, pagerank->sums[pagerank->n_done++ % 2]);
    while (pagerank->n_done < pagerank->n_iterations && pagerank->change >= pagerank->tolerance);
}

/* ---- the program ---------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"iterations", 'i', "N", "Make at most this many iterations (20)",
     OPTION_NUMBER(struct pagerank, n_iterations, 1, MAX_ITERATIONS)},
    {"tolerance", 't', "SUM",
     "Stop once all ranks together change less than this; 0 never stops (1e-4)",
     OPTION_REAL(struct pagerank, tolerance)},
    {"fixed", 0, NULL, "Add in fixed point: the same bits on any number of nodes",
     OPTION_FLAG(struct pagerank, is_fixed)},
    SEND_OWN_OPTION(struct pagerank, sends_edges),
    TASKS_OPTION(
        struct pagerank, node,
        "Pull ranks instead, by vertices shared out to groups' deques, on one node, by this "
        "policy of GRAVEL_STEAL_POLICY"),
    {0}};

/* All trials make as many iterations as the one that warmed up. */
static void describe(void *self, struct trials *trials)
{
    const struct pagerank *pagerank = self;
    const char *form = pagerank->is_fixed ? "fixed" : "float", *schedule = pagerank->node.schedule;
    snprintf(trials->variant, sizeof trials->variant, "%s%s%s", form, schedule ? "-" : "",
             schedule ? schedule : "");
    trials->work = (double)pagerank->n_edges * (double)pagerank->n_done;
    part_describe(&pagerank->part, pagerank->options.seed, pagerank->n_edges, trials);
    trials_add_number(trials, "iterations", pagerank->n_done);
    trials_add_real(trials, "tolerance", pagerank->tolerance);
    trials_add_word(trials, "send", pagerank->sends_edges ? "edges" : "words");
}

static void result(void *self, struct trials *trials)
{
    struct pagerank *pagerank = self;
    tasks_tell(&pagerank->tasks, trials);
}

static const struct app app = {
    .name = "pagerank",
    .unit = "edges/s",
    .doc = "Rank the vertices of a graph: ranks are pulled along its edges, and nodes send each "
           "other sums. Say how many edges a second that were.",
    .groups = {{"PageRank:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct pagerank, part.options))},
    .has_models = true,
    APP_FIELDS(struct pagerank),
    .open = open_node,
    .reset = reset,
    .run = iterate,
    .describe = describe,
    .result = result,
    .check = check_ranks,
    .checked = "ranks",
    .close = close_node};

int main(int argc, char **argv)
{
    struct pagerank pagerank = {
        .part.options = GRAPH_OPTIONS_DEFAULT, .n_iterations = 20, .tolerance = 1e-4};
    return app_main(&app, &pagerank, argc, argv);
}
