/* SPDX-License-Identifier: MIT */
/*
 * Every allocation of the graph code fails once: the answer is an error, never a half-built graph,
 * a leak or a crash. Also: a file cannot make a reader allocate more than its body justifies.
 *
 * Path: meson test -> this, linked with --wrap for malloc, calloc and realloc -> apps/graph
 */
#include "frame/side_by_side.h"
#include "graph/generate.h"
#include "test_graph_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

/* Threads that sort allocate side by side. */
static _Atomic long n_before_failure = -1; /* allocations that still succeed; negative: all */
static _Atomic bool has_failed, fails_on;  /* on: all that follow fail too, and are counted */
static _Atomic uint64_t n_failures;
static _Atomic size_t largest_bytes;

static bool may_allocate(size_t bytes)
{
    largest_bytes = bytes > largest_bytes ? bytes : largest_bytes;
    if (n_before_failure != 0) {
        n_before_failure -= n_before_failure > 0;
        return true;
    }
    has_failed = true;
    n_failures++;
    n_before_failure = fails_on ? 0 : -1;
    errno = ENOMEM;
    return false;
}

void *__wrap_malloc(size_t bytes)
{
    return may_allocate(bytes) ? __real_malloc(bytes) : NULL;
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return may_allocate(n * bytes) ? __real_calloc(n, bytes) : NULL;
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return may_allocate(bytes) ? __real_realloc(old, bytes) : NULL;
}

/* Let allocation `n` fail, counting from here. */
static void fail_allocation(long n)
{
    n_before_failure = n;
    has_failed = false;
}

/* Both readings of a node's rows. */
static bool read_part(struct graph *rows, const char *path, char *reason)
{
    struct graph_survey survey;
    if (!graph_read_survey(&survey, path, false, reason))
        return false;
    const struct partition all = partition_blocks(survey.n_vertices, 1);
    const struct graph_filter filter = {.partition = &all, .both_ways = true};
    return graph_read_rows(rows, path, &filter, &survey, reason);
}

static void reader_without_memory_says_so(void **state)
{
    (void)state;
    static const char *const suffixes[] = {".graph", ".mtx", ".gr", ".el", ".wel", ".txt", ".tsv"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[PATH_MAX], reason[GRAPH_REASON_BYTES];
        snprintf(path, sizeof path, TEST_DATA "/diamond%s", suffixes[i]);
        has_failed = true;
        for (long n = 0; has_failed; n++) {
            struct graph rows = {0};
            fail_allocation(n);
            bool was_read = read_part(&rows, path, reason);
            n_before_failure = -1;
            assert_int_equal(was_read, !has_failed);
            assert_int_equal(rows.offsets != NULL, was_read);
            assert_int_equal(reason[0] == '\0', was_read);
            graph_free(&rows);
            assert_true(n < 20 + 2 * SIDE_BY_SIDE_MOST);
        }
    }
}

/* A survey keeps no edge, however many there are. */
static void survey_allocates_nothing(void **state)
{
    (void)state;
    static char text[200000];
    size_t n = 0;
    while (n < sizeof text - 32)
        n += (size_t)sprintf(text + n, "%zu %zu\n", n % 1000, n % 777);
    const char *path = write_text(".el", text);
    struct graph_survey survey;
    char reason[GRAPH_REASON_BYTES];
    largest_bytes = 0;
    assert_true(graph_read_survey(&survey, path, false, reason));
    assert_true(survey.n_edges > 20000);
    assert_in_range(largest_bytes, 1, (1 << 16) + 1); /* the text's own buffer */
}

static void generator_and_transpose_without_memory_say_so(void **state)
{
    (void)state;
    struct edge_numbers numbers;
    assert_int_equal(edge_numbers_of(&numbers, false, 4, 4, 1), 0);
    const struct graph_stream stream = edge_numbers_stream(&numbers);
    const struct partition all = partition_blocks(16, 1);
    has_failed = true;
    for (long n = 0; has_failed; n++) {
        struct graph graph, turned = {0};
        fail_allocation(n);
        int status = graph_build_rows(&graph, &all, 0, &stream);
        if (!status)
            status = graph_transpose(&turned, &graph);
        n_before_failure = -1;
        assert_int_equal(status, has_failed ? -ENOMEM : 0);
        graph_free(&graph);
        graph_free(&turned);
        assert_true(n < 20 + 2 * SIDE_BY_SIDE_MOST);
    }
}

/* Memory that is short stays so: a thread asks once more, and not for every edge. */
static void short_memory_ends_a_build_at_once(void **state)
{
    (void)state;
    struct edge_numbers numbers;
    struct graph graph;
    assert_int_equal(edge_numbers_of(&numbers, true, 12, 64, 1), 0);
    const struct graph_stream stream = edge_numbers_stream(&numbers);
    const struct partition all = partition_blocks(UINT64_C(1) << 12, 1);
    n_failures = 0;
    fail_allocation(8);
    fails_on = true;
    assert_int_equal(graph_build_rows(&graph, &all, 0, &stream), -ENOMEM);
    fails_on = false;
    n_before_failure = -1;
    assert_in_range(n_failures, 1, 2 * SIDE_BY_SIDE_MOST);
}

/* The largest single request stays below what the few vertices that are free to any file cost. */
static void declared_counts_allocate_nothing(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {".graph", "4294967295 4611686018427387904\n"},
        {".graph", "4294967295 9223372036854775807\n2\n"},
        {".mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                 "4294967295 4294967295 9223372036854775807\n1 1\n"},
        {".gr", "p sp 4294967295 9223372036854775807\na 1 1 1\n"},
        {".gr", "p sp 4294967295 1\na 1 1 1\n"},
        {".el", "0 4294967294\n"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct graph graph;
        char reason[GRAPH_REASON_BYTES];
        const char *path = write_text(files[i][0], files[i][1]);
        largest_bytes = 0;
        assert_false(read_whole(&graph, path, reason));
        assert_in_range(largest_bytes, 1, 1 << 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_without_memory_says_so),
        cmocka_unit_test(survey_allocates_nothing),
        cmocka_unit_test(generator_and_transpose_without_memory_say_so),
        cmocka_unit_test(short_memory_ends_a_build_at_once),
        cmocka_unit_test(declared_counts_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
