/* SPDX-License-Identifier: MIT */
/*
 * The sizes of a launch. See launch.h.
 *
 * A driver checks a command, and a launch may be many: a last group that it does not take must not be found when all
 * others have run.
 */
#include "node/launch.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

/* Whether the last group of a dimension may be smaller. */
static bool takes_smaller_groups(const struct gravel_device *device)
{
    cl_bool takes = CL_FALSE;
    char version[64] = "";
    if (clGetDeviceInfo(device->id, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof takes, &takes,
                        NULL) == CL_SUCCESS)
        return takes;
    clGetDeviceInfo(device->id, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
    return !strncmp(version, "OpenCL 2", 8);
}

static int check_shape(const struct gravel_sizes *sizes)
{
    if (sizes->n_dimensions < 1 || sizes->n_dimensions > 3 || !sizes->global)
        return gravel_fail(GRAVEL_EINVAL, "gravel_launch: %u dimensions, sizes at %p",
                           sizes->n_dimensions, (const void *)sizes->global);
    for (cl_uint d = 0; d < sizes->n_dimensions; d++)
        if (sizes->local && sizes->local[d] == 0)
            return gravel_fail(GRAVEL_EINVAL, "gravel_launch: local size 0 in dimension %u", d);
    return 0;
}

/* Positions in a launch are counted in a size_t of the device, and groups in one of ours. */
static int check_total(struct gravel_sizes *sizes, const struct gravel_device *device)
{
    cl_uint bits = 64;
    uint64_t total = 1;
    clGetDeviceInfo(device->id, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, NULL);
    uint64_t most = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    for (cl_uint d = 0; d < sizes->n_dimensions; d++) {
        uint64_t n = sizes->global[d];
        if (n > most || (n && total > UINT64_MAX / n))
            return gravel_fail(GRAVEL_EINVAL,
                               "gravel_launch: %" PRIu64 " work-items in dimension %u are more "
                               "than can be counted",
                               n, d);
        total *= n;
    }
    sizes->is_empty = total == 0;
    return 0;
}

/* A dimension's groups. @param required  by the kernel; 0: any. */
static int check_dimension(const struct gravel_sizes *sizes, cl_uint d, bool takes_smaller)
{
    size_t global = sizes->global[d], local = sizes->local[d], required = sizes->kernels[d];
    if (required && local != required)
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_launch: groups of %zu in dimension %u, and the kernel requires "
                           "%zu",
                           local, d, required);
    if (global % local == 0 || (takes_smaller && !required))
        return 0;
    return gravel_fail(GRAVEL_EINVAL,
                       "gravel_launch: %zu work-items in dimension %u are no multiple of the "
                       "group's %zu, and %s (WORK_GROUP_SIZE)",
                       global, d, local,
                       required ? "the kernel requires that size"
                                : "this device takes no smaller last group");
}

/*
 * A kernel's own limit is the driver's to refuse, with the first command, before anything is sent: NVIDIA's names 256
 * as CL_KERNEL_WORK_GROUP_SIZE of kernels that it runs in groups of 512.
 */
static int check_group(const struct gravel_sizes *sizes, const struct gravel_device *device)
{
    size_t most = device->capability.max_group, items = 1, most_each[8] = {0};
    clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof most_each, most_each, NULL);
    for (cl_uint d = 0; d < sizes->n_dimensions; d++) {
        size_t local = sizes->local[d];
        if (local > most / items || (most_each[d] && local > most_each[d]))
            return gravel_fail(GRAVEL_EINVAL,
                               "gravel_launch: groups of %zu work-items in dimension %u: this "
                               "device has at most %zu in all (WORK_GROUP_SIZE)",
                               local, d, most);
        items *= local;
    }
    return 0;
}

int gravel_sizes_check(struct gravel_sizes *sizes, const struct gravel_device *device,
                       cl_kernel kernel)
{
    GRAVEL_TRY(check_shape(sizes));
    GRAVEL_TRY(check_total(sizes, device));
    if (clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                 sizeof sizes->kernels, sizes->kernels, NULL) != CL_SUCCESS)
        return gravel_fail(
            GRAVEL_EINVAL,
            "gravel_launch: %p is no kernel of a program built for the node's device",
            (void *)kernel);
    if (!sizes->local && sizes->kernels[0])
        sizes->local = sizes->kernels;
    if (!sizes->local)
        return 0;
    int code = check_group(sizes, device);
    bool takes_smaller = takes_smaller_groups(device);
    for (cl_uint d = 0; d < sizes->n_dimensions && !code; d++)
        code = check_dimension(sizes, d, takes_smaller);
    return code;
}
