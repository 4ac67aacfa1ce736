/* SPDX-License-Identifier: MIT */
/*
 * The sizes of a launch. See enqueue.h.
 */
#include "node/enqueue.h"

#include "settings/defaults.h"

#include <inttypes.h>
#include <string.h>

#define FEW_ITEMS 32u
#define MOST_ITEMS 1024u /* as GRAVEL_MAX_GROUP is, unless the program sets it */

/* Returns whether the last group of a dimension may be smaller. */
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

/* Checks positions in a launch, counted in a size_t of the device, and groups, in one of ours. */
static int check_total(const struct gravel_device *device, cl_uint n, const size_t *global)
{
    cl_uint bits = 64;
    uint64_t total = 1;
    clGetDeviceInfo(device->id, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, NULL);
    const uint64_t most = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    for (cl_uint d = 0; d < n; d++) {
        if (global[d] > most || (global[d] && total > UINT64_MAX / global[d]))
            return gravel_fail(GRAVEL_EINVAL,
                               "gravel_launch: %zu work-items in dimension %u are more than can be "
                               "counted",
                               global[d], d);
        total *= global[d];
    }
    return 0;
}

/*
 * Checks groups. A kernel's own limit is the driver's to refuse, with the first command, before anything is sent:
 * NVIDIA's names 256 as CL_KERNEL_WORK_GROUP_SIZE of kernels that it runs in groups of 512.
 *
 * @param required  [3] by the kernel; 0: any.
 */
static int check_groups(const struct gravel_device *device, cl_uint n, const size_t *global,
                        const size_t *local, const size_t *required)
{
    const size_t most = device->capability.max_group;
    size_t items = 1, most_each[8] = {0};
    clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof most_each, most_each, NULL);
    for (cl_uint d = 0; d < n; d++) {
        if (local[d] == 0)
            return gravel_fail(GRAVEL_EINVAL, "gravel_launch: local size 0 in dimension %u", d);
        if (local[d] > most / items || (most_each[d] && local[d] > most_each[d]))
            return gravel_fail(GRAVEL_EINVAL,
                               "gravel_launch: groups of %zu work-items in dimension %u: this "
                               "device has at most %zu in all (WORK_GROUP_SIZE)",
                               local[d], d, most);
        items *= local[d];
        if (required[d] && local[d] != required[d])
            return gravel_fail(GRAVEL_EINVAL,
                               "gravel_launch: groups of %zu in dimension %u, and the kernel "
                               "requires %zu",
                               local[d], d, required[d]);
        if (global[d] % local[d] && (required[d] || !takes_smaller_groups(device)))
            return gravel_fail(
                GRAVEL_EINVAL,
                "gravel_launch: %zu work-items in dimension %u are not a multiple of "
                "the group's %zu, and %s (WORK_GROUP_SIZE)",
                global[d], d, local[d],
                required[d] ? "the kernel requires that size"
                            : "this device takes no smaller last group");
    }
    return 0;
}

/* Chooses a group size for callers who leave it to the library: a driver's choice may be more than GRAVEL_MAX_GROUP. A
 * divisor of the global size, near the one that suits the device; above that if all below are small. */
static size_t choose_group(const struct gravel_device *device, cl_kernel kernel, size_t global)
{
    size_t most = 1, suits = gravel_derive_group_size(device);
    clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                             NULL);
    while (suits > most)
        suits /= 2;
    size_t chosen = suits;
    while (global % chosen != 0)
        chosen--;
    for (size_t n = suits + 1; chosen < FEW_ITEMS && n <= most && n <= MOST_ITEMS; n++)
        if (global % n == 0)
            chosen = n;
    return chosen;
}

int gravel_sizes_take(struct gravel_slicer *sizes, const struct gravel_device *device,
                      cl_kernel kernel, cl_uint n, const size_t *global, const size_t *local)
{
    size_t required[3], chosen[3] = {1, 1, 1};
    if (n < 1 || n > 3)
        return gravel_fail(GRAVEL_EINVAL, "gravel_launch: %u dimensions (1 to 3 allowed)", n);
    GRAVEL_TRY(check_total(device, n, global));
    if (clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                 sizeof required, required, NULL) != CL_SUCCESS)
        return gravel_fail(
            GRAVEL_EINVAL,
            "gravel_launch: %p is not a kernel of a program built for the node's device",
            (void *)kernel);
    if (!local && required[0])
        local = required;
    if (local)
        GRAVEL_TRY(check_groups(device, n, global, local, required));
    else
        chosen[0] = choose_group(device, kernel, global[0]);
    gravel_slicer_init(sizes, n, global, local ? local : chosen);
    return 0;
}
