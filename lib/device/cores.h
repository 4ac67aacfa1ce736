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

/**
 * Cores for this node's threads and kernels [count], at least 1: those that a launcher or taskset left the process, or,
 * where it may run on all, its share of them.
 *
 * @param n_local  nodes on the host.
 */
uint32_t gravel_cores_of_node(uint32_t n_local);

/**
 * Compute units for kernels [count], at least 1: a unit a core of the node, less those kept for the host's threads.
 *
 * @param units      that the device has; the user may have limited them already (POCL_MAX_PTHREAD_COUNT).
 * @param n_cores    of the node.
 * @param n_host     cores to keep; with 0 kernels get all units.
 */
uint32_t gravel_cores_for_kernels(uint32_t units, uint32_t n_cores, uint32_t n_host);

#endif
