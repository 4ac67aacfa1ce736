/* SPDX-License-Identifier: MIT */
/*
 * Maximum flows by push-relabel, with a critical section for each vertex.
 *
 * Served, the handler of an active vertex wakes its neighbours by messages of its own, so that the messages are the list of
 * what is to be done; with locks a list is made for each launch.
 *
 * Rounds: exact heights, and then active vertices are discharged until none is left, or so many have risen that exact heights
 * are worth their time.
 *
 * Path: main -> open_node (network.c) -> run -> maxflow.cl -> check.c -> report
 * Owner: open_node makes what close_node frees.
 * Threads: main's.
 * Source: Goldberg and Tarjan 1988; Cherkassky and Goldberg, On Implementing the Push-Relabel Method for the Maximum Flow
 * Problem, 1997 (global relabeling); Wang, Fussell, Lin 2019, section 4 (MF).
 */
#include "maxflow.h"

#include <stddef.h>
#include <stdio.h>

extern const char maxflow_cl[];

/* ---- memory ------------------------------------------------------------------------------------ */

static uint64_t put(struct maxflow *maxflow, const void *from, uint64_t bytes)
{
    uint64_t at;
    TRY(gravel_alloc(maxflow->node.gravel, bytes ? bytes : 1, &at));
    if (bytes) {
        TRY(gravel_put(maxflow->node.gravel, at, from, bytes, maxflow->node.number));
        TRY(gravel_quiet(maxflow->node.gravel));
    }
    return at;
}

static uint64_t room_for(struct maxflow *maxflow, uint64_t n_words)
{
    uint64_t at;
    TRY(gravel_alloc(maxflow->node.gravel, n_words ? 4 * n_words : 4, &at));
    return at;
}

