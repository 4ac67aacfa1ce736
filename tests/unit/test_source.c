/* SPDX-License-Identifier: MIT */
/*
 * The header in the place of its include: where it is put, where it is not, and which lines the rest has; and lines of the
 * whole text in a compiler's log.
 *
 * Path: meson test -> this -> lib/opencl/source.c
 */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "opencl/program.h"

#define BEGIN "\n#line 1 \"k.cl\"\n"
#define HEADER_THEN(line) "\n#line 1 \"gravel.cl.h\"\nHEADER\n\n#line " line " \"k.cl\"\n"

static void expect(const char *text, const char *expanded)
{
    static const struct gravel_source_header headers[] = {
        {"gravel.cl.h", "HEADER\n"}, {"more.cl.h", "MORE\n"}, {NULL, NULL}};
    char *got = NULL;
    size_t bytes;
    FILE *out = open_memstream(&got, &bytes);
    assert_non_null(out);
    gravel_source_expand(out, "k.cl", text, "", headers);
    fclose(out);
    assert_string_equal(got, expanded);
    free(got);
}

/* A program's text, and the text with headers. */
static const char *const texts[][2] = {
    /* text without include stays */
    {"", BEGIN},
    {"kernel void k(void) {}", BEGIN "kernel void k(void) {}"},
    {"#include \"other.h\"\n", BEGIN "#include \"other.h\"\n"},
    {"#define NAME \"gravel.cl.h\"\n", BEGIN "#define NAME \"gravel.cl.h\"\n"},
    /* what follows the include keeps its line */
    {"#include \"gravel.cl.h\"\nint x;\n", BEGIN HEADER_THEN("2") "int x;\n"},
    {"a\n\n  #  include\t\"gravel.cl.h\" // mine\nb", BEGIN "a\n\n" HEADER_THEN("4") "b"},
    {"#include \"gravel.cl.h\"", BEGIN HEADER_THEN("2")},
    /* every include is replaced */
    {"#if A\n#include \"gravel.cl.h\"\n#else\n#include \"gravel.cl.h\"\n#endif\n",
     BEGIN "#if A\n" HEADER_THEN("3") "#else\n" HEADER_THEN("5") "#endif\n"},
    /* each header is found by its whole name */
    {"#include \"gravel.cl.h\"\n#include \"more.cl.h\"\nint x;\n",
     BEGIN HEADER_THEN("2") "\n#line 1 \"more.cl.h\"\nMORE\n\n#line 3 \"k.cl\"\nint x;\n"},
    {"#include \"more.cl\"\n", BEGIN "#include \"more.cl\"\n"},
    {"#include \"more.cl.hh\"\n", BEGIN "#include \"more.cl.hh\"\n"},
    /* include in a comment stays */
    {"/*\n#include \"gravel.cl.h\"\n*/\n", BEGIN "/*\n#include \"gravel.cl.h\"\n*/\n"},
    {"// /*\n#include \"gravel.cl.h\"\n", BEGIN "// /*\n" HEADER_THEN("3")},
    {"/* a */ b /* c\n#include \"gravel.cl.h\"\n*/",
     BEGIN "/* a */ b /* c\n#include \"gravel.cl.h\"\n*/"},
    /* literal that looks like a comment begins none */
    {"x = \"/*\";\n#include \"gravel.cl.h\"\n", BEGIN "x = \"/*\";\n" HEADER_THEN("3")},
    {"x = \"\\\"/*\";\n#include \"gravel.cl.h\"\n", BEGIN "x = \"\\\"/*\";\n" HEADER_THEN("3")},
    {"c = '\"'; /* \"\n#include \"gravel.cl.h\"\n*/",
     BEGIN "c = '\"'; /* \"\n#include \"gravel.cl.h\"\n*/"},
    {"#define T it's /* \n#include \"gravel.cl.h\"\n",
     BEGIN "#define T it's /* \n" HEADER_THEN("3")},
    /* byte order marks go */
    {"\xef\xbb\xbf", BEGIN},
    {"\xef\xbb\xbfint x;\n", BEGIN "int x;\n"},
    {"\xef\xbb\xbf#include \"gravel.cl.h\"\nint x;\n", BEGIN HEADER_THEN("2") "int x;\n"},
    {"a\n\xef\xbb\xbf#include \"gravel.cl.h\"\nb", BEGIN "a\n" HEADER_THEN("3") "b"},
    {"x = \"\xef\xbb\xbf\";\n", BEGIN "x = \"\xef\xbb\xbf\";\n"},
};

TEST(headers_are_put_where_they_are_included)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i][0], texts[i][1]);
}

static void expect_log(const char *text, const char *log, const char *named)
{
    char *got = NULL;
    size_t bytes;
    FILE *out = open_memstream(&got, &bytes);
    assert_non_null(out);
    gravel_source_name_places(out, log, text);
    fclose(out);
    assert_string_equal(got, named);
    free(got);
}

TEST(lines_of_the_whole_text_are_named)
{
    static const char text[] = "prelude\n" BEGIN "one" HEADER_THEN("2") "two\nthree\n";
    expect_log(text, "<kernel>:4:7: error: one\n", "k.cl:1:7: error: one\n");
    expect_log(text, "<kernel>:6:1: a\n<kernel>:9:5: b\n<kernel>:10:2: c",
               "gravel.cl.h:1:1: a\nk.cl:2:5: b\nk.cl:3:2: c");
}

TEST(lines_without_a_name_stay)
{
    static const char text[] = "prelude\n" BEGIN "one\n";
    expect_log(text, "", "");
    expect_log(text, "<kernel>:1:1: error", "<kernel>:1:1: error");
    expect_log(text, "<kernel>: error in <kernel>", "<kernel>: error in <kernel>");
    expect_log(text, "k.cl:1:1: error", "k.cl:1:1: error");
    expect_log("no directive\n", "<kernel>:7:1: error", "<kernel>:7:1: error");
}
