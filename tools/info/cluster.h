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
 * @return         {"ranks": [info_rank_describe's], "findings": [info_find's], "rank": this one's number}, at rank 0 of
 *                 several with "silent": info_reach's pairs; or, if the ranks did not meet, {"error": text, "ranks":
 *                 [this one]}; NULL without memory.
 */
json_t *info_cluster(const char *device, unsigned limit_s);

/** Prints the page for people. */
void info_cluster_print(const json_t *cluster);

/** Returns whether gravel_open would fail, by what the ranks say, or a pair of them is silent. */
bool info_cluster_is_broken(const json_t *cluster);

/**
 * Describes this process as a rank: host, cores, limits, device, and what its environment sets.
 *
 * @return  {version, mpi, host, place; cores: {online, allowed, list: "0-3,8", "" if the system tells none}; numa: nodes
 *          of those cores, "0,1", null: unknown; limits: {locked_bytes, file_bytes,
 *          address_bytes, descriptors}, null for no limit; has_rdma: whether hardware of the network reads memory by
 *          itself (InfiniBand, RoCE), which must be locked; settings: {variable: value}, of those that are set;
 *          selection: "CUDA_VISIBLE_DEVICES=0", which shows this process some devices, or null; and either {device:
 *          {name, driver, numbers, identities, is_cpu}, step} or {error}}, an identity that is unknown as null; NULL
 *          without memory.
 */
json_t *info_rank_describe(const char *device, unsigned limit_s);

/**
 * Exchanges what ranks say, through Gravel's network thread, whose opening is bounded, and without a device. Collective:
 * every rank that the launcher has started makes this call.
 *
 * @param own  this rank's object; it gets "rank", "first" (the first rank on its host), "local" (its number among
 *             those), and "handover": {"takers": ranks of the host that can map its node buffers, "error": why it has
 *             no memory that others could map, or null, "why_not": why it cannot map another's, or null}.
 * @param all  [out] an array of the objects of all ranks; the caller's.
 * @return     0; as gravel_open: GRAVEL_ECONFIG, GRAVEL_EMPI, GRAVEL_EPEER, GRAVEL_ENOMEM.
 */
int info_gather(json_t *own, json_t **all);

/**
 * Sends a long frame from each rank to each other one, behind info_gather: where hosts or switches differ in MTU a job
 * opens, and hangs at its first long frames. Collective. Ends within 15 s; where MPI keeps a rank for 45 s, its process
 * ends with a line on standard error.
 *
 * @param n_ranks  of the job.
 * @return         at rank 0 the pairs [i, j], i < j, of which one heard nothing of the other; {error: text} if the
 *                 transport does not open; NULL at other ranks, and if there is one rank alone.
 */
json_t *info_reach(size_t n_ranks);

/**
 * Compares all ranks: what keeps the job from opening, or makes it slow, with ranks, hosts and a remedy.
 *
 * @param ranks  as info_gather gives them.
 * @return       [{"what": text, "remedy": text, "is_fatal": whether gravel_open would fail}].
 */
json_t *info_find(const json_t *ranks);

/** Adds a note for each pair of which one does not answer the other. @param pairs  as info_reach gives them. */
void info_find_silent(const json_t *ranks, const json_t *pairs, json_t *findings);

/** Returns the device that a rank takes, by its turn among those of its host, "0:0"; NULL: none. */
const char *info_device_of(const json_t *rank);

/** Reads a set of cores as Linux writes it, "0-3,8". @param set  [out] up to the first character of no list */
void info_cores_read(const char *text, cpu_set_t *set);

#endif
