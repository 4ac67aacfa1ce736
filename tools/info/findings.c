/* SPDX-License-Identifier: MIT */
/*
 * Compares the ranks of a job. See info.h.
 *
 * Values that should be equal are compared over all ranks; a table has what else is looked for.
 */
#include "info.h"

#include "members.h"
#include "settings/settings.h"
#include "transport/segment.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMED 8u /* ranks that a finding names; it counts the rest */
#define INT "%" JSON_INTEGER_FORMAT
#define FATAL "gravel_open would fail"
#define NOTE "note"

/* Returns "ranks 0, 1 on gh1, 4 on gh2 and 3 more". */
static json_t *name_ranks(const json_t *some)
{
    char text[MOST_NAMED * 160 + 32];
    const size_t n = json_array_size(some), n_named = n < MOST_NAMED ? n : MOST_NAMED;
    int at = sprintf(text, n > 1 ? "ranks" : "rank");
    for (size_t i = 0; i < n_named; i++) {
        const json_t *rank = json_array_get(some, i), *next = json_array_get(some, i + 1);
        const char *host = info_text(rank, "host");
        at += sprintf(text + at, i ? ", " INT : " " INT, info_integer(rank, "rank"));
        if (i + 1 == n_named || strcmp(host, info_text(next, "host")))
            at += sprintf(text + at, " on %.128s", host);
    }
    if (n > n_named)
        sprintf(text + at, " and %zu more", n - n_named);
    return json_string(text);
}

static void add(json_t *findings, const char *effect, json_t *what, const char *remedy)
{
    json_array_append_new(
        findings, json_pack("{s:s, s:o, s:s}", "effect", effect, "what", what, "remedy", remedy));
}

/* ---- values that should be equal ------------------------------------------------------------- */

/* Adds a finding if ranks differ: "GRAVEL_HEAP: 1 at ranks 0, 2 on gh1; 2 at rank 1 on gh1". A rank that has not set a value
 * has taken node 0's: see gravel_config_take. */
static void compare(const json_t *ranks, const char *name, const char *path, const char *unset,
                    bool is_fatal, const char *remedy, json_t *findings)
{
    const char *value, *shared = info_text(json_array_get(ranks, 0), path);
    json_t *owners = json_object(), *list, *rank; /* ranks by value */
    json_t *what = NULL;
    size_t i;
    json_array_foreach(ranks, i, rank)
    {
        value = info_text(rank, path);
        if (!*value || !strcmp(value, unset))
            value = *shared ? shared : unset;
        if (!json_object_get(owners, value))
            json_object_set_new(owners, value, json_array());
        json_array_append(json_object_get(owners, value), rank);
    }
    if (json_object_size(owners) > 1) {
        json_object_foreach(owners, value, list)
        {
            json_t *before = what, *names = name_ranks(list);
            what = json_sprintf("%s%s%s at %s", before ? json_string_value(before) : name,
                                before ? "; " : ": ", *value ? value : "none",
                                json_string_value(names));
            json_decref(before);
            json_decref(names);
        }
        add(findings, is_fatal ? FATAL : NOTE, what, remedy);
    }
    json_decref(owners);
}

static void compare_all(const json_t *ranks, json_t *findings)
{
    const struct gravel_setting *setting;
    compare(ranks, "Gravel", "version", "", true, "install one version on all hosts", findings);
    compare(ranks, "MPI", "mpi", "", true, "install one version on all hosts", findings);
    compare(ranks, "step", "step", "", false, "allowed; GRAVEL_STEP takes one for all", findings);
    for (uint32_t s = 0; (setting = gravel_setting_at(s)); s++) {
        const enum gravel_setting_reach reach = gravel_setting_reach(setting);
        char path[64], preset[24];
        snprintf(path, sizeof path, "settings.%s", setting->variable);
        snprintf(preset, sizeof preset, "%" PRIu64, setting->number);
        if (reach != GRAVEL_SETTING_PER_HOST)
            compare(ranks, setting->variable, path,
                    setting->kind == GRAVEL_SETTING_STRING ? setting->text : preset,
                    reach == GRAVEL_SETTING_AGREED,
                    "set it at node 0 alone, whose setting all nodes take, or unset it", findings);
    }
}

