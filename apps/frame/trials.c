/* SPDX-License-Identifier: MIT */
/*
 * Adds fields and lines to a report. See trials.h.
 */
#include "frame/trials.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

double trials_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void trials_add_number(struct trials *trials, const char *name, uint64_t number)
{
    json_object_set_new(trials->parameters, name, json_integer((json_int_t)number));
}

void trials_add_real(struct trials *trials, const char *name, double number)
{
    json_t *real = json_real(number); /* JSON has no infinity and no nan */
    json_object_set_new(trials->parameters, name, real ? real : json_null());
}

void trials_add_word(struct trials *trials, const char *name, const char *word)
{
    json_object_set_new(trials->parameters, name, json_string(word));
}

void trials_say(const struct trials *trials, const char *format, ...)
{
    va_list arguments;
    if (!trials->has_reader)
        return;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void trials_add_serial(struct trials *trials, const char *method, double begin_s)
{
    const double seconds = trials_clock() - begin_s;
    trials_add_real(trials, "serial_seconds", seconds);
    trials_say(trials, "  %s: %.6f s\n", method, seconds);
}
