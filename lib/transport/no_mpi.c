/* SPDX-License-Identifier: MIT */
/*
 * Replaces mpi.c in a library built without MPI.
 */
#include "base/error.h"
#include "transport/transport.h"

#include <string.h>

int gravel_transport_mpi_open(struct gravel_transport **out,
                              const struct gravel_mpi_opening *opening)
{
    (void)opening;
    *out = NULL;
    return gravel_fail(GRAVEL_EMPI, "this library was built without MPI (meson option mpi)");
}

bool gravel_transport_mpi_is_initialised(void)
{
    return false;
}

bool gravel_transport_mpi_is_built(void)
{
    return false;
}

void gravel_transport_mpi_name(char name[GRAVEL_MPI_NAME_BYTES])
{
    strcpy(name, "none");
}
