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
    json_t *own = info_rank_describe(device, limit_s), *ranks = json_array();
    json_t *cluster = json_pack("{s:o}", "ranks", ranks);
    int code = info_gather(own, ranks);
    if (!code) {
        code = info_reach(ranks);
        json_object_set_new(cluster, "findings", info_find(ranks));
        json_object_set(cluster, "rank", json_object_get(own, "rank"));
    } else {
        json_array_append(ranks, own);
    }
    if (code)
        json_object_set_new(cluster, "error", json_string(gravel_last_error()));
    json_decref(own);
    return cluster;
}

bool info_cluster_is_broken(const json_t *cluster)
{
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(cluster, "findings"), i, finding)
    {
        if (strcmp(info_text(finding, "effect"), info_note))
            return true;
    }
    return json_object_get(cluster, "error");
}

/* ---- the page -------------------------------------------------------------------------------- */

/* A rank that met no other does not know its number. @param template  with the columns */
static void print_rank(const json_t *rank, const char *template)
{
    const json_t *locked = info_member(rank, "limits.locked_bytes");
    json_t *row = json_pack("{s:s, s:s, s:{s:s}}", "rank", "?", "step", "none", "device", "number",
                            "no device");
    json_object_update(row, (json_t *)rank);
    json_object_set_new(row, "allowed",
                        json_sprintf("%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT,
                                     info_integer(rank, "cores.allowed"),
                                     info_integer(rank, "cores.online")));
    json_object_set_new(row, "lock",
                        json_is_null(locked) ? json_string("no limit")
                                             : json_sprintf("%" JSON_INTEGER_FORMAT " kB",
                                                            json_integer_value(locked) / 1024));
    info_write(stdout, template, row);
    json_decref(row);
}

static void print_ranks(const json_t *ranks)
{
    int width = (int)strlen("host");
    size_t i;
    json_t *rank;
    char template[128];
    json_array_foreach(ranks, i, rank)
    {
        const int own = (int)strlen(info_text(rank, "host"));
        width = own > width ? own : width;
    }
    printf("\n rank  %-*s  cores      NUMA  may lock  step   device\n", width, "host");
    snprintf(template, sizeof template,
             "{rank:5}  {host:-%d}  {allowed:-11}{numa:-4}{lock:10}  {step:-5}  {device.number} "
             "{device.name}\n",
             width);
    json_array_foreach(ranks, i, rank) print_rank(rank, template);
}

/* What is of a host: where others reach it, and its versions. */
static void print_hosts(const json_t *ranks)
{
    size_t i;
    json_t *rank;
    json_array_foreach(ranks, i, rank)
    {
        if (info_integer(rank, "local") == 0)
            info_write(stdout,
                       info_member(rank, "device")
                           ? "{place}: Gravel {version}, MPI: {mpi}, driver {device.driver}\n"
                           : "{place}: Gravel {version}, MPI: {mpi}\n",
                       rank);
    }
}

void info_cluster_print(const json_t *cluster)
{
    size_t i;
    json_t *finding, *findings = json_object_get(cluster, "findings");
    print_hosts(json_object_get(cluster, "ranks"));
    print_ranks(json_object_get(cluster, "ranks"));
    if (findings && !info_cluster_is_broken(cluster))
        puts("\nno rank differs from another one in what nodes agree on");
    json_array_foreach(findings, i, finding)
        info_write(stdout, "\n{effect}: {what}\n    {remedy}\n", finding);
}