/* ---- what else is looked for ----------------------------------------------------------------- */

struct row;

/* Returns 0 if nothing is wrong with a rank, else a number for the text. */
typedef json_int_t measure(const struct row *row, const json_t *ranks, const json_t *rank);

/* A finding about the ranks of which `measure` is not 0. */
struct row {
    const char *what; /* a template for a rank, where {names} are all and {number} is its measure */
    const char *remedy;
    measure *measure;
    const char *path;                          /* has_text, is_short: of the value */
    json_int_t own, each_of_host, each_of_job; /* is_short: what is needed; what for each rank */
    const char *effect;                        /* NULL: NOTE */
    bool by_host;                              /* one finding names all ranks of a host */
    size_t most;                               /* ranks that may be so; of more it is a finding */
};

/* A node has an aggregator, a network thread and the program's own, beside kernels on a CPU. */
#define LEAST_CORES 3
#define MIB (INT64_C(1) << 20)

static json_int_t has_text(const struct row *row, const json_t *ranks, const json_t *rank)
{
    (void)ranks;
    return json_is_string(info_member(rank, row->path));
}

static bool is_beside(const json_t *rank, const json_t *other)
{
    return info_integer(rank, "first") == info_integer(other, "first");
}

/* Returns whether a rank has a device that its host's other ranks may not share: those share a CPU's cores. */
static bool has_device(const json_t *rank)
{
    return json_is_false(info_member(rank, "device.is_cpu"));
}

static json_int_t shares_device(const struct row *row, const json_t *ranks, const json_t *rank)
{
    const char *identity = info_text(rank, "device.identity");
    size_t i;
    json_t *other;
    (void)row;
    if (!has_device(rank) || !*identity)
        return 0;
    json_array_foreach(ranks, i, other)
    {
        if (other != rank && is_beside(rank, other) &&
            !strcmp(identity, info_text(other, "device.identity")))
            return 1;
    }
    return 0;
}

static json_int_t has_unknown_device(const struct row *row, const json_t *ranks, const json_t *rank)
{
    (void)ranks;
    (void)row;
    return has_device(rank) && !*info_text(rank, "device.identity");
}

static json_int_t is_bound(const struct row *row, const json_t *ranks, const json_t *rank)
{
    const json_int_t allowed = info_integer(rank, "cores.allowed");
    (void)ranks;
    (void)row;
    return allowed < LEAST_CORES && allowed < info_integer(rank, "cores.online");
}

void info_cores_read(const char *text, cpu_set_t *set)
{
    char *end;
    CPU_ZERO(set);
    for (; *text >= '0' && *text <= '9'; text = *end == ',' ? end + 1 : end) {
        const unsigned long first = strtoul(text, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long core = first; core <= last && core < CPU_SETSIZE; core++)
            CPU_SET(core, set);
    }
}

/* Returns how many cores a rank and those that may run on one of its cores have, if they are too few. */
static json_int_t shares_cores(const struct row *row, const json_t *ranks, const json_t *rank)
{
    cpu_set_t own, all, both;
    int n_ranks = 0;
    size_t i;
    json_t *other;
    (void)row;
    CPU_ZERO(&all);
    info_cores_read(info_text(rank, "cores.list"), &own);
    json_array_foreach(ranks, i, other)
    {
        cpu_set_t cores;
        info_cores_read(info_text(other, "cores.list"), &cores);
        CPU_AND(&both, &cores, &own);
        if (!is_beside(rank, other) || !CPU_COUNT(&both))
            continue;
        CPU_OR(&all, &all, &cores);
        n_ranks++;
    }
    return n_ranks > 1 && CPU_COUNT(&all) < LEAST_CORES * n_ranks ? CPU_COUNT(&all) : 0;
}

/* Returns what a rank needs of what it has less of. A limit that is null is none. */
static json_int_t is_short(const struct row *row, const json_t *ranks, const json_t *rank)
{
    const json_t *limit = info_member(rank, row->path);
    json_int_t needed = row->own;
    size_t i;
    json_t *other;
    json_array_foreach(ranks, i, other) needed +=
        row->each_of_job + (is_beside(rank, other) ? row->each_of_host : 0);
    return json_is_integer(limit) && json_integer_value(limit) < needed ? needed : 0;
}

