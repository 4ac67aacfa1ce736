/* SPDX-License-Identifier: MIT */
/*
 * Which scheduler flows of a device get, and what it may use.
 *
 * Path:    lib/flow/create.c, gravel-info -> scheduler.c -> lib/self_test/meet.c.
 * Owner:   the caller.
 * Threads: one at a time for a device.
 */
#ifndef GRAVEL_SETTINGS_SCHEDULER_H
#define GRAVEL_SETTINGS_SCHEDULER_H

#include "self_test/self_test.h"

/* Who chooses rounds: the host; or the groups of a launch that is only as long as a slice, a lone one while a round is
 * of one group. */
enum gravel_scheduler {
    GRAVEL_SCHEDULER_HOST,
    GRAVEL_SCHEDULER_RESIDENT,
};

struct gravel_scheduling {
    enum gravel_scheduler scheduler;
    uint32_t n_groups; /* of a resident launch */
    uint64_t slice_ns; /* how long a launch should take that chooses by itself */
    uint32_t wait_ms;  /* of a group for the groups of its launch */
    bool has_met;      /* the self-test ran, and `meeting` is what it saw */
    struct gravel_meeting meeting;
};

/**
 * Choose as GRAVEL_SCHEDULER, GRAVEL_FLOW_GROUPS and GRAVEL_FLOW_SLICE say. A resident scheduler is taken if the
 * self-test has proved that started groups continue.
 *
 * @param scheduling  [out]
 * @param is_rounds   for rounds, in which all groups meet: the fewer there are, the sooner.
 * @return  0; GRAVEL_ECAPABILITY if it was asked for and is not proved: what the self-test saw;
 *          GRAVEL_EBUILD; GRAVEL_ECL; GRAVEL_ETIMEOUT.
 */
int gravel_scheduling_choose(struct gravel_scheduling *scheduling,
                             const struct gravel_device *device, const struct gravel_config *config,
                             bool is_rounds);

/** Return the name that GRAVEL_SCHEDULER takes. */
const char *gravel_scheduler_name(enum gravel_scheduler scheduler);

#endif
