/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths from one vertex to all, over a graph whose vertices, and the edges that leave
 * them, are spread over all nodes.
 *
 * Every vertex that came nearer offers each neighbour a distance. An own neighbour's is lowered in
 * place; of another node's vertex an accumulator keeps the least offer, and sends that, a word a
 * vertex and round. With --send-own every offer is a message, to own vertices too. An owner finds
 * what came nearer by a second copy of its distances. With --stay, on one node, the search is one kernel of rounds, which
 * stays on the device.
 *
 * Path:    main -> open_node (upload.c, this node's part) -> search (rounds; width.c) -> sssp.cl -> distances at every node
 *          -> problem.c
 * Owner:   open_node makes what close_node frees.
 * Threads: main's, and its own, which it joins.
 * Source:  Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003;
 *          Beamer, Asanovic, Patterson, The GAP Benchmark Suite, 2015 (flags, weights); Che et al., Pannotia, 2013;
 *          Orr et al. 2015, section 5.3; Orr 2016, section 5.4.2.
 */
#include "sssp/sssp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Argument of gather: in which of two places it counts. */
enum { GATHER_TURN = 12 };

#define ROUNDS_BYTES 32768 /* of the heap, for --stay */

/* ---- source ---------------------------------------------------------------------------------- */

static bool is_own(const struct sssp *sssp, uint64_t v)
{
    return partition_has(&sssp->part.partition, sssp->part.node, v);
}

static void draw_source(struct sssp *sssp)
{
    const uint64_t n = sssp->part.survey.n_vertices;
    const uint64_t drawn = sssp_draw_vertex(n, sssp->options.seed);
    const uint64_t steps = sssp_steps_to_edges(&sssp->part.rows, sssp->part.first, n, drawn);
    sssp->source = (drawn + node_least(&sssp->node, steps)) % n;
}

/* ---- open and close -------------------------------------------------------------------------- */

/* So many at most, whatever groups a node takes: heaps are alike. */
static uint64_t filled_most(uint64_t n)
{
    return n + (uint64_t)SCANNED * NODE_MAX_GROUP;
}

static void build(struct sssp *sssp)
{
    extern const char sssp_cl[];
    static const char *const forms[] = {"", " -DSSSP_ULONG", " -DSSSP_FLOAT"};
    char defines[96];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u -DCHUNK=%u%s%s%s", sssp->node.group_items,
             CHUNK, forms[sssp->form], sssp->node.schedule ? " -DHAS_TASKS" : "",
             sssp->offers ? " -DHAS_WORDS" : "");
    node_build(&sssp->node, "sssp.cl", sssp_cl, defines);
    if (sssp->node.schedule)
        sssp->relax_tasks = node_kernel_without_arena(&sssp->node, "relax_tasks");
    sssp->reset = node_kernel(&sssp->node, "reset");
    sssp->gather = node_kernel(&sssp->node, "gather");
    if (sssp->sends_own || sssp->offers)
        sssp->relax = node_kernel(&sssp->node, sssp->offers ? "offer" : "relax");
    if (!sssp->sends_own)
        sssp->relax_own = node_kernel(&sssp->node, "relax_own");
}

static void set_reset(struct sssp *sssp)
{
    const cl_uint n = (cl_uint)sssp_n_own(sssp);
    cl_uint source = is_own(sssp, sssp->source)
                         ? (cl_uint)partition_index(&sssp->part.partition, sssp->source)
                         : n;
    NODE_SET(sssp->reset, 3, ARRAY(sssp->settled), ARRAY(sssp->best), UINT(n), UINT(source),
             UINT(sssp->n_settled));
}