static const struct row rows[] = {
    {"{names}: {error}", "gravel-info on that host says what it lacks", has_text, "error",
     .effect = FATAL},
    {"{names} have no device of their own", "one rank a device: mpirun --map-by ppr:DEVICES:node",
     shares_device, .by_host = true},
    /* Devices of one number may be different ones, where a launcher shows each rank its own. */
    {"{names}: whether they share a device is unknown, for its driver tells no UUID; what shows a "
     "rank some devices only: {selection}",
     "that variable at each rank, and the driver's own tool, show who has which device",
     has_unknown_device, .by_host = true, .most = 1},
    {"{names} may run on core {cores.list} alone, of {cores.online}",
     "mpirun --bind-to none, srun --cpu-bind=none -c CORES", is_bound, .path = NULL},
    {"{names}: ranks share {number} cores, and each has 3 threads beside its kernels",
     "fewer ranks a host, or cores of its own for each: mpirun --map-by ppr:N:node:pe=CORES, srun "
     "-c CORES",
     shares_cores, .by_host = true},
    {"{names}: {handover.error}", "ulimit -f unlimited, ulimit -v unlimited", has_text,
     "handover.error", .by_host = true},
    {"{names} cannot map node buffers of others there, which MPI sends instead: {handover.why_not}",
     "one user and one container for all ranks of a host, and a /proc that shows them to each "
     "other (no hidepid)",
     has_text, "handover.why_not", .by_host = true},
    /* Of drivers, MPI and files; and a connection each. */
    {"{names} may open {limits.descriptors} descriptors, and MPI may need {number}: a connection "
     "to each rank, and its own",
     "ulimit -n 4096, also in the launcher's daemon", is_short, "limits.descriptors", 64,
     .each_of_job = 1, .by_host = true},
    {"{names} may have {limits.address_bytes/M} MiB of addresses, and may need {number/M}: a "
     "gigabyte for each rank of the host, and heap, queues and driver",
     "ulimit -v unlimited, or fewer ranks a host", is_short, "limits.address_bytes", 4096 * MIB,
     .each_of_host = GRAVEL_SEGMENT_BYTES, .by_host = true},
    {"{names} may lock {limits.rdma_bytes/k} kB, and InfiniBand reads memory that is locked: node "
     "buffers take {number/k} kB",
     "ulimit -l unlimited, also in the launcher's daemon", is_short, "limits.rdma_bytes", 64 * MIB,
     .by_host = true},
};

/* Adds what a row says of ranks[first], or of the ranks of the host whose first it is. */
static void look_for(const struct row *row, size_t first, const json_t *ranks, json_t *findings)
{
    json_t *some = json_array(), *rank, *worst = NULL;
    size_t i;
    json_array_foreach(ranks, i, rank)
    {
        const char *group = row->by_host ? "first" : "rank";
        if (info_integer(rank, group) != (json_int_t)first || !row->measure(row, ranks, rank))
            continue;
        json_array_append(some, rank);
        if (!worst || info_integer(rank, row->path) < info_integer(worst, row->path))
            worst = rank;
    }
    if (json_array_size(some) > row->most) {
        json_t *scope = json_copy(worst);
        json_object_set_new(scope, "number", json_integer(row->measure(row, ranks, worst)));
        json_object_set_new(scope, "names", name_ranks(some));
        add(findings, row->effect ? row->effect : NOTE, info_fill(row->what, scope), row->remedy);
        json_decref(scope);
    }
    json_decref(some);
}

bool info_find(const json_t *ranks, json_t *findings)
{
    bool is_broken = false;
    size_t i, r;
    json_t *finding;
    compare_all(ranks, findings);
    for (r = 0; r < sizeof rows / sizeof *rows; r++)
        for (i = 0; i < json_array_size(ranks); i++)
            look_for(&rows[r], i, ranks, findings);
    json_array_foreach(findings, i, finding) is_broken |=
        strcmp(info_text(finding, "effect"), NOTE) != 0;
    return is_broken;
}