static void make_memory(struct maxflow *maxflow)
{
    const struct maxflow_rows *net = &maxflow->net;
    const uint64_t n = net->n_vertices, m = net->n_entries;
    maxflow->network = (struct maxflow_network){
        .offsets = put(maxflow, net->offsets, 4 * (n + 1)),
        .arcs = put(maxflow, net->entries, m * sizeof *net->entries),
        .capacity = put(maxflow, net->capacity, 4 * m),
        .room = room_for(maxflow, m),
        .incoming = room_for(maxflow, m),
        .heights = room_for(maxflow, n),
        .excess = room_for(maxflow, n),
        .is_active = room_for(maxflow, n),
        .locks = room_for(maxflow, n),
        .n_vertices = (cl_uint)n,
        .source = net->source,
        .sink = net->sink,
        .limit = (cl_uint)n,
    };
    maxflow->at = put(maxflow, &maxflow->network, sizeof maxflow->network);
    TRY(gravel_set_constant(maxflow->node.gravel, 0, maxflow->at));
    for (int turn = 0; turn < 2; turn++)
        maxflow->lists[turn] = node_array(&maxflow->node, 4 * n, NULL);
    maxflow->counts = node_array(&maxflow->node, sizeof(cl_uint), NULL);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static void make_kernels(struct maxflow *maxflow)
{
    cl_kernel *const kernels[] = {&maxflow->begin, &maxflow->receive, &maxflow->step_back,
                                  &maxflow->collect};
    static const char *const names[] = {"begin", "receive", "step_back", "collect"};
    for (int i = 0; i < 4; i++) {
        *kernels[i] = node_kernel(&maxflow->node, names[i]);
        NODE_SET(*kernels[i], 2, ULONG(maxflow->at));
    }
    NODE_SET(maxflow->step_back, 6, ARRAY(maxflow->counts));
    NODE_SET(maxflow->collect, 4, ARRAY(maxflow->counts));
    maxflow->discharge = sections_kernel(&maxflow->sections, &maxflow->node, "discharge");
    if (maxflow->sections.form->mode)
        return;
    const cl_uint first = sections_first_argument(&maxflow->sections);
    NODE_SET(maxflow->discharge, first + 1, ULONG(maxflow->at));
    NODE_SET(maxflow->discharge, first + 3, ARRAY(maxflow->counts));
}

/* ---- open and close ---------------------------------------------------------------------------- */

static void open_node(void *self)
{
    struct maxflow *maxflow = self;
    struct maxflow_arcs arcs;
    if (maxflow->file)
        read_arcs(&arcs, maxflow->file);
    else
        draw_arcs(&arcs, maxflow);
    rows_open(&maxflow->net, &arcs);
    /* One message a vertex may wait. */
    const struct gravel_handler handler = {
        .name = "discharge",
        .n_args = 1,
        .serve = {.n_keys = 1, .max_pending = maxflow->net.n_vertices}};
    const uint64_t heap_bytes = 24 * (maxflow->net.n_vertices + 1) +
                                20 * (maxflow->net.n_entries + 1) + sizeof(struct maxflow_network);
    sections_open(&maxflow->sections, &maxflow->node, heap_bytes, "maxflow.cl", maxflow_cl,
                  &handler, 1);
    if (maxflow->node.n_nodes > 1)
        die("the network is in the memory of one node, and there are %u", maxflow->node.n_nodes);
    make_memory(maxflow);
    make_kernels(maxflow);
}

cl_uint *read_words(struct maxflow *maxflow, uint64_t offset, uint64_t n)
{
    cl_uint *words = app_array(n + 1, sizeof *words, "the flow");
    if (n)
        TRY(gravel_get(maxflow->node.gravel, offset, words, 4 * n, maxflow->node.number));
    return words;
}

static void close_node(void *self)
{
    struct maxflow *maxflow = self;
    rows_close(&maxflow->net);
}

/* ---- rounds ----------------------------------------------------------------------------------- */

static void enqueue(struct maxflow *maxflow, cl_kernel kernel, uint64_t n)
{
    NODE_SET(kernel, 1, UINT(n));
    node_enqueue(&maxflow->node, kernel, n, maxflow->node.group_items);
}

static uint64_t counted(struct maxflow *maxflow)
{
    cl_uint n;
    node_read(&maxflow->node, maxflow->counts, sizeof n, &n);
    return n;
}

/* Vertices' distances to the sink. */
static void find_heights(struct maxflow *maxflow)
{
    uint64_t n = 1;
    enqueue(maxflow, maxflow->receive, maxflow->net.n_vertices);
    node_write(&maxflow->node, maxflow->lists[0], 0, sizeof(cl_uint), &maxflow->net.sink);
    for (cl_uint height = 1; n; height++, maxflow->n_levels++) {
        const unsigned turn = height % 2;
        node_fill(&maxflow->node, maxflow->counts, 0, sizeof(cl_uint));
        NODE_SET(maxflow->step_back, 3, ARRAY(maxflow->lists[!turn]), UINT(height),
                 ARRAY(maxflow->lists[turn]));
        enqueue(maxflow, maxflow->step_back, n);
        n = counted(maxflow);
    }
}

/* @return  active vertices, in list 0. */
static uint64_t collect(struct maxflow *maxflow)
{
    node_fill(&maxflow->node, maxflow->counts, 0, sizeof(cl_uint));
    NODE_SET(maxflow->collect, 3, ARRAY(maxflow->lists[0]));
    enqueue(maxflow, maxflow->collect, maxflow->net.n_vertices);
    return counted(maxflow);
}

static cl_uint n_relabels(struct maxflow *maxflow)
{
    const uint64_t at = maxflow->at + offsetof(struct maxflow_network, n_relabels);
    cl_uint n;
    TRY(gravel_get(maxflow->node.gravel, at, &n, sizeof n, maxflow->node.number));
    return n;
}

/* Without servers: list after list. */
static void discharge_lists(struct maxflow *maxflow, uint64_t n)
{
    const cl_uint first = sections_first_argument(&maxflow->sections);
    for (unsigned turn = 0; n && n_relabels(maxflow) < maxflow->network.limit; turn = !turn) {
        node_fill(&maxflow->node, maxflow->counts, 0, sizeof(cl_uint));
        NODE_SET(maxflow->discharge, first, ARRAY(maxflow->lists[turn]));
        NODE_SET(maxflow->discharge, first + 2, ARRAY(maxflow->lists[!turn]));
        sections_run(&maxflow->sections, &maxflow->node, maxflow->discharge, n);
        n = counted(maxflow);
    }
}

static void discharge(struct maxflow *maxflow, uint64_t n)
{
    const double begin_s = trials_clock();
    if (maxflow->sections.form->mode) {
        NODE_SET(maxflow->discharge, 1, ARRAY(maxflow->lists[0]));
        sections_run(&maxflow->sections, &maxflow->node, maxflow->discharge, n);
    } else {
        discharge_lists(maxflow, n);
    }
    maxflow->section_s += trials_clock() - begin_s;
}

static void run(void *self)
{
    struct maxflow *maxflow = self;
    uint64_t n;
    maxflow->n_rounds = maxflow->n_levels = 0;
    maxflow->section_s = 0;
    enqueue(maxflow, maxflow->begin, maxflow->net.n_vertices);
    find_heights(maxflow);
    for (; (n = collect(maxflow)) != 0; maxflow->n_rounds++) {
        discharge(maxflow, n);
        find_heights(maxflow);
    }
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app_option own_options[] = {
    {"file", 'f', "FILE", "A network in DIMACS' format of maximum flows, plain or gzip",
     OPTION_WORD(struct maxflow, file)},
    {"rows", 0, "N", "Without a file: a mesh of N rows (64)",
     OPTION_NUMBER(struct maxflow, rows, 1, 1 << 20)},
    {"columns", 0, "N", "of N vertices each (64)",
     OPTION_NUMBER(struct maxflow, columns, 1, 1 << 20)},
    {"capacity", 0, "N", "Arcs of a mesh have capacities from 1 to N (1000)",
     OPTION_NUMBER(struct maxflow, most_capacity, 1, 1000000)},
    {0}};

static void describe(void *self, struct trials *trials)
{
    const struct maxflow *maxflow = self;
    snprintf(trials->variant, sizeof trials->variant, "%s", maxflow->sections.form->name);
    if (maxflow->file)
        snprintf(trials->input, sizeof trials->input, "%s", maxflow->file);
    else
        snprintf(trials->input, sizeof trials->input, "mesh %llu x %llu",
                 (unsigned long long)maxflow->rows, (unsigned long long)maxflow->columns);
    trials->work = (double)(maxflow->net.n_entries / 2);
    trials_add_number(trials, "vertices", maxflow->net.n_vertices);
    trials_add_number(trials, "arcs", maxflow->net.n_entries / 2);
    trials_add_number(trials, "groups", maxflow->sections.n_groups);
}

static void result(void *self, struct trials *trials)
{
    struct maxflow *maxflow = self;
    (void)look_at_flow(maxflow);
    trials_add_number(trials, "flow", maxflow->flow);
    trials_add_number(trials, "cut_arcs", maxflow->n_cut);
    trials_add_number(trials, "rounds", maxflow->n_rounds);
    trials_add_number(trials, "levels", maxflow->n_levels);
    trials_add_real(trials, "section_seconds", maxflow->section_s);
    trials_say(trials,
               "  flow %llu, through %llu arcs of a minimum cut; %llu rounds, sections %.6f s\n",
               (unsigned long long)maxflow->flow, (unsigned long long)maxflow->n_cut,
               (unsigned long long)maxflow->n_rounds, maxflow->section_s);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct maxflow *maxflow = self;
    const double begin_s = trials_clock();
    const uint64_t expected = flow_serially(&maxflow->net);
    trials_add_serial(trials, "Dinic, serial", begin_s);
    return look_at_flow(maxflow) + (maxflow->flow != expected);
}

static const struct app app = {
    .name = "maxflow",
    .unit = "arcs/s",
    .doc = "Find the maximum flow of a network and a minimum cut by push-relabel, with a critical "
           "section for each vertex.",
    .group_items = SECTIONS_GROUP,
    .groups = {{"Network:", 1, own_options, 0},
               SECTIONS_OPTIONS_GROUP(offsetof(struct maxflow, sections))},
    APP_FIELDS(struct maxflow),
    .open = open_node,
    .run = run,
    .describe = describe,
    .result = result,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct maxflow maxflow = {.sections = SECTIONS_WITHOUT(" nested atomic"),
                              .rows = 64,
                              .columns = 64,
                              .most_capacity = 1000};
    return app_main(&app, &maxflow, argc, argv);
}
