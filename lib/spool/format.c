/* SPDX-License-Identifier: MIT */
/*
 * printf for arguments whose types come with them. See format.h.
 */
#include "spool/format.h"

#include "layout/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 3u /* of a width and a precision */
#define MOST_CHARACTERS \
    2048 /* of one conversion: a double of 309 digits before and 999 behind the point */

void gravel_characters_add(struct gravel_characters *out, const char *text, size_t n)
{
    if (n == 0)
        return; /* there may be no memory yet, nor a text */
    if (out->room - out->n < n) {
        size_t room = 2 * out->room + n + 256;
        char *more = realloc(out->text, room);
        out->is_cut |= !more;
        if (!more)
            return;
        out->text = more;
        out->room = room;
    }
    memcpy(out->text + out->n, text, n);
    out->n += n;
}

static void add(struct gravel_characters *out, const char *text)
{
    gravel_characters_add(out, text, strlen(text));
}

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

/* Characters of an argument. */
static void add_plain(struct gravel_characters *out, const char *text, size_t n)
{
    char escape[8];
    size_t first = 0; /* of those that are not added yet */
    for (size_t i = 0; i < n; i++) {
        if (!is_control((unsigned char)text[i]))
            continue;
        gravel_characters_add(out, text + first, i - first);
        snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)text[i]);
        add(out, escape);
        first = i + 1;
    }
    gravel_characters_add(out, text + first, n - first);
}

/* ---- arguments -------------------------------------------------------------------------------- */

struct arguments {
    uint64_t types;
    const uint32_t *words;
    uint32_t n_words;
};

struct argument {
    uint32_t type; /* GRAVELP_ARGUMENT_NONE: there is none left */
    uint64_t bits;
    char string[4 * GRAVELP_STRING_WORDS + 1];
};

static uint64_t word_at(const struct arguments *arguments, uint32_t i)
{
    return i < arguments->n_words ? arguments->words[i] : 0;
}

static struct argument take(struct arguments *arguments)
{
    struct argument argument;
    argument.type = arguments->types & 7u;
    argument.string[sizeof argument.string - 1] = '\0';
    const uint32_t n = GRAVELP_ARGUMENT_WORDS(argument.type);
    arguments->types >>= 4;
    for (uint32_t i = 0; argument.type == GRAVELP_ARGUMENT_STRING && i < 4 * n; i++)
        argument.string[i] = (char)(word_at(arguments, i / 4) >> 8 * (i % 4));
    argument.bits = word_at(arguments, 0) | (n == 2 ? word_at(arguments, 1) << 32 : 0);
    const uint32_t taken = n < arguments->n_words ? n : arguments->n_words;
    arguments->words += taken;
    arguments->n_words -= taken;
    return argument;
}

static double real_of(const struct argument *argument)
{
    const uint32_t low = (uint32_t)argument->bits;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &argument->bits, sizeof wide);
    return argument->type == GRAVELP_ARGUMENT_FLOAT ? (double)narrow : wide;
}

static bool is_real(const struct argument *argument)
{
    return argument->type == GRAVELP_ARGUMENT_FLOAT || argument->type == GRAVELP_ARGUMENT_DOUBLE;
}

static bool is_integer(const struct argument *argument)
{
    return argument->type >= GRAVELP_ARGUMENT_INT && argument->type <= GRAVELP_ARGUMENT_ULONG;
}

/* ---- conversions ------------------------------------------------------------------------------ */

/* "%-08.3hhx": what stands before the length, and the rest. */
struct conversion {
    char flags[8 + 2 * MOST_DIGITS + 2]; /* "%-08.3" */
    bool is_plain;                       /* no flags but '%' */
    char letter;                         /* 'x'; 0: the text has ended */
    uint32_t bits;                       /* of "hh" and "h": 8 and 16; 0: all */
};

static const char *copy_digits(const char *at, const char *end, char **to)
{
    for (uint32_t n = 0; at < end && *at >= '0' && *at <= '9'; at++)
        if (n++ < MOST_DIGITS)
            *(*to)++ = *at;
    return at;
}

