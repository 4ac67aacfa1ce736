/* SPDX-License-Identifier: MIT */
/*
 * The server region of the arena, as the host sees it: how large it is, and what a launch writes and reads there; and
 * the lock of the side that runs handlers with keys.
 *
 * Two kernels that serve, on two queues, could run handlers with equal keys at once. So the resolver, for messages that
 * came by the network, and a launch, for its servers, take a lock, again and again: for run after run, for kernel after
 * kernel. The side that waits sets its flag, and the other side lets it go first.
 *
 * Path:    node/outbound.c lays it out with the arena -> server/launch.c -> kernels (outbox.cl.h, inbox.cl.h).
 * Owner:   the region is the arena's; the struct is the node's.
 * Threads: one that launches, at a time; of the lock the network thread, too.
 * Source:  Wang, Fussell, Lin 2019, section 3.2 (message buffers).
 */
#ifndef GRAVEL_SERVE_SERVERS_H
#define GRAVEL_SERVE_SERVERS_H

#include "base/endpoints.h"
#include "layout/server.h"
#include "memory/memory.h"
#include "opencl/wait.h"

#include <stdatomic.h>
#include <stdbool.h>

#define GRAVEL_INBOX_COLUMNS 128u /* of a slot [messages] */
#define GRAVEL_CLIENT_ITEMS 256u  /* of a group of clients, at most [work-items] */

/** Most messages at one server that all handlers together may declare. */
#define GRAVEL_SENDER_MOST_ROOM (UINT32_C(1) << 30)

/** Check what handlers have declared together. @return messages that may wait at a server; 0: none sends. */
uint64_t gravel_sender_room(const struct gravel_endpoints *endpoints);

/** Returns the messages of a server's ring, a power of two; 0 if no handler sends. */
uint32_t gravel_sender_ring(const struct gravel_endpoints *endpoints);

/** Who runs handlers that have keys. */
enum gravel_key_side { GRAVEL_KEYS_LAUNCH, GRAVEL_KEYS_RESOLVER };

struct gravel_key_lock {
    pthread_mutex_t mutex;
    uint64_t patience_ns;      /* longest wait for it */
    _Atomic bool is_wanted[2]; /* H9: by each side */
};

/**
 * Takes the lock, after the other side if that waits.
 *
 * @return  0: the mutex is held, until gravel_key_lock_release; else what the wait's limit says.
 */
int gravel_key_lock_take(struct gravel_key_lock *lock, enum gravel_key_side side,
                         struct gravel_limit limit);

static inline void gravel_key_lock_release(struct gravel_key_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

struct gravel_servers_shape {
    uint32_t n_servers, n_slots; /* inboxes, and the slots of each: a power of two */
    uint32_t n_owners;  /* inboxes of single keys; one more is for transactions, if there are any */
    uint32_t n_clients; /* groups that may send at once */
    uint32_t n_args;    /* most of a handler with a key; 0: there is none, and no region */
    uint32_t n_spill;   /* messages of a spill ring, a power of two; 0: no handler sends */
    uint64_t lock_ns;   /* longest wait for the lock [ns]: more than the limit of a kernel */
    bool is_resident;   /* servers run concurrently with their clients; else in phases */
};

/** Counts handlers with two keys. */
uint32_t gravel_servers_n_pairs(const struct gravel_endpoints *endpoints);

/** Returns the slots of an inbox that clients may still need when it says that it is full: of n groups. */
uint32_t gravel_servers_slots_for(uint32_t n_clients);

/** Work-items of the group that serves transactions, which is alone: wanted; kernels may support fewer. */
static inline size_t gravel_servers_pair_items(size_t server_items)
{
    return server_items > 1 ? 4 * server_items : 1;
}

/** @return  of the region [bytes]; 0 if there is none. */
uint64_t gravel_servers_bytes(const struct gravel_servers_shape *shape);

struct gravel_servers {
    struct gravel_servers_shape shape;
    const struct gravel_memory *memory;
    uint32_t n_heaps; /* which the region lies behind */
    struct gravel_key_lock keys;
    pthread_mutex_t lock;      /* one launch at a time */
    _Atomic uint64_t n_served; /* messages, of all launches */
    _Atomic uint64_t n_phases; /* of all launches */
    uint32_t n_served_seen;    /* the region's count as of the last poll */
    uint32_t first, stop_at;   /* of the order at hand */
    uint32_t n_at_once;
    /* virtual groups of a kernel whose servers are resident; 0: none has run yet */
};

/** Write what is constant, and make inboxes empty. @return 0; GRAVEL_ECL; or given up: opencl/wait.h. */
int gravel_servers_open(struct gravel_servers *servers, const struct gravel_servers_shape *shape,
                        const struct gravel_memory *memory, uint32_t n_heaps);

/** Closes it while no kernel runs. One that was not opened is allowed. */
void gravel_servers_close(struct gravel_servers *servers);

/* What clients and servers have come to. */
struct gravel_servers_state {
    uint32_t n_taken;   /* virtual groups */
    uint32_t n_arrived; /* groups that have taken a role */
    bool is_broken;     /* a fault has been reported */
    bool has_sent;      /* messages wait that handlers have sent */
};

/* What the next kernels are to do. */
struct gravel_servers_order {
    uint32_t launch; /* GRAVELP_LAUNCH_* */
    uint64_t n_items;
    uint32_t first, stop_at; /* virtual groups: from the one on, up to the other */
};

/** Gives an order while no kernel of a launch runs. @return as gravel_servers_open. */
int gravel_servers_begin(struct gravel_servers *servers, const struct gravel_servers_order *order);

/** Counts what has been served while no kernel of a launch runs. @return as gravel_servers_open. */
int gravel_servers_poll(struct gravel_servers *servers, struct gravel_servers_state *state);

/* ---- text.c: OpenCL C around the user's; texts are the caller's to free ---------------------------- */

#define GRAVEL_SERVER_KERNEL "gravel_serve"
#define GRAVEL_PAIRS_KERNEL "gravel_serve_pairs"

/** Writes what follows the text of a node's handlers: a kernel gravel_call_NAME for each that the device runs. @return
 * NULL if memory is out. */
char *gravel_handlers_trailer(const struct gravel_endpoints *endpoints);

/** Ahead of the user's text: which handlers have keys, other nodes, servers. @return NULL if memory is out. */
char *gravel_server_prelude(const struct gravel_endpoints *endpoints, uint32_t n_nodes,
                            const struct gravel_servers_shape *servers);

/**
 * Behind it: the kernels GRAVEL_SERVER_KERNEL and, if there are transactions, GRAVEL_PAIRS_KERNEL, which call the
 * handlers. @return NULL if memory is out.
 */
char *gravel_server_trailer(const struct gravel_endpoints *endpoints);

#endif
