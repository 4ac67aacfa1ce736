/* SPDX-License-Identifier: MIT */
/*
 * Graph readers on good files: every format, plain and gzip, gives the same graph; each format's
 * own forms.
 *
 * Path: meson test -> this -> apps/graph/read.h, tests/data/diamond.*
 */
#include "test_graph_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

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

static struct graph read_text(const char *suffix, const char *text)
{
    return read_good(write_text(suffix, text));
}

static void assert_row(const struct graph *graph, uint64_t u, uint64_t n, const uint32_t *row)
{
    assert_int_equal(graph_degree(graph, u), n);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(graph->neighbours[graph->offsets[u] + i], row[i]);
}

#define ASSERT_ROW(graph, u, ...) \
    assert_row(graph, u, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

static void assert_diamond(const struct graph *graph)
{
    struct graph sorted; /* a symmetric graph's transpose is itself, with rising rows */
    assert_int_equal(graph_transpose(&sorted, graph), 0);
    assert_int_equal(sorted.n_vertices, 5);
    assert_int_equal(sorted.n_edges, 8);
    ASSERT_ROW(&sorted, 0, 1, 3);
    ASSERT_ROW(&sorted, 1, 0, 3);
    assert_row(&sorted, 2, 0, NULL);
    ASSERT_ROW(&sorted, 3, 0, 1, 4);
    ASSERT_ROW(&sorted, 4, 3);
    static const uint32_t weights[] = {7, 2, 7, 5, 2, 5, 1, 1};
    for (int e = 0; sorted.weights_are == GRAPH_UINT && e < 8; e++)
        assert_int_equal(sorted.weights[e].as_uint, weights[e]);
    graph_free(&sorted);
}

struct diamond {
    const char *suffix;
    enum graph_weights weights_are;
};

static const struct diamond diamonds[] = {
    {".graph", GRAPH_UINT},    {".mtx", GRAPH_UINT}, {".gr", GRAPH_UINT},
    {".el", GRAPH_UNWEIGHTED}, {".wel", GRAPH_UINT}, {".txt", GRAPH_UNWEIGHTED},
    {".tsv", GRAPH_UINT},
};

static void check_diamond(const char *path, const struct diamond *diamond)
{
    struct graph graph = read_good(path);
    assert_diamond(&graph);
    assert_int_equal(graph.weights_are, diamond->weights_are);
    graph_free(&graph);
}

static size_t load_diamond(const struct diamond *diamond, char *text, size_t text_bytes)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, TEST_DATA "/diamond%s", diamond->suffix);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(text, 1, text_bytes, file);
    fclose(file);
    assert_in_range(n, 1, text_bytes - 1);
    return n;
}

static void diamond_in_every_format_is_the_same_graph(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof diamonds / sizeof *diamonds; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, TEST_DATA "/diamond%s", diamonds[i].suffix);
        check_diamond(path, &diamonds[i]);
    }
}

static void diamond_in_gzip_is_the_same_graph(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof diamonds / sizeof *diamonds; i++) {
        char text[1024], suffix[16];
        size_t n = load_diamond(&diamonds[i], text, sizeof text);
        snprintf(suffix, sizeof suffix, "%s.gz", diamonds[i].suffix);
        check_diamond(write_bytes(suffix, text, n), &diamonds[i]);
    }
}

static void crlf_and_missing_final_newline_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof diamonds / sizeof *diamonds; i++) {
        char text[1024], crlf[2048];
        size_t n = load_diamond(&diamonds[i], text, sizeof text), n_crlf = 0;
        for (size_t j = 0; j + 1 < n; j++) { /* the last newline is left out */
            if (text[j] == '\n')
                crlf[n_crlf++] = '\r';
            crlf[n_crlf++] = text[j];
        }
        check_diamond(write_bytes(diamonds[i].suffix, crlf, n_crlf), &diamonds[i]);
        check_diamond(write_bytes(diamonds[i].suffix, text, n - 1), &diamonds[i]);
    }
}

static void suffix_in_capitals_is_known(void **state)
{
    (void)state;
    struct graph graph = read_text(".EL", "0 1\n");
    assert_int_equal(graph.n_vertices, 2);
    graph_free(&graph);
}

static void metis_with_sizes_and_weights_reads_neighbours_only(void **state)
{
    (void)state;
    struct graph graph = read_text(".graph", "3 2 111 2\n9 1 2 2 5\n%\n9 1 2 1 5 3 6\n9 1 2 2 6\n");
    ASSERT_ROW(&graph, 1, 0, 2);
    assert_int_equal(graph.weights[2].as_uint, 6);
    graph_free(&graph);
}

