/* SPDX-License-Identifier: MIT */
/*
 * How long the network thread may sleep while frames travel. See rest.h.
 */
#include "rest.h"

#include "derive.h"
#include "resolve/device_resolver.h"

#define CORES 4u /* of the host for this node: pump, aggregator and caller have one, and so may we */
#define TRAVEL_NS UINT64_C(2000000) /* after a frame others may be on their way; a beat is one too */

uint64_t gravel_rest_derive(const struct gravel_transport *transport, uint64_t buffer_bytes)
{
    if (transport->is_loopback || transport->n_nodes == 1 || buffer_bytes < GRAVEL_STRAIGHT_BYTES)
        return UINT64_MAX;
    return gravel_derive_cores(transport->n_local) >= CORES ? 0 : GRAVEL_IDLE_MIN_NS;
}

uint64_t gravel_rest_limit(const struct gravel_rest *rest, uint64_t now_ns, uint64_t due_ns)
{
    bool some_travel = now_ns - rest->moved_ns < TRAVEL_NS;
    return some_travel && rest->most_ns < due_ns ? rest->most_ns : due_ns;
}
