/* SPDX-License-Identifier: MIT */
/*
 * Compares the ranks of a job. See cluster.h.
 *
 * Most findings are about the ranks of a host of which something holds: struct some names them.
 */
#include "cluster.h"

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
#define RANK INT " on %s" /* of WHO */
#define WHO(rank) info_integer(rank, "rank"), info_text(rank, "host")

/* ---- words ----------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static void add(json_t *findings, bool is_fatal,
                                                      const char *remedy, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_t *what = json_vsprintf(format, arguments);
    va_end(arguments);
    json_array_append_new(findings, json_pack("{s:o, s:s, s:b}", "what", what, "remedy", remedy,
                                              "is_fatal", (int)is_fatal));
}

/* Puts more behind a text of so many bytes; what is longer is cut. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t bytes,
                                                         const char *format, ...)
{
    va_list arguments;
    const size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, bytes - used, format, arguments);
    va_end(arguments);
}

typedef bool holds_function(const json_t *rank, void *context);

/* Ranks of one host. */
struct some {
    unsigned n;
    const json_t *first; /* NULL if n is 0 */
    char names[512];     /* "ranks 0, 2 and 3 more on gh1" */
};

/* Returns those of the host's ranks of which `holds` is true. @param holds  NULL: all of them */
static struct some find_ranks(const json_t *ranks, json_int_t host, holds_function *holds,
                              void *context)
{
    struct some some = {.n = 0};
    char numbers[256] = "";
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        if (info_integer(rank, "first") != host || (holds && !holds(rank, context)))
            continue;
        some.first = some.first ? some.first : rank;
        if (some.n++ < MOST_NAMED)
            append(numbers, sizeof numbers, "%s" INT, some.n > 1 ? ", " : "",
                   info_integer(rank, "rank"));
    }
    if (some.n > MOST_NAMED)
        append(numbers, sizeof numbers, " and %u more", some.n - MOST_NAMED);
    append(some.names, sizeof some.names, "rank%s %s on %s", some.n > 1 ? "s" : "", numbers,
           info_text(some.first, "host"));
    return some;
}

/* ---- values that should be equal ------------------------------------------------------------- */

/* What is compared: a member of each rank; or a setting. */
struct comparison {
    const char *name, *remedy, *key;
    bool is_fatal; /* if it differs */
    const struct gravel_setting *setting;
};

/* Returns what a rank has once it has taken node 0's: see gravel_config_take. @param preset  [out] maybe the value */
static const char *setting_of(const json_t *rank, const json_t *first,
                              const struct gravel_setting *setting, char preset[24])
{
    snprintf(preset, 24, "%" PRIu64, setting->number);
    const char *unset = setting->kind == GRAVEL_SETTING_STRING ? setting->text : preset;
    const char *own = info_text(json_object_get(rank, "settings"), setting->variable);
    const char *shared = info_text(json_object_get(first, "settings"), setting->variable);
    return *own && strcmp(own, unset) ? own : *shared ? shared : unset;
}

/* Adds a finding if ranks differ: "GRAVEL_HEAP: 1 at rank 0 on gh1, 2 on gh1; 2 at rank 1 on gh1". */
static void compare(const struct comparison *of, const json_t *ranks, json_t *findings)
{
    char text[2048] = "", preset[24];
    const char *value;
    json_t *owners = json_object(), *list, *rank; /* ranks by value */
    size_t i;
    json_array_foreach(ranks, i, rank)
    {
        value = of->setting ? setting_of(rank, json_array_get(ranks, 0), of->setting, preset)
                            : info_text(rank, of->key);
        value = *value ? value : "none";
        if (!json_object_get(owners, value))
            json_object_set_new(owners, value, json_array());
        json_array_append(json_object_get(owners, value), rank);
    }
    json_object_foreach(owners, value, list)
    {
        const size_t n = json_array_size(list);
        append(text, sizeof text, "%s%s at rank ", *text ? "; " : ": ", value);
        json_array_foreach(list, i, rank) if (i < MOST_NAMED)
            append(text, sizeof text, "%s" RANK, i ? ", " : "", WHO(rank));
        if (n > MOST_NAMED)
            append(text, sizeof text, " and %zu more", n - MOST_NAMED);
    }
    if (json_object_size(owners) > 1)
        add(findings, of->is_fatal, of->remedy, "%s%s", of->name, text);
    json_decref(owners);
}

static void compare_all(const json_t *ranks, json_t *findings)
{
    static const char one_everywhere[] = "install one version on all hosts";
    static const struct comparison members[] = {
        {"Gravel", one_everywhere, "version", true, NULL},
        {"MPI", one_everywhere, "mpi", true, NULL},
        {"step", "allowed; GRAVEL_STEP takes one for all", "step", false, NULL}};
    for (size_t m = 0; m < sizeof members / sizeof *members; m++)
        compare(&members[m], ranks, findings);
    const struct gravel_setting *setting;
    for (uint32_t s = 0; (setting = gravel_setting_at(s)); s++) {
        const struct comparison of = {
            setting->variable, "set it at node 0 alone, whose setting all nodes take, or unset it",
            NULL, gravel_setting_reach(setting) == GRAVEL_SETTING_AGREED, setting};
        if (gravel_setting_reach(setting) != GRAVEL_SETTING_PER_HOST)
            compare(&of, ranks, findings);
    }
}

