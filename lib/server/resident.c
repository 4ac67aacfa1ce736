/* SPDX-License-Identifier: MIT */
/*
 * Clients and servers side by side: one kernel, whose first groups to arrive serve (cl/device/resident.cl.h).
 *
 * The kernel has the turn of handlers with keys for as long as it runs. So a launch that takes long is several kernels:
 * each gets virtual groups for about KERNEL_NS, and between two of them messages with keys that came by the network get
 * their turn. Clients also end early when the queue to the host is half full: the network thread, which has to make
 * room there, may wait for that turn.
 *
 * Only where a node is alone: clients of two nodes could wait for each other, whose launches have the turns that their
 * messages wait for.
 *
 * Path:    launch.c -> resident.c -> kernels.c.
 * Threads: one that launches.
 * Source:  Wang, Fussell, Lin 2019, section 3.1.
 */
#include "base/clock.h"
#include "opencl/wait.h"
#include "server/launch.h"

#define KERNEL_NS UINT64_C(50000000) /* that a kernel shall take */
#define FIRST_GROUPS 64u /* virtual groups of the first kernel, for each group of clients */

/* Virtual groups of the next kernel: twice as many while kernels are short, half if they are long. */
static uint32_t next_size(uint32_t n, uint64_t took_ns)
{
    if (took_ns < KERNEL_NS / 2 && n < UINT32_MAX / 2)
        return 2 * n;
    return took_ns > 2 * KERNEL_NS && n > 1 ? n / 2 : n;
}

/* A kernel of the virtual groups from state->n_taken on. */
static int run_next(struct gravel_servers_launch *launch, struct gravel_servers_state *state)
{
    struct gravel_servers *servers = &launch->gravel->servers;
    const uint32_t first = state->n_taken, left = launch->n_groups - first;
    const uint32_t n = left < servers->n_at_once ? left : servers->n_at_once;
    uint64_t begin_ns = gravel_clock_ns();
    const struct gravel_servers_order order = {GRAVELP_LAUNCH_RESIDENT, launch->n_items, first,
                                               first + n};
    GRAVEL_TRY(gravel_servers_begin(servers, &order));
    GRAVEL_TRY(gravel_servers_run_in_turn(launch, launch->clients,
                                          servers->shape.n_servers + servers->shape.n_clients,
                                          launch->client_items));
    GRAVEL_TRY(gravel_servers_look(servers, state));
    if (state->n_taken == first + n && n == servers->n_at_once)
        servers->n_at_once = next_size(n, gravel_clock_ns() - begin_ns);
    return 0;
}

int gravel_resident_run(struct gravel_servers_launch *launch, bool *is_broken)
{
    struct gravel_servers *servers = &launch->gravel->servers;
    struct gravel_servers_state state = {.n_taken = 0};
    const struct gravel_wait for_room = {.limit = launch->gravel->device.limit,
                                         .what = "room in the queue to the host"};
    struct gravel_wait wait = for_room;
    const struct gravel_servers_order none = {.launch = GRAVELP_LAUNCH_NONE};
    int code = 0;
    if (servers->n_at_once == 0)
        servers->n_at_once = FIRST_GROUPS * servers->shape.n_clients;
    while (!code && !state.is_broken && state.n_taken < launch->n_groups) {
        uint32_t before = state.n_taken;
        code = run_next(launch, &state);
        if (!code && state.n_arrived == 0)
            code = gravel_servers_fail_without_work();
        if (state.n_taken != before)
            wait = for_room;
        else if (!code && !state.is_broken)
            code = gravel_wait_pause(&wait);
    }
    *is_broken = state.is_broken;
    int ended = gravel_servers_begin(servers, &none);
    return code ? code : ended;
}
