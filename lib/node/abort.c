/* SPDX-License-Identifier: MIT */
/*
 * The way out of a job, which another thread takes while one waits, also in gravel_close: that may free the node at any
 * moment. So nodes that can be given up are listed, and close waits for a call that has found its node there: a second
 * for its report to reach other nodes, and GRAVEL_TIMEOUT for the caller's log function. A node whose log function
 * takes longer is not freed. The program's MPI_Finalize ends the nodes of that list in order; and a process that ends
 * without gravel_close says so for each: else other nodes would find out only by its silence.
 *
 * Path:    gravel.h -> abort.c -> log.c, network/liveness.c; open.c and close.c keep the list.
 * Threads: any; one lock guards the list and each node's count, and is held for nothing else, except by the farewell. A
 *          forked child does not touch it.
 */
#include "base/clock.h"
#include "node/node.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gravel *nodes;

void gravel_abort_allow(struct gravel *gravel)
{
    pthread_mutex_lock(&lock);
    gravel->next = nodes;
    nodes = gravel;
    pthread_mutex_unlock(&lock);
}

static uint32_t count(const struct gravel *gravel)
{
    pthread_mutex_lock(&lock);
    const uint32_t n = gravel->n_aborting;
    pthread_mutex_unlock(&lock);
    return n;
}

bool gravel_abort_refuse(struct gravel *gravel)
{
    struct gravel_wait wait = {
        .limit.ns = gravel_limit_ns(GRAVEL_LIMIT_LOG, gravel->config.timeout_ms) + GRAVEL_NS_PER_S};
    pthread_mutex_lock(&lock);
    struct gravel **link = &nodes;
    while (*link && *link != gravel)
        link = &(*link)->next;
    if (*link)
        *link = gravel->next;
    pthread_mutex_unlock(&lock);
    while (count(gravel) && !gravel_wait_pause(&wait))
        ;
    return count(gravel) == 0;
}

/* Finds an open node, which stays until leave. @param wanted  NULL: any that uses MPI. @return NULL: there is none */
static struct gravel *enter(const struct gravel *wanted)
{
    pthread_mutex_lock(&lock);
    struct gravel *gravel = nodes;
    while (gravel &&
           (wanted ? gravel != wanted
                   : !gravel->network.shape.use_mpi ||
                         gravel_thread_state(&gravel->network.thread) != GRAVEL_THREAD_OPENED))
        gravel = gravel->next;
    if (gravel)
        gravel->n_aborting++;
    pthread_mutex_unlock(&lock);
    return gravel;
}

static void leave(struct gravel *gravel)
{
    pthread_mutex_lock(&lock);
    gravel->n_aborting--;
    pthread_mutex_unlock(&lock);
}

void gravel_abort_finalising(void)
{
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_CLOSE};
    struct gravel *gravel;
    if (gravel_fork_count() || gravel_in_handler_of)
        return;
    while ((gravel = enter(NULL))) {
        (void)gravel_node_barrier(gravel, &call, false); /* if it fails, so has the node */
        gravel_network_leave_mpi(&gravel->network);
        leave(gravel);
    }
}

/* Is no handler of atexit: those that the application has given may still close nodes. It calls nothing of the
 * application's, its log function included. A process that ends by a signal or _exit is silent. */
__attribute__((destructor)) static void say_farewell(void)
{
    if (!nodes || gravel_fork_count())
        return;
    pthread_mutex_lock(&lock);
    for (struct gravel *gravel = nodes; gravel; gravel = gravel->next)
        gravel_network_say_farewell(&gravel->network);
    pthread_mutex_unlock(&lock);
}

int gravel_abort(struct gravel *gravel, const char *text)
{
    if (!gravel || gravel_fork_count())
        return gravel_enter(gravel, __func__, GRAVEL_ANYWHERE);
    if (!enter(gravel))
        return gravel_fail(GRAVEL_EINVAL, "%s: the node is closed", __func__);
    gravel_report(gravel, GRAVEL_EABORT, true, text && *text ? text : "gravel_abort gave no text");
    if (!gravel_in_handler_of) /* which may run for the network thread, and keep it waiting */
        gravel_network_wait_reported(&gravel->network, GRAVEL_NS_PER_S);
    leave(gravel);
    return 0;
}
