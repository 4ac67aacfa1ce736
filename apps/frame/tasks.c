/* SPDX-License-Identifier: MIT */
/*
 * Open, fill, run, tell. See tasks.h.
 *
 * Path: an application -> this -> gravel/steal.h
 * Threads: main's.
 */
#include "frame/tasks.h"
#include "frame/die.h"

#include <string.h>

error_t take_schedule(struct argp_state *state, const struct app_option *option, const char *value,
                      void *field)
{
    static const char *const policies[] = {"promoted", "steal-only", "scope-only", "baseline",
                                           "private",  "counter",    "device"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (!strcmp(value, policies[i])) {
            *(const char **)field = policies[i];
            return 0;
        }
    return option_refuse(state, option,
                         "'%s' is none of promoted, steal-only, scope-only, baseline, private, "
                         "counter, device",
                         value);
}

void tasks_open(struct tasks *tasks, struct node *node, struct gravel_steal_options options)
{
    options.group_size = node->group_items;
    *tasks = (struct tasks){.node = node, .group_items = node->group_items};
    node_check(gravel_steal_create(&tasks->steal, node->gravel, &options));
}

void tasks_fill(struct tasks *tasks, const void *all, uint64_t n)
{
    node_check(gravel_steal_fill(tasks->steal, all, n));
}

void tasks_fill_first(struct tasks *tasks, const void *all, uint64_t n)
{
    node_check(gravel_steal_fill_at(tasks->steal, 0, all, n));
}

cl_kernel tasks_kernel(struct tasks *tasks, const char *name)
{
    return node_kernel_without_arena(tasks->node, name);
}

void tasks_run(struct tasks *tasks, cl_kernel kernel)
{
    node_check(gravel_steal_launch(tasks->steal, kernel, 0, NULL, NULL));
    node_check(gravel_steal_stats(tasks->steal, NULL));
}

void tasks_reset(struct tasks *tasks)
{
    node_check(gravel_steal_stats_reset(tasks->steal));
}

void tasks_tell(struct tasks *tasks, struct trials *trials)
{
    struct gravel_steal_stats stats;
    const char *policy = gravel_config(tasks->node->gravel)->steal_policy;
    node_check(gravel_steal_stats(tasks->steal, &stats));
    trials_add_word(trials, "schedule", policy);
    trials_add_number(trials, "groups", gravel_steal_n_groups(tasks->steal));
    trials_add_number(trials, "tasks", stats.done);
    trials_add_number(trials, "stolen", stats.stolen);
    trials_add_number(trials, "failed", stats.failed);
    trials_add_number(trials, "offers", stats.offers);
    trials_add_number(trials, "most_of_a_group", stats.most);
    trials_say(
        trials,
        "  %s, %u groups: %llu tasks, %llu stolen, %llu offers, %llu failed attempts, most of "
        "a group %llu\n",
        policy, gravel_steal_n_groups(tasks->steal), (unsigned long long)stats.done,
        (unsigned long long)stats.stolen, (unsigned long long)stats.offers,
        (unsigned long long)stats.failed, (unsigned long long)stats.most);
}

uint64_t tasks_n_items(const struct tasks *tasks)
{
    return (uint64_t)gravel_steal_n_groups(tasks->steal) * tasks->group_items;
}

void tasks_close(struct tasks *tasks)
{
    node_check(gravel_steal_destroy(tasks->steal));
}
