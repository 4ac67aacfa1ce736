/* SPDX-License-Identifier: MIT */
/*
 * Feed the graph readers arbitrary bytes. The first byte chooses the format, the rest is the file,
 * plain or gzip. It is read as the only node reads it, and once more as each of three nodes does.
 *
 * Path: libFuzzer -> this -> apps/graph/read.h
 * Owner: one in-memory file for the whole run, and a folder with a name of each suffix for it.
 * Threads: one.
 *
 * Besides what the sanitizers see: a graph that was read is sound, and symmetric if the survey says so; a file
 * that was refused comes with one line that starts with the file's name. The rows that three
 * nodes get are those of the whole.
 */
#include "graph/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
static char paths[GRAPH_N_FORMATS][64];

static void remove_names(void)
{
    for (int i = 0; i < GRAPH_N_FORMATS; i++)
        unlink(paths[i]);
    rmdir(folder);
}

/* A name of each suffix for one file, since readers go by that. */
static void make_names(int file)
{
    static const char *const suffixes[GRAPH_N_FORMATS] = {
        [GRAPH_FORMAT_METIS] = "graph", [GRAPH_FORMAT_MATRIX_MARKET] = "mtx",
        [GRAPH_FORMAT_EL] = "el",       [GRAPH_FORMAT_WEL] = "wel",
        [GRAPH_FORMAT_TXT] = "txt",     [GRAPH_FORMAT_TSV] = "tsv",
        [GRAPH_FORMAT_DIMACS] = "gr"};
    char target[64];
    snprintf(target, sizeof target, "/proc/self/fd/%d", file);
    require(mkdtemp(folder), "a folder can be made");
    for (int i = 0; i < GRAPH_N_FORMATS; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/x.%s", folder, suffixes[i]);
        require(symlink(target, paths[i]) == 0, "a link can be made");
    }
    atexit(remove_names);
}

/* The path of an in-memory file that holds these bytes and nothing else. */
static const char *write_file(const uint8_t *bytes, size_t size, enum graph_format format)
{
    static int file = -1;
    if (file < 0) {
        file = memfd_create("graph", MFD_CLOEXEC);
        require(file >= 0, "memfd_create works");
        make_names(file);
    }
    require(ftruncate(file, 0) == 0, "the file can be emptied");
    require(pwrite(file, bytes, size, 0) == (ssize_t)size, "the file can be written");
    return paths[format];
}

/* @param turns_weights  the format's symmetry is one of weights, too. */
static void check_read(const struct graph *graph, const struct graph_survey *survey,
                       bool turns_weights)
{
    struct graph once, twice;
    const uint64_t n = graph->n_edges;
    require(graph->n_vertices > 0, "a graph has vertices");
    require(graph_is_sound(graph), "the rows are sound");
    require(survey->n_vertices == graph->n_vertices && survey->n_edges == graph->n_edges,
            "a survey counts what is read");
    if (!survey->is_symmetric)
        return;
    /* Turning sorts rows. */
    require(!graph_transpose(&once, graph) && !graph_transpose(&twice, &once), "there is memory");
    require(
        !memcmp(once.neighbours, twice.neighbours, n * sizeof *once.neighbours) &&
            !memcmp(once.offsets, twice.offsets, (graph->n_vertices + 1) * sizeof *once.offsets),
        "a symmetric graph is its own transpose");
    require(!turns_weights || !graph->weights ||
                !memcmp(once.weights, twice.weights, n * sizeof *once.weights),
            "and its weights are");
    graph_free(&once);
    graph_free(&twice);
}

static void check_refused(const char *path, const char *reason)
{
    require(strncmp(reason, path, strlen(path)) == 0, "the reason names the file");
    require(!strchr(reason, '\n'), "the reason is one line");
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

static void check_node(const struct graph *whole, const struct graph_survey *survey,
                       const char *path, uint32_t node, char *reason)
{
    struct graph rows;
    const struct partition partition = partition_blocks(survey->n_vertices, N_NODES);
    const struct graph_filter filter = {&partition, node, false, node == 0};
    struct block_range range = block_range(survey->n_vertices, N_NODES, node);
    require(graph_read_rows(&rows, path, &filter, survey, reason), "rows of a file that was read");
    require(rows.n_vertices == range.last - range.first, "a node has its vertices");
    check_rows(&rows, whole, range.first);
    graph_free(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char reason[GRAPH_REASON_BYTES];
    struct graph_survey survey;
    struct graph whole;
    const enum graph_format format = data[0] % GRAPH_N_FORMATS;
    const char *path = write_file(data + 1, size - 1, format);
    if (!graph_read_survey(&survey, path, false, reason)) {
        check_refused(path, reason);
        return 0;
    }
    const struct partition all = partition_blocks(survey.n_vertices, 1);
    const struct graph_filter filter = {.partition = &all};
    require(graph_read_rows(&whole, path, &filter, &survey, reason),
            "rows of a file that was read");
    check_read(&whole, &survey, format == GRAPH_FORMAT_METIS);
    for (uint32_t node = 0; node < N_NODES; node++)
        check_node(&whole, &survey, path, node, reason);
    graph_free(&whole);
    return 0;
}
