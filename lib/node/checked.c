/* SPDX-License-Identifier: MIT */
/*
 * Checked mode's part of host calls: what has been launched, and which wait has covered it. So gravel_map can refuse to
 * show what may not be there yet, and the aggregators know when a group's calls are final.
 *
 * Path:    launch.c, waits.c -> checked.c -> maps.c, lib/aggregate/aggregator.c.
 * Threads: any, which may launch and wait side by side; one lock. Counts are kept without checked mode, too.
 */
#include "node/node.h"

#include <string.h>

void gravel_checked_begin_launch(struct gravel *gravel)
{
    pthread_mutex_lock(&gravel->launched_lock);
    gravel->launched.n_begun++;
    pthread_mutex_unlock(&gravel->launched_lock);
}

void gravel_checked_end_launch(struct gravel *gravel, cl_kernel kernel)
{
    struct gravel_launch_counts *counts = &gravel->launched;
    char name[GRAVEL_KERNEL_NAME_BYTES] = "";
    if (gravel->config.check && kernel)
        gravel_cl_kernel_name(kernel, name);
    pthread_mutex_lock(&gravel->launched_lock);
    counts->n_ended++;
    counts->n_launched += kernel != NULL;
    if (kernel)
        strcpy(counts->last, name);
    pthread_mutex_unlock(&gravel->launched_lock);
}

struct gravel_launch_counts gravel_checked_read(struct gravel *gravel)
{
    pthread_mutex_lock(&gravel->launched_lock);
    const struct gravel_launch_counts counts = gravel->launched;
    pthread_mutex_unlock(&gravel->launched_lock);
    return counts;
}

/* While a call that launches was under way as the wait began, the wait says nothing of kernels' ends. */
void gravel_checked_note(struct gravel *gravel, const struct gravel_launch_counts *mark,
                         bool are_applied)
{
    struct gravel_launch_counts *counts = &gravel->launched;
    pthread_mutex_lock(&gravel->launched_lock);
    if (mark->n_begun == mark->n_ended && mark->n_begun > counts->n_over)
        counts->n_over = mark->n_begun;
    if (are_applied && mark->n_launched > counts->n_applied)
        counts->n_applied = mark->n_launched;
    pthread_mutex_unlock(&gravel->launched_lock);
}

bool gravel_checked_are_over(void *context)
{
    const struct gravel_launch_counts counts = gravel_checked_read(context);
    return counts.n_over == counts.n_begun;
}

int gravel_checked_refuse_map(struct gravel *gravel, const char *call)
{
    if (!gravel->config.check || gravel_node_is_in_handler(gravel))
        return 0; /* a handler sees what was applied before its message */
    const struct gravel_launch_counts counts = gravel_checked_read(gravel);
    if (counts.n_launched == counts.n_applied)
        return 0;
    return gravel_fail(
        GRAVEL_EINVAL,
        "%s: kernel %s was launched since the last gravel_quiet or gravel_barrier, and "
        "may still run, or its messages travel: call one of them first",
        call, counts.last);
}
