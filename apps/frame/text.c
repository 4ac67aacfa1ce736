/* SPDX-License-Identifier: MIT */
/*
 * Bytes, and whole numbers by hand, because that is where a reader spends its time. See text.h.
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

/* ---- bytes ------------------------------------------------------------------------------------- */

static int get(struct text *text)
{
    const int c = getc_unlocked(text->file);
    if (c == EOF && ferror(text->file))
        text_fail(text, "cannot read: %s", strerror(errno));
    text->print = (text->print ^ (unsigned)c) * UINT64_C(0x100000001b3); /* FNV-1a */
    return c;
}

static void read_next(struct text *text)
{
    int c = get(text);
    if (c == '\n' && text->ended_in_cr)
        c = get(text);
    text->ended_in_cr = c == '\r';
    text->next = text->ended_in_cr ? '\n' : c;
}

int text_take(struct text *text)
{
    const int c = text->next;
    if (c == TEXT_END)
        return c;
    text->line += c == '\n';
    read_next(text);
    return c;
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
    *text = (struct text){.path = path, .file = file, .line = 1};
    read_next(text);
    return text;
}

void text_close(struct text *text)
{
    if (!text)
        return;
    fclose(text->file);
    free(text);
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

static bool ends_line(int c)
{
    return c == '\n' || c == TEXT_END;
}

bool text_has_word(struct text *text)
{
    while (is_blank(text->next))
        text_take(text);
    return !ends_line(text->next);
}

bool text_next_record(struct text *text)
{
    while (!text_has_word(text) || text->next == '#') {
        if (text->next == TEXT_END)
            return false;
        text_skip_line(text);
    }
    return true;
}

uint32_t text_uint(struct text *text, const char *what, uint32_t max)
{
    uint64_t sum = 0;
    bool is_right = text_has_word(text);
    while (is_right && !is_blank(text->next) && !ends_line(text->next)) {
        const int c = text_take(text);
        sum = 10 * sum + (uint64_t)(c - '0');
        is_right = isdigit(c) && sum <= max;
    }
    if (!is_right)
        text_fail(text, "%s is not a whole number of 0 to %u", what, max);
    return (uint32_t)sum;
}
