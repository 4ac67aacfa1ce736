/* SPDX-License-Identifier: MIT */
/*
 * What makes a job slow: devices and cores that ranks share, node buffers that they cannot hand over, limits that are
 * short. By what its ranks say, each note with ranks, host and a remedy.
 *
 * Path:    findings.c -> notes.c -> wording.c.
 * Threads: main's; functions of their arguments alone.
 */
#ifndef TOOLS_INFO_NOTES_H
#define TOOLS_INFO_NOTES_H

#include <jansson.h>

/** Add notes to findings. @param ranks  as info_gather gives them. */
void info_note(const json_t *ranks, json_t *findings);

/** The number, as GRAVEL_DEVICE takes it, of the device that a rank gets in its turn; NULL if it gets none. */
const char *info_device_of(const json_t *rank);

#endif
