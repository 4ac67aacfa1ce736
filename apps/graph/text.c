/* SPDX-License-Identifier: MIT */
/*
 * The tokenizer: refill and failure here, numbers in text_number.c.
 *
 * Path: read.c -> this -> zlib
 * Owner: the text owns its buffer and its file.
 * Threads: one at a time.
 *
 * A word is never split over two buffers: refill moves the unread rest to the front first.
 */
#include "graph/text.h"

#include <ctype.h>
#include <errno.h>
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

/* The longest end of a path that a reason shows [bytes]. */
#define SHOWN_PATH_BYTES 200

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *shown_path(const char *path)
{
    size_t n = strlen(path);
    return n > SHOWN_PATH_BYTES ? path + n - SHOWN_PATH_BYTES : path;
}

static void drop_control_characters(char *s)
{
    for (; *s; s++)
        if (iscntrl((unsigned char)*s))
            *s = '?';
}

void text_refuse(const char *path, char *reason, const char *format, ...)
{
    int n = snprintf(reason, TEXT_REASON_BYTES, "%s: ", shown_path(path));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason + n, TEXT_REASON_BYTES - (size_t)n, format, arguments);
    va_end(arguments);
    drop_control_characters(reason);
}

bool text_fail(struct text *text, const char *format, ...)
{
    text->at = text->end;
    if (text->has_failed)
        return false;
    text->has_failed = true;
    int n = snprintf(text->reason, TEXT_REASON_BYTES, "%s:%llu: ", shown_path(text->path),
                     (unsigned long long)text->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text->reason + n, TEXT_REASON_BYTES - (size_t)n, format, arguments);
    va_end(arguments);
    drop_control_characters(text->reason);
    return false;
}

/* gzread has come to an end: of the file, or of what can be read of it? */
static bool check_end(struct text *text)
{
    int code;
    const char *message = gzerror(text->file, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return true;
    if (code == Z_ERRNO)
        return text_fail(text, "cannot read: %s", strerror(errno));
    if (code == Z_BUF_ERROR)
        return text_fail(text, "the compressed data end early");
    return text_fail(text, "bad compressed data: %s", message);
}

static bool check_expansion(struct text *text)
{
    z_off_t packed_bytes = gzoffset(text->file);
    if (text->expanded_bytes <= BOMB_BYTES || packed_bytes <= 0 ||
        text->expanded_bytes / BOMB_RATIO <= (uint64_t)packed_bytes)
        return true;
    return text_fail(text, "expands to more than %d times its size, as no graph does", BOMB_RATIO);
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
    int n = gzread(text->file, text->buffer + kept, (unsigned)(BUFFER_BYTES - kept));
    if (n <= 0) {
        check_end(text);
        return false;
    }
    text->end += n;
    text->expanded_bytes += (uint64_t)n;
    return check_expansion(text);
}

bool text_open(struct text *text, const char *path, char *reason)
{
    *text = (struct text){.line = 1, .path = path, .reason = reason};
    reason[0] = '\0';
    errno = 0;
    text->buffer = malloc(BUFFER_BYTES);
    text->file = text->buffer ? gzopen(path, "rbe") : NULL;
    if (!text->file) {
        text_refuse(path, reason, "cannot open: %s", strerror(errno ? errno : ENOMEM));
        text_close(text);
        return false;
    }
    gzbuffer(text->file, BUFFER_BYTES);
    text->at = text->end = text->buffer;
    return true;
}

void text_close(struct text *text)
{
    if (text->file)
        gzclose_r(text->file);
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
