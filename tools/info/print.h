/* SPDX-License-Identifier: MIT */
/*
 * Shows what list.c and probe.c found, for people, on standard output.
 *
 * Path:    gravel-info.c -> print.c.
 */
#ifndef TOOLS_INFO_PRINT_H
#define TOOLS_INFO_PRINT_H

#include <jansson.h>

/* What of a device is printed. */
enum info_view {
    INFO_DEVICE,    /* all of the list, and of its "probe" */
    INFO_SELF_TEST, /* one line: what the self-test proved, or why it failed */
    INFO_SERVERS /* critical sections a second, a line for each number of keys; or why they were not measured */
};

/** Print each device of the list; then drivers that were left out, and platforms without devices. */
void info_print(const json_t *list, enum info_view view);

#endif
