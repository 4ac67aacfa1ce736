/* SPDX-License-Identifier: MIT */
/*
 * Sessions of host calls: while one lasts, node buffers of this node do not age.
 *
 * Path:    gravel.h -> sessions.c -> n_sessions -> aggregate/sender.c, which asks for it when a buffer is old.
 * Threads: any but a handler's; the lock of the host's sender makes one writer of them.
 * Source:  OpenSHMEM 1.6, sessions.
 */
#include "node/node.h"

static int enter(struct gravel *gravel, const char *call)
{
    int code = gravel_node_refuse_wait(gravel, call);
    return code ? code
                : gravel_node_lock(gravel, &gravel->network.host_lock,
                                   "another thread, which sends");
}

static int leave(struct gravel *gravel)
{
    pthread_mutex_unlock(&gravel->network.host_lock);
    return gravel_node_has_failed(gravel) ? gravel_node_conclude(gravel, GRAVEL_EPEER) : 0;
}

/* The lock is held. */
static uint32_t n_sessions(const struct gravel *gravel)
{
    return atomic_load_explicit(&gravel->network.n_sessions, memory_order_relaxed); /* A7 */
}

static void set_n_sessions(struct gravel *gravel, uint32_t n)
{
    atomic_store_explicit(&gravel->network.n_sessions, n, memory_order_relaxed); /* A7 */
}

/* What a fence ships, without a wait. The lock is held. */
static void ship(struct gravel *gravel)
{
    for (uint32_t i = 0; i < gravel->config.n_aggregators; i++)
        gravel_aggregator_flush(&gravel->aggregators[i]);
    gravel_sender_flush(gravel->network.host_sender);
    gravel_network_wake(&gravel->network);
}

int gravel_session_begin(struct gravel *gravel)
{
    int code = enter(gravel, "gravel_session_begin");
    if (code)
        return code;
    set_n_sessions(gravel, n_sessions(gravel) + 1);
    return leave(gravel);
}

int gravel_session_end(struct gravel *gravel)
{
    int code = enter(gravel, "gravel_session_end");
    if (code)
        return code;
    const uint32_t n = n_sessions(gravel);
    if (n) {
        set_n_sessions(gravel, n - 1);
        if (n == 1)
            ship(gravel);
    }
    code = leave(gravel);
    return code || n ? code
                     : gravel_fail(GRAVEL_EINVAL, "gravel_session_end: no session has been begun");
}
