/* SPDX-License-Identifier: MIT */
/*
 * Nodes of a machine that share a device test it one after the other. Where processes get a device by turns, kernels of
 * each wait while those of another run: polls seem to take longer than they do, so that kernels give up too early, and
 * the host's limits pass.
 *
 * A name of the machine's abstract sockets is held while a node tests; it goes with the process.
 *
 * Path:    self_test.c -> here.
 * Owner:   the test that took the lock.
 * Threads: any.
 */
#include "self_test/self_test.h"

#include "base/clock.h"
#include "base/descriptor.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#define PAUSE_US 5000u

/* @return whether the name was free. */
static bool bind_name(int socket_of_ours, uint64_t identity)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int n = snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
                     "gravel-self-test-%016" PRIx64, identity); /* sun_path[0] is 0: abstract */
    return bind(socket_of_ours, (const struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0;
}

int gravel_test_lock(uint64_t identity, uint64_t limit_ns)
{
    struct gravel_lived lived = gravel_lived_for(limit_ns);
    int lock =
        identity ? gravel_descriptor_lift(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) : -1;
    if (lock < 0)
        return -1;
    while (!bind_name(lock, identity)) {
        if (errno != EADDRINUSE || gravel_lived_tick(&lived, gravel_clock_ns()) >= limit_ns) {
            close(lock);
            return -1;
        }
        usleep(PAUSE_US);
    }
    return lock;
}

void gravel_test_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
