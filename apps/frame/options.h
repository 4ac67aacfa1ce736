/* SPDX-License-Identifier: MIT */
/*
 * The command line as tables: a row for each option says what --help shows, and which field it
 * fills. What all applications share is in the flags of the GAP Benchmark Suite.
 *
 * Path: an application's table -> app.c -> this -> argp
 * Owner: strings are argv's.
 * Threads: main's, before any other.
 */
#ifndef APPS_OPTIONS_H
#define APPS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct app_option;

/** Take the value of an option for the field at its offset in its group's struct, or option_refuse it. */
typedef void option_take(const struct app_option *option, const char *value, void *field);

#define OPTION_ARGUMENT (-1) /* instead of a letter: the one argument without a name */

struct app_option {
    const char *name;  /* long, or what --help calls the argument; NULL behind the last */
    int letter;        /* short; 0 for none */
    const char *value; /* its name in --help, or its words: "host|device"; NULL for a flag */
    const char *help;
    option_take *take; /* NULL of a flag, whose field becomes true */
    size_t offset;
    uint64_t min, max; /* of a number */
    const void *rows;  /* of option_index: an array of structs, one a word; or NULL */
    size_t bytes;      /* of a row; of a number; of a list to its number of values */
    bool is_power;     /* a number has to be a power of two */
};

/**
 * option_number: a whole number of 64 bits, or of 32, as the field has: decimal digits only, in min..max.
 * option_real: a number from 0 up that a float holds, in any notation of strtod without a sign.
 * option_word: a word; if the option's `value` lists words, one of them.
 * option_index: the number of a listed word, from 0, a uint32_t; or the row of that number.
 */
option_take option_number, option_real, option_word, option_index;

/** Die (die.h) of "-g: " or "--seed: " and the text. */
#define option_refuse(option, format, ...) die("%s: " format, option_spell(option), __VA_ARGS__)
const char *option_spell(const struct app_option *option);

/* Offset of a field, which has to be of the type that the function fills. */
#define OPTION_AT(in, field, type) \
    (offsetof(in, field) + 0 * sizeof(&((in *)0)->field == (type *)0))

#define OPTION_OF(function, in, field, type) .take = function, .offset = OPTION_AT(in, field, type)
#define OPTION_SIZED(function, in, field, least, most)                          \
    .take = function, .offset = offsetof(in, field), .min = least, .max = most, \
    .bytes = sizeof(((in *)0)->field)
#define OPTION_NUMBER(in, field, least, most) OPTION_SIZED(option_number, in, field, least, most)
#define OPTION_POWER(in, field, least, most) OPTION_NUMBER(in, field, least, most), .is_power = true
#define OPTION_REAL(in, field) OPTION_OF(option_real, in, field, double)
#define OPTION_FLAG(in, field) OPTION_OF(NULL, in, field, bool)
#define OPTION_WORD(in, field) OPTION_OF(option_word, in, field, const char *)
#define OPTION_INDEX(in, field, type) OPTION_OF(option_index, in, field, type)
#define OPTION_ROW(in, field, type, table) \
    OPTION_OF(option_index, in, field, type *), .rows = table, .bytes = sizeof(type)

/* Options that stand together in --help and fill one struct. */
struct option_group {
    const char *title;
    int place; /* in --help, least first */
    const struct app_option *options;
    size_t offset; /* of the struct that they fill, in the application's */
};

/**
 * Parse a command line, or end the process as argp does. Of the processes of a job that are all
 * given the same only the first complains; see die.h.
 *
 * @param groups  [n_groups]; one without options is passed over.
 * @param doc     what the program does, for --help.
 * @param self    the application's struct.
 */
void options_parse(const struct option_group *groups, unsigned n_groups, const char *doc,
                   void *self, int argc, char **argv);

#define OPTIONS_MOST 64 /* of a program */

/** Return a hash of the options that were given and of their values, except names of files. */
uint64_t options_digest(void);

/* What all applications know. */
struct options {
    uint32_t n_trials; /* -n */
    uint64_t seed;     /* --seed */
    bool verify;       /* -v */
    bool json;         /* --json */
    bool quiet;        /* -q: no line a trial */
};

#define OPTIONS_DEFAULT ((struct options){.n_trials = 3, .seed = 1})

/* -n -v -q --seed --json; the offset is of a struct options. */
extern const struct app_option options_of_runs[];
#define OPTIONS_RUN_GROUP(at)           \
    {                                   \
        "Run:", 10, options_of_runs, at \
    }

#endif
