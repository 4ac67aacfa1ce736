/* SPDX-License-Identifier: MIT */
/*
 * A matrix of pairs for people: round trips above the diagonal, rates below. Of many ranks a line for each way.
 *
 * Path:    cluster.c -> matrix.c.
 * Threads: main's; functions of their arguments alone.
 */
#ifndef TOOLS_INFO_MATRIX_H
#define TOOLS_INFO_MATRIX_H

#include <jansson.h>
#include <stdio.h>

/** @param pairs  as info_pairs gives them, of so many ranks. */
void info_matrix_print(FILE *out, const json_t *pairs, size_t n_ranks);

#endif
