/* SPDX-License-Identifier: MIT */
/*
 * One page about a job: what each rank has, and what differs between hosts.
 *
 * Path:    gravel-info.c -> cluster.c -> rank.c (the system, devices.h), gather.c (lib/network), reach.c (lib/transport),
 *          findings.c.
 * Owner:   the caller of what is returned.
 * Threads: main's, each once in a process, before MPI is initialised: drivers are asked in children.
 */
#ifndef TOOLS_INFO_CLUSTER_H
#define TOOLS_INFO_CLUSTER_H

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>

/**
 * Asks all ranks of this process's job; collective.
 *
 * @param device   as GRAVEL_DEVICE names it, or NULL: GRAVEL_DEVICE's.
 * @param limit_s  for each call of a driver [seconds].
 * @return         {"ranks": [info_rank_describe's], "findings": [info_find's], "rank": this one's number}; or, if the
 *                 ranks did not meet, {"error": text, "ranks": [this one]}.
 */
json_t *info_cluster(const char *device, unsigned limit_s);

/** Prints the page for people. */
void info_cluster_print(const json_t *cluster);

/** Returns whether a job would not open, or hang, by what the ranks say. */
bool info_cluster_is_broken(const json_t *cluster);

/**
 * Describes this process as a rank: host, cores, limits, device, and what its environment sets.
 *
 * @return  {version, mpi, host, place; cores: {online, allowed, list: "0-3,8", "" if the system tells none}; numa: nodes
 *          of those cores, "0,1", null: unknown; limits: {locked_bytes, address_bytes, descriptors, rdma_bytes:
 *          locked_bytes where hardware of the network reads memory by itself}, null for no limit; settings: {variable:
 *          value}, of those that are set; selection: "CUDA_VISIBLE_DEVICES=0", which shows this process some devices, or
 *          null; device, of info_list, and "turns", those that the ranks of the host take in turn, if there is one; and
 *          either step or error}.
 */
json_t *info_rank_describe(const char *device, unsigned limit_s);

/**
 * Exchanges what ranks say, through Gravel's network thread, whose opening is bounded, and without a device. Collective:
 * every rank that the launcher has started makes this call.
 *
 * @param own  this rank's object; it gets "rank", "first" (the first rank on its host), "local" (its number among
 *             those), the device of its turn, and "handover": {"takers": ranks of the host that can map its node
 *             buffers, "error": why it has no memory that others could map, or null, "why_not": why it cannot map
 *             another's, or null}.
 * @param all  an array, which gets the objects of all ranks.
 * @return     0; as gravel_open: GRAVEL_ECONFIG, GRAVEL_EMPI, GRAVEL_EPEER, GRAVEL_ENOMEM.
 */
int info_gather(json_t *own, json_t *all);

/**
 * Sends a long frame from each rank to each other one, behind info_gather: where hosts or switches differ in MTU a job
 * opens, and hangs at its first long frames. Collective. Ends within 15 s; where MPI keeps a rank for 45 s, its process
 * ends with a line on standard error.
 *
 * @param ranks  of info_gather; one of which another one hears nothing, or the other way round, gets "silent": "rank 1 on
 *               gh2, rank 3 on gh2", of those behind it.
 * @return       0; GRAVEL_EMPI, GRAVEL_ENOMEM.
 */
int info_reach(json_t *ranks);

/**
 * Compares all ranks: what keeps the job from opening, or makes it slow, with ranks, hosts and a remedy.
 *
 * @param ranks  as info_gather gives them.
 * @return       [{"effect": info_note, or what it does to the job; "what": text, "remedy": text}].
 */
json_t *info_find(const json_t *ranks);

extern const char info_note[]; /* "note": the job runs */

/** Reads a set of cores as Linux writes it, "0-3,8". @param set  [out] up to the first character of no list */
void info_cores_read(const char *text, cpu_set_t *set);

#endif