/* @param at  behind the '%'. @return behind the conversion. */
static const char *read_conversion(const char *at, const char *end, struct conversion *conversion)
{
    char *to = conversion->flags;
    *conversion = (struct conversion){.letter = 0};
    *to++ = '%';
    while (at < end && *at && strchr("-+ #0", *at)) {
        if (!memchr(conversion->flags, *at, (size_t)(to - conversion->flags)))
            *to++ = *at;
        at++;
    }
    at = copy_digits(at, end, &to);
    if (at < end && *at == '.') {
        *to++ = *at++;
        at = copy_digits(at, end, &to);
    }
    conversion->is_plain = to == conversion->flags + 1;
    uint32_t n_short = 0;
    for (; at < end && *at && strchr("hlLjzt", *at); at++)
        n_short += *at == 'h';
    conversion->bits = n_short == 0 ? 0 : n_short == 1 ? 16 : 8;
    if (at < end)
        conversion->letter = *at++;
    return at;
}

/* "%d" or "%u", which most are: printf takes ten times as long. */
static void add_decimal(struct gravel_characters *out, uint64_t number, bool is_negative)
{
    char text[1 + GRAVEL_MOST_DIGITS] = "-";
    const size_t n = gravel_write_digits(text + is_negative, is_negative ? 0 - number : number);
    gravel_characters_add(out, text, is_negative + n);
}

static void write_format(char to[40], const struct conversion *conversion, const char *length)
{
    char *end = stpcpy(stpcpy(to, conversion->flags), length);
    end[0] = conversion->letter;
    end[1] = '\0';
}

/* The printf that the compiler cannot check: every caller's conversion is for the type of its value. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define ADD_CONVERTED(out, conversion, length, value)                                         \
    do {                                                                                      \
        char format_[40], text_[MOST_CHARACTERS];                                             \
        write_format(format_, conversion, length);                                            \
        int n_ = snprintf(text_, sizeof text_, format_, value);                               \
        if (n_ > 0)                                                                           \
            add_plain(out, text_, (size_t)n_ < sizeof text_ ? (size_t)n_ : sizeof text_ - 1); \
    } while (0)

static void add_integer(struct gravel_characters *out, struct conversion *conversion,
                        const struct argument *argument)
{
    const bool is_signed =
        argument->type == GRAVELP_ARGUMENT_INT || argument->type == GRAVELP_ARGUMENT_LONG;
    const bool is_narrow =
        argument->type == GRAVELP_ARGUMENT_INT || argument->type == GRAVELP_ARGUMENT_UINT;
    const bool is_decimal = conversion->letter == 'd' || conversion->letter == 'i';
    const uint32_t bits = conversion->bits ? conversion->bits : is_narrow ? 32 : 64;
    const uint64_t kept = argument->bits & (UINT64_MAX >> (64 - bits));
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    if (conversion->letter == 'c') {
        ADD_CONVERTED(out, conversion, "", (int)(argument->bits & 0xff));
    } else if (conversion->is_plain && (is_decimal || conversion->letter == 'u')) {
        const bool extends = is_decimal && is_signed && (kept & sign);
        add_decimal(out, extends ? (kept ^ sign) - sign : kept, extends);
    } else if (is_decimal && is_signed) {
        ADD_CONVERTED(out, conversion, "ll", (long long)((kept ^ sign) - sign));
    } else {
        conversion->letter = is_decimal ? 'u' : conversion->letter;
        ADD_CONVERTED(out, conversion, "ll", (unsigned long long)kept);
    }
}

static void add_real(struct gravel_characters *out, const struct conversion *conversion,
                     const struct argument *argument)
{
    ADD_CONVERTED(out, conversion, "", real_of(argument));
}

static void add_string(struct gravel_characters *out, const struct conversion *conversion,
                       const struct argument *argument)
{
    if (conversion->is_plain)
        add_plain(out, argument->string, strlen(argument->string));
    else
        ADD_CONVERTED(out, conversion, "", argument->string);
}
#pragma GCC diagnostic pop

/* An argument as it is, whatever the conversion. */
static void add_bare(struct gravel_characters *out, const struct argument *argument)
{
    char text[64];
    if (argument->type == GRAVELP_ARGUMENT_STRING) {
        add_plain(out, argument->string, strlen(argument->string));
        return;
    }
    if (is_real(argument))
        snprintf(text, sizeof text, "%g", real_of(argument));
    else if (argument->type == GRAVELP_ARGUMENT_INT)
        snprintf(text, sizeof text, "%d", (int)(uint32_t)argument->bits);
    else if (argument->type == GRAVELP_ARGUMENT_LONG)
        snprintf(text, sizeof text, "%lld", (long long)argument->bits);
    else
        snprintf(text, sizeof text, "%llu", (unsigned long long)argument->bits);
    add(out, text);
}

