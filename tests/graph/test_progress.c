/* SPDX-License-Identifier: MIT */
/*
 * Progress: a call reports how far it is, at the node that gave a function for it, and ends at all nodes when that returns
 * another number than 0. The graph then has the same results as one that nobody watches.
 *
 * Path: meson test -> graphs.c -> graph/device.c, keep.c, and what iterates
 */
#include "graphs.h"

#include <stdlib.h>
#include <string.h>

#define STOPS 7

/* What this node's progress function has got, in the call that runs. */
static struct {
    const char *call; /* that is to be named */
    struct gravel_graph *graph;
    uint32_t n, last; /* reports; that the last one ends, of so many; 0: none does */
    uint64_t n_done;
} seen;

static int report(void *user, const char *call, uint64_t n_done, uint64_t n_all)
{
    struct gravel_graph_facts facts;
    MUST(user == &seen && !strcmp(call, seen.call));
    MUST((n_done == 0 || n_done >= seen.n_done) && (n_all == 0 || n_done <= n_all));
    seen.n_done = n_done;
    if (seen.graph) {
        OK(gravel_graph_facts_read(seen.graph, &facts, sizeof facts));
        expect_code(gravel_graph_bfs(seen.graph, 0, NULL, NULL), GRAVEL_EINVAL,
                    "gravel_graph_bfs: called by the graph's progress function");
        expect_code(gravel_graph_destroy(seen.graph), GRAVEL_EINVAL, "gravel_graph_destroy: ");
    }
    return ++seen.n == seen.last ? STOPS : 0;
}

/* Returns whether this node gives a progress function: the last one. */
static bool is_watching(void)
{
    const uint32_t n = graphs_n_givers();
    return n == 1 || gravel_node(node_of_graphs) == n - 1;
}

static void begin(const char *call, uint32_t last)
{
    seen.call = call;
    seen.n = 0;
    seen.n_done = 0;
    seen.last = last;
}

/* What a call that was stopped returns here. */
static void expect_stopped(int code, const char *call)
{
    char text[128];
    snprintf(text, sizeof text, is_watching() ? "%s: stopped behind " : "%s: failed at ", call);
    expect_code(code, is_watching() ? GRAVEL_ECANCELED : GRAVEL_EMISMATCH, text);
    MUST(!is_watching() || strstr(gravel_last_error(), "progress returned 7"));
}

/* Watches a call to its end; then stops it at its first report, at one in the middle and at the last, and makes it again. */
static void check_call(const struct graphs_call *call, struct gravel_graph *watched,
                       struct gravel_graph *other, uint64_t n)
{
    double *due = must_calloc(n, sizeof *due), *words = must_calloc(n, sizeof *words);
    OK(call->make(other, due));
    begin(call->name, 0);
    OK(call->make(watched, words));
    MUST(graphs_are_equal(call, due, words, n));
    uint32_t n_reports = seen.n;
    if (gravel_n_nodes(node_of_graphs) > 1)
        OK(gravel_reduce(node_of_graphs, GRAVEL_MAX, GRAVEL_UINT, &n_reports, 1));
    MUST(n_reports >= 2);
    const uint32_t stops[] = {1, n_reports / 2 + 1, n_reports};
    for (uint32_t i = 0; i < 3; i++) {
        begin(call->name, stops[i]);
        expect_stopped(call->make(watched, words), call->name);
        MUST(seen.n == (is_watching() ? stops[i] : 0));
        memset(words, 0, n * sizeof *words);
        begin(call->name, 0);
        OK(call->make(watched, words));
        MUST(graphs_are_equal(call, due, words, n));
    }
    free(due);
    free(words);
}

TEST(calls_report_progress_and_end_where_it_says)
{
    struct graph_of_test graph;
    struct gravel_graph *watched, *other;
    graphs_make_named(&graph, "random, undirected, uint"); /* few rounds, each a launch or more */
    for (uint64_t e = 0; e < graph.n_edges; e++)           /* cores are of graphs without loops */
        graph.to[e] = (graph.to[e] + (graph.to[e] == graph.from[e])) % graph.n_vertices;
    struct gravel_graph_edges part = graphs_part(&graph);
    OK(gravel_graph_create(&other, node_of_graphs, &part));
    part.progress = is_watching() ? report : NULL;
    part.progress_user = &seen;
    seen.graph = NULL;
    for (uint32_t last = 1; last <= 2; last++) {
        begin("gravel_graph_create", last);
        expect_stopped(gravel_graph_create(&watched, node_of_graphs, &part), seen.call);
        assert_null(watched);
    }
    begin("gravel_graph_create", 0);
    OK(gravel_graph_create(&watched, node_of_graphs, &part));
    assert_int_equal(seen.n, is_watching() ? 2 : 0);
    seen.graph = watched;
    for (const struct graphs_call *call = graphs_calls; call->name; call++)
        if (call->reports)
            check_call(call, watched, other, graph.n_vertices);
    OK(gravel_graph_destroy(watched));
    OK(gravel_graph_destroy(other));
    graphs_free(&graph);
}
