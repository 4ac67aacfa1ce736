/* SPDX-License-Identifier: MIT */
/*
 * Deques of tasks for an application's kernels; every failure ends the process.
 *
 * Path: an application -> this -> gravel/steal.h
 * Owner: tasks_open makes what tasks_close frees, before node_close.
 * Threads: main's.
 */
#ifndef APPS_TASKS_H
#define APPS_TASKS_H

#include "frame/node.h"
#include "frame/trials.h"

#include <gravel/steal.h>

struct tasks {
    struct node *node;
    struct gravel_steal *steal;
    uint32_t *stretches; /* [n_stretches] tasks of tasks_open_stretches */
    uint64_t n_stretches;
};

/* --schedule, which fills struct node's `schedule`; `at` is that struct's offset. */
#define TASKS_OPTION(in, at, help)                                                    \
    {                                                                                 \
        "schedule", 0, "promoted|private|counter", help, OPTION_WORD(in, at.schedule) \
    }

/** Make deques; what is 0 of the options is chosen, and a group has the node's group_items. */
void tasks_open(struct tasks *tasks, struct node *node, struct gravel_steal_options options);

/** Make deques for n things in stretches of group_items, a task each: its number, a uint. On one node, or die. */
void tasks_open_stretches(struct tasks *tasks, struct node *node, uint64_t n);

/** Run all tasks: the stretches, shared out evenly, or what the deques have. */
void tasks_run(struct tasks *tasks, cl_kernel kernel);

/** Add the policy and the counts since then to the report; none where no tasks were opened. */
void tasks_report(struct tasks *tasks, struct trials *trials);

/** Close; tasks that were never opened are fine. */
void tasks_close(struct tasks *tasks);

#endif
