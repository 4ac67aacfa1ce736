/* SPDX-License-Identifier: MIT */
/*
 * Members of JSON objects, with a value for those that are missing; and texts for them.
 *
 * Path:    list.c, cluster.c, findings.c, print.c, trial.c -> members.h -> jansson.
 * Owner:   texts are the object's.
 */
#ifndef TOOLS_INFO_MEMBERS_H
#define TOOLS_INFO_MEMBERS_H

#include <jansson.h>

/** Returns a member that is a text; else "". */
static inline const char *info_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/** Returns a member that is a whole number; else 0. */
static inline json_int_t info_integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/** Returns a member that is a number; else 0. */
static inline double info_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/** Makes JSON of a driver's text; it takes UTF-8 alone. */
static inline json_t *info_driver_text(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : json_string("(not UTF-8)");
}

#endif
