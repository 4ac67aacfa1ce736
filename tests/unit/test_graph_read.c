/* SPDX-License-Identifier: MIT */
/*
 * Graph readers: each form of each format, plain and in gzip, gives its graph; a bad file is refused in one line that names
 * the file, the line and the fault.
 *
 * Path: meson test -> this -> apps/graph/read.h
 */
#include "cases.h"
#include "graph_rows.h"
#include "refused.h"
#include "graph/read.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

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

/* Write bytes to folder/x<suffix>, compressed if the suffix ends in .gz; returns its path. */
static const char *write_bytes(const char *suffix, const void *bytes, size_t n)
{
    unlink(file_path);
    snprintf(file_path, sizeof file_path, "%s/x%s", file_folder, suffix);
    size_t n_suffix = strlen(suffix);
    int is_gz = n_suffix > 3 && strcmp(suffix + n_suffix - 3, ".gz") == 0;
    gzFile file = gzopen(file_path, is_gz ? "wb" : "wbT");
    if (!file || (n && gzwrite(file, bytes, (unsigned)n) != (int)n) || gzclose(file) != Z_OK)
        abort();
    return file_path;
}

static const char *write_text(const char *suffix, const char *text)
{
    return write_bytes(suffix, text, strlen(text));
}

/* Gets the rows of the only node; false, and the reason is there, if the file is refused. */
static bool read_whole(struct graph *whole, const char *path)
{
    static struct graph_input input;
    if (setjmp(refusal)) {
        graph_input_free(&input);
        return false;
    }
    graph_read(&input, path, false);
    const struct graph_stream stream = graph_input_stream(&input, true);
    graph_build_rows(whole, (struct block_range){0, input.n_vertices}, &stream);
    graph_input_free(&input);
    return true;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Prints a small graph: the number of vertices, and each edge, with its weight; a weight that ends in f is a float. */
static const char *print_graph(const struct graph *graph)
{
    static char text[512];
    size_t n = (size_t)snprintf(text, sizeof text, "%u:", (unsigned)graph->n_vertices);
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1] && n < 400; e++) {
            n += (size_t)sprintf(text + n, " %u-%u", (unsigned)u, graph->neighbours[e]);
            if (graph->weights_are == GRAPH_UINT)
                n += (size_t)sprintf(text + n, "=%u", graph->weights[e].as_uint);
            if (graph->weights_are == GRAPH_FLOAT)
                n += (size_t)sprintf(text + n, "=%.9gf", graph->weights[e].as_float);
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

#define MTX(rest) "%%MatrixMarket matrix coordinate " rest

/* Files, and their graphs, or why they are refused: what each reader finds wrong itself, and the bounds that it gives; how
 * numbers are written is read in one place for all. */
static const struct {
    const char *suffix, *text, *result;
} rows[] = {
    {".EL", "0 1\n", "2: 0-1"},
    {".txt", "0 1\r\n1 0", "2: 0-1 1-0"},
    /* METIS: sizes and weights of vertices are skipped */
    {".graph", "3 2 111 2\n9 1 2 2 5\n%\n9 1 2 1 5 3 6\n9 1 2 2 6\n", "3: 0-1=5 1-0=5 1-2=6 2-1=6"},
    {".graph", "2 1\n2\n1\n", "2: 0-1 1-0"},
    {".graph", "2 1 011\n7 2 4\n7 1 4", "2: 0-1=4 1-0=4"},
    {".graph", "2 1 110 2\n3 7 7 2\n3 7 7 1\n", "2: 0-1 1-0"},
    /* comments in the middle */
    {".graph", "%\n2 1\n% a\n2\n%b\n1\n%", "2: 0-1 1-0"},
    {".mtx", MTX("pattern symmetric\n%\n\n2 2 1\n%a\n2 1\n%b"), "2: 0-1 1-0"},
    {".el", "#x\n0 1\n% y\n\n1 0\n # z\n", "2: 0-1 1-0"},
    {".el", "# a comment\r0 1\r\n1 2\r\r\n2 0\r", "3: 0-1 1-2 2-0"},
    /* duplicate edges and loops are kept */
    {".el", "0 1\n0 1\n1 1\n", "2: 0-1 0-1 1-1"},
    {".graph", "2 3\n2 2\n1 1 2 2\n", "2: 0-1 0-1 1-0 1-0 1-1 1-1"},
    /* KONECT counts from 1 where its header says so */
    {".tsv", "% asym weighted\n% 2 3 3\n1 2 1\n3 1 4\n", "3: 0-1=1 2-0=4"},
    {".tsv", "% sym unweighted\n1 2\n3 3\n", "3: 0-1 1-0 2-2"},
    {".tsv", "% symbols\n% of 0\n1 2\n2 0\n", "3: 1-2 2-0"},
    /* times are left out */
    {".tsv", "0 1 1 5\n1 2 1\n", "3: 0-1=1 1-2=1"},
    /* the diagonal of a symmetric matrix is entered once */
    {".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n",
     "2: 0-0 0-1 1-0"},
    /* weights are whole where all are written so and fit, or else floats */
    {".mtx", "%%MatrixMarket MATRIX Coordinate Real General\n2 2 2\n1 2 -1.5e0\n2 2 0.25\n",
     "2: 0-1=-1.5f 1-1=0.25f"},
    {".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 16777217\n2 2 3\n",
     "2: 0-1=16777217 1-1=3"},
    {".mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 5\n2 1 -6\n",
     "2: 0-1=5f 1-0=-6f"},
    {".wel", "0 1 7\n0 2 -2\n0 3 1.5\n0 4 4\n", "5: 0-1=7f 0-2=-2f 0-3=1.5f 0-4=4f"},
    {".wel", "0 1 99999999999\n0 2 0.5\n", "3: 0-1=9.9999998e+10f 0-2=0.5f"},
    {".wel", "0 2 0.5\n0 1 99999999999\n", "3: 0-1=9.9999998e+10f 0-2=0.5f"},
    /* zero has no sign, so that floats that are not negative rise with their bits; less than zero stays less */
    {".wel", "0 0 0\n0 0 -0\n0 0 -0.0\n0 0 -0e5\n0 0 1e-50\n0 0 0.0000e-9\n0 0 +0.0\n0 0 -0.00e9\n",
     "1: 0-0=0f 0-0=0f 0-0=0f 0-0=0f 0-0=0f 0-0=0f 0-0=0f 0-0=0f"},
    {".wel", "0 0 -1e-50\n0 0 1.4e-45\n0 0 3.4028235e38\n",
     "1: 0-0=1.40129846e-45f 0-0=3.40282347e+38f 0-0=-1.40129846e-45f"},
    /* refused, and not among those of tests/app/rows_graph.py */
    {".graph", "", ":1: the file has no header line \"n m [fmt [ncon]]\""},
    {".el", "", ":1: the file has no edges"},
    {".el", "0 1\n1 -2\n", ":2: vertex -2 is not in 0..4294967294"},
    {".el", "0 4294967294\n",
     ":2: 4294967295 vertices are too many for 1 edges: number them densely"},
    {".el", "0 1 2 3 4\n", ":1: '4' is one word too many"},
    {".mtx", MTX("pattern general\n2 2 1\n1 2\n2 1\n"), ":4: more than the declared 1 entries"},
    {".graph", "3 2\n2\n1 3\n", ":4: the file ends after 2 of 3 vertices"},
    {".graph", "0 0\n", ":2: the graph has no vertices"},
    {".graph", "x 1\n", ":1: number of vertices 'x' is not a whole number"},
    {".graph", "2 9223372036854775808\n",
     ":1: number of edges 9223372036854775808 is not in 0..9223372036854775807"},
    {".graph", "2 1 2\n", ":1: fmt 002 has a digit other than 0 and 1"},
    {".graph", "2 1 1000\n", ":1: fmt 1000 is not in 0..111"},
    {".graph", "2 1 1 2\n", ":1: ncon is 2, but fmt 001 has no vertex weights"},
    {".graph", "2 1\n0\n1\n", ":2: neighbour 0 is not in 1..2"},
    {".graph", "2 1 1\n2 1\n1\n", ":3: edge weight is missing"},
    {".graph", "2 1 10\n\n1\n", ":2: vertex size or weight is missing"},
    {".graph", "2 1\n2 2\n1\n", ":3: more than the declared 1 edges, twice each"},
    {".graph", "2 2\n2\n1\n",
     ":4: 2 neighbours in all, but 2 edges need 4 (a loop two in its row)"},
    {".graph", "2 1\n2\n1\n1\n", ":4: more lines than the declared 2 vertices"},
    {".graph", "2 1 1\n2 5\n1 6\n",
     ":4: an edge is not in the rows of both its ends equally often, with the same weight: METIS' "
     "graphchk says which"},
    {".mtx", "", ":1: the first line does not start with %%MatrixMarket"},
    {".mtx", "%%MatrixMarket vector coordinate real general\n",
     ":1: object 'vector' is not matrix"},
    {".mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n",
     ":1: format 'array' is not coordinate"},
    {".mtx", MTX("quad general\n"), ":1: field 'quad' is not pattern|integer|real|double"},
    {".mtx", MTX("real hermitian\n"), ":1: symmetry 'hermitian' is not general|symmetric"},
    {".mtx", MTX("real general\n"), ":2: the line \"rows columns entries\" is missing"},
    {".mtx", MTX("real general\n2 3 1\n1 1 1\n"), ":2: a graph needs a square matrix, not 2 x 3"},
    {".mtx", MTX("pattern general\n2 2 2\n1 2\n"), ":4: the file ends after 1 of 2 entries"},
    {".mtx", MTX("pattern general\n2 2 1\n0 2\n"), ":3: row 0 is not in 1..2"},
    {".mtx", MTX("real general\n1 1 1\n1 1 0x1p3\n"), ":3: weight '0x1p3' is not a decimal number"},
    {".mtx", MTX("real general\n1 1 1\n1 1 1e39\n"), ":3: weight 1e39 is too large for a float"},
    {".el", "0 18446744073709551620\n",
     /* 2^64 + 4 */ ":1: vertex 18446744073709551620 is not in 0..4294967294"},
    {".el", "1234 \xff\x01\n", ":1: vertex '\\xff\\x01' is not a whole number"},
    {".el", "0 12345678901234567890123456789\n",
     ":1: vertex 123456789012345678901... is not in 0..4294967294"},
    {".tsv", "% sym weighted\n% 1 2 2\n0 1 1\n", ":3: vertex 0 is not in 1..4294967295"},
    {".tsv", "% bip unweighted\n1 1\n",
     ":1: a bipartite list numbers the vertices of each side from 1"},
};

/* Plain, and in gzip. */
TEST(each_form_of_each_format_is_read_or_refused)
{
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        char suffix[16];
        snprintf(suffix, sizeof suffix, "%s%s", rows[i / 2].suffix, i % 2 ? ".gz" : "");
        const char *path = write_text(suffix, rows[i / 2].text);
        if (*rows[i / 2].result == ':')
            expect_refused(path, rows[i / 2].result);
        else
            expect_graph(path, rows[i / 2].result);
    }
}

/* Words that lie across the tokenizer's 64 kB buffer come out whole. */
TEST(file_longer_than_the_buffer_reads_whole)
{
    enum { N = 60000 };
    char *text = malloc(16 * N);
    size_t n = 0;
    for (unsigned i = 0; i < N; i++)
        n += (size_t)sprintf(text + n, "%u %u\n", i, N - 1 - i);
    struct graph graph;
    assert_true(read_whole(&graph, write_bytes(".el.gz", text, n)));
    assert_int_equal(graph.n_vertices, N);
    assert_int_equal(graph.n_edges, N);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(graph.offsets[i], i);
        assert_int_equal(graph.neighbours[i], N - 1 - i);
    }
    graph_free(&graph);
    free(text);
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
