/* SPDX-License-Identifier: MIT */
/*
 * The command lines of benchmarks: what all have, and tables of numbers that one has.
 *
 * Path:    bench_*.c -> bench.h -> this -> argp
 * Memory:  strings are argv's.
 * Threads: the main thread.
 */
#include "bench.h"
#include "../apps/frame/printed.h"

#include <assert.h>
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
    case ARGP_KEY_INIT:
        printed_guard();
        return 0;
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

/* ---- a benchmark's own numbers ----------------------------------------------------------------- */

struct command_line {
    const struct bench_option *own;
    void *self;
    struct bench_options *options;
};

static void take(const struct bench_option *option, const char *text, void *self,
                 struct argp_state *state)
{
    uint32_t *values = (uint32_t *)((char *)self + option->values);
    uint32_t n = option->is_list ? bench_list_parse(text, option->min, option->max, values)
                                 : bench_count_parse(text, option->min, option->max, values);
    if (n == 0)
        argp_error(state, "--%s takes %s from %u to %u, not %s", option->name,
                   option->is_list ? "numbers, separated by commas," : "a number", option->min,
                   option->max, text);
    if (option->is_list)
        *(uint32_t *)((char *)self + option->n_values) = n;
}

static error_t parse_own(int key, char *text, struct argp_state *state)
{
    const struct command_line *line = state->input;
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = line->options;
        return 0;
    }
    for (const struct bench_option *option = line->own; option->name; option++)
        if (key == option->letter) {
            take(option, text, line->self, state);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

void bench_parse(int argc, char **argv, const char *doc, const struct bench_option *own, void *self,
                 struct bench_options *options)
{
    const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
    struct argp_option shown[BENCH_MAX_OPTIONS + 1] = {{0}};
    for (uint32_t i = 0; own[i].name; i++) {
        assert(i < BENCH_MAX_OPTIONS);
        shown[i] = (struct argp_option){.name = own[i].name,
                                        .key = own[i].letter,
                                        .arg = own[i].is_list ? "N,..." : "N",
                                        .doc = own[i].help};
    }
    const struct argp argp = {
        .options = shown, .parser = parse_own, .doc = doc, .children = children};
    argp_parse(&argp, argc, argv, 0, NULL, &(struct command_line){own, self, options});
}
