/* SPDX-License-Identifier: MIT */
/*
 * Opens, fills, runs, reports. See tasks.h.
 */
#include "frame/tasks.h"
#include "frame/die.h"

#include <stdlib.h>

void tasks_open(struct tasks *tasks, struct node *node, struct gravel_steal_options options)
{
    options.group_size = node->group_items;
    *tasks = (struct tasks){.node = node};
    TRY(gravel_steal_create(&tasks->steal, node->gravel, &options));
}

void tasks_open_stretches(struct tasks *tasks, struct node *node, uint64_t n)
{
    struct gravel_steal_options options =
        GRAVEL_STEAL_OPTIONS(.capacity = 64, .task_bytes = sizeof(cl_uint));
    const uint64_t n_stretches = (n + node->group_items - 1) / node->group_items;
    if (node->n_nodes > 1)
        die("--schedule: groups steal from groups of their own node: run it on one node, not on %u",
            node->n_nodes);
    /* How many groups there are is known of deques alone. A deque has room for the largest share, and for an offer. */
    tasks_open(tasks, node, options);
    while (options.capacity < n_stretches / gravel_steal_n_groups(tasks->steal) + 1)
        options.capacity *= 2;
    tasks_close(tasks);
    tasks_open(tasks, node, options);
    tasks->n_stretches = n_stretches;
    tasks->stretches = app_array(n_stretches, sizeof *tasks->stretches, "tasks");
    for (uint64_t i = 0; i < n_stretches; i++)
        tasks->stretches[i] = (uint32_t)i;
}

void tasks_run(struct tasks *tasks, cl_kernel kernel)
{
    if (tasks->n_stretches)
        TRY(gravel_steal_fill(tasks->steal, tasks->stretches, tasks->n_stretches));
    TRY(gravel_steal_launch(tasks->steal, kernel, 0, NULL, NULL));
    TRY(gravel_steal_wait(tasks->steal));
}

void tasks_report(struct tasks *tasks, struct trials *trials)
{
    struct gravel_steal_stats stats;
    if (!tasks->steal)
        return;
    const char *policy = gravel_config_of(tasks->node->gravel)->steal_policy;
    TRY(gravel_steal_stats_read(tasks->steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS));
    trials_add_word(trials, "schedule", policy);
    trials_add_number(trials, "groups", gravel_steal_n_groups(tasks->steal));
    trials_add_number(trials, "tasks", stats.done);
    trials_add_number(trials, "stolen", stats.stolen);
    trials_add_number(trials, "failed", stats.failed);
    trials_add_number(trials, "offers", stats.offers);
    trials_add_number(trials, "most", stats.most);
}

void tasks_close(struct tasks *tasks)
{
    TRY(gravel_steal_destroy(tasks->steal));
    free(tasks->stretches);
    *tasks = (struct tasks){0};
}
