/* SPDX-License-Identifier: MIT */
/*
 * Replaces each `#include "gravel.cl.h"`, or one of another device header, of a program's text by the header, so that
 * the text can be built in one go. Compiling with a header object and linking takes PoCL a second longer for each
 * context, because its linker first reads the whole library of built-in functions.
 *
 * Macros of a program would change the headers: these have parameters, variables and members with short names, and
 * OpenCL C has no way to hide a macro from them.
 *
 * Path:    program.c (text and options), advice.c -> source.c.
 */
#ifndef GRAVEL_OPENCL_SOURCE_H
#define GRAVEL_OPENCL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A header by the name that programs include it by. */
struct gravel_source_header {
    const char *name; /* NULL behind the last */
    const char *text; /* with guards against a second inclusion */
};

/** Whether a text includes one of the headers, outside comments. */
bool gravel_source_includes(const char *text, const struct gravel_source_header *headers);

/**
 * Write a text with the headers in place; what follows a header keeps its line numbers. A macro that begins with a
 * small letter, and that the options define, or the text ahead of a header, makes the text not build if the header has
 * a word of it: the compiler's message names the macro. The headers' other macros are made to be defined by options.
 *
 * @param name     of the text, for compiler messages; up to 256 characters of it are used.
 * @param text     OpenCL C. An include in a comment stays, and so does one of any other file; a byte order mark at the
 *                 beginning of a line goes.
 * @param options  of the build.
 * @param headers  those that there are.
 */
void gravel_source_expand(FILE *out, const char *name, const char *text, const char *options,
                          const struct gravel_source_header *headers);

/**
 * Write a compiler's log with the names and lines that the text's #line directives give, where the compiler counts
 * lines of the whole text instead, as NVIDIA's does.
 *
 * @param text  what was compiled.
 */
void gravel_source_name_places(FILE *out, const char *log, const char *text);

/** The length of the word that begins here [characters]; 0 if none does. */
size_t gravel_word_length(const char *at);

/** The first place of a word in a text's code; of directives only definitions use words for what they mean. NULL: there
 * is none. */
const char *gravel_word_find(const char *text, const char *word, size_t length);

#endif
