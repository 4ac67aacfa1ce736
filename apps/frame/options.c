/* SPDX-License-Identifier: MIT */
/*
 * From tables of options to argp, and the options that all applications share.
 *
 * Path: app.c -> this -> argp
 * Threads: main's.
 */
#include "frame/options.h"
#include "frame/die.h"
#include "frame/launched.h"
#include "frame/printed.h"
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

const char *option_spell(const struct app_option *option, char spelled[OPTION_SPELLED_BYTES])
{
    if (option->letter == OPTION_ARGUMENT)
        snprintf(spelled, OPTION_SPELLED_BYTES, "%s", option->name);
    else if (option->letter)
        snprintf(spelled, OPTION_SPELLED_BYTES, "-%c", option->letter);
    else
        snprintf(spelled, OPTION_SPELLED_BYTES, "--%s", option->name);
    return spelled;
}

error_t option_refuse(struct argp_state *state, const struct app_option *option, const char *format,
                      ...)
{
    char spelled[OPTION_SPELLED_BYTES], text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    argp_failure(state, EX_USAGE, 0, "%s: %s", option_spell(option, spelled), text);
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
    if (option->bytes == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)number;
    else
        *(uint64_t *)field = number;
    return 0;
}

error_t option_power_of_two(struct argp_state *state, const struct app_option *option,
                            const char *value, void *field)
{
    const error_t error = option_number(state, option, value, field);
    const uint64_t number =
        option->bytes == sizeof(uint32_t) ? *(uint32_t *)field : *(uint64_t *)field;
    return error || (number & (number - 1)) == 0
               ? error
               : option_refuse(state, option, "'%s' is not a power of two", value);
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
            *(uint32_t *)field = index;
            return 0;
        }
        word += n + (word[n] == '|');
    }
    return option_refuse(state, option, "'%s' is none of %s", value, option->value);
}

error_t option_choice(struct argp_state *state, const struct app_option *option, const char *value,
                      void *field)
{
    uint32_t index;
    const error_t error = option_index(state, option, value, &index);
    if (!error)
        *(const char **)field = value;
    return error;
}

error_t option_row(struct argp_state *state, const struct app_option *option, const char *value,
                   void *field)
{
    uint32_t index = 0;
    const error_t error = option_index(state, option, value, &index);
    *(const void **)field = (const char *)option->rows + index * option->bytes;
    return error;
}

error_t option_word(struct argp_state *state, const struct app_option *option, const char *value,
                    void *field)
{
    (void)state;
    (void)option;
    *(const char **)field = value;
    return 0;
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
    struct option_told told[OPTIONS_MOST];
    unsigned n;
} line;

static int key_of(unsigned i)
{
    const int letter = line.told[i].option->letter;
    return letter == OPTION_ARGUMENT ? ARGP_KEY_ARG : letter ? letter : FIRST_KEY + (int)i;
}

/* Takes a value, but no second one, which would silently replace the first. Files are known by their contents: agree_on_input. */
static error_t take_once(struct option_told *told, const char *value, struct argp_state *state)
{
    const struct app_option *option = told->option;
    const bool is_file = option->value && !strcmp(option->value, "FILE");
    if (told->text && value && option->take != option_words)
        return option_refuse(state, option, "'%s' is a second value, and one is taken", value);
    told->text = value ? value : "";
    told->digest = random_mix(told->digest + 1);
    for (const char *c = told->text; *c && !is_file; c++)
        told->digest = random_mix(told->digest ^ (unsigned char)*c);
    return option->take(state, option, value, told->field);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    for (unsigned i = 0; i < line.n; i++) {
        struct option_told *told = &line.told[i];
        if (key == ARGP_KEY_INIT)
            *told = (struct option_told){.option = told->option, .field = told->field};
        else if (key == key_of(i) && !(key == ARGP_KEY_ARG && state->arg_num > 0))
            return take_once(told, value, state);
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
        line.told[line.n] = (struct option_told){
            .option = option, .field = (char *)self + group->offset + option->offset};
        if (option->letter == OPTION_ARGUMENT)
            argp->args_doc = option->name;
        else
            rows[n++] = (struct argp_option){
                option->name, key_of(line.n), option->value, 0, option->help, 0};
        line.n++;
    }
    return n;
}

const struct option_told *options_told(unsigned *n)
{
    *n = line.n;
    return line.told;
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