static void set_arguments(struct sssp *sssp)
{
    cl_kernel kernels[] = {sssp->reset, sssp->gather};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        NODE_SET(kernels[i], 2, ULONG(sssp->distances));
    set_reset(sssp);
    NODE_SET(sssp->gather, 4, ARRAY(sssp->settled), ARRAY(sssp->best), ARRAY(sssp->offsets),
             ARRAY(sssp->splits), ARRAY(sssp->own), ARRAY(sssp->sent), ARRAY(sssp->counts),
             ARRAY(sssp->lows));
    if (sssp->offers)
        TRY(gravel_kernel_set_accumulator(sssp->offers, sssp->relax, 3));
    else if (sssp->relax)
        NODE_SET(sssp->relax, 3, ULONG(sssp->distances));
    if (sssp->relax)
        NODE_SET(sssp->relax, 4, ARRAY(sssp->sent), ARRAY(sssp->offsets), ARRAY(sssp->slots),
                 ARRAY(sssp->weights), ARRAY(sssp->targets), ARRAY(sssp->settled),
                 ARRAY(sssp->best));
    if (sssp->relax_own)
        NODE_SET(sssp->relax_own, 3, ARRAY(sssp->own), ARRAY(sssp->splits), ARRAY(sssp->slots),
                 ARRAY(sssp->weights), ARRAY(sssp->settled), ARRAY(sssp->best));
}

static void open_rounds(struct sssp *sssp)
{
    extern const char sssp_cl[];
    const size_t bytes = sssp_n_own(sssp) * sizeof(cl_uint);
    char defines[96];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u -DCHUNK=%u%s", sssp->node.group_items,
             CHUNK, sssp->form == SSSP_FLOAT ? " -DSSSP_FLOAT" : "");
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "sssp.cl", .source = sssp_cl, .options = defines,
                              .function = "stay");
    TRY(gravel_rounds_create(&sssp->rounds, sssp->node.gravel, &program));
    cl_kernel kernel;
    TRY(gravel_rounds_kernel(sssp->rounds, &kernel));
    sssp->fronts = node_array(&sssp->node, 2 * bytes, NULL);
    sssp->far = node_array(&sssp->node, 3 * bytes, NULL);
    sssp->on = node_array(&sssp->node, 2 * bytes, NULL);
    sssp->known = node_array(&sssp->node, STAY_WORDS * sizeof(cl_uint), NULL);
    NODE_SET(kernel, 2, UINT(sssp_n_own(sssp)), UINT(sssp_bucket_end(sssp->form, sssp->delta, 0)),
             ARRAY(sssp->offsets), ARRAY(sssp->slots), ARRAY(sssp->weights), ARRAY(sssp->best),
             ARRAY(sssp->settled), ARRAY(sssp->fronts), ARRAY(sssp->far), ARRAY(sssp->on),
             ARRAY(sssp->known));
    node_check_cl(clReleaseKernel(kernel), "clReleaseKernel");
}

/* What can only be judged by the graph. */
static void check_options(const struct sssp *sssp)
{
    const uint64_t n = sssp->part.survey.n_vertices;
    if (sssp->source != SSSP_DRAW_SOURCE && sssp->source >= n)
        die("-r: vertex %llu is not in 0..%llu", (unsigned long long)sssp->source,
            (unsigned long long)n - 1);
    if (sssp->form != SSSP_FLOAT && sssp->delta != SSSP_CHOOSE_WIDTH &&
        (sssp->delta != floor(sssp->delta) || sssp->delta > (double)UINT32_MAX))
        die("-d: weights are whole numbers, and %g is not in 0..%u", sssp->delta, UINT32_MAX);
    if (sssp->node.schedule && (sssp->delta > 0 || sssp->worth > 0 || sssp->sends_own))
        die("--schedule: distances of 32 bits, no --delta, --worth, --send-own and --model");
    if (sssp->stays && (sssp->node.schedule || sssp->worth > 0 || sssp->sends_own))
        die("--stay: distances of 32 bits, no --schedule, --worth, --send-own and --model");
}

