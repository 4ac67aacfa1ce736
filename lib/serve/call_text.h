/* SPDX-License-Identifier: MIT */
/*
 * The text of a kernel that calls a handler written in OpenCL C: the call itself, with a transaction's copies of its
 * data, and the prototypes that its functions must agree with.
 *
 * Path:    serve/server_text.c, serve/call_program.c -> call_text.c.
 * Owner:   the stream is the caller's.
 * Threads: any.
 */
#ifndef GRAVEL_SERVE_CALL_TEXT_H
#define GRAVEL_SERVE_CALL_TEXT_H

#include "gravel/gravel.h"

#include <stdio.h>

/* What the text around a call names: the struct gravel_call; argument i, as `argument_begin i argument_end`; and what
 * takes the answer of a handler that has one, `answer` before it and a parenthesis behind it. */
struct gravel_call_words {
    const char *call, *argument_begin, *argument_end, *answer;
};

/** The statement that calls a handler. Compilers name the handler if it is missing. */
void gravel_call_text_write(FILE *out, const struct gravel_handler *handler,
                            const struct gravel_call_words *words);

/** Behind it: prototypes, which do not compile if the functions' parameters are others. */
void gravel_call_text_prototypes(FILE *out, const struct gravel_handler *handler);

#endif
