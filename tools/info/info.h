/* SPDX-License-Identifier: MIT */
/*
 * What gravel-info finds out about devices and the ranks of a job, as JSON.
 *
 * Path:    gravel-info.c -> list.c (by what devices say), probe.c (by what they do); rank.c (the system), meet.c
 *          (lib/network, lib/transport), findings.c; measure.c (by what a program would do).
 * Owner:   the caller of what is returned.
 * Threads: main's.
 */
#ifndef TOOLS_INFO_INFO_H
#define TOOLS_INFO_INFO_H

#include "device/capability.h"
#include "gravel/gravel.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- devices of this process --------------------------------------------------------------------- */

/** Reads the settings, and checks them. @param device  instead of GRAVEL_DEVICE; or NULL. @return 0; GRAVEL_ECONFIG */
int info_config(struct gravel_config *config, const char *device);

/**
 * Lists everything, or what a program would get, in a child. A driver that breaks the list is named and left out,
 * here and in all later children.
 *
 * @param device    instead of GRAVEL_DEVICE; or NULL.
 * @param is_alone  no other device is wanted; one named by its numbers is the only one touched.
 * @param limit_s   for each call of a driver [seconds].
 * @return          {"devices": [{number, identity, name, is_cpu, step or reason, texts, may, cannot}], "default":
 *                  number or null, "defaults": [numbers, in the order in which the nodes of a host take equal devices],
 *                  "default_error": text or null, "broken_drivers": [{file, error}]}; with "error": text if a setting is
 *                  malformed, without any platform, or if a device that is wanted alone is missing; NULL without memory.
 */
json_t *info_list(const char *device, bool is_alone, unsigned limit_s);

/**
 * Adds the steps that a device "may" take, by what it says, and those that it "cannot", with why: arrays of texts.
 *
 * @param tested  the step that is tested, which is left out if the device lacks nothing for it; "" for none.
 */
void info_describe_steps(json_t *device, const struct gravel_capability *capability,
                         const char *tested);

/**
 * Opens a node on a device, in a child: what it says it can do is not always so. Its members change to what was found.
 *
 * @param device   of info_list; gets "passed", and if it has passed "can", "cores", "settings", "flows", "proved"; its step is
 *                 one that it can take, or none, for a "reason".
 * @param is_test  make many hand-overs, not as many as GRAVEL_SELF_TEST says; also open a second node, and send messages.
 * @param limit_s  the child is killed after this [seconds].
 * @return         whether it passed.
 */
bool info_probe(json_t *device, bool is_test, unsigned limit_s);

/* ---- a job: each once in a process, before MPI is initialised, as drivers are asked in children ---- */

/**
 * Describes this process as a rank: host, cores, limits and device.
 *
 * @return  {version, mpi, host, place; cores: {online, allowed, share: "4 of 8"}; numa: nodes of those cores, "0,1", "-":
 *          unknown; limits: {locked_bytes, address_bytes, descriptors, rdma_bytes: locked_bytes where hardware of the
 *          network reads memory by itself}, null for no limit, and "lock": text; device, of info_list, and "turns", those
 *          that the ranks of the host take in turn, if there is one; either step or error}.
 */
json_t *info_rank_describe(const char *device, unsigned limit_s);

/**
 * Exchanges what ranks say, through Gravel's network thread, whose opening is bounded, and without a device. Collective:
 * every rank that the launcher has started makes this call.
 *
 * @param own  this rank's object; it gets "rank" of "n_ranks", "first" (the first rank on its host), "local" (its number
 *             among the "n_local" there), the device of its turn, "sharing" of cores (ranks that have the same),
 *             "handover": {"error": why it has no memory that others could map, or "", "why_not": why it cannot map
 *             another's node buffers, or ""}, and info_find_own's findings.
 * @param all  an array, which gets the objects of all ranks.
 * @return     0; as gravel_open: GRAVEL_ECONFIG, GRAVEL_EMPI, GRAVEL_EPEER, GRAVEL_ENOMEM.
 */
int info_gather(json_t *own, json_t *all);

/** Adds {"effect": what it does to the job, "note" if that runs; "what": text; "remedy": text}. */
__attribute__((format(printf, 4, 5))) void info_add(json_t *findings, const char *effect,
                                                    const char *remedy, const char *format, ...);

/** Gives a rank what it finds by itself, "findings", as below. */
void info_find_own(json_t *rank);

/**
 * Collects what keeps the job from opening, or makes it slow, with ranks, hosts and a remedy.
 *
 * @param ranks     as info_gather gives them.
 * @param findings  an array, as info_add's.
 * @return          whether there is one that is not a note.
 */
bool info_find(const json_t *ranks, json_t *findings);

/**
 * Opens the job as a program would, where info_find has found nothing that keeps it from that, so that versions and
 * settings are those that nodes agree on; and gets a long text from each other rank: where hosts or switches differ in MTU
 * short frames arrive, and long ones vanish. Collective. Each wait ends as a program's does, by GRAVEL_TIMEOUT or
 * GRAVEL_OPEN_TIMEOUT.
 *
 * @param findings  as info_find's; gets one if that fails, which every rank prints to standard error, too.
 * @return          whether all ranks have answered.
 */
bool info_open(const char *device, json_t *findings);

/**
 * Opens the job as a program would, and measures what its messages, waits and rounds cost, each for 0.2 s at least.
 * Collective.
 *
 * @param report  an object; gets "node" of "nodes", "step", "device" and "rows": [{"what": text, "seconds"}], without those
 *                whose kernels wait on step drain.
 * @return        0; as gravel_open and the calls that are measured.
 */
int info_measure(const char *device, json_t *report);

#endif
