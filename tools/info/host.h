/* SPDX-License-Identifier: MIT */
/*
 * What the system leaves this process: cores, memory nodes, limits, hardware for networks.
 *
 * Path:    rank.c -> host.c -> the system, hwloc.
 * Owner:   the caller of what is returned.
 * Threads: any.
 */
#ifndef TOOLS_INFO_HOST_H
#define TOOLS_INFO_HOST_H

#include <jansson.h>

/** {online, allowed, list: "0-3,8"; "" if the system tells none}. */
json_t *info_host_cores(void);

/** The NUMA nodes of the cores that this process may run on, "0" or "0-1"; null: unknown, or built without hwloc. */
json_t *info_host_numa(void);

/** {locked_bytes, file_bytes, address_bytes, descriptors}, null for no limit. */
json_t *info_host_limits(void);

/** Whether the host has a network whose hardware reads memory by itself (InfiniBand, RoCE), which must be locked. */
json_t *info_host_has_rdma(void);

#endif
