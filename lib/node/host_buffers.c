/* SPDX-License-Identifier: MIT */
/*
 * The node buffers of calls that host code makes. See node.h.
 */
#include "node/node.h"

#include "base/counter.h"
#include "opencl/wait.h"

static int lock(struct gravel *gravel)
{
    return gravel_node_lock(gravel, &gravel->network.host_lock, "another thread, which sends");
}

int gravel_node_enter_sender(struct gravel *gravel, struct gravel_sender **sender)
{
    if (gravel_node_is_in_handler(gravel)) {
        gravel_counter_add(&gravel->network.n_handler_calls, 1); /* U12 */
        *sender = gravel->network.handler_sender;
        return 0;
    }
    GRAVEL_TRY(lock(gravel));
    gravel_counter_add(&gravel->network.n_host_calls, 1); /* U12 */
    *sender = gravel->network.host_sender;
    return 0;
}

void gravel_node_leave_sender(struct gravel *gravel)
{
    if (gravel_node_is_in_handler(gravel))
        return;
    pthread_mutex_unlock(&gravel->network.host_lock);
    gravel_network_wake(&gravel->network);
}

int gravel_node_flush_host(struct gravel *gravel)
{
    GRAVEL_TRY(lock(gravel));
    gravel_sender_flush(gravel->network.host_sender);
    pthread_mutex_unlock(&gravel->network.host_lock);
    return 0;
}

int gravel_node_fail_frame(struct gravel *gravel)
{
    return gravel_leave(gravel, gravel_fail(GRAVEL_ENOMEM, "no memory for a node buffer"));
}

/* Ships a batch, or gives its buffers back. Those that a copy may still write to stay. */
static void end_batch(struct gravel_sender *sender, struct gravel_buffer *const *buffers,
                      uint32_t n, int code)
{
    for (uint32_t i = 0; i < n && !gravel_wait_gave_up(code); i++)
        if (code)
            gravel_pool_return(buffers[i]);
        else
            gravel_sender_ship_frame(sender, buffers[i]);
}

int gravel_node_fill(struct gravel *gravel, const struct gravel_filling *filling)
{
    int code = 0;
    for (uint64_t done = 0; done < filling->n && !code;) {
        struct gravel_buffer *buffers[GRAVEL_BATCH_BUFFERS];
        struct gravel_sender *sender;
        uint32_t n = 0;
        GRAVEL_TRY(gravel_node_enter_sender(gravel, &sender));
        while (done < filling->n && n < GRAVEL_BATCH_BUFFERS &&
               (buffers[n] = gravel_sender_frame(sender, filling->kind, filling->node)))
            done += filling->begin(filling->context, buffers[n++], done);
        if (n)
            code = filling->end(filling->context);
        end_batch(sender, buffers, n, code);
        gravel_node_leave_sender(gravel);
        if (n == 0)
            code = gravel_node_fail_frame(gravel);
    }
    return code;
}

/* ---- sessions ------------------------------------------------------------------------------------ */

/* While a session lasts, node buffers of this node do not age: aggregate/sender.c asks. Source: OpenSHMEM 1.6. */

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
    GRAVEL_TRY(lock(gravel));
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
