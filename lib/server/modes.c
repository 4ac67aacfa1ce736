/* SPDX-License-Identifier: MIT */
/*
 * Runs clients and servers by either mode.
 *
 * Phases: a kernel of clients ends when an inbox is nearly full or no work is left, a kernel of servers empties the
 * inboxes, and so on. No work-group waits, so that this works on every step and with a single compute unit.
 *
 * Resident: one kernel, whose first groups to arrive serve (cl/device/serving.cl.h). It has the turn of handlers with
 * keys for as long as it runs. So a launch that takes long is several kernels: each gets virtual groups for about
 * KERNEL_NS, and between two of them messages with keys that came by the network get their turn. Clients also end early
 * when the queue to the host is half full: the network thread, which has to make room there, may wait for that turn.
 * Only where a node is alone: clients of two nodes could wait for each other, whose launches have the turns that their
 * messages wait for.
 *
 * Path:    launch.c -> modes.c -> node/launch.c.
 * Threads: one that launches.
 * Source:  resident: Wang, Fussell, Lin 2019, section 3.1; phases are not in it.
 */
#include "base/clock.h"
#include "base/counter.h"
#include "opencl/wait.h"
#include "server/launch.h"

#define KERNEL_NS UINT64_C(50000000) /* that a kernel shall take */
#define FIRST_GROUPS 64u /* virtual groups of the first kernel, for each group of clients */

/* ---- a kernel -------------------------------------------------------------------------------- */

/* Runs a kernel of so many groups to its end. */
static int run(struct gravel_servers_launch *launch, cl_kernel kernel, size_t n_groups,
               size_t group_items)
{
    struct gravel *gravel = launch->gravel;
    GRAVEL_TRY(gravel_leave(gravel, 0));
    return gravel_node_run(gravel, kernel, n_groups, group_items, &launch->event);
}

/* Runs it while no other kernel runs handlers with keys. */
static int run_in_turn(struct gravel_servers_launch *launch, cl_kernel kernel, size_t n_groups,
                       size_t group_items)
{
    struct gravel_key_turn *turn = &launch->gravel->servers.turn;
    GRAVEL_TRY(gravel_turn_take(turn, launch->gravel->device.limit));
    int code = run(launch, kernel, n_groups, group_items);
    gravel_turn_end(turn);
    return code;
}

static int fail_without_work(void)
{
    return gravel_fail(GRAVEL_EINVAL, "gravel_server_launch: the kernel takes no work: it has no "
                                      "GRAVEL_SERVE loop");
}

/* ---- phases ---------------------------------------------------------------------------------- */

static int run_phases(struct gravel_servers_launch *launch, struct gravel_servers_state *state)
{
    struct gravel_servers *servers = &launch->gravel->servers;
    const uint32_t n = launch->n_groups, n_clients = servers->shape.n_clients;
    const struct gravel_servers_order all = {GRAVELP_LAUNCH_PHASES, launch->n_items, 0, n};
    int code = gravel_servers_begin(servers, &all);
    while (!code && !state->is_broken && (state->n_taken < n || state->has_sent)) {
        uint32_t before = state->n_taken;
        if (before < n)
            code =
                run(launch, launch->clients, n < n_clients ? n : n_clients, launch->client_items);
        const bool serves = !launch->gravel->config.check; /* else all messages go to the host */
        if (!code && serves)
            code =
                run_in_turn(launch, launch->server, servers->shape.n_owners, launch->server_items);
        if (!code && serves && launch->pairs)
            code = run_in_turn(launch, launch->pairs, 1, launch->pair_items);
        if (!code)
            code = gravel_servers_poll(servers, state);
        gravel_counter_add(&servers->n_phases, 1);
        if (!code && before < n && state->n_taken == before &&
            !state->is_broken) /* every inbox has had room */
            code = fail_without_work();
    }
    return code;
}

/* ---- side by side ---------------------------------------------------------------------------- */

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
    GRAVEL_TRY(run_in_turn(launch, launch->clients,
                           servers->shape.n_servers + servers->shape.n_clients,
                           launch->client_items));
    GRAVEL_TRY(gravel_servers_poll(servers, state));
    if (state->n_taken == first + n && n == servers->n_at_once)
        servers->n_at_once = next_size(n, gravel_clock_ns() - begin_ns);
    return 0;
}

static int run_resident(struct gravel_servers_launch *launch, struct gravel_servers_state *state)
{
    struct gravel_servers *servers = &launch->gravel->servers;
    const struct gravel_wait for_room = {.limit = launch->gravel->device.limit,
                                         .what = "room in the queue to the host"};
    struct gravel_wait wait = for_room;
    int code = 0;
    if (servers->n_at_once == 0)
        servers->n_at_once = FIRST_GROUPS * servers->shape.n_clients;
    while (!code && !state->is_broken && state->n_taken < launch->n_groups) {
        uint32_t before = state->n_taken;
        code = run_next(launch, state);
        if (!code && state->n_arrived == 0)
            code = fail_without_work();
        if (state->n_taken != before)
            wait = for_room;
        else if (!code && !state->is_broken)
            code = gravel_wait_pause(&wait);
    }
    return code;
}

int gravel_servers_run(struct gravel_servers_launch *launch, bool *is_broken)
{
    struct gravel_servers *servers = &launch->gravel->servers;
    struct gravel_servers_state state = {.n_taken = 0};
    const struct gravel_servers_order none = {.launch = GRAVELP_LAUNCH_NONE};
    int code =
        servers->shape.is_resident ? run_resident(launch, &state) : run_phases(launch, &state);
    *is_broken = state.is_broken;
    int ended = gravel_servers_begin(servers, &none);
    return code ? code : ended;
}
