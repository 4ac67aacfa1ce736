/* SPDX-License-Identifier: MIT */
/*
 * Lines of text from arguments whose types come with them: as snprintf writes them where conversion and type fit, and
 * something harmless that shows the misfit where they do not.
 *
 * Path: cmocka -> lib/spool/format.c
 */
#include "draws.h"
#include "spool/format.h"
#include "layout/command.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gravel_characters out;

/* Arguments of one line. */
static uint64_t types;
static uint32_t words[GRAVELP_RECORD_MAX_WORDS], n_words, n_arguments;

static void begin(void)
{
    types = n_words = n_arguments = 0;
    out.n = 0;
}

static void add(uint32_t type, uint64_t bits)
{
    types |= (uint64_t)type << 4 * n_arguments++;
    words[n_words++] = (uint32_t)bits;
    if (GRAVELP_ARGUMENT_WORDS(type) == 2)
        words[n_words++] = (uint32_t)(bits >> 32);
}

static void add_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add(GRAVELP_ARGUMENT_DOUBLE, bits);
}

static void add_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add(GRAVELP_ARGUMENT_FLOAT, bits);
}

static void add_string(const char *text)
{
    types |= (uint64_t)GRAVELP_ARGUMENT_STRING << 4 * n_arguments++;
    for (uint32_t i = 0; i < GRAVELP_STRING_WORDS; i++)
        words[n_words + i] = 0;
    for (uint32_t i = 0; i < 4 * GRAVELP_STRING_WORDS && text[i]; i++)
        words[n_words + i / 4] |= (uint32_t)(unsigned char)text[i] << 8 * (i % 4);
    n_words += GRAVELP_STRING_WORDS;
}

static void write_line(const char *text, size_t text_bytes, const uint32_t *of,
                       const char *at_newline)
{
    struct gravel_line_plan plan;
    memset(&plan, 0xff, sizeof plan); /* nothing of it is relied on */
    gravel_line_read(&plan, text, text_bytes, types);
    gravel_line_write(&out, &plan, of, n_words, at_newline, strlen(at_newline));
}

/* The words in a block of their size, so that a sanitizer sees reads beyond it. */
static void expect_line(const char *text, const char *expected)
{
    uint32_t *exact = calloc(1, n_words * sizeof *exact + 1);
    memcpy(exact, words, n_words * sizeof *exact);
    write_line(text, strlen(text), exact, "> ");
    free(exact);
    gravel_characters_add(&out, "", 1);
    assert_string_equal(out.text, expected);
}

/* ---- conversions that fit, as snprintf writes them ------------------------------------------- */

static const char *line_of(const char *text)
{
    write_line(text, strlen(text), words, "> ");
    gravel_characters_add(&out, "", 1);
    return out.text;
}

