/* SPDX-License-Identifier: MIT */
/*
 * Reads what a suite printed (TAP), whole or cut off.
 *
 * Path:    a suite's standard output -> tap.c -> trial.c.
 */
#ifndef TOOLS_CONFORMANCE_TAP_H
#define TOOLS_CONFORMANCE_TAP_H

#include <jansson.h>
#include <stdio.h>

/**
 * Count a suite's lines.
 *
 * @param file  what it printed; read from its beginning.
 * @return      {"passed", "failed", "skipped": counts, "planned": count or -1 if no plan came, "failures": the first
 *              lines that failed, each with the first difference printed before it, "skips": reasons, each once}; NULL
 *              without memory.
 */
json_t *conformance_tap_read(FILE *file);

#endif
