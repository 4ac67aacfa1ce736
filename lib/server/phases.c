/* SPDX-License-Identifier: MIT */
/*
 * Clients and servers in turns: a kernel of clients ends when an inbox is nearly full or no work is left, a kernel of
 * servers empties the inboxes, and so on. No work-group waits, so that it works on every step and with a single compute
 * unit.
 *
 * Path:    launch.c -> phases.c -> kernels.c.
 * Threads: one that launches.
 * Source:  not in Wang, Fussell, Lin 2019, where clients and servers run side by side.
 */
#include "base/counter.h"
#include "server/launch.h"

int gravel_phases_run(struct gravel_servers_launch *launch, bool *is_broken)
{
    struct gravel_servers *servers = &launch->gravel->servers;
    struct gravel_servers_state state = {.n_taken = 0};
    const uint32_t n = launch->n_groups, n_clients = servers->shape.n_clients;
    const struct gravel_servers_order all = {GRAVELP_LAUNCH_PHASES, launch->n_items, 0, n};
    const struct gravel_servers_order none = {.launch = GRAVELP_LAUNCH_NONE};
    int code = gravel_servers_begin(servers, &all);
    while (!code && !state.is_broken && (state.n_taken < n || state.has_sent)) {
        uint32_t before = state.n_taken;
        if (before < n)
            code = gravel_servers_run(launch, launch->clients, n < n_clients ? n : n_clients,
                                      launch->client_items);
        const bool serves = !launch->gravel->config.check; /* else all messages go to the host */
        if (!code && serves)
            code = gravel_servers_run_in_turn(launch, launch->server, servers->shape.n_owners,
                                              launch->server_items);
        if (!code && serves && launch->pairs)
            code = gravel_servers_run_in_turn(launch, launch->pairs, 1, launch->pair_items);
        if (!code)
            code = gravel_servers_look(servers, &state);
        gravel_counter_add(&servers->n_phases, 1);
        if (!code && before < n && state.n_taken == before &&
            !state.is_broken) /* every inbox has had room */
            code = gravel_servers_fail_without_work();
    }
    *is_broken = state.is_broken;
    int ended = gravel_servers_begin(servers, &none);
    return code ? code : ended;
}
