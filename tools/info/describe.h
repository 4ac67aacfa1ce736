/* SPDX-License-Identifier: MIT */
/*
 * What a device can do, and which steps of the capability ladder it can take, as JSON.
 *
 * Path:    list.c (by what the device says), probe.c (by what was found out) -> describe.c ->
 *          print.c.
 * Owner:   the caller of what is returned.
 */
#ifndef TOOLS_INFO_DESCRIBE_H
#define TOOLS_INFO_DESCRIBE_H

#include "device/capability.h"

#include <jansson.h>

/* X(key, member of struct gravel_capability, name, what it means to lack it) */
#define INFO_CAPABILITIES(X)                                                                    \
    X("compiler", has_compiler, "compiler for kernels", "needed for every step")                \
    X("fine_grain_svm", has_fine_svm, "fine-grain buffer SVM", "needed for step svm")           \
    X("host_usm", has_host_usm, "host allocations of unified shared memory",                    \
      "needed for step usm")                                                                    \
    X("atomics", has_c11_atomics, "acquire/release atomics", "needed for every step but drain") \
    X("svm_atomics", has_svm_atomics, "SVM atomics",                                            \
      "not needed: no word is written by both sides")                                           \
    X("all_devices_scope", has_all_devices_scope, "all-devices scope of atomics",               \
      "device scope is used; the self-test proves it")                                          \
    X("collectives", has_collectives, "work-group scan and reduce", "Gravel's own are used")    \
    X("subgroups", has_subgroups, "sub-groups",                                                 \
      "calls of sub-groups are compiled for NVIDIA alone")                                      \
    X("double", has_double, "double precision", "messages of type double are not compiled")

/** {key: bool} for each capability. NULL without memory. */
json_t *info_capabilities(const struct gravel_capability *capability);

/** [{"name": step, "possible": bool, "lack": text or null}], best step first. NULL without memory.
 */
json_t *info_steps(const struct gravel_capability *capability);

/** Mark a step of info_steps as one that cannot be taken. @param lack  text, or NULL for none. */
void info_steps_refuse(json_t *steps, const char *name, const char *lack);

#endif
