/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring of a graph whose vertices are spread over all nodes.
 *
 * Every vertex has a random priority. Each node colours its vertices in that order, and sends the colours that other nodes
 * look at, a word each; where they clash the later vertex chooses again. With --ordered no node guesses: a round colours
 * those that come before all their neighbours without a colour. With --schedule vertices are tasks of groups' deques.
 *
 * Path: main -> open_node (order.c, this node's part) -> run (a way's rounds) -> kernels -> copies at every node
 * -> check.c
 * Owner: open_node makes what close_node frees.
 * Threads: main's.
 * Source: Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Gebremedhin, Manne, Scalable Parallel Graph
 * Coloring Algorithms, 2000; Bozdag et al., A Framework for Scalable Greedy Coloring on Distributed-Memory Parallel
 * Computers, 2008; Che, Beckmann, Reinhardt, Skadron, Pannotia, 2013; Orr et al. 2015, section 5.3; Orr 2016, section 5.4.2.
 */
#include "color.h"

#include <stdio.h>
#include <stdlib.h>

/* Room for what nodes tell each other first: 32 bytes a node [bytes]. */
#define BEGINS_BYTES 65536

/* A way to colour: its kernels, what it makes at a node, and a trial. */
struct way {
    const char *file, *source;
    void (*list)(struct color *color); /* put lists on the device, while the host has the edges */
    void (*prepare)(struct color *color); /* make kernels, which are built by now */
    void (*reset)(struct color *color);   /* no vertex has a colour */
    /* Round n_rounds, from 1. Collective. @return  vertices without a colour, of all nodes [count] */
    uint64_t (*round)(struct color *color);
};

static uint64_t n_own(const struct color *color)
{
    return color->part.rows.n_vertices;
}

static cl_mem upload(struct color *color, uint64_t n, uint32_t *list)
{
    cl_mem array = node_array(&color->node, n * sizeof *list, list);
    free(list);
    return array;
}

static cl_mem make_array(struct color *color, uint64_t n, size_t bytes)
{
    return node_array(&color->node, n * bytes, NULL);
}

/* ---- rounds that guess --------------------------------------------------------------------------
 *
 * Every node colours its vertices as if it were alone, sends the colours that are known elsewhere, a word a vertex, and
 * takes back those that clash. Of two neighbours with one colour the one that chooses later chooses again, so a round
 * settles the first of all that are left, at least, and most others.
 */

static void upload_rows(struct color *color)
{
    uint32_t *slots = color_list_slots(color), *neighbours;
    uint32_t *rows = color_list_rows(color, slots, &neighbours);
    color->neighbours = upload(color, rows[COLOR_ROW * n_own(color)], neighbours);
    color->rows = upload(color, COLOR_ROW * (n_own(color) + 1), rows);
    color->slots = upload(color, n_own(color), slots);
}

/* Ghosts are in the order of their owners, and so are copies of their colours. */
static void open_mirror(struct color *color)
{
    const struct ghosts *ghosts = &color->ghosts;
    uint64_t *n_words = app_array(color->node.n_nodes, sizeof *n_words, "a plan");
    uint32_t *indices = app_array(ghosts->n, sizeof *indices, "a plan");
    for (uint64_t i = 0; i < ghosts->n; i++) {
        n_words[ghosts_owner(ghosts, n_own(color) + i)]++;
        indices[i] = ghosts_index(ghosts, n_own(color) + i);
    }
    const struct gravel_words words = GRAVEL_WORDS(color->colors, GRAVEL_UINT, n_words, indices);
    TRY(gravel_mirror_create(&color->mirror, color->node.gravel, &words));
    free(n_words);
    free(indices);
}

