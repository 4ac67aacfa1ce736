/* SPDX-License-Identifier: MIT */
/*
 * printf for arguments whose types come with them. See format.h.
 */
#include "spool/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CHARACTERS (320u + GRAVEL_WIDTH_MOST) /* of a conversion: 309 digits and a precision */

/* ---- characters ------------------------------------------------------------------------------- */

/* Room for n characters behind those that are there. NULL: memory is out. */
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

static void add(struct gravel_characters *out, const char *text)
{
    gravel_characters_add(out, text, strlen(text));
}

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

/* Characters that stand for themselves, unless a terminal obeys them. @param to  [4 n] @return how many. */
static size_t write_plain(char *to, const char *text, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char *at = to;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (is_control(c)) {
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

static void add_plain(struct gravel_characters *out, const char *text, size_t n)
{
    char *to = n ? make_room(out, 4 * n) : NULL;
    if (to)
        out->n += write_plain(to, text, n);
}

static size_t count_digits(uint64_t number)
{
    size_t n = 1;
    for (; number >= 10000; number /= 10000)
        n += 4;
    return n + (number >= 1000) + (number >= 100) + (number >= 10);
}

size_t gravel_write_digits(char *to, uint64_t number)
{
    static const char pairs[] = /* of 00 to 99 */
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    const size_t n = count_digits(number);
    char *at = to + n;
    for (; number >= 100; number /= 100)
        memcpy(at -= 2, pairs + 2 * (number % 100), 2);
    if (number >= 10)
        memcpy(at - 2, pairs + 2 * number, 2);
    else
        at[-1] = (char)('0' + number);
    return n;
}

/* ---- arguments -------------------------------------------------------------------------------- */

/* How the characters of an argument are made. */
enum {
    DECIMAL, /* "%d" or "%u", which most are: printf takes ten times as long */
    INTEGER,
    REAL,
    STRING,
    ADDRESS,
    BARE /* as it is, since it does not fit its conversion */
};

struct argument {
    uint64_t bits;
    char string[4 * GRAVELP_STRING_WORDS + 1];
};

struct words {
    const uint32_t *words;
    uint32_t n;
};

static uint64_t word_at(const struct words *words, uint32_t i)
{
    return i < words->n ? words->words[i] : 0;
}

static uint64_t bits_of(const struct gravel_conversion *conversion, const struct words *words)
{
    const uint64_t low = word_at(words, conversion->word);
    return GRAVELP_ARGUMENT_WORDS(conversion->type) == 2
               ? low | word_at(words, conversion->word + 1u) << 32
               : low;
}

static void read_string(char string[4 * GRAVELP_STRING_WORDS + 1],
                        const struct gravel_conversion *conversion, const struct words *words)
{
    for (uint32_t i = 0; i < 4 * GRAVELP_STRING_WORDS; i++)
        string[i] = (char)(word_at(words, conversion->word + i / 4) >> 8 * (i % 4));
    string[4 * GRAVELP_STRING_WORDS] = '\0';
}

static double real_of(const struct gravel_conversion *conversion, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return conversion->type == GRAVELP_ARGUMENT_FLOAT ? (double)narrow : wide;
}

static bool is_real(uint32_t type)
{
    return type == GRAVELP_ARGUMENT_FLOAT || type == GRAVELP_ARGUMENT_DOUBLE;
}

static bool is_integer(uint32_t type)
{
    return type >= GRAVELP_ARGUMENT_INT && type <= GRAVELP_ARGUMENT_ULONG;
}

/* ---- a line ----------------------------------------------------------------------------------- */

static void add_decimal(struct gravel_characters *out, uint64_t number, bool is_negative)
{
    char *to = make_room(out, 1 + GRAVEL_MOST_DIGITS);
    if (!to)
        return;
    *to = '-';
    out->n += is_negative;
    out->n += gravel_write_digits(to + is_negative, is_negative ? 0 - number : number);
}

static void write_format(char to[40], const struct gravel_conversion *conversion,
                         const char *length, char letter)
{
    char *end = stpcpy(stpcpy(to, conversion->flags), length);
    end[0] = letter;
    end[1] = '\0';
}

/* The printf that the compiler cannot check: every caller's conversion is for the type of its value. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define ADD_CONVERTED(out, conversion, length, letter, value)                                 \
    do {                                                                                      \
        char format_[40], text_[MOST_CHARACTERS];                                             \
        write_format(format_, conversion, length, letter);                                    \
        int n_ = snprintf(text_, sizeof text_, format_, value);                               \
        if (n_ > 0)                                                                           \
            add_plain(out, text_, (size_t)n_ < sizeof text_ ? (size_t)n_ : sizeof text_ - 1); \
    } while (0)

static void add_integer(struct gravel_characters *out, const struct gravel_conversion *conversion,
                        uint64_t bits)
{
    const uint64_t kept = bits & (UINT64_MAX >> (64 - conversion->bits));
    const uint64_t sign = UINT64_C(1) << (conversion->bits - 1);
    const bool is_negative = conversion->is_signed && (kept & sign);
    if (conversion->form == DECIMAL)
        add_decimal(out, is_negative ? (kept ^ sign) - sign : kept, is_negative);
    else if (conversion->letter == 'c')
        ADD_CONVERTED(out, conversion, "", 'c', (int)(bits & 0xff));
    else if (conversion->is_signed)
        ADD_CONVERTED(out, conversion, "ll", conversion->letter, (long long)((kept ^ sign) - sign));
    else
        ADD_CONVERTED(out, conversion, "ll", conversion->letter, (unsigned long long)kept);
}

static void add_string(struct gravel_characters *out, const struct gravel_conversion *conversion,
                       const struct words *words)
{
    char string[4 * GRAVELP_STRING_WORDS + 1];
    read_string(string, conversion, words);
    if (conversion->is_plain)
        add_plain(out, string, strlen(string));
    else
        ADD_CONVERTED(out, conversion, "", 's', string);
}

static void add_real(struct gravel_characters *out, const struct gravel_conversion *conversion,
                     double value)
{
    ADD_CONVERTED(out, conversion, "", conversion->letter, value);
}

static void add_address(struct gravel_characters *out, const struct gravel_conversion *conversion,
                        uint64_t bits)
{
    ADD_CONVERTED(out, conversion, "", 'p', (void *)(uintptr_t)bits);
}
#pragma GCC diagnostic pop

/* An argument as it is, whatever the conversion. */
static void add_bare(struct gravel_characters *out, const struct gravel_conversion *conversion,
                     const struct words *words)
{
    const uint64_t bits = bits_of(conversion, words);
    char text[64];
    if (is_real(conversion->type))
        snprintf(text, sizeof text, "%g", real_of(conversion, bits));
    else if (conversion->type == GRAVELP_ARGUMENT_INT)
        snprintf(text, sizeof text, "%d", (int)(uint32_t)bits);
    else if (conversion->type == GRAVELP_ARGUMENT_LONG)
        snprintf(text, sizeof text, "%lld", (long long)bits);
    else
        snprintf(text, sizeof text, conversion->type == GRAVELP_ARGUMENT_POINTER ? "%#llx" : "%llu",
                 (unsigned long long)bits);
    add(out, text);
}

static void add_argument(struct gravel_characters *out, const struct gravel_conversion *conversion,
                         const struct words *words)
{
    if (conversion->form <= INTEGER)
        add_integer(out, conversion, bits_of(conversion, words));
    else if (conversion->form == REAL)
        add_real(out, conversion, real_of(conversion, bits_of(conversion, words)));
    else if (conversion->form == STRING)
        add_string(out, conversion, words);
    else if (conversion->form == ADDRESS)
        add_address(out, conversion, bits_of(conversion, words));
    else
        add_bare(out, conversion, words);
}

/* What follows characters, if no conversion does. */
enum { NEW_LINE = GRAVEL_LINE_ARGUMENTS, LINE_END };

void gravel_line_write(struct gravel_characters *out, const struct gravel_line_plan *plan,
                       const uint32_t *words, uint32_t n_words, const char *at_newline,
                       size_t at_newline_bytes)
{
    const struct words arguments = {words, n_words};
    const char *literal = plan->literals;
    for (const struct gravel_line_piece *piece = plan->pieces;
         piece < plan->pieces + plan->n_pieces; piece++) {
        gravel_characters_add(out, literal, piece->n);
        literal += piece->n;
        if (piece->next == NEW_LINE)
            gravel_characters_add(out, at_newline, at_newline_bytes);
        else if (piece->next != LINE_END)
            add_argument(out, &plan->conversions[piece->next], &arguments);
    }
}

/* ---- a plan ----------------------------------------------------------------------------------- */

struct reading {
    struct gravel_line_plan *plan;
    uint64_t types;    /* of the arguments that are left */
    uint32_t word;     /* of the next one */
    uint32_t n_before; /* literals of the pieces that have ended */
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

static void end_piece(struct reading *reading, uint32_t next)
{
    struct gravel_line_plan *plan = reading->plan;
    plan->pieces[plan->n_pieces++] = (struct gravel_line_piece){
        .n = (uint16_t)(plan->n_literals - reading->n_before), .next = (uint16_t)next};
    reading->n_before = plan->n_literals;
}

/* The type of the next argument, GRAVELP_ARGUMENT_NONE if there is none. */
static void take(struct reading *reading, struct gravel_conversion *conversion)
{
    const uint32_t type = reading->types & 15u;
    conversion->type = type == GRAVELP_ARGUMENT_POINTER ? type : type & 7u;
    conversion->word = (uint16_t)reading->word;
    reading->types >>= 4;
    reading->word += GRAVELP_ARGUMENT_WORDS(conversion->type);
}

static void plan_argument(struct reading *reading, const struct gravel_conversion *conversion)
{
    struct gravel_line_plan *plan = reading->plan;
    plan->conversions[plan->n_conversions] = *conversion;
    end_piece(reading, plan->n_conversions++);
}

static void plan_misfit(struct reading *reading, struct gravel_conversion *conversion)
{
    plan_text(reading->plan, "%!");
    if (conversion->letter)
        plan_plain(reading->plan, &conversion->letter, 1);
    if (conversion->type == GRAVELP_ARGUMENT_NONE)
        return;
    plan_text(reading->plan, "(");
    conversion->form = conversion->type == GRAVELP_ARGUMENT_STRING ? STRING : BARE;
    conversion->is_plain = true;
    plan_argument(reading, conversion);
    plan_text(reading->plan, ")");
}

static void plan_integer(struct reading *reading, struct gravel_conversion *conversion)
{
    const uint32_t type = conversion->type;
    const bool is_narrow = type == GRAVELP_ARGUMENT_INT || type == GRAVELP_ARGUMENT_UINT;
    const bool is_decimal = conversion->letter == 'd' || conversion->letter == 'i';
    conversion->is_signed =
        is_decimal && (type == GRAVELP_ARGUMENT_INT || type == GRAVELP_ARGUMENT_LONG);
    if (conversion->bits == 0)
        conversion->bits = is_narrow ? 32 : 64;
    if (is_decimal && !conversion->is_signed)
        conversion->letter = 'u';
    conversion->form =
        conversion->is_plain && (is_decimal || conversion->letter == 'u') ? DECIMAL : INTEGER;
    plan_argument(reading, conversion);
}

static void plan_conversion(struct reading *reading, struct gravel_conversion *conversion)
{
    const char letter = conversion->letter;
    if (!letter || !strchr("diuxXocfFeEgGaAsp", letter)) {
        plan_misfit(reading, conversion); /* it takes no argument */
        return;
    }
    take(reading, conversion);
    if (conversion->form == BARE) {
        plan_misfit(reading, conversion);
    } else if (strchr("diuxXoc", letter) && is_integer(conversion->type)) {
        plan_integer(reading, conversion);
    } else if (strchr("fFeEgGaA", letter) && is_real(conversion->type)) {
        conversion->form = REAL;
        plan_argument(reading, conversion);
    } else if (letter == 's' && conversion->type == GRAVELP_ARGUMENT_STRING) {
        conversion->form = STRING;
        plan_argument(reading, conversion);
    } else if (letter == 'p' && conversion->type == GRAVELP_ARGUMENT_POINTER) {
        conversion->form = ADDRESS;
        plan_argument(reading, conversion);
    } else {
        plan_misfit(reading, conversion);
    }
}

/* Copies a width or a precision to conversion->flags; one that is too large makes the conversion a misfit.
 * @return behind it. */
static const char *copy_number(const char *at, const char *end,
                               struct gravel_conversion *conversion, char **to)
{
    const char *begin = at;
    uint32_t number = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        number = number > GRAVEL_WIDTH_MOST ? number : 10 * number + (uint32_t)(*at - '0');
    if (number > GRAVEL_WIDTH_MOST)
        conversion->form = BARE;
    else if (at > begin)
        *to += gravel_write_digits(*to, number);
    return at;
}

/* @param at  behind the '%'. @return behind the conversion. */
static const char *read_conversion(const char *at, const char *end,
                                   struct gravel_conversion *conversion)
{
    char *to = conversion->flags;
    *conversion = (struct gravel_conversion){.type = GRAVELP_ARGUMENT_NONE};
    *to++ = '%';
    while (at < end && *at && strchr("-+ #0", *at)) {
        if (!memchr(conversion->flags, *at, (size_t)(to - conversion->flags)))
            *to++ = *at;
        at++;
    }
    at = copy_number(at, end, conversion, &to);
    if (at < end && *at == '.') {
        *to++ = *at++;
        at = copy_number(at, end, conversion, &to);
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

/* A conversion, or a character. @return behind it. */
static const char *read_piece(struct reading *reading, const char *at, const char *end)
{
    struct gravel_conversion conversion;
    if (*at == '%' && end - at > 1 && at[1] == '%') {
        plan_text(reading->plan, "%");
        return at + 2;
    }
    if (*at == '%') {
        at = read_conversion(at + 1, end, &conversion);
        plan_conversion(reading, &conversion);
        return at;
    }
    if (*at == '\n') {
        plan_text(reading->plan, "\n");
        end_piece(reading, NEW_LINE);
    } else if (*at == '\t') {
        plan_text(reading->plan, "\t");
    } else {
        plan_plain(reading->plan, at, 1);
    }
    return at + 1;
}

void gravel_line_read(struct gravel_line_plan *plan, const char *text, size_t text_bytes,
                      uint64_t types)
{
    struct reading reading = {.plan = plan, .types = types};
    const char *end =
        text +
        strnlen(text, text_bytes < GRAVELP_TEXT_MAX_BYTES ? text_bytes : GRAVELP_TEXT_MAX_BYTES);
    plan->n_pieces = plan->n_conversions = plan->n_literals = 0;
    if (end > text && end[-1] == '\n') /* the line's own */
        end--;
    for (const char *at = text; at < end;)
        at = read_piece(&reading, at, end);
    while (reading.types) {
        struct gravel_conversion left_over = {.letter = '\0'};
        take(&reading, &left_over);
        plan_misfit(&reading, &left_over);
    }
    plan_text(plan, "\n");
    end_piece(&reading, LINE_END);
}
