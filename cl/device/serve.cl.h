/* SPDX-License-Identifier: MIT */
/*
 * How groups serve: each takes the messages whose keys it owns, so that messages with equal keys are never run at once.
 *
 * Where a group is one thread its leader goes through all messages in a plain loop. Elsewhere a group gathers about as
 * many messages as it has work-items and links those of a list, by a hash of the key: link[x] is what was the list's
 * last. After a barrier the work-item that finds its message last in the list runs all of it, one after the other. No
 * work-item waits for another but at a barrier, so there is no order of lanes that could hang, and no lock.
 *
 * Path:    serve/text.c writes kernels around this -> the user's handlers.
 * Memory:  what only handlers with keys touch has one owner group: plain accesses, ordered by the group's barriers (G8)
 *          and by the queue, in which one kernel that serves follows another.
 * Source:  Wang, Fussell, Lin 2019, section 3.1; lists instead of its try-locks in local memory.
 */
#ifndef GRAVELP_SERVE_CL_H
#define GRAVELP_SERVE_CL_H

#include "queue.cl.h"

#define GRAVELP_SERVER_ITEMS 256u /* most work-items of a group that serves */
#define GRAVELP_SERVER_POLLS 4u   /* messages that a work-item reads between two barriers */
#define GRAVELP_SERVER_MOST \
    (GRAVELP_SERVER_ITEMS * (1u + GRAVELP_SERVER_POLLS)) /* gathered at once */
#define GRAVELP_SERVER_LISTS 1024u /* a power of two; keys of one list wait for each other */
#define GRAVELP_SERVER_NONE 0xffffffffu

/* Which of n servers has a key: spread by a multiplication, for keys are often numbers in a row. */
GRAVELP_INLINE uint gravelp_key_hash(ulong key)
{
    return (uint)(key * 0x9e3779b97f4a7c15ul >> 32);
}
#ifndef GRAVEL_OWNER
#define GRAVEL_OWNER(key, n) ((ulong)gravelp_key_hash(key) * (n) >> 32)
#endif
GRAVELP_INLINE uint gravelp_owner(ulong key, uint n)
{
    ulong owner = n == 1 ? 0 : GRAVEL_OWNER(key, n);
    return owner < n ? (uint)owner : n - 1;
}

/* Keys of messages: ulong, or uint. */
struct gravelp_keys {
    global const uchar *first;
    uint bytes; /* of each */
};
#define GRAVELP_KEYS(words) \
    ((struct gravelp_keys){(global const uchar *)(words), (uint)sizeof *(words)})
GRAVELP_INLINE ulong gravelp_key(struct gravelp_keys keys, size_t i)
{
    return keys.bytes == 4 ? ((global const uint *)keys.first)[i]
                           : ((global const ulong *)keys.first)[i];
}

/* Which server a group is, and of how many. */
struct gravelp_share {
    uint server, n_servers;
};

/* Any work-item: its group's, of a launch all of whose groups serve. */
GRAVELP_INLINE struct gravelp_share gravelp_share_of_group(void)
{
    return (struct gravelp_share){gravelp_group_number(), (uint)gravelp_get_num_groups(0)};
}
GRAVELP_INLINE bool gravelp_owns(struct gravelp_share share, ulong key)
{
    return gravelp_owner(key, share.n_servers) == share.server;
}

/* Local memory of a group that serves. */
struct gravelp_service {
    uint n;                          /* gathered */
    uint held[GRAVELP_SERVER_MOST];  /* messages gathered: their numbers */
    uint list[GRAVELP_SERVER_MOST];  /* of each, which */
    uint link[GRAVELP_SERVER_MOST];  /* of each, 1 + the one before it in its list, or 0 */
    uint last[GRAVELP_SERVER_LISTS]; /* of each list, 1 + the last, or 0 */
    /* Of a resident server (resident.cl.h). */
    uint first, n_behind, goes_on, n_run, busy;
    struct gravelp_patience patience;
};

/* Every work-item of the group: nothing is gathered. */
GRAVELP_INLINE void gravelp_service_open(local struct gravelp_service *service)
{
    for (uint i = (uint)gravelp_lane_id(); i < GRAVELP_SERVER_LISTS; i += gravelp_n_lanes())
        service->last[i] = 0;
    if (gravelp_is_leader())
        service->n = 0;
    gravelp_barrier_group(); /* G8: lists are empty */
}

/* Any work-item, for which there is room: gather a message. */
GRAVELP_INLINE void gravelp_service_hold(local struct gravelp_service *service, uint message,
                                         ulong key)
{
    uint x = gravelp_local_add_relaxed(&service->n, 1);
    service->held[x] = message;
    service->list[x] = (gravelp_key_hash(key) >> 8) & (GRAVELP_SERVER_LISTS - 1);
}

