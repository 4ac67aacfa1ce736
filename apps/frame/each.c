/* SPDX-License-Identifier: MIT */
/*
 * Whole groups with several things a work-item, and one a work-item for the rest. See each.h.
 */
#include "frame/each.h"

#include <string.h>

#define PUMP_SLICES 4u /* of a launch that is long enough, on step pump */
#define MOST_EACH 1024u

uint32_t node_derive_each(const struct node *node, uint64_t n)
{
    if (strcmp(gravel_step(node->gravel), "pump") != 0)
        return 1;
    cl_uint n_units = 0;
    node_check_cl(clGetDeviceInfo(gravel_cl_device(node->gravel), CL_DEVICE_MAX_COMPUTE_UNITS,
                                  sizeof n_units, &n_units, NULL),
                  "clGetDeviceInfo");
    uint64_t slice_items = (uint64_t)node->group_items * (n_units > 1 ? n_units - 1 : 1);
    uint64_t each = n / (PUMP_SLICES * slice_items);
    return each < 1 ? 1 : each < MOST_EACH ? (uint32_t)each : MOST_EACH;
}

void node_send_each(struct node *node, const struct node_kernels *kernels, uint64_t n,
                    uint32_t each, struct node_bound bound)
{
    uint64_t group_takes = (uint64_t)node->group_items * each;
    uint64_t whole = each > 1 && !node->model->host ? n - n % group_takes : 0;
    if (whole == 0) {
        node_send(node, kernels->one, n, bound);
        return;
    }
    cl_uint n_arguments = 0;
    node_check_cl(clGetKernelInfo(kernels->several, CL_KERNEL_NUM_ARGS, sizeof n_arguments,
                                  &n_arguments, NULL),
                  "clGetKernelInfo");
    NODE_SET(kernels->several, n_arguments - 1, cl_uint, each);
    node_launch(node, kernels->several, 0, whole / each);
    node_launch(node, kernels->one, whole, n - whole);
}
