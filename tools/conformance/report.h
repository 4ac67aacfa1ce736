/* SPDX-License-Identifier: MIT */
/*
 * The report of gravel-conformance as text, line by line as it comes.
 *
 * Path:    gravel-conformance.c -> report.c -> standard output.
 */
#ifndef TOOLS_CONFORMANCE_REPORT_H
#define TOOLS_CONFORMANCE_REPORT_H

#include <jansson.h>

/** The device, as the first step that it took described it. */
void conformance_print_device(const json_t *report);

/** A step's heading with its self-test; or why it was refused or failed. */
void conformance_print_step(const json_t *step);

/** A suite's line, and a line for each of the first failures. */
void conformance_print_suite(const char *name, const json_t *suite);

#endif
