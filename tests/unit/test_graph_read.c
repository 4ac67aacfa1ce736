/* SPDX-License-Identifier: MIT */
/*
 * Graph readers on good files: every format, plain and gzip, gives the same graph; each format's
 * own forms.
 *
 * Path: meson test -> this -> apps/graph/read.h, tests/data/diamond.*
 */
#include "cases.h"
#include "test_graph_file.h"

static char reason[GRAPH_REASON_BYTES];

static struct graph read_good(const char *path)
{
    struct graph graph;
    if (!read_whole(&graph, path, reason))
        fail_msg("refused: %s", reason);
    assert_string_equal(reason, "");
    assert_true(graph_is_sound(&graph));
    return graph;
}

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

static const struct {
    const char *suffix, *text, *graph;
} rows[] = {
    {".EL", "0 1\n", "2: 0-1"},
    /* METIS: sizes and weights of vertices are skipped */
    {".graph", "3 2 111 2\n9 1 2 2 5\n%\n9 1 2 1 5 3 6\n9 1 2 2 6\n", "3: 0-1=5 1-0=5 1-2=6 2-1=6"},
    {".graph", "2 1\n2\n1\n", "2: 0-1 1-0"},
    {".graph", "2 1 0\n2\n1\n", "2: 0-1 1-0"},
    {".graph", "2 1 1\n2 4\n1 4\n", "2: 0-1=4 1-0=4"},
    {".graph", "2 1 10\n7 2\n7 1\n", "2: 0-1 1-0"},
    {".graph", "2 1 011\n7 2 4\n7 1 4", "2: 0-1=4 1-0=4"},
    {".graph", "2 1 100\n3 2\n3 1\n", "2: 0-1 1-0"},
    {".graph", "2 1 110 2\n3 7 7 2\n3 7 7 1\n", "2: 0-1 1-0"},
    /* comments in the middle */
    {".graph", "%\n2 1\n% a\n2\n%b\n1\n%", "2: 0-1 1-0"},
    {".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n%\n\n2 2 1\n%a\n2 1\n%b",
     "2: 0-1 1-0"},
    {".el", "#x\n0 1\n% y\n\n1 0\n # z\n", "2: 0-1 1-0"},
    {".gr", "c x\np sp 2 2\nc\na 1 2 1\n\nc y\na 2 1 1\n", "2: 0-1=1 1-0=1"},
    {".el", "# a comment\r0 1\r\n1 2\r\r\n2 0\r", "3: 0-1 1-2 2-0"},
    /* duplicate edges and loops are kept */
    {".el", "0 1\n0 1\n1 1\n", "2: 0-1 0-1 1-1"},
    {".graph", "2 3\n2 2\n1 1 2 2\n", "2: 0-1 0-1 1-0 1-0 1-1 1-1"},
    /* KONECT counts from 1 where its header says so */
    {".tsv", "% asym weighted\n% 2 3 3\n1 2 1\n3 1 4\n", "3: 0-1=1 2-0=4"},
    {".tsv", "% sym unweighted\n1 2\n3 3\n", "3: 0-1 1-0 2-2"},
    {".tsv", "% symbols\n% of 0\n1 2\n2 0\n", "3: 1-2 2-0"},
    /* the diagonal of a symmetric matrix is entered once, the upper half of a skew-symmetric one negated */
    {".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n",
     "2: 0-0 0-1 1-0"},
    {".mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n",
     "2: 0-1=-3f 1-0=3f"},
    /* weights are whole where all are written so and fit, or else floats */
    {".mtx", "%%MatrixMarket MATRIX Coordinate Real General\n2 2 2\n1 2 -1.5e0\n2 2 0.25\n",
     "2: 0-1=-1.5f 1-1=0.25f"},
    {".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 16777217\n2 2 3\n",
     "2: 0-1=16777217 1-1=3"},
    {".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 4294967296\n",
     "2: 0-1=4.2949673e+09f"},
    {".mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 5\n2 1 -6\n",
     "2: 0-1=5f 1-0=-6f"},
    {".wel", "0 1 7\n0 2 -2\n0 3 1.5\n0 4 4\n", "5: 0-1=7f 0-2=-2f 0-3=1.5f 0-4=4f"},
    {".gr", "p sp 1 1\na 1 1 4294967295\n", "1: 0-0=4294967295"},
    {".wel", "0 1 99999999999\n0 2 0.5\n", "3: 0-1=9.9999998e+10f 0-2=0.5f"},
    {".wel", "0 2 0.5\n0 1 99999999999\n", "3: 0-2=0.5f 0-1=9.9999998e+10f"},
    /* zero has no sign, so that floats that are not negative rise with their bits; less than zero stays less */
    {".wel", "0 0 0\n0 0 -0\n0 0 -0.0\n0 0 -0e5\n0 0 1e-50\n0 0 0.0000e-9\n0 0 +0.0\n0 0 -0.00e9\n",
     "1: 0-0=0f 0-0=0f 0-0=0f 0-0=0f 0-0=0f 0-0=0f 0-0=0f 0-0=0f"},
    {".wel", "0 0 -1e-50\n0 0 1.4e-45\n0 0 3.4028235e38\n",
     "1: 0-0=-1.40129846e-45f 0-0=1.40129846e-45f 0-0=3.40282347e+38f"},
};

