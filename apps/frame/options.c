/* SPDX-License-Identifier: MIT */
/*
 * From tables of options to argp, and the options that all applications share. See options.h.
 */
#include "frame/options.h"
#include "frame/die.h"
#include "frame/process.h"
#include "frame/random.h"

#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GROUPS 8
#define FIRST_KEY 0x1000 /* of options without a letter */

/* ---- values ---------------------------------------------------------------------------------- */

const char *option_spell(const struct app_option *option)
{
    static char spelled[32];
    if (option->letter > 0)
        snprintf(spelled, sizeof spelled, "-%c", option->letter);
    else
        snprintf(spelled, sizeof spelled, "%s%s", option->letter ? "" : "--", option->name);
    return spelled;
}

void option_number(const struct app_option *option, const char *value, void *field)
{
    const bool is_digits = *value && !value[strspn(value, "0123456789")];
    errno = 0;
    const uint64_t number = strtoull(value, NULL, 10);
    if (!is_digits || errno || number < option->min || number > option->max)
        option_refuse(option, "'%s' is not in %llu..%llu%s", value, (unsigned long long)option->min,
                      (unsigned long long)option->max,
                      is_digits ? "" : ", written in digits alone");
    if (option->is_power && (number & (number - 1)))
        option_refuse(option, "'%s' is not a power of two", value);
    if (option->bytes == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)number;
    else
        *(uint64_t *)field = number;
}

void option_real(const struct app_option *option, const char *value, void *field)
{
    char *end;
    errno = 0;
    const double number = strtod(value, &end);
    const bool is_whole = *value && strchr(".0123456789", *value) && *end == '\0';
    if (!is_whole || errno || number > FLT_MAX || (number > 0 && number < FLT_MIN))
        option_refuse(option, "'%s' is not a number from 0 up that a float holds", value);
    *(double *)field = number;
}

void option_index(const struct app_option *option, const char *value, void *field)
{
    uint32_t index = 0;
    const char *word = option->value;
    for (size_t n; n = strcspn(word, "|"), n != strlen(value) || strncmp(word, value, n); index++) {
        if (!word[n])
            option_refuse(option, "'%s' is none of %s", value, option->value);
        word += n + 1;
    }
    if (option->rows)
        *(const void **)field = (const char *)option->rows + index * option->bytes;
    else
        *(uint32_t *)field = index;
}

void option_word(const struct app_option *option, const char *value, void *field)
{
    uint32_t index;
    if (strchr(option->value, '|'))
        option_index(option, value, &index);
    *(const char **)field = value;
}

/* ---- argp ------------------------------------------------------------------------------------ */

/* All options of the program, in the order of its groups. */
static struct {
    struct taken {
        const struct app_option *option;
        void *field;    /* that it fills */
        int key;        /* of argp */
        unsigned given; /* in which pass over the line; 0: not */
    } taken[OPTIONS_MOST];
    unsigned n, pass;
    uint64_t digest;
} line;

/* Takes a value, but no second one, which would silently replace the first. Files are known by their contents: node_agree. */
static void take_once(struct taken *taken, const char *value)
{
    const struct app_option *option = taken->option;
    const bool is_file = option->value && !strcmp(option->value, "FILE");
    uint64_t digest = (uint64_t)(taken - line.taken) + 1;
    if (taken->given == line.pass && value)
        option_refuse(option, "'%s' is a second value, and one is taken", value);
    taken->given = line.pass;
    for (const char *c = value && !is_file ? value : ""; *c; c++)
        digest = random_mix(digest ^ (unsigned char)*c);
    line.digest += random_mix(digest);
    if (option->take)
        option->take(option, value, taken->field);
    else
        *(bool *)taken->field = true;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    if (key == ARGP_KEY_INIT) {
        line.pass++;
        line.digest = 0;
    }
    for (struct taken *taken = line.taken; taken < line.taken + line.n; taken++) {
        if (key != taken->key || (key == ARGP_KEY_ARG && state->arg_num > 0))
            continue;
        take_once(taken, value);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

/* Adds a group's title and options to the table of argp, behind n rows. @return how many rows there are. */
static unsigned add_group(const struct option_group *group, void *self, struct argp *argp,
                          struct argp_option *rows, unsigned n)
{
    rows[n++] = (struct argp_option){.doc = group->title, .group = group->place};
    for (const struct app_option *option = group->options; option->name; option++) {
        assert(line.n < OPTIONS_MOST);
        struct taken *taken = &line.taken[line.n++];
        *taken = (struct taken){option, (char *)self + group->offset + option->offset,
                                option->letter ? option->letter : FIRST_KEY + (int)line.n, 0};
        if (option->letter == OPTION_ARGUMENT) {
            taken->key = ARGP_KEY_ARG;
            argp->args_doc = option->name;
        } else {
            rows[n++] =
                (struct argp_option){option->name, taken->key, option->value, 0, option->help, 0};
        }
    }
    return n;
}

uint64_t options_digest(void)
{
    return line.digest;
}

void options_parse(const struct option_group *groups, unsigned n_groups, const char *doc,
                   void *self, int argc, char **argv)
{
    struct argp_option rows[OPTIONS_MOST + MOST_GROUPS + 1] = {{0}};
    struct argp argp = {.options = rows, .parser = parse, .doc = doc};
    printed_guard();
    assert(n_groups <= MOST_GROUPS);
    for (unsigned i = 0, n = 0; i < n_groups; i++)
        if (groups[i].options)
            n = add_group(&groups[i], self, &argp, rows, n);
    if (launched_rank() == 0 || argp_parse(&argp, argc, argv, ARGP_SILENT, NULL, NULL)) {
        turn_await();
        argp_parse(&argp, argc, argv, 0, NULL, NULL);
    }
}

/* ---- what all applications know -------------------------------------------------------------- */

const struct app_option options_of_runs[] = {
    {"trials", 'n', "TRIALS", "Run and time this many trials (3)",
     OPTION_NUMBER(struct options, n_trials, 1, 1000000)},
    {"verify", 'v', NULL, "Check the result by another, serial method",
     OPTION_FLAG(struct options, verify)},
    {"seed", 0, "N", "Seed of everything random; same seed, same input (1)",
     OPTION_NUMBER(struct options, seed, 0, INT64_MAX)}, /* jansson's integers are signed */
    {"json", 0, NULL, "Print one JSON object a line", OPTION_FLAG(struct options, json)},
    {"quiet", 'q', NULL, "Print no line a trial", OPTION_FLAG(struct options, quiet)},
    {0}};
