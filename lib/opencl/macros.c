/* SPDX-License-Identifier: MIT */
/*
 * Macros that would change the device headers. See macros.h.
 */
#include "opencl/macros.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

size_t gravel_word_length(const char *at)
{
    size_t length = 0;
    while (at[length] == '_' || isalnum((unsigned char)at[length]))
        length++;
    return length;
}

/* The end of a comment or a literal that begins at `at`; `at` if neither does. */
static const char *skip_unread(const char *at)
{
    if (!strncmp(at, "/*", 2)) {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (!strncmp(at, "//", 2))
        return at + strcspn(at, "\n");
    if (*at != '"')
        return at;
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return at + (*at == '"');
}

/* The line's end behind a directive that uses no word for what it means; `at` if another stands there. */
static const char *skip_directive(const char *at)
{
    static const char *const define = "define";
    if (*at != '#')
        return at;
    const char *word = at + 1 + strspn(at + 1, " \t");
    return strncmp(word, define, strlen(define)) ? at + strcspn(at, "\n") : word + strlen(define);
}

static bool has_word(const char *text, const char *word, size_t length)
{
    while (*text) {
        const char *next = skip_directive(skip_unread(text));
        if (next != text) {
            text = next;
            continue;
        }
        size_t n = gravel_word_length(text);
        if (n == length && !strncmp(text, word, length))
            return true;
        text += n ? n : 1;
    }
    return false;
}

/* The name that the next -D defines; NULL if there is none. @param options  [in, out] */
static const char *next_defined(const char **options)
{
    const char *at = *options;
    while (*(at += strspn(at, " \t\n\"'"))) {
        const char *token = at;
        at += strcspn(at, " \t\n");
        if (strncmp(token, "-D", 2) != 0)
            continue;
        *options = at;
        return at == token + 2 ? at + strspn(at, " \t\n") : token + 2;
    }
    return NULL;
}

const char *gravel_macros_find(const char *options, const char *header, size_t *length)
{
    const char *name;
    while (options && (name = next_defined(&options))) {
        *length = gravel_word_length(name);
        if (islower((unsigned char)*name) && has_word(header, name, *length))
            return name;
    }
    return NULL;
}

const char *gravel_macros_find_defined(const char *line, const char *header, size_t *length)
{
    static const char *const define = "define";
    static const char *const of_language[] = {
        "kernel", "global", "local", "constant", "private", "generic",  "uchar",
        "ushort", "uint",   "ulong", "size_t",   "inline",  "restrict", "barrier"};
    line += strspn(line, " \t");
    if (*line != '#')
        return NULL;
    line += 1 + strspn(line + 1, " \t");
    if (strncmp(line, define, strlen(define)) != 0)
        return NULL;
    line += strlen(define);
    line += strspn(line, " \t");
    *length = gravel_word_length(line);
    for (size_t i = 0; i < sizeof of_language / sizeof *of_language; i++)
        if (strlen(of_language[i]) == *length && !strncmp(of_language[i], line, *length))
            return NULL;
    return islower((unsigned char)*line) && has_word(header, line, *length) ? line : NULL;
}