/* A conversion with any flags, width and precision, of a value of any type that it fits; `expected` gets a newline. */
static const char *conversions_are_as_snprintf_writes_them(struct draws *draws)
{
    static const char letters[] = "diuxXofgeGEa";
    static const double reals[] = {0, -0.0, 1.5, -2.25, 1e300, 1e-300, 3.0e38, 42};
    static const uint64_t integers[] = {0,         1,        UINT64_MAX,       42,
                                        INT32_MAX, 1u << 31, UINT64_C(5) << 40};
    const char letter = letters[draw_below(draws, sizeof letters - 1)];
    const bool is_real = strchr("fgeGEa", letter), is_signed = letter == 'd' || letter == 'i';
    const char *flags = is_real ? "+-#0 " : is_signed ? "+-0 " : letter == 'u' ? "-0" : "-#0";
    char format[32] = "%", wide[40], expected[512];
    size_t n = 1;
    for (uint32_t i = draw_below(draws, 4); i; i--)
        format[n++] = flags[draw_below(draws, (uint32_t)strlen(flags))];
    if (draw_below(draws, 2))
        n += (size_t)sprintf(format + n, "%u", 1 + draw_below(draws, draws->size));
    if (draw_below(draws, 3) == 0)
        n += (size_t)sprintf(format + n, ".%u", draw_below(draws, 12));
    snprintf(wide, sizeof wide, "%sll%c", format, letter);
    format[n] = letter;
    begin();
    if (is_real) {
        double value = reals[draw_below(draws, 8)];
        if (draw_below(draws, 2))
            add_double(value);
        else
            add_float((float)value), value = (double)(float)value;
        snprintf(expected, sizeof expected - 1, format, value);
    } else if (draw_below(draws, 2)) {
        const uint32_t value = (uint32_t)integers[draw_below(draws, 7)];
        add(is_signed ? GRAVELP_ARGUMENT_INT : GRAVELP_ARGUMENT_UINT, value);
        snprintf(expected, sizeof expected - 1, format, value);
    } else {
        const uint64_t value = integers[draw_below(draws, 7)];
        add(is_signed ? GRAVELP_ARGUMENT_LONG : GRAVELP_ARGUMENT_ULONG, value);
        snprintf(expected, sizeof expected - 1, wide, value);
    }
    HOLDS(strcmp(line_of(format), strcat(expected, "\n")) == 0);
    return NULL;
}

TEST(what_fits_is_as_snprintf_writes_it)
{
    expect_property(conversions_are_as_snprintf_writes_them, 20000, 60);
}

TEST(lengths_cut_integers_and_nothing_else)
{
    char address[64];
    snprintf(address, sizeof address, "%p %20p|\n", (void *)address, NULL);
    begin(), add(GRAVELP_ARGUMENT_POINTER, (uintptr_t)address), add(GRAVELP_ARGUMENT_POINTER, 0);
    expect_line("%p %20p|", address);
    begin(), add(GRAVELP_ARGUMENT_INT, (uint64_t)-1);
    expect_line("%hhx", "ff\n");
    begin(), add(GRAVELP_ARGUMENT_INT, (uint64_t)-2);
    expect_line("%hd", "-2\n");
    begin(), add(GRAVELP_ARGUMENT_LONG, (uint64_t)-5), add(GRAVELP_ARGUMENT_ULONG, UINT64_MAX);
    expect_line("%ld %d", "-5 18446744073709551615\n");
    begin(), add_double(1.5);
    expect_line("%lf", "1.500000\n");
}

TEST(strings_are_cut_and_their_control_characters_shown)
{
    begin(), add_string("0123456789abcdef0123456789abcdefXYZ");
    expect_line("%s", "0123456789abcdef0123456789abcdef\n");
    begin(), add_string("a\033[31mb\nc\t\177");
    expect_line("<%s>", "<a\\x1b[31mb\\x0ac\\x09\\x7f>\n");
    begin(), add_string("abc"), add_string("abc");
    expect_line("%5s|%-5.2s|", "  abc|ab   |\n");
    begin(), add(GRAVELP_ARGUMENT_INT, 'x'), add(GRAVELP_ARGUMENT_INT, 7),
        add(GRAVELP_ARGUMENT_INT, 0);
    expect_line("%c%c%3c", "x\\x07  \\x00\n");
}

TEST(newlines_begin_lines_and_the_last_is_the_lines_own)
{
    begin();
    expect_line("a\nb\n", "a\n> b\n");
    begin();
    expect_line("", "\n");
    begin();
    expect_line("\a\tb\033", "\\x07\tb\\x1b\n");
}