static void metis_formats_agree(void **state)
{
    (void)state;
    static const char *const texts[] = {"2 1\n2\n1\n",
                                        "2 1 0\n2\n1\n",
                                        "2 1 1\n2 4\n1 4\n",
                                        "2 1 10\n7 2\n7 1\n",
                                        "2 1 011\n7 2 4\n7 1 4",
                                        "2 1 100\n3 2\n3 1\n",
                                        "2 1 110 2\n3 7 7 2\n3 7 7 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct graph graph = read_text(".graph", texts[i]);
        ASSERT_ROW(&graph, 0, 1);
        ASSERT_ROW(&graph, 1, 0);
        graph_free(&graph);
    }
}

static void comments_in_the_middle_are_skipped(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {".graph", "%\n2 1\n% a\n2\n%b\n1\n%"},
        {".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n%\n\n2 2 1\n%a\n2 1\n%b"},
        {".el", "#x\n0 1\n% y\n\n1 0\n # z\n"},
        {".gr", "c x\np sp 2 2\nc\na 1 2 1\n\nc y\na 2 1 1\n"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct graph graph = read_text(files[i][0], files[i][1]);
        ASSERT_ROW(&graph, 0, 1);
        ASSERT_ROW(&graph, 1, 0);
        graph_free(&graph);
    }
}

static void duplicate_edges_and_loops_are_kept(void **state)
{
    (void)state;
    struct graph graph = read_text(".el", "0 1\n0 1\n1 1\n");
    ASSERT_ROW(&graph, 0, 1, 1);
    ASSERT_ROW(&graph, 1, 1);
    graph_free(&graph);
    graph = read_text(".graph", "2 3\n2 2\n1 1 2 2\n");
    ASSERT_ROW(&graph, 1, 0, 0, 1, 1);
    graph_free(&graph);
}

static void mtx_real_general_keeps_fractions(void **state)
{
    (void)state;
    struct graph graph = read_text(
        ".mtx", "%%MatrixMarket MATRIX Coordinate Real General\n2 2 2\n1 2 -1.5e0\n2 2 0.25\n");
    assert_int_equal(graph.weights_are, GRAPH_FLOAT);
    assert_true(graph.weights[0].as_float == -1.5f && graph.weights[1].as_float == 0.25f);
    graph_free(&graph);
}

static void mtx_real_general_is_whole_where_all_is_written_so(void **state)
{
    (void)state;
    struct graph graph = read_text(
        ".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 16777217\n2 2 3\n");
    assert_int_equal(graph.weights_are, GRAPH_UINT);
    assert_int_equal(graph.weights[0].as_uint, 16777217);
    graph_free(&graph);
    graph = read_text(".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n"
                              "1 2 4294967296\n");
    assert_int_equal(graph.weights_are, GRAPH_FLOAT);
    assert_true(graph.weights[0].as_float == 0x1p32f);
    graph_free(&graph);
}

static void konect_counts_from_1(void **state)
{
    (void)state;
    static const char *const texts[] = {"% asym weighted\n% 2 3 3\n1 2 1\n3 1 4\n",
                                        "% sym unweighted\n1 2\n3 3\n",
                                        "% symbols\n% of 0\n1 2\n2 0\n"};
    static const uint64_t n_edges[] = {2, 3, 2};
    for (size_t i = 0; i < 3; i++) {
        struct graph graph = read_text(".tsv", texts[i]);
        assert_int_equal(graph.n_vertices, 3);
        assert_int_equal(graph.n_edges, n_edges[i]);
        assert_int_equal(graph.neighbours[0], i == 2 ? 2 : 1);
        graph_free(&graph);
    }
}

static void mtx_symmetric_diagonal_is_entered_once(void **state)
{
    (void)state;
    struct graph graph =
        read_text(".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n");
    ASSERT_ROW(&graph, 0, 0, 1);
    ASSERT_ROW(&graph, 1, 0);
    graph_free(&graph);
}

static void mtx_skew_symmetric_negates_the_upper_half(void **state)
{
    (void)state;
    struct graph graph = read_text(
        ".mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n");
    assert_int_equal(graph.weights_are, GRAPH_FLOAT);
    assert_true(graph.weights[0].as_float == -3 && graph.weights[1].as_float == 3);
    graph_free(&graph);
}

static void negative_or_decimal_weight_turns_all_to_float(void **state)
{
    (void)state;
    struct graph graph = read_text(".wel", "0 1 7\n0 2 -2\n0 3 1.5\n0 4 4\n");
    assert_int_equal(graph.weights_are, GRAPH_FLOAT);
    static const float weights[] = {7, -2, 1.5f, 4};
    for (int e = 0; e < 4; e++)
        assert_true(graph.weights[e].as_float == weights[e]);
    graph_free(&graph);
    graph = read_text(".mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n"
                              "1 2 5\n2 1 -6\n");
    assert_true(graph.weights[0].as_float == 5 && graph.weights[1].as_float == -6);
    graph_free(&graph);
}

