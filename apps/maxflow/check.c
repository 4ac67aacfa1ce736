/* SPDX-License-Identifier: MIT */
/*
 * The check: what was found is a flow except for vertices that keep an excess and have no way to the sink, and a cut with
 * the flow's capacity, which proves both; Dinic's algorithm, serially, finds the same value.
 *
 * Path: maxflow.c -> this
 * Owner: nothing outlives a call.
 * Threads: main's.
 * Source: Ford and Fulkerson 1956; Dinic, Algorithm for Solution of a Problem of Maximum Flow in Networks, 1970.
 */
#include "maxflow.h"

#include <stdlib.h>
#include <string.h>

#define FAR UINT32_MAX

/* Capacities, and inflow less outflow of each vertex, which must be its excess. */
static uint64_t check_flow(const struct maxflow_rows *net, const cl_uint *room,
                           const cl_uint *excess)
{
    uint64_t n_wrong = 0;
    for (uint64_t v = 0; v < net->n_vertices; v++) {
        int64_t sum = 0;
        for (uint64_t a = net->offsets[v]; a < net->offsets[v + 1]; a++) {
            const uint64_t twin = net->entries[a].twin;
            n_wrong +=
                (uint64_t)room[a] + room[twin] != (uint64_t)net->capacity[a] + net->capacity[twin];
            sum += (int64_t)room[a] - (int64_t)net->capacity[a];
        }
        n_wrong +=
            v == net->source ? sum > 0 || -sum > (int64_t)net->supply : sum != (int64_t)excess[v];
    }
    return n_wrong;
}

/* Steps to the sink along arcs with room; FAR: none. @param levels  [out] [vertices] */
static void find_levels(const struct maxflow_rows *net, const cl_uint *room, cl_uint *levels)
{
    cl_uint *queue = app_array(net->n_vertices, sizeof *queue, "the check");
    uint64_t n = 1;
    memset(levels, 0xff, net->n_vertices * sizeof *levels);
    queue[0] = net->sink;
    levels[net->sink] = 0;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t a = net->offsets[queue[i]]; a < net->offsets[queue[i] + 1]; a++) {
            const struct maxflow_entry entry = net->entries[a];
            if (room[entry.twin] == 0 || levels[entry.to] != FAR)
                continue;
            levels[entry.to] = levels[queue[i]] + 1;
            queue[n++] = entry.to;
        }
    free(queue);
}

/* Arcs from vertices without a way to the sink to those with one. */
static uint64_t find_cut(struct maxflow *maxflow, const cl_uint *room)
{
    const struct maxflow_rows *net = &maxflow->net;
    cl_uint *levels = app_array(net->n_vertices, sizeof *levels, "the check");
    find_levels(net, room, levels);
    maxflow->cut = maxflow->n_cut = 0;
    for (uint64_t v = 0; v < net->n_vertices; v++)
        for (uint64_t a = net->offsets[v]; a < net->offsets[v + 1]; a++)
            if (levels[v] == FAR && levels[net->entries[a].to] != FAR && net->capacity[a]) {
                maxflow->cut += net->capacity[a];
                maxflow->n_cut++;
            }
    const uint64_t n_wrong = levels[net->source] != FAR;
    free(levels);
    return n_wrong;
}

uint64_t look_at_flow(struct maxflow *maxflow)
{
    const struct maxflow_rows *net = &maxflow->net;
    cl_uint *room = read_words(maxflow, maxflow->network.room, net->n_entries);
    cl_uint *excess = read_words(maxflow, maxflow->network.excess, net->n_vertices);
    uint64_t n_wrong = check_flow(net, room, excess) + find_cut(maxflow, room);
    maxflow->flow = excess[net->sink];
    free(room);
    free(excess);
    return n_wrong + (maxflow->flow != maxflow->cut);
}

/* ---- Dinic ----------------------------------------------------------------------------------------- */

struct dinic {
    const struct maxflow_rows *net;
    cl_uint *room, *levels, *at,
        *path; /* at: [vertices] the next arc to be tried; path: arcs from the source */
};

/* One path along which levels fall, by backing up from dead ends. @return  its length; 0: there is none. */
static uint64_t find_path(const struct dinic *dinic)
{
    const struct maxflow_rows *net = dinic->net;
    uint64_t n = 0;
    cl_uint v = net->source;
    while (v != net->sink) {
        const cl_uint a = dinic->at[v];
        if (a == net->offsets[v + 1]) {
            if (n == 0)
                return 0;
            v = net->entries[net->entries[dinic->path[--n]].twin].to;
            dinic->at[v]++;
        } else if (dinic->room[a] && dinic->levels[net->entries[a].to] + 1 == dinic->levels[v]) {
            dinic->path[n++] = a;
            v = net->entries[a].to;
        } else {
            dinic->at[v]++;
        }
    }
    return n;
}

static uint64_t push_along(const struct dinic *dinic, uint64_t n)
{
    cl_uint amount = UINT32_MAX;
    for (uint64_t i = 0; i < n; i++)
        amount = dinic->room[dinic->path[i]] < amount ? dinic->room[dinic->path[i]] : amount;
    for (uint64_t i = 0; i < n; i++) {
        dinic->room[dinic->path[i]] -= amount;
        dinic->room[dinic->net->entries[dinic->path[i]].twin] += amount;
    }
    return amount;
}

uint64_t flow_serially(const struct maxflow_rows *net)
{
    const uint64_t n = net->n_vertices;
    struct dinic dinic = {net, app_array(net->n_entries + 1, 4, "the check"),
                          app_array(n, 4, "the check"), app_array(n, 4, "the check"),
                          app_array(n, 4, "the check")};
    uint64_t flow = 0, length;
    memcpy(dinic.room, net->capacity, 4 * net->n_entries);
    for (find_levels(net, dinic.room, dinic.levels); dinic.levels[net->source] != FAR;
         find_levels(net, dinic.room, dinic.levels)) {
        memcpy(dinic.at, net->offsets, 4 * n);
        while ((length = find_path(&dinic)) != 0)
            flow += push_along(&dinic, length);
    }
    free(dinic.room);
    free(dinic.levels);
    free(dinic.at);
    free(dinic.path);
    return flow;
}
