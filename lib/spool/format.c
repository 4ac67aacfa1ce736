/* SPDX-License-Identifier: MIT */
/*
 * printf for arguments whose types come with them. See format.h.
 */
#include "spool/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CHARACTERS (320u + GRAVEL_WIDTH_MOST) /* of a conversion: 309 digits and a precision */
#define MOST_DIGITS 20u                            /* of a number of 64 bits */
#define TAG_BYTES (4 * (MOST_DIGITS + 1) + 2)
#define READY_BYTES (64u << 10) /* as much goes in one write */

/* ---- characters ------------------------------------------------------------------------------- */

/* Makes room for n characters behind those that are there. NULL: no memory. */
static char *make_room(struct gravel_characters *out, size_t n)
{
    if (out->room - out->n < n) {
        size_t room = 2 * out->room + n + 256;
        char *more = realloc(out->text, room);
        out->is_cut |= !more;
        if (!more)
            return NULL;
        out->text = more;
        out->room = room;
    }
    return out->text + out->n;
}

void gravel_characters_add(struct gravel_characters *out, const char *text, size_t n)
{
    char *to = n ? make_room(out, n) : NULL; /* there may be no memory yet, nor a text */
    if (!to)
        return;
    memcpy(to, text, n);
    out->n += n;
}

/* Writes characters as they are, except those that a terminal obeys. @param to  [4 n] @return how many. */
static size_t write_plain(char *to, const char *text, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char *at = to;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7f) {
            memcpy(at, "\\x", 2);
            at[2] = digits[c / 16];
            at[3] = digits[c % 16];
            at += 4;
        } else {
            *at++ = text[i];
        }
    }
    return (size_t)(at - to);
}

static size_t write_digits(char *to, uint64_t number)
{
    char digits[MOST_DIGITS];
    size_t n = 0;
    for (; n == 0 || number; number /= 10)
        digits[MOST_DIGITS - ++n] = (char)('0' + number % 10);
    memcpy(to, digits + MOST_DIGITS - n, n);
    return n;
}

/* Appends a decimal number: printf takes ten times as long. */
static void add_decimal(struct gravel_characters *out, uint64_t number, bool is_negative)
{
    char *to = make_room(out, 1 + MOST_DIGITS);
    if (!to)
        return;
    *to = '-';
    out->n += is_negative;
    out->n += write_digits(to + is_negative, is_negative ? 0 - number : number);
}

/* The printf that the compiler cannot check: every caller's format is for the type of its value. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void add_printed(struct gravel_characters *out, const char *format, ...)
{
    char text[MOST_CHARACTERS];
    va_list value;
    va_start(value, format);
    const int n = vsnprintf(text, sizeof text, format, value);
    va_end(value);
    const size_t n_kept = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    char *to = n_kept ? make_room(out, 4 * n_kept) : NULL;
    if (to)
        out->n += write_plain(to, text, n_kept);
}
#pragma GCC diagnostic pop

/* ---- a line ----------------------------------------------------------------------------------- */

/* What an argument is given to printf as. */
enum {
    DECIMAL, /* "%d" or "%u", which most are: not to printf */
    SIGNED,
    UNSIGNED,
    CHARACTER,
    REAL,
    STRING,
    ADDRESS,
    MISFIT
};

struct words {
    const uint32_t *words;
    uint32_t n;
};

static uint64_t word_at(const struct words *words, uint32_t i)
{
    return i < words->n ? words->words[i] : 0;
}

