/* SPDX-License-Identifier: MIT */
/*
 * Chooses the scheduler of flows. See scheduler.h.
 */
#include "settings/scheduler.h"

#include "base/clock.h"
#include "base/error.h"
#include "settings/settings.h"

#define GROUPS_OF_UNIT 4u /* of a GPU: while one group waits, others work */

static const char *const names[] = {
    [GRAVEL_SCHEDULER_HOST] = "host",
    [GRAVEL_SCHEDULER_LONE] = "lone",
    [GRAVEL_SCHEDULER_RESIDENT] = "resident",
};

const char *gravel_scheduler_name(enum gravel_scheduler scheduler)
{
    return names[scheduler];
}

/* Returns the groups of a launch. Where other kernels and copies must run beside it, one unit stays free. */
static uint32_t groups_of(const struct gravel_device *device, const struct gravel_config *config)
{
    uint32_t units = device->units - (gravel_device_leaves_unit(device) && device->units > 1);
    if (config->flow_groups)
        return config->flow_groups;
    return device->capability.is_cpu ? units : units * GROUPS_OF_UNIT;
}

/* Returns the faster scheduler: on CPU devices the form with a loop takes longer for a round than a launch costs. */
static enum gravel_scheduler preferred(const struct gravel_device *device)
{
    return device->capability.is_cpu ? GRAVEL_SCHEDULER_LONE : GRAVEL_SCHEDULER_RESIDENT;
}

/* The choices of GRAVEL_SCHEDULER are auto, and the schedulers by number. */
static enum gravel_scheduler wanted(const struct gravel_device *device,
                                    const struct gravel_config *config)
{
    const uint32_t choice = GRAVEL_CHOICE(config, scheduler);
    return choice ? (enum gravel_scheduler)(choice - 1) : preferred(device);
}

int gravel_scheduling_choose(struct gravel_scheduling *scheduling,
                             const struct gravel_device *device, const struct gravel_config *config)
{
    *scheduling = (struct gravel_scheduling){.scheduler = wanted(device, config),
                                             .n_groups = groups_of(device, config),
                                             .wait_ms = (uint32_t)config->timeout_ms,
                                             .slice_ns = config->flow_slice_ms * GRAVEL_NS_PER_MS};
    if (scheduling->scheduler != GRAVEL_SCHEDULER_RESIDENT)
        return 0;
    scheduling->has_met = true;
    int code = gravel_self_test_meet(device, scheduling->n_groups, 2, &scheduling->meeting);
    if (code != GRAVEL_ECAPABILITY || GRAVEL_CHOICE(config, scheduler) != 0)
        return code;
    scheduling->scheduler = GRAVEL_SCHEDULER_LONE;
    return 0;
}
