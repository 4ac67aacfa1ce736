/* SPDX-License-Identifier: MIT */
/*
 * How many of the host's cores are a node's own, and how many of a CPU device's units its kernels get.
 *
 * Path:    device.c, node/open.c -> cores.c -> the system.
 * Threads: any.
 */
#ifndef GRAVEL_DEVICE_CORES_H
#define GRAVEL_DEVICE_CORES_H

#include <stdint.h>

/** Returns how many are online, whether or not this process may run on them, at least 1. */
uint32_t gravel_cores_of_host(void);

/**
 * Returns the cores for this node's threads and kernels, at least 1: its share of those that the process may run on, by
 * what a launcher, taskset or a container left it.
 *
 * @param n_sharing  nodes of the host that may run on these, this one included.
 */
uint32_t gravel_cores_of_node(uint32_t n_sharing);

/** Returns what is equal for two processes of a host that may run on equal cores. */
uint64_t gravel_cores_identity(void);

/**
 * Compute units for kernels [count], at least 1: a unit a core of the node, less those kept for the host's threads.
 *
 * @param units      that the device has; the user may have limited them already (POCL_MAX_PTHREAD_COUNT).
 * @param n_cores    of the node.
 * @param n_host     cores to keep; with 0 kernels get all units.
 */
uint32_t gravel_cores_for_kernels(uint32_t units, uint32_t n_cores, uint32_t n_host);

#endif
