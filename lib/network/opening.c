/* SPDX-License-Identifier: MIT */
/*
 * The wait for the network thread to open the transport. MPI has no limit for the calls by which processes find each
 * other, and a network that loses their packets keeps them without limit; so the thread is left in them after a while.
 *
 * Path:    gravel_network_start -> opening.c <- start.c: tell_ready.
 * Threads: the one that opens the node.
 * Memory:  N1.
 */
#include "base/await.h"
#include "network/parts.h"
#include "transport/launcher.h"
#include "transport/place.h"

#include <stdio.h>

#define N_THAT_WARN 2u /* ranks: if one has not come, the other tells */

/* "MPI_Comm_dup for 5.0 s, as one of 4 processes, on host a (eth0 10.0.0.1)" */
static void describe(const struct gravel_network *network, uint64_t waited_ns, char *text,
                     size_t bytes)
{
    const char *call = atomic_load_explicit(&network->opening_call, memory_order_relaxed);
    const uint32_t n = gravel_launcher_read().n_processes;
    char place[256];
    gravel_place_describe(place, sizeof place);
    int length = snprintf(text, bytes, "%s for %.1f s", call ? call : "the network thread",
                          (double)waited_ns * 1e-9);
    if (n && (size_t)length < bytes)
        length += snprintf(text + length, bytes - (size_t)length, ", as one of %u processes", n);
    if ((size_t)length < bytes)
        snprintf(text + length, bytes - (size_t)length, ", on %s", place);
}

static void tell(const struct gravel_network *network, uint64_t waited_ns)
{
    char waits[400], text[480];
    describe(network, waited_ns, waits, sizeof waits);
    snprintf(text, sizeof text, "gravel_open waits for other processes in %s", waits);
    if (gravel_launcher_read().rank < N_THAT_WARN)
        network->shape.warn(network->shape.context, text);
    else
        network->shape.tell(network->shape.context, text);
}

/* @return GRAVEL_EMPI; 0 if the thread has just ended its part after all. */
static int give_up(struct gravel_network *network, uint64_t waited_ns)
{
    char waits[400];
    uint32_t opens = 0;
    if (!atomic_compare_exchange_strong_explicit(
            &network->opening, &opens, GRAVEL_OPENING_LEFT, memory_order_relaxed,
            memory_order_relaxed)) /* relaxed: each side learns who came first; the next look orders */
        return 0;
    gravel_thread_advance(&network->thread, GRAVEL_THREAD_LOST);
    describe(network, waited_ns, waits, sizeof waits);
    return gravel_fail(
        GRAVEL_EMPI,
        "gravel_open: in %s (GRAVEL_OPEN_TIMEOUT is %llu ms): another process has not come to "
        "gravel_open, or packets between hosts are lost. MPI may take a network that does not "
        "connect them: see OMPI_MCA_btl_tcp_if_include, UCX_NET_DEVICES, FI_TCP_IFACE, and "
        "firewalls",
        waits, (unsigned long long)network->shape.config->open_timeout_ms);
}

/* Tells once that it takes long; GRAVEL_OPEN_TIMEOUT of 0 is no limit. */
static int check(void *context, struct gravel_wait *wait)
{
    struct gravel_network *network = context;
    const uint64_t limit_ns = network->shape.config->open_timeout_ms * GRAVEL_NS_PER_MS;
    struct gravel_lived *lived = &wait->waited.lived;
    const uint64_t before_ns = lived->lived_ns;
    lived->step_ns = (limit_ns ? limit_ns : GRAVEL_WARN_NS) / GRAVEL_LIVED_STEPS;
    const uint64_t waited_ns = gravel_lived_tick(lived, gravel_clock_ns());
    if (limit_ns && waited_ns >= limit_ns)
        return give_up(network, waited_ns);
    if (before_ns < GRAVEL_WARN_NS && waited_ns >= GRAVEL_WARN_NS)
        tell(network, waited_ns);
    return 0;
}

int gravel_network_await_opening(struct gravel_network *network)
{
    struct gravel_wait wait = {.limit = {.check = check, .context = network},
                               .event = &network->job_done};
    int code = 0;
    while (!(atomic_load_explicit(&network->opening, memory_order_acquire) & /* N1 */
             GRAVEL_OPENED) &&
           !(code = gravel_wait_pause(&wait)))
        ;
    gravel_wait_end(&wait);
    return code;
}
