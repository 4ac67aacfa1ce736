/* SPDX-License-Identifier: MIT */
/*
 * Builds programs of clients and servers on an open node, and launches them, by either mode.
 *
 * Phases: a kernel of clients ends when an inbox is nearly full or no work is left, a kernel of servers empties the
 * inboxes, and so on. No work-group waits, so that this works on every step and with a single compute unit.
 *
 * Resident: one kernel, whose first groups to arrive serve (cl/device/serving.cl.h). It has the lock of handlers with
 * keys for as long as it runs. So a launch that takes long is several kernels: each gets virtual groups for about
 * KERNEL_NS, and between two of them messages with keys that came by the network are applied. Clients also end early
 * when the queue to the host is half full: the network thread, which has to make room there, may wait for that lock.
 * Only where a node is alone: clients of two nodes could wait for each other, whose launches have the locks that their
 * messages wait for.
 *
 * Path:    gravel/server.h -> this -> node/launch.c; serve/text.c.
 * Threads: any; one launch of clients and servers at a time.
 * Source:  resident: Wang, Fussell, Lin 2019, section 3.1; phases are not in it.
 */
#include "gravel/server.h"

#include "base/clock.h"
#include "base/counter.h"
#include "node/enqueue.h"
#include "node/node.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "opencl/wait.h"
#include "serve/servers.h"

#include <inttypes.h>
#include <stdlib.h>

#define KERNEL_NS UINT64_C(50000000) /* that a kernel shall take */
#define FIRST_GROUPS 64u /* virtual groups of the first kernel, for each group of clients */

struct kernel {
    cl_kernel kernel;
    size_t items; /* of a group */
};

struct gravel_servers_launch {
    struct gravel *gravel;
    struct kernel clients, server;
    struct kernel pairs; /* serves transactions; NULL if there are none */
    uint64_t n_items;
    uint32_t n_groups; /* virtual groups of clients */
    cl_event event;    /* of the last kernel so far */
};

/* ---- build --------------------------------------------------------------------------------------- */

static bool has_keys(const struct gravel *gravel)
{
    return gravel->servers.shape.n_args != 0;
}

int gravel_server_build(struct gravel *gravel, const char *name, const char *source,
                        const char *options, cl_program *program)
{
    static const char call[] = "gravel_server_build";
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_require(call, "program", program));
    *program = NULL;
    GRAVEL_TRY(gravel_require(call, "name", name));
    GRAVEL_TRY(gravel_require(call, "source", source));
    if (!has_keys(gravel))
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_server_build: none of %u handlers has a key, so there are no "
                           "servers",
                           gravel->endpoints.n_handlers);
    char *prelude = gravel_server_prelude(&gravel->endpoints, gravel->network.transport->n_nodes,
                                          &gravel->servers.shape);
    char *trailer = gravel_server_trailer(&gravel->endpoints);
    const struct gravel_program_request request = {
        .name = name, .source = source, .prelude = prelude, .trailer = trailer, .options = options};
    int code = prelude && trailer
                   ? gravel_node_build(gravel, &request, program)
                   : gravel_fail(GRAVEL_ENOMEM, "%s: text around a program of servers", name);
    free(prelude);
    free(trailer);
    return code;
}

/* ---- a kernel -------------------------------------------------------------------------------- */

/* Runs a kernel of n_groups groups to its end. */
static int run(struct gravel_servers_launch *launch, struct kernel kernel, size_t n_groups)
{
    struct gravel *gravel = launch->gravel;
    GRAVEL_TRY(gravel_leave(gravel, 0));
    return gravel_node_run(gravel, kernel.kernel, n_groups, kernel.items,
                           gravel_node_kernel_limit(gravel), &launch->event);
}

