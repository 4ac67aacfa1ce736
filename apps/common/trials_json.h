/* SPDX-License-Identifier: MIT */
/*
 * The JSON form of a report.
 *
 * Path: trials.c -> this -> jansson
 * Threads: main's.
 */
#ifndef APPS_TRIALS_JSON_H
#define APPS_TRIALS_JSON_H

#include "trials.h"

/**
 * Write the report as one object on one line; the fields are listed at trials_report.
 *
 * @return  0, -ENOMEM, or -EIO.
 */
int trials_print_json(const struct trials *trials, enum trials_check check, FILE *out);

#endif
