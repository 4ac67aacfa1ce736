/* SPDX-License-Identifier: MIT */
/*
 * Feed the graph readers arbitrary bytes. The first byte chooses the format, the rest is the file,
 * plain or gzip. Rows are those of the only node.
 *
 * Path: libFuzzer -> this -> apps/graph/read.h
 * Owner: a folder for the run, with a file of each suffix.
 * Threads: one.
 *
 * Besides what the sanitizers see: a graph that was read is sound, and symmetric if it is said to be; a file
 * that was refused comes with one line that starts with the file's name.
 */
#include "../support/graph_rows.h"
#include "../support/refused.h"
#include "graph/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_graph: not so: %s\n", what);
    abort();
}

static char folder[] = "/tmp/fuzz-graph-XXXXXX";
static const char *const suffixes[] = {"graph", "mtx", "el", "wel", "txt", "tsv"};
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
    const struct graph_stream stream = graph_input_stream(&input, true);
    struct graph whole;
    graph_build_rows(&whole, (struct block_range){0, input.n_vertices}, &stream);
    check_read(&whole, &input, format == METIS);
    graph_free(&whole);
    graph_input_free(&input);
    return 0;
}
