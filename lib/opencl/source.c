/* SPDX-License-Identifier: MIT */
/*
 * Replaces each `#include "gravel.cl.h"`, or one of another device header, of a program's text by the header, so that
 * the text can be built in one go, and finds lines of it again. Compiling with a header object and linking takes PoCL a
 * second longer for each context, because its linker first reads the whole library of built-in functions.
 *
 * Macros of a program would change the headers: these have parameters, variables and members with short names, and
 * OpenCL C has no way to hide a macro from them.
 *
 * Of the language only comments and literals matter, for either may look like an include or like the other's beginning.
 */
#include "opencl/program.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- words --------------------------------------------------------------------------------------- */

size_t gravel_word_length(const char *at)
{
    size_t length = 0;
    while (at[length] == '_' || isalnum((unsigned char)at[length]))
        length++;
    return length;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Skips a byte order mark in UTF-8, which editors put in front of a file: no part of any text, also of joined ones. */
static const char *skip_mark(const char *line)
{
    static const char mark[] = "\xef\xbb\xbf";
    return strncmp(line, mark, sizeof mark - 1) == 0 ? line + sizeof mark - 1 : line;
}

/* Returns the end of a comment or a literal that begins at `at`; `at` if neither does. A literal ends with its line. */
static const char *skip_unread(const char *at)
{
    if (!strncmp(at, "/*", 2)) {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (!strncmp(at, "//", 2))
        return at + strcspn(at, "\n");
    const char quote = *at;
    if (quote != '"' && quote != '\'')
        return at;
    for (at++; *at && *at != '\n' && *at != quote;)
        at += *at == '\\' && at[1] ? 2 : 1;
    return at + (*at == quote);
}

/* Returns the length of a line with its newline [characters], to where the next one begins outside comments. */
static size_t line_length(const char *line)
{
    const char *at = line;
    while (*at && *at != '\n') {
        const char *next = skip_unread(at);
        at = next == at ? at + 1 : next;
    }
    return (size_t)(at - line) + (*at == '\n');
}

/* Returns what follows the name of a line's directive; NULL if the line has none of this name. */
static const char *skip_directive(const char *line, const char *name)
{
    line = skip_blanks(line);
    if (*line != '#')
        return NULL;
    line = skip_blanks(line + 1);
    return strncmp(line, name, strlen(name)) ? NULL : line + strlen(name);
}

/* ---- macros -------------------------------------------------------------------------------------- */

const char *gravel_word_find(const char *text, const char *word, size_t length)
{
    for (bool begins_line = true; *text;) {
        const char *next = skip_unread(text);
        if (begins_line && *text == '#') {
            next = skip_directive(text, "define");
            next = next ? next : text + strcspn(text, "\n");
        }
        const size_t n = gravel_word_length(text);
        if (next == text && n == length && !strncmp(text, word, length))
            return text;
        begins_line = *text == '\n' || (begins_line && strchr(" \t", *text));
        text = next != text ? next : text + (n ? n : 1);
    }
    return NULL;
}

/* Returns the name that the next -D defines; NULL if there is none. @param options  [in, out] */
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

/* ---- headers ------------------------------------------------------------------------------------- */

/* Returns the header that a line includes; NULL if none of them. */
static const struct gravel_source_header *find_included(const char *line,
                                                        const struct gravel_source_header *headers)
{
    line = skip_directive(line, "include");
    if (!line)
        return NULL;
    line = skip_blanks(line);
    for (const struct gravel_source_header *header = headers; *line == '"' && header->name;
         header++) {
        size_t length = strlen(header->name);
        if (strncmp(line + 1, header->name, length) == 0 && line[1 + length] == '"')
            return header;
    }
    return NULL;
}

static void write_line_directive(FILE *out, uint32_t line, const char *name)
{
    fprintf(out, "\n#line %u \"%.256s\"\n", line, name);
}

bool gravel_source_includes_files(const char *text, const struct gravel_source_header *headers)
{
    while (*text) {
        const char *next = skip_unread(text);
        if (next == text && skip_directive(text, "include") && !find_included(text, headers))
            return true;
        text = next == text ? text + 1 : next;
    }
    return false;
}

bool gravel_source_includes(const char *text, const struct gravel_source_header *headers)
{
    for (text = skip_mark(text); *text; text = skip_mark(text + line_length(text)))
        if (find_included(text, headers))
            return true;
    return false;
}

/*
 * Writes, before a header, if its code has the word that a macro is called by: an error, unless the compiler has left
 * the definition out, or the text has undefined it. Not of the language's words, by which other texts are made to
 * compile as OpenCL C.
 */
static void write_guard(FILE *out, const char *name, uint32_t line, const char *macro,
                        const struct gravel_source_header *header)
{
    static const char *const of_language[] = {
        "kernel", "global", "local", "constant", "private", "generic",  "uchar",
        "ushort", "uint",   "ulong", "size_t",   "inline",  "restrict", "barrier"};
    const size_t length = gravel_word_length(macro);
    for (size_t i = 0; i < sizeof of_language / sizeof *of_language; i++)
        if (strlen(of_language[i]) == length && !strncmp(of_language[i], macro, length))
            return;
    if (!islower((unsigned char)*macro) || !gravel_word_find(header->text, macro, length))
        return;
    fprintf(out, "#ifdef %.*s", (int)length, macro);
    write_line_directive(out, line, name);
    fprintf(out,
            "#error the macro %.*s is a word that %s uses: define it behind the include, or call "
            "it otherwise, by capitals\n#endif\n",
            (int)length, macro, header->name);
}

/* Writes guards for the macros that options define, and the text up to the header. */
static void write_guards(FILE *out, const char *name, const char *options, const char *text,
                         const char *end, uint32_t line, const struct gravel_source_header *header)
{
    const char *macro;
    while ((macro = next_defined(&options)))
        write_guard(out, name, line, macro, header);
    for (; text < end; text += line_length(text))
        if ((macro = skip_directive(text, "define")))
            write_guard(out, name, line, skip_blanks(macro), header);
}

void gravel_source_expand(FILE *out, const char *name, const char *text, const char *options,
                          const struct gravel_source_header *headers)
{
    write_line_directive(out, 1, name);
    text = skip_mark(text);
    const char *const begin = text;
    for (uint32_t line = 1, next; *text; line = next) {
        const struct gravel_source_header *header = find_included(text, headers);
        const char *end = text + line_length(text);
        next = line + (end[-1] != '\n');
        for (const char *at = text; at < end; at++)
            next += *at == '\n';
        if (header) {
            write_guards(out, name, options, begin, text, line, header);
            write_line_directive(out, 1, header->name);
            fputs(header->text, out);
            write_line_directive(out, next, name);
        } else {
            fwrite(text, 1, (size_t)(end - text), out);
        }
        text = skip_mark(end);
    }
}

/* ---- compiler messages ------------------------------------------------------------------------------------------- */

#define UNNAMED \
    "<kernel>:" /* what NVIDIA's compiler calls a text, whatever its #line directives say */

/* Where a line of an expanded text is from. */
struct position {
    uint32_t line; /* 0: the text does not say */
    char name[257];
};

static struct position find_position(const char *text, uint32_t line)
{
    struct position position = {.line = 0};
    for (uint32_t at = 1; at < line && *text; at++) {
        uint32_t named;
        char name[sizeof position.name];
        if (strncmp(text, "#line ", 6) == 0 &&
            sscanf(text, "#line %u \"%256[^\"\n]\"", &named, name) == 2) {
            position.line = named;
            snprintf(position.name, sizeof position.name, "%s", name);
        } else if (position.line) {
            position.line++;
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return position;
}

void gravel_source_name_lines(FILE *out, const char *log, const char *text)
{
    const char *found;
    for (; (found = strstr(log, UNNAMED)); log = found) {
        fwrite(log, 1, (size_t)(found - log), out);
        char *end;
        const char *number = found + strlen(UNNAMED);
        const struct position position = find_position(text, (uint32_t)strtoul(number, &end, 10));
        bool is_known = end != number && position.line;
        if (is_known)
            fprintf(out, "%s:%u", position.name, position.line);
        else
            fputs(UNNAMED, out);
        found = is_known ? end : number;
    }
    fputs(log, out);
}
