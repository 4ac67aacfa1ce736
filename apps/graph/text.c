/* SPDX-License-Identifier: MIT */
/*
 * The tokenizer: refill and failure; words; numbers, whole ones by hand, because that is where a reader spends its time, and
 * decimal ones by strtof (the applications stay in the "C" locale).
 *
 * Path: read.c -> this -> frame/infile.c
 * Owner: the text owns its buffer and its file.
 * Threads: one at a time.
 *
 * A word is never split over two buffers: refill moves the unread rest to the front first.
 */
#include "graph/text.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BUFFER_BYTES ((size_t)1 << 16)

/* METIS' mdual.graph shrinks 2.5 times under gzip. This much, past the first 64 MB, is a gzip bomb.
 */
#define BOMB_RATIO 200
#define BOMB_BYTES (UINT64_C(64) << 20)

static bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

/* Writes "PATH: " and the text, or "PATH:LINE: ", without control characters. @param line  0: none */
static void write_reason(char *reason, const char *path, uint64_t line, const char *format,
                         va_list arguments)
{
    int n =
        snprintf(reason, TEXT_REASON_BYTES, line ? "%s:%llu: " : "%s: ", infile_shown_path(path),
                 (unsigned long long)line);
    vsnprintf(reason + n, TEXT_REASON_BYTES - (size_t)n, format, arguments);
    for (char *s = reason; *s; s++)
        if (iscntrl((unsigned char)*s))
            *s = '?';
}

void text_refuse(const char *path, char *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_reason(reason, path, 0, format, arguments);
    va_end(arguments);
}

bool text_fail(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!text->has_failed)
        write_reason(text->reason, text->path, text->line, format, arguments);
    va_end(arguments);
    text->at = text->end;
    text->has_failed = true;
    return false;
}

/* Read on behind the unread bytes, which move to the front. False: nothing more, or failed. */
static bool refill(struct text *text)
{
    if (text->has_failed)
        return false;
    size_t kept = (size_t)(text->end - text->at);
    if (kept == BUFFER_BYTES)
        return text_fail(text, "a word of more than %zu bytes", BUFFER_BYTES - 1);
    memmove(text->buffer, text->at, kept);
    text->at = text->buffer;
    text->end = text->buffer + kept;
    const size_t n = infile_read(&text->file, text->buffer + kept, BUFFER_BYTES - kept);
    if (*text->file.reason)
        return text_fail(text, "%s", text->file.reason);
    text->end += n;
    text->expanded_bytes += n;
    if (text->expanded_bytes > BOMB_BYTES &&
        text->expanded_bytes / BOMB_RATIO > infile_n_used(&text->file))
        return text_fail(text, "expands to more than %d times its size, as no graph does",
                         BOMB_RATIO);
    return n > 0;
}

bool text_open(struct text *text, const char *path, char *reason)
{
    *text = (struct text){.line = 1, .path = path, .reason = reason};
    reason[0] = '\0';
    text->buffer = malloc(BUFFER_BYTES + 1); /* text_float ends a word there */
    if (!text->buffer || !infile_open(&text->file, path)) {
        text_refuse(path, reason, "%s",
                    text->buffer ? text->file.reason : "cannot open: no memory");
        text_close(text);
        return false;
    }
    text->at = text->end = text->buffer;
    return true;
}

void text_close(struct text *text)
{
    infile_close(&text->file);
    free(text->buffer);
    *text = (struct text){0};
}

int text_peek(struct text *text)
{
    for (;;) {
        while (text->at < text->end && is_blank(*text->at))
            text->at++;
        if (text->at < text->end)
            return *text->at;
        if (!refill(text))
            return TEXT_END;
    }
}

size_t text_word(struct text *text)
{
    int first = text_peek(text);
    if (first == TEXT_END || first == '\n')
        return 0;
    for (size_t n = 1;; n++) {
        if (text->at + n == text->end && !refill(text))
            return (size_t)(text->end - text->at);
        if (is_blank(text->at[n]) || text->at[n] == '\n')
            return n;
    }
}