static void open_node(void *self)
{
    struct sssp *sssp = self;
    struct node *node = &sssp->node;
    node_survey(&sssp->node, &sssp->part, sssp->options.seed,
                (struct part_wish){.refuse_negative = true});
    sssp->form = sssp_choose_form(&sssp->part.survey);
    /* A word of 64 bits is not one that every device can lower. */
    sssp->sends_own |= sssp->form == SSSP_ULONG || node->model != model_gravel;
    check_options(sssp);
    /* As for one node, because only an open node knows how many there are. */
    node_open(node, filled_most(sssp->part.survey.n_vertices) * sssp_distance_bytes(sssp) +
                        (sssp->stays ? ROUNDS_BYTES : 0));
    node_part(node, &sssp->part);
    graph_draw_weights(&sssp->part.rows, sssp->part.first, sssp->options.seed);
    if (sssp->source == SSSP_DRAW_SOURCE)
        draw_source(sssp);
    TRY(gravel_alloc(node->gravel,
                     filled_most(sssp->part.partition.block) * sssp_distance_bytes(sssp),
                     &sssp->distances));
    if (sssp->stays && node->n_nodes > 1)
        die("--stay: run it on one node, not on %u", node->n_nodes);
    if (node->schedule)
        sssp->delta = 0;
    else
        sssp_choose_widths(sssp);
    sssp_upload(sssp);
    if (node->n_nodes > 1 && !sssp->sends_own)
        TRY(gravel_accumulator_create(&sssp->offers, node->gravel, sssp->distances,
                                      sssp->part.partition.block, GRAVEL_MIN, GRAVEL_UINT));
    build(sssp);
    set_arguments(sssp);
    if (sssp->stays)
        open_rounds(sssp);
    if (!node->schedule)
        return;
    /* All vertices are tasks, in every round. */
    tasks_open_stretches(&sssp->tasks, node, sssp_n_own(sssp));
    NODE_SET(sssp->relax_tasks, 1, UINT(sssp_n_own(sssp)), ARRAY(sssp->offsets), ARRAY(sssp->slots),
             ARRAY(sssp->weights), ARRAY(sssp->settled), ARRAY(sssp->best), ARRAY(sssp->counts));
}

static void close_node(void *self)
{
    struct sssp *sssp = self;
    tasks_close(&sssp->tasks);
    TRY(gravel_rounds_destroy(sssp->rounds));
    TRY(gravel_accumulator_destroy(sssp->offers));
    part_close(&sssp->part);
}

/* ---- rounds ------------------------------------------------------------------------------------
 *
 * A round lists what came nearer at each node, counts it over all nodes, and offers its
 * neighbours new distances: own ones in place, others by messages. The count is also what keeps
 * nodes apart: none offers before all have listed, so the rounds, and what each relaxes, are the
 * same on any number of nodes. When nothing is left below the bucket's end, the least distance
 * that waits anywhere opens the next bucket.
 */

/* Read distances of the device's form. @return  [n], to be freed. */
static uint64_t *read_distances(struct sssp *sssp, cl_mem array, uint64_t n)
{
    uint64_t *distances = app_array(n, sizeof *distances, "distances");
    if (sssp->form == SSSP_ULONG) {
        node_read(&sssp->node, array, n * sizeof *distances, distances);
        return distances;
    }
    cl_uint *narrow = app_array(n, sizeof *narrow, "distances");
    node_read(&sssp->node, array, n * sizeof *narrow, narrow);
    for (uint64_t i = 0; i < n; i++)
        distances[i] = narrow[i];
    free(narrow);
    return distances;
}

/* This node's distances: [own vertices], to be freed. */
static uint64_t *read_own(struct sssp *sssp)
{
    return read_distances(sssp, sssp->settled, sssp_n_own(sssp));
}

static void reset_tasks(struct sssp *sssp)
{
    const cl_uint zero = 0;
    const size_t bytes = sssp_n_own(sssp) * sizeof zero;
    uint64_t source = partition_index(&sssp->part.partition, sssp->source);
    node_fill(&sssp->node, sssp->settled, UINT32_MAX, bytes);
    node_fill(&sssp->node, sssp->best, UINT32_MAX, bytes);
    node_write(&sssp->node, sssp->best, source * sizeof zero, sizeof zero, &zero);
    node_finish(&sssp->node);
    TRY(gravel_steal_stats_reset(sssp->tasks.steal));
}

