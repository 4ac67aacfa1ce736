/* SPDX-License-Identifier: MIT */
/*
 * Turns of clients and servers. See phases.h.
 */
#include "serve/phases.h"

#include "base/counter.h"
#include "base/error.h"

static uint64_t n_virtual_groups(const struct gravel_phases *phases)
{
    return (phases->n_items + phases->client_items - 1) / phases->client_items;
}

static int run_clients(const struct gravel_phases *phases)
{
    uint64_t n = n_virtual_groups(phases), most = phases->servers->shape.n_clients;
    return phases->run(phases->context, phases->clients, n < most ? n : most, phases->client_items);
}

/* While no other kernel runs handlers with keys. */
static int run_servers(const struct gravel_phases *phases)
{
    struct gravel_key_turn *turn = &phases->servers->turn;
    int code = gravel_turn_take(turn, phases->limit);
    if (code)
        return code;
    code = phases->run(phases->context, phases->server, phases->servers->shape.n_owners,
                       phases->server_items);
    if (!code && phases->pairs)
        code = phases->run(phases->context, phases->pairs, 1, phases->pair_items);
    gravel_turn_end(turn);
    return code;
}

/* What a kernel without GRAVEL_SERVE comes to, and nothing else: after servers every inbox has room. */
static int fail_without_work(void)
{
    return gravel_fail(GRAVEL_EINVAL, "gravel_server_launch: the kernel takes no work: it has no "
                                      "GRAVEL_SERVE loop");
}

int gravel_phases_run(const struct gravel_phases *phases, bool *is_broken)
{
    struct gravel_servers *servers = phases->servers;
    struct gravel_servers_state state = {.n_taken = 0};
    int code = gravel_servers_begin(servers, GRAVELP_LAUNCH_PHASES, phases->n_items);
    while (!code && !state.is_broken && state.n_taken < n_virtual_groups(phases)) {
        uint64_t before = state.n_taken;
        code = run_clients(phases);
        if (!code)
            code = run_servers(phases);
        if (!code)
            code = gravel_servers_look(servers, &state);
        gravel_counter_add(&servers->n_phases, 1);
        if (!code && state.n_taken == before && !state.is_broken)
            code = fail_without_work();
    }
    *is_broken = state.is_broken;
    int ended = gravel_servers_begin(servers, GRAVELP_LAUNCH_NONE, 0);
    return code ? code : ended;
}
