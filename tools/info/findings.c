/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with a job: what each rank finds by itself, and devices that are shared. See info.h.
 */
#include "info.h"

#include "base/error.h"
#include "members.h"
#include "transport/segment.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_NAMED 8u    /* ranks that a finding names; it counts the rest */
#define TEXT_BYTES 4096u /* of names or values; cut if they are more */
#define INT "%" JSON_INTEGER_FORMAT
#define FATAL "gravel_open would fail"
#define NOTE "note"

/* ---- what a rank finds by itself ------------------------------------------------------------- */

/* A node has an aggregator, a network thread and the program's own, except for kernels on a CPU. */
#define LEAST_CORES 3
#define MIB (INT64_C(1) << 20)

void info_add(json_t *findings, const char *effect, const char *remedy, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    json_array_append_new(findings, json_pack("{s:s, s:o, s:s}", "effect", effect, "what",
                                              json_vsprintf(format, values), "remedy", remedy));
    va_end(values);
}

/* A limit that is null is none. */
static bool is_short(const json_t *rank, const char *path, json_int_t needed)
{
    const json_t *limit = info_member(rank, path);
    return json_is_integer(limit) && json_integer_value(limit) < needed;
}

static void find_short_limits(const json_t *rank, json_t *found)
{
    const json_int_t descriptors = 64 + info_integer(rank, "n_ranks"), locked = 64 * MIB,
                     addresses = 4096 * MIB + info_integer(rank, "n_local") * GRAVEL_SEGMENT_BYTES;
    if (is_short(rank, "limits.descriptors", descriptors))
        info_add(found, NOTE, "ulimit -n 4096, also in the launcher's daemon",
                 "may open " INT " descriptors, and MPI may need " INT
                 ": a connection to each rank, and its own",
                 info_integer(rank, "limits.descriptors"), descriptors);
    if (is_short(rank, "limits.address_bytes", addresses))
        info_add(found, NOTE, "ulimit -v unlimited, or fewer ranks a host",
                 "may have " INT " MiB of addresses, and may need " INT
                 ": a gigabyte for each rank of the host, and heap, queues and driver",
                 info_integer(rank, "limits.address_bytes") / MIB, addresses / MIB);
    if (is_short(rank, "limits.rdma_bytes", locked))
        info_add(found, NOTE, "ulimit -l unlimited, also in the launcher's daemon",
                 "may lock " INT " kB, and InfiniBand reads memory that is locked: node buffers "
                 "take " INT " kB",
                 info_integer(rank, "limits.rdma_bytes") / 1024, locked / 1024);
}

void info_find_own(json_t *rank)
{
    const json_int_t n_cores = info_integer(rank, "cores.allowed"),
                     n_online = info_integer(rank, "cores.online"),
                     n_sharing = info_integer(rank, "cores.sharing");
    json_t *found = json_array();
    if (*info_text(rank, "error"))
        info_add(found, FATAL, "gravel-info on that host says what it lacks", "%s",
                 info_text(rank, "error"));
    if (n_cores < LEAST_CORES && n_cores < n_online)
        info_add(found, NOTE, "mpirun --bind-to none, srun --cpu-bind=none -c CORES",
                 "may run on " INT " of " INT " cores", n_cores, n_online);
    if (n_sharing > 1 && n_cores < LEAST_CORES * n_sharing)
        info_add(found, NOTE,
                 "fewer ranks a host, or cores of its own for each: mpirun --map-by "
                 "ppr:N:node:pe=CORES, srun -c CORES",
                 "ranks share " INT " cores, and each has 3 threads next to its kernels", n_cores);
    if (*info_text(rank, "handover.error"))
        info_add(found, NOTE, "ulimit -f unlimited, ulimit -v unlimited", "%s",
                 info_text(rank, "handover.error"));
    if (*info_text(rank, "handover.why_not"))
        info_add(
            found, NOTE,
            "one user and one container for all ranks of a host, and a /proc that shows them to "
            "each other (no hidepid)",
            "cannot map node buffers of others there, which MPI sends instead: %s",
            info_text(rank, "handover.why_not"));
    find_short_limits(rank, found);
    json_object_set_new(rank, "findings", found);
}

/* ---- what ranks have in common ----------------------------------------------------------------- */

static bool has_gpu(const json_t *rank)
{
    return json_is_false(info_member(rank, "device.is_cpu"));
}

/* Finds that another rank of the host has the same device; of a CPU they share the cores. Devices of one number may be
 * different ones, where a launcher shows each rank its own. */
static void find_shared_device(const json_t *ranks, json_t *rank)
{
    const char *identity = info_text(rank, "device.identity");
    json_t *found = json_object_get(rank, "findings"), *other;
    bool is_shared = false;
    size_t i;
    json_array_foreach(ranks, i, other) is_shared |=
        other != rank && has_gpu(other) && has_gpu(rank) &&
        info_integer(other, "first") == info_integer(rank, "first") &&
        !strcmp(identity, info_text(other, "device.identity"));
    if (is_shared && *identity)
        info_add(found, NOTE, "one rank a device: mpirun --map-by ppr:DEVICES:node",
                 "have no device of their own");
    else if (is_shared)
        info_add(found, NOTE,
                 "CUDA_VISIBLE_DEVICES and its like at each rank, and the driver's own tool, show "
                 "who has which device",
                 "whether they share a device is unknown, for its driver has no UUID, and each may "
                 "be shown some devices only");
}

/* Appends "ranks 0, 1 on gh1, 4 on gh2 and 3 more". */
static void name_ranks(char *text, size_t bytes, const json_t *some)
{
    const size_t n = json_array_size(some), n_named = n < MOST_NAMED ? n : MOST_NAMED;
    gravel_append(text, bytes, n > 1 ? "ranks" : "rank");
    for (size_t i = 0; i < n_named; i++) {
        const json_t *rank = json_array_get(some, i), *next = json_array_get(some, i + 1);
        const char *host = info_text(rank, "host");
        gravel_append(text, bytes, "%s " INT, i ? "," : "", info_integer(rank, "rank"));
        if (i + 1 == n_named || strcmp(host, info_text(next, "host")))
            gravel_append(text, bytes, " on %s", host);
    }
    if (n > n_named)
        gravel_append(text, bytes, " and %zu more", n - n_named);
}

/* Adds a rank to those of a key: {key: [ranks]}. */
static void sort_in(json_t *groups, const char *key, json_t *rank)
{
    if (!json_object_get(groups, key))
        json_object_set_new(groups, key, json_array());
    json_array_append(json_object_get(groups, key), rank);
}

bool info_find(const json_t *ranks, json_t *findings)
{
    json_t *groups = json_object(), *all = json_object(), *rank, *own, *list;
    const char *what;
    bool is_broken = false;
    size_t i, k;
    json_array_foreach(ranks, i, rank)
    {
        find_shared_device(ranks, rank);
        json_array_foreach(json_object_get(rank, "findings"), k, own)
        {
            sort_in(groups, info_text(own, "what"), rank);
            json_object_set(all, info_text(own, "what"), own);
        }
    }
    json_object_foreach(groups, what, list)
    {
        char names[TEXT_BYTES] = "";
        name_ranks(names, sizeof names, list);
        own = json_object_get(all, what);
        info_add(findings, info_text(own, "effect"), info_text(own, "remedy"), "%s: %s", names,
                 what);
    }
    json_array_foreach(findings, i, own) is_broken |= strcmp(info_text(own, "effect"), NOTE) != 0;
    json_decref(groups);
    json_decref(all);
    return is_broken;
}
