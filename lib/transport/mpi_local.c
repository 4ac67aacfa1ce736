/* SPDX-License-Identifier: MIT */
/*
 * Meeting the other nodes of this machine. See mpi_parts.h.
 */
#include "transport/mpi_parts.h"

#include "device/cores.h"

#include <inttypes.h>
#include <stdio.h>

/* What a node tells the other nodes of its machine. */
struct introduction {
    struct gravel_segment_card card;
    uint64_t node;
};

/* Maps all others' segments; all tell each other whether they could. */
static int meet(MPI_Comm local, struct gravel_transport *transport)
{
    struct gravel_handover *handover = &transport->handover;
    struct introduction self = {gravel_segment_card(handover->segment), transport->node};
    struct introduction all[GRAVEL_SEGMENT_PEERS];
    unsigned char takes[GRAVEL_SEGMENT_PEERS] = {0}, is_taken[GRAVEL_SEGMENT_PEERS] = {0};
    TRY_MPI(MPI_Allgather, &self, sizeof self, MPI_BYTE, all, sizeof self, MPI_BYTE, local);
    /* They are in the order of their numbers, and one of them is this node. */
    for (uint32_t i = 0; i < transport->n_local; i++)
        if (all[i].node >= transport->n_nodes || (i && all[i].node <= all[i - 1].node) ||
            (i == transport->local) != (all[i].node == transport->node))
            return gravel_fail(
                GRAVEL_ECORRUPT,
                "introduction %u of %u nodes of this machine has a bad node (%" PRIu64 " of %u)", i,
                transport->n_local, all[i].node, transport->n_nodes);
    for (uint32_t i = 0; i < transport->n_local; i++)
        takes[i] =
            i != transport->local && gravel_handover_take_from(handover, (uint32_t)all[i].node,
                                                               transport->local, &all[i].card);
    TRY_MPI(MPI_Alltoall, takes, 1, MPI_BYTE, is_taken, 1, MPI_BYTE, local);
    for (uint32_t i = 0; i < transport->n_local; i++)
        if (is_taken[i])
            gravel_handover_give_to(handover, (uint32_t)all[i].node, i);
    return 0;
}

/* Number the nodes of the machine. */
static int number(MPI_Comm local, struct gravel_transport *transport)
{
    int n = 0, rank = 0;
    uint32_t host = transport->node;
    TRY_MPI(MPI_Comm_size, local, &n);
    TRY_MPI(MPI_Comm_rank, local, &rank);
    TRY_MPI(MPI_Bcast, &host, 1, MPI_UINT32_T, 0, local);
    if (rank < 0 || rank >= n || (uint32_t)n > transport->n_nodes || host > transport->node)
        return gravel_fail(
            GRAVEL_ECORRUPT,
            "node %u of %u has a bad place on its machine (%d of %d, the first is node "
            "%u)",
            transport->node, transport->n_nodes, rank, n, host);
    transport->n_local = (uint32_t)n;
    transport->local = (uint32_t)rank;
    transport->host = host;
    return 0;
}

/* Nodes that a launcher has given cores of their own have divided the machine; others share what they may run on. */
static int count_sharing(MPI_Comm local, struct gravel_transport *transport)
{
    MPI_Comm sharing = MPI_COMM_NULL;
    int n = 1, colour = (int)(gravel_cores_identity() >> 33);
    TRY_MPI(MPI_Comm_split, local, colour, 0, &sharing);
    TRY_MPI(MPI_Comm_size, sharing, &n);
    transport->n_sharing = (uint32_t)n;
    TRY_MPI(MPI_Comm_free, &sharing);
    return 0;
}

/* If a step fails, MPI keeps the communicator: the transport does not open. */
int gravel_mpi_find_local(MPI_Comm comm, struct gravel_transport *transport)
{
    MPI_Comm local = MPI_COMM_NULL;
    TRY_MPI(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    GRAVEL_TRY(number(local, transport));
    GRAVEL_TRY(count_sharing(local, transport));
    if (transport->n_local > 1 && transport->n_local <= GRAVEL_SEGMENT_PEERS)
        GRAVEL_TRY(meet(local, transport));
    TRY_MPI(MPI_Comm_free, &local);
    return 0;
}
