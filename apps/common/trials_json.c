/* SPDX-License-Identifier: MIT */
/*
 * The JSON form of a report, a line to be read by scripts.
 *
 * Path: trials.c -> this -> jansson
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "trials_json.h"

#include <errno.h>

/* A file's name may hold any bytes; JSON only UTF-8. */
static json_t *string_or_null(const char *s)
{
    json_t *string = s ? json_string(s) : NULL;
    return string ? string : json_null();
}

static json_t *seconds_each(const struct trials *trials)
{
    json_t *each = json_array();
    for (unsigned i = 0; each && i < trials->n_run; i++)
        if (json_array_append_new(each, json_real(trials->seconds[i]))) {
            json_decref(each);
            return NULL;
        }
    return each;
}

static json_t *valid(enum trials_check check)
{
    return check == TRIALS_UNCHECKED ? json_null() : json_boolean(check == TRIALS_PASSED);
}

/* "o" hands a reference over also when the packing fails; "O" takes one of its own. */
static json_t *object_of(const struct trials *trials, enum trials_check check)
{
    json_t *parameters = trials->parameters ? json_incref(trials->parameters) : json_object();
    json_t *statistics = trials->statistics ? json_incref(trials->statistics) : json_null();
    /* clang-format off */
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:f, s:f, s:f, s:o, s:f, s:o, s:o}",
                     "name", string_or_null(trials->name),
                     "variant", string_or_null(trials->variant),
                     "model", string_or_null(trials->model),
                     "input", string_or_null(trials->input),
                     "nodes", (json_int_t)trials->n_nodes,
                     "parameters", parameters,
                     "statistics", statistics,
                     "runs", (json_int_t)trials->n_run,
                     "seconds", trials->median_s,
                     "seconds_min", trials->min_s,
                     "seconds_max", trials->max_s,
                     "seconds_each", seconds_each(trials),
                     "rate", trials->work / trials->median_s,
                     "unit", string_or_null(trials->unit),
                     "valid", valid(check));
    /* clang-format on */
}

int trials_print_json(const struct trials *trials, enum trials_check check, FILE *out)
{
    json_t *object = object_of(trials, check);
    if (!object)
        return -ENOMEM;
    int status = json_dumpf(object, out, JSON_COMPACT);
    json_decref(object);
    return status || fputc('\n', out) == EOF ? -EIO : 0;
}
