/* SPDX-License-Identifier: MIT */
/*
 * The network thread: sends node buffers, receives and resolves them, and answers the host's waits.
 *
 * It never blocks: sends and receives are non-blocking, handlers' messages go to buffers made on demand, so
 * every node's network thread always gets to its receives, and back-pressure ends at the kernels.
 *
 * Path:    sender.c (ship) -> outgoing.c -> network.c -> transport, resolver; gravel_quiet and others -> job.c.
 *          start.c opens.
 * Owner:   transport and resolver; buffers are returned when they have been sent or resolved.
 * Threads: start and stop by one thread; ship and run_job by any; the rest by the network thread.
 * Source:  Orr 2016, section 5.2.2.
 */
#ifndef GRAVEL_NETWORK_NETWORK_H
#define GRAVEL_NETWORK_NETWORK_H

#include "aggregate/aggregator.h"
#include "base/clock.h"
#include "base/counter.h"
#include "base/error.h"
#include "base/mark.h"
#include "base/thread.h"
#include "memory/memory.h"
#include "resolve/resolver.h"
#include "transport/frames.h"
#include "transport/list.h"
#include "transport/transport.h"

#include <pthread.h>

#define GRAVEL_HOST_BUFFERS 4u /* of host calls, for each node */

struct gravel_network;
struct gravel_spool;
struct gravel_trace;

enum gravel_job_kind {
    GRAVEL_JOB_FENCE, /* until what handlers have sent has left */
    GRAVEL_JOB_QUIET,
    GRAVEL_JOB_GET,
    GRAVEL_JOB_REDUCE,
    GRAVEL_JOB_BARRIER,
    GRAVEL_JOB_EXCHANGE,
};

/* In order; not every job is in each. */
enum gravel_job_state {
    GRAVEL_JOB_NEW,
    GRAVEL_JOB_PARKED, /* a quiet, behind records without credit */
    GRAVEL_JOB_RUNS,
    GRAVEL_JOB_REDUCES /* in a round; a barrier runs again after one that has not ended it */
};

/* Counters in the heap that a barrier sums over all nodes, and sets to 0. Written by the network thread. */
struct gravel_tally {
    uint64_t offset; /* heap offset of uint [n] */
    uint32_t n;
    uint64_t taken[GRAVEL_MAX_COUNTERS]; /* [n] from the heaps of this process so far */
    uint64_t mine[GRAVEL_MAX_COUNTERS];  /* [n] of them, from this node's */
    uint64_t *own, *sums; /* [out] [n] the caller's, once the barrier ends; own: NULL is allowed */
};

/* What a node posts for another one behind a round; a line, which it alone writes. */
struct gravel_post {
    _Alignas(GRAVELP_CACHELINE) _Atomic uint64_t number; /* Y6: of the round, from 1 */
    uint64_t sum;
    uint32_t flags, n; /* n: messages in its outbox */
};

/* What has come from a node for a round. */
struct gravel_part {
    uint64_t number; /* of the round; 0: nothing has come */
    uint64_t sum;
    uint32_t flags;
    uint32_t n, n_come; /* messages; of them, those that have come */
    const struct gravelp_round_message *messages;
};

/* Another node, of rounds that exchange parts with it. */
struct gravel_exchange_peer {
    struct gravel_pinned outbox; /* its, where this node reads it; without a beginning: it sends */
    struct gravel_part parts[2]; /* by number % 2: it may be one round ahead */
};

/* Memory is pinned where it can be (`buffer` of it), for the device's copies. */
struct gravel_exchange {
    uint64_t at; /* heap offset of what the kernels and the host share, of all n_users rounds */
    uint32_t n_users;
    uint32_t room;   /* messages of a part */
    uint64_t number; /* of the last round; the host thread's that runs rounds */
    /* Y7: of the last round that has ended, and whose messages this node's kernel has applied; lower half */
    _Atomic uint32_t ended, applied;
    struct gravel_pinned outbox; /* posts [2][n_nodes] by number % 2; messages [2][n_nodes][room] */
    struct gravel_pinned inbox;  /* messages [2][n_nodes][room] of nodes that send them */
    struct gravel_exchange_peer *peers; /* [n_nodes]; NULL: not open */
};

