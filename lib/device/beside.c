/* SPDX-License-Identifier: MIT */
/*
 * Room for handlers beside the caller's kernels. See beside.h.
 */
#include "device/beside.h"

#include "base/error.h"
#include "base/handler.h"

bool gravel_beside_is_wanted(const struct gravel_bindings *bindings)
{
    for (uint32_t i = 0; bindings && bindings->handlers && i < bindings->n_handlers; i++)
        if (!gravel_handler_is_host(&bindings->handlers[i]))
            return true;
    return false;
}

int gravel_beside_choose(struct gravel_device *device, const struct gravel_bindings *bindings)
{
    bool is_shared = gravel_step_is_shared(device->step);
    device->is_sliced = !is_shared;
    if (!is_shared || !gravel_beside_is_wanted(bindings)) {
        device->beside = NULL;
        return 0;
    }
    device->is_sliced = !device->beside;
    if (device->beside || device->units > 1)
        return 0;
    return gravel_fail(
        GRAVEL_ECAPABILITY,
        "%s: handlers written in OpenCL C cannot run beside kernels on step %s: there is a "
        "single compute unit (%s); more units, or GRAVEL_STEP=drain, would do",
        device->capability.name, gravel_step_name(device->step), device->cores);
}

struct gravel_device gravel_beside_device(const struct gravel_device *device)
{
    struct gravel_device other = *device;
    if (device->beside)
        other.id = device->beside;
    return other;
}
