/* SPDX-License-Identifier: MIT */
/*
 * The reader of graphs: each form of a list gives its graph; a bad file is refused in one line that names
 * the file, the line and the fault.
 *
 * Path: meson test -> this -> apps/graph/graph.h
 */
#include "cases.h"
#include "graph_rows.h"
#include "refused.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the one file of the test that runs ------------------------------------------------------ */

static char file_folder[] = "/tmp/gravel-graph-XXXXXX";
static char file_path[PATH_MAX];

static void make_folder(void)
{
    if (!mkdtemp(file_folder))
        abort();
}

static void remove_folder(void)
{
    unlink(file_path);
    rmdir(file_folder);
}

/* Writes folder/x.el. @return  its path */
static const char *write_text(const char *text)
{
    snprintf(file_path, sizeof file_path, "%s/x.el", file_folder);
    unlink(file_path); /* it may be a pipe */
    FILE *file = fopen(file_path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file))
        abort();
    return file_path;
}

/* Gets the rows; false, and the reason is there, if the file is refused. */
static bool read_whole(struct graph *whole, const char *path)
{
    static struct graph_stream stream;
    if (setjmp(refusal)) {
        graph_stream_free(&stream);
        return false;
    }
    graph_read(&stream, path, false);
    graph_build(whole, &stream);
    graph_stream_free(&stream);
    return true;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Prints a small graph: the number of vertices, and each edge, with its weight. */
static const char *print_graph(const struct graph *graph)
{
    static char text[512];
    size_t n = (size_t)snprintf(text, sizeof text, "%u:", (unsigned)graph->n_vertices);
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1] && n < 400; e++) {
            n += (size_t)sprintf(text + n, " %u-%u", (unsigned)u, graph->neighbours[e]);
            if (graph->weights)
                n += (size_t)sprintf(text + n, "=%u", graph->weights[e]);
        }
    return text;
}

static void expect_graph(const char *path, const char *expected)
{
    struct graph graph;
    if (!read_whole(&graph, path))
        fail_msg("refused: %s", refusal_reason);
    assert_true(rows_are_sound(&graph));
    assert_string_equal(print_graph(&graph), expected);
    graph_free(&graph);
}

/* @param tail  what must follow the path: ":LINE: reason" */
static void expect_refused(const char *path, const char *tail)
{
    struct graph graph;
    if (read_whole(&graph, path))
        fail_msg("%s was read; expected %s", path, tail);
    assert_null(strchr(refusal_reason, '\n'));
    assert_int_equal(strncmp(refusal_reason, path, strlen(path)), 0);
    assert_string_equal(refusal_reason + strlen(path), tail);
}

#define NO(what, most) what " is not a whole number of 0 to " most
#define NO_VERTEX NO("vertex", "4294967294")
#define NO_WEIGHT NO("weight", "4294967295")

/* Files, and their graphs, or why they are refused. */
static const struct {
    const char *text, *result;
} rows[] = {
    {"0 1\n", "2: 0-1"},
    {"0 1\r\n1 0", "2: 0-1 1-0"},
    {"#x\n0 1\n#%\n\n1\t 0 \n # z\n", "2: 0-1 1-0"},
    {"# a comment\r\n0 1\r\n1 2\r\r\n2 0\r", "3: 0-1 1-2 2-0"},
    {"0 1\r1 2\r", ":1: " NO_VERTEX},
    /* duplicate edges and loops are kept */
    {"0 1\n0 1\n1 1\n", "2: 0-1 0-1 1-1"},
    {"0 1 7\n0 2 4294967295\n0 1 0\n", "3: 0-1=0 0-1=7 0-2=4294967295"},
    {"0\t4\t1\n", "5: 0-4=1"},
    /* refused, and not among those of tests/app/rows_graph.py */
    {"", ":1: the file has no edges"},
    {"# 1 2\n", ":2: the file has no edges"},
    {"0 1\n1 -2\n", ":2: " NO_VERTEX},
    {"0 1\n1\n", ":2: " NO_VERTEX},
    {"0 1x\n", ":1: " NO_VERTEX},
    {"0 4294967294\n", ":2: 4294967295 vertices are too many for 1 edges: number them densely"},
    {"0 4294967295\n", ":1: " NO_VERTEX},
    {"0 18446744073709551620\n", /* 2^64 + 4 */ ":1: " NO_VERTEX},
    {"1234 \xff\x01\n", ":1: " NO_VERTEX},
    {"0 1 2\n0 1\n", ":2: " NO_WEIGHT},
    {"0 1 2\n0 1 0.5\n", ":2: " NO_WEIGHT},
    {"0 1 4294967296\n", ":1: " NO_WEIGHT},
    {"0 1 2 3\n", ":1: a word too many: an edge is from, to, and a weight if the first has one"},
    {"0 1\n1 0 1\n", ":2: a word too many: an edge is from, to, and a weight if the first has one"},
};

TEST(each_form_of_a_list_is_read_or_refused)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = write_text(rows[i].text);
        if (*rows[i].result == ':')
            expect_refused(path, rows[i].result);
        else
            expect_graph(path, rows[i].result);
    }
}

/* ---- files that cannot be ------------------------------------------------------------------- */

TEST(missing_file_and_folder_are_refused)
{
    expect_refused("/nonexistent/x.el", ": cannot open: No such file or directory");
    char folder[] = "/tmp/gravel-folder-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s.el", folder);
    assert_int_equal(rename(folder, path), 0);
    expect_refused(path, ": is no regular file, and is to be read several times");
    rmdir(path);
}

/* No reader waits for its other end. */
TEST(pipe_is_refused)
{
    unlink(file_path);
    snprintf(file_path, sizeof file_path, "%s/x.el", file_folder);
    assert_int_equal(mkfifo(file_path, 0600), 0);
    expect_refused(file_path, ": is no regular file, and is to be read several times");
}

const struct fixture fixture = {.open = make_folder, .close = remove_folder};