static void list_rows(struct color *color)
{
    struct node *node = &color->node;
    TRY(gravel_alloc(node->gravel, color->part.partition.block * sizeof(cl_uint), &color->colors));
    if (node_sum(node, color->ghosts.n) > 0)
        open_mirror(color);
    upload_rows(color);
    color->waited = make_array(color, color->part.rows.n_edges, sizeof(cl_uint));
    color->ends = make_array(color, n_own(color), sizeof(cl_uint));
    color->cursors = make_array(color, n_own(color), sizeof(cl_uint));
    color->taken = make_array(color, n_own(color), sizeof(cl_ulong4));
    color->bases = make_array(color, n_own(color), sizeof(cl_uint));
    color->rounds = make_array(color, n_own(color), sizeof(cl_uint));
    color->counts = make_array(color, 1, sizeof(cl_uint));
}

/* Behind the arena and the first item all these kernels have the same arguments. */
static cl_kernel make_guessing(struct color *color, const char *name)
{
    cl_kernel kernel = node_kernel(&color->node, name);
    NODE_SET(kernel, 5, cl_ulong, color->colors);
    NODE_SET_ARRAYS(kernel, 6, color->slots, color->rows, color->neighbours, color->waited,
                    color->ends, color->cursors, color->taken, color->bases, color->rounds,
                    color->counts, color->high);
    return kernel;
}

static void prepare_guesses(struct color *color)
{
    color->survey = make_guessing(color, "survey");
    color->guess = make_guessing(color, "guess");
    color->mend = make_guessing(color, "mend");
}

/* @param round  0: no vertex has a colour when it ends. */
static void launch(struct color *color, cl_kernel kernel, uint64_t round)
{
    NODE_SET(kernel, 3, cl_uint, (cl_uint)round);
    NODE_SET(kernel, 4, cl_ulong, color->mirror ? gravel_mirror_offset(color->mirror) : 0);
    node_run_full(&color->node, kernel, n_own(color));
}

static uint64_t mend(struct color *color)
{
    cl_uint n_left = 0;
    node_clear(&color->node, color->counts, sizeof n_left);
    launch(color, color->mend, color->n_rounds);
    node_read(&color->node, color->counts, sizeof n_left, &n_left);
    return n_left;
}

static void reset_guesses(struct color *color)
{
    launch(color, color->mend, 0);
    node_finish(&color->node);
}

static uint64_t guess(struct color *color)
{
    if (color->n_rounds > 1)
        launch(color, color->survey, color->n_rounds);
    launch(color, color->guess, color->n_rounds);
    if (color->mirror)
        TRY(gravel_mirror_share(color->mirror));
    return node_sum(&color->node, mend(color));
}

extern const char guessed_cl[]; /* guessed.cl */
static const struct way guessed = {"guessed.cl",    guessed_cl,    list_rows,
                                   prepare_guesses, reset_guesses, guess};

/* ---- rounds of --ordered ------------------------------------------------------------------------
 *
 * Colour what can be coloured here, count, publish, wait. The count over all nodes also keeps nodes apart: none publishes
 * before all have chosen. A colour depends on neighbours that choose before and on nothing else, so colours are those of
 * one vertex after the other, on any number of nodes. A round ends where vertices wait for those of other nodes: a node
 * alone has one round.
 *
 * A vertex is a ghost wherever one of its neighbours lives, for every edge stands in both rows. A node's ghosts are in the
 * order of owners and of their vertices, so an owner knows the slots of its own vertices there once it knows where they
 * begin.
 */

static void upload_higher(struct color *color)
{
    uint32_t *slots = color_list_slots(color);
    uint32_t *starts = color_count_higher(color, slots);
    uint32_t *higher = color_list_higher(color, slots, starts);
    color->higher = upload(color, starts[n_own(color)], higher);
    color->starts = upload(color, n_own(color) + 1, starts);
    color->slots = upload(color, n_own(color), slots);
}

