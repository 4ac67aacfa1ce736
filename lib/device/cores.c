/* SPDX-License-Identifier: MIT */
/*
 * Cores of a node. See cores.h.
 */
#include "device/cores.h"

#include "base/hash.h"

#include <sched.h>
#include <unistd.h>

uint32_t gravel_cores_of_host(void)
{
    long n_online = sysconf(_SC_NPROCESSORS_ONLN);
    return n_online > 0 ? (uint32_t)n_online : 1;
}

uint32_t gravel_cores_of_node(uint32_t n_sharing)
{
    cpu_set_t set;
    uint32_t all = gravel_cores_of_host();
    uint32_t allowed = sched_getaffinity(0, sizeof set, &set) ? all : (uint32_t)CPU_COUNT(&set);
    uint32_t cores = (allowed < all ? allowed : all) / (n_sharing ? n_sharing : 1);
    return cores ? cores : 1;
}

uint64_t gravel_cores_identity(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) /* it has more cores than a set: none was chosen */
        CPU_ZERO(&set);
    return gravel_hash_bytes(GRAVEL_HASH_BEGIN, &set, sizeof set);
}

uint32_t gravel_cores_for_kernels(uint32_t units, uint32_t n_cores, uint32_t n_host)
{
    uint32_t left = n_cores > n_host + 1 ? n_cores - n_host : 1;
    return n_host && left < units ? left : units;
}