TEST(misfits_are_shown)
{
    begin(), add_double(1.5);
    expect_line("%d", "%!d(1.5)\n");
    begin(), add(GRAVELP_ARGUMENT_INT, (uint64_t)-3);
    expect_line("%s, %f", "%!s(-3), %!f\n");
    begin(), add(GRAVELP_ARGUMENT_INT, 1), add_string("two");
    expect_line("%n", "%!n%!(1)%!(two)\n");
    begin(), add(GRAVELP_ARGUMENT_INT, 1), add(GRAVELP_ARGUMENT_INT, 2);
    expect_line("%*d", "%!*d%!(1)%!(2)\n");
    begin(), add(GRAVELP_ARGUMENT_UINT, 5);
    expect_line("%", "%!%!(5)\n");
    begin();
    expect_line("100%% %y %-", "100% %!y %!\n");
    begin(), add(GRAVELP_ARGUMENT_ULONG, 5);
    expect_line("%p", "%!p(5)\n");
    begin(), add(GRAVELP_ARGUMENT_POINTER, 0x7f0000001000), add_string("text");
    expect_line("%s %p", "%!s(0x7f0000001000) %!p(text)\n");
    begin(), add(GRAVELP_ARGUMENT_INT, 1), add_double(1.5);
    expect_line("%4096d %.99999999999f", "%!d(1) %!f(1.5)\n");
}

/* Read once, as by the writer, for words that differ. */
TEST(a_text_that_was_read_makes_many_lines)
{
    struct gravel_line_plan plan;
    char expected[64];
    begin(), add(GRAVELP_ARGUMENT_INT, 0), add_string("");
    gravel_line_read(&plan, "%d:\n%.2s, and what is not the text's", 8, types);
    for (int i = -150; i < 150; i += 7) {
        begin(), add(GRAVELP_ARGUMENT_INT, (uint64_t)i), add_string(i < 0 ? "less" : "more");
        gravel_line_write(&out, &plan, words, n_words, "> ", 2);
        snprintf(expected, sizeof expected, "%d:\n> %s\n", i, i < 0 ? "le" : "mo");
        gravel_characters_add(&out, "", 1);
        assert_string_equal(out.text, expected);
    }
}

/* The longest text and the most arguments, each of what takes most room in a plan. */
TEST(the_longest_text_fits)
{
    char text[GRAVELP_TEXT_MAX_BYTES + 8];
    for (const char *each = "\a\nx"; *each; each++) {
        const size_t room = *each == '\a' ? 4 : *each == '\n' ? 3 : 1;
        memset(text, *each, sizeof text);
        begin();
        types = 0x1111111111111111u * GRAVELP_ARGUMENT_ULONG;
        write_line(text, sizeof text, words, "> ");
        const size_t n = GRAVELP_TEXT_MAX_BYTES - (*each == '\n'); /* the last is the line's own */
        assert_int_equal(out.n, n * room + 16 * strlen("%!(0)") + 1);
        assert_memory_equal(out.text + out.n - 6, "%!(0)\n", 6);
    }
}

/* Those that C promises; misfits_are_shown has larger ones, so that no text makes a line of many megabytes. */
TEST(widths_and_precisions_are_as_asked)
{
    static const char *const formats[] = {"%.1000d|", "%-4095d|", "%04095d|", "%.0004d|",
                                          "%----------------------------------------+-5d|"};
    char expected[5000];
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        snprintf(expected, sizeof expected - 1, formats[f], -7);
        begin(), add(GRAVELP_ARGUMENT_INT, (uint64_t)-7);
        expect_line(formats[f], strcat(expected, "\n"));
    }
    snprintf(expected, sizeof expected, "%.4095f\n", -DBL_MAX);
    begin(), add_double(-DBL_MAX);
    expect_line("%.4095f", expected);
}

/* Types and words that do not belong together: from a frame that is unchecked. */
TEST(arguments_without_words_are_zeros)
{
    begin();
    types = UINT64_MAX;
    expect_line("%s%s", "%!()%!()%!()%!()%!()%!()%!()%!()%!()%!()%!()%!()%!()%!()\n");
    begin();
    types = 0x43;
    expect_line("%d %u", "0 0\n");
}

static void free_line(void)
{
    free(out.text);
}

const struct fixture fixture = {.close = free_line};
