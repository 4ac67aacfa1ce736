/* SPDX-License-Identifier: MIT */
/*
 * Feed the reader of graphs arbitrary bytes.
 *
 * Path: libFuzzer -> this -> apps/graph/graph.h
 * Owner: a file for the run, in a folder of its own.
 * Threads: one.
 *
 * Besides what the sanitizers see: a graph that was read is sound; a file
 * that was refused comes with one line that starts with the file's name.
 */
#include "../support/graph_rows.h"
#include "../support/refused.h"

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

static char folder[] = "/tmp/fuzz-graph-XXXXXX", path[64];

static void remove_file(void)
{
    unlink(path);
    rmdir(folder);
}

/* Makes the file hold these bytes and nothing else. */
static void write_file(const uint8_t *bytes, size_t size)
{
    if (!*path) {
        require(mkdtemp(folder), "a folder can be made");
        snprintf(path, sizeof path, "%s/x.el", folder);
        atexit(remove_file);
    }
    FILE *file = fopen(path, "wb");
    require(file && fwrite(bytes, 1, size, file) == size && !fclose(file), "a file can be written");
}

static void check_read(const struct graph *graph, const struct graph_stream *stream)
{
    require(graph->n_vertices > 0, "a graph has vertices");
    require(rows_are_sound(graph), "the rows are sound");
    require(stream->n_vertices == graph->n_vertices && stream->n_edges == graph->n_edges,
            "rows have what was read");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct graph_stream stream;
    write_file(data, size);
    if (setjmp(refusal)) {
        graph_stream_free(&stream);
        require(strncmp(refusal_reason, path, strlen(path)) == 0, "the reason names the file");
        require(!strchr(refusal_reason, '\n'), "the reason is one line");
        return 0;
    }
    graph_read(&stream, path, false);
    struct graph whole;
    graph_build(&whole, &stream);
    check_read(&whole, &stream);
    graph_free(&whole);
    graph_stream_free(&stream);
    return 0;
}
