/* SPDX-License-Identifier: MIT */
/*
 * What gravel-info finds out about the devices and settings of this process, as JSON, and how it prints that.
 *
 * Path:    gravel-info.c, rank.c -> list.c (by what devices say), probe.c (by what they do) -> print.c; settings.c.
 * Owner:   the caller of what is returned.
 * Threads: main's.
 */
#ifndef TOOLS_INFO_DEVICES_H
#define TOOLS_INFO_DEVICES_H

#include "device/capability.h"
#include "gravel/gravel.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Which devices to list. */
struct info_request {
    const char *device; /* as GRAVEL_DEVICE names it; "" for the default */
    const char *step;   /* as GRAVEL_STEP does */
    bool is_alone; /* no other device is wanted; one named by its numbers is the only one touched */
};

/**
 * Lists everything, or what a program would get, in a child. A driver that breaks the list is named and left out,
 * here and in all later children.
 *
 * @param limit_s  for each call of a driver [seconds].
 * @return         {"platforms": [{number, name, n_devices}], "devices": [{number, identity, name, ..., capabilities,
 *                 steps, step or reason}], "wanted_step": text, "default": number or null, "defaults": [numbers, in the
 *                 order in which the nodes of a host take equal devices], "default_error": text or null,
 *                 "broken_drivers": [{file, error}]}; with "error": text without any platform, or if a device that is
 *                 wanted alone is missing; NULL without memory.
 */
json_t *info_list(const struct info_request *request, unsigned limit_s);

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

/** Returns {key: bool} for each capability; NULL without memory. */
json_t *info_capabilities(const struct gravel_capability *capability);

/** Returns [{"name": step, "possible": bool, "lack": text or null}], best step first; NULL without memory. */
json_t *info_steps(const struct gravel_capability *capability);

/**
 * Opens and tests a device in a child: what it says it can do is not always so. Its members change to what was found.
 *
 * @param device   of info_list; gets "probe": {step, cores, kernel_units, can_yield, rounds, round_us, increments,
 *                 settings, flows, messages of a test, seconds; "error": text if anything failed}.
 * @param is_test  make many hand-overs, not as many as GRAVEL_SELF_TEST says; also open a node and send messages.
 * @param limit_s  the child is killed after this [seconds].
 * @return         whether it passed; else the device has no step, for that reason.
 */
bool info_probe(json_t *device, bool is_test, unsigned limit_s);

/**
 * Sends messages from a kernel and from the host between two nodes of this process, and checks what arrived
 * (node_test.c). Not under an MPI communicator.
 *
 * @param config      names the device, and whatever does not concern the transport.
 * @param n_messages  [out] messages applied [count].
 * @return            0; GRAVEL_ECORRUPT if memory does not hold what was sent; or what a call of gravel.h returned.
 *                    gravel_last_error() tells more.
 */
int info_node_test(const struct gravel_config *config, uint64_t *n_messages);

/**
 * Prints each device of the list; then drivers that were left out, and platforms without devices.
 *
 * @param is_test  a line a device: what the self-test proved, or why it failed; else all of the list, and of its "probe".
 */
void info_print(const json_t *list, bool is_test);

/** Returns {"settings": [{variable, kind, category, default, range, value, is_set, help}]}; NULL without memory. */
json_t *info_settings(void);

void info_settings_print(const json_t *settings);

#endif
