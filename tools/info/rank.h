/* SPDX-License-Identifier: MIT */
/*
 * One rank of a job, as its process sees itself: host, cores, limits, device, and what its environment sets.
 *
 * Path:    cluster.c -> rank.c -> list.c, probe.c; the system.
 * Owner:   the caller of what is returned.
 * Threads: main's, before MPI is initialised: drivers are asked in children.
 */
#ifndef TOOLS_INFO_RANK_H
#define TOOLS_INFO_RANK_H

#include <jansson.h>

/**
 * Describe this process.
 *
 * @param device   as GRAVEL_DEVICE names it, or NULL: GRAVEL_DEVICE's.
 * @param limit_s  for each look at the drivers [seconds].
 * @return         {version, mpi, host, place; cores, numa, limits, has_rdma: host.h's; settings: {variable: value}, of
 *                 those that are set; selection: "CUDA_VISIBLE_DEVICES=0", which shows this process some devices, or
 *                 null; and either {device: {name, driver, numbers, identities, is_cpu}, step} or {error}}, an identity
 *                 that is unknown as null; NULL without memory.
 */
json_t *info_rank_describe(const char *device, unsigned limit_s);

#endif
