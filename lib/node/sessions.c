/* SPDX-License-Identifier: MIT */
/*
 * Sessions of host calls: while one lasts, node buffers of this node do not age.
 *
 * Path:    gravel.h -> sessions.c -> n_sessions -> aggregate/sender.c, which asks for it when a buffer is old.
 * Threads: any but a handler's; the lock of the host's sender makes one writer of them.
 * Source:  OpenSHMEM 1.6, sessions.
 */
#include "node/node.h"

/* Ships what a fence ships, without a wait. The lock is held. */
static void ship(struct gravel *gravel)
{
    for (uint32_t i = 0; i < gravel->config.n_aggregators; i++)
        gravel_aggregator_flush(&gravel->aggregators[i]);
    gravel_sender_flush(gravel->network.host_sender);
    gravel_network_wake(&gravel->network);
}

/* Begins a session, or ends one. @param n  [out] sessions before, if it succeeds */
static int change(struct gravel *gravel, const char *call, bool begins, uint32_t *n)
{
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_node_lock(gravel, &gravel->network.host_lock, "another thread, which sends"));
    *n = atomic_load_explicit(&gravel->network.n_sessions, memory_order_relaxed); /* A7 */
    if (begins || *n)
        atomic_store_explicit(&gravel->network.n_sessions, begins ? *n + 1 : *n - 1,
                              memory_order_relaxed); /* A7 */
    if (!begins && *n == 1)
        ship(gravel);
    pthread_mutex_unlock(&gravel->network.host_lock);
    return gravel_leave(gravel, 0);
}

int gravel_session_begin(struct gravel *gravel)
{
    uint32_t n;
    return change(gravel, "gravel_session_begin", true, &n);
}

int gravel_session_end(struct gravel *gravel)
{
    uint32_t n;
    int code = change(gravel, "gravel_session_end", false, &n);
    return code || n ? code
                     : gravel_fail(GRAVEL_EINVAL, "gravel_session_end: no session has been begun");
}
