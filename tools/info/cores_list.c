/* SPDX-License-Identifier: MIT */
/*
 * Sets of cores as text. See cores_list.h.
 */
#include "cores_list.h"

#include <stdio.h>
#include <stdlib.h>

void info_cores_write(const cpu_set_t *set, char text[INFO_CORES_BYTES])
{
    int used = 0;
    text[0] = '\0';
    for (int first = 0; first < CPU_SETSIZE; first++) {
        int last = first;
        if (!CPU_ISSET(first, set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        used += snprintf(text + used, INFO_CORES_BYTES - (size_t)used,
                         last > first ? "%s%d-%d" : "%s%d", used ? "," : "", first, last);
        first = last;
    }
}

void info_cores_read(const char *text, cpu_set_t *set)
{
    char *end;
    CPU_ZERO(set);
    while (*text >= '0' && *text <= '9') {
        const unsigned long first = strtoul(text, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long core = first; core <= last && core < CPU_SETSIZE; core++)
            CPU_SET(core, set);
        text = *end == ',' ? end + 1 : end;
    }
}
