/* SPDX-License-Identifier: MIT */
/*
 * Words, numbers and signs of a litmus file, and the first error in it.
 *
 * Path:    a file's text -> lex.c -> parse.c, statement.c, expression.c.
 * Owner:   the text is the caller's; tokens point into it.
 *
 * After an error the file counts as ended, so that no caller has to look for errors before it reads on.
 */
#ifndef GRAVEL_HRF_LEX_H
#define GRAVEL_HRF_LEX_H

#include <stdbool.h>
#include <stdint.h>

#define HRF_ERROR_BYTES 256

enum hrf_token { HRF_END, HRF_WORD, HRF_NUMBER, HRF_TEXT, HRF_SIGN };

struct hrf_lexer {
    const char *path, *next; /* next: behind the token */
    uint32_t line;           /* of the token */
    enum hrf_token kind;
    const char *text; /* [n] the token; of HRF_TEXT without the quotes */
    uint32_t n;
    uint32_t value;          /* of a number */
    const char *end_of_last; /* of the token before */
    char error[HRF_ERROR_BYTES];
};

/** Starts at the first token. */
void hrf_lex(struct hrf_lexer *lexer, const char *path, const char *text);
/** Goes to the next token. */
void hrf_next(struct hrf_lexer *lexer);

/** Notes the first error, as "file:line: what", and ends the file. */
void hrf_fail(struct hrf_lexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Fails because of the token: "'x': what was expected". */
void hrf_expected(struct hrf_lexer *lexer, const char *what);

bool hrf_is(const struct hrf_lexer *lexer, const char *text);
/** Steps over a sign or word if it is there. */
bool hrf_take(struct hrf_lexer *lexer, const char *text);
/** Steps over a sign or word, or fails. */
void hrf_need(struct hrf_lexer *lexer, const char *text);
uint32_t hrf_need_number(struct hrf_lexer *lexer, const char *what);
/** Copies a word. @param name  [HRF_NAME_BYTES] */
void hrf_need_name(struct hrf_lexer *lexer, const char *what, char *name);

#endif
