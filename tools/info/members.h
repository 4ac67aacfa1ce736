/* SPDX-License-Identifier: MIT */
/*
 * Members of JSON objects, by paths "device.name", and texts made of them.
 *
 * Path:    list.c, findings.c, print.c, trial.c -> members.h -> jansson.
 * Owner:   members and texts are the object's.
 */
#ifndef TOOLS_INFO_MEMBERS_H
#define TOOLS_INFO_MEMBERS_H

#include <jansson.h>

/** Returns a member; NULL if there is none, or no path. */
json_t *info_member(const json_t *object, const char *path);

/** Returns a member that is a text; else "". */
const char *info_text(const json_t *object, const char *path);

/** Returns a member that is a whole number; else 0. */
json_int_t info_integer(const json_t *object, const char *path);

/** Returns a member that is a number; else 0. */
double info_number(const json_t *object, const char *path);

/** Makes JSON of a driver's text; it takes UTF-8 alone. */
json_t *info_driver_text(const char *text);

/**
 * Makes a text with members of an object.
 *
 * @param template  {path} is a text or a number, - if it is null, nothing if it is missing; {path/k}, {path/M}, {path/G} a
 *                  number of bytes in that unit; {path:8} to the right of 8 columns, {path:-8} to the left.
 */
json_t *info_fill(const char *template, const json_t *object);

/** Prints such a text. */
void info_print(const char *template, const json_t *object);

#endif