TEST(each_form_of_each_format_is_read)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct graph graph = read_good(write_text(rows[i].suffix, rows[i].text));
        assert_string_equal(print_graph(&graph), rows[i].graph);
        graph_free(&graph);
    }
}

static const struct diamond {
    const char *suffix, *gz_suffix, *graph;
} diamonds[] = {
#define UNWEIGHTED "5: 0-1 0-3 1-0 1-3 3-0 3-1 3-4 4-3"
#define WEIGHTED "5: 0-1=7 0-3=2 1-0=7 1-3=5 3-0=2 3-1=5 3-4=1 4-3=1"
    {".graph", ".graph.gz", WEIGHTED}, {".mtx", ".mtx.gz", WEIGHTED},
    {".gr", ".gr.gz", WEIGHTED},       {".el", ".el.gz", UNWEIGHTED},
    {".wel", ".wel.gz", WEIGHTED},     {".txt", ".txt.gz", UNWEIGHTED},
    {".tsv", ".tsv.gz", WEIGHTED},
};

static void check_diamond(const char *path, const struct diamond *diamond)
{
    struct graph graph = read_good(path),
                 sorted; /* a symmetric graph's transpose is itself, with rising rows */
    assert_int_equal(graph_transpose(&sorted, &graph), 0);
    assert_string_equal(print_graph(&sorted), diamond->graph);
    graph_free(&sorted);
    graph_free(&graph);
}

/* Plain, in gzip, without the last newline, and with the lines of another system. */
TEST(diamond_in_every_format_is_the_same_graph)
{
    for (const struct diamond *diamond = diamonds; diamond < diamonds + 7; diamond++) {
        char path[PATH_MAX], text[1024], crlf[2048];
        snprintf(path, sizeof path, TEST_DATA "/diamond%s", diamond->suffix);
        check_diamond(path, diamond);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        size_t n = fread(text, 1, sizeof text, file), n_crlf = 0;
        fclose(file);
        assert_in_range(n, 1, sizeof text - 1);
        for (size_t j = 0; j + 1 < n; j++) { /* the last newline is left out */
            if (text[j] == '\n')
                crlf[n_crlf++] = '\r';
            crlf[n_crlf++] = text[j];
        }
        check_diamond(write_bytes(diamond->gz_suffix, text, n), diamond);
        check_diamond(write_bytes(diamond->suffix, text, n - 1), diamond);
        check_diamond(write_bytes(diamond->suffix, crlf, n_crlf), diamond);
    }
}

TEST(decimal_of_any_length_is_read)
{
    char text[400];
    snprintf(text, sizeof text, "0 0 1.5%0300d\n", 0);
    struct graph graph = read_good(write_text(".wel", text));
    assert_string_equal(print_graph(&graph), "1: 0-0=1.5f");
    graph_free(&graph);
}

/* Words that lie across the tokenizer's 64 kB buffer come out whole. */
TEST(file_longer_than_the_buffer_reads_whole)
{
    enum { N = 60000 };
    char *text = malloc(16 * N);
    size_t n = 0;
    for (unsigned i = 0; i < N; i++)
        n += (size_t)sprintf(text + n, "%u %u\n", i, N - 1 - i);
    struct graph graph = read_good(write_bytes(".el.gz", text, n));
    assert_int_equal(graph.n_vertices, N);
    assert_int_equal(graph.n_edges, N);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(graph.offsets[i], i);
        assert_int_equal(graph.neighbours[i], N - 1 - i);
    }
    graph_free(&graph);
    free(text);
}

const struct fixture fixture = {.open = make_folder, .close = remove_folder};
