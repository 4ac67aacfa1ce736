/* SPDX-License-Identifier: MIT */
/*
 * Members of JSON objects by paths such as "device.name".
 */
#ifndef TOOLS_INFO_MEMBERS_H
#define TOOLS_INFO_MEMBERS_H

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/** Returns the member of an object, or NULL. */
static inline json_t *info_member(const json_t *object, const char *path)
{
    char key[32];
    size_t n = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)n, path);
    json_t *member = json_object_get(object, key);
    return path[n] ? info_member(member, path + n + 1) : member;
}

/** Returns a member that is a text; "" if there is none. */
static inline const char *info_text(const json_t *object, const char *path)
{
    const char *text = json_string_value(info_member(object, path));
    return text ? text : "";
}

/** Returns a member that is a whole number; 0 if there is none. */
static inline json_int_t info_integer(const json_t *object, const char *path)
{
    return json_integer_value(info_member(object, path));
}

/** Returns a driver's text, which need not be UTF-8. */
static inline json_t *info_driver_text(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : json_string("(not UTF-8)");
}

#endif
