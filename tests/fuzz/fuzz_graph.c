/* SPDX-License-Identifier: MIT */
/*
 * Feed the graph readers arbitrary bytes. The first byte chooses the format, the rest is the file,
 * plain or gzip.
 *
 * Path: libFuzzer -> this -> apps/common/graph_read.h
 * Owner: one in-memory file for the whole run.
 * Threads: one.
 *
 * Besides what the sanitizers see: a graph that was read is sound and symmetric if it says so, one
 * that was refused is empty and comes with one line that starts with the file's name.
 */
#include "graph_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_graph: not so: %s\n", what);
    abort();
}

/* The path of an in-memory file that holds these bytes and nothing else. */
static const char *write_file(const uint8_t *bytes, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("graph", MFD_CLOEXEC);
        require(file >= 0, "memfd_create works");
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    require(ftruncate(file, 0) == 0, "the file can be emptied");
    require(pwrite(file, bytes, size, 0) == (ssize_t)size, "the file can be written");
    return path;
}

static void check_read(const struct graph *graph)
{
    struct graph_mismatch mismatch;
    require(graph->n_vertices > 0, "a graph has vertices");
    require(graph_is_sound(graph), "the rows are sound");
    if (!graph->is_symmetric)
        return;
    require(graph_find_mismatch(graph, &mismatch) == 0, "there is memory");
    require(!mismatch.was_found, "a symmetric graph is its own transpose");
}

static void check_refused(const struct graph *graph, const char *path, const char *reason)
{
    require(!graph->offsets && !graph->neighbours && !graph->weights, "a refused graph is empty");
    require(strncmp(reason, path, strlen(path)) == 0, "the reason names the file");
    require(!strchr(reason, '\n'), "the reason is one line");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char reason[GRAPH_REASON_BYTES];
    struct graph graph;
    const char *path = write_file(data + 1, size - 1);
    if (graph_read_as(&graph, path, data[0] % GRAPH_N_FORMATS, reason))
        check_read(&graph);
    else
        check_refused(&graph, path, reason);
    graph_free(&graph);
    return 0;
}
