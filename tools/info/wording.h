/* SPDX-License-Identifier: MIT */
/*
 * What findings are written with: texts that grow, ranks and hosts by name, members of what ranks say.
 *
 * Path:    findings.c, notes.c -> wording.c.
 * Threads: any; functions of their arguments alone.
 */
#ifndef TOOLS_INFO_WORDING_H
#define TOOLS_INFO_WORDING_H

#include <jansson.h>
#include <stdbool.h>

#define INFO_TEXT_BYTES 2048u /* of a finding; what is longer is cut */
#define INFO_MOST_NAMED 8u    /* ranks that a finding names; it counts the rest */

/** A member that is a text; else "". */
const char *info_text_of(const json_t *object, const char *key);
/** A member that is a whole number; else 0. */
json_int_t info_integer_of(const json_t *object, const char *key);

/** Two texts, one behind the other. */
void info_append(char text[INFO_TEXT_BYTES], const char *begin, const char *what);
void info_append_number(char text[INFO_TEXT_BYTES], const char *begin, json_int_t number);
/** "rank 2 on gh1" */
void info_append_rank(char text[INFO_TEXT_BYTES], const json_t *rank);

/**
 * "ranks 0, 2, 4 on gh1", all of whose host is `host`, and of which `holds` is true.
 *
 * @return how many; with 0 the text stays.
 */
unsigned info_append_ranks(char text[INFO_TEXT_BYTES], const json_t *ranks, json_int_t host,
                           bool (*holds)(const json_t *rank, const void *context),
                           const void *context);

/** Add {"what", "remedy", "is_fatal"}. */
void info_add(json_t *findings, bool is_fatal, const char *what, const char *remedy);

#endif
