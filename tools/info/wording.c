/* SPDX-License-Identifier: MIT */
/*
 * Writes findings. See wording.h.
 */
#include "wording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *info_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

json_int_t info_integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

void info_append(char text[INFO_TEXT_BYTES], const char *begin, const char *what)
{
    size_t n = strlen(text);
    snprintf(text + n, INFO_TEXT_BYTES - n, "%s%s", begin, what);
}

void info_append_number(char text[INFO_TEXT_BYTES], const char *begin, json_int_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, (int64_t)number);
    info_append(text, begin, digits);
}

void info_append_rank(char text[INFO_TEXT_BYTES], const json_t *rank)
{
    info_append_number(text, "rank ", info_integer_of(rank, "rank"));
    info_append(text, " on ", info_text_of(rank, "host"));
}

unsigned info_append_ranks(char text[INFO_TEXT_BYTES], const json_t *ranks, json_int_t host,
                           bool (*holds)(const json_t *rank, const void *context),
                           const void *context)
{
    char numbers[INFO_TEXT_BYTES] = "";
    const json_t *one = NULL;
    unsigned n = 0;
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        if (info_integer_of(rank, "first") != host || !holds(rank, context))
            continue;
        one = rank;
        if (n++ < INFO_MOST_NAMED)
            info_append_number(numbers, n == 1 ? "" : ", ", info_integer_of(rank, "rank"));
    }
    if (n == 0)
        return 0;
    info_append(text, n == 1 ? "rank " : "ranks ", numbers);
    if (n > INFO_MOST_NAMED) {
        info_append_number(text, " and ", n - INFO_MOST_NAMED);
        info_append(text, " more", "");
    }
    info_append(text, " on ", info_text_of(one, "host"));
    return n;
}

void info_add(json_t *findings, bool is_fatal, const char *what, const char *remedy)
{
    json_array_append_new(findings, json_pack("{s:s, s:s, s:b}", "what", what, "remedy", remedy,
                                              "is_fatal", (int)is_fatal));
}
