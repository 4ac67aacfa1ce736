/* SPDX-License-Identifier: MIT */
/*
 * The options that every benchmark has, and numbers and names in those of one.
 *
 * Path:    bench_*.c -> bench.h -> this -> argp
 * Memory:  strings are argv's.
 * Threads: the main thread.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------- */

uint32_t bench_list_parse(const char *text, uint32_t min, uint32_t max, uint32_t *values)
{
    for (uint32_t n = 0; n < BENCH_MAX_LIST; n++) {
        char *end;
        unsigned long value = strtoul(text, &end, 10);
        if (end == text || *text == '-' || value < min || value > max)
            return 0;
        values[n] = (uint32_t)value;
        if (*end == '\0')
            return n + 1;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
    return 0;
}

bool bench_count_parse(const char *text, uint32_t min, uint32_t max, uint32_t *value)
{
    uint32_t values[BENCH_MAX_LIST];
    bool is_one = bench_list_parse(text, min, max, values) == 1;
    if (is_one)
        *value = values[0];
    return is_one;
}

/* ---- variants ---------------------------------------------------------------------------------- */

/* Length of the first name in a comma-separated list; `rest` is where the next one starts, or NULL.
 */
static size_t first_name(const char *list, const char **rest)
{
    size_t length = strcspn(list, ",");
    *rest = list[length] == ',' ? list + length + 1 : NULL;
    return length;
}

bool bench_variant_is_wanted(const struct bench_options *options, const char *variant)
{
    if (!options->variants)
        return true;
    for (const char *list = options->variants, *rest; list; list = rest) {
        size_t length = first_name(list, &rest);
        if (length == strlen(variant) && strncmp(list, variant, length) == 0)
            return true;
    }
    return false;
}

bool bench_variant_unknown(const struct bench_options *options, const char *const *known,
                           uint32_t n_known, char name[64])
{
    for (const char *list = options->variants, *rest; list; list = rest) {
        size_t length = first_name(list, &rest);
        bool is_known = false;
        for (uint32_t i = 0; i < n_known && !is_known; i++)
            is_known = length == strlen(known[i]) && strncmp(list, known[i], length) == 0;
        if (!is_known) {
            snprintf(name, 64, "%.*s", (int)(length > 63 ? 63 : length), list);
            return true;
        }
    }
    return false;
}

/* ---- what every benchmark has ------------------------------------------------------------------ */

static error_t parse_common(int key, char *text, struct argp_state *state)
{
    struct bench_options *options = state->input;
    switch (key) {
    case 'r':
        if (!bench_count_parse(text, 1, BENCH_MAX_RUNS, &options->runs) || options->runs % 2 == 0)
            argp_error(state, "--runs %s: an odd count from 1 to %u", text, BENCH_MAX_RUNS);
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case 'v':
        options->variants = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option common_options[] = {
    {"runs", 'r', "N", 0, "rounds, an odd count (default 5)", 90},
    {"variant", 'v', "NAME,...", 0, "run these only (default: all that were built)", 90},
    {"json", 'j', NULL, 0, "print one JSON object a line", 90},
    {0}};

const struct argp bench_argp = {.options = common_options, .parser = parse_common};
