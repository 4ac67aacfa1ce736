/* SPDX-License-Identifier: MIT */
/*
 * Which transport a process takes; and transport self, which carries nothing: the network thread of a job that is one
 * process resolves all buffers itself. See transport.h.
 *
 * Path:    gravel_open, gravel-info --cluster -> transport.c -> launcher.h, mpi.c.
 * Threads: any; reads the environment.
 * Source:  Orr 2016, section 3.3 (loop-back nodes, figure 3-8).
 */
#include "transport/transport.h"

#include "base/error.h"
#include "transport/launcher.h"

#include <stdlib.h>
#include <string.h>

int gravel_transport_choose(const char *setting, bool has_comm, bool *use_mpi)
{
    const struct gravel_launched launched = gravel_launcher_read();
    const bool is_auto = !strcmp(setting, "auto");
    *use_mpi = is_auto ? has_comm || gravel_transport_mpi_is_initialised() ||
                             (gravel_transport_mpi_is_built() && launched.is_mpi)
                       : !strcmp(setting, "mpi");
    if (!is_auto || *use_mpi || launched.n_processes <= 1)
        return 0;
    return gravel_fail(GRAVEL_ECONFIG,
                       "launched as %u processes (%s), %s; GRAVEL_TRANSPORT=self would make each a "
                       "job of its own",
                       launched.n_processes, launched.variable,
                       gravel_transport_mpi_is_built() ? "but by no launcher of MPI"
                                                       : "built without MPI (meson option mpi)");
}

static void self_close(struct gravel_transport *transport, bool is_clean)
{
    (void)is_clean;
    free(transport->round);
    free(transport);
}

int gravel_transport_self_open(struct gravel_transport **out, uint32_t n_nodes)
{
    static const struct gravel_transport_operations operations = {.close = self_close};
    struct gravel_transport *transport = calloc(1, sizeof *transport);
    *out = NULL;
    if (transport)
        transport->round = calloc(1, sizeof *transport->round);
    if (!transport || !transport->round) {
        free(transport);
        return gravel_fail_memory("transport self", sizeof *transport + sizeof *transport->round);
    }
    *out = transport;
    transport->operations = &operations;
    transport->n_nodes = n_nodes;
    transport->n_local = transport->n_sharing = 1;
    transport->is_loopback = true;
    return 0;
}
