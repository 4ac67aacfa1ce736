/* SPDX-License-Identifier: MIT */
/*
 * What a compiler's messages mean. See program.h.
 */
#include "opencl/program.h"

#include "base/endpoints.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 128u

/* Returns the quoted name that follows `said` in a log; where to look for the next, or NULL. */
static const char *find_named(const char *log, const char *said, char name[NAME_BYTES])
{
    while ((log = strstr(log, said))) {
        log += strlen(said);
        size_t length = strcspn(log, "'\n");
        if (log[length] != '\'' || length == 0 || length >= NAME_BYTES)
            continue;
        memcpy(name, log, length);
        name[length] = '\0';
        return log + length;
    }
    return NULL;
}

/* Returns whether a text calls a function of gravel.cl.h with this name as its first argument. */
static bool is_group(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, "gravel_")); at++) {
        const char *end = at + gravel_word_length(at);
        if (*end != '(')
            continue;
        end += 1 + strspn(end + 1, " \t\n");
        if (gravel_word_length(end) == length && !strncmp(end, name, length))
            return true;
    }
    return false;
}

/* Returns whether a header has a name, or a word that its calls of such names are pasted from:
 * gravel_accumulate_add_uint_wi begins with gravel_accumulate_. */
static bool has_name(const char *header, const char *name)
{
    size_t length = strlen(name);
    while (length > strlen("gravel_") && !gravel_word_find(header, name, length))
        for (length--; length && name[length - 1] != '_';)
            length--;
    return length > strlen("gravel_");
}

/* Returns whether the source leaves out the header that has a name. @param name  "gravel_x", "struct gravel_x" */
static bool advise_include(FILE *out, const char *name, const char *source,
                           const struct gravel_source_header *headers)
{
    const char *word = strrchr(name, ' ') ? strrchr(name, ' ') + 1 : name;
    if (strncasecmp(word, "gravel_", strlen("gravel_")) != 0)
        return false;
    for (const struct gravel_source_header *header = headers; header->name; header++) {
        const struct gravel_source_header one[] = {*header, {NULL, NULL}};
        if (!has_name(header->text, word))
            continue;
        if (!gravel_source_includes(source, one))
            fprintf(out, "\nadvice: is #include \"%s\" missing, which has %s?", header->name, word);
        return !gravel_source_includes(source, one);
    }
    return false;
}

/* Returns the call whose parenthesis is open at a column of a line; NULL: none, or of none of ours. */
static const char *find_call(const char *source, unsigned long line, unsigned long column)
{
    int depth = 0;
    const char *at = source;
    while (line-- > 1 && (at = strchr(at, '\n')))
        at++;
    if (!at || column < 2 || column > strcspn(at, "\n") + 1)
        return NULL;
    for (at += column - 2; at > source && (*at != '(' || depth > 0); at--)
        depth += (*at == ')') - (*at == '(');
    while (at > source && gravel_word_length(at - 1))
        at--;
    return strncmp(at, "gravel_", strlen("gravel_")) == 0 ? at : NULL;
}

/* "k.cl:2:82: too few arguments provided": with the form of the call, as its header defines it. */
static void advise_arguments(FILE *out, const char *log,
                             const struct gravel_program_request *request, const char *text)
{
    for (const char *said = log; (said = strstr(said, "arguments ")); said++) {
        const char *line = said;
        unsigned long numbers[2] = {0};
        while (line > log && line[-1] != '\n')
            line--;
        const char *found = strstr(line, request->name);
        if (!found || found > said ||
            sscanf(found + strlen(request->name), ":%lu:%lu", &numbers[0], &numbers[1]) != 2)
            continue;
        const char *call = find_call(request->source, numbers[0], numbers[1]);
        const size_t length = call ? gravel_word_length(call) : 0;
        const char *form = call ? gravel_word_find(text, call, length) : NULL;
        if (form && form[length] == '(')
            fprintf(out, "\nadvice: the call of line %lu is %.*s", numbers[0],
                    (int)(strcspn(form, ")") + 1), form);
    }
}

/* Names GRAVELP_APPEND's array, whose size is that of the value. */
static void advise_records(FILE *out, const char *log, const struct gravel_endpoints *endpoints)
{
    static const char said[] = "array is too large (";
    const char *at = strstr(log, said);
    const uint64_t n = at ? strtoull(at + sizeof said - 1, NULL, 10) : 0;
    if (n < 8000000000000000000u)
        return;
    fprintf(out, "\nadvice: a record of %" PRIu64 " bytes is not of the size of its stream:",
            n - 8000000000000000000u);
    for (uint32_t i = 0; endpoints && i < endpoints->n_streams; i++)
        fprintf(out, "%s %s has %u bytes", i ? "," : "", endpoints->streams[i].name,
                endpoints->streams[i].record_bytes);
}

static void advise_undeclared(FILE *out, const char *name, const char *text)
{
    if (!strcmp(name, "gravel_arena_"))
        fprintf(out, "\nadvice: is GRAVEL_ARENA missing among the kernel's parameters?");
    else if (is_group(text, name))
        fprintf(out, "\nadvice: is GRAVEL_OPEN(%s) missing in the outermost block of the kernel?",
                name);
}

/* Advises on a handler, whose prototype of the library's is behind the user's text. */
static void advise_handler(FILE *out, const char *name, const char *text)
{
    char line[NAME_BYTES + 32], due[NAME_BYTES + 32];
    snprintf(line, sizeof line, "#line 1 \"handler %s, ", name);
    snprintf(due, sizeof due, " %s(struct gravel_call", name);
    const char *at = strstr(text, line);
    while (at && (at = strstr(at, "\n"))) {
        at++;
        const size_t length = strcspn(at, "\n");
        const char *found = strstr(at, due);
        if (found && found < at + length && at[length - 1] == ';') {
            fprintf(out, "\nadvice: as it was registered, the handler's type is: %.*s", (int)length,
                    at);
            return;
        }
    }
}

/* Gives each advice once, as compilers repeat themselves. */
static void advise_all(FILE *out, const char *log, const char *said, const char *text,
                       void (*advise)(FILE *out, const char *name, const char *text))
{
    char name[NAME_BYTES], last[NAME_BYTES] = "";
    while ((log = find_named(log, said, name))) {
        if (strcmp(name, last) != 0)
            advise(out, name, text);
        strcpy(last, name);
    }
}

void gravel_advice_write(FILE *out, const char *log, const struct gravel_program_request *request,
                         const char *text, const struct gravel_source_header *headers)
{
    static const char *const said[] = {"undeclared identifier '", "unknown type name '",
                                       "incomplete type '", "parameter '"};
    char name[NAME_BYTES];
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        for (const char *at = log; (at = find_named(at, said[i], name));)
            if (advise_include(out, name, request->source, headers))
                return; /* nothing else is the cause then */
    advise_all(out, log, "undeclared identifier '", text, advise_undeclared);
    advise_all(out, log, "conflicting types for '", text, advise_handler);
    advise_arguments(out, log, request, text);
    advise_records(out, log, request->endpoints);
    if (strstr(log, "redefinition of 'gravel_gravelp_scratch_'"))
        fprintf(out, "\nadvice: GRAVEL_OPEN is in a kernel once");
}
