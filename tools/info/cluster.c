/* SPDX-License-Identifier: MIT */
/*
 * The page of a job. See cluster.h.
 */
#include "cluster.h"

#include "findings.h"
#include "gather.h"
#include "matrix.h"
#include "notes.h"
#include "pairs.h"
#include "rank.h"

#include "gravel/gravel.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int64_t integer_of(const json_t *object, const char *key)
{
    return (int64_t)json_integer_value(json_object_get(object, key));
}

/* At rank 0, which speaks for all. */
static void add_pairs(json_t *cluster, const json_t *all)
{
    json_t *pairs = info_pairs(all);
    if (json_is_array(pairs))
        info_find_silent(all, pairs, json_object_get(cluster, "findings"));
    if (pairs)
        json_object_set_new(cluster, "pairs", pairs);
}

static bool is_silent(const json_t *cluster)
{
    size_t i;
    json_t *pair;
    const json_t *pairs = json_object_get(cluster, "pairs");
    json_array_foreach(pairs, i, pair)
    {
        if (!strcmp(text_of(pair, "way"), "silent"))
            return true;
    }
    return pairs && !json_is_array(pairs);
}

json_t *info_cluster(const char *device, unsigned limit_s)
{
    json_t *own = info_rank_describe(device, limit_s), *all = NULL;
    json_t *cluster = own ? json_object() : NULL;
    if (cluster && info_gather(own, &all) == 0) {
        json_object_set(cluster, "ranks", all);
        json_object_set_new(cluster, "findings", info_find(all));
        json_object_set(cluster, "rank", json_object_get(own, "rank"));
        add_pairs(cluster, all);
    } else if (cluster) {
        json_object_set_new(cluster, "error", json_string(gravel_last_error()));
        json_object_set_new(cluster, "ranks", json_pack("[O]", own));
    }
    json_decref(all);
    json_decref(own);
    return cluster;
}

static bool has_fatal(const json_t *findings)
{
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding)
    {
        if (json_is_true(json_object_get(finding, "is_fatal")))
            return true;
    }
    return false;
}

int info_cluster_is_broken(const json_t *cluster)
{
    return json_object_get(cluster, "error") != NULL || is_silent(cluster) ||
           has_fatal(json_object_get(cluster, "findings"));
}

/* ---- the page -------------------------------------------------------------------------------- */

static size_t widest_host(const json_t *ranks)
{
    size_t i, widest = strlen("host");
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        size_t n = strlen(text_of(rank, "host"));
        widest = n > widest ? n : widest;
    }
    return widest;
}

static void print_locked(FILE *out, const json_t *limits)
{
    const json_t *bytes = json_object_get(limits, "locked_bytes");
    char text[24] = "no limit";
    if (!json_is_null(bytes))
        snprintf(text, sizeof text, "%" PRId64 " kB", (int64_t)json_integer_value(bytes) / 1024);
    fprintf(out, "%10s", text);
}

/* A rank that met no other does not know its number. */
static void print_number(FILE *out, const json_t *rank)
{
    if (json_object_get(rank, "rank"))
        fprintf(out, "%5" PRId64, integer_of(rank, "rank"));
    else
        fprintf(out, "%5s", "?");
}

static void print_rank(FILE *out, const json_t *rank, size_t width)
{
    const json_t *cores = json_object_get(rank, "cores");
    const char *number = info_device_of(rank), *step = text_of(rank, "step");
    char allowed[64];
    snprintf(allowed, sizeof allowed, "%" PRId64 " of %" PRId64, integer_of(cores, "allowed"),
             integer_of(cores, "online"));
    print_number(out, rank);
    fprintf(out, "  %-*s  %-11s%-4s", (int)width, text_of(rank, "host"), allowed,
            json_is_string(json_object_get(rank, "numa")) ? text_of(rank, "numa") : "-");
    print_locked(out, json_object_get(rank, "limits"));
    fprintf(out, "  %-5s  %s %s\n", *step ? step : "none", number ? number : "no device",
            text_of(json_object_get(rank, "device"), "name"));
}

/* What is of a host: where others reach it, and its versions. */
static void print_host(FILE *out, const json_t *rank)
{
    fprintf(out, "%s: Gravel %s, MPI: %s%s%s\n", text_of(rank, "place"), text_of(rank, "version"),
            text_of(rank, "mpi"), json_object_get(rank, "device") ? ", driver " : "",
            text_of(json_object_get(rank, "device"), "driver"));
}

static void print_hosts(FILE *out, const json_t *ranks)
{
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        if (integer_of(rank, "local") == 0)
            print_host(out, rank);
    }
}

static void print_ranks(FILE *out, const json_t *ranks)
{
    const size_t width = widest_host(ranks);
    size_t i;
    json_t *rank;
    fprintf(out, "\n rank  %-*s  cores      NUMA  may lock  step   device\n", (int)width, "host");
    json_array_foreach(ranks, i, rank) print_rank(out, rank, width);
}

static void print_findings(FILE *out, const json_t *findings)
{
    size_t i;
    json_t *finding;
    if (!has_fatal(findings))
        fprintf(out, "\nno rank differs from another one in what nodes agree on\n");
    json_array_foreach(findings, i, finding) fprintf(
        out, "\n%s: %s\n    %s\n",
        json_is_true(json_object_get(finding, "is_fatal")) ? "gravel_open would fail" : "note",
        text_of(finding, "what"), text_of(finding, "remedy"));
}

static void print_pairs(FILE *out, const json_t *cluster)
{
    const json_t *pairs = json_object_get(cluster, "pairs");
    if (json_is_array(pairs))
        info_matrix_print(out, pairs, json_array_size(json_object_get(cluster, "ranks")));
    else if (pairs)
        fprintf(out, "\npairs of ranks are not measured: %s\n", text_of(pairs, "error"));
}

void info_cluster_print(FILE *out, const json_t *cluster)
{
    const json_t *ranks = json_object_get(cluster, "ranks");
    print_hosts(out, ranks);
    print_ranks(out, ranks);
    print_pairs(out, cluster);
    if (json_object_get(cluster, "findings"))
        print_findings(out, json_object_get(cluster, "findings"));
}
