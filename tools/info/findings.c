/* SPDX-License-Identifier: MIT */
/*
 * Compares the ranks of a job. See findings.h.
 */
#include "findings.h"

#include "settings/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 2048u
#define MAX_NAMED 8u /* ranks that a finding names; it counts the rest */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static json_int_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Of a list of the devices that the nodes of a host take in turn. */
static const char *turn_of(const json_t *rank, const char *key)
{
    const json_t *list = json_object_get(json_object_get(rank, "device"), key);
    const size_t n = json_array_size(list);
    return n ? json_string_value(json_array_get(list, (size_t)integer_of(rank, "local") % n))
             : NULL;
}

const char *info_device_of(const json_t *rank)
{
    return turn_of(rank, "numbers");
}

static void append(char *text, const char *begin, const char *what)
{
    size_t n = strlen(text);
    snprintf(text + n, TEXT_BYTES - n, "%s%s", begin, what);
}

static void append_number(char *text, const char *begin, json_int_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, (int64_t)number);
    append(text, begin, digits);
}

static void add(json_t *findings, bool is_fatal, const char *what, const char *remedy)
{
    json_array_append_new(findings, json_pack("{s:s, s:s, s:b}", "what", what, "remedy", remedy,
                                              "is_fatal", (int)is_fatal));
}

/* ---- values that should be equal ------------------------------------------------------------- */

/* What all ranks have of something. */
struct comparison {
    const char *name, *remedy;
    bool is_fatal; /* if it differs */
    const json_t *ranks;
    json_t *values; /* of each rank: strings */
};

/* " at rank 0 on gh1, 2 on gh1": all that have the value of the i-th. */
static void append_owners(const struct comparison *of, size_t i, char *text)
{
    size_t j;
    unsigned n = 0;
    json_t *rank;
    json_array_foreach(of->ranks, j, rank)
    {
        if (!json_equal(json_array_get(of->values, i), json_array_get(of->values, j)) ||
            n++ >= MAX_NAMED)
            continue;
        append_number(text, n == 1 ? " at rank " : ", ", integer_of(rank, "rank"));
        append(text, " on ", text_of(rank, "host"));
    }
    if (n > MAX_NAMED) {
        append_number(text, " and ", n - MAX_NAMED);
        append(text, " more", "");
    }
}

static bool is_first_of_value(const struct comparison *of, size_t i)
{
    for (size_t before = 0; before < i; before++)
        if (json_equal(json_array_get(of->values, before), json_array_get(of->values, i)))
            return false;
    return true;
}

/* Adds a finding if they differ, and frees the values. */
static void compare(struct comparison *of, json_t *findings)
{
    char text[TEXT_BYTES] = "";
    unsigned n_values = 0;
    append(text, of->name, "");
    for (size_t i = 0; i < json_array_size(of->values); i++) {
        const char *value = json_string_value(json_array_get(of->values, i));
        if (!is_first_of_value(of, i))
            continue;
        append(text, n_values++ ? "; " : ": ", value && *value ? value : "none");
        append_owners(of, i, text);
    }
    if (n_values > 1)
        add(findings, of->is_fatal, text, of->remedy);
    json_decref(of->values);
}

static void compare_members(const json_t *ranks, const char *key, struct comparison of,
                            json_t *findings)
{
    size_t i;
    json_t *rank;
    of.ranks = ranks;
    of.values = json_array();
    json_array_foreach(ranks, i, rank)
        json_array_append_new(of.values, json_string(text_of(rank, key)));
    compare(&of, findings);
}

/* ---- settings -------------------------------------------------------------------------------- */

static json_t *default_of(const struct gravel_setting *setting)
{
    return setting->kind == GRAVEL_SETTING_STRING ? json_string(setting->text)
                                                  : json_sprintf("%" PRIu64, setting->number);
}

/* What a rank has once it has taken node 0's: see gravel_config_take. */
static json_t *setting_of(const json_t *rank, const json_t *first,
                          const struct gravel_setting *setting)
{
    json_t *preset = default_of(setting);
    json_t *own = json_object_get(json_object_get(rank, "settings"), setting->variable);
    json_t *shared = json_object_get(json_object_get(first, "settings"), setting->variable);
    json_t *value = own && !json_equal(own, preset) ? own : shared ? shared : preset;
    json_incref(value);
    json_decref(preset);
    return value;
}