static void largest_uint_weight_is_exact(void **state)
{
    (void)state;
    struct graph graph = read_text(".gr", "p sp 1 1\na 1 1 4294967295\n");
    assert_int_equal(graph.weights[0].as_uint, UINT32_MAX);
    graph_free(&graph);
}

/* What stands before a weight decides nothing: one decimal makes all floats. */
static void large_whole_weight_is_a_float_among_floats(void **state)
{
    (void)state;
    static const char *const texts[] = {"0 1 99999999999\n0 2 0.5\n", "0 2 0.5\n0 1 99999999999\n"};
    for (int i = 0; i < 2; i++) {
        struct graph graph = read_text(".wel", texts[i]);
        assert_int_equal(graph.weights_are, GRAPH_FLOAT);
        assert_true(graph.weights[i].as_float == 99999999999.0f);
        assert_true(graph.weights[!i].as_float == 0.5f);
        graph_free(&graph);
    }
}

static uint32_t bits_of_weight(const char *weight)
{
    char text[400];
    snprintf(text, sizeof text, "0 1 %s\n1 0 0.5\n", weight);
    struct graph graph = read_text(".wel", text);
    const uint32_t bits = graph.weights[0].as_uint;
    graph_free(&graph);
    return bits;
}

/* So that floats that are not negative rise with their bits. */
static void zero_has_no_sign_and_less_stays_less(void **state)
{
    (void)state;
    static const char *const zeros[] = {"0", "-0", "-0.0", "-0e5", "1e-50", "0.0000e-9", "+0.0"};
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        assert_int_equal(bits_of_weight(zeros[i]), 0);
    assert_int_equal(bits_of_weight("-1e-50"), 0x80000001);
    assert_int_equal(bits_of_weight("-0.00e9"), 0);
    assert_int_equal(bits_of_weight("1.4e-45"), 1);
    assert_int_equal(bits_of_weight("3.4028235e38"), 0x7f7fffff);
}

static void decimal_of_any_length_is_read(void **state)
{
    (void)state;
    char digits[300];
    memset(digits, '0', sizeof digits);
    memcpy(digits, "1.5", 3);
    digits[sizeof digits - 1] = '\0';
    assert_int_equal(bits_of_weight(digits), 0x3fc00000);
}

static void carriage_return_ends_a_line(void **state)
{
    (void)state;
    struct graph graph = read_text(".el", "# a comment\r0 1\r\n1 2\r\r\n2 0\r");
    assert_int_equal(graph.n_edges, 3);
    graph_free(&graph);
}

/* Words that lie across the tokenizer's 64 kB buffer must come out whole. */
static void file_longer_than_the_buffer_reads_whole(void **state)
{
    (void)state;
    enum { N = 60000 };
    char *text = malloc(16 * N);
    size_t n = 0;
    for (unsigned i = 0; i < N; i++)
        n += (size_t)sprintf(text + n, "%u %u\n", i, N - 1 - i);
    struct graph graph = read_good(write_bytes(".el.gz", text, n));
    assert_int_equal(graph.n_vertices, N);
    for (unsigned i = 0; i < N; i++)
        ASSERT_ROW(&graph, i, N - 1 - i);
    graph_free(&graph);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diamond_in_every_format_is_the_same_graph),
        cmocka_unit_test(diamond_in_gzip_is_the_same_graph),
        cmocka_unit_test(crlf_and_missing_final_newline_change_nothing),
        cmocka_unit_test(suffix_in_capitals_is_known),
        cmocka_unit_test(metis_with_sizes_and_weights_reads_neighbours_only),
        cmocka_unit_test(metis_formats_agree),
        cmocka_unit_test(comments_in_the_middle_are_skipped),
        cmocka_unit_test(duplicate_edges_and_loops_are_kept),
        cmocka_unit_test(mtx_real_general_keeps_fractions),
        cmocka_unit_test(mtx_real_general_is_whole_where_all_is_written_so),
        cmocka_unit_test(konect_counts_from_1),
        cmocka_unit_test(mtx_symmetric_diagonal_is_entered_once),
        cmocka_unit_test(mtx_skew_symmetric_negates_the_upper_half),
        cmocka_unit_test(negative_or_decimal_weight_turns_all_to_float),
        cmocka_unit_test(largest_uint_weight_is_exact),
        cmocka_unit_test(large_whole_weight_is_a_float_among_floats),
        cmocka_unit_test(zero_has_no_sign_and_less_stays_less),
        cmocka_unit_test(decimal_of_any_length_is_read),
        cmocka_unit_test(carriage_return_ends_a_line),
        cmocka_unit_test(file_longer_than_the_buffer_reads_whole),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