const char *text_quote(struct text *text)
{
    size_t n = text_word(text);
    size_t n_shown = n > 24 ? 21 : n;
    char *to = text->quoted;
    /* A byte takes up to 4 characters, so stop while the dots still fit. */
    for (size_t i = 0; i < n_shown && to < text->quoted + sizeof text->quoted - 8; i++) {
        unsigned char c = text->at[i];
        to += isascii(c) && isprint(c) ? sprintf(to, "%c", c) : sprintf(to, "\\x%02x", c);
    }
    strcpy(to, n > n_shown ? "..." : "");
    return text->quoted;
}

bool text_accept(struct text *text, const char *word)
{
    size_t n = text_word(text);
    if (n != strlen(word) || strncasecmp((const char *)text->at, word, n) != 0)
        return false;
    text->at += n;
    return true;
}

void text_skip_line(struct text *text)
{
    do {
        const void *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
        if (newline) {
            text->at = (const unsigned char *)newline + 1;
            text->line++;
            return;
        }
        text->at = text->end;
    } while (refill(text));
}

bool text_end_line(struct text *text)
{
    int c = text_peek(text);
    if (c == '\n') {
        text->at++;
        text->line++;
    } else if (c != TEXT_END) {
        return text_fail(text, "'%s' is one word too many", text_quote(text));
    }
    return !text->has_failed;
}

bool text_next_record(struct text *text, const char *comments)
{
    for (;;) {
        int c = text_peek(text);
        if (c == TEXT_END)
            return false;
        if (c != '\n' && !memchr(comments, c, strlen(comments)))
            return true;
        text_skip_line(text);
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool missing(struct text *text, const char *what)
{
    return text_fail(text, "%s is missing", what);
}

bool text_is_whole(struct text *text)
{
    size_t n = text_word(text);
    size_t i = n > 1 && text->at[0] == '-';
    while (i < n && is_digit(text->at[i]))
        i++;
    return i == n;
}

static bool refuse_uint(struct text *text, const char *what, uint64_t min, uint64_t max)
{
    if (!text_is_whole(text))
        return text_fail(text, "%s '%s' is not a whole number", what, text_quote(text));
    return text_fail(text, "%s %s is not in %llu..%llu", what, text_quote(text),
                     (unsigned long long)min, (unsigned long long)max);
}

bool text_uint(struct text *text, const char *what, uint64_t min, uint64_t max, uint64_t *value)
{
    size_t n = text_word(text);
    if (n == 0)
        return missing(text, what);
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = text->at[i];
        if (!is_digit(c) || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(c - '0'), &sum))
            return refuse_uint(text, what, min, max);
    }
    if (sum < min || sum > max)
        return refuse_uint(text, what, min, max);
    text->at += n;
    *value = sum;
    return true;
}

/* Does a number that became 0 have a digit other than 0, ahead of its exponent? */
static bool was_rounded_to_zero(const char *word, size_t n)
{
    for (size_t i = 0; i < n && word[i] != 'e' && word[i] != 'E'; i++)
        if (word[i] >= '1' && word[i] <= '9')
            return true;
    return false;
}

/* strtof would also take "nan", "inf" and hexadecimal, and needs an end behind the word. */
bool text_parse_float(char *word, size_t n, float *value)
{
    char *end;
    const char behind = word[n];
    word[n] = '\0';
    *value = strtof(word, &end);
    const bool is_decimal = n && end == word + n && strspn(word, "0123456789+-.eE") == n;
    word[n] = behind;
    if (*value == 0)
        *value = *word == '-' && was_rounded_to_zero(word, n) ? -FLT_TRUE_MIN : 0;
    return is_decimal;
}

bool text_float(struct text *text, const char *what, bool refuse_negative, float *value)
{
    size_t n = text_word(text);
    if (n == 0)
        return missing(text, what);
    if (!text_parse_float((char *)(uintptr_t)text->at, n, value))
        return text_fail(text, "%s '%s' is not a decimal number", what, text_quote(text));
    if (!isfinite(*value))
        return text_fail(text, "%s %s is too large for a float", what, text_quote(text));
    if (refuse_negative && *value < 0)
        return text_fail(text, "%s %s is negative", what, text_quote(text));
    text->at += n;
    return true;
}
