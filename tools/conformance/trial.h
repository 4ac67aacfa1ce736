/* SPDX-License-Identifier: MIT */
/*
 * One suite on one step of one device, in a process of its own with a time limit.
 *
 * Path:    gravel-conformance.c -> trial.c -> info/child.c -> a suite; its TAP -> JSON.
 * Threads: main's.
 */
#ifndef TOOLS_CONFORMANCE_TRIAL_H
#define TOOLS_CONFORMANCE_TRIAL_H

#include "suites.h"

#include <jansson.h>

/* What is run: a suite, its arguments, and settings ("NAME=value NAME=value") besides those of the step. */
struct conformance_trial {
    const char *name;
    const struct suite *suite;
    const char *arguments[2];
    const char *settings,
        *drain_settings; /* NULL: none; drain's: where groups cannot wait for room */
};

extern const struct conformance_trial conformance_trials[];
extern const unsigned conformance_n_trials;

/* Where: the device as GRAVEL_DEVICE takes it, or NULL for the default; and the step. */
struct conformance_place {
    const char *device, *step;
    unsigned limit_s;
};

/**
 * Open a node, which proves that the device takes the step.
 *
 * @return  {"status": "passed", "about": {"device", "platform", "driver"}, "seconds"}, or "refused" with "reason" if the device
 *          lacks what the step needs, or "absent" if there is no such device, else "failed"; NULL without memory.
 */
json_t *conformance_open(const struct conformance_place *place);

/**
 * Run a suite.
 *
 * @return  {"status": "passed" or "failed", "passed", "failed", "skipped", "planned", "failures", "skips", "seconds"},
 *          with "reason" if it did not come to its end; NULL without memory.
 */
json_t *conformance_run(const struct conformance_place *place,
                        const struct conformance_trial *trial);

/** Returns the settings that a step is tried with besides the default ones, for the report; "" if there are none. */
const char *conformance_step_settings(const char *step);

#endif
