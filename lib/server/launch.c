/* SPDX-License-Identifier: MIT */
/*
 * Builds programs of clients and servers on an open node, and launches them.
 *
 * Path:    gravel/server.h -> launch.c -> modes.c; serve/text.c.
 * Threads: any; one launch of clients and servers at a time.
 */
#include "gravel/server.h"

#include "node/enqueue.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "server/launch.h"
#include "serve/text.h"

#include <inttypes.h>
#include <stdlib.h>

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

/* ---- launch -------------------------------------------------------------------------------------- */

/* Makes a kernel that empties inboxes, of the clients' program. */
static int make(struct gravel_servers_launch *launch, const char *name, size_t *group,
                cl_kernel *server)
{
    struct gravel *gravel = launch->gravel;
    cl_program program = NULL;
    cl_int error =
        clGetKernelInfo(launch->clients, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    if (error == CL_SUCCESS)
        *server = clCreateKernel(program, name, &error);
    if (error == CL_INVALID_KERNEL_NAME)
        return gravel_fail(GRAVEL_EINVAL, "gravel_server_launch: the kernel is of a program that "
                                          "gravel_server_build did not build");
    if (error == CL_SUCCESS)
        error = gravel_memory_set_argument(&gravel->memory, *server, 0);
    if (error == CL_SUCCESS)
        error = gravel_cl_kernel_group(&gravel->device, *server, group);
    return gravel_check_cl("gravel_server_launch: the servers' kernel", error);
}

/* Makes the kernels next to the clients', and sizes all groups. They are to be released, also on failure. */
static int make_kernels(struct gravel_servers_launch *launch)
{
    const struct gravel *gravel = launch->gravel;
    const struct gravel_servers_shape *shape = &gravel->servers.shape;
    launch->client_items = GRAVEL_CLIENT_ITEMS;
    launch->server_items = gravel->config.server_items;
    launch->pair_items = gravel_servers_pair_items(launch->server_items);
    GRAVEL_TRY(gravel_check_cl(
        "gravel_server_launch: the kernel's group",
        gravel_cl_kernel_group(&gravel->device, launch->clients, &launch->client_items)));
    launch->n_groups =
        (uint32_t)((launch->n_items + launch->client_items - 1) / launch->client_items);
    int code = make(launch, GRAVEL_SERVER_KERNEL, &launch->server_items, &launch->server);
    return code || shape->n_owners == shape->n_servers
               ? code
               : make(launch, GRAVEL_PAIRS_KERNEL, &launch->pair_items, &launch->pairs);
}

static int launch(struct gravel_servers_launch *launch)
{
    struct gravel *gravel = launch->gravel;
    bool is_broken = false;
    int code = make_kernels(launch);
    if (!code)
        code = gravel_servers_run(launch, &is_broken);
    gravel_cl_kernel_release(launch->server);
    gravel_cl_kernel_release(launch->pairs);
    if (!code && is_broken) { /* the node's threads report the fault, at the latest to a fence */
        code = gravel_fence(gravel);
        if (!code)
            code = gravel_fail(GRAVEL_EKERNEL, "gravel_server_launch: messages were dropped");
    }
    return code || !gravel->config.check ? code : gravel_quiet(gravel);
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
    struct gravel_servers_launch order = {.gravel = gravel, .clients = kernel, .n_items = n_items};
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
