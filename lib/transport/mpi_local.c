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

int gravel_mpi_fail(const char *call, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d", error);
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
            snprintf(handed->why_not, sizeof handed->why_not, "of node %" PRIu64 " (%.120s)",
                     other->node, gravel_last_error());
        return false;
    }
    gravel_handover_take_from(handover, (uint32_t)other->node, transport->local, view);
    handed->views[handed->n_views++] = (unsigned char *)view + GRAVEL_SEGMENT_FRAMES;
    return true;
}

/* Maps all others' segments; all tell each other whether they could. */
static int meet(MPI_Comm local, struct gravel_transport *transport,
                struct gravel_handover *handover)
{
    struct introduction self = {gravel_segment_card(handover->segment), transport->node};
    struct introduction all[GRAVEL_SEGMENT_PEERS];
    unsigned char takes[GRAVEL_SEGMENT_PEERS] = {0}, is_taken[GRAVEL_SEGMENT_PEERS] = {0};
    GRAVEL_TRY(gravel_mpi_check("MPI_Allgather", MPI_Allgather(&self, sizeof self, MPI_BYTE, all,
                                                               sizeof self, MPI_BYTE, local)));
    /* They are in the order of their numbers, and one of them is this node. */
    for (uint32_t i = 0; i < transport->n_local; i++)
        if (all[i].node >= transport->n_nodes || (i && all[i].node <= all[i - 1].node) ||
            (i == transport->local) != (all[i].node == transport->node))
            return gravel_fail(
                GRAVEL_ECORRUPT,
                "introduction %u of %u nodes of this machine has a bad node (%" PRIu64 " of %u)", i,
                transport->n_local, all[i].node, transport->n_nodes);
    for (uint32_t i = 0; i < transport->n_local; i++)
        takes[i] = i != transport->local && take_from(transport, handover, &all[i]);
    GRAVEL_TRY(gravel_mpi_check("MPI_Alltoall",
                                MPI_Alltoall(takes, 1, MPI_BYTE, is_taken, 1, MPI_BYTE, local)));
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
    int n = 0, rank = 0;
    uint32_t host = transport->node;
    GRAVEL_TRY(gravel_mpi_check("MPI_Comm_size", MPI_Comm_size(local, &n)));
    GRAVEL_TRY(gravel_mpi_check("MPI_Comm_rank", MPI_Comm_rank(local, &rank)));
    GRAVEL_TRY(gravel_mpi_check("MPI_Bcast", MPI_Bcast(&host, 1, MPI_UINT32_T, 0, local)));
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
    GRAVEL_TRY(gravel_mpi_check("MPI_Comm_split", MPI_Comm_split(local, colour, 0, &sharing)));
    int code = gravel_mpi_check("MPI_Comm_size", MPI_Comm_size(sharing, &n));
    transport->n_sharing = (uint32_t)n;
    int freed = MPI_Comm_free(&sharing);
    GRAVEL_TRY(code);
    return gravel_mpi_check("MPI_Comm_free", freed);
}

int gravel_mpi_find_local(MPI_Comm comm, struct gravel_transport *transport,
                          struct gravel_handover *handover)
{
    MPI_Comm local = MPI_COMM_NULL;
    GRAVEL_TRY(
        gravel_mpi_check("MPI_Comm_split_type", MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0,
                                                                    MPI_INFO_NULL, &local)));
    int code = number(local, transport);
    if (!code)
        code = count_sharing(local, transport);
    if (!code && transport->n_local > 1 && transport->n_local <= GRAVEL_SEGMENT_PEERS)
        code = meet(local, transport, handover);
    int freed = MPI_Comm_free(&local);
    GRAVEL_TRY(code);
    return gravel_mpi_check("MPI_Comm_free", freed);
}
