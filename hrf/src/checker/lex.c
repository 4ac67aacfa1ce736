/* SPDX-License-Identifier: MIT */
/*
 * Tokens. See lex.h.
 */
#include "checker/lex.h"

#include "checker/program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hrf_fail(struct hrf_lexer *lexer, const char *format, ...)
{
    va_list arguments;
    if (!*lexer->error) {
        int n = snprintf(lexer->error, sizeof lexer->error, "%s:%u: ", lexer->path, lexer->line);
        size_t used = n < 0                             ? 0
                      : (size_t)n < sizeof lexer->error ? (size_t)n
                                                        : sizeof lexer->error - 1;
        va_start(arguments, format);
        vsnprintf(lexer->error + used, sizeof lexer->error - used, format, arguments);
        va_end(arguments);
    }
    lexer->kind = HRF_END;
    lexer->n = 0;
    lexer->next = "";
}

void hrf_expected(struct hrf_lexer *lexer, const char *what)
{
    if (lexer->kind == HRF_END)
        hrf_fail(lexer, "the file ends, expected %s", what);
    else
        hrf_fail(lexer, "'%.*s', expected %s", (int)(lexer->n < 40 ? lexer->n : 40), lexer->text,
                 what);
}

static void skip_blanks(struct hrf_lexer *lexer)
{
    for (;; lexer->next++) {
        if (*lexer->next == '#')
            lexer->next += strcspn(lexer->next, "\n");
        if (*lexer->next == '\n')
            lexer->line++;
        else if (!isspace((unsigned char)*lexer->next))
            return;
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void take_number(struct hrf_lexer *lexer)
{
    uint64_t value = 0;
    while (isdigit((unsigned char)*lexer->next) && value <= UINT32_MAX)
        value = value * 10 + (uint64_t)(*lexer->next++ - '0');
    lexer->n = (uint32_t)(lexer->next - lexer->text);
    lexer->kind = HRF_NUMBER;
    lexer->value = (uint32_t)value;
    if (value > UINT32_MAX || is_word(*lexer->next))
        hrf_expected(lexer, "a number of 32 bits");
}

static void take_text(struct hrf_lexer *lexer)
{
    lexer->text = ++lexer->next;
    lexer->n = (uint32_t)strcspn(lexer->text, "\"\n");
    lexer->next = lexer->text + lexer->n;
    lexer->kind = HRF_TEXT;
    if (*lexer->next == '"')
        lexer->next++;
    else
        hrf_expected(lexer, "a closing quote on the line");
}

static void take_sign(struct hrf_lexer *lexer)
{
    static const char *const pairs[] = {"==", "!=", "<=", ">=", "&&", "||"};
    lexer->kind = HRF_SIGN;
    lexer->n = 1;
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strncmp(lexer->next, pairs[i], 2))
            lexer->n = 2;
    lexer->next += lexer->n;
    if (!strchr("(){}<>=!,;:+-*%/&|", *lexer->text))
        hrf_fail(lexer, "character '%c', expected a word, a number or a sign",
                 isprint((unsigned char)*lexer->text) ? *lexer->text : '?');
}

void hrf_next(struct hrf_lexer *lexer)
{
    lexer->end_of_last = lexer->next;
    skip_blanks(lexer);
    lexer->text = lexer->next;
    if (!*lexer->next) {
        lexer->kind = HRF_END;
        lexer->n = 0;
    } else if (isdigit((unsigned char)*lexer->next)) {
        take_number(lexer);
    } else if (is_word(*lexer->next)) {
        while (is_word(*lexer->next))
            lexer->next++;
        lexer->kind = HRF_WORD;
        lexer->n = (uint32_t)(lexer->next - lexer->text);
    } else if (*lexer->next == '"') {
        take_text(lexer);
    } else {
        take_sign(lexer);
    }
}

void hrf_lex(struct hrf_lexer *lexer, const char *path, const char *text)
{
    *lexer = (struct hrf_lexer){.path = path, .next = text, .line = 1};
    hrf_next(lexer);
}

bool hrf_is(const struct hrf_lexer *lexer, const char *text)
{
    return lexer->kind != HRF_END && lexer->kind != HRF_TEXT && strlen(text) == lexer->n &&
           !memcmp(lexer->text, text, lexer->n);
}

bool hrf_take(struct hrf_lexer *lexer, const char *text)
{
    bool is_there = hrf_is(lexer, text);
    if (is_there)
        hrf_next(lexer);
    return is_there;
}

void hrf_need(struct hrf_lexer *lexer, const char *text)
{
    char what[16];
    snprintf(what, sizeof what, "'%s'", text);
    if (!hrf_take(lexer, text))
        hrf_expected(lexer, what);
}

uint32_t hrf_need_number(struct hrf_lexer *lexer, const char *what)
{
    uint32_t value = lexer->value;
    if (lexer->kind != HRF_NUMBER) {
        hrf_expected(lexer, what);
        return 0;
    }
    hrf_next(lexer);
    return value;
}

void hrf_need_name(struct hrf_lexer *lexer, const char *what, char *name)
{
    name[0] = '\0';
    if (lexer->kind != HRF_WORD) {
        hrf_expected(lexer, what);
    } else if (lexer->n >= HRF_NAME_BYTES) {
        hrf_fail(lexer, "'%.20s...' has %u characters, expected at most %d", lexer->text, lexer->n,
                 HRF_NAME_BYTES - 1);
    } else {
        memcpy(name, lexer->text, lexer->n);
        name[lexer->n] = '\0';
        hrf_next(lexer);
    }
}