static void add_misfit(struct gravel_characters *out, char letter, const struct argument *argument)
{
    add(out, "%!");
    if (letter)
        add_plain(out, &letter, 1);
    if (argument->type == GRAVELP_ARGUMENT_NONE)
        return;
    add(out, "(");
    add_bare(out, argument);
    add(out, ")");
}

static void convert(struct gravel_characters *out, struct conversion *conversion,
                    struct arguments *arguments)
{
    static const struct argument nothing = {.type = GRAVELP_ARGUMENT_NONE};
    const char letter = conversion->letter;
    if (!letter || !strchr("diuxXocfFeEgGaAs", letter)) {
        add_misfit(out, letter, &nothing);
        return;
    }
    const struct argument argument = take(arguments);
    if (strchr("diuxXoc", letter) && is_integer(&argument))
        add_integer(out, conversion, &argument);
    else if (strchr("fFeEgGaA", letter) && is_real(&argument))
        add_real(out, conversion, &argument);
    else if (letter == 's' && argument.type == GRAVELP_ARGUMENT_STRING)
        add_string(out, conversion, &argument);
    else
        add_misfit(out, letter, &argument);
}

static void add_left_over(struct gravel_characters *out, struct arguments *arguments)
{
    while (arguments->types & 7u) {
        const struct argument argument = take(arguments);
        add_misfit(out, '\0', &argument);
    }
}

/* What stands for itself, up to what does not; or that. @return behind it. */
static const char *add_piece(struct gravel_characters *out, const char *at, const char *end,
                             struct arguments *arguments, const char *at_newline,
                             size_t at_newline_bytes)
{
    struct conversion conversion;
    const char *special = at;
    while (special < end && *special != '%' && !is_control((unsigned char)*special))
        special++;
    gravel_characters_add(out, at, (size_t)(special - at));
    if (special == end)
        return end;
    if (*special == '%' && end - special > 1 && special[1] == '%') {
        add(out, "%");
        return special + 2;
    }
    if (*special == '%') {
        special = read_conversion(special + 1, end, &conversion);
        convert(out, &conversion, arguments);
        return special;
    }
    if (*special == '\n' || *special == '\t')
        gravel_characters_add(out, special, 1);
    else
        add_plain(out, special, 1);
    if (*special == '\n')
        gravel_characters_add(out, at_newline, at_newline_bytes);
    return special + 1;
}

void gravel_format_line(struct gravel_characters *out, const char *text, size_t text_bytes,
                        uint64_t types, const uint32_t *words, uint32_t n_words,
                        const char *at_newline, size_t at_newline_bytes)
{
    struct arguments arguments = {types, words, n_words};
    const char *end = text + strnlen(text, text_bytes);
    if (end > text && end[-1] == '\n') /* the line's own */
        end--;
    for (const char *at = text; at < end;)
        at = add_piece(out, at, end, &arguments, at_newline, at_newline_bytes);
    add_left_over(out, &arguments);
    add(out, "\n");
}
