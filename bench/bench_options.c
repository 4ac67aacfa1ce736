/* SPDX-License-Identifier: MIT */
/*
 * The command lines of benchmarks: what all have, and a table of what one has.
 *
 * Path:    bench_*.c -> bench.h -> this -> argp
 * Memory:  strings are argv's.
 * Threads: the main thread.
 */
#include "bench.h"
#include "../apps/frame/printed.h"

#include <argp.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_given bench_given = {.runs = 5};

/* ---- values -------------------------------------------------------------------------------------- */

/* Reads a list of counts with commas between them into values[BENCH_MAX_LIST]. @return how many; 0 if the text is malformed or
 * too long, or a count is outside [min, max]. */
static uint32_t parse_list(const char *text, uint32_t min, uint32_t max, uint32_t *values)
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

bool bench_is_wanted(const char *variant)
{
    const char *name = bench_given.variants;
    while (name && *name) {
        const size_t length = strcspn(name, ",");
        if (length == strlen(variant) && !strncmp(name, variant, length))
            return true;
        name += length + (name[length] == ',');
    }
    return !bench_given.variants;
}

/* ---- what every benchmark has ---------------------------------------------------------------------- */

static error_t parse_common(int key, char *text, struct argp_state *state)
{
    uint32_t runs[BENCH_MAX_LIST];
    switch (key) {
    case 'r':
        if (parse_list(text, 1, BENCH_MAX_RUNS, runs) != 1 || *runs % 2 == 0)
            argp_error(state, "--runs %s: an odd count from 1 to %u", text, BENCH_MAX_RUNS);
        bench_given.runs = *runs;
        return 0;
    case 'j':
        bench_given.json = true;
        return 0;
    case 'v':
        bench_given.variants = text;
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

/* ---- a benchmark's own ----------------------------------------------------------------------------- */

struct command_line {
    const struct bench_option *own;
    char *self;
};

static void take_word(const struct bench_option *option, const char *text, uint32_t *value,
                      struct argp_state *state)
{
    for (uint32_t i = 0; option->words[i]; i++)
        if (!strcmp(option->words[i], text)) {
            *value = i;
            return;
        }
    argp_error(state, "--%s: '%s' is not one of those that --help lists", option->name, text);
}

static void take_numbers(const struct bench_option *option, const char *text, uint32_t *values,
                         uint32_t *n_values, struct argp_state *state)
{
    uint32_t found[BENCH_MAX_LIST], n = parse_list(text, option->min, option->max, found);
    bool is_right = n_values ? n > 0 : n == 1;
    for (uint32_t i = 0; i < n; i++)
        is_right &= option->of == BENCH_POWERS      ? (found[i] & (found[i] - 1)) == 0
                    : option->of == BENCH_MULTIPLES ? found[i] % option->min == 0
                                                    : true;
    if (!is_right)
        argp_error(state, "--%s takes %s%s from %u to %u, not %s", option->name,
                   n_values ? "numbers, separated by commas," : "a number",
                   option->of == BENCH_POWERS      ? ", a power of two,"
                   : option->of == BENCH_MULTIPLES ? ", a multiple of the least,"
                                                   : "",
                   option->min, option->max, text);
    memcpy(values, found, n * sizeof *found);
    if (n_values)
        *n_values = n;
}

static error_t parse_own(int key, char *text, struct argp_state *state)
{
    const struct command_line *line = state->input;
    if (key == ARGP_KEY_INIT)
        return 0;
    for (const struct bench_option *option = line->own; option && option->name; option++) {
        void *field = line->self + option->values;
        if (key != option->letter)
            continue;
        if (option->words)
            take_word(option, text, field, state);
        else
            take_numbers(option, text, field,
                         option->n_values ? (void *)(line->self + option->n_values) : NULL, state);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

void bench_parse(int argc, char **argv, const char *doc, const struct bench_option *own, void *self)
{
    static const struct argp common = {.options = common_options, .parser = parse_common};
    const struct argp_child children[] = {{&common, 0, NULL, 0}, {0}};
    struct argp_option shown[BENCH_MAX_OPTIONS + 1] = {{0}};
    for (uint32_t i = 0; own && own[i].name; i++) {
        assert(i < BENCH_MAX_OPTIONS);
        shown[i] = (struct argp_option){.name = own[i].name,
                                        .key = own[i].letter,
                                        .arg = own[i].words      ? "WORD"
                                               : own[i].n_values ? "N,..."
                                                                 : "N",
                                        .doc = own[i].help};
    }
    const struct argp argp = {
        .options = shown, .parser = parse_own, .doc = doc, .children = children};
    printed_guard();
    argp_parse(&argp, argc, argv, 0, NULL, &(struct command_line){own, self});
}
