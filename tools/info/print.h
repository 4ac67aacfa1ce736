/* SPDX-License-Identifier: MIT */
/*
 * Shows what list.c and probe.c found, for people.
 *
 * Path:    gravel-info.c -> print.c -> standard output.
 */
#ifndef TOOLS_INFO_PRINT_H
#define TOOLS_INFO_PRINT_H

#include <jansson.h>
#include <stdio.h>

/** Drivers that were left out, and platforms without devices: a line each. */
void info_print_oddities(FILE *out, const json_t *list);
/** A device of the list, with its "probe" if it has one. */
void info_print_device(FILE *out, const json_t *device, const json_t *list);
/** Critical sections a second, a line for each number of keys; or why they were not measured. */
void info_print_servers(FILE *out, const json_t *device);
/** One line: what the self-test of a device proved, or why it failed. */
void info_print_self_test(FILE *out, const json_t *device);

#endif
