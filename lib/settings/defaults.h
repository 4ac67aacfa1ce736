/* SPDX-License-Identifier: MIT */
/*
 * Settings that are 0, "derive it": what suits the step, the machine and the job.
 *
 * Path:    settings.c -> defaults.c -> open.c, gravel-info.
 * Threads: any; functions of their arguments alone.
 */
#ifndef GRAVEL_SETTINGS_DEFAULTS_H
#define GRAVEL_SETTINGS_DEFAULTS_H

#include "device/device.h"
#include "layout/arena.h"

/* What the settings of a node depend on. */
struct gravel_surroundings {
    const struct gravel_device *device; /* open and tested */
    uint32_t n_nodes;
    uint32_t cores; /* of the host, for this node's threads */
};

/** Returns the node buffer this node would take [bytes], if it is left to Gravel. All nodes must take the same. */
uint64_t gravel_derive_buffer_bytes(const struct gravel_config *config,
                                    const struct gravel_surroundings *around);

/**
 * Returns whether node buffers of aggregators and host calls fit GRAVEL_ROUTE_MEMORY, if it is set.
 *
 * @param config  nothing in it is left to be derived.
 * @return        0; GRAVEL_ECONFIG: the text names what they take.
 */
int gravel_derive_check_route_memory(const struct gravel_config *config, uint32_t n_nodes);

/** Work-items of a work-group that suit the device, a power of two. */
uint32_t gravel_derive_group_size(const struct gravel_device *device);

/** Derives every setting that is 0, where 0 means so. */
void gravel_derive(struct gravel_config *config, const struct gravel_surroundings *around);

/**
 * Returns how long a waiting host thread stays awake [us]: 0 unless a core is left for each, also while kernels run.
 *
 * @param config  nothing in it is left to be derived.
 */
uint32_t gravel_derive_awake_us(const struct gravel_config *config,
                                const struct gravel_surroundings *around);

/**
 * Node buffers that the pump needs for each queue, if the device bins [count].
 *
 * @param config  nothing in it is left to be derived.
 */
uint32_t gravel_derive_pump_buffers(const struct gravel_config *config, uint32_t n_nodes);

#endif