/* The source is the front of round 0. */
static void reset_rounds(struct sssp *sssp)
{
    const size_t bytes = sssp_n_own(sssp) * sizeof(cl_uint);
    const cl_uint source = (cl_uint)partition_index(&sssp->part.partition, sssp->source), zero = 0;
    cl_uint known[STAY_WORDS] = {1, [STAY_LOW] = UINT32_MAX, UINT32_MAX,
                                 UINT32_MAX, [STAY_REACHED] = 1};
    known[STAY_LIMIT] = (cl_uint)sssp_bucket_end(sssp->form, sssp->delta, 0);
    node_fill(&sssp->node, sssp->best, UINT32_MAX, bytes);
    node_fill(&sssp->node, sssp->settled, UINT32_MAX, bytes);
    node_fill(&sssp->node, sssp->on, 0, 2 * bytes);
    node_write(&sssp->node, sssp->best, source * sizeof zero, sizeof zero, &zero);
    node_write(&sssp->node, sssp->fronts, 0, sizeof source, &source);
    node_write(&sssp->node, sssp->known, 0, sizeof known, known);
    node_finish(&sssp->node);
}

static void reset(void *self)
{
    struct sssp *sssp = self;
    if (sssp->stays) {
        reset_rounds(sssp);
        return;
    }
    if (sssp->node.schedule) {
        reset_tasks(sssp);
        return;
    }
    uint64_t n = sssp->n_slots > sssp->n_settled ? sssp->n_slots : sssp->n_settled;
    node_clear(&sssp->node, sssp->counts, 2 * N_COUNTS * sizeof(cl_uint));
    node_launch(&sssp->node, sssp->reset, n);
    if (sssp->offers)
        TRY(gravel_accumulator_reset(sssp->offers));
    TRY(gravel_barrier(sssp->node.gravel));
}

static void set_limit(struct sssp *sssp, uint64_t limit)
{
    cl_uint narrow = (cl_uint)limit;
    bool is_wide = sssp->form == SSSP_ULONG;
    NODE_SET(sssp->gather, 3,
             {sssp_distance_bytes(sssp), is_wide ? (const void *)&limit : (const void *)&narrow});
}

/* What a round relaxes [chunks]. */
struct listed {
    uint64_t n_own, n_sent;         /* at this node */
    uint64_t n_all_own, n_all_sent; /* at all nodes */
};

/* List what came nearer, below the limit. @return  whether anything did at any node. */
static bool gather(struct sssp *sssp, struct listed *listed)
{
    cl_uint both[2][N_COUNTS];
    const cl_uint *counts = both[sssp->turn];
    NODE_SET(sssp->gather, GATHER_TURN, UINT(sssp->turn));
    node_run(&sssp->node, sssp->gather, sssp->n_settled / SCANNED);
    node_read(&sssp->node, sssp->counts, sizeof both, both);
    sssp->turn = !sssp->turn;
    uint64_t sums[N_COUNTS] = {counts[0], counts[1], counts[2], counts[3]};
    TRY(gravel_reduce(sssp->node.gravel, GRAVEL_ADD, GRAVEL_ULONG, sums, N_COUNTS));
    *listed = (struct listed){counts[0], counts[1], sums[0], sums[1]};
    sssp->n_gathers++;
    sssp->n_listed += sums[2];
    sssp->n_reached += sums[3];
    return listed->n_all_own + listed->n_all_sent > 0;
}

/* Own edges whose distances take longer to lower than it takes to begin a flush [chunks]. */
#define MANY_CHUNKS (UINT64_C(1) << 17)

/* What is sent comes first, and travels while own distances are lowered: for those no node waits but this, in gather. */
static void relax(struct sssp *sssp, const struct listed *listed)
{
    /* A vertex and a distance for each edge of a chunk. */
    const struct node_bound bound = {.n_messages = sssp->longest_chunk,
                                     .message_bytes = 4 + (uint32_t)sssp_distance_bytes(sssp)};
    if (listed->n_all_sent) {
        const uint64_t n_items = node_full(&sssp->node, sssp->relax, listed->n_sent);
        if (sssp->offers)
            node_run(&sssp->node, sssp->relax, n_items);
        else
            node_send(&sssp->node, sssp->relax, n_items, bound);
    }
    if (listed->n_all_sent && sssp->offers && listed->n_own >= MANY_CHUNKS)
        TRY(gravel_accumulator_begin(sssp->offers));
    if (listed->n_own)
        node_run(&sssp->node, sssp->relax_own,
                 node_full(&sssp->node, sssp->relax_own, listed->n_own));
    if (listed->n_all_sent)
        TRY(gravel_barrier(sssp->node.gravel));
}