/* Every work-item of the group: link what is gathered. */
GRAVELP_INLINE void gravelp_service_link(local struct gravelp_service *service, uint n)
{
    for (uint x = (uint)gravelp_lane_id(); x < n; x += gravelp_n_lanes())
        service->link[x] = gravelp_local_swap_in_relaxed(&service->last[service->list[x]], x + 1);
    gravelp_barrier_group(); /* G8: lists are whole */
}

/*
 * Every work-item of the group: gather from message *at on what the group owns, and link it.
 *
 * @param keys  [n]
 * @param at    [in, out] the first message without a poll yet; the same for the whole group.
 * @return      how many are gathered; 0 at the end.
 */
GRAVELP_INLINE uint gravelp_service_gather(local struct gravelp_service *service,
                                           struct gravelp_share share, struct gravelp_keys keys,
                                           uint n, private uint *at)
{
    const uint n_lanes = gravelp_n_lanes();
    uint n_held = 0;
    while (n_held < n_lanes && *at < n) {
        for (uint poll = 0; poll < GRAVELP_SERVER_POLLS; poll++) {
            uint message = *at + poll * n_lanes + (uint)gravelp_lane_id();
            if (message < n && gravelp_owns(share, gravelp_key(keys, message)))
                gravelp_service_hold(service, message, gravelp_key(keys, message));
        }
        *at += n - *at < GRAVELP_SERVER_POLLS * n_lanes ? n - *at : GRAVELP_SERVER_POLLS * n_lanes;
        gravelp_barrier_group(); /* G8: all have polled */
        n_held = service->n;
        gravelp_barrier_group(); /* G8: all know how many there are */
    }
    gravelp_service_link(service, n_held);
    return n_held;
}

/* Every work-item of the group: forget what was gathered, all of which has been run. */
GRAVELP_INLINE void gravelp_service_clear(local struct gravelp_service *service)
{
    gravelp_barrier_group(); /* G8: all lists have been run */
    gravelp_service_open(service);
}

/* The messages that a work-item runs: of each list whose last is one of its own, all. */
struct gravelp_served {
    uint x;   /* the message's place, or GRAVELP_SERVER_NONE */
    uint own; /* the list's last */
};
GRAVELP_INLINE struct gravelp_served gravelp_served_from(local struct gravelp_service *service,
                                                         uint n, uint own)
{
    while (own < n && service->last[service->list[own]] != own + 1)
        own += gravelp_n_lanes();
    return (struct gravelp_served){own < n ? own : GRAVELP_SERVER_NONE, own};
}
GRAVELP_INLINE struct gravelp_served gravelp_served_next(local struct gravelp_service *service,
                                                         uint n, struct gravelp_served served)
{
    uint before = service->link[served.x];
    return before ? (struct gravelp_served){before - 1, served.own}
                  : gravelp_served_from(service, n, served.own + gravelp_n_lanes());
}

/*
 * Every work-item of the group: go through those of n messages with `keys` that the group owns; `message` is the number
 * of one. GRAVELP_SERVICE stands in the kernel's outermost scope.
 */
#if defined(GRAVELP_SERIAL_GROUP)
#define GRAVELP_SERVICE
#define GRAVELP_SERVE(message, keys, n)                                          \
    for (uint message = gravelp_is_leader() ? 0 : (n); message < (n); message++) \
        if (gravelp_owns(gravelp_share_of_group(), gravelp_key(keys, message)))
#else
#if defined(__OPENCL_C_VERSION__)
#define GRAVELP_SERVICE                                             \
    local struct gravelp_service gravel_service_;                   \
    local struct gravelp_service *const service = &gravel_service_; \
    gravelp_service_open(service);                                  \
    uint gravel_at_ = 0
#else
#define GRAVELP_SERVICE                                            \
    struct gravelp_service *const service = gravelp_lane->service; \
    gravelp_service_open(service);                                 \
    uint gravel_at_ = 0
#endif
#define GRAVELP_SERVE(message, keys, n)                                                       \
    for (uint gathered =                                                                      \
             gravelp_service_gather(service, gravelp_share_of_group(), keys, n, &gravel_at_); \
         gathered != 0; gravelp_service_clear(service),                                       \
              gathered = gravelp_service_gather(service, gravelp_share_of_group(), keys, n,   \
                                                &gravel_at_))                                 \
        for (struct gravelp_served served =                                                   \
                 gravelp_served_from(service, gathered, (uint)gravelp_lane_id());             \
             served.x != GRAVELP_SERVER_NONE;                                                 \
             served = gravelp_served_next(service, gathered, served))                         \
            for (uint message = service->held[served.x], once = 1; once; once = 0)
#endif

#endif