/* Something a host thread waits for; lies on its stack. */
struct gravel_job {
    enum gravel_job_kind kind;
    struct gravel_job *next;
    enum gravel_job_state state;
    uint64_t moved_ns; /* when it last got nearer its end: gravel_network_lived_ns */
    /* GRAVEL_JOB_QUIET */
    uint64_t *targets; /* [n_nodes] frames to be acknowledged */
    uint64_t lines;    /* records here that must be written: gravel_spool_mark */
    uint64_t parked;   /* of records that were parked: they leave first */
    uint32_t node; /* first that may not have acknowledged its frames; of a get: that has them */
    /* GRAVEL_JOB_GET */
    uint64_t id;
    uint64_t offset, bytes;
    unsigned char *data;
    uint64_t asked, answered; /* [bytes] */
    uint32_t n_due;           /* replies still to come */
    /* GRAVEL_JOB_REDUCE and BARRIER */
    struct gravel_collective_call call; /* that waits for it; node and number are filled in */
    bool is_rest;                       /* of a call whose first job has been counted */
    /* GRAVEL_JOB_REDUCE */
    uint32_t op, type, n;
    void *values;
    /* GRAVEL_JOB_BARRIER: frames sent and resolved by all nodes, in the last round */
    uint64_t last_counts[2];
    struct gravel_tally *tally; /* NULL: it sums nothing else */
    /* GRAVEL_JOB_EXCHANGE */
    uint64_t number; /* of the round */
    uint64_t chain_ns;
    /* since when only messages that still come keep the barrier; 0: something else does */
    /* Result */
    int code; /* 0, or why a GET or a REDUCE failed; text of the error in the node's failure */
    char text[GRAVEL_REFUSAL_BYTES];
    _Atomic bool is_done; /* J1 */
};

/* Counters; written by the network thread, relaxed. */
struct gravel_network_counts {
    _Atomic uint64_t network_buffers, network_bytes, resolved_buffers, resolved_messages,
        refused_buffers, credit_waits;
};

/* Credit for records (records.c), at other nodes and of theirs here. */
struct gravel_credit {
    uint32_t next;      /* first node whose parked frames may have credit now */
    uint64_t window;    /* frames of each source that may be unwritten at a node */
    uint64_t n_waiting; /* frames that are parked now */
    uint64_t n_parked;  /* so far: the next one's number, which is in its frame as `sequence` */
    _Atomic uint32_t n_unanswered; /* U10: nodes that have not answered all questions of this one */
};

/* Whom a round of a collective call waits for: see liveness.c. */
#define GRAVEL_WARN_NS (5 * GRAVEL_NS_PER_S) /* of waiting, after which a line says for what */

struct gravel_late {
    uint64_t n_rounds,
        left_n_rounds; /* that have begun here, and at our left neighbour, as it last reported */
    uint64_t begun_ns; /* the last one here, by gravel_network_lived_ns; 0: it has ended */
    uint32_t node, left_node; /* waited for here and there, plus 1; 0: none is known */
    uint32_t kind;            /* of the call: enum gravel_call_kind */
};

struct gravel_network_shape {
    const struct gravel_config *config;
    const struct gravel_memory *memory; /* set by gravel_network_attach */
    struct gravel_heap *heap;
    const struct gravel_endpoints *endpoints;
    void *context; /* for report */
    gravel_report_function *report;
    gravel_log_function *log, *warn; /* warn: standard error too, if the log has no function */
    struct gravel_failure *failure;
    bool use_mpi;
    struct gravel_mpi_opening opening;  /* of transport mpi; `call` is filled in */
    void (*take_shared)(void *context); /* runs in the network thread, before it reads config */
};

/* What other nodes know of the failure or the end of this one. */
enum gravel_death {
    GRAVEL_DEATH_UNTOLD,
    GRAVEL_DEATH_SENT,    /* or they know by themselves */
    GRAVEL_DEATH_REPORTED /* the transport has had a round since */
};

