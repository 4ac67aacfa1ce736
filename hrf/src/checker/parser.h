/* SPDX-License-Identifier: MIT */
/*
 * Between the parser's files.
 *
 * Path:    parse.c -> statement.c -> expression.c.
 */
#ifndef GRAVEL_HRF_PARSER_H
#define GRAVEL_HRF_PARSER_H

#include "checker/lex.h"
#include "checker/program.h"

#define HRF_MAX_DEPTH 64u /* of blocks, and of brackets */

struct hrf_parser {
    struct hrf_lexer lexer;
    struct hrf_program *program;
    struct hrf_thread *thread;     /* whose code is read, or NULL: `exists` */
    uint32_t n_brackets, n_blocks; /* that are open */
    uint32_t n_events;             /* that one run through all code can make */
};

/** expression.c. @return its number in the program. */
int32_t hrf_parse_expression(struct hrf_parser *parser);
/** ==, !=, <, <=, > or >=. */
enum hrf_operator hrf_parse_comparison(struct hrf_parser *parser);
int32_t hrf_add_expression(struct hrf_parser *parser, enum hrf_operator operator_, uint32_t a,
                           uint32_t b);

/** statement.c: { ... } */
void hrf_parse_block(struct hrf_parser *parser);
/** Returns whether a word begins statements, so that no location may have it as its name. */
bool hrf_is_taken(const struct hrf_lexer *lexer);

/** parse.c: the location or register that the token names. @return HRF_NONE if there is none. */
int32_t hrf_find_location(const struct hrf_parser *parser);
int32_t hrf_find_register(const struct hrf_lexer *name, const struct hrf_thread *thread);

/** Makes room for one more element of a growing array. Returns NULL without memory, with the error noted. */
void *hrf_grow(struct hrf_parser *parser, void *array, uint32_t n, uint32_t bytes);

#endif
