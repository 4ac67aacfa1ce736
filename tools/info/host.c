/* SPDX-License-Identifier: MIT */
/*
 * Describes what the system leaves this process. See host.h.
 *
 * Source:  hwloc 2: hwloc_get_cpubind, hwloc_cpuset_to_nodeset; Linux: sysfs-class-infiniband.
 */
#include "host.h"

#include "device/cores.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#ifdef INFO_HWLOC
#include <hwloc.h>
#endif

/* Linux writes the list as taskset takes it. */
json_t *info_host_cores(void)
{
    static const char key[] = "Cpus_allowed_list:";
    char line[8192], list[sizeof line] = "";
    FILE *status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, key, sizeof key - 1))
            sscanf(line + sizeof key - 1, "%8191s", list);
    if (status)
        fclose(status);
    return json_pack("{s:I, s:I, s:s}", "online", (json_int_t)gravel_cores_of_host(), "allowed",
                     (json_int_t)gravel_cores_of_node(1), "list", list);
}

/* ---- memory nodes ---------------------------------------------------------------------------- */

#ifdef INFO_HWLOC
/* @param nodes  [out] "0-1" */
static bool find_nodes(hwloc_topology_t topology, char *nodes, size_t bytes)
{
    hwloc_bitmap_t cores = hwloc_bitmap_alloc(), near = hwloc_bitmap_alloc();
    const bool is_known =
        cores && near && hwloc_get_cpubind(topology, cores, HWLOC_CPUBIND_THREAD) == 0 &&
        hwloc_cpuset_to_nodeset(topology, cores, near) == 0 && !hwloc_bitmap_iszero(near) &&
        hwloc_bitmap_list_snprintf(nodes, bytes, near) > 0;
    hwloc_bitmap_free(cores);
    hwloc_bitmap_free(near);
    return is_known;
}

json_t *info_host_numa(void)
{
    hwloc_topology_t topology;
    char nodes[128] = "";
    if (hwloc_topology_init(&topology))
        return json_null();
    const bool is_known =
        hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) == 0 &&
        hwloc_topology_load(topology) == 0 && find_nodes(topology, nodes, sizeof nodes);
    hwloc_topology_destroy(topology);
    return is_known ? json_string(nodes) : json_null();
}
#else
json_t *info_host_numa(void)
{
    return json_null();
}
#endif

/* ---- limits, networks ------------------------------------------------------------------------ */

static json_t *limit_of(int resource)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return json_null();
    return json_integer((json_int_t)limit.rlim_cur);
}

json_t *info_host_limits(void)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "locked_bytes", limit_of(RLIMIT_MEMLOCK), "file_bytes",
                     limit_of(RLIMIT_FSIZE), "address_bytes", limit_of(RLIMIT_AS), "descriptors",
                     limit_of(RLIMIT_NOFILE));
}

json_t *info_host_has_rdma(void)
{
    DIR *devices = opendir("/sys/class/infiniband");
    const struct dirent *entry = devices ? readdir(devices) : NULL;
    while (entry && entry->d_name[0] == '.')
        entry = readdir(devices);
    if (devices)
        closedir(devices);
    return json_boolean(entry != NULL);
}
