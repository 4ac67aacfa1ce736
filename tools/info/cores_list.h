/* SPDX-License-Identifier: MIT */
/*
 * A set of cores as text: "0-3,8", as taskset and Linux write it.
 *
 * Path:    host.c writes it, findings.c reads it.
 * Threads: any.
 */
#ifndef TOOLS_INFO_CORES_LIST_H
#define TOOLS_INFO_CORES_LIST_H

#include <sched.h>

#define INFO_CORES_BYTES 4096u /* of the longest list there is: every other core of CPU_SETSIZE */

void info_cores_write(const cpu_set_t *set, char text[INFO_CORES_BYTES]);

/** @param set  [out] the cores up to the first character that belongs to no list. */
void info_cores_read(const char *text, cpu_set_t *set);

#endif
