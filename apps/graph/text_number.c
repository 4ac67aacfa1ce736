/* SPDX-License-Identifier: MIT */
/*
 * Numbers in a text: whole ones by hand, because that is where a reader spends its time, and
 * decimal ones by strtof (the applications stay in the "C" locale).
 *
 * Path: read_<format>.c -> this -> text.c
 * Threads: one at a time.
 */
#include "graph/text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool missing(struct text *text, const char *what)
{
    return text_fail(text, "%s is missing", what);
}

bool text_is_whole(struct text *text)
{
    size_t n = text_word(text);
    size_t i = n > 1 && text->at[0] == '-';
    while (i < n && is_digit(text->at[i]))
        i++;
    return i == n;
}

static bool refuse_uint(struct text *text, const char *what, uint64_t min, uint64_t max)
{
    if (!text_is_whole(text))
        return text_fail(text, "%s '%s' is not a whole number", what, text_quote(text));
    return text_fail(text, "%s %s is not in %llu..%llu", what, text_quote(text),
                     (unsigned long long)min, (unsigned long long)max);
}

bool text_uint(struct text *text, const char *what, uint64_t min, uint64_t max, uint64_t *value)
{
    size_t n = text_word(text);
    if (n == 0)
        return missing(text, what);
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = text->at[i];
        if (!is_digit(c) || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(c - '0'), &sum))
            return refuse_uint(text, what, min, max);
    }
    if (sum < min || sum > max)
        return refuse_uint(text, what, min, max);
    text->at += n;
    *value = sum;
    return true;
}

/* Does a number that became 0 have a digit other than 0, ahead of its exponent? */
static bool was_rounded_to_zero(const char *word, size_t n)
{
    for (size_t i = 0; i < n && word[i] != 'e' && word[i] != 'E'; i++)
        if (word[i] >= '1' && word[i] <= '9')
            return true;
    return false;
}

/* strtof would also take "nan", "inf" and hexadecimal, and needs an end behind the word. */
bool text_parse_float(char *word, size_t n, float *value)
{
    char *end;
    const char behind = word[n];
    word[n] = '\0';
    *value = strtof(word, &end);
    const bool is_decimal = n && end == word + n && strspn(word, "0123456789+-.eE") == n;
    word[n] = behind;
    if (*value == 0)
        *value = *word == '-' && was_rounded_to_zero(word, n) ? -FLT_TRUE_MIN : 0;
    return is_decimal;
}

bool text_float(struct text *text, const char *what, bool refuse_negative, float *value)
{
    size_t n = text_word(text);
    if (n == 0)
        return missing(text, what);
    if (!text_parse_float((char *)(uintptr_t)text->at, n, value))
        return text_fail(text, "%s '%s' is not a decimal number", what, text_quote(text));
    if (!isfinite(*value))
        return text_fail(text, "%s %s is too large for a float", what, text_quote(text));
    if (refuse_negative && *value < 0)
        return text_fail(text, "%s %s is negative", what, text_quote(text));
    text->at += n;
    return true;
}