/* Tell every owner at which slot its vertices begin here. */
static void tell_begins(struct color *color, uint64_t begins)
{
    struct node *node = &color->node;
    uint64_t slot = n_own(color), n_slots = ghosts_n_slots(&color->ghosts);
    while (slot < n_slots) {
        uint32_t owner = ghosts_owner(&color->ghosts, slot);
        uint64_t place = begins + node->number * sizeof slot;
        TRY(gravel_put(node->gravel, place, &slot, sizeof slot, owner));
        while (slot < n_slots && ghosts_owner(&color->ghosts, slot) == owner)
            slot++;
    }
}

/* At which slot this node's vertices begin at each node. @return [n_nodes], to be freed. */
static uint64_t *learn_begins(struct color *color)
{
    struct node *node = &color->node;
    size_t bytes = node->n_nodes * sizeof(uint64_t);
    uint64_t *begins = app_array(node->n_nodes, sizeof *begins, "a list of nodes");
    uint64_t offset;
    TRY(gravel_alloc(node->gravel, bytes, &offset));
    tell_begins(color, offset);
    TRY(gravel_barrier(node->gravel));
    TRY(gravel_get(node->gravel, offset, begins, bytes, node->number));
    TRY(gravel_free(node->gravel, offset));
    return begins;
}

/* The nodes other than this one where vertex u has neighbours. `mark` has node + 1 -> last u + 1.
 */
static uint32_t list_nodes(const struct color *color, uint64_t u, uint64_t *marks, uint32_t *nodes)
{
    const struct graph *rows = &color->part.rows;
    uint32_t n = 0;
    for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
        uint32_t owner = partition_owner(&color->part.partition, rows->neighbours[e]);
        if (owner != color->node.number && marks[owner] != u + 1)
            nodes[n++] = owner;
        marks[owner] = u + 1;
    }
    return n;
}

/* Fill `starts`, and `copies` too unless it is NULL: node and slot, twice the starts' numbers. */
static void list_copies(const struct color *color, uint64_t *begins, uint32_t *starts,
                        uint32_t *copies)
{
    uint32_t n_nodes = color->node.n_nodes, n_copies = 0;
    uint64_t *marks = app_array(n_nodes, sizeof *marks, "a list of nodes");
    uint32_t *nodes = app_array(n_nodes, sizeof *nodes, "a list of nodes");
    for (uint64_t u = 0; u < n_own(color); u++) {
        uint32_t n = list_nodes(color, u, marks, nodes);
        for (uint32_t i = 0; copies && i < n; i++) {
            copies[2 * (n_copies + i)] = nodes[i];
            copies[2 * (n_copies + i) + 1] = (uint32_t)begins[nodes[i]]++;
        }
        n_copies += n;
        starts[u + 1] = n_copies;
    }
    free(marks);
    free(nodes);
}

static void upload_copies(struct color *color)
{
    uint64_t *begins = learn_begins(color);
    uint32_t *starts = app_array(n_own(color) + 1, sizeof *starts, "a list of edges");
    list_copies(color, begins, starts, NULL);
    uint64_t n = 2 * (uint64_t)starts[n_own(color)];
    uint32_t *copies = app_array(n, sizeof *copies, "a list of edges");
    list_copies(color, begins, starts, copies);
    color->copy_starts = upload(color, n_own(color) + 1, starts);
    color->copies = upload(color, n, copies);
    free(begins);
}

/* All nodes have room for the most that any needs. */
static void list_ordered(struct color *color)
{
    struct node *node = &color->node;
    uint64_t n_slots = node_most(node, ghosts_n_slots(&color->ghosts));
    upload_higher(color);
    upload_copies(color);
    TRY(gravel_alloc(node->gravel, n_slots * sizeof(cl_uint), &color->colors));
    color->cursors = make_array(color, n_own(color), sizeof(cl_uint));
    color->taken = make_array(color, n_own(color), sizeof(cl_ulong4));
    color->lists[0] = make_array(color, n_own(color), sizeof(cl_uint));
    color->lists[1] = make_array(color, n_own(color), sizeof(cl_uint));
    color->ready = make_array(color, n_own(color), sizeof(cl_uint2));
    color->counts = make_array(color, 2, sizeof(cl_uint));
}

