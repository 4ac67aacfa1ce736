/* SPDX-License-Identifier: MIT */
/*
 * What a device says it can do, and the steps that it can take by that.
 *
 * Path:    select.c -> capability.c -> device.c, program.c, gravel-info.
 * Note:    queries mislead both ways (design notes in docs/design/steps.md); self_test.c has the last word.
 */
#ifndef GRAVEL_DEVICE_CAPABILITY_H
#define GRAVEL_DEVICE_CAPABILITY_H

#include "device/driver.h"
#include "gravel/gravel.h"

#include <stdbool.h>

#define GRAVEL_DEVICE_TEXT_BYTES 128u

struct gravel_capability {
    char platform[GRAVEL_DEVICE_TEXT_BYTES];
    char name[GRAVEL_DEVICE_TEXT_BYTES];
    char driver[GRAVEL_DEVICE_TEXT_BYTES];
    char c_std[16]; /* newest OpenCL C the device lists that we use: "CL3.0", "CL2.0" or "CL1.2" */
    bool is_cpu;
    bool has_compiler;
    bool is_big_endian;
    bool has_fine_svm;    /* fine-grain buffer SVM */
    bool has_svm_atomics; /* advertised; not required, since no word has two writing sides */
    bool has_c11_atomics; /* acquire and release at device scope */
    bool may_have_c11_atomics;
    /* the language has them, the device does not list them: a build shows it */
    bool has_host_usm;          /* host allocations of cl_intel_unified_shared_memory */
    bool has_all_devices_scope; /* the compiler knows memory_scope_all_svm_devices */
    bool has_subgroups;         /* built-in sub-groups, without an extension's pragma */
    cl_uint warp_items;         /* of NVIDIA's warps, where has_subgroups is not; 0 elsewhere */
    bool has_long_atomics;      /* of 64 bits: both extensions */
    bool has_double;
    cl_uint compute_units;
    size_t max_group;   /* [work-items] */
    cl_ulong max_alloc; /* [bytes] */
    cl_ulong local_bytes;
};

/** Query a device. Never fails: what cannot be asked counts as absent. */
void gravel_capability_query(cl_device_id device, struct gravel_capability *capability);

/** Asks for a platform's name, which is cut if it is longer; "" if the platform has none. */
void gravel_platform_name(cl_platform_id platform, char name[GRAVEL_DEVICE_TEXT_BYTES]);

/**
 * Returns a number for a piece of hardware that all processes of its host agree on: the device's UUID; or,
 * where its driver has none, the index in the platform's list, unless the environment shows this process a choice of
 * the devices (CUDA_VISIBLE_DEVICES and its like).
 *
 * @return  0 if it is unknown.
 */
uint64_t gravel_device_identity(cl_device_id device);

/** Returns the variable by which the environment shows this process a choice of the devices; NULL: it shows all. */
const char *gravel_device_selection(void);

/* ---- ladder: ways for messages to leave a running kernel, best first --------------------------- */

/*
 *     svm    host and kernels share the arena as fine-grain SVM
 *     usm    the same by cl_intel_unified_shared_memory host allocations
 *     pump   the arena is device memory; copies fetch the running kernel's packages
 *     drain  the same, but copies run between slices of a launch, and no kernel ever waits
 */
enum gravel_step { GRAVEL_STEP_SVM, GRAVEL_STEP_USM, GRAVEL_STEP_PUMP, GRAVEL_STEP_DRAIN };
#define GRAVEL_N_STEPS 4u

/** "svm", "usm", "pump" or "drain". */
const char *gravel_step_name(enum gravel_step step);

/** Finds the step of a name. @return false if there is none, as for "auto". */
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
 * Chooses the step a device takes: the wanted one, or for "auto" the first that it does not lack anything for.
 *
 * @param wanted  GRAVEL_STEP's value.
 * @param step    [out]
 * @return        NULL, or what is missing.
 */
const char *gravel_step_choose(const char *wanted, const struct gravel_capability *capability,
                               enum gravel_step *step);

#endif
