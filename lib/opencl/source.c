/* SPDX-License-Identifier: MIT */
/*
 * Replaces the #include of the device headers by their text, and finds lines of it again. See source.h.
 *
 * The text is read line by line; of the language only comments and string literals matter, for either may look like
 * an include or like the other's beginning.
 */
#include "opencl/source.h"

#include "opencl/macros.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* A byte order mark in UTF-8, which editors put in front of a file: no part of its text, nor where texts are joined. */
static const char *skip_mark(const char *line)
{
    static const char mark[] = "\xef\xbb\xbf";
    return strncmp(line, mark, sizeof mark - 1) == 0 ? line + sizeof mark - 1 : line;
}

/* The header that a line that begins outside a comment includes; NULL if none of them. */
static const struct gravel_source_header *find_included(const char *line,
                                                        const struct gravel_source_header *headers)
{
    static const char directive[] = "include";
    line = skip_blanks(line);
    if (*line != '#')
        return NULL;
    line = skip_blanks(line + 1);
    if (strncmp(line, directive, sizeof directive - 1) != 0)
        return NULL;
    line = skip_blanks(line + sizeof directive - 1);
    for (const struct gravel_source_header *header = headers; *line == '"' && header->name;
         header++) {
        size_t length = strlen(header->name);
        if (strncmp(line + 1, header->name, length) == 0 && line[1 + length] == '"')
            return header;
    }
    return NULL;
}

/* The end of a line [characters], its newline included; `in_comment` is what holds there. */
static size_t scan_line(const char *line, bool *in_comment)
{
    const char *at = line;
    while (*at && *at != '\n') {
        const char *mark = *in_comment ? "*/" : "/*";
        if (strncmp(at, mark, 2) == 0) {
            *in_comment = !*in_comment;
            at += 2;
        } else if (!*in_comment && strncmp(at, "//", 2) == 0) {
            at += strcspn(at, "\n");
        } else if (!*in_comment && (*at == '"' || *at == '\'')) {
            const char quote = *at++; /* of a literal, which ends with its line */
            while (*at && *at != '\n' && *at != quote)
                at += *at == '\\' && at[1] ? 2 : 1;
            at += *at == quote;
        } else {
            at++;
        }
    }
    return (size_t)(at - line) + (*at == '\n');
}

static void write_line_directive(FILE *out, uint32_t line, const char *name)
{
    fprintf(out, "\n#line %u \"%.256s\"\n", line, name);
}

bool gravel_source_includes(const char *text, const struct gravel_source_header *headers)
{
    bool in_comment = false;
    for (text = skip_mark(text); *text; text = skip_mark(text + scan_line(text, &in_comment)))
        if (!in_comment && find_included(text, headers))
            return true;
    return false;
}

/*
 * Before a header, for each macro that the text up to there defines and the header has a word of: an error, unless the
 * compiler has left the definition out, or the text has undefined it.
 */
static void write_guards(FILE *out, const char *name, const char *text, const char *end,
                         uint32_t line, const struct gravel_source_header *header)
{
    bool in_comment = false;
    size_t length;
    while (text < end) {
        const char *macro =
            in_comment ? NULL : gravel_macros_find_defined(text, header->text, &length);
        if (macro) {
            fprintf(out, "#ifdef %.*s", (int)length, macro);
            write_line_directive(out, line, name);
            fprintf(
                out,
                "#error the macro %.*s is a word that %s uses: define it behind the include, or "
                "call it otherwise, by capitals\n#endif\n",
                (int)length, macro, header->name);
        }
        text += scan_line(text, &in_comment);
    }
}

void gravel_source_expand(FILE *out, const char *name, const char *text,
                          const struct gravel_source_header *headers)
{
    bool in_comment = false;
    write_line_directive(out, 1, name);
    text = skip_mark(text);
    const char *const begin = text;
    for (uint32_t line = 1; *text; line++) {
        const struct gravel_source_header *header =
            in_comment ? NULL : find_included(text, headers);
        size_t length = scan_line(text, &in_comment);
        if (header) {
            write_guards(out, name, begin, text, line, header);
            write_line_directive(out, 1, header->name);
            fputs(header->text, out);
            write_line_directive(out, line + 1, name);
        } else {
            fwrite(text, 1, length, out);
        }
        text = skip_mark(text + length);
    }
}

/* ---- compiler messages ------------------------------------------------------------------------------------------- */

#define UNNAMED \
    "<kernel>:" /* what NVIDIA's compiler calls a text, whatever its #line directives say */

/* Where a line of an expanded text is from. */
struct place {
    uint32_t line; /* 0: the text does not say */
    char name[257];
};

static struct place find_place(const char *text, uint32_t line)
{
    struct place place = {.line = 0};
    for (uint32_t at = 1; at < line && *text; at++) {
        uint32_t named;
        char name[sizeof place.name];
        if (strncmp(text, "#line ", 6) == 0 &&
            sscanf(text, "#line %u \"%256[^\"\n]\"", &named, name) == 2) {
            place.line = named;
            snprintf(place.name, sizeof place.name, "%s", name);
        } else if (place.line) {
            place.line++;
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return place;
}

void gravel_source_name_places(FILE *out, const char *log, const char *text)
{
    const char *found;
    for (; (found = strstr(log, UNNAMED)); log = found) {
        fwrite(log, 1, (size_t)(found - log), out);
        char *end;
        const char *number = found + strlen(UNNAMED);
        const struct place place = find_place(text, (uint32_t)strtoul(number, &end, 10));
        bool is_known = end != number && place.line;
        if (is_known)
            fprintf(out, "%s:%u", place.name, place.line);
        else
            fputs(UNNAMED, out);
        found = is_known ? end : number;
    }
    fputs(log, out);
}
