/* SPDX-License-Identifier: MIT */
/*
 * Launches of resident servers. See resident.h.
 */
#include "serve/resident.h"

#include "base/clock.h"
#include "opencl/wait.h"

#define KERNEL_NS UINT64_C(50000000) /* that a kernel shall take */
#define FIRST_GROUPS 64u /* virtual groups of the first kernel, for each group of clients */

/* Virtual groups of the next kernel: twice as many while kernels are short, half if they are long. */
static uint32_t next_size(uint32_t n, uint64_t took_ns)
{
    if (took_ns < KERNEL_NS / 2 && n < UINT32_MAX / 2)
        return 2 * n;
    return took_ns > 2 * KERNEL_NS && n > 1 ? n / 2 : n;
}

static int run_kernel(const struct gravel_servers_launch *launch, uint32_t first, uint32_t stop_at)
{
    struct gravel_servers *servers = launch->servers;
    const struct gravel_servers_order order = {GRAVELP_LAUNCH_RESIDENT, launch->n_items, first,
                                               stop_at};
    int code = gravel_servers_begin(servers, &order);
    if (!code)
        code = gravel_turn_take(&servers->turn, launch->limit);
    if (code)
        return code;
    code = launch->run(launch->context, launch->clients,
                       servers->shape.n_servers + servers->shape.n_clients, launch->client_items);
    gravel_turn_end(&servers->turn);
    return code;
}

/* A kernel of the virtual groups from state->n_taken on. */
static int run_next(const struct gravel_servers_launch *launch, struct gravel_servers_state *state)
{
    struct gravel_servers *servers = launch->servers;
    const uint32_t first = state->n_taken, left = gravel_servers_n_groups(launch) - first;
    const uint32_t n = left < servers->n_at_once ? left : servers->n_at_once;
    uint64_t begin_ns = gravel_clock_ns();
    int code = run_kernel(launch, first, first + n);
    if (!code)
        code = gravel_servers_look(servers, state);
    if (!code && state->n_taken == first + n && n == servers->n_at_once)
        servers->n_at_once = next_size(n, gravel_clock_ns() - begin_ns);
    return code;
}

/* No more mail comes: serve what there is, without clients. */
static int end_mail(const struct gravel_servers_launch *launch, struct gravel_servers_state *state)
{
    struct gravel_servers *servers = launch->servers;
    int code = gravel_mail_close(&servers->mail, launch->limit);
    if (code || !gravel_mail_is_unread(&servers->mail))
        return code;
    code = gravel_turn_take(&servers->turn, launch->limit);
    if (code)
        return code;
    code =
        launch->run(launch->context, launch->server, servers->shape.n_owners, launch->server_items);
    gravel_turn_end(&servers->turn);
    return code ? code : gravel_servers_look(servers, state);
}

int gravel_resident_run(const struct gravel_servers_launch *launch, bool *is_broken)
{
    struct gravel_servers *servers = launch->servers;
    struct gravel_servers_state state = {.n_taken = 0};
    const struct gravel_wait for_room = {.limit = launch->limit,
                                         .what = "room in the queue to the host"};
    struct gravel_wait wait = for_room;
    const struct gravel_servers_order none = {.launch = GRAVELP_LAUNCH_NONE};
    int code = 0;
    gravel_mail_open(&servers->mail);
    if (servers->n_at_once == 0)
        servers->n_at_once = FIRST_GROUPS * servers->shape.n_clients;
    while (!code && !state.is_broken && state.n_taken < gravel_servers_n_groups(launch)) {
        uint32_t before = state.n_taken;
        code = run_next(launch, &state);
        if (!code && state.n_arrived == 0)
            code = gravel_servers_fail_without_work();
        if (state.n_taken != before)
            wait = for_room;
        else if (!code && !state.is_broken)
            code = gravel_wait_pause(&wait);
    }
    int ended = end_mail(launch, &state);
    *is_broken = state.is_broken;
    if (!ended)
        ended = gravel_servers_begin(servers, &none);
    return code ? code : ended;
}
