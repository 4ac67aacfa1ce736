/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a file, expanded; words; numbers, whole ones by hand, because that is where a reader spends its time, and decimal
 * ones by strtof (the applications stay in the "C" locale). See text.h.
 *
 * A word is never split over two buffers: a refill moves the unread rest to the front first.
 *
 * Source: P. Deutsch, RFC 1952, GZIP file format specification, 1996 (members).
 */
#include "frame/text.h"
#include "frame/die.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <zlib.h>

#define BUFFER_BYTES ((size_t)1 << 16)
#define SHOWN_PATH_BYTES 200
#define GZIP_WINDOW (15 + 16) /* for zlib: the largest window, and gzip's header */

/* METIS' mdual.graph shrinks 2.5 times under gzip. This much, past the first 64 MB, is a gzip bomb. */
#define BOMB_RATIO 200
#define BOMB_BYTES (UINT64_C(64) << 20)

/* Control characters are not printed, and of a long path its end. */
void text_fail(const struct text *text, const char *format, ...)
{
    char reason[512];
    const size_t n_path = strlen(text->path);
    va_list arguments;
    int n = snprintf(reason, sizeof reason, text->line ? "%s:%llu: " : "%s: ",
                     text->path + (n_path > SHOWN_PATH_BYTES ? n_path - SHOWN_PATH_BYTES : 0),
                     (unsigned long long)text->line);
    va_start(arguments, format);
    vsnprintf(reason + n, sizeof reason - (size_t)n, format, arguments);
    va_end(arguments);
    for (char *s = reason; *s; s++)
        if (iscntrl((unsigned char)*s))
            *s = '?';
    die("%s", reason);
}

/* ---- open and close ------------------------------------------------------------------------------ */

/* Asks what it is before it is opened, for a pipe would wait for its other end. */
struct text *text_open(const char *path)
{
    const struct text closed = {.path = path};
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        text_fail(&closed, "is no regular file, and is to be read several times");
    FILE *file = fopen(path, "rbe");
    if (!file)
        text_fail(&closed, "cannot open: %s", strerror(errno));
    struct text *text = app_array(1, sizeof *text, "a file");
    *text = (struct text){.path = path, .file = file, .line = 1};
    text->buffer = app_array(BUFFER_BYTES + 1, 1, "a file"); /* text_float ends a word there */
    text->raw = app_array(BUFFER_BYTES, 1, "a file");
    text->at = text->end = text->buffer;
    text->is_between = getc(file) == 0x1f && getc(file) == 0x8b;
    rewind(file);
    if (text->is_between)
        text->packed = app_array(1, sizeof *text->packed, "a compressed file");
    if (text->packed && inflateInit2(text->packed, GZIP_WINDOW) != Z_OK)
        text_fail(&closed, "cannot open: no memory");
    return text;
}

void text_close(struct text *text)
{
    if (!text)
        return;
    if (text->packed)
        inflateEnd(text->packed);
    fclose(text->file);
    free(text->packed);
    free(text->buffer);
    free(text->raw);
    free(text);
}

/* ---- blocks -------------------------------------------------------------------------------------- */

static size_t expand(struct text *text, unsigned char *to, size_t room)
{
    z_stream *stream = text->packed;
    stream->next_out = to;
    stream->avail_out = (uInt)room;
    while (stream->avail_out == room) {
        if (!stream->avail_in) {
            stream->next_in = text->raw;
            stream->avail_in = (uInt)fread(text->raw, 1, BUFFER_BYTES, text->file);
        }
        if (!stream->avail_in && (text->is_between || ferror(text->file)))
            return 0;
        if (!stream->avail_in)
            text_fail(text, "the compressed data end early");
        if (text->is_between && *stream->next_in == 0) {
            stream->next_in++;
            stream->avail_in--;
            continue;
        }
        if (text->is_between)
            inflateReset(stream);
        const int code = inflate(stream, Z_NO_FLUSH);
        text->is_between = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END)
            text_fail(text, "bad compressed data: %s", stream->msg ? stream->msg : zError(code));
    }
    return room - stream->avail_out;
}

/* Refuses a file by its first bytes. What else is compressed, binary, wider than a byte a character, or behind a mark of byte
 * order has a byte among its first four that text has not; readers refuse what is left, by its line. */
static void check_begin(const struct text *text, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n && i < 4; i++)
        if (bytes[i] >= 0x7f || (bytes[i] < ' ' && !isspace(bytes[i])))
            text_fail(text, "%s no text: byte %zu is 0x%02x; plain text and gzip are read",
                      text->packed ? "expands to" : "is", i + 1, bytes[i]);
}

/* Makes CR LF and CR to LF, in place. @return  how many bytes are left. */
static size_t unify_line_ends(struct text *text, unsigned char *bytes, size_t n)
{
    size_t n_left = 0;
    if (!text->ended_in_cr && !memchr(bytes, '\r', n))
        return n;
    for (size_t i = 0; i < n; i++) {
        const unsigned char byte = bytes[i];
        if (byte != '\n' || !text->ended_in_cr)
            bytes[n_left++] = byte == '\r' ? '\n' : byte;
        text->ended_in_cr = byte == '\r';
    }
    return n_left;
}

