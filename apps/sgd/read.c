/* SPDX-License-Identifier: MIT */
/*
 * MovieLens' files: a rating a line, `user::item::rating::time` (ratings.dat) or `user,item,rating,time` with a line of
 * names ahead (ratings.csv); plain or gzip.
 *
 * Numbers of users and items have gaps; their places in rising order are the rows.
 *
 * Path: sgd.c -> this -> graph/text.h
 * Owner: see sgd.h.
 * Threads: main's.
 */
#include "sgd.h"

#include "graph/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a line ------------------------------------------------------------------------------------ */

#define LONGEST_LINE 96 /* [bytes] */

/* Step over "::" or ",". */
static bool skip_separator(char **at)
{
    const size_t n = strspn(*at, ":,");
    *at += n;
    return n == 1 || n == 2;
}

static bool take_number(char **at, cl_uint *number)
{
    char *end;
    const unsigned long long value = strtoull(*at, &end, 10);
    const bool is_good = isdigit((unsigned char)**at) && value < UINT32_MAX;
    *at = end;
    *number = (cl_uint)value;
    return is_good;
}

static bool take_value(char **at, float *value)
{
    char *end;
    *value = strtof(*at, &end);
    const bool is_good = end != *at && isfinite(*value);
    *at = end;
    return is_good;
}

static bool take_rating(struct text *text, struct sgd_rating *rating)
{
    char line[LONGEST_LINE], *at = line;
    const size_t n = text_word(text);
    if (n >= sizeof line)
        return text_fail(text, "'%s' is no rating", text_quote(text));
    memcpy(line, text->at, n);
    line[n] = 0;
    if (!take_number(&at, &rating->user) || !skip_separator(&at) ||
        !take_number(&at, &rating->item) || !skip_separator(&at) ||
        !take_value(&at, &rating->value) || (*at && !skip_separator(&at)))
        return text_fail(text, "'%s' is not user::item::rating::time or user,item,rating,time",
                         text_quote(text));
    text->at += n;
    return text_end_line(text);
}

/* ---- all lines --------------------------------------------------------------------------------- */

static void add(struct sgd_ratings *ratings, uint64_t *capacity, struct sgd_rating rating)
{
    if (ratings->n == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 1024;
        ratings->each = realloc(ratings->each, *capacity * sizeof *ratings->each);
        if (!ratings->each)
            die("no memory for %llu ratings", (unsigned long long)*capacity);
    }
    ratings->each[ratings->n++] = rating;
}

static bool read_lines(struct text *text, struct sgd_ratings *ratings)
{
    uint64_t capacity = 0;
    while (text_next_record(text, "#")) {
        struct sgd_rating rating = {.user = 0};
        if (ratings->n == 0 && text->line == 1 && isalpha(*text->at)) {
            text_skip_line(text); /* names of the columns */
            continue;
        }
        if (!take_rating(text, &rating))
            return false;
        add(ratings, &capacity, rating);
    }
    return ratings->n || text->has_failed ? !text->has_failed
                                          : text_fail(text, "the file has no ratings");
}

/* ---- rows -------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return x < y ? -1 : x > y;
}

static cl_uint *field_of(const struct sgd_ratings *ratings, uint64_t i, bool is_item)
{
    return is_item ? &ratings->each[i].item : &ratings->each[i].user;
}

/* Put rows, from `first` on, instead of numbers. @return  how many there are. */
static uint64_t number_rows(const struct sgd_ratings *ratings, bool is_item, uint64_t first)
{
    cl_uint *numbers = app_array(ratings->n, sizeof *numbers, "rows");
    uint64_t n = 0;
    for (uint64_t i = 0; i < ratings->n; i++)
        numbers[i] = *field_of(ratings, i, is_item);
    qsort(numbers, ratings->n, sizeof *numbers, compare);
    for (uint64_t i = 0; i < ratings->n; i++)
        if (i == 0 || numbers[i] != numbers[n - 1])
            numbers[n++] = numbers[i];
    for (uint64_t i = 0; i < ratings->n; i++) {
        cl_uint *field = field_of(ratings, i, is_item);
        const cl_uint *at = bsearch(field, numbers, n, sizeof *numbers, compare);
        *field = (cl_uint)(first + (uint64_t)(at - numbers));
    }
    free(numbers);
    return n;
}

void sgd_read(struct sgd_ratings *ratings, const char *path)
{
    char reason[TEXT_REASON_BYTES];
    struct text text;
    *ratings = (struct sgd_ratings){.n = 0};
    if (!text_open(&text, path, reason))
        die("%s", reason);
    const bool was_read = read_lines(&text, ratings);
    text_close(&text);
    if (!was_read)
        die("%s", reason);
    ratings->n_users = number_rows(ratings, false, 0);
    ratings->n_items = number_rows(ratings, true, ratings->n_users);
}
