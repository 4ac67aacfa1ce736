/* SPDX-License-Identifier: MIT */
/*
 * Checked mode's part of host calls: what has been launched, and which wait has covered it. So gravel_map can refuse to
 * show what may not be there yet, and the aggregators know when a group's calls are final.
 *
 * Path:    launch.c, waits.c -> checked.c -> maps.c, lib/aggregate/aggregator.c.
 * Threads: any, which may launch and wait side by side; one lock.
 */
#include "node/node.h"

#include <string.h>

/* Takes the lock; counts are kept without checked mode, too. */
static struct gravel_checked *enter(struct gravel *gravel)
{
    pthread_mutex_lock(&gravel->checked.lock);
    return &gravel->checked;
}

static void leave(struct gravel_checked *checked)
{
    pthread_mutex_unlock(&checked->lock);
}

void gravel_checked_begin_launch(struct gravel *gravel)
{
    struct gravel_checked *checked = enter(gravel);
    checked->n_begun++;
    leave(checked);
}

void gravel_checked_end_launch(struct gravel *gravel, cl_kernel kernel)
{
    char name[sizeof gravel->checked.last] = "";
    if (gravel->config.check && kernel)
        gravel_cl_kernel_name(kernel, name);
    struct gravel_checked *checked = enter(gravel);
    checked->n_ended++;
    checked->n_launched += kernel != NULL;
    if (kernel)
        strcpy(checked->last, name);
    leave(checked);
}

struct gravel_checked_mark gravel_checked_mark(struct gravel *gravel)
{
    struct gravel_checked *checked = enter(gravel);
    const struct gravel_checked_mark mark = {.n_begun = checked->n_begun,
                                             .n_launched = checked->n_launched,
                                             .is_between = checked->n_begun == checked->n_ended};
    leave(checked);
    return mark;
}

void gravel_checked_note(struct gravel *gravel, const struct gravel_checked_mark *mark,
                         bool are_applied)
{
    struct gravel_checked *checked = enter(gravel);
    if (mark->is_between && mark->n_begun > checked->n_over)
        checked->n_over = mark->n_begun;
    if (are_applied && mark->n_launched > checked->n_applied)
        checked->n_applied = mark->n_launched;
    leave(checked);
}

bool gravel_checked_are_over(void *context)
{
    struct gravel_checked *checked = enter(context);
    bool are_over = checked->n_over == checked->n_begun;
    leave(checked);
    return are_over;
}

int gravel_checked_refuse_map(struct gravel *gravel, const char *call)
{
    if (!gravel->config.check || gravel_node_is_in_handler(gravel))
        return 0; /* a handler sees what was applied before its message */
    struct gravel_checked *checked = enter(gravel);
    bool is_early = checked->n_launched != checked->n_applied;
    char last[sizeof checked->last];
    memcpy(last, checked->last, sizeof last);
    leave(checked);
    return is_early ? gravel_fail(GRAVEL_EINVAL,
                                  "%s: kernel %s was launched since the last gravel_quiet or "
                                  "gravel_barrier, and may still run, or its messages travel: "
                                  "call one of them first",
                                  call, last)
                    : 0;
}