static bool run_tasks(struct sssp *sssp)
{
    cl_uint counts[2]; /* came nearer, reached for the first time */
    node_clear(&sssp->node, sssp->counts, sizeof counts);
    tasks_run_stretches(&sssp->tasks, sssp->relax_tasks);
    node_read(&sssp->node, sssp->counts, sizeof counts, counts);
    sssp->n_rounds++;
    sssp->n_reached += counts[1];
    return counts[0] > 0;
}

/* @return  whether the bucket may have more. */
static bool take_round(struct sssp *sssp)
{
    struct listed listed;
    if (sssp->node.schedule)
        return run_tasks(sssp);
    if (!gather(sssp, &listed))
        return false;
    relax(sssp, &listed);
    sssp->n_rounds++;
    return true;
}

static void run_rounds(struct sssp *sssp)
{
    struct gravel_rounds_ended ended;
    cl_uint known[STAY_WORDS];
    TRY(gravel_rounds_run(sssp->rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX, &ended, sizeof ended));
    node_read(&sssp->node, sssp->known, sizeof known, known);
    sssp->n_rounds = ended.n_rounds;
    sssp->n_buckets = known[STAY_TURN + ended.n_rounds % 3];
    sssp->n_reached = known[STAY_REACHED];
}

static void search(void *self)
{
    struct sssp *sssp = self;
    if (sssp->stays) {
        run_rounds(sssp);
        return;
    }
    uint64_t far = sssp_far(sssp->form), lowest = 0;
    double width = sssp->delta, density = 0;
    sssp->n_rounds = sssp->n_buckets = sssp->n_reached = 0;
    for (; lowest != far; sssp->n_buckets++) {
        uint64_t end = sssp_bucket_end(sssp->form, width, lowest);
        set_limit(sssp, end);
        sssp->n_gathers = sssp->n_listed = 0;
        while (take_round(sssp))
            ;
        width = sssp_next_width(sssp, width, &density);
        lowest = far;
        if (end == far)
            continue;
        uint64_t *lows = read_distances(sssp, sssp->lows, sssp_n_groups(sssp));
        for (uint64_t i = 0; i < sssp_n_groups(sssp); i++)
            lowest = lows[i] < lowest ? lows[i] : lowest;
        free(lows);
        lowest = node_least(&sssp->node, lowest); /* that waits, as the last gather has found */
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"source", 'r', "VERTEX",
     "Start here; vertices count from 0, whatever the file does (one with edges, drawn by --seed)",
     OPTION_NUMBER(struct sssp, source, 0, GRAPH_MAX_VERTICES - 1)},
    {"delta", 'd', "WIDTH",
     "Settle distances in buckets of this width, nearest first; 0: all at once (chosen by weights, "
     "degrees and size of the graph, and by what a round costs)",
     OPTION_REAL(struct sssp, delta)},
    {"worth", 'w', "VERTICES",
     "Let buckets become wider once the front no longer grows and a round lists fewer than these; "
     "0: never (chosen with the width by what a round costs; else 0)",
     OPTION_REAL(struct sssp, worth)},
    SEND_OWN_OPTION(struct sssp, sends_own),
    {"stay", 0, NULL,
     "Keep the search on the device, on one node: for many rounds of few vertices, as a mesh has",
     OPTION_FLAG(struct sssp, stays)},
    TASKS_OPTION(struct sssp, node,
                 "Share the vertices out to groups' deques, on one node, by this policy of "
                 "GRAVEL_STEAL_POLICY"),
    {0}};

