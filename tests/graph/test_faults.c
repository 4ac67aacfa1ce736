/* SPDX-License-Identifier: MIT */
/*
 * Memory and drivers that fail: what a graph takes of the device and of the heap is what docs/guide/graphs.md says; what
 * there is no memory for is refused before it is made; and when any call of the driver or the allocator fails, the
 * graph's call says so, and nothing is lost but what the node had.
 *
 * The test lets the first calls fail, and every few after them; TEST_TIMES above 1 makes all of them fail.
 *
 * Path: meson test -> device/failing_opencl.h -> graph/, lib
 */
#include "graphs.h"

#include "device/failing_opencl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define ANYTHING (READS | WRITES | KERNELS | CREATES | WAITS | MALLOCS)
#define MOST_CALLS 2000u
#define SLACK 8192.0 /* bytes of what does not grow with the graph */

static _Atomic uint64_t freed_bytes;

WRAP(clReleaseMemObject)
{
    cl_uint n = 0;
    size_t bytes = 0;
    clGetMemObjectInfo(memobj, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL);
    clGetMemObjectInfo(memobj, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (n == 1)
        atomic_fetch_add(&freed_bytes, bytes);
    return PASS_ON(clReleaseMemObject);
}

static uint64_t live_bytes(void)
{
    return atomic_load(&failing.made_bytes) - atomic_load(&freed_bytes);
}

static struct gravel_graph *make(const struct graph_of_test *graph)
{
    const struct gravel_graph_edges part = graphs_part(graph);
    struct gravel_graph *made;
    OK(gravel_graph_create(&made, node_of_graphs, &part));
    return made;
}

/* Returns what the heap has free, as an error says. Collective. */
static uint64_t heap_left(void)
{
    uint64_t at, left;
    MUST(gravel_alloc(node_of_graphs, UINT64_C(1) << 40, &at) == GRAVEL_EHEAP);
    const char *says = strstr(gravel_last_error(), "bytes; ");
    MUST(says && sscanf(says, "bytes; %" SCNu64, &left) == 1);
    return left;
}

/* ---- what the page says ----------------------------------------------------------------------------- */

/* Bytes of the device for a vertex and for an edge that is given, on a node alone; of the heap for a vertex, on several. */
struct page {
    double vertex, edge, heap;
};

static struct page read_page(const char *call)
{
    char line[1024], name[64];
    struct page page = {-1, -1, -1};
    FILE *file = fopen(GRAPHS_PAGE, "r");
    MUST(file);
    snprintf(name, sizeof name, "| `%s` |", call);
    while (fgets(line, sizeof line, file)) {
        const char *column = line;
        if (strncmp(line, name, strlen(name)) != 0)
            continue;
        for (int i = 0; i < 4; i++)
            column = strchr(column, '|') + 1;
        MUST(sscanf(column, "%lf | %lf | %lf |", &page.vertex, &page.edge, &page.heap) == 3);
    }
    fclose(file);
    MUST(page.vertex > 0 && page.edge > 0 && page.heap >= 0);
    return page;
}

static void expect_of_page(const struct graphs_call *call, const struct graph_of_test *graph)
{
    const struct page page = read_page(call->name);
    const double n = (double)((graph->n_vertices + 63) / 64 * 64), m = (double)graph->n_edges,
                 due = page.vertex * n + page.edge * m;
    struct gravel_graph_facts facts;
    double *words = must_calloc(graph->n_vertices, sizeof *words);
    const uint64_t left_before = heap_left(), before = live_bytes();
    struct gravel_graph *made = make(graph);
    OK(call->make(made, words));
    OK(gravel_graph_facts_read(made, &facts, sizeof facts));
    const double bytes = (double)(live_bytes() - before);
    const uint64_t left = heap_left();
    if (graphs_n_givers() == 1 &&
        (bytes > due + SLACK || bytes < 0.9 * due - SLACK || (uint64_t)bytes != facts.device_bytes))
        die(__FILE__, __LINE__, "%s of %s: %.0f bytes, %.0f of the page, %" PRIu64 " of the facts",
            call->name, graph->name, bytes, due, facts.device_bytes);
    const double heap = (double)(left_before - left), of_heap = page.heap * n;
    if (graphs_n_givers() > 1 && (heap < of_heap || heap > 1.1 * of_heap + 16 * n + 40e3))
        die(__FILE__, __LINE__, "%s of %s: %.0f bytes of the heap, %.0f of the page", call->name,
            graph->name, heap, of_heap);
    OK(gravel_graph_destroy(made));
    MUST(live_bytes() == before && heap_left() == left_before);
    free(words);
}

TEST(graphs_take_the_memory_that_the_page_says)
{
    static const char *const names[] = {"grid, undirected", "kronecker-12, undirected"};
    for (size_t i = 0; i < 2; i++)
        for (const struct graphs_call *call = graphs_calls; call->name; call++) {
            struct graph_of_test graph;
            char name[64];
            const bool has_weights = strstr(call->name, "sssp") || strstr(call->name, "forest"),
                       has_loops = i > 0 && strstr(call->name, "core");
            snprintf(name, sizeof name, "%s, %s", names[i], has_weights ? "uint" : "no weights");
            graphs_make_named(&graph, name);
            for (uint64_t e = 0; has_loops && e < graph.n_edges; e++)
                if (graph.from[e] == graph.to[e])
                    graph.to[e] = (graph.to[e] + 1) % graph.n_vertices;
            expect_of_page(call, &graph);
            graphs_free(&graph);
        }
}

/* ---- too little memory -------------------------------------------------------------------------------- */

TEST(what_the_device_has_no_memory_for_is_refused_before_it_is_made)
{
    struct graph_of_test graph;
    uint32_t refused = 0, words[4096];
    if (graphs_n_givers() > 1)
        skip_because("there are several nodes");
    graphs_make_named(&graph, "kronecker-12, undirected, uint");
    struct gravel_graph *made = make(&graph);
    const uint64_t heap = gravel_config_of(node_of_graphs)->heap_bytes, before = live_bytes(),
                   of_rows = 16 * graph.n_edges;
    for (uint64_t bytes = 1000;; bytes += bytes / 4, refused++) {
        const uint64_t made_before = atomic_load(&failing.made_bytes);
        atomic_store(&failing.all_bytes, heap + bytes);
        const int code = gravel_graph_sssp(made, 0, words, NULL);
        MUST(live_bytes() - before <= bytes);
        if (!code)
            break;
        MUST(code == GRAVEL_ENOMEM && strstr(gravel_last_error(), "out of memory of the device ("));
        MUST(bytes > of_rows || atomic_load(&failing.made_bytes) == made_before);
    }
    MUST(refused > 10);
    atomic_store(&failing.all_bytes, 0);
    OK(gravel_graph_destroy(made));
    MUST(live_bytes() == before);
    graphs_free(&graph);
}

/* ---- calls that fail ---------------------------------------------------------------------------------- */

static void open_anew(int code)
{
    MUST(gravel_close(node_of_graphs) == code);
    OK(gravel_open(&node_of_graphs, NULL, NULL));
}

/* The node works, or has ended, and another one is opened. @return whether it works */
static bool check_node(void)
{
    const int code = gravel_barrier(node_of_graphs);
    if (!code)
        return true;
    open_anew(code);
    return false;
}

static void expect_named(int code, const char *call, unsigned n)
{
    const char *says =
        gravel_last_error(); /* whose call of the library, of the driver, or which program */
    if (!strstr(says, "gravel_") && !strstr(says, ": cl") && !strstr(says, ".cl: "))
        die(__FILE__, __LINE__, "%s, call %u: %s: %s", call, n, gravel_strerror(code), says);
}

/* Lets the n-th call that may fail do so, in making a graph or in what is called of it. @return whether one has failed */
static bool fail_once(const struct graphs_call *call, const struct graph_of_test *graph,
                      const double *due, unsigned n)
{
    struct gravel_graph *made = NULL;
    const struct gravel_graph_edges part = graphs_part(graph);
    const uint64_t before = live_bytes();
    double *words = must_calloc(graph->n_vertices, sizeof *words);
    int code = 0;
    if (call)
        made = make(graph);
    fail_nth_own(ANYTHING, n);
    code = call ? call->make(made, words) : gravel_graph_create(&made, node_of_graphs, &part);
    const bool has_failed = fail_no_more();
    if (code)
        expect_named(code, call ? call->name : "gravel_graph_create", n);
    MUST(has_failed || !code);
    MUST(call || !code == !!made);
    MUST(!clFinish(gravel_cl_queue(node_of_graphs))); /* a kernel runs on whose wait has failed */
    const bool works = check_node();
    if (works && call) {
        memset(words, 0, graph->n_vertices * sizeof *words);
        OK(call->make(made, words));
        if (!graphs_are_equal(call, due, words, graph->n_vertices))
            die(__FILE__, __LINE__, "%s has other results behind call %u", call->name, n);
    }
    if (works)
        OK(gravel_graph_destroy(made));
    MUST(!works || live_bytes() == before);
    free(words);
    return has_failed;
}

static void fail_each(const struct graphs_call *call, const struct graph_of_test *graph)
{
    const char *times = getenv("TEST_TIMES");
    const bool takes_all = times && atoi(times) > 1;
    double *due = must_calloc(graph->n_vertices, sizeof *due);
    if (call) {
        struct gravel_graph *made = make(graph);
        OK(call->make(made, due));
        OK(gravel_graph_destroy(made));
    }
    open_anew(0); /* a node that has built nothing */
    unsigned n = 1;
    while (fail_once(call, graph, due, n) && n < MOST_CALLS)
        n += takes_all || n < 3 ? 1 : n / 2 + 1;
    MUST(n > 10 && n < MOST_CALLS);
    free(due);
}

TEST(calls_of_the_driver_that_fail_are_errors_of_the_graphs_calls)
{
    struct graph_of_test graph;
    if (graphs_n_givers() > 1)
        skip_because("there are several nodes");
    graphs_make_named(&graph, "grid, undirected, uint");
    fail_each(NULL, &graph);
    for (const struct graphs_call *call = graphs_calls; call->name; call++)
        fail_each(call, &graph);
    graphs_free(&graph);
}