static void add_argument(struct gravel_characters *out, const struct gravel_conversion *conversion,
                         const struct words *words)
{
    const char *format = conversion->format;
    char string[4 * GRAVELP_STRING_WORDS + 1] = "";
    float narrow;
    double wide;
    uint64_t bits = word_at(words, conversion->word);
    if (GRAVELP_ARGUMENT_WORDS(conversion->type) == 2)
        bits |= word_at(words, conversion->word + 1u) << 32;
    const uint64_t kept = bits & (UINT64_MAX >> (64 - conversion->bits));
    const uint64_t sign = conversion->is_signed ? UINT64_C(1) << (conversion->bits - 1) : 0;
    const uint64_t number = (kept ^ sign) - sign;
    const uint32_t low = (uint32_t)bits;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    for (uint32_t i = 0; conversion->form == STRING && i < 4 * GRAVELP_STRING_WORDS; i++)
        string[i] = (char)(word_at(words, conversion->word + i / 4) >> 8 * (i % 4));
    if (conversion->form == DECIMAL)
        add_decimal(out, number, kept & sign);
    else if (conversion->form == SIGNED)
        add_printed(out, format, (long long)number);
    else if (conversion->form == UNSIGNED)
        add_printed(out, format, (unsigned long long)number);
    else if (conversion->form == CHARACTER)
        add_printed(out, format, (int)(bits & 0xff));
    else if (conversion->form == REAL)
        add_printed(out, format,
                    conversion->type == GRAVELP_ARGUMENT_FLOAT ? (double)narrow : wide);
    else if (conversion->form == STRING)
        add_printed(out, format, string);
    else
        add_printed(out, format, (void *)(uintptr_t)bits);
}

/* Appends literals to a text, the tag of a line behind each newline but the last. */
static void add_literals(struct gravel_characters *out, const struct gravel_line_plan *plan,
                         uint32_t from, uint32_t to, const char *tag, size_t tag_bytes)
{
    const char *at = plan->literals + from, *end = plan->literals + to, *newline;
    while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
        gravel_characters_add(out, at, (size_t)(newline + 1 - at));
        at = newline + 1;
        if (at < plan->literals + plan->n_literals)
            gravel_characters_add(out, tag, tag_bytes);
    }
    gravel_characters_add(out, at, (size_t)(end - at));
}

void gravel_line_write(struct gravel_characters *out, const struct gravel_line_plan *plan,
                       const uint32_t *words, uint32_t n_words, const char *at_newline,
                       size_t at_newline_bytes)
{
    const struct words arguments = {words, n_words};
    uint32_t at = 0;
    for (uint32_t i = 0; i < plan->n_conversions; at = plan->conversions[i++].at) {
        add_literals(out, plan, at, plan->conversions[i].at, at_newline, at_newline_bytes);
        add_argument(out, &plan->conversions[i], &arguments);
    }
    add_literals(out, plan, at, plan->n_literals, at_newline, at_newline_bytes);
}

/* ---- a plan ----------------------------------------------------------------------------------- */

struct reading {
    struct gravel_line_plan *plan;
    uint64_t types; /* of the arguments that are left */
    uint32_t word;  /* of the next one */
};

static void plan_plain(struct gravel_line_plan *plan, const char *text, size_t n)
{
    plan->n_literals += (uint32_t)write_plain(plan->literals + plan->n_literals, text, n);
}

static void plan_text(struct gravel_line_plan *plan, const char *text)
{
    const size_t n = strlen(text);
    memcpy(plan->literals + plan->n_literals, text, n);
    plan->n_literals += (uint32_t)n;
}

/* Takes the type of the next argument, GRAVELP_ARGUMENT_NONE if there is none. */
static void take(struct reading *reading, struct gravel_conversion *conversion)
{
    const uint32_t type = reading->types & 15u;
    conversion->type = type == GRAVELP_ARGUMENT_POINTER ? type : type & 7u;
    conversion->word = (uint16_t)reading->word;
    reading->types >>= 4;
    reading->word += GRAVELP_ARGUMENT_WORDS(conversion->type);
}

static void plan_argument(struct gravel_line_plan *plan, struct gravel_conversion *conversion)
{
    conversion->at = plan->n_literals;
    plan->conversions[plan->n_conversions++] = *conversion;
}

static bool is_signed(uint32_t type)
{
    return type == GRAVELP_ARGUMENT_INT || type == GRAVELP_ARGUMENT_LONG;
}

static uint8_t bits_of(uint32_t type)
{
    return GRAVELP_ARGUMENT_WORDS(type) == 1 ? 32 : 64;
}

