/* SPDX-License-Identifier: MIT */
/*
 * A process that ends without gravel_close says so: else other nodes would find out only by its silence.
 *
 * It is a destructor of the library's, since handlers that the application has given to atexit may still close nodes;
 * and it calls nothing of the application's, the log among it. Only the network thread talks to others: the process
 * waits for it, a fraction of a second at most. A process that ends by a signal or _exit is silent.
 *
 * Path:    gravel_network_start -> farewell.c -> liveness.c, which tells the other nodes.
 * Threads: any; one lock guards the list. A forked child has no network threads, and does not touch the lock.
 */
#include "base/caller.h"
#include "network/parts.h"

#define FAREWELL_NS (GRAVEL_NS_PER_S / 4)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gravel_network *open_networks;
static uint32_t n_forks; /* when the last one opened */

void gravel_farewell_add(struct gravel_network *network)
{
    pthread_mutex_lock(&lock);
    network->next_open = open_networks;
    open_networks = network;
    n_forks = gravel_fork_count();
    pthread_mutex_unlock(&lock);
}

void gravel_farewell_remove(const struct gravel_network *network)
{
    pthread_mutex_lock(&lock);
    struct gravel_network **place = &open_networks;
    while (*place && *place != network)
        place = &(*place)->next_open;
    if (*place)
        *place = network->next_open;
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void say_farewell(void)
{
    if (!open_networks || n_forks != gravel_fork_count())
        return;
    pthread_mutex_lock(&lock);
    for (struct gravel_network *network = open_networks; network; network = network->next_open) {
        atomic_store_explicit(&network->is_ending, true, memory_order_relaxed); /* event orders */
        gravel_event_signal(&network->event);
    }
    for (struct gravel_network *network = open_networks; network; network = network->next_open)
        if (network->shape.use_mpi && network->n_nodes > 1)
            gravel_network_wait_told(network, FAREWELL_NS);
    pthread_mutex_unlock(&lock);
}
