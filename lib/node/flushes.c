/* SPDX-License-Identifier: MIT */
/*
 * What is to be sent before a fence, a quiet or a barrier waits: the accumulators of the node.
 *
 * Path:    gravel_accumulator_create -> this; waits.c -> this -> accumulate/flush.c.
 * Threads: any; one flushes at a time, and who comes next finds what is left.
 */
#include "node/node.h"

int gravel_flushes_enter(struct gravel *gravel)
{
    return gravel_node_lock(gravel, &gravel->flushes_lock,
                            "another thread, which flushes accumulators");
}

void gravel_flushes_leave(struct gravel *gravel)
{
    pthread_mutex_unlock(&gravel->flushes_lock);
}

int gravel_flushes_add(struct gravel *gravel, struct gravel_flush *flush)
{
    const int code = gravel_flushes_enter(gravel);
    if (code)
        return code;
    flush->next = gravel->flushes;
    gravel->flushes = flush;
    gravel_flushes_leave(gravel);
    return 0;
}

int gravel_flushes_remove(struct gravel *gravel, const struct gravel_flush *flush)
{
    const int code = gravel_flushes_enter(gravel);
    if (code)
        return code;
    struct gravel_flush **place = &gravel->flushes;
    while (*place && *place != flush)
        place = &(*place)->next;
    if (*place)
        *place = flush->next;
    gravel_flushes_leave(gravel);
    return 0;
}

int gravel_flushes_run(struct gravel *gravel)
{
    int code = gravel_flushes_enter(gravel);
    if (code)
        return code;
    for (struct gravel_flush *flush = gravel->flushes; flush; flush = flush->next) {
        int flushed = flush->run(flush);
        code = code ? code : flushed;
    }
    gravel_flushes_leave(gravel);
    return code;
}