static void compare_setting(const json_t *ranks, const struct gravel_setting *setting,
                            json_t *findings)
{
    struct comparison of = {
        setting->variable, "set it at node 0 alone, whose setting all nodes take, or unset it",
        gravel_setting_reach(setting) == GRAVEL_SETTING_AGREED, ranks, json_array()};
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
        json_array_append_new(of.values, setting_of(rank, json_array_get(ranks, 0), setting));
    compare(&of, findings);
}

static void compare_settings(const json_t *ranks, json_t *findings)
{
    const struct gravel_setting *setting;
    for (uint32_t i = 0; (setting = gravel_setting_at(i)); i++)
        if (gravel_setting_reach(setting) != GRAVEL_SETTING_OF_A_PLACE)
            compare_setting(ranks, setting, findings);
}

/* ---- devices, cores -------------------------------------------------------------------------- */

static void append_rank(const json_t *rank, char *text)
{
    append_number(text, "rank ", integer_of(rank, "rank"));
    append(text, " on ", text_of(rank, "host"));
}

static void find_failed(const json_t *ranks, json_t *findings)
{
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        char text[TEXT_BYTES] = "";
        if (!json_object_get(rank, "error"))
            continue;
        append_rank(rank, text);
        append(text, ": ", text_of(rank, "error"));
        add(findings, true, text, "gravel-info on that host says what it lacks");
    }
}

/* Nodes share a CPU's cores, not its device. */
static bool is_shared(const json_t *rank, const json_t *other)
{
    const char *a = turn_of(rank, "identities"), *b = turn_of(other, "identities");
    return integer_of(rank, "first") == integer_of(other, "first") && a && b && !strcmp(a, b) &&
           !json_is_true(json_object_get(json_object_get(rank, "device"), "is_cpu"));
}

static void find_shared_devices(const json_t *ranks, json_t *findings)
{
    size_t i, j;
    json_t *rank, *other;
    json_array_foreach(ranks, i, rank)
    {
        json_array_foreach(ranks, j, other)
        {
            char text[TEXT_BYTES] = "";
            if (j <= i || !is_shared(rank, other))
                continue;
            append_rank(rank, text);
            append_number(text, " shares its device with rank ", integer_of(other, "rank"));
            add(findings, false, text, "one rank a device: mpirun --map-by ppr:DEVICES:node");
            break;
        }
    }
}

/* A node has an aggregator, a network thread and the program's own, beside kernels on a CPU. */
#define LEAST_CORES 3

static void find_bound(const json_t *ranks, json_t *findings)
{
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        const json_t *cores = json_object_get(rank, "cores");
        const json_int_t allowed = integer_of(cores, "allowed");
        char text[TEXT_BYTES] = "";
        if (allowed >= LEAST_CORES || allowed >= integer_of(cores, "online"))
            continue;
        append_rank(rank, text);
        append(text, " may run on core ", text_of(cores, "list"));
        append_number(text, " alone, of ", integer_of(cores, "online"));
        add(findings, false, text, "mpirun --bind-to none, srun --cpu-bind=none -c CORES");
    }
}

json_t *info_find(const json_t *ranks)
{
    static const char one_everywhere[] = "install one version on all hosts";
    json_t *findings = json_array();
    find_failed(ranks, findings);
    compare_members(ranks, "version",
                    (struct comparison){"Gravel", one_everywhere, true, NULL, NULL}, findings);
    compare_members(ranks, "mpi", (struct comparison){"MPI", one_everywhere, true, NULL, NULL},
                    findings);
    compare_members(
        ranks, "step",
        (struct comparison){"step", "allowed; GRAVEL_STEP takes one for all", false, NULL, NULL},
        findings);
    compare_settings(ranks, findings);
    find_shared_devices(ranks, findings);
    find_bound(ranks, findings);
    return findings;
}

void info_find_silent(const json_t *ranks, const json_t *pairs, json_t *findings)
{
    size_t i;
    json_t *pair;
    json_array_foreach(pairs, i, pair)
    {
        const json_t *both = json_object_get(pair, "ranks");
        char text[TEXT_BYTES] = "";
        if (strcmp(text_of(pair, "way"), "silent"))
            continue;
        append_rank(json_array_get(ranks, (size_t)json_integer_value(json_array_get(both, 0))),
                    text);
        append(text, " gets no answer from ", "");
        append_rank(json_array_get(ranks, (size_t)json_integer_value(json_array_get(both, 1))),
                    text);
        add(findings, false, text,
            "long packets may be lost: ping -M do -s 1472 HOST; see MTU, firewalls, and MPI's "
            "choice of "
            "networks");
    }
}
