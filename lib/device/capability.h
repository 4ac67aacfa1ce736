/* SPDX-License-Identifier: MIT */
/*
 * What a device says it can do.
 *
 * Path:    select.c -> capability.c -> ladder.c, device.c, program.c, gravel-info.
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
    /* the language has them, the device does not list them: a build will tell */
    bool has_host_usm;          /* host allocations of cl_intel_unified_shared_memory */
    bool has_all_devices_scope; /* the compiler knows memory_scope_all_svm_devices */
    bool has_collectives;       /* built-in work-group scan and reduce */
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

/** Asks for a platform's name, which is cut if it is longer; "" if the platform does not tell. */
void gravel_platform_name(cl_platform_id platform, char name[GRAVEL_DEVICE_TEXT_BYTES]);

/**
 * identity.c: returns a number for a piece of hardware that all processes of its host agree on: the device's UUID; or,
 * where its driver tells none, the place in the platform's list, unless the environment shows this process a choice of
 * the devices (CUDA_VISIBLE_DEVICES and its like).
 *
 * @return  0 if it is unknown.
 */
uint64_t gravel_device_identity(cl_device_id device);

/** The variable by which the environment shows this process a choice of the devices; NULL: it shows all. */
const char *gravel_device_selection(void);

#endif
