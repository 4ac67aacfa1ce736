/* SPDX-License-Identifier: MIT */
/*
 * Replaces the #include of the device headers by their text. See source.h.
 *
 * The text is read line by line; of the language only comments and string literals matter, for either may look like
 * an include or like the other's beginning.
 */
#include "opencl/source.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Whether a line that begins outside a comment includes the header. */
static bool includes_header(const char *line)
{
    static const char directive[] = "include", name[] = "\"gravel.cl.h\"";
    line = skip_blanks(line);
    if (*line != '#')
        return false;
    line = skip_blanks(line + 1);
    if (strncmp(line, directive, sizeof directive - 1) != 0)
        return false;
    return strncmp(skip_blanks(line + sizeof directive - 1), name, sizeof name - 1) == 0;
}

/* The end of a literal that begins at `at`, or of its line. */
static const char *skip_literal(const char *at)
{
    char quote = *at++;
    while (*at && *at != '\n' && *at != quote)
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
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
            at = skip_literal(at);
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

void gravel_source_expand(FILE *out, const char *name, const char *text, const char *header)
{
    bool in_comment = false;
    write_line_directive(out, 1, name);
    for (uint32_t line = 1; *text; line++) {
        bool is_header = !in_comment && includes_header(text);
        size_t length = scan_line(text, &in_comment);
        if (is_header) {
            write_line_directive(out, 1, "gravel.cl.h");
            fputs(header, out);
            write_line_directive(out, line + 1, name);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length;
    }
}
