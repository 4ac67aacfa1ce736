/* SPDX-License-Identifier: MIT */
/*
 * Looks for what makes a job slow. See notes.h.
 */
#include "notes.h"

#include "cores_list.h"
#include "transport/segment.h"
#include "wording.h"

#include <stdlib.h>
#include <string.h>

static bool is_of_host(const json_t *rank, json_int_t host)
{
    return info_integer_of(rank, "first") == host;
}

static bool is_any(const json_t *rank, const void *context)
{
    (void)rank, (void)context;
    return true;
}

/* ---- devices --------------------------------------------------------------------------------- */

/* Of a list of the devices that the nodes of a host take in turn. */
static const char *turn_of(const json_t *rank, const char *key)
{
    const json_t *list = json_object_get(json_object_get(rank, "device"), key);
    const size_t n = json_array_size(list), local = (size_t)info_integer_of(rank, "local");
    return n ? json_string_value(json_array_get(list, local % n)) : NULL;
}

const char *info_device_of(const json_t *rank)
{
    return turn_of(rank, "numbers");
}

/* Nodes share a CPU's cores, not its device. */
static bool has_cpu(const json_t *rank)
{
    return json_is_true(json_object_get(json_object_get(rank, "device"), "is_cpu"));
}

static bool is_shared(const json_t *rank, const json_t *other)
{
    const char *a = turn_of(rank, "identities"), *b = turn_of(other, "identities");
    return is_of_host(other, info_integer_of(rank, "first")) && a && b && !strcmp(a, b) &&
           !has_cpu(rank);
}

static void find_shared_devices(const json_t *ranks, json_t *findings)
{
    size_t i, j;
    json_t *rank, *other;
    json_array_foreach(ranks, i, rank)
    {
        json_array_foreach(ranks, j, other)
        {
            char text[INFO_TEXT_BYTES] = "";
            if (j <= i || !is_shared(rank, other))
                continue;
            info_append_rank(text, rank);
            info_append_number(text, " shares its device with rank ",
                               info_integer_of(other, "rank"));
            info_add(findings, false, text, "one rank a device: mpirun --map-by ppr:DEVICES:node");
            break;
        }
    }
}

static bool has_unknown_device(const json_t *rank, const void *context)
{
    (void)context;
    return info_device_of(rank) && !turn_of(rank, "identities") && !has_cpu(rank);
}

/* Devices of one number may be different ones, where a launcher shows each rank its own. */
static void find_unknown_devices(const json_t *ranks, json_int_t host, json_t *findings)
{
    char text[INFO_TEXT_BYTES] = "";
    const char *selection = info_text_of(json_array_get(ranks, (size_t)host), "selection");
    if (info_append_ranks(text, ranks, host, has_unknown_device, NULL) < 2)
        return;
    info_append(text, ": whether they share a device is unknown, for its driver tells no UUID", "");
    if (*selection)
        info_append(text, ", and a rank may see some devices only: ", selection);
    info_add(findings, false, text,
             "that variable at each rank, and the driver's own tool, show who has which device");
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* A node has an aggregator, a network thread and the program's own, beside kernels on a CPU. */
#define LEAST_CORES 3

static void find_bound(const json_t *ranks, json_t *findings)
{
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        const json_t *cores = json_object_get(rank, "cores");
        const json_int_t allowed = info_integer_of(cores, "allowed");
        char text[INFO_TEXT_BYTES] = "";
        if (allowed >= LEAST_CORES || allowed >= info_integer_of(cores, "online"))
            continue;
        info_append_rank(text, rank);
        info_append(text, " may run on core ", info_text_of(cores, "list"));
        info_append_number(text, " alone, of ", info_integer_of(cores, "online"));
        info_add(findings, false, text, "mpirun --bind-to none, srun --cpu-bind=none -c CORES");
    }
}

/* Ranks of a host that may run on cores of each other, be it by way of a third one. */
struct group {
    size_t *of; /* [ranks] the number of a rank's group, from 1; 0: not known yet */
    size_t n_ranks, number;
    json_int_t host;
    cpu_set_t cores; /* of all its ranks */
};

