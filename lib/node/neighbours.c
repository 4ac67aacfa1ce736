/* SPDX-License-Identifier: MIT */
/*
 * Logs which device a node uses, which other nodes of its host use the same one, and which take its node buffers
 * without a copy; and whether a launcher left the node too few cores.
 *
 * Path:    gravel_open -> neighbours.c -> gravel_reduce; the log, statistics.
 * Note:    nodes may share a CPU device: each has its own cores. A shared device of another kind is reported.
 */
#include "device/cores.h"
#include "device/capability.h"
#include "base/hash.h"
#include "node/node.h"
#include "transport/launcher.h"

#include <stdio.h>
#include <stdlib.h>

static void log_sharers(struct gravel *gravel, const uint64_t *marks, uint32_t n)
{
    const struct gravel_device *device = &gravel->device;
    uint32_t self = gravel->network.transport->node;
    bool has_cores = device->capability.is_cpu && gravel_step_is_shared(device->step);
    char list[128] = "";
    for (uint32_t i = 0; i < n; i++)
        if (i != self && marks[self] && marks[i] == marks[self])
            gravel_append(list, sizeof list, "%s%u", gravel->n_sharers++ ? ", " : "", i);
    if (!gravel->n_sharers || has_cores)
        return;
    gravel_log(gravel,
               "shares device %s, %s, with %u other node%s of its host (%s): slower than a device "
               "each%s",
               device->chosen, device->capability.name, gravel->n_sharers,
               gravel->n_sharers == 1 ? "" : "s", list,
               gravel_step_is_pumped(device->step)
                   ? "; on step pump they may also keep each other's kernels waiting"
                   : "");
}

#define OWN_THREADS 2u /* except aggregators: the program's, and the network's */

/* Logs that the node has fewer cores than threads, by a launcher's binding, which is often an oversight. The first
 * such node of a job that a launcher started warns; where there is none, the user chose the cores. Collective. */
static int log_cores(struct gravel *gravel)
{
    const struct gravel_transport *transport = gravel->network.transport;
    const uint32_t n_cores = gravel_cores_of_node(1),
                   n_threads = OWN_THREADS + gravel->config.n_aggregators;
    const bool is_bound = n_cores < n_threads && n_cores < gravel_cores_of_host();
    uint64_t first = is_bound ? transport->node : UINT64_MAX;
    int code = gravel_node_reduce(gravel, &gravel_call_open, GRAVEL_MIN, GRAVEL_ULONG, &first, 1);
    if (code || !is_bound)
        return code;
    char text[320];
    snprintf(text, sizeof text,
             "may run on %u of the host's %u cores, and has %u threads next to its kernels: what "
             "waits for messages may take 4 times as long; start it with mpirun --bind-to none, "
             "srun --cpu-bind=none, or a core for each thread (GRAVEL_LOG=0 prints no such line)",
             n_cores, gravel_cores_of_host(), n_threads);
    if (first == transport->node && gravel_launcher_read().n_processes)
        gravel_warn(gravel, text);
    else
        gravel_log_text(gravel, text);
    return 0;
}

int gravel_node_log_neighbours(struct gravel *gravel)
{
    const struct gravel_device *device = &gravel->device;
    const struct gravel_transport *transport = gravel->network.transport;
    uint32_t n = transport->n_nodes;
    gravel_log(gravel, "device %s: %s, step %s; %s", device->chosen, device->capability.name,
               gravel_step_name(device->step), device->cores);
    int code = log_cores(gravel);
    if (transport->n_local >= 2)
        gravel_log(gravel,
                   "%u of %u other nodes of its host take its node buffers where they are%s%s",
                   transport->handover.n_takers, transport->n_local - 1,
                   transport->handover.why_not[0] ? "; cannot map the buffers " : "",
                   transport->handover.why_not);
    if (code || gravel_transport_is_alone(transport))
        return code;
    uint64_t *marks = calloc(n, sizeof *marks);
    code = gravel_node_agree_on(
        gravel, &gravel_call_open, false,
        marks
            ? 0
            : gravel_fail_memory("gravel_open: the list of the nodes' devices", n * sizeof *marks));
    if (!code) { /* every node fills its own word */
        const uint64_t identity = gravel_device_identity(device->id); /* 0: unknown */
        if (identity) /* equal for two nodes on one device of one host */
            marks[transport->node] =
                gravel_hash_step(identity, (uint64_t)transport->host * 0x9e3779b97f4a7c15u);
        code = gravel_node_reduce(gravel, &gravel_call_open, GRAVEL_MAX, GRAVEL_ULONG, marks, n);
    }
    if (!code)
        log_sharers(gravel, marks, n);
    free(marks);
    return code;
}
