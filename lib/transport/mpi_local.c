/* SPDX-License-Identifier: MIT */
/*
 * Meeting the other nodes of this machine. See mpi_local.h.
 */
#include "transport/mpi_local.h"

#include "base/error.h"

#include <stdio.h>

/* What a node tells the other nodes of its machine. */
struct introduction {
    struct gravel_segment_card card;
    uint64_t node;
};

int gravel_mpi_fail(const char *call, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(error, text, &length);
    return gravel_fail(GRAVEL_EMPI, "%s: %s", call, text);
}

/* Map one's segment. @return whether it could be. */
static bool take_from(struct gravel_transport *transport, struct gravel_handover *handover,
                      const struct introduction *other)
{
    struct gravel_handed *handed = &transport->handed;
    struct gravel_segment_head *view;
    if (gravel_segment_map(&other->card, &view)) {
        if (!handed->why_not[0])
            snprintf(handed->why_not, sizeof handed->why_not, "of node %llu (%.120s)",
                     (unsigned long long)other->node, gravel_last_error());
        return false;
    }
    gravel_handover_take_from(handover, (uint32_t)other->node, transport->local, view);
    handed->views[handed->n_views++] = (unsigned char *)view + GRAVEL_SEGMENT_FRAMES;
    return true;
}

/* All map each other's, and tell each other whether they could. */
static int meet(MPI_Comm local, struct gravel_transport *transport,
                struct gravel_handover *handover)
{
    struct introduction self = {gravel_segment_card(handover->segment), transport->node};
    struct introduction all[GRAVEL_SEGMENT_PEERS];
    unsigned char takes[GRAVEL_SEGMENT_PEERS] = {0}, is_taken[GRAVEL_SEGMENT_PEERS] = {0};
    int error = MPI_Allgather(&self, sizeof self, MPI_BYTE, all, sizeof self, MPI_BYTE, local);
    if (error != MPI_SUCCESS)
        return gravel_mpi_fail("MPI_Allgather", error);
    for (uint32_t i = 0; i < transport->n_local; i++)
        takes[i] = i != transport->local && take_from(transport, handover, &all[i]);
    error = MPI_Alltoall(takes, 1, MPI_BYTE, is_taken, 1, MPI_BYTE, local);
    if (error != MPI_SUCCESS)
        return gravel_mpi_fail("MPI_Alltoall", error);
    for (uint32_t i = 0; i < transport->n_local; i++)
        if (is_taken[i]) {
            gravel_handover_give_to(handover, (uint32_t)all[i].node, i);
            transport->handed.n_takers++;
        }
    return 0;
}

/* Number the nodes of the machine. */
static int number(MPI_Comm local, struct gravel_transport *transport)
{
    int n, rank;
    MPI_Comm_size(local, &n);
    MPI_Comm_rank(local, &rank);
    transport->n_local = (uint32_t)n;
    transport->local = (uint32_t)rank;
    transport->host = transport->node;
    int error = MPI_Bcast(&transport->host, 1, MPI_UINT32_T, 0, local);
    return error == MPI_SUCCESS ? 0 : gravel_mpi_fail("MPI_Bcast", error);
}

int gravel_mpi_find_local(MPI_Comm comm, struct gravel_transport *transport,
                          struct gravel_handover *handover)
{
    MPI_Comm local;
    int error = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    if (error != MPI_SUCCESS)
        return gravel_mpi_fail("MPI_Comm_split_type", error);
    int code = number(local, transport);
    if (!code && transport->n_local > 1 && transport->n_local <= GRAVEL_SEGMENT_PEERS)
        code = meet(local, transport, handover);
    MPI_Comm_free(&local);
    return code;
}
