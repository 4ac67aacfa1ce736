/* SPDX-License-Identifier: MIT */
/*
 * Replaces each `#include "gravel.cl.h"` of a program's text by the device headers, so that the text can be built in
 * one go. Compiling with a header object and linking takes PoCL a second longer for each context, because its linker
 * first reads the whole library of built-in functions.
 *
 * Path:    program.c -> source.c -> program.c.
 */
#ifndef GRAVEL_OPENCL_SOURCE_H
#define GRAVEL_OPENCL_SOURCE_H

#include <stdio.h>

/**
 * Write a text with the header in place; what follows the header keeps its line numbers.
 *
 * @param name    of the text, for compiler messages; up to 256 characters of it are used.
 * @param text    OpenCL C. An include in a comment stays, and so does one of any other file.
 * @param header  the device headers as one text, with guards against a second inclusion.
 */
void gravel_source_expand(FILE *out, const char *name, const char *text, const char *header);

#endif
