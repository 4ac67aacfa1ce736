/* SPDX-License-Identifier: MIT */
/*
 * Where handlers written in OpenCL C run on steps svm and usm: beside the caller's kernels.
 *
 * Leaders that wait for room keep their compute units, and the room may have to be made by a
 * handler. So handlers need units that leaders cannot take: on a CPU device those that
 * GRAVEL_HOST_CORES leaves to the host threads, as a sub-device that nothing else is launched on.
 * Where there is none, launches are cut into slices that leave one unit free, as on step pump.
 * Nodes without such handlers do neither.
 *
 * Path:    device.c -> beside.c -> node/launch.c (slices), lib/serve/calls.c.
 * Threads: the one that opens the node.
 */
#ifndef GRAVEL_DEVICE_BESIDE_H
#define GRAVEL_DEVICE_BESIDE_H

#include "device/device.h"

/** Whether a handler is the device's to run: it has no function of the host. */
bool gravel_beside_is_wanted(const struct gravel_bindings *bindings);

/**
 * Decide about `beside` and `is_sliced` of a device whose step is known.
 *
 * @return  0; GRAVEL_ECAPABILITY: kernels get a single unit, and there are no others.
 */
int gravel_beside_choose(struct gravel_device *device, const struct gravel_bindings *bindings);

/** The device as handlers see it: `id` is the sub-device beside, if there is one. */
struct gravel_device gravel_beside_device(const struct gravel_device *device);

#endif
