/* SPDX-License-Identifier: MIT */
/*
 * From tables of options to argp, and the options that all applications share.
 *
 * Path: app.c -> this -> argp
 * Threads: main's.
 */
#include "frame/options.h"
#include "frame/die.h"
#include "frame/process.h"
#include "frame/random.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#define MOST_GROUPS 8
#define FIRST_KEY 0x1000 /* of options without a letter */

#define MAX_TRIALS 1000000

/* JSON's integers, as jansson has them, are signed. */
#define MAX_SEED INT64_MAX

/* ---- values ---------------------------------------------------------------------------------- */

error_t option_refuse(struct argp_state *state, const struct app_option *option, const char *format,
                      ...)
{
    const char letter[] = {(char)option->letter, '\0'};
    const bool has_letter = option->letter > 0, has_name = option->letter == 0;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    argp_failure(state, EX_USAGE, 0, "%s%s: %s",
                 has_letter ? "-"
                 : has_name ? "--"
                            : "",
                 has_letter ? letter : option->name, text);
    return EINVAL;
}

error_t option_number(struct argp_state *state, const struct app_option *option, const char *value,
                      void *field)
{
    const bool is_digits = *value && !value[strspn(value, "0123456789")];
    errno = 0;
    const uint64_t number = strtoull(value, NULL, 10);
    if (!is_digits || errno || number < option->min || number > option->max)
        return option_refuse(state, option, "'%s' is not in %llu..%llu%s", value,
                             (unsigned long long)option->min, (unsigned long long)option->max,
                             is_digits ? "" : ", written in digits alone");
    if (option->is_power && (number & (number - 1)))
        return option_refuse(state, option, "'%s' is not a power of two", value);
    if (option->bytes == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)number;
    else
        *(uint64_t *)field = number;
    return 0;
}

error_t option_real(struct argp_state *state, const struct app_option *option, const char *value,
                    void *field)
{
    char *end;
    errno = 0;
    const double number = strtod(value, &end);
    const bool is_whole = *value && strchr(".0123456789", *value) && *end == '\0';
    if (!is_whole || errno || number > FLT_MAX || (number > 0 && number < FLT_MIN))
        return option_refuse(state, option, "'%s' is not a number from 0 up that a float holds",
                             value);
    *(double *)field = number;
    return 0;
}

error_t option_flag(struct argp_state *state, const struct app_option *option, const char *value,
                    void *field)
{
    (void)state;
    (void)option;
    (void)value;
    *(bool *)field = true;
    return 0;
}

error_t option_index(struct argp_state *state, const struct app_option *option, const char *value,
                     void *field)
{
    uint32_t index = 0;
    for (const char *word = option->value; *word; index++) {
        const size_t n = strcspn(word, "|");
        if (n == strlen(value) && strncmp(word, value, n) == 0) {
            if (option->rows)
                *(const void **)field = (const char *)option->rows + index * option->bytes;
            else
                *(uint32_t *)field = index;
            return 0;
        }
        word += n + (word[n] == '|');
    }
    return option_refuse(state, option, "'%s' is none of %s", value, option->value);
}

error_t option_word(struct argp_state *state, const struct app_option *option, const char *value,
                    void *field)
{
    uint32_t index;
    *(const char **)field = value;
    return strchr(option->value, '|') ? option_index(state, option, value, &index) : 0;
}

error_t option_words(struct argp_state *state, const struct app_option *option, const char *value,
                     void *field)
{
    struct option_words *words = field;
    if (words->n == OPTION_MOST_WORDS)
        return option_refuse(state, option, "'%s' is more than %d", value, OPTION_MOST_WORDS);
    words->each[words->n++] = value;
    return 0;
}

/* ---- argp ------------------------------------------------------------------------------------ */

/* All options of the program, in the order of its groups. */
static struct {
    struct taken {
        const struct app_option *option;
        void *field; /* that it fills */
        int key;     /* of argp */
        bool is_given;
    } taken[OPTIONS_MOST];
    unsigned n;
    uint64_t digest;
} line;

/* Takes a value, but no second one, which would silently replace the first. Files are known by their contents: agree_on_input. */
static error_t take_once(struct taken *taken, const char *value, struct argp_state *state)
{
    const struct app_option *option = taken->option;
    const bool is_file = option->value && !strcmp(option->value, "FILE");
    uint64_t digest = (uint64_t)(taken - line.taken) + 1;
    if (taken->is_given && value && option->take != option_words)
        return option_refuse(state, option, "'%s' is a second value, and one is taken", value);
    taken->is_given = true;
    for (const char *c = value && !is_file ? value : ""; *c; c++)
        digest = random_mix(digest ^ (unsigned char)*c);
    line.digest += random_mix(digest);
    return option->take(state, option, value, taken->field);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    if (key == ARGP_KEY_INIT)
        line.digest = 0;
    for (struct taken *taken = line.taken; taken < line.taken + line.n; taken++)
        if (key == ARGP_KEY_INIT)
            taken->is_given = false;
        else if (key == taken->key && !(key == ARGP_KEY_ARG && state->arg_num > 0))
            return take_once(taken, value, state);
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
                                option->letter ? option->letter : FIRST_KEY + (int)line.n, false};
        if (option->letter != OPTION_ARGUMENT) {
            rows[n++] =
                (struct argp_option){option->name, taken->key, option->value, 0, option->help, 0};
            continue;
        }
        taken->key = ARGP_KEY_ARG;
        argp->args_doc = option->name;
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
    line.n = 0;
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
     OPTION_NUMBER(struct options, n_trials, 1, MAX_TRIALS)},
    {"verify", 'v', NULL, "Check the result by another, serial method",
     OPTION_FLAG(struct options, verify)},
    {"seed", 0, "N", "Seed of everything random; same seed, same input (1)",
     OPTION_NUMBER(struct options, seed, 0, MAX_SEED)},
    {"json", 0, NULL, "Print one JSON object a line", OPTION_FLAG(struct options, json)},
    {"quiet", 'q', NULL, "Print no line a trial", OPTION_FLAG(struct options, quiet)},
    {0}};
