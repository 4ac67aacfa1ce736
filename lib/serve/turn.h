/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is to run handlers with keys: the resolver's, for messages that came by the network, or that of a
 * launch's servers. Two kernels that serve, on two queues, could run handlers with equal keys at once.
 *
 * Each side takes the turn again and again: the resolver for run after run, a launch for kernel after kernel. So who
 * waits says so, and the other side lets it go first.
 *
 * Path:    calls.c, server/modes.c -> turn.h.
 * Owner:   the node's.
 * Threads: the network thread, and one that launches.
 */
#ifndef GRAVEL_SERVE_TURN_H
#define GRAVEL_SERVE_TURN_H

#include "opencl/wait.h"

#include <stdatomic.h>
#include <stdbool.h>

struct gravel_key_turn {
    pthread_mutex_t lock;
    uint64_t patience_ns;    /* longest wait for it */
    _Atomic bool is_wanted;  /* H9: by a launch */
    _Atomic bool is_awaited; /* H9: by the resolver */
};

/** @param patience_ns  longer than a kernel of the other side may take, whose own limit names it. */
static inline void gravel_turn_init(struct gravel_key_turn *turn, uint64_t patience_ns)
{
    pthread_mutex_init(&turn->lock, NULL);
    turn->patience_ns = patience_ns;
    atomic_init(&turn->is_wanted, false);
    atomic_init(&turn->is_awaited, false);
}

static inline void gravel_turn_destroy(struct gravel_key_turn *turn)
{
    pthread_mutex_destroy(&turn->lock);
}

/** For a launch, after a resolver that waits. @return 0: gravel_turn_end follows; else what the wait's limit says. */
int gravel_turn_take(struct gravel_key_turn *turn, struct gravel_limit limit);

/** For the resolver, after launches that want it. @return as gravel_turn_take. */
int gravel_turn_take_last(struct gravel_key_turn *turn, struct gravel_limit limit);

static inline bool gravel_turn_is_wanted(const struct gravel_key_turn *turn)
{
    return atomic_load_explicit(&turn->is_wanted, memory_order_relaxed); /* H9 */
}

static inline void gravel_turn_end(struct gravel_key_turn *turn)
{
    pthread_mutex_unlock(&turn->lock);
}

#endif
