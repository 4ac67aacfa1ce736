/* SPDX-License-Identifier: MIT */
/*
 * The capability ladder: ways for messages to leave a running kernel, best first.
 *
 *     svm    host and kernels share the arena as fine-grain SVM
 *     usm    the same by cl_intel_unified_shared_memory host allocations
 *     pump   the arena is device memory; copies beside the running kernel fetch its packages
 *     drain  the same, but copies run between slices of a launch, and no kernel ever waits
 *
 * Path:    capability.c -> ladder.c -> select.c, device.c; self_test.c has the last word.
 */
#ifndef GRAVEL_DEVICE_LADDER_H
#define GRAVEL_DEVICE_LADDER_H

#include "device/capability.h"

enum gravel_step { GRAVEL_STEP_SVM, GRAVEL_STEP_USM, GRAVEL_STEP_PUMP, GRAVEL_STEP_DRAIN };
#define GRAVEL_N_STEPS 4u

/** "svm", "usm", "pump" or "drain". */
const char *gravel_step_name(enum gravel_step step);

/** The step of a name. @return false if there is none, as for "auto". */
bool gravel_step_parse(const char *name, enum gravel_step *step);

/* What a step does. No code but the ladder's compares steps: it asks for one of these. */
struct gravel_step_facts {
    const char *name;
    bool is_shared; /* host and kernels address the same arena: nothing needs to be copied */
    bool may_wait;  /* a kernel may wait for the host or another node while it runs */
    bool is_pumped; /* a thread of the host copies packages while kernels run */
};
extern const struct gravel_step_facts gravel_steps[GRAVEL_N_STEPS];

static inline bool gravel_step_is_shared(enum gravel_step step)
{
    return gravel_steps[step].is_shared;
}

static inline bool gravel_step_may_wait(enum gravel_step step)
{
    return gravel_steps[step].may_wait;
}

static inline bool gravel_step_is_pumped(enum gravel_step step)
{
    return gravel_steps[step].is_pumped;
}

/** Return what a device says it lacks for a step; NULL if nothing. */
const char *gravel_step_lack(enum gravel_step step, const struct gravel_capability *capability);

/**
 * The step a device should take: the wanted one, or for "auto" the first that it does not lack anything for.
 *
 * @param wanted  GRAVEL_STEP's value.
 * @param step    [out]
 * @return        NULL, or what is missing.
 */
const char *gravel_step_choose(const char *wanted, const struct gravel_capability *capability,
                               enum gravel_step *step);

#endif
