/* SPDX-License-Identifier: MIT */
/*
 * Whole numbers as people write them: decimal, whatever they begin with, or hexadecimal behind 0x. No sign, no space.
 * And names that programs in OpenCL C have, too.
 *
 * Path:    settings, options of tools -> number.h.
 * Threads: any; the locale does not matter.
 */
#ifndef GRAVEL_BASE_NUMBER_H
#define GRAVEL_BASE_NUMBER_H

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum gravel_number { GRAVEL_NUMBER, GRAVEL_NUMBER_NONE, GRAVEL_NUMBER_TOO_LARGE };

/** Returns the power of two that a suffix multiplies by: k, M, G, T; 0 if it is none of them. */
static inline unsigned gravel_suffix_shift(char suffix)
{
    static const char suffixes[] = "kMGT";
    const char *at = suffix == 'K' ? suffixes : suffix ? strchr(suffixes, suffix) : NULL;
    return at ? 10 * (unsigned)(at - suffixes + 1) : 0;
}

/** Parses all of a text. @param has_suffix  whether k, M, G or T may end it. @param value  [out] if it is a number. */
static inline enum gravel_number gravel_number_parse(const char *text, bool has_suffix,
                                                     uint64_t *value)
{
    bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return GRAVEL_NUMBER_NONE;
    errno = 0;
    unsigned long long number = strtoull(text, &end, is_hexadecimal ? 16 : 10);
    unsigned shift = has_suffix ? gravel_suffix_shift(*end) : 0;
    if (end[shift != 0])
        return GRAVEL_NUMBER_NONE;
    *value = (uint64_t)number << shift;
    return errno || *value >> shift != number ? GRAVEL_NUMBER_TOO_LARGE : GRAVEL_NUMBER;
}

/** Returns whether a text is a number without suffix from `min` to `max`. @param value  [out] if it is. */
static inline bool gravel_number_within(const char *text, uint64_t min, uint64_t max,
                                        uint64_t *value)
{
    uint64_t number = 0;
    if (gravel_number_parse(text, false, &number) != GRAVEL_NUMBER || number < min || number > max)
        return false;
    *value = number;
    return true;
}

/** Returns whether a name is an identifier of C. NULL is allowed. */
static inline bool gravel_is_identifier(const char *name)
{
    if (!name || !(isalpha((unsigned char)*name) || *name == '_'))
        return false;
    while (isalnum((unsigned char)*name) || *name == '_')
        name++;
    return !*name;
}

#endif
