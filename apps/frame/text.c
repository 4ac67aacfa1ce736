/* SPDX-License-Identifier: MIT */
/*
 * Lines, and their words and whole numbers. See text.h.
 */
#include "frame/text.h"
#include "frame/die.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHOWN_PATH_BYTES 200

/* Control characters are not printed, and of a long path its end. */
void text_fail(const struct text *text, const char *format, ...)
{
    char reason[512];
    const size_t n_path = strlen(text->path);
    va_list arguments;
    int n = snprintf(reason, sizeof reason, text->number ? "%s:%llu: " : "%s: ",
                     text->path + (n_path > SHOWN_PATH_BYTES ? n_path - SHOWN_PATH_BYTES : 0),
                     (unsigned long long)text->number);
    va_start(arguments, format);
    vsnprintf(reason + n, sizeof reason - (size_t)n, format, arguments);
    va_end(arguments);
    for (char *s = reason; *s; s++)
        if (iscntrl((unsigned char)*s))
            *s = '?';
    die("%s", reason);
}

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
    *text = (struct text){.path = path, .file = file};
    return text;
}

void text_close(struct text *text)
{
    if (!text)
        return;
    fclose(text->file);
    free(text->line);
    free(text);
}

bool text_next(struct text *text)
{
    errno = 0;
    const ssize_t n = getline(&text->line, &text->room, text->file);
    text->number++;
    if (n < 0 && !feof(text->file))
        text_fail(text, "cannot read: %s", strerror(errno));
    text->n_bytes = n < 0 ? 0 : (size_t)n;
    for (size_t i = 0; i < text->n_bytes; i++)
        text->print =
            (text->print ^ (unsigned char)text->line[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    while (text->n_bytes && memchr("\r\n", text->line[text->n_bytes - 1], 2))
        text->line[--text->n_bytes] = '\0';
    text->at = text->line;
    return n >= 0;
}

/* ---- words ------------------------------------------------------------------------------------- */

static bool ends_word(const struct text *text, const char *at)
{
    return at == text->line + text->n_bytes || *at == ' ' || *at == '\t';
}

bool text_has_word(struct text *text)
{
    const char *end = text->line + text->n_bytes;
    while (text->at < end && ends_word(text, text->at))
        text->at++;
    return text->at < end;
}

bool text_next_record(struct text *text)
{
    while (text_next(text))
        if (text_has_word(text) && *text->at != '#')
            return true;
    return false;
}

uint32_t text_uint(struct text *text, const char *what, uint32_t max)
{
    const bool is_digit = text_has_word(text) && isdigit((unsigned char)*text->at);
    char *end = text->at;
    errno = 0;
    const unsigned long long number = is_digit ? strtoull(text->at, &end, 10) : 0;
    if (!is_digit || errno || number > max || !ends_word(text, end))
        text_fail(text, "%s is not a whole number of 0 to %u", what, max);
    text->at = end;
    return (uint32_t)number;
}
