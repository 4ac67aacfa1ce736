/* SPDX-License-Identifier: MIT */
/*
 * Macros of a program that would change the device headers: these have parameters, variables and members with short
 * names, and OpenCL C has no way to hide a macro from them.
 *
 * Path:    program.c (options), source.c (text), advice.c -> macros.c.
 */
#ifndef GRAVEL_OPENCL_MACROS_H
#define GRAVEL_OPENCL_MACROS_H

#include <stdbool.h>
#include <stddef.h>

/** The length of the word that begins here [characters]; 0 if none does. */
size_t gravel_word_length(const char *at);

/**
 * The first macro that options define, by -D, and a header's code has a word of; only words that begin with a small
 * letter, for the headers' other macros are made to be defined by options.
 *
 * @param options  of a build, or NULL.
 * @param header   OpenCL C.
 * @param length   [out] of the name [characters].
 * @return         the name, in the options; NULL if there is none.
 */
const char *gravel_macros_find(const char *options, const char *header, size_t *length);

/**
 * The macro that a line of a text defines, if a header's code has a word of it. Not if it is one of the language's, by
 * which other texts are made to compile as OpenCL C.
 *
 * @return  as gravel_macros_find, in the line.
 */
const char *gravel_macros_find_defined(const char *line, const char *header, size_t *length);

#endif