/* Between this node and one other, since the node opened. */
struct gravel_network_peer {
    uint64_t n_sent[2],
        n_received[2]; /* frames; [1] of heartbeats and news of death, [0] all others */
    uint64_t n_acked;  /* of n_sent[0], those the node says it has resolved */
    uint64_t n_stray;  /* replies still to come to gets that have failed */
    /* Frames of records. */
    struct gravel_fifo parked; /* for it, for want of credit */
    uint64_t n_parked;         /* of them, now */
    uint64_t n_records_sent;   /* to it */
    uint64_t n_written;        /* of them, those it says it has written */
    uint64_t n_asking;         /* up to the last one with questions, parked ones included */
    uint64_t n_come;           /* from it */
    uint64_t n_done, n_known;  /* of them, those that are written here; and that it knows of */
};

struct gravel_network {
    struct gravel_network_shape shape;
    struct gravel_transport *transport;
    uint32_t node, n_nodes; /* of the transport, which ends first; n_nodes 0: it is not open yet */
    struct gravel_resolver *resolver;
    struct gravel_spool *spool;    /* records that wait to be written */
    struct gravel_fifo dealt_with; /* of them, for gravel_records_poll */
    struct gravel_credit credit;
    struct gravel_fifo held_acks; /* frames that wait for the spool */
    struct gravel_exchange exchange;
    uint64_t reported_ns; /* when we last reported to nodes that wait for them */
    struct gravel_trace *trace;

    struct gravel_thread thread;
    _Atomic(const char *)
        opening_call;             /* of MPI, in which the thread is: a constant name; relaxed */
    _Atomic bool is_attached;     /* N2: senders, resolver and memory are set */
    bool sees_attached;           /* the network thread has seen N2 */
    _Atomic bool is_ending;       /* the process ends, and has not closed the node */
    struct gravel_kept opened;    /* of opening */
    struct gravel_event event;    /* wakes the thread */
    struct gravel_event job_done; /* wakes threads that wait for jobs, or for opening */
    struct gravel_idle idle;
    uint64_t started_ns;

    struct gravel_list outgoing;          /* closed buffers from all senders, in order */
    struct gravel_fifo pending;           /* frames of handlers and our own; network thread only */
    struct gravel_fifo held;              /* frames of others that wait for this node's kernel */
    struct gravel_sender *handler_sender; /* for messages that handlers send */
    struct gravel_sender *host_sender;    /* shared by host calls, guarded by host_lock */
    pthread_mutex_t host_lock;
    _Atomic uint32_t n_draining;   /* U13: waits that fetch packages, and ship them */
    uint64_t draining_ns;          /* since the network thread has seen one; 0: it sees none */
    _Atomic uint64_t n_host_calls; /* U12: of host calls that send; written under host_lock */
    _Atomic uint32_t n_sessions;   /* A7: of host calls, not yet ended; written under host_lock */

    pthread_mutex_t job_lock;
    struct gravel_job *new_jobs; /* guarded by job_lock, oldest first */
    struct gravel_job *jobs;     /* in any order, but collective ones one after the other */
    uint64_t n_calls;            /* collective ones that have begun since gravel_open */
    struct gravel_late late;
    uint64_t next_id;

    /* Of the network thread, apart from what host threads write: a line of a cache that both write costs each wait. */
    _Atomic uint64_t n_handler_calls, n_handler_shipped;
    /* U12: calls of handlers that send, and those whose messages have left */
    struct gravel_network_peer *peers;           /* [n_nodes] */
    uint64_t n_counted_sent, n_counted_resolved; /* frames that termination counts */
    uint32_t resolving_node; /* destination of the buffer at hand: whom a handler runs for */
    uint32_t n_kept;         /* frames that the resolver has */
    uint32_t n_kept_foreign; /* of them, those in other nodes' memory */

    struct gravel_lived lived; /* of this thread: gravel_network_lived_ns */

    /* Liveness. */
    struct gravel_lived silence;
    /* of our left neighbour, except the time when this thread, or the machine, was stopped */
    struct gravel_lived loss; /* since frames cannot arrive: transport->lost */
    uint64_t beat_ns;         /* of our last heartbeat to our right neighbour */
    _Atomic uint32_t death;   /* N3: enum gravel_death; the network thread writes */

    struct gravel_network_counts counts;
};

/**
 * Start the thread: it opens the transport. Returns once that is done, or config->open_timeout_ms are over.
 *
 * @return  0; GRAVEL_EMPI; GRAVEL_ECONFIG; GRAVEL_ENOMEM; GRAVEL_ESYSTEM. On failure the thread has ended, or is
 *          lost in MPI.
 */