static void prepare_ordered(struct color *color)
{
    color->reset = node_kernel(&color->node, "reset");
    NODE_SET(color->reset, 2, cl_ulong, color->colors);
    NODE_SET(color->reset, 3, cl_uint, (cl_uint)n_own(color));
    NODE_SET_ARRAYS(color->reset, 4, color->starts, color->cursors, color->taken, color->lists[0],
                    color->high);
    color->choose = node_kernel(&color->node, "choose");
    NODE_SET(color->choose, 3, cl_ulong, color->colors);
    NODE_SET(color->choose, 4, cl_uint, (cl_uint)n_own(color));
    NODE_SET_ARRAYS(color->choose, 7, color->slots, color->starts, color->higher, color->cursors,
                    color->taken, color->ready);
    NODE_SET_ARRAYS(color->choose, 14, color->counts, color->high);
    color->publish = node_kernel(&color->node, "publish");
    NODE_SET(color->publish, 3, cl_ulong, color->colors);
    NODE_SET_ARRAYS(color->publish, 4, color->ready, color->copy_starts, color->copies);
}

static void reset_ordered(struct color *color)
{
    color->n_waiting = n_own(color);
    node_launch(&color->node, color->reset, ghosts_n_slots(&color->ghosts));
    TRY(gravel_barrier(color->node.gravel));
}

/* Colour what can be coloured of the vertices that wait. @return  how many were. */
static uint64_t choose(struct color *color)
{
    const unsigned turn = color->n_rounds % 2;
    cl_uint counts[2]; /* coloured, keep waiting */
    node_clear(&color->node, color->counts, sizeof counts);
    NODE_SET(color->choose, 5, cl_uint, (cl_uint)color->n_rounds);
    NODE_SET(color->choose, 6, cl_mem, color->lists[!turn]);
    NODE_SET(color->choose, 13, cl_mem, color->lists[turn]);
    node_run_full(&color->node, color->choose, color->n_waiting);
    node_read(&color->node, color->counts, sizeof counts, counts);
    color->n_waiting = counts[1];
    return counts[0];
}

static uint64_t choose_and_publish(struct color *color)
{
    /* One copy at each other node at most, a slot and a colour each. */
    const struct node_bound bound = {.n_messages = color->node.n_nodes, .message_bytes = 8};
    const uint64_t n_ready = choose(color), n_left = node_sum(&color->node, color->n_waiting);
    node_send_full(&color->node, color->publish, n_ready, bound);
    TRY(gravel_barrier(color->node.gravel));
    return n_left;
}

extern const char ordered_cl[]; /* ordered.cl */
static const struct way ordered = {"ordered.cl",    ordered_cl,    list_ordered,
                                   prepare_ordered, reset_ordered, choose_and_publish};

/* ---- rounds of --schedule -----------------------------------------------------------------------
 *
 * All vertices are tasks, in every round. A vertex depends on neighbours that choose before and on nothing else, so colours
 * are the same by every policy.
 */

static void list_tasks(struct color *color)
{
    upload_higher(color);
    color->cursors = make_array(color, n_own(color), sizeof(cl_uint));
    color->own_colors[0] = make_array(color, n_own(color), sizeof(cl_uint));
    color->own_colors[1] = make_array(color, n_own(color), sizeof(cl_uint));
    color->counts = make_array(color, 1, sizeof(cl_uint));
}

static void prepare_tasks(struct color *color)
{
    tasks_open_stretches(&color->tasks, &color->node, n_own(color));
    color->color_tasks = node_kernel_without_arena(&color->node, "color_tasks");
    NODE_SET(color->color_tasks, 1, cl_uint, (cl_uint)n_own(color));
    NODE_SET_ARRAYS(color->color_tasks, 2, color->slots, color->starts, color->higher,
                    color->cursors);
    NODE_SET(color->color_tasks, 8, cl_mem, color->counts);
}

