/* SPDX-License-Identifier: MIT */
/*
 * Sets of cores as text. See cores_list.h.
 */
#include "cores_list.h"

#include <stdio.h>
#include <stdlib.h>

void info_cores_write(const cpu_set_t *set, char text[INFO_CORES_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (int first = 0; first < CPU_SETSIZE && used + 16 < INFO_CORES_BYTES; first++) {
        if (!CPU_ISSET(first, set))
            continue;
        int last = first;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        const char *comma = used ? "," : "";
        const size_t left = INFO_CORES_BYTES - used;
        int n = last > first ? snprintf(text + used, left, "%s%d-%d", comma, first, last)
                             : snprintf(text + used, left, "%s%d", comma, first);
        used += n > 0 ? (size_t)n : 0;
        first = last;
    }
}

/* @return what follows the number; NULL: there is none, or none of a core. */
static const char *read_number(const char *text, int *number)
{
    char *end;
    if (*text < '0' || *text > '9')
        return NULL;
    const unsigned long value = strtoul(text, &end, 10);
    *number = (int)value;
    return value < CPU_SETSIZE ? end : NULL;
}

/* "4-7" or "4". @return what follows it; NULL: neither. */
static const char *read_range(const char *text, cpu_set_t *set)
{
    int first, last;
    text = read_number(text, &first);
    last = first;
    if (text && *text == '-')
        text = read_number(text + 1, &last);
    for (int core = first; text && core <= last; core++)
        CPU_SET(core, set);
    return text;
}

bool info_cores_read(const char *text, cpu_set_t *set)
{
    CPU_ZERO(set);
    do
        text = read_range(text, set);
    while (text && *text++ == ',');
    if (text && text[-1] == '\0')
        return CPU_COUNT(set) > 0;
    CPU_ZERO(set);
    return false;
}
