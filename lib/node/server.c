/* SPDX-License-Identifier: MIT */
/*
 * Launches of clients and servers on an open node.
 *
 * Path:    server.h -> server.c -> serve/phases.c or serve/resident.c -> launch.c.
 * Threads: any; one launch of clients and servers at a time.
 */
#include "gravel/server.h"

#include "node/node.h"
#include "node/wait_list.h"
#include "opencl/given.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "serve/phases.h"
#include "serve/resident.h"
#include "serve/server_program.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- build --------------------------------------------------------------------------------------- */

static bool has_keys(const struct gravel *gravel)
{
    return gravel->servers.shape.n_args != 0;
}

static int build(struct gravel *gravel, const struct gravel_program_request *request,
                 cl_program *program)
{
    if (!request->prelude || !request->trailer)
        return gravel_fail(GRAVEL_ENOMEM, "%s: text around it", request->name);
    return gravel_node_build(gravel, request, program);
}

int gravel_server_build(struct gravel *gravel, const char *name, const char *source,
                        const char *options, cl_program *program)
{
    static const char call[] = "gravel_server_build";
    if (gravel_node_refuse_wait(gravel, call) || gravel_require(call, "program", program))
        return GRAVEL_EINVAL;
    *program = NULL;
    if (gravel_require(call, "name", name) || gravel_require(call, "source", source))
        return GRAVEL_EINVAL;
    if (!has_keys(gravel))
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_server_build: none of %u handlers has a key, so there are no "
                           "servers",
                           gravel->n_handlers);
    char *prelude =
        gravel_server_prelude(gravel->handlers, gravel->n_handlers,
                              gravel->network.transport->n_nodes, &gravel->servers.shape);
    char *trailer = gravel_server_trailer(gravel->handlers, gravel->n_handlers);
    const struct gravel_program_request request = {
        .name = name, .source = source, .prelude = prelude, .trailer = trailer, .options = options};
    int code = build(gravel, &request, program);
    free(prelude);
    free(trailer);
    return code;
}

/* ---- launch -------------------------------------------------------------------------------------- */

/* What a launch hands to its kernels' callback. */
struct launching {
    struct gravel *gravel;
    cl_event event; /* of the last */
};

static int run(void *context, cl_kernel kernel, size_t n_groups, size_t group_items)
{
    struct launching *launching = context;
    if (gravel_node_has_failed(launching->gravel))
        return gravel_failure_report(&launching->gravel->failure);
    int code = gravel_node_run(launching->gravel, kernel, n_groups, group_items, &launching->event);
    if (!code && gravel_mail_words_bytes(&launching->gravel->servers.mail))
        code = gravel_pump_look(launching->gravel->pump);
    return code;
}

/* A kernel that empties inboxes, of the same program as the clients'. */
static int make_server(struct gravel *gravel, cl_kernel clients, const char *name, size_t *group,
                       cl_kernel *server)
{
    cl_program program = NULL;
    cl_int error = clGetKernelInfo(clients, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
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

static int make_servers(struct gravel *gravel, struct gravel_servers_launch *launch)
{
    const struct gravel_servers_shape *shape = &gravel->servers.shape;
    int code = make_server(gravel, launch->clients, GRAVEL_SERVER_KERNEL, &launch->server_items,
                           &launch->server);
    return code || shape->n_owners == shape->n_servers
               ? code
               : make_server(gravel, launch->clients, GRAVEL_PAIRS_KERNEL, &launch->pair_items,
                             &launch->pairs);
}

/* The node's threads report a fault, at the latest to who waits for them. */
static int tell_fault(struct gravel *gravel)
{
    int code = gravel_fence(gravel);
    return code ? code : gravel_fail(GRAVEL_EKERNEL, "gravel_server_launch: messages were dropped");
}

static int run_launch(const struct gravel_servers_launch *launch, bool *is_broken)
{
    return launch->servers->shape.is_resident ? gravel_resident_run(launch, is_broken)
                                              : gravel_phases_run(launch, is_broken);
}

static int launch(struct gravel *gravel, cl_kernel kernel, uint64_t n_items,
                  struct launching *launching)
{
    struct gravel_servers_launch launch = {
        .servers = &gravel->servers,
        .clients = kernel,
        .n_items = n_items,
        .client_items = GRAVEL_CLIENT_ITEMS,
        .server_items = gravel->config.server_items,
        .pair_items = gravel_servers_pair_items(gravel->config.server_items),
        .limit = gravel->device.limit,
        .is_checked = gravel->config.check,
        .run = run,
        .context = launching,
    };
    bool is_broken = false;
    int code =
        gravel_check_cl("gravel_server_launch: the kernel's group",
                        gravel_cl_kernel_group(&gravel->device, kernel, &launch.client_items));
    if (!code)
        code = make_servers(gravel, &launch);
    if (!code)
        code = run_launch(&launch, &is_broken);
    gravel_cl_kernel_release(launch.server);
    gravel_cl_kernel_release(launch.pairs);
    if (!code && is_broken)
        code = tell_fault(gravel);
    return code || !launch.is_checked ? code : gravel_quiet(gravel);
}

static int check(const struct gravel *gravel, cl_kernel kernel, uint64_t n_items, cl_uint n_wait,
                 const cl_event *wait)
{
    static const char call[] = "gravel_server_launch";
    if (gravel_node_refuse_wait(gravel, call) ||
        gravel_given_kernel(&gravel->device, call, kernel) ||
        gravel_given_events(&gravel->device, call, n_wait, wait))
        return GRAVEL_EINVAL;
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
    struct launching launching = {.gravel = gravel};
    int code = check(gravel, kernel, n_items, n_wait, wait);
    if (!code && gravel_node_has_failed(gravel))
        code = gravel_failure_report(&gravel->failure);
    if (!code)
        code = gravel_wait_list(gravel, "gravel_server_launch", n_wait, wait);
    if (code) {
        if (event)
            *event = NULL;
        return code;
    }
    if (pthread_mutex_trylock(&gravel->servers.lock))
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_server_launch: another thread's launch is under way");
    code = launch(gravel, kernel, n_items, &launching);
    pthread_mutex_unlock(&gravel->servers.lock);
    if (event && !code)
        *event = launching.event;
    else
        gravel_cl_event_release(launching.event);
    return code;
}
