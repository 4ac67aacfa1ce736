/* SPDX-License-Identifier: MIT */
/*
 * Executions and races for people: as text, and as a graph for Graphviz.
 *
 * Path:    verdict.c -> print.c -> standard output.
 */
#ifndef GRAVEL_HRF_PRINT_H
#define GRAVEL_HRF_PRINT_H

#include "checker/verdict.h"

#include <stdio.h>

/** Prints a line: the two accesses, and why nothing orders them. */
void hrf_print_race(FILE *out, const struct hrf_verdict *verdict, enum hrf_model model);
/** Prints the events in an order in which they may happen. @param marked  [n] events with a star. */
void hrf_print_execution(FILE *out, const struct hrf_execution *execution, const uint32_t *marked,
                         uint32_t n);
/** Prints a line: a failed assert, a barrier that some work-items do not reach, threads that wait without limit. */
void hrf_print_fault(FILE *out, const struct hrf_verdict *verdict);
/** Prints a race's execution: program order, reads-from, coherence, what synchronizes. Returns 0; -1 without memory. */
int hrf_print_dot(FILE *out, const struct hrf_verdict *verdict, enum hrf_model model);

const char *hrf_fault_text(enum hrf_fault fault);

#endif
