/* SPDX-License-Identifier: MIT */
/*
 * The kernels of a launch of clients and servers. See launch.h.
 */
#include "opencl/objects.h"
#include "server/launch.h"
#include "server/program.h"

/* A kernel that empties inboxes. */
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

int gravel_servers_make_kernels(struct gravel_servers_launch *launch)
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

void gravel_servers_release_kernels(struct gravel_servers_launch *launch)
{
    gravel_cl_kernel_release(launch->server);
    gravel_cl_kernel_release(launch->pairs);
}

int gravel_servers_run(struct gravel_servers_launch *launch, cl_kernel kernel, size_t n_groups,
                       size_t group_items)
{
    struct gravel *gravel = launch->gravel;
    GRAVEL_TRY(gravel_leave(gravel, 0));
    return gravel_node_run(gravel, kernel, n_groups, group_items, &launch->event);
}

int gravel_servers_run_in_turn(struct gravel_servers_launch *launch, cl_kernel kernel,
                               size_t n_groups, size_t group_items)
{
    struct gravel_key_turn *turn = &launch->gravel->servers.turn;
    GRAVEL_TRY(gravel_turn_take(turn, launch->gravel->device.limit));
    int code = gravel_servers_run(launch, kernel, n_groups, group_items);
    gravel_turn_end(turn);
    return code;
}

int gravel_servers_fail_without_work(void)
{
    return gravel_fail(GRAVEL_EINVAL, "gravel_server_launch: the kernel takes no work: it has no "
                                      "GRAVEL_SERVE loop");
}
