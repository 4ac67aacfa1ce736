/* SPDX-License-Identifier: MIT */
/*
 * Turns of clients and servers. See phases.h.
 */
#include "serve/phases.h"

#include "base/counter.h"

static int run_clients(const struct gravel_servers_launch *launch)
{
    uint32_t n = gravel_servers_n_groups(launch), most = launch->servers->shape.n_clients;
    return launch->run(launch->context, launch->clients, n < most ? n : most, launch->client_items);
}

/* While no other kernel runs handlers with keys. */
static int run_servers(const struct gravel_servers_launch *launch)
{
    struct gravel_key_turn *turn = &launch->servers->turn;
    int code = gravel_turn_take(turn, launch->limit);
    if (code)
        return code;
    code = launch->run(launch->context, launch->server, launch->servers->shape.n_owners,
                       launch->server_items);
    if (!code && launch->pairs)
        code = launch->run(launch->context, launch->pairs, 1, launch->pair_items);
    gravel_turn_end(turn);
    return code;
}

int gravel_phases_run(const struct gravel_servers_launch *launch, bool *is_broken)
{
    struct gravel_servers *servers = launch->servers;
    struct gravel_servers_state state = {.n_taken = 0};
    const uint32_t n = gravel_servers_n_groups(launch);
    const struct gravel_servers_order all = {GRAVELP_LAUNCH_PHASES, launch->n_items, 0, n};
    const struct gravel_servers_order none = {.launch = GRAVELP_LAUNCH_NONE};
    int code = gravel_servers_begin(servers, &all);
    while (!code && !state.is_broken && (state.n_taken < n || state.has_sent)) {
        uint32_t before = state.n_taken;
        if (before < n)
            code = run_clients(launch);
        if (!code && !launch->is_checked)
            code = run_servers(launch);
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