/* The search that warmed up tells which vertices are reached. */
static uint64_t count_reached_edges(struct sssp *sssp)
{
    const struct graph *rows = &sssp->part.rows;
    const uint64_t far = sssp_far(sssp->form);
    uint64_t *distances = read_own(sssp), n_edges = 0, n_infinite = 0;
    for (uint64_t u = 0; u < rows->n_vertices; u++) {
        n_edges += distances[u] == far ? 0 : graph_degree(rows, u);
        n_infinite +=
            sssp->form == SSSP_FLOAT && distances[u] != far && isinf(sssp_float_of(distances[u]));
    }
    free(distances);
    n_infinite = node_sum(&sssp->node, n_infinite);
    if (n_infinite)
        die("vertices that are farther away than a float holds: %llu; make the weights smaller",
            (unsigned long long)n_infinite);
    return node_sum(&sssp->node, n_edges);
}

static void describe(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    uint64_t n_reached_edges = count_reached_edges(sssp);
    snprintf(trials->variant, sizeof trials->variant, "%s",
             sssp->node.schedule ? sssp->node.schedule
             : sssp->stays       ? "stay"
             : sssp->delta > 0   ? "delta"
                                 : "rounds");
    trials->work = (double)n_reached_edges;
    part_describe(&sssp->part, sssp->options.seed, sssp->part.survey.n_edges, trials);
    trials_add_number(trials, "source", sssp->source);
    trials_add_real(trials, "delta", sssp->delta);
    trials_add_real(trials, "worth", sssp->node.schedule || sssp->stays ? 0 : sssp->worth);
    trials_add_word(trials, "send", sssp->sends_own ? "edges" : "words");
    trials_add_word(trials, "distances", sssp_form_name(sssp->form));
    trials_add_number(trials, "rounds", sssp->n_rounds);
    trials_add_number(trials, "buckets", sssp->n_buckets);
    trials_add_number(trials, "reached_vertices", sssp->n_reached);
    trials_add_number(trials, "reached_edges", n_reached_edges);
}

/*
 * Dijkstra's distances over the whole graph. Each distance must agree in every bit, floats too: rounding never turns two
 * sums round, so the least of all paths is the same whichever way it is found.
 *
 * @return  this node's vertices with a wrong one [count].
 */
static uint64_t compare_with_dijkstra(struct sssp *sssp)
{
    struct graph whole;
    part_whole(&whole, &sssp->part);
    graph_draw_weights(&whole, 0, sssp->options.seed);
    double start = trials_clock();
    uint64_t *distance = sssp_dijkstra(&whole, sssp->form, sssp->source);
    sssp->check_s = trials_clock() - start;
    uint64_t *own = read_own(sssp), n_wrong = 0;
    for (uint64_t i = 0; i < sssp_n_own(sssp); i++)
        n_wrong += own[i] != distance[sssp->part.first + i];
    free(own);
    free(distance);
    graph_free(&whole);
    return n_wrong;
}

static uint64_t check(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    uint64_t n_wrong = compare_with_dijkstra(sssp);
    trials_add_real(trials, "serial_seconds", sssp->check_s);
    trials_say(trials,
               "  source %llu, %llu rounds in %llu buckets, %llu of %llu vertices reached; "
               "Dijkstra, serial: %.6f s\n",
               (unsigned long long)sssp->source, (unsigned long long)sssp->n_rounds,
               (unsigned long long)sssp->n_buckets, (unsigned long long)sssp->n_reached,
               (unsigned long long)sssp->part.survey.n_vertices, sssp->check_s);
    return n_wrong;
}

static void result(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    tasks_tell(&sssp->tasks, trials);
}

static const struct app app = {
    .name = "sssp",
    .unit = "edges/s",
    .doc = "Find the shortest paths from one vertex of a graph to all others, and say how many "
           "edges a second that took.",
    .groups = {{"SSSP:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct sssp, part.options))},
    .has_models = true,
    APP_FIELDS(struct sssp),
    .open = open_node,
    .reset = reset,
    .run = search,
    .describe = describe,
    .result = result,
    .check = check,
    .checked = "distances",
    .close = close_node};

int main(int argc, char **argv)
{
    struct sssp sssp = {.part.options = GRAPH_OPTIONS_DEFAULT,
                        .source = SSSP_DRAW_SOURCE,
                        .delta = SSSP_CHOOSE_WIDTH,
                        .worth = SSSP_CHOOSE_WIDTH};
    return app_main(&app, &sssp, argc, argv);
}
