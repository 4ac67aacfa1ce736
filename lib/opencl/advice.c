/* SPDX-License-Identifier: MIT */
/*
 * What a compiler's messages mean. See advice.h.
 */
#include "opencl/advice.h"

#include "opencl/macros.h"

#include <stdbool.h>
#include <string.h>

#define NAME_BYTES 128u

/* The quoted name that follows `said` in a log; where to look for the next, or NULL. */
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

/* Whether a text calls a function of gravel.cl.h with this name as its first argument. */
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

static void advise_undeclared(FILE *out, const char *name, const char *text)
{
    if (!strcmp(name, "gravel_arena_"))
        fprintf(out, "\nadvice: is GRAVEL_ARENA missing among the kernel's parameters?");
    else if (is_group(text, name))
        fprintf(out, "\nadvice: is GRAVEL_OPEN(%s) missing in the outermost block of the kernel?",
                name);
}

/* The library's own prototype of a handler stands behind the user's text. */
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

/* Compilers repeat themselves; the same advice is given once. */
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

void gravel_advice_write(FILE *out, const char *log, const char *text)
{
    advise_all(out, log, "undeclared identifier '", text, advise_undeclared);
    advise_all(out, log, "conflicting types for '", text, advise_handler);
    if (strstr(log, "redefinition of 'gravel_scratch_'"))
        fprintf(out, "\nadvice: GRAVEL_OPEN stands in a kernel once");
}