static bool read_cores(const json_t *rank, cpu_set_t *set)
{
    return info_cores_read(info_text_of(json_object_get(rank, "cores"), "list"), set);
}

/* @return whether a rank came to it. */
static bool grow(const json_t *ranks, struct group *group)
{
    bool has_grown = false;
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        cpu_set_t own, common;
        if (group->of[i] || !is_of_host(rank, group->host) || !read_cores(rank, &own))
            continue;
        CPU_AND(&common, &own, &group->cores);
        if (CPU_COUNT(&common) == 0)
            continue;
        CPU_OR(&group->cores, &group->cores, &own);
        group->of[i] = group->number;
        has_grown = true;
    }
    return has_grown;
}

static bool is_of_group(const json_t *rank, const void *context)
{
    const struct group *group = context;
    const size_t i = (size_t)info_integer_of(rank, "rank");
    return i < group->n_ranks && group->of[i] == group->number;
}

static void note_group(const json_t *ranks, const struct group *group, json_t *findings)
{
    char text[INFO_TEXT_BYTES] = "", cores[INFO_CORES_BYTES];
    const unsigned n = info_append_ranks(text, ranks, group->host, is_of_group, group);
    const unsigned n_cores = (unsigned)CPU_COUNT(&group->cores);
    if (n < 2 || n_cores >= LEAST_CORES * n)
        return;
    info_cores_write(&group->cores, cores);
    info_append(text, n_cores == 1 ? " share core " : " share cores ", cores);
    info_append_number(text, ", and each has ", LEAST_CORES);
    info_append(text, " threads beside its kernels", "");
    info_add(
        findings, false, text,
        "fewer ranks a host, or cores of its own for each: mpirun --map-by ppr:N:node:pe=CORES, "
        "srun -c CORES");
}

static void find_shared_cores(const json_t *ranks, json_int_t host, json_t *findings)
{
    const size_t n = json_array_size(ranks);
    struct group group = {.of = calloc(n, sizeof *group.of), .n_ranks = n, .host = host};
    for (size_t i = 0; group.of && i < n; i++) {
        const json_t *rank = json_array_get(ranks, i);
        if (group.of[i] || !is_of_host(rank, host) || !read_cores(rank, &group.cores))
            continue;
        group.number = i + 1;
        while (grow(ranks, &group))
            continue;
        note_group(ranks, &group, findings);
    }
    free(group.of);
}

/* ---- node buffers that are handed over ------------------------------------------------------- */

/* Whether a rank says so of its node buffers. */
static bool says(const json_t *rank, const void *key)
{
    return *info_text_of(json_object_get(rank, "handover"), key) != '\0';
}

static const char *first_word(const json_t *ranks, json_int_t host, const char *key)
{
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        if (is_of_host(rank, host) && says(rank, key))
            return info_text_of(json_object_get(rank, "handover"), key);
    }
    return "";
}

