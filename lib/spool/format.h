/* SPDX-License-Identifier: MIT */
/*
 * A line's text and its arguments become characters. Pure functions over bytes that may be anything.
 *
 * Conversions are those of C's printf, but for the length of an argument, whose type comes with it. One that does not
 * fit its argument, and one that this has not, is written behind "%!", as "%!d(1.5)"; so are arguments left over.
 * Control characters of arguments, and of the text but for newlines and tabs, are written as "\x1b".
 *
 * Path:    writer.c -> lines.c -> format.c.
 * Owner:   the caller.
 * Threads: any; no state.
 */
#ifndef GRAVEL_SPOOL_FORMAT_H
#define GRAVEL_SPOOL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters; grows. Zeroed it is empty. */
struct gravel_characters {
    char *text; /* [n] without a 0 behind it; freed by its owner */
    size_t n, room;
    bool is_cut; /* memory was out */
};

#define GRAVEL_MOST_DIGITS 20u /* of a number of 64 bits */

/** Write a number's decimal digits. @return how many; at most GRAVEL_MOST_DIGITS. */
static inline size_t gravel_write_digits(char *to, uint64_t number)
{
    char digits[GRAVEL_MOST_DIGITS];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    for (size_t i = 0; i < n; i++)
        to[i] = digits[n - 1 - i];
    return n;
}

/** Append. */
void gravel_characters_add(struct gravel_characters *out, const char *text, size_t n);

/**
 * Format one line.
 *
 * @param text        [text_bytes] ends at the first 0, or there.
 * @param types       GRAVELP_ARGUMENT_*, four bits an argument, the first one's lowest; ends at 0.
 * @param words       [n_words] the arguments.
 * @param at_newline  written behind each newline inside the text, which ends in none; [at_newline_bytes].
 */
void gravel_format_line(struct gravel_characters *out, const char *text, size_t text_bytes,
                        uint64_t types, const uint32_t *words, uint32_t n_words,
                        const char *at_newline, size_t at_newline_bytes);

#endif