int gravel_network_start(struct gravel_network *network, const struct gravel_network_shape *shape);

/**
 * Give the started network what its messages need: memory, handlers of the device (or NULL), senders.
 *
 * Call before any message is sent, here or elsewhere: a barrier must follow.
 *
 * @param host_frames  memory for the node buffers of host calls, GRAVEL_HOST_BUFFERS a node; NULL: any memory will do.
 */
int gravel_network_attach(struct gravel_network *network, const struct gravel_memory *memory,
                          unsigned char *host_frames, struct gravel_device_calls *calls,
                          struct gravel_trace *trace);

/**
 * Stop and join the thread; closes the transport and frees everything. Allowed if it never started.
 *
 * @param keep_resolver  leave the resolver: to free it is to wait for the device, where a kernel never ended.
 * @return               false if the thread was given up, or the device may still use frames: all that they use must
 *                       stay.
 */
bool gravel_network_stop(struct gravel_network *network, bool keep_resolver);

/**
 * Leave the other nodes as gravel_network_stop does, and then MPI, before the program finalises it. The node has failed
 * when it returns. Any thread but the network's, behind a barrier of gravel_close.
 */
void gravel_network_leave_mpi(struct gravel_network *network);

/** Hands a sender's closed buffer over. `context` is the network. Any thread. */
void gravel_network_ship(void *context, struct gravel_buffer *buffer);

/** Make the outbox, of so many messages a part; each node does, and a barrier follows before gravel_exchange_meet. A
 * second call does nothing. @return 0; GRAVEL_ENOMEM */
int gravel_exchange_open(struct gravel_network *network, uint32_t room);
/** Find the outboxes of other nodes, behind every gravel_exchange_open. @return 0; GRAVEL_ENOMEM; GRAVEL_ECORRUPT */
int gravel_exchange_meet(struct gravel_network *network);
/** Frees all of it: no round or copy is under way. */
void gravel_exchange_close(struct gravel_network *network);

/** Returns where messages for a node go, [room], of a round whose number is the last one's + 1. */
struct gravelp_round_message *gravel_exchange_outbox(const struct gravel_network *network,
                                                     uint32_t node, uint64_t number);

/**
 * Post a round's part to every other node, and wait for all of theirs. One thread at a time.
 *
 * @param counts  [n_nodes] messages in the outbox.
 * @return        0; the node has failed.
 */
int gravel_exchange_run(struct gravel_network *network, uint64_t number, uint64_t sum,
                        uint32_t flags, const uint32_t *counts);

/** Returns what has come from a node for a round whose exchange has ended, until the next one ends. */
static inline const struct gravel_part *gravel_exchange_part(const struct gravel_network *network,
                                                             uint32_t node, uint64_t number)
{
    return &network->exchange.peers[node].parts[number % 2];
}

/** Run a job and wait for it. @return job->code, or GRAVEL_EPEER if the node has aborted; GRAVEL_ETIMEOUT if the
 * network thread was given up. */
int gravel_network_run(struct gravel_network *network, struct gravel_job *job);

/**
 * Returns how long to wait for other nodes [ms]: longer than a death takes to spread, so that the error names the dead
 * node, not the waiter.
 */
uint64_t gravel_network_patience_ns(const struct gravel_network *network);

/** Sends heartbeats while the network thread waits for the device. By any other thread: does nothing. */
void gravel_network_keep_alive(struct gravel_network *network, uint64_t now_ns);

/** Reports to other nodes that the process ends without gravel_close, within a fraction of a second. Any thread. */
void gravel_network_say_farewell(struct gravel_network *network);

/** Waits, once the node has failed, until the report to other nodes is sent, at most that long. Any thread. */
void gravel_network_wait_reported(struct gravel_network *network, uint64_t most_ns);

/**
 * Gives the network thread up if it is the one that is stuck in a call of the driver: waits for it return.
 *
 * @param n  as the mark was seen: gravel_mark_give_up. Any other thread, after the node has failed.
 */
void gravel_network_give_up(struct gravel_network *network, struct gravel_mark *mark, uint64_t n,
                            pthread_t thread);

/** Wake the thread. */
static inline void gravel_network_wake(struct gravel_network *network)
{
    gravel_event_signal(&network->event);
}

#endif
