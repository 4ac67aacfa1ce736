/* SPDX-License-Identifier: MIT */
/*
 * The server region of the arena, as the host sees it: how large it is, and what a launch writes and reads there.
 *
 * Path:    node/outbound.c lays it out with the arena -> launch.c, modes.c -> kernels (outbox.cl.h, inbox.cl.h).
 * Owner:   the region is the arena's; the struct is the node's.
 * Threads: one that launches, at a time.
 * Source:  Wang, Fussell, Lin 2019, section 3.2 (message buffers).
 */
#ifndef GRAVEL_SERVE_SERVERS_H
#define GRAVEL_SERVE_SERVERS_H

#include "base/endpoints.h"
#include "layout/server.h"
#include "memory/memory.h"
#include "serve/turn.h"

#define GRAVEL_INBOX_COLUMNS 128u /* of a slot [messages] */
#define GRAVEL_CLIENT_ITEMS 256u  /* of a group of clients, at most [work-items] */

struct gravel_servers_shape {
    uint32_t n_servers, n_slots; /* inboxes, and the slots of each: a power of two */
    uint32_t n_owners;  /* inboxes of single keys; one more is for transactions, if there are any */
    uint32_t n_clients; /* groups that may send at once */
    uint32_t n_args;    /* most of a handler with a key; 0: there is none, and no region */
    uint32_t n_spill;   /* messages of a spill ring, a power of two; 0: no handler sends */
    uint64_t turn_ns;   /* longest wait for handlers on another queue [ns] */
    bool is_resident;   /* servers run beside their clients; else the two take turns */
};

/** Handlers with two keys. */
uint32_t gravel_servers_n_pairs(const struct gravel_endpoints *endpoints);

/** Slots of an inbox that clients may still need when it says that it is full: of n groups. */
uint32_t gravel_servers_slots_for(uint32_t n_clients);

/** Work-items of the group that serves transactions, which is alone: wanted; kernels may bear fewer. */
static inline size_t gravel_servers_pair_items(size_t server_items)
{
    return server_items > 1 ? 4 * server_items : 1;
}

/** @return  of the region [bytes]; 0 if there is none. */
uint64_t gravel_servers_bytes(const struct gravel_servers_shape *shape);

struct gravel_servers {
    struct gravel_servers_shape shape;
    const struct gravel_memory *memory;
    uint32_t n_heaps; /* the region lies behind so many */
    struct gravel_key_turn turn;
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

/** No kernel runs. One that was not opened is allowed. */
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

/** No kernel of a launch runs: give an order. @return as gravel_servers_open. */
int gravel_servers_begin(struct gravel_servers *servers, const struct gravel_servers_order *order);

/** No kernel of a launch runs: poll, and count what has been served. @return as gravel_servers_open. */
int gravel_servers_poll(struct gravel_servers *servers, struct gravel_servers_state *state);

#endif