/* A rank without shared memory is the reason why others cannot map it. */
static void find_not_handed_over(const json_t *ranks, json_int_t host, json_t *findings)
{
    char text[INFO_TEXT_BYTES] = "";
    if (info_append_ranks(text, ranks, host, says, "error")) {
        info_append(text, ": ", first_word(ranks, host, "error"));
        info_add(findings, false, text, "ulimit -f unlimited, ulimit -v unlimited");
    } else if (info_append_ranks(text, ranks, host, says, "why_not")) {
        info_append(text,
                    " cannot map node buffers of others there, which MPI sends instead: ", "");
        info_append(text, first_word(ranks, host, "why_not"), "");
        info_add(findings, false, text,
                 "one user and one container for all ranks of a host, and a /proc that shows them "
                 "to each other (no hidepid)");
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

#define MIB (INT64_C(1) << 20)
#define OWN_DESCRIPTORS 64 /* of drivers, MPI and files; and a connection to each rank */
#define OWN_ADDRESS_BYTES \
    (4096 * MIB) /* of heap, queues and driver; and a segment of each rank of the host */
#define BUFFER_BYTES (64 * MIB) /* of node buffers, which networks that read memory must lock */

struct need {
    const char *limit;
    json_int_t least;
};

/* A limit that is null is none. */
static bool is_short(const json_t *rank, const void *context)
{
    const struct need *need = context;
    const json_t *limit = json_object_get(json_object_get(rank, "limits"), need->limit);
    return json_is_integer(limit) && json_integer_value(limit) < need->least;
}

static bool cannot_lock(const json_t *rank, const void *context)
{
    return is_short(rank, context) && json_is_true(json_object_get(rank, "has_rdma"));
}

/* The least of the host's. */
static json_int_t shortest(const json_t *ranks, json_int_t host, const struct need *need)
{
    json_int_t least = need->least;
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        if (!is_of_host(rank, host) || !is_short(rank, need))
            continue;
        const json_int_t own = info_integer_of(json_object_get(rank, "limits"), need->limit);
        least = own < least ? own : least;
    }
    return least;
}

static void find_few_descriptors(const json_t *ranks, json_int_t host, json_t *findings)
{
    char text[INFO_TEXT_BYTES] = "";
    const json_int_t n = (json_int_t)json_array_size(ranks);
    const struct need need = {"descriptors", OWN_DESCRIPTORS + n};
    if (!info_append_ranks(text, ranks, host, is_short, &need))
        return;
    info_append_number(text, " may open ", shortest(ranks, host, &need));
    info_append_number(text, " descriptors, and MPI may need ", need.least);
    info_append_number(text, ": a connection to each of ", n);
    info_append(text, " ranks, and its own", "");
    info_add(findings, false, text, "ulimit -n 4096, also in the launcher's daemon");
}

static void find_few_addresses(const json_t *ranks, json_int_t host, json_t *findings)
{
    char text[INFO_TEXT_BYTES] = "", all[INFO_TEXT_BYTES] = "";
    const json_int_t n = (json_int_t)info_append_ranks(all, ranks, host, is_any, NULL);
    const struct need need = {"address_bytes",
                              OWN_ADDRESS_BYTES + n * (json_int_t)GRAVEL_SEGMENT_BYTES};
    if (!info_append_ranks(text, ranks, host, is_short, &need))
        return;
    info_append_number(text, " may have ", shortest(ranks, host, &need) / MIB);
    info_append_number(text, " MiB of addresses, and may need ", need.least / MIB);
    info_append_number(text, ": a gigabyte for each rank of the host (", n);
    info_append(text, "), and heap, queues and driver", "");
    info_add(findings, false, text, "ulimit -v unlimited, or fewer ranks a host");
}

static void find_little_locked(const json_t *ranks, json_int_t host, json_t *findings)
{
    char text[INFO_TEXT_BYTES] = "";
    const struct need need = {"locked_bytes", BUFFER_BYTES};
    if (!info_append_ranks(text, ranks, host, cannot_lock, &need))
        return;
    info_append_number(text, " may lock ", shortest(ranks, host, &need) / 1024);
    info_append_number(text, " kB, and InfiniBand reads memory that is locked: node buffers take ",
                       BUFFER_BYTES / 1024);
    info_append(text, " kB", "");
    info_add(findings, false, text, "ulimit -l unlimited, also in the launcher's daemon");
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void note_host(const json_t *ranks, json_int_t host, json_t *findings)
{
    find_unknown_devices(ranks, host, findings);
    find_shared_cores(ranks, host, findings);
    find_not_handed_over(ranks, host, findings);
    find_few_descriptors(ranks, host, findings);
    find_few_addresses(ranks, host, findings);
    find_little_locked(ranks, host, findings);
}

void info_note(const json_t *ranks, json_t *findings)
{
    size_t i;
    json_t *rank;
    find_shared_devices(ranks, findings);
    find_bound(ranks, findings);
    json_array_foreach(ranks, i, rank)
    {
        if (is_of_host(rank, (json_int_t)i))
            note_host(ranks, (json_int_t)i, findings);
    }
}
