/* SPDX-License-Identifier: MIT */
/*
 * A node that closes late, and beats until then, takes no message from the node that opens next: MPI gives what comes
 * for a communicator that is gone to the next one of its number.
 *
 * usage: mpirun ... late_beats
 *
 * Path: mpirun -> this -> lib/network/leave.c
 */
#include "aggregate/aggregator.h"
#include "network/parts.h"
#include "support.h"
#include "wrapped.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#define TIMEOUT_MS "4000" /* so there is a beat every 500 ms */
#define N_LATE_BEATS 2u
#define N_BARRIERS 100u

static bool is_late;
static _Atomic unsigned n_beats; /* of this node, of all rounds */

WRAPPED(void, gravel_network_transmit, struct gravel_network *network, struct gravel_buffer *buffer)
{
    const bool is_beat = buffer->frame->kind == GRAVEL_FRAME_HEARTBEAT;
    __real_gravel_network_transmit(network, buffer);
    n_beats += is_beat;
}

/* After the barrier of gravel_close, and before the network thread stops. */
WRAPPED(void, gravel_aggregator_stop, struct gravel_aggregator *aggregator)
{
    for (const unsigned n = n_beats + N_LATE_BEATS; is_late && n_beats < n;)
        usleep(1000);
    is_late = false;
    __real_gravel_aggregator_stop(aggregator);
}

int main(void)
{
    watch(50, "late beats");
    setenv("GRAVEL_TIMEOUT", TIMEOUT_MS, 1);
    for (uint32_t round = 0; round < 3; round++) {
        struct gravel *gravel = open_default(NULL);
        for (uint32_t i = 0; i < (round ? N_BARRIERS : 1); i++)
            OK(gravel_barrier(gravel));
        is_late = gravel_node(gravel) == round % gravel_n_nodes(gravel);
        OK(gravel_close(gravel));
        MPI_Barrier(MPI_COMM_WORLD); /* MPI takes in what comes meanwhile */
    }
    return 0;
}
