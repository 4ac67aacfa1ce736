/* SPDX-License-Identifier: MIT */
/*
 * Which transport a process takes. See transport.h.
 *
 * Path:    gravel_open, gravel-info --cluster -> choice.c -> launcher.h, mpi.c.
 * Threads: any; reads the environment.
 */
#include "base/error.h"
#include "transport/launcher.h"
#include "transport/transport.h"

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
