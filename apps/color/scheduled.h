/* SPDX-License-Identifier: MIT */
/*
 * What a node that is alone has to colour its vertices as tasks, beside what each way has.
 *
 * Path:    color.h -> this -> scheduled.c
 * Owner:   scheduled.c makes it; the tasks are closed there, the rest by node_close.
 * Threads: main's.
 */
#ifndef APPS_COLOR_SCHEDULED_H
#define APPS_COLOR_SCHEDULED_H

#include "color/way.h"
#include "frame/tasks.h"

struct scheduled {
    struct tasks tasks;
    cl_kernel color_tasks;
    cl_mem own_colors[2]; /* by turns */
};

extern const struct way color_scheduled;

#endif
