/* SPDX-License-Identifier: MIT */
/*
 * Compares the ranks of a job. See findings.h.
 */
#include "findings.h"

#include "notes.h"
#include "settings/settings.h"
#include "wording.h"

#include <inttypes.h>
#include <string.h>

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
            n++ >= INFO_MOST_NAMED)
            continue;
        info_append_number(text, n == 1 ? " at rank " : ", ", info_integer_of(rank, "rank"));
        info_append(text, " on ", info_text_of(rank, "host"));
    }
    if (n > INFO_MOST_NAMED) {
        info_append_number(text, " and ", n - INFO_MOST_NAMED);
        info_append(text, " more", "");
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
    char text[INFO_TEXT_BYTES] = "";
    unsigned n_values = 0;
    info_append(text, of->name, "");
    for (size_t i = 0; i < json_array_size(of->values); i++) {
        const char *value = json_string_value(json_array_get(of->values, i));
        if (!is_first_of_value(of, i))
            continue;
        info_append(text, n_values++ ? "; " : ": ", value && *value ? value : "none");
        append_owners(of, i, text);
    }
    if (n_values > 1)
        info_add(findings, of->is_fatal, text, of->remedy);
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
        json_array_append_new(of.values, json_string(info_text_of(rank, key)));
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

/* ---- ranks that cannot open, or answer ------------------------------------------------------- */

static void find_failed(const json_t *ranks, json_t *findings)
{
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        char text[INFO_TEXT_BYTES] = "";
        if (!json_object_get(rank, "error"))
            continue;
        info_append_rank(text, rank);
        info_append(text, ": ", info_text_of(rank, "error"));
        info_add(findings, true, text, "gravel-info on that host says what it lacks");
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
    info_note(ranks, findings);
    return findings;
}

static const json_t *rank_of(const json_t *ranks, const json_t *pair, size_t i)
{
    return json_array_get(ranks, (size_t)json_integer_value(json_array_get(pair, i)));
}

void info_find_silent(const json_t *ranks, const json_t *pairs, json_t *findings)
{
    size_t i;
    json_t *pair;
    json_array_foreach(pairs, i, pair)
    {
        const json_t *both = json_object_get(pair, "ranks");
        char text[INFO_TEXT_BYTES] = "";
        if (strcmp(info_text_of(pair, "way"), "silent"))
            continue;
        info_append_rank(text, rank_of(ranks, both, 0));
        info_append(text, " gets no answer from ", "");
        info_append_rank(text, rank_of(ranks, both, 1));
        info_add(findings, false, text,
                 "long packets may be lost: ping -M do -s 1472 HOST; see MTU, firewalls, and MPI's "
                 "choice of "
                 "networks");
    }
}
