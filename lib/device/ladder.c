/* SPDX-License-Identifier: MIT */
/*
 * Which step a device can take, by what it says. See capability.h.
 */
#include "device/capability.h"

#include <string.h>

const struct gravel_step_facts gravel_steps[GRAVEL_N_STEPS] = {
    [GRAVEL_STEP_SVM] = {"svm", .is_shared = true, .may_wait = true},
    [GRAVEL_STEP_USM] = {"usm", .is_shared = true, .may_wait = true},
    [GRAVEL_STEP_PUMP] = {"pump", .may_wait = true, .is_pumped = true},
    [GRAVEL_STEP_DRAIN] = {"drain"},
};

const char *gravel_step_name(enum gravel_step step)
{
    return gravel_steps[step].name;
}

bool gravel_step_parse(const char *name, enum gravel_step *step)
{
    for (unsigned i = 0; i < GRAVEL_N_STEPS; i++)
        if (!strcmp(name, gravel_steps[i].name)) {
            *step = (enum gravel_step)i;
            return true;
        }
    return false;
}

const char *gravel_step_lack(enum gravel_step step, const struct gravel_capability *capability)
{
    if (!capability->has_compiler)
        return "no compiler for kernels (CL_DEVICE_COMPILER_AVAILABLE)";
    if (capability->is_big_endian)
        return "words are big-endian (CL_DEVICE_ENDIAN_LITTLE), and those of messages are not";
    if (!gravel_step_may_wait(step))
        return NULL;
    if (step == GRAVEL_STEP_SVM && !capability->has_fine_svm)
        return "no fine-grain buffer SVM (CL_DEVICE_SVM_CAPABILITIES)";
    if (step == GRAVEL_STEP_USM && !capability->has_host_usm)
        return "no host allocations that kernels can use (cl_intel_unified_shared_memory)";
    if (!capability->has_c11_atomics && !capability->may_have_c11_atomics)
        return "no acquire/release atomics at device scope (CL_DEVICE_OPENCL_C_FEATURES)";
    if (gravel_step_is_pumped(step) && capability->compute_units < 2)
        return "a single compute unit (one must stay free beside a kernel that waits)";
    return NULL;
}

const char *gravel_step_choose(const char *wanted, const struct gravel_capability *capability,
                               enum gravel_step *step)
{
    const char *first_lack = NULL;
    if (gravel_step_parse(wanted, step))
        return gravel_step_lack(*step, capability);
    for (unsigned i = 0; i < GRAVEL_N_STEPS; i++) {
        const char *lack = gravel_step_lack((enum gravel_step)i, capability);
        /* What a device only may have is not worth a kernel that waits: a CPU drains faster anyway.
         */
        if (!lack && gravel_steps[i].is_pumped && capability->is_cpu)
            continue;
        if (!lack) {
            *step = (enum gravel_step)i;
            return NULL;
        }
        first_lack = first_lack ? first_lack : lack;
    }
    return first_lack;
}