static void reset_tasks(struct color *color)
{
    const cl_uint none = NO_COLOR;
    const size_t bytes = n_own(color) * sizeof none;
    cl_command_queue queue = gravel_cl_queue(color->node.gravel);
    node_check_cl(clEnqueueFillBuffer(queue, color->own_colors[0], &none, sizeof none, 0, bytes, 0,
                                      NULL, NULL),
                  "clEnqueueFillBuffer");
    node_check_cl(
        clEnqueueCopyBuffer(queue, color->starts, color->cursors, 0, 0, bytes, 0, NULL, NULL),
        "clEnqueueCopyBuffer");
    node_finish(&color->node);
    TRY(gravel_steal_stats_reset(color->tasks.steal));
}

static uint64_t run_tasks(struct color *color)
{
    const unsigned turn = color->n_rounds % 2;
    cl_uint n_left;
    node_clear(&color->node, color->counts, sizeof n_left);
    NODE_SET_ARRAYS(color->color_tasks, 6, color->own_colors[!turn], color->own_colors[turn]);
    tasks_run_stretches(&color->tasks, color->color_tasks);
    node_read(&color->node, color->counts, sizeof n_left, &n_left);
    return n_left;
}

extern const char scheduled_cl[]; /* scheduled.cl */
static const struct way scheduled = {"scheduled.cl", scheduled_cl, list_tasks,
                                     prepare_tasks,  reset_tasks,  run_tasks};

/* ---- open and close -------------------------------------------------------------------------- */

static const struct way *way_of(const struct color *color)
{
    return color->node.schedule ? &scheduled : color->is_ordered ? &ordered : &guessed;
}

/* Looks at its vertices after which a group leaves them for the next round. A round that guesses begins by a survey, which
 * finds what they wait for sooner than a group that keeps looking. Measured on one and two H200s, kronecker-20 to -24. */
#define PASSES 1024
#define PASSES_THAT_GUESS 128
#define PASSES_ALONE 4096 /* no other node's vertex clashes */

static unsigned passes_of(const struct color *color)
{
    return way_of(color) != &guessed  ? PASSES
           : color->node.n_nodes == 1 ? PASSES_ALONE
                                      : PASSES_THAT_GUESS;
}

static void build(struct color *color)
{
    char defines[64];
    snprintf(defines, sizeof defines, "-DGROUP_ITEMS=%u -DPASSES=%u", color->node.group_items,
             passes_of(color));
    node_build(&color->node, way_of(color)->file, way_of(color)->source, defines);
}

/* A node knows no more vertices than there are. Guessed colours: own ones, those of ghosts twice, those sent. */
static uint64_t heap_bytes(const struct color *color)
{
    uint64_t bytes = color->part.survey.n_vertices * sizeof(cl_uint);
    return (color->is_ordered ? bytes : 4 * bytes) + BEGINS_BYTES;
}

static void open_node(void *self)
{
    struct color *color = self;
    struct node *node = &color->node;
    color->is_ordered |= node->schedule || node->model != model_gravel;
    node_survey(&color->node, &color->part, color->options.seed,
                (struct part_wish){.is_undirected = true});
    node_open(node, heap_bytes(color));
    node_part(node, &color->part);
    color->n_edges = node_sum(node, color->part.rows.n_edges);
    ghosts_open(&color->ghosts, &color->part);
    color->high = node_array(node, (color->part.rows.n_edges / 64 + 1) * sizeof(cl_ulong), NULL);
    way_of(color)->list(color);
    part_forget_edges(&color->part);
    build(color);
    way_of(color)->prepare(color);
}

static void close_node(void *self)
{
    struct color *color = self;
    if (color->node.schedule)
        tasks_close(&color->tasks);
    TRY(gravel_mirror_destroy(color->mirror));
    ghosts_close(&color->ghosts);
    part_close(&color->part);
    node_close(&color->node);
}