/* Runs it while no other kernel runs handlers with keys. */
static int run_locked(struct gravel_servers_launch *launch, struct kernel kernel, size_t n_groups)
{
    struct gravel_key_lock *lock = &launch->gravel->servers.keys;
    GRAVEL_TRY(gravel_key_lock_take(lock, GRAVEL_KEYS_LAUNCH, launch->gravel->device.limit));
    int code = run(launch, kernel, n_groups);
    gravel_key_lock_release(lock);
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
            code = run(launch, launch->clients, n < n_clients ? n : n_clients);
        const bool serves = !launch->gravel->config.check; /* else all messages go to the host */
        if (!code && serves)
            code = run_locked(launch, launch->server, servers->shape.n_owners);
        if (!code && serves && launch->pairs.kernel)
            code = run_locked(launch, launch->pairs, 1);
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

/* Returns the virtual groups of the next kernel: twice as many while kernels are short, half if they are long. */
static uint32_t next_size(uint32_t n, uint64_t took_ns)
{
    if (took_ns < KERNEL_NS / 2 && n < UINT32_MAX / 2)
        return 2 * n;
    return took_ns > 2 * KERNEL_NS && n > 1 ? n / 2 : n;
}

/* Runs a kernel of the virtual groups from state->n_taken on. */
static int run_next(struct gravel_servers_launch *launch, struct gravel_servers_state *state)
{
    struct gravel_servers *servers = &launch->gravel->servers;
    const uint32_t first = state->n_taken, left = launch->n_groups - first;
    const uint32_t n = left < servers->n_at_once ? left : servers->n_at_once;
    uint64_t begin_ns = gravel_clock_ns();
    const struct gravel_servers_order order = {GRAVELP_LAUNCH_RESIDENT, launch->n_items, first,
                                               first + n};
    GRAVEL_TRY(gravel_servers_begin(servers, &order));
    GRAVEL_TRY(
        run_locked(launch, launch->clients, servers->shape.n_servers + servers->shape.n_clients));
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

/* Runs a launch to its end. @param is_broken  [out] whether messages were dropped after a fault, which the node's
 * threads report. */
static int run_all(struct gravel_servers_launch *launch, bool *is_broken)
{
    struct gravel_servers *servers = &launch->gravel->servers;
    struct gravel_servers_state state = {.n_taken = 0};
    const struct gravel_servers_order none = {.launch = GRAVELP_LAUNCH_NONE};
    int code =
        servers->shape.is_resident ? run_resident(launch, &state) : run_phases(launch, &state);
    *is_broken = state.is_broken;
    return gravel_first_failure(code, gravel_servers_begin(servers, &none));
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Makes a kernel that empties inboxes, of the clients' program. @param server  [in, out] its items: wanted, and had */
static int make(struct gravel_servers_launch *launch, const char *name, struct kernel *server)
{
    struct gravel *gravel = launch->gravel;
    cl_program program = NULL;
    cl_int error =
        clGetKernelInfo(launch->clients.kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    if (error == CL_SUCCESS)
        server->kernel = clCreateKernel(program, name, &error);
    if (error == CL_INVALID_KERNEL_NAME)
        return gravel_fail(GRAVEL_EINVAL, "gravel_server_launch: the kernel is of a program that "
                                          "gravel_server_build did not build");
    if (error == CL_SUCCESS)
        error = gravel_memory_set_argument(&gravel->memory, server->kernel, 0);
    if (error == CL_SUCCESS)
        error = gravel_cl_kernel_group(&gravel->device, server->kernel, &server->items);
    return gravel_check_cl("gravel_server_launch: the servers' kernel", error);
}

/* Makes the kernels next to the clients', and sizes all groups. They are to be released, also on failure. */
static int make_kernels(struct gravel_servers_launch *launch)
{
    const struct gravel *gravel = launch->gravel;
    const struct gravel_servers_shape *shape = &gravel->servers.shape;
    struct kernel *clients = &launch->clients;
    clients->items = GRAVEL_CLIENT_ITEMS;
    launch->server.items = gravel->config.server_items;
    launch->pairs.items = gravel_servers_pair_items(launch->server.items);
    GRAVEL_TRY(
        gravel_check_cl("gravel_server_launch: the kernel's group",
                        gravel_cl_kernel_group(&gravel->device, clients->kernel, &clients->items)));
    launch->n_groups = (uint32_t)((launch->n_items + clients->items - 1) / clients->items);
    GRAVEL_TRY(make(launch, GRAVEL_SERVER_KERNEL, &launch->server));
    return shape->n_owners == shape->n_servers ? 0
                                               : make(launch, GRAVEL_PAIRS_KERNEL, &launch->pairs);
}

static int launch(struct gravel_servers_launch *launch)
{
    struct gravel *gravel = launch->gravel;
    bool is_broken = false;
    int code = make_kernels(launch);
    if (!code)
        code = run_all(launch, &is_broken);
    gravel_cl_kernel_release(launch->server.kernel);
    gravel_cl_kernel_release(launch->pairs.kernel);
    if (!code && is_broken) { /* the node's threads report the fault, at the latest to a fence */
        code = gravel_fence(gravel);
        if (!code)
            code = gravel_fail(GRAVEL_EKERNEL, "gravel_server_launch: messages were dropped");
    }
    GRAVEL_TRY(code);
    return gravel->config.check ? gravel_quiet(gravel) : 0;
}

static int check(const struct gravel *gravel, cl_kernel kernel, uint64_t n_items, cl_uint n_wait,
                 const cl_event *wait)
{
    static const char call[] = "gravel_server_launch";
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_given_kernel(&gravel->device, call, kernel));
    GRAVEL_TRY(gravel_given_events(&gravel->device, call, n_wait, wait));
    if (n_items > UINT32_MAX)
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_server_launch: %" PRIu64 " work-items, at most %u", n_items,
                           UINT32_MAX);
    return has_keys(gravel) ? 0
                            : gravel_fail(GRAVEL_EINVAL, "gravel_server_launch: no handler has a "
                                                         "key, so there are no servers");
}

int gravel_server_launch(struct gravel *gravel, cl_kernel kernel, uint64_t n_items, cl_uint n_wait,
                         const cl_event *wait, cl_event *event)
{
    if (event)
        *event = NULL;
    struct gravel_servers_launch order = {
        .gravel = gravel, .clients.kernel = kernel, .n_items = n_items};
    GRAVEL_TRY(check(gravel, kernel, n_items, n_wait, wait));
    GRAVEL_TRY(gravel_leave(gravel, 0));
    GRAVEL_TRY(gravel_wait_list(gravel, "gravel_server_launch", n_wait, wait));
    if (pthread_mutex_trylock(&gravel->servers.lock))
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_server_launch: another thread's launch is under way");
    int code = launch(&order);
    pthread_mutex_unlock(&gravel->servers.lock);
    if (event && !code)
        *event = order.event;
    else
        gravel_cl_event_release(order.event);
    return code;
}
