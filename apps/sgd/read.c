/* SPDX-License-Identifier: MIT */
/*
 * MovieLens' files: a rating a line, `user::item::rating::time` (ratings.dat) or `user,item,rating,time` with a line of
 * names ahead (ratings.csv); plain or gzip.
 *
 * Numbers of users and items have gaps; their ranks in rising order are the rows.
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
#include <strings.h>

/* ---- a line: fields ------------------------------------------------------------------------------ */

#define LONGEST_LINE 96 /* [bytes] */
enum { USER, ITEM, VALUE, TIME, MOST_FIELDS };
static const char *const names[MOST_FIELDS] = {"user", "item", "rating", "time"};

/* How lines are written; the first one decides. */
struct shape {
    const char *separator; /* NULL before the first line */
    unsigned n_fields;     /* without the time, or with it */
};

struct line {
    char bytes[LONGEST_LINE];
    char *fields[MOST_FIELDS]; /* in `bytes` */
};

/* @return  how many; MOST_FIELDS + 1 for more */
static unsigned split(struct line *line, const char *separator)
{
    unsigned n = 0;
    for (char *at = line->bytes; at; n++) {
        if (n == MOST_FIELDS)
            return n + 1;
        line->fields[n] = at;
        at = strstr(at, separator);
        if (at) {
            *at = '\0';
            at += strlen(separator);
        }
    }
    return n;
}

/* Split the word at the cursor, which is a whole line, as the lines before, and step over it. */
static bool take_line(struct text *text, struct shape *shape, struct line *line)
{
    const size_t n = text_word(text);
    if (n >= sizeof line->bytes)
        return text_fail(text, "'%s' is no rating", text_quote(text));
    memcpy(line->bytes, text->at, n);
    line->bytes[n] = '\0';
    if (!shape->separator)
        shape->separator = strchr(line->bytes, ',') ? "," : "::";
    const unsigned n_fields = split(line, shape->separator);
    if (n_fields != MOST_FIELDS && n_fields != MOST_FIELDS - 1)
        return text_fail(text, "'%s' is not user::item::rating::time or user,item,rating,time",
                         text_quote(text));
    if (shape->n_fields && shape->n_fields != n_fields)
        return text_fail(text, "'%s' has %u fields, and the first line %u", text_quote(text),
                         n_fields, shape->n_fields);
    shape->n_fields = n_fields;
    for (unsigned i = 0; i < n_fields; i++)
        if (!*line->fields[i])
            return text_fail(text, "'%s' has no %s: its field %u is empty", text_quote(text),
                             names[i], i + 1);
    text->at += n;
    return text_end_line(text);
}

static bool take_number(const char *field, cl_uint *number)
{
    const unsigned long long value = strtoull(field, NULL, 10);
    *number = (cl_uint)value;
    return field[strspn(field, "0123456789")] == '\0' && value < UINT32_MAX;
}

static bool take_value(char *field, float *value)
{
    return text_parse_float(field, strlen(field), value) && isfinite(*value);
}

static bool take_rating(struct text *text, struct shape *shape, struct sgd_rating *rating)
{
    struct line line;
    float time;
    const uint64_t number = text->line;
    if (!take_line(text, shape, &line))
        return false;
    const bool are_good[] = {take_number(line.fields[USER], &rating->user),
                             take_number(line.fields[ITEM], &rating->item),
                             take_value(line.fields[VALUE], &rating->value),
                             shape->n_fields == TIME || take_value(line.fields[TIME], &time)};
    for (unsigned i = 0; i < shape->n_fields; i++)
        if (!are_good[i]) {
            text->line = number;
            return text_fail(text, "%s '%.40s' is not a %s", names[i], line.fields[i],
                             i <= ITEM ? "whole number below 4294967295"
                                       : "decimal number that a float holds");
        }
    return true;
}

/* Names of the columns: an order other than ours would be read as ours. */
static bool take_names(struct text *text, struct shape *shape)
{
    struct line line;
    const uint64_t number = text->line;
    if (!take_line(text, shape, &line))
        return false;
    for (unsigned i = 0; i < shape->n_fields; i++) {
        const bool is_movie = i == ITEM && strncasecmp(line.fields[i], "movie", 5) == 0;
        if (is_movie || strncasecmp(line.fields[i], names[i], strlen(names[i])) == 0)
            continue;
        text->line = number;
        return text_fail(text, "column %u is '%.40s', and not the %s", i + 1, line.fields[i],
                         names[i]);
    }
    return true;
}

/* ---- all lines --------------------------------------------------------------------------------- */

static bool read_lines(struct text *text, struct sgd_ratings *ratings)
{
    uint64_t capacity = 0;
    struct shape shape = {.separator = NULL};
    while (text_next_record(text, "#")) {
        struct sgd_rating rating = {.user = 0};
        const bool are_names = !shape.separator && isalpha(*text->at);
        if (are_names ? !take_names(text, &shape) : !take_rating(text, &shape, &rating))
            return false;
        if (are_names)
            continue;
        ratings->each =
            app_room(ratings->each, ratings->n, &capacity, sizeof *ratings->each, "ratings");
        ratings->each[ratings->n++] = rating;
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
