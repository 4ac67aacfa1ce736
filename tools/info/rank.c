/* SPDX-License-Identifier: MIT */
/*
 * Describes this process as a rank. See info.h.
 *
 * Source:  Linux: sysfs-devices-system-cpu, sysfs-class-infiniband.
 */
#include "info.h"

#include "base/error.h"
#include "device/cores.h"
#include "members.h"
#include "transport/launcher.h"
#include "transport/transport.h"

#include "gravel/gravel.h"

#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_NODES 128u /* of NUMA */

/* ---- what the system leaves this process ----------------------------------------------------- */

static json_t *describe_cores(void)
{
    const uint32_t online = gravel_cores_of_host(), allowed = gravel_cores_of_node(1);
    return json_pack("{s:i, s:i, s:o}", "online", (int)online, "allowed", (int)allowed, "share",
                     json_sprintf("%u of %u", allowed, online));
}

/* Names the NUMA nodes of the cores that this process may run on: "0,1". */
static json_t *describe_numa(void)
{
    static const char format[] = "/sys/devices/system/cpu/cpu%u/node%u";
    cpu_set_t cores;
    char nodes[128] = "";
    bool has[MOST_NODES] = {false};
    unsigned core, n;
    glob_t all = {0};
    glob("/sys/devices/system/cpu/cpu[0-9]*/node[0-9]*", 0, NULL, &all);
    const bool is_known = !sched_getaffinity(0, sizeof cores, &cores);
    for (size_t i = 0; i < all.gl_pathc && is_known; i++)
        if (sscanf(all.gl_pathv[i], format, &core, &n) == 2 && n < MOST_NODES)
            has[n] |= CPU_ISSET(core, &cores);
    globfree(&all);
    for (n = 0; n < MOST_NODES; n++)
        if (has[n])
            gravel_append(nodes, sizeof nodes, "%s%u", *nodes ? "," : "", n);
    return json_string(*nodes ? nodes : "-");
}

static json_t *limit_of(int resource)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return json_null();
    return json_integer((json_int_t)limit.rlim_cur);
}

/* InfiniBand and RoCE read memory by themselves, which must be locked. */
static json_t *describe_limits(void)
{
    glob_t rdma = {0};
    const bool has_rdma = !glob("/sys/class/infiniband/*", 0, NULL, &rdma);
    globfree(&rdma);
    json_t *locked = limit_of(RLIMIT_MEMLOCK);
    json_t *lock = json_is_null(locked)
                       ? json_string("no limit")
                       : json_sprintf("%lld kB", (long long)json_integer_value(locked) / 1024);
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "locked_bytes", locked, "lock", lock,
                     "rdma_bytes", has_rdma ? json_incref(locked) : json_null(), "address_bytes",
                     limit_of(RLIMIT_AS), "descriptors", limit_of(RLIMIT_NOFILE));
}

/* A node proves its step when it opens, and so does the probe. */
static void look_for_device(json_t *rank, const char *name, unsigned limit_s)
{
    json_t *list = info_list(name, true, limit_s), *error = json_object_get(list, "error");
    json_t *turns = json_object_get(list, "devices"), *device = json_array_get(turns, 0);
    if (!error && !info_probe(device, false, limit_s))
        error = json_object_get(device, "reason");
    if (error)
        json_object_set(rank, "error", error);
    else
        json_object_set(rank, "step", json_object_get(device, "step"));
    if (device) {
        json_object_set(rank, "device", device);
        json_object_set(rank, "turns", turns);
    }
    json_decref(list);
}

json_t *info_rank_describe(const char *device, unsigned limit_s)
{
    char host[128] = "", place[256], mpi[GRAVEL_MPI_NAME_BYTES];
    gethostname(host, sizeof host - 1);
    gravel_host_describe(place, sizeof place);
    gravel_transport_mpi_name(mpi);
    json_t *rank =
        json_pack("{s:s, s:s, s:{s:s}, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "rank", "?", "step",
                  "none", "device", "number", "no device", "version", GRAVEL_VERSION, "mpi", mpi,
                  "host", host, "place", place, "cores", describe_cores(), "numa", describe_numa(),
                  "limits", describe_limits());
    if (rank)
        look_for_device(rank, device, limit_s);
    return rank;
}
