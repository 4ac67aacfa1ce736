/* SPDX-License-Identifier: MIT */
/*
 * How a node serves: whether its servers are resident, how many they are, and how large their inboxes.
 *
 * Path:    outbound.c -> server_shape.c -> serve/servers.c.
 * Threads: the one that opens.
 */
#include "base/rounding.h"
#include "node/node.h"
#include "self_test/self_test.h"

#include <string.h>

#define LEAST_SLOTS 256u

/* ---- resident servers ---------------------------------------------------------------------------- */

/* @return 0; GRAVEL_ECAPABILITY: why not; what the self-test returns. */
static int make_resident(const struct gravel *gravel, struct gravel_servers_shape *shape)
{
    const uint32_t at_once = gravel_node_groups_at_once(gravel);
    struct gravel_meeting seen;
    if (gravel_servers_n_pairs(&gravel->endpoints))
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "a handler has two keys, and transactions are served in turns");
    if (gravel->network.transport->n_nodes > 1)
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "messages of other nodes would wait for a launch to end, and there are "
                           "%u nodes",
                           gravel->network.transport->n_nodes);
    if (!gravel_step_may_wait(gravel->device.step))
        return gravel_fail(GRAVEL_ECAPABILITY, "no kernel waits on step drain");
    if (gravel->config.check)
        return gravel_fail(GRAVEL_ECAPABILITY, "in checked mode the host has all messages");
    if (at_once < 2)
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "launches have one work-group at once on step %s with %u compute units",
                           gravel_step_name(gravel->device.step), gravel->device.units);
    if (!gravel
             ->has_n_servers) { /* half of the groups of a GPU that run at once, a quarter of a CPU's */
        const uint32_t part = at_once / (gravel->device.capability.is_cpu ? 4 : 2);
        shape->n_servers = part < shape->n_servers ? part : shape->n_servers;
        shape->n_servers += shape->n_servers == 0;
    }
    if (shape->n_servers >= at_once)
        return gravel_fail(GRAVEL_ECONFIG,
                           "GRAVEL_SERVERS=%u: of %u work-groups at once, and one must be a client",
                           shape->n_servers, at_once);
    shape->n_clients = at_once - shape->n_servers;
    shape->is_resident = true;
    return gravel_self_test_meet(&gravel->device, at_once, shape->n_servers + 1, &seen);
}

/* ---- all ------------------------------------------------------------------------------------------- */

static bool is_mode(const struct gravel *gravel, const char *mode)
{
    return strcmp(gravel->config.server_mode, mode) == 0;
}

/* Chooses resident if that is wanted: on a CPU device the host's threads need its cores as well. */
static int choose_mode(struct gravel *gravel, struct gravel_servers_shape *shape)
{
    const struct gravel_servers_shape phases = *shape;
    if (is_mode(gravel, "phases") || (is_mode(gravel, "auto") && gravel->device.capability.is_cpu))
        return 0;
    int code = make_resident(gravel, shape);
    if (!code || code == GRAVEL_ETIMEOUT)
        return code;
    const struct gravel_kept met = gravel_keep(code);
    *shape = phases;
    if (is_mode(gravel, "resident"))
        return gravel_fail(code, "GRAVEL_SERVER_MODE=resident: %s", met.text);
    gravel_log(gravel, "servers in phases: %s", met.text);
    return 0;
}

int gravel_node_shape_servers(struct gravel *gravel, struct gravel_servers_shape *shape)
{
    const struct gravel_config *config = &gravel->config;
    *shape = (struct gravel_servers_shape){
        .n_servers = config->n_servers,
        .n_slots = LEAST_SLOTS,
        .lock_ns = gravel_network_patience_ns(&gravel->network),
    };
    for (uint32_t i = 0; i < gravel->endpoints.n_handlers; i++) {
        const struct gravel_handler *handler = &gravel->endpoints.handlers[i];
        if (handler->serve.n_keys && handler->n_args > shape->n_args)
            shape->n_args = handler->n_args;
    }
    shape->n_spill = gravel_sender_ring(&gravel->endpoints);
    if (config->inbox_slots)
        shape->n_slots = gravel_power_to(config->inbox_slots);
    shape->n_clients = gravel_node_groups_at_once(gravel);
    int code = shape->n_args ? choose_mode(gravel, shape) : 0;
    /* keys are shared out to all inboxes; in phases one more is for transactions */
    const bool has_pairs = gravel_servers_n_pairs(&gravel->endpoints) != 0;
    if (has_pairs && shape->n_servers == GRAVELP_MOST_SERVERS)
        shape->n_servers--;
    shape->n_owners = shape->n_servers;
    shape->n_servers += has_pairs;
    if (code || shape->is_resident)
        return code;
    /* Clients of phases do not wait, so that an inbox must hold what all of them have begun to send. */
    const uint32_t least = gravel_servers_slots_for(1), wanted = config->inbox_slots;
    if (wanted && wanted < 2 * least)
        return gravel_fail(GRAVEL_ECONFIG, "GRAVEL_INBOX=%u: at least %u slots", wanted, 2 * least);
    while (!wanted && shape->n_slots < 2 * gravel_servers_slots_for(shape->n_clients))
        shape->n_slots *= 2;
    while (shape->n_clients > 1 && gravel_servers_slots_for(shape->n_clients) > shape->n_slots / 2)
        shape->n_clients--;
    return 0;
}
