/* SPDX-License-Identifier: MIT */
/*
 * Prints a matrix of pairs. See matrix.h.
 */
#include "matrix.h"

#include <stdbool.h>
#include <string.h>

#define MOST_COLUMNS 16u

static double number_of(const json_t *pair, const char *key)
{
    return json_number_value(json_object_get(pair, key));
}

static const char *way_of(const json_t *pair)
{
    const char *way = json_string_value(json_object_get(pair, "way"));
    return way ? way : "";
}

/* Pairs are listed by their first rank, then by their second. */
static const json_t *pair_of(const json_t *pairs, size_t n, size_t a, size_t b)
{
    const size_t i = a < b ? a : b, j = a < b ? b : a;
    return json_array_get(pairs, i * (2 * n - i - 1) / 2 + j - i - 1);
}

static void print_cell(FILE *out, const json_t *pairs, size_t n, size_t row, size_t column)
{
    const json_t *pair = row == column ? NULL : pair_of(pairs, n, row, column);
    const char mark = strcmp(way_of(pair), "handed over") ? ' ' : 'h';
    if (!*way_of(pair) || !strcmp(way_of(pair), "silent"))
        fprintf(out, " %8s ", *way_of(pair) ? "silent" : "-");
    else if (row < column)
        fprintf(out, " %8.1f%c", number_of(pair, "round_trip_us"), mark);
    else
        fprintf(out, " %8.3f%c", number_of(pair, "bytes_per_s") * 1e-9, mark);
}

static void print_whole(FILE *out, const json_t *pairs, size_t n)
{
    fprintf(out,
            "\nround trips [us] above the diagonal, rates [GB/s] below; h: frames are handed over "
            "in memory, else by MPI\n rank");
    for (size_t column = 0; column < n; column++)
        fprintf(out, " %8zu ", column);
    for (size_t row = 0; row < n; row++) {
        fprintf(out, "\n%5zu", row);
        for (size_t column = 0; column < n; column++)
            print_cell(out, pairs, n, row, column);
    }
    fputc('\n', out);
}

/* Least and most of the pairs of one way. */
static void print_way(FILE *out, const json_t *pairs, const char *way, const char *title)
{
    double trips[2] = {0, 0}, rates[2] = {0, 0};
    size_t i, n = 0;
    json_t *pair;
    json_array_foreach(pairs, i, pair)
    {
        const double trip = number_of(pair, "round_trip_us"), rate = number_of(pair, "bytes_per_s");
        if (strcmp(way_of(pair), way))
            continue;
        trips[0] = !n || trip < trips[0] ? trip : trips[0];
        rates[0] = !n || rate < rates[0] ? rate : rates[0];
        trips[1] = trip > trips[1] ? trip : trips[1];
        rates[1] = rate > rates[1] ? rate : rates[1];
        n++;
    }
    if (n && *way && strcmp(way, "silent"))
        fprintf(out, "%zu pairs %s: round trips %.1f to %.1f us, %.3f to %.3f GB/s\n", n, title,
                trips[0], trips[1], rates[0] * 1e-9, rates[1] * 1e-9);
    else if (n)
        fprintf(out, "%zu pairs %s\n", n, title);
}

void info_matrix_print(FILE *out, const json_t *pairs, size_t n_ranks)
{
    if (n_ranks <= MOST_COLUMNS) {
        print_whole(out, pairs, n_ranks);
        return;
    }
    fputc('\n', out);
    print_way(out, pairs, "handed over", "by frames that are handed over in memory");
    print_way(out, pairs, "MPI", "by MPI");
    print_way(out, pairs, "silent", "silent");
    print_way(out, pairs, "", "not measured");
}
