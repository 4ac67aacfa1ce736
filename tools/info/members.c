/* SPDX-License-Identifier: MIT */
/*
 * Members of JSON objects, and texts made of them. See members.h.
 */
#include "members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *info_member(const json_t *object, const char *path)
{
    json_t *member = NULL;
    char key[32];
    for (; path && *path; path += strspn(path, "."), object = member) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(path, "."), path);
        path += strlen(key);
        member = json_object_get(object, key);
    }
    return member;
}

const char *info_text(const json_t *object, const char *path)
{
    const char *text = json_string_value(info_member(object, path));
    return text ? text : "";
}

json_int_t info_integer(const json_t *object, const char *path)
{
    return json_integer_value(info_member(object, path));
}

double info_number(const json_t *object, const char *path)
{
    return json_number_value(info_member(object, path));
}

json_t *info_driver_text(const char *text)
{
    json_t *string = json_string(text);
    return string ? string : json_string("(not UTF-8)");
}

static const char *format(const json_t *value, json_int_t unit, char text[32])
{
    const char *own = json_string_value(value);
    if (own)
        return *own ? own : "\"\"";
    if (json_is_integer(value) && json_integer_value(value) % unit == 0)
        snprintf(text, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(value) / unit);
    else if (json_is_number(value))
        snprintf(text, 32, "%.4g", json_number_value(value) / (double)unit);
    else
        return json_is_null(value) ? "-" : "";
    return text;
}

static void fill(FILE *out, const char *template, const json_t *object)
{
    for (char path[32], text[32]; *template; template ++) {
        int n = 0, width = 0;
        json_int_t unit = 1;
        if (sscanf(template, "{%31[a-z_.]%n", path, &n) != 1) {
            putc(*template, out);
            continue;
        }
        template += n;
        if (*template == '/') {
            unit = template[1] == 'k' ? 1 << 10 : template[1] == 'M' ? 1 << 20 : 1 << 30;
            template += 2;
        }
        if (*template == ':')
            width = (int)strtol(template + 1, (char **)&template, 10);
        fprintf(out, "%*s", width, format(info_member(object, path), unit, text));
    }
}

json_t *info_fill(const char *template, const json_t *object)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fill(out, template, object);
    fclose(out);
    json_t *filled = json_string(text);
    free(text);
    return filled;
}

void info_print(const char *template, const json_t *object)
{
    fill(stdout, template, object);
}
