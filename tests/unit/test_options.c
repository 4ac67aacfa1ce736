/* SPDX-License-Identifier: MIT */
/*
 * The applications' command line: what is read. What is refused is in tests/app/refusals.py.
 *
 * Path: meson test -> this -> apps/frame/options.h, apps/graph/options.h
 */
#include "cases.h"
#include "graph/options.h"
#include "frame/options.h"

#include <stdlib.h>
#include <string.h>

/* An application's own options beside the common ones. */
struct app_options {
    struct options common;
    struct graph_options graph;
    uint64_t table_bytes;
    double width;
    bool is_fast;
    const char *path;
    struct option_words each;
};

#define APP_DEFAULT \
    ((struct app_options){.common = OPTIONS_DEFAULT, .graph = GRAPH_OPTIONS_DEFAULT})

static const struct app_option own_options[] = {
    {"table", 't', "BYTES", "Table", OPTION_NUMBER(struct app_options, table_bytes, 8, 1 << 20)},
    {"width", 0, "WIDTH", "Width", OPTION_REAL(struct app_options, width)},
    {"fast", 0, NULL, "Fast", OPTION_FLAG(struct app_options, is_fast)},
    {"path", 0, "PATH", "Path", OPTION_WORD(struct app_options, path)},
    {"each", 0, "WORD", "Words", OPTION_WORDS(struct app_options, each)},
    {0}};

static const struct option_group groups[] = {
    {"Own:", 1, own_options, 0},
    {0},
    OPTIONS_RUN_GROUP(offsetof(struct app_options, common)),
    GRAPH_OPTIONS_GROUP(offsetof(struct app_options, graph))};

#define MAX_WORDS 16

/* Parse a command line written as words with single blanks between them. */
static struct app_options parse(char *line)
{
    struct app_options mine = APP_DEFAULT;
    char *words[MAX_WORDS] = {(char *)"app"};
    int n = 1;
    for (char *word = strtok(line, " "); word && n < MAX_WORDS - 1; word = strtok(NULL, " "))
        words[n++] = word;
    options_parse(groups, sizeof groups / sizeof *groups, "Test.", &mine, n, words);
    return mine;
}

#define PARSE(line) parse((char[]){line})

TEST(all_options_are_read)
{
    const struct options common = PARSE("").common;
    assert_true(common.n_trials == 3 && common.seed == 1 && !common.verify && !common.json);
    struct app_options mine =
        PARSE("-g 20 -k 7 -n 5 -v -q --json --seed 9223372036854775807 -t 64");
    assert_int_equal(mine.graph.source, GRAPH_FROM_KRONECKER);
    assert_int_equal(mine.graph.scale, 20);
    assert_int_equal(mine.graph.degree, 7);
    assert_int_equal(mine.common.n_trials, 5);
    assert_int_equal(mine.common.seed, INT64_MAX);
    assert_true(mine.common.verify && mine.common.json && mine.common.quiet);
    assert_int_equal(mine.table_bytes, 64);
    mine = PARSE("--table 8 --width 1e-3 --fast --path a/b --each one --fast --each two -f x.el");
    assert_int_equal(mine.table_bytes, 8);
    assert_true(mine.width > 0.9e-3 && mine.width < 1.1e-3);
    assert_true(mine.is_fast);
    assert_string_equal(mine.path, "a/b");
    assert_int_equal(mine.each.n, 2); /* given again: words are added, flags stay */
    assert_string_equal(mine.each.each[0], "one");
    assert_string_equal(mine.each.each[1], "two");
    assert_int_equal(mine.graph.source, GRAPH_FROM_FILE);
    assert_string_equal(mine.graph.file, "x.el");
}

/* The first option of which two command lines tell something else; NULL if none. */
static const char *first_difference(char *one, char *other)
{
    static char spelled[OPTION_SPELLED_BYTES];
    uint64_t digests[64];
    unsigned n, n_others;
    parse(one);
    const struct option_told *told = options_told(&n);
    assert_in_range(n, 1, 64);
    for (unsigned i = 0; i < n; i++)
        digests[i] = told[i].digest;
    parse(other);
    told = options_told(&n_others);
    assert_int_equal(n, n_others);
    for (unsigned i = 0; i < n; i++)
        if (digests[i] != told[i].digest)
            return option_spell(told[i].option, spelled);
    return NULL;
}

TEST(command_lines_differ_where_they_tell_something_else)
{
    static const char *const rows[][3] = {
        {"-g 3 --seed 1", "--width 1 -g 3", "--width"},
        {"-g 3 --seed 01", "-g 3", NULL},
        {"-g 3 --width 1e0", "-g 3 --width 1.0", NULL},
        {"-g 3", "-u 3", "-g"},
        {"-g 3 --seed 2", "-g 3", "--seed"},
        {"-g 3", "-g 3 -k 15", "-k"},
        {"-f x.el", "-f y.el", NULL}, /* files are compared by what they hold */
        {"-f x.el", "", "-f"},
        {"--each a --each b", "--each b --each a", "--each"},
        {"--fast", "", "--fast"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char one[64], other[64];
        strcpy(one, rows[i][0]);
        strcpy(other, rows[i][1]);
        const char *difference = first_difference(one, other);
        assert_string_equal(difference ? difference : "", rows[i][2] ? rows[i][2] : "");
    }
}
