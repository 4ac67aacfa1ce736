/* SPDX-License-Identifier: MIT */
/*
 * What a compiler's messages mean for a program that includes gravel.cl.h.
 *
 * Path:    program.c -> advice.c.
 */
#ifndef GRAVEL_OPENCL_ADVICE_H
#define GRAVEL_OPENCL_ADVICE_H

#include "opencl/program.h"
#include "opencl/source.h"

#include <stdio.h>

/**
 * Writes a line for each cause that is known: an include, GRAVEL_OPEN or GRAVEL_ARENA that is missing, GRAVEL_OPEN
 * twice, a call of the headers with another number of arguments, a record of another size than its stream's, a handler
 * of another type than it was registered with.
 *
 * @param log      the compiler's, of clang's words, with the source's name and lines.
 * @param request  whose name and source it is.
 * @param text     what was compiled.
 * @param headers  that a program may include.
 */
void gravel_advice_write(FILE *out, const char *log, const struct gravel_program_request *request,
                         const char *text, const struct gravel_source_header *headers);

#endif
