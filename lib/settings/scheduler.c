/* SPDX-License-Identifier: MIT */
/*
 * Chooses the scheduler of flows. See scheduler.h.
 */
#include "settings/scheduler.h"

#include "base/clock.h"
#include "base/error.h"
#include "settings/settings.h"

#define GROUPS_OF_UNIT 4u           /* of a GPU: while one group waits, others work */
#define GROUPS_OF_UNIT_IN_ROUNDS 2u /* hide loads, and meet as fast as one; more meet slower */

static const char *const names[] = {
    [GRAVEL_SCHEDULER_HOST] = "host",
    [GRAVEL_SCHEDULER_RESIDENT] = "resident",
};

const char *gravel_scheduler_name(enum gravel_scheduler scheduler)
{
    return names[scheduler];
}

int gravel_scheduling_choose(struct gravel_scheduling *scheduling,
                             const struct gravel_device *device, const struct gravel_config *config,
                             bool is_rounds)
{
    const uint32_t choice = GRAVEL_CHOICE(config, scheduler); /* auto, and schedulers by number */
    const bool is_asked = choice != 0;
    /* Where other kernels and copies must run too, one unit stays free. A flow on a CPU device gets one group unless it
     * is asked for more: there the form with a loop takes longer for a large round than a launch costs. */
    const uint32_t units = device->units - (gravel_device_leaves_unit(device) && device->units > 1);
    *scheduling = (struct gravel_scheduling){
        .scheduler = is_asked ? (enum gravel_scheduler)(choice - 1) : GRAVEL_SCHEDULER_RESIDENT,
        .n_groups = config->flow_groups ? config->flow_groups
                    : !device->capability.is_cpu
                        ? units * (is_rounds ? GROUPS_OF_UNIT_IN_ROUNDS : GROUPS_OF_UNIT)
                    : is_rounds || is_asked ? units
                                            : 1,
        .wait_ms = (uint32_t)config->timeout_ms,
        .slice_ns = config->flow_slice_ms * GRAVEL_NS_PER_MS};
    if (scheduling->scheduler == GRAVEL_SCHEDULER_HOST || scheduling->n_groups == 1)
        return 0; /* a lone group waits for none */
    scheduling->has_met = true;
    int code = gravel_self_test_meet(device, scheduling->n_groups, 2, &scheduling->meeting);
    if (code != GRAVEL_ECAPABILITY || is_asked)
        return code;
    scheduling->n_groups = 1;
    return 0;
}
