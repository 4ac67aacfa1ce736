/* SPDX-License-Identifier: MIT */
/*
 * The page of a job. See cluster.h.
 */
#include "cluster.h"

#include "members.h"

#include "gravel/gravel.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

json_t *info_cluster(const char *device, unsigned limit_s)
{
    json_t *own = info_rank_describe(device, limit_s), *all = NULL;
    json_t *cluster = own ? json_object() : NULL;
    if (cluster && info_gather(own, &all) == 0) {
        json_object_set(cluster, "ranks", all);
        json_object_set_new(cluster, "findings", info_find(all));
        json_object_set(cluster, "rank", json_object_get(own, "rank"));
        json_t *pairs = info_reach(json_array_size(all)), *error = json_object_get(pairs, "error");
        if (pairs) /* at rank 0, which speaks for all */
            json_object_set(cluster, error ? "error" : "silent", error ? error : pairs);
        info_find_silent(all, error ? NULL : pairs, json_object_get(cluster, "findings"));
        json_decref(pairs);
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

bool info_cluster_is_broken(const json_t *cluster)
{
    return json_object_get(cluster, "error") ||
           json_array_size(json_object_get(cluster, "silent")) ||
           has_fatal(json_object_get(cluster, "findings"));
}

/* ---- the page -------------------------------------------------------------------------------- */

/* A rank that met no other does not know its number. */
static void print_rank(const json_t *rank, int width)
{
    const json_t *cores = json_object_get(rank, "cores"), *device = json_object_get(rank, "device");
    const json_t *locked = json_object_get(json_object_get(rank, "limits"), "locked_bytes");
    const char *turn = info_device_of(rank), *numa = info_text(rank, "numa");
    char number[24] = "?", allowed[48], may_lock[32] = "no limit";
    if (json_object_get(rank, "rank"))
        snprintf(number, sizeof number, "%lld", (long long)info_integer(rank, "rank"));
    snprintf(allowed, sizeof allowed, "%lld of %lld", (long long)info_integer(cores, "allowed"),
             (long long)info_integer(cores, "online"));
    if (!json_is_null(locked))
        snprintf(may_lock, sizeof may_lock, "%lld kB",
                 (long long)json_integer_value(locked) / 1024);
    printf("%5s  %-*s  %-11s%-4s%10s  %-5s  %s %s\n", number, width, info_text(rank, "host"),
           allowed, *numa ? numa : "-", may_lock,
           *info_text(rank, "step") ? info_text(rank, "step") : "none", turn ? turn : "no device",
           info_text(device, "name"));
}

static void print_ranks(const json_t *ranks)
{
    int width = (int)strlen("host");
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        const int own = (int)strlen(info_text(rank, "host"));
        width = own > width ? own : width;
    }
    printf("\n rank  %-*s  cores      NUMA  may lock  step   device\n", width, "host");
    json_array_foreach(ranks, i, rank) print_rank(rank, width);
}

/* What is of a host: where others reach it, and its versions. */
static void print_hosts(const json_t *ranks)
{
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        const json_t *device = json_object_get(rank, "device");
        if (info_integer(rank, "local") == 0)
            printf("%s: Gravel %s, MPI: %s%s%s\n", info_text(rank, "place"),
                   info_text(rank, "version"), info_text(rank, "mpi"), device ? ", driver " : "",
                   info_text(device, "driver"));
    }
}

static void print_findings(const json_t *findings)
{
    size_t i;
    json_t *finding;
    if (!has_fatal(findings))
        printf("\nno rank differs from another one in what nodes agree on\n");
    json_array_foreach(findings, i, finding)
    {
        const bool is_fatal = json_is_true(json_object_get(finding, "is_fatal"));
        printf("\n%s: %s\n    %s\n", is_fatal ? "gravel_open would fail" : "note",
               info_text(finding, "what"), info_text(finding, "remedy"));
    }
}

void info_cluster_print(const json_t *cluster)
{
    print_hosts(json_object_get(cluster, "ranks"));
    print_ranks(json_object_get(cluster, "ranks"));
    if (json_object_get(cluster, "findings"))
        print_findings(json_object_get(cluster, "findings"));
}
