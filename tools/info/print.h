/* SPDX-License-Identifier: MIT */
/*
 * Shows what list.c and probe.c found, for people, on standard output.
 *
 * Path:    gravel-info.c -> print.c.
 */
#ifndef TOOLS_INFO_PRINT_H
#define TOOLS_INFO_PRINT_H

#include <jansson.h>
#include <stdbool.h>

/**
 * Print each device of the list; then drivers that were left out, and platforms without devices.
 *
 * @param is_test  a line a device: what the self-test proved, or why it failed; else all of the list, and of its "probe".
 */
void info_print(const json_t *list, bool is_test);

#endif
