/* SPDX-License-Identifier: MIT */
/*
 * What carries buffers between nodes, behind one method table. A transport knows buffers, never messages.
 *
 * Path:    network thread -> transport -> another node's network thread.
 * Owner:   a buffer given to send belongs to the transport until it is returned.
 * Threads: all calls by the network thread, open and close included: MPI_THREAD_FUNNELED does for one of them.
 * Order:   frames from one node to another arrive in the order in which they were sent; heartbeats and news of a
 *          death among themselves, and never behind other frames.
 */
#ifndef GRAVEL_TRANSPORT_TRANSPORT_H
#define GRAVEL_TRANSPORT_TRANSPORT_H

#include "gravel/gravel.h"
#include "transport/handover.h"
#include "transport/pool.h"
#include "transport/round.h"

#include <stdatomic.h>
#include <stdbool.h>

struct gravel_transport;

/* A node that is alone (gravel_transport_is_alone) needs none of them but close: those of transport self are NULL. */
struct gravel_transport_operations {
    /**
     * Prepare for frames of up to so many bytes. Before that only heartbeats and news of a death arrive.
     *
     * @return  0; GRAVEL_ENOMEM; GRAVEL_EMPI.
     */
    int (*prepare)(struct gravel_transport *transport, uint32_t frame_bytes);

    /** Start sending buffer->frame to its destination, another node. @return 0; GRAVEL_EMPI. */
    int (*send)(struct gravel_transport *transport, struct gravel_buffer *buffer);

    /** Makes progress on all that is being sent, and returns the buffers whose sending has ended. @return how many. */
    uint32_t (*sent)(struct gravel_transport *transport);

    /**
     * The next frame that has arrived, or NULL, also if transport->fault, which the caller clears, says why.
     *
     * @param bytes   [out] received length; the frame's own header is not to be trusted.
     * @param source  [out] node it came from.
     * @return        the caller's to change until it calls received, before the next receive, or gives it back.
     */
    struct gravel_frame *(*receive)(struct gravel_transport *transport, uint32_t *bytes,
                                    uint32_t *source);
    /** @param is_kept  of a frame in its sender's memory: until gravel_handover_give_back, in the order of receive for
     * each source. */
    void (*received)(struct gravel_transport *transport, bool is_kept);

    /** Start merging transport->round over all nodes, in place. One at a time. */
    int (*merge)(struct gravel_transport *transport);
    /** @return 1 once the merge has ended, 0 before, GRAVEL_EMPI. */
    int (*has_merged)(struct gravel_transport *transport);

    /** Give back what MPI has, which is about to be finalised: from then on nothing arrives, and sends go nowhere. As
     * close, which follows. */
    void (*leave_mpi)(struct gravel_transport *transport, bool is_clean);

    /** @param is_clean  all nodes close, and have all that was sent; false: others may be dead, so wait for none. */
    void (*close)(struct gravel_transport *transport, bool is_clean);
};

struct gravel_transport {
    const struct gravel_transport_operations *operations;
    uint32_t node, n_nodes;
    uint32_t n_local;   /* nodes of the job on this machine, this one included */
    uint32_t local;     /* this one's number among them */
    uint32_t n_sharing; /* of them, those that may run on this one's cores, this one included */
    uint32_t host;      /* the first of them: names the machine */
    bool is_loopback;   /* every node lives in this process: nothing is ever sent */
    int fault;          /* of receive; 0: none. Its text is the calling thread's last error */
    char lost
        [160]; /* why frames that are under way never come, if that is so: a node is dead, or MPI fails */
    struct gravel_round *round;      /* of merge; the transport's memory */
    bool has_disagreed;              /* nodes fail, but all of them live */
    struct gravel_handover handover; /* with nodes of this machine */
};

/** Returns whether a node is of this process. */
static inline bool gravel_transport_is_local(const struct gravel_transport *transport,
                                             uint32_t node)
{
    return transport->is_loopback || node == transport->node;
}

/** Returns whether the job is this process alone: no other has anything to send, to combine or to fail. */
static inline bool gravel_transport_is_alone(const struct gravel_transport *transport)
{
    return transport->is_loopback || transport->n_nodes == 1;
}

/** Opens n_nodes nodes of one process, without MPI. */
int gravel_transport_self_open(struct gravel_transport **out, uint32_t n_nodes);

/* How transport mpi is to be opened. */
struct gravel_mpi_opening {
    const void *comm; /* the caller's MPI_Comm; MPI_COMM_WORLD if NULL */
    /* Memory whose frames other nodes of the machine may take as they are; or NULL. It must outlive the transport. */
    struct gravel_segment *segment;
    void *shared; /* [shared_bytes] node 0's replace those of all others */
    size_t shared_bytes;
    _Atomic(const char *)
        *call; /* [out] the call of MPI at hand, which may wait for others: a constant; or NULL */
    void (*finalising)(void); /* runs in the program's MPI_Finalize, while MPI still works */
};

/**
 * MPI, on a communicator of its own. Collective over the caller's. MPI itself has no limit for it: who calls has.
 *
 * @return  0; GRAVEL_EMPI (not built in, initialised without MPI_THREAD_MULTIPLE, finalised, failed); GRAVEL_ECONFIG
 *          (started by a launcher of another MPI); GRAVEL_EINVAL (comm); GRAVEL_ENOMEM.
 */
int gravel_transport_mpi_open(struct gravel_transport **out,
                              const struct gravel_mpi_opening *opening);

/**
 * Returns whether a process takes transport mpi.
 *
 * @param setting   GRAVEL_TRANSPORT: auto, self or mpi.
 * @param has_comm  the caller gives a communicator.
 * @return          0; GRAVEL_ECONFIG: auto, and launched as one of several by no launcher of MPI.
 */
int gravel_transport_choose(const char *setting, bool has_comm, bool *use_mpi);

/** Returns whether the caller has initialised MPI. */
bool gravel_transport_mpi_is_initialised(void);

/** Returns whether the library was built with MPI. */
bool gravel_transport_mpi_is_built(void);

#define GRAVEL_MPI_NAME_BYTES 64u

/** "Open MPI v4.1.4", of the library that is loaded; "none" if this one was built without MPI. Before MPI_Init, too. */
void gravel_transport_mpi_name(char name[GRAVEL_MPI_NAME_BYTES]);

#endif