bool text_refill(struct text *text)
{
    const size_t n_kept = (size_t)(text->end - text->at), room = BUFFER_BYTES - n_kept;
    unsigned char *to = text->buffer + n_kept;
    if (room == 0)
        text_fail(text, "a word of more than %zu bytes", BUFFER_BYTES - 1);
    memmove(text->buffer, text->at, n_kept);
    text->at = text->buffer;
    text->end = to;
    while (text->end == to) {
        const size_t n = text->packed ? expand(text, to, room) : fread(to, 1, room, text->file);
        if (ferror(text->file))
            text_fail(text, "cannot read: %s", strerror(errno));
        if (n == 0)
            return false;
        if (text->n_given == 0)
            check_begin(text, to, n);
        text->n_given += n;
        text->print = text->n_given << 32 | crc32((uint32_t)text->print, to, (uInt)n);
        if (text->n_given > BOMB_BYTES && text->n_given / BOMB_RATIO > (uint64_t)ftello(text->file))
            text_fail(text, "expands to more than %d times its size, as no text does", BOMB_RATIO);
        text->end = to + unify_line_ends(text, to, n);
    }
    return true;
}

void text_skip_line(struct text *text)
{
    int c = text_take(text);
    while (c != '\n' && c != TEXT_END)
        c = text_take(text);
}

/* ---- words ------------------------------------------------------------------------------------- */

static bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

int text_peek(struct text *text)
{
    int c;
    while (is_blank(c = text_byte(text)))
        text->at++;
    return c;
}

size_t text_word(struct text *text)
{
    const int first = text_peek(text);
    size_t n = first != TEXT_END && first != '\n';
    while (n && (text->at + n < text->end || text_refill(text)) && !is_blank(text->at[n]) &&
           text->at[n] != '\n')
        n++;
    return n;
}

const char *text_quote(struct text *text)
{
    const size_t n = text_word(text), n_shown = n > 24 ? 21 : n;
    char *to = text->quoted;
    /* A byte takes up to 4 characters, so stop while the dots still fit. */
    for (size_t i = 0; i < n_shown && to < text->quoted + sizeof text->quoted - 8; i++) {
        const unsigned char c = text->at[i];
        to += sprintf(to, isascii(c) && isprint(c) ? "%c" : "\\x%02x", c);
    }
    strcpy(to, n > n_shown ? "..." : "");
    return text->quoted;
}

bool text_accept(struct text *text, const char *word)
{
    const size_t n = text_word(text);
    if (n != strlen(word) || strncasecmp((const char *)text->at, word, n) != 0)
        return false;
    text->at += n;
    return true;
}

void text_end_line(struct text *text)
{
    const int c = text_peek(text);
    if (c != '\n' && c != TEXT_END)
        text_fail(text, "'%s' is one word too many", text_quote(text));
    text_take(text);
}

bool text_next_record(struct text *text, const char *comments)
{
    int c;
    while ((c = text_peek(text)) == '\n' || memchr(comments, c, strlen(comments)))
        text_skip_line(text);
    return c != TEXT_END;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static size_t word_of(struct text *text, const char *what)
{
    const size_t n = text_word(text);
    if (n == 0)
        text_fail(text, "%s is missing", what);
    return n;
}

bool text_is_whole(struct text *text)
{
    const size_t n = text_word(text);
    size_t i = n > 1 && text->at[0] == '-';
    while (i < n && is_digit(text->at[i]))
        i++;
    return i == n;
}

uint64_t text_uint(struct text *text, const char *what, uint64_t min, uint64_t max)
{
    const size_t n = word_of(text, what);
    uint64_t sum = 0;
    bool is_right = true;
    for (size_t i = 0; i < n && is_right; i++) {
        const unsigned char c = text->at[i];
        is_right = is_digit(c) && !__builtin_mul_overflow(sum, 10, &sum) &&
                   !__builtin_add_overflow(sum, (uint64_t)(c - '0'), &sum);
    }
    if (!is_right && !text_is_whole(text))
        text_fail(text, "%s '%s' is not a whole number", what, text_quote(text));
    if (!is_right || sum < min || sum > max)
        text_fail(text, "%s %s is not in %llu..%llu", what, text_quote(text),
                  (unsigned long long)min, (unsigned long long)max);
    text->at += n;
    return sum;
}

/* strtof would also take "nan", "inf" and hexadecimal, and needs an end behind the word. */
float text_float(struct text *text, const char *what, bool refuse_negative)
{
    const size_t n = word_of(text, what);
    char *word = (char *)(uintptr_t)text->at, *end;
    const char behind = word[n];
    word[n] = '\0';
    errno = 0;
    float value = strtof(word, &end);
    const bool is_decimal = end == word + n && strspn(word, "0123456789+-.eE") == n;
    if (value == 0) /* rounded, or written so */
        value = errno && *word == '-' ? -FLT_TRUE_MIN : 0;
    word[n] = behind;
    if (!is_decimal)
        text_fail(text, "%s '%s' is not a decimal number", what, text_quote(text));
    if (!isfinite(value))
        text_fail(text, "%s %s is too large for a float", what, text_quote(text));
    if (refuse_negative && value < 0)
        text_fail(text, "%s %s is negative", what, text_quote(text));
    text->at += n;
    return value;
}