static uint8_t form_of(char letter, uint32_t type)
{
    const bool is_real = type == GRAVELP_ARGUMENT_FLOAT || type == GRAVELP_ARGUMENT_DOUBLE;
    const bool is_integer = type >= GRAVELP_ARGUMENT_INT && type <= GRAVELP_ARGUMENT_ULONG;
    if (is_integer && letter == 'c')
        return CHARACTER;
    if (is_integer && strchr("diuxXo", letter))
        return is_signed(type) && (letter == 'd' || letter == 'i') ? SIGNED : UNSIGNED;
    if (is_real && strchr("fFeEgGaA", letter))
        return REAL;
    if (type == GRAVELP_ARGUMENT_STRING && letter == 's')
        return STRING;
    return type == GRAVELP_ARGUMENT_POINTER && letter == 'p' ? ADDRESS : MISFIT;
}

/* Writes an argument that fits no conversion, or not its own, by one that fits. */
static void plan_misfit(struct reading *reading, struct gravel_conversion *conversion, char letter)
{
    static const struct {
        uint8_t form;
        const char *format;
    } fitting[] = {[GRAVELP_ARGUMENT_INT] = {SIGNED, "%lld"},
                   [GRAVELP_ARGUMENT_UINT] = {UNSIGNED, "%llu"},
                   [GRAVELP_ARGUMENT_LONG] = {SIGNED, "%lld"},
                   [GRAVELP_ARGUMENT_ULONG] = {UNSIGNED, "%llu"},
                   [GRAVELP_ARGUMENT_FLOAT] = {REAL, "%g"},
                   [GRAVELP_ARGUMENT_DOUBLE] = {REAL, "%g"},
                   [GRAVELP_ARGUMENT_STRING] = {STRING, "%s"},
                   [GRAVELP_ARGUMENT_POINTER] = {UNSIGNED, "%#llx"}};
    plan_text(reading->plan, "%!");
    plan_plain(reading->plan, &letter, letter != '\0');
    if (conversion->type == GRAVELP_ARGUMENT_NONE)
        return;
    plan_text(reading->plan, "(");
    conversion->form = fitting[conversion->type].form;
    conversion->is_signed = conversion->form == SIGNED;
    conversion->bits = bits_of(conversion->type);
    strcpy(conversion->format, fitting[conversion->type].format);
    plan_argument(reading->plan, conversion);
    plan_text(reading->plan, ")");
}

/* Ends a conversion's format, of n characters so far, and takes its argument. */
static void plan_conversion(struct reading *reading, struct gravel_conversion *conversion, size_t n,
                            char letter)
{
    if (letter && strchr("diuxXocfFeEgGaAsp", letter)) /* else it takes no argument */
        take(reading, conversion);
    if (conversion->form != MISFIT)
        conversion->form = form_of(letter, conversion->type);
    if (conversion->form == MISFIT) {
        plan_misfit(reading, conversion, letter);
        return;
    }
    const bool is_long = conversion->form == SIGNED || conversion->form == UNSIGNED;
    conversion->is_signed = conversion->form == SIGNED;
    if (letter == 'i' || (letter == 'd' && !conversion->is_signed))
        letter = conversion->is_signed ? 'd' : 'u';
    if (conversion->bits == 0)
        conversion->bits = bits_of(conversion->type);
    if (is_long && n == 1 && (letter == 'd' || letter == 'u'))
        conversion->form = DECIMAL;
    char *end = stpcpy(conversion->format + n, is_long ? "ll" : "");
    end[0] = letter;
    end[1] = '\0';
    plan_argument(reading->plan, conversion);
}

/* Copies a width or a precision; one that is too large makes the conversion a misfit. @return behind it. */
static const char *copy_number(const char *at, const char *end,
                               struct gravel_conversion *conversion, char **to)
{
    const char *begin = at;
    uint32_t number = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        number = number > GRAVEL_WIDTH_MOST ? number : 10 * number + (uint32_t)(*at - '0');
    if (number > GRAVEL_WIDTH_MOST)
        conversion->form = MISFIT;
    else if (at > begin)
        *to += write_digits(*to, number);
    return at;
}