/* ---- a trial --------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct color *color = self;
    way_of(color)->reset(color);
}

static void run(void *self)
{
    struct color *color = self;
    const uint64_t n_vertices = color->part.survey.n_vertices;
    progress_begin(&color->progress, stderr, "color", n_vertices,
                   color->options.quiet || color->node.number != 0);
    color->n_rounds = 0;
    for (uint64_t n_left = n_vertices; n_left;) {
        color->n_rounds++;
        n_left = way_of(color)->round(color);
        progress_at(&color->progress, n_vertices - n_left);
    }
    progress_end(&color->progress);
}

uint32_t *color_read(struct color *color, uint32_t node)
{
    uint64_t n = partition_count(&color->part.partition, node);
    uint32_t *colors = app_array(n, sizeof *colors, "the colours");
    if (color->node.schedule)
        node_read(&color->node, color->own_colors[color->n_rounds % 2], n * sizeof *colors, colors);
    else if (n)
        TRY(gravel_get(color->node.gravel, color->colors, colors, n * sizeof *colors, node));
    return colors;
}

/* How many colours all nodes use. */
static uint64_t count_colors(struct color *color)
{
    uint32_t *own = color_read(color, color->node.number);
    uint64_t most = 0;
    for (uint64_t i = 0; i < n_own(color); i++)
        most = own[i] != NO_COLOR && own[i] >= most ? own[i] + (uint64_t)1 : most;
    free(own);
    return node_most(&color->node, most);
}

/* ---- the program ----------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"ordered", 0, NULL,
     "Wait for the colours of other nodes' vertices that choose before, instead of guessing: the "
     "same colours on any number of nodes, in many rounds (given with --schedule and --model)",
     OPTION_FLAG(struct color, is_ordered)},
    TASKS_OPTION(struct color, node,
                 "Share the vertices out to groups' deques, on one node, by this policy of "
                 "GRAVEL_STEAL_POLICY"),
    {0}};

static void describe(void *self, struct trials *trials)
{
    struct color *color = self;
    color->n_colors = count_colors(color);
    trials->work = (double)color->n_edges;
    if (color->node.schedule)
        snprintf(trials->variant, sizeof trials->variant, "%s", color->node.schedule);
    else if (color->is_ordered)
        snprintf(trials->variant, sizeof trials->variant, "ordered");
    part_describe(&color->part, color->options.seed, color->n_edges, trials);
    trials_add_number(trials, "seed", color->options.seed);
    trials_add_number(trials, "rounds", color->n_rounds);
    trials_add_number(trials, "colors", color->n_colors);
    trials_add_number(trials, "group_items", color->node.group_items);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct color *color = self;
    uint64_t n_wrong = color_check(color);
    trials_add_number(trials, "serial_colors", color->n_serial);
    trials_add_real(trials, "serial_seconds", color->serial_s);
    trials_say(trials, "  %llu colours in %llu rounds; greedy, serial: %llu colours in %.6f s\n",
               (unsigned long long)color->n_colors, (unsigned long long)color->n_rounds,
               (unsigned long long)color->n_serial, color->serial_s);
    return n_wrong;
}

static void result(void *self, struct trials *trials)
{
    struct color *color = self;
    if (color->node.schedule)
        tasks_tell(&color->tasks, trials);
}

static const struct app app = {
    .name = "color",
    .unit = "edges/s",
    .doc = "Colour the vertices of a graph so that neighbours differ, and say how many edges a "
           "second that took. Directions of edges, loops and repeated edges do not count.",
    .groups = {{"Color:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct color, part.options))},
    .has_models = true,
    APP_FIELDS(struct color),
    .open = open_node,
    .reset = reset,
    .run = run,
    .describe = describe,
    .result = result,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct color color = {.part.options = GRAPH_OPTIONS_DEFAULT};
    return app_main(&app, &color, argc, argv);
}
