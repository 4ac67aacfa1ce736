/* SPDX-License-Identifier: MIT */
/*
 * What a compiler's messages mean for a program that includes gravel.cl.h.
 *
 * Path:    program.c -> advice.c.
 */
#ifndef GRAVEL_OPENCL_ADVICE_H
#define GRAVEL_OPENCL_ADVICE_H

#include <stdio.h>

/**
 * Write a line for each cause that is known: GRAVEL_OPEN or GRAVEL_ARENA that is missing, GRAVEL_OPEN twice, a handler
 * of another type than it was registered with.
 *
 * @param log   the compiler's, of clang's words.
 * @param text  what was compiled.
 */
void gravel_advice_write(FILE *out, const char *log, const char *text);

#endif