/* @param at  behind the '%'. @return behind the conversion. */
static const char *read_conversion(struct reading *reading, const char *at, const char *end)
{
    struct gravel_conversion conversion = {.format = "%", .type = GRAVELP_ARGUMENT_NONE};
    char *to = conversion.format + 1;
    for (; at < end && *at && strchr("-+ #0", *at); at++)
        if (!memchr(conversion.format, *at, (size_t)(to - conversion.format)))
            *to++ = *at;
    at = copy_number(at, end, &conversion, &to);
    if (at < end && *at == '.') {
        *to++ = *at++;
        at = copy_number(at, end, &conversion, &to);
    }
    uint32_t n_short = 0;
    for (; at < end && *at && strchr("hlLjzt", *at); at++)
        n_short += *at == 'h';
    conversion.bits = n_short == 0 ? 0 : n_short == 1 ? 16 : 8;
    plan_conversion(reading, &conversion, (size_t)(to - conversion.format), at < end ? *at : '\0');
    return at < end ? at + 1 : at;
}

void gravel_line_read(struct gravel_line_plan *plan, const char *text, size_t text_bytes,
                      uint64_t types)
{
    struct reading reading = {.plan = plan, .types = types};
    const char *at = text, *end = text + strnlen(text, text_bytes < GRAVELP_TEXT_MAX_BYTES
                                                           ? text_bytes
                                                           : GRAVELP_TEXT_MAX_BYTES);
    plan->n_conversions = plan->n_literals = 0;
    if (end > text && end[-1] == '\n') /* the line's own */
        end--;
    while (at < end) {
        const char c = *at++;
        if (c == '%' && at < end && *at == '%') {
            plan_text(plan, "%");
            at++;
        } else if (c == '%') {
            at = read_conversion(&reading, at, end);
        } else if (c == '\n' || c == '\t') {
            plan_text(plan, c == '\n' ? "\n" : "\t");
        } else {
            plan_plain(plan, &c, 1);
        }
    }
    while (reading.types) {
        struct gravel_conversion left_over = {.format = ""};
        take(&reading, &left_over);
        plan_misfit(&reading, &left_over, '\0');
    }
    plan_text(plan, "\n");
}

/* ---- the lines of a run ----------------------------------------------------------------------- */

/* "[3:128] "; of a launch of more dimensions "[3:128,7,0] ". */
static size_t write_tag(char text[TAG_BYTES], uint32_t node,
                        const uint32_t words[GRAVELP_TAG_WORDS])
{
    const uint64_t numbers[] = {node, words[0] | (uint64_t)words[1] << 32, words[2], words[3]};
    size_t n = 0;
    for (uint32_t i = 0; i < (words[2] || words[3] ? 4 : 2); i++) {
        text[n++] = "[:,,"[i];
        n += write_digits(text + n, numbers[i]);
    }
    text[n++] = ']';
    text[n++] = ' ';
    return n;
}

void gravel_lines_write(uint32_t source, const struct gravel_signal_run *run,
                        struct gravel_characters *out, gravel_lines_ready *ready, void *context)
{
    const uint32_t *words = gravel_records_of(run);
    const uint32_t command = run->run.command, n_words = GRAVELP_RECORD_WORDS(command);
    struct gravel_line_plan plan;
    gravel_line_read(&plan, (const char *)(run + 1), GRAVELP_TEXT_BYTES(command), run->result);
    for (uint32_t i = 0; i < run->run.n_messages; i++, words += n_words) {
        char tag[TAG_BYTES];
        const size_t n = source == GRAVEL_LINES_BARE ? 0 : write_tag(tag, source, words);
        gravel_characters_add(out, tag, n);
        gravel_line_write(out, &plan, words + GRAVELP_TAG_WORDS, n_words - GRAVELP_TAG_WORDS, tag,
                          n);
        if (out->n >= READY_BYTES)
            ready(context, out);
    }
}
