/* SPDX-License-Identifier: MIT */
/*
 * Feed the graph readers arbitrary bytes. The first byte chooses the format, the rest is the file,
 * plain or gzip. Rows are those of the only node, and once more of each of three nodes.
 *
 * Path: libFuzzer -> this -> apps/graph/read.h
 * Owner: a folder for the run, with a file of each suffix.
 * Threads: one.
 *
 * Besides what the sanitizers see: a graph that was read is sound, and symmetric if it is said to be; a file
 * that was refused comes with one line that starts with the file's name. The rows that three
 * nodes get are those of the whole.
 */
#include "../support/graph_rows.h"
#include "../support/refused.h"
#include "graph/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_NODES 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_graph: not so: %s\n", what);
    abort();
}

static char folder[] = "/tmp/fuzz-graph-XXXXXX";
static const char *const suffixes[] = {"graph", "mtx", "el", "wel", "txt", "tsv", "gr"};
enum { METIS, N_FORMATS = sizeof suffixes / sizeof *suffixes };
static char paths[N_FORMATS][64];

static void remove_files(void)
{
    for (int i = 0; i < N_FORMATS; i++)
        unlink(paths[i]);
    rmdir(folder);
}

/* Returns the path of a file that holds these bytes and nothing else, of the format's suffix, since readers go by that. */
static const char *write_file(const uint8_t *bytes, size_t size, unsigned format)
{
    if (!*paths[0]) {
        require(mkdtemp(folder), "a folder can be made");
        for (int i = 0; i < N_FORMATS; i++)
            snprintf(paths[i], sizeof paths[i], "%s/x.%s", folder, suffixes[i]);
        atexit(remove_files);
    }
    FILE *file = fopen(paths[format], "wb");
    require(file && fwrite(bytes, 1, size, file) == size && !fclose(file), "a file can be written");
    return paths[format];
}

/* @param turns_weights  the format's symmetry is one of weights, too. */
static void check_read(const struct graph *graph, const struct graph_input *input,
                       bool turns_weights)
{
    require(graph->n_vertices > 0, "a graph has vertices");
    require(rows_are_sound(graph), "the rows are sound");
    require(input->n_vertices == graph->n_vertices && input->n_edges == graph->n_edges,
            "rows have what was read");
    require(!input->is_symmetric || rows_are_symmetric(graph, turns_weights && graph->weights),
            "a symmetric graph is its own transpose, and its weights are");
}

static void check_refused(const char *path)
{
    require(strncmp(refusal_reason, path, strlen(path)) == 0, "the reason names the file");
    require(!strchr(refusal_reason, '\n'), "the reason is one line");
}

/* A node's rows are those of the whole from `first` on, in the same order. */
static void check_rows(const struct graph *part, const struct graph *whole, uint64_t first)
{
    for (uint64_t u = 0; u < part->n_vertices; u++) {
        uint64_t n = graph_degree(whole, first + u), e = part->offsets[u];
        const uint32_t *row = whole->neighbours + whole->offsets[first + u];
        require(graph_degree(part, u) == n, "a node's row is as long as the whole's");
        require(memcmp(part->neighbours + e, row, n * sizeof *row) == 0, "and holds the same");
    }
}

static struct graph build(const struct graph_input *input, uint32_t n_nodes, uint32_t node,
                          bool has_weights)
{
    struct graph rows;
    const struct graph_stream stream = graph_input_stream(input, has_weights);
    graph_build_rows(&rows, block_range(input->n_vertices, n_nodes, node), &stream);
    return rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    static struct graph_input input;
    static const char *path;
    const unsigned format = data[0] % N_FORMATS;
    path = write_file(data + 1, size - 1, format);
    if (setjmp(refusal)) {
        graph_input_free(&input);
        check_refused(path);
        return 0;
    }
    graph_read(&input, path, false);
    struct graph whole = build(&input, 1, 0, true);
    check_read(&whole, &input, format == METIS);
    for (uint32_t node = 0; node < N_NODES; node++) {
        struct graph rows = build(&input, N_NODES, node, node != 0);
        const struct block_range range = block_range(input.n_vertices, N_NODES, node);
        require(rows.n_vertices == range.last - range.first, "a node has its vertices");
        check_rows(&rows, &whole, range.first);
        graph_free(&rows);
    }
    graph_free(&whole);
    graph_input_free(&input);
    return 0;
}