/* ---- devices --------------------------------------------------------------------------------- */

/* Returns the rank's own in a list of the devices that the nodes of a host take in turn. */
static const char *turn_of(const json_t *rank, const char *key)
{
    const json_t *list = json_object_get(json_object_get(rank, "device"), key);
    const size_t n = json_array_size(list), local = (size_t)info_integer(rank, "local");
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

/* Whether a rank has the same device as another one before it. */
static bool shares_device(const json_t *rank, void *context)
{
    const json_t *before = context;
    const char *a = turn_of(before, "identities"), *b = turn_of(rank, "identities");
    return info_integer(rank, "rank") > info_integer(before, "rank") && a && b && !strcmp(a, b) &&
           !has_cpu(before);
}

static void note_shared_device(const json_t *ranks, json_t *rank, json_t *findings)
{
    const struct some others = find_ranks(ranks, info_integer(rank, "first"), shares_device, rank);
    if (others.n)
        add(findings, false, "one rank a device: mpirun --map-by ppr:DEVICES:node",
            "rank " RANK " shares its device with rank " INT, WHO(rank),
            info_integer(others.first, "rank"));
}

static bool has_unknown_device(const json_t *rank, void *context)
{
    (void)context;
    return info_device_of(rank) && !turn_of(rank, "identities") && !has_cpu(rank);
}

/* Devices of one number may be different ones, where a launcher shows each rank its own. */
static void note_unknown_devices(const json_t *ranks, json_int_t host, json_t *findings)
{
    const struct some some = find_ranks(ranks, host, has_unknown_device, NULL);
    const char *selection = info_text(json_array_get(ranks, (size_t)host), "selection");
    if (some.n > 1)
        add(findings, false,
            "that variable at each rank, and the driver's own tool, show who has which device",
            "%s: whether they share a device is unknown, for its driver tells no UUID%s%s",
            some.names, *selection ? ", and a rank may see some devices only: " : "", selection);
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* A node has an aggregator, a network thread and the program's own, beside kernels on a CPU. */
#define LEAST_CORES 3

static void note_bound(const json_t *rank, json_t *findings)
{
    const json_t *cores = json_object_get(rank, "cores");
    const json_int_t allowed = info_integer(cores, "allowed"),
                     online = info_integer(cores, "online");
    if (allowed < LEAST_CORES && allowed < online)
        add(findings, false, "mpirun --bind-to none, srun --cpu-bind=none -c CORES",
            "rank " RANK " may run on core %s alone, of " INT, WHO(rank), info_text(cores, "list"),
            online);
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

static void read_cores(const json_t *rank, cpu_set_t *set)
{
    info_cores_read(info_text(json_object_get(rank, "cores"), "list"), set);
}

static bool runs_within(const json_t *rank, void *cores)
{
    cpu_set_t own;
    read_cores(rank, &own);
    CPU_AND(&own, &own, (const cpu_set_t *)cores);
    return CPU_COUNT(&own) > 0;
}

/* Adds the cores of all ranks of its host that may run on these, be it by way of a third one. */
static void grow(const json_t *ranks, json_int_t host, cpu_set_t *cores)
{
    int n_cores;
    do {
        size_t i;
        json_t *rank;
        n_cores = CPU_COUNT(cores);
        json_array_foreach(ranks, i, rank)
        {
            cpu_set_t own;
            if (info_integer(rank, "first") != host || !runs_within(rank, cores))
                continue;
            read_cores(rank, &own);
            CPU_OR(cores, cores, &own);
        }
    } while (CPU_COUNT(cores) > n_cores);
}

/* Adds a note at the first of the ranks that share cores. */
static void note_shared_cores(const json_t *ranks, const json_t *rank, json_t *findings)
{
    const json_int_t host = info_integer(rank, "first");
    cpu_set_t cores;
    read_cores(rank, &cores);
    grow(ranks, host, &cores);
    const struct some some = find_ranks(ranks, host, runs_within, &cores);
    if (some.first != rank || some.n < 2 || CPU_COUNT(&cores) >= (int)(LEAST_CORES * some.n))
        return;
    add(findings, false,
        "fewer ranks a host, or cores of its own for each: mpirun --map-by ppr:N:node:pe=CORES, "
        "srun -c CORES",
        "%s share %d core%s, and each has %d threads beside its kernels", some.names,
        CPU_COUNT(&cores), CPU_COUNT(&cores) > 1 ? "s" : "", LEAST_CORES);
}

/* ---- node buffers that are handed over ------------------------------------------------------- */

static bool says(const json_t *rank, void *key)
{
    return *info_text(json_object_get(rank, "handover"), key) != '\0';
}

/* A rank without shared memory is the reason why others cannot map it. */
static void note_not_handed_over(const json_t *ranks, json_int_t host, json_t *findings)
{
    static const struct {
        const char *key, *then, *remedy;
    } causes[] = {{"error", "", "ulimit -f unlimited, ulimit -v unlimited"},
                  {"why_not", " cannot map node buffers of others there, which MPI sends instead",
                   "one user and one container for all ranks of a host, and a /proc that shows "
                   "them to each other (no hidepid)"}};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        const struct some some = find_ranks(ranks, host, says, (void *)causes[i].key);
        if (!some.n)
            continue;
        add(findings, false, causes[i].remedy, "%s%s: %s", some.names, causes[i].then,
            info_text(json_object_get(some.first, "handover"), causes[i].key));
        return;
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

#define MIB (INT64_C(1) << 20)

/* A resource that is short if a rank has less than `own`, and `each` for each rank. */
static const struct limit {
    const char *key;
    json_int_t own, each;
    bool is_of_host; /* it needs `each` for the ranks of its host, not for those of the job */
    bool is_for_rdma;
    json_int_t unit;    /* of what the finding says */
    const char *format; /* names, what there is, what is needed, ranks */
    const char *remedy;
} limits[] = {
    {"descriptors", 64, 1, false, false, 1, /* of drivers, MPI and files; and a connection each */
     "%s may open " INT " descriptors, and MPI may need " INT ": a connection to each of " INT
     " ranks, and its own",
     "ulimit -n 4096, also in the launcher's daemon"},
    {"address_bytes", 4096 * MIB, GRAVEL_SEGMENT_BYTES, true, false, MIB,
     "%s may have " INT " MiB of addresses, and may need " INT
     ": a gigabyte for each rank of the host (" INT "), and heap, queues and driver",
     "ulimit -v unlimited, or fewer ranks a host"},
    {"locked_bytes", 64 * MIB, 0, true, true, 1024, /* of node buffers */
     "%s may lock " INT " kB, and InfiniBand reads memory that is locked: node buffers take " INT
     " kB",
     "ulimit -l unlimited, also in the launcher's daemon"},
};

struct need {
    const struct limit *limit;
    json_int_t needed, least; /* the least that a rank has */
};

/* Whether a rank has less than is needed. A limit that is null is none. */
static bool is_short(const json_t *rank, void *context)
{
    struct need *need = context;
    const json_t *limit = json_object_get(json_object_get(rank, "limits"), need->limit->key);
    const json_int_t has = json_integer_value(limit);
    if (!json_is_integer(limit) || has >= need->needed ||
        (need->limit->is_for_rdma && !json_is_true(json_object_get(rank, "has_rdma"))))
        return false;
    need->least = has < need->least ? has : need->least;
    return true;
}

static void note_limit(const json_t *ranks, json_int_t host, const struct limit *limit,
                       json_t *findings)
{
    const json_int_t n = limit->is_of_host ? find_ranks(ranks, host, NULL, NULL).n
                                           : (json_int_t)json_array_size(ranks),
                     needed = limit->own + n * limit->each;
    struct need need = {limit, needed, needed};
    const struct some some = find_ranks(ranks, host, is_short, &need);
    if (some.n)
        add(findings, false, limit->remedy, limit->format, some.names, need.least / limit->unit,
            needed / limit->unit, n);
}

/* ---- all of them ----------------------------------------------------------------------------- */

json_t *info_find(const json_t *ranks)
{
    json_t *findings = json_array(), *rank;
    size_t i;
    json_array_foreach(ranks, i, rank)
    {
        if (json_object_get(rank, "error"))
            add(findings, true, "gravel-info on that host says what it lacks", "rank " RANK ": %s",
                WHO(rank), info_text(rank, "error"));
    }
    compare_all(ranks, findings);
    json_array_foreach(ranks, i, rank)
    {
        note_shared_device(ranks, rank, findings);
        note_bound(rank, findings);
        note_shared_cores(ranks, rank, findings);
        if (info_integer(rank, "first") != (json_int_t)i)
            continue; /* the rest is of hosts */
        note_unknown_devices(ranks, (json_int_t)i, findings);
        note_not_handed_over(ranks, (json_int_t)i, findings);
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
            note_limit(ranks, (json_int_t)i, &limits[k], findings);
    }
    return findings;
}

void info_find_silent(const json_t *ranks, const json_t *pairs, json_t *findings)
{
    size_t i;
    json_t *pair;
    json_array_foreach(pairs, i, pair)
    {
        const json_t *a =
            json_array_get(ranks, (size_t)json_integer_value(json_array_get(pair, 0)));
        const json_t *b =
            json_array_get(ranks, (size_t)json_integer_value(json_array_get(pair, 1)));
        add(findings, false,
            "long packets may be lost: ping -M do -s 1472 HOST; see MTU, firewalls, and MPI's "
            "choice of networks",
            "rank " RANK " gets no answer from rank " RANK, WHO(a), WHO(b));
    }
}
