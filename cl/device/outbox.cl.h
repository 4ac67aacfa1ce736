/* SPDX-License-Identifier: MIT */
/*
 * How clients send to the servers of their own device: messages with a key are collected in local memory and written
 * to the inboxes of the servers that own the keys.
 *
 * Where a group is one thread the leader keeps a slot of each inbox open, and writes message after message. Elsewhere
 * a group collects messages until local memory is full, counts them by server, a work-item a server reserves slots,
 * all write, and the slots are published. Before a client waits for room it publishes what it can: a waiter holds
 * tickets of full inboxes only.
 *
 * Path:    server.cl.h -> this -> inbox.cl.h -> serving.cl.h.
 * Memory:  G2 and P2 as for packages; in phases the kernel's end orders all of it before the servers' kernel.
 * Source:  Wang, Fussell, Lin 2019, section 3.2 (sender); the publish word replaces a bit a message.
 */
#ifndef GRAVELP_OUTBOX_CL_H
#define GRAVELP_OUTBOX_CL_H

#include "serve.cl.h"

#define GRAVELP_NO_SERVER 0xffffffffu
#define GRAVELP_OUTBOX_WORDS 2048u /* arguments that a group collects, of groups of many threads */
#define GRAVELP_OUTBOX_MESSAGES 1024u /* at most; COLLECTED of lib/serve/servers.c */

/* A slot that a group fills; left is 0: there is none. */
struct gravelp_open_slot {
    global uchar *slot; /* NULL: none is open, or its messages are dropped, after a fault */
    global ulong *at;   /* where the next message's first argument goes */
    uint ticket;
    uint left; /* columns */
};

/* Local memory of a client; GRAVEL_SERVER_OPEN declares it. */
struct gravelp_outbox {
    ulong first;    /* work-item of the virtual group at hand, or GRAVELP_NO_ITEM */
    uint is_server; /* the group has served, and is no client */
#if defined(GRAVELP_SERIAL_GROUP)
    uint command;                                         /* of the messages in open slots */
    ulong rows[GRAVEL_AM_MAX_ARGS][GRAVELP_SERVER_ITEMS]; /* arguments of one call, by work-item */
    uint to[GRAVELP_SERVER_ITEMS];                        /* its server, or GRAVELP_NO_SERVER */
    struct gravelp_open_slot open[GRAVELP_MOST_SERVERS];
#else
    uint n, command;                   /* messages collected, all of one command */
    ulong words[GRAVELP_OUTBOX_WORDS]; /* their arguments, row by row */
    uint to[GRAVELP_OUTBOX_MESSAGES];  /* of each, server << 16 | number among those for it */
    uint count[GRAVELP_MOST_SERVERS];  /* messages for each server */
    uint ticket[GRAVELP_MOST_SERVERS]; /* the first slot for them */
    uint sent[GRAVELP_MOST_SERVERS];   /* of these slots, how many have been published, */
    uint room[GRAVELP_MOST_SERVERS];   /* and how many may be written */
    uint waits;                        /* 1 + the last server that not all is sent to, or 0 */
    uint consumed;                     /* how far those servers are, all together */
    uint verdict;                      /* whether to poll again */
    struct gravelp_patience patience;
#endif
};

#if defined(GRAVELP_SERIAL_GROUP)

GRAVELP_INLINE void gravelp_outbox_open(struct gravel_group g)
{
    if (gravelp_is_leader()) {
        g.outbox->is_server = g.outbox->command = 0;
        for (uint server = 0; server < GRAVELP_MOST_SERVERS; server++)
            g.outbox->open[server].left = 0, g.outbox->open[server].slot = 0;
    }
    gravelp_group_meet(g.arena); /* G1: no slot is open */
}

/* Leader: hand the server's open slot over, if there is one. */
GRAVELP_OUT_OF_LINE void gravelp_outbox_publish(local struct gravelp_outbox *outbox, uint server,
                                                uint columns)
{
    local struct gravelp_open_slot *open = &outbox->open[server];
    if (open->slot)
        gravelp_queue_publish(open->slot, open->ticket, outbox->command, columns - open->left,
                              0); /* P2 */
    open->left = 0;
    open->slot = 0;
}

/* Leader: hand all open slots over. */
GRAVELP_OUT_OF_LINE void gravelp_outbox_publish_all(global struct gravelp_servers *servers,
                                                    local struct gravelp_outbox *outbox)
{
    for (uint server = 0; server < servers->n_servers; server++)
        gravelp_outbox_publish(outbox, server, servers->columns);
}

/* Leader: opens a slot for a server; publishes all others before it waits. After a fault: that behind all inboxes. */
GRAVELP_OUT_OF_LINE void gravelp_outbox_open_next(global struct gravelp_arena *arena,
                                                  struct gravelp_origin origin,
                                                  local struct gravelp_outbox *outbox, uint server)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    global struct gravelp_queue_words *words = gravelp_inbox_words(servers, server);
    local struct gravelp_open_slot *open = &outbox->open[server];
    struct gravelp_patience patience = {0, 0, 0, 0, 0, 0};
    const uint ticket = gravelp_device_fetch_add_relaxed(&words->reserved, 1);
    bool has_room = gravelp_inbox_room(servers, words, ticket, 1);
    if (!has_room) {
        gravelp_device_fetch_add_relaxed(&words->waits, 1);
        gravelp_outbox_publish_all(servers, outbox);
    }
    while (!has_room &&
           gravelp_inbox_keep_waiting(arena, origin, server, ticket,
                                      gravelp_device_load_relaxed(&words->consumed),
                                      &patience)) /* relaxed: only whether it changes */
        has_room = gravelp_inbox_room(servers, words, ticket, 1);
    global uchar *slot = has_room ? gravelp_inbox_slot(servers, server, ticket)
                                  : gravelp_inbox_slot(servers, servers->n_servers, 0);
    open->slot = has_room ? slot : 0;
    open->at = gravelp_inbox_row(servers, slot, 0);
    open->ticket = ticket;
    open->left = servers->columns;
}

/* Leader: writes the messages of a call; neighbours for the only server are copied together. */
GRAVELP_INLINE void gravelp_outbox_write(struct gravel_group g, uint command)
{
    local struct gravelp_outbox *outbox = g.outbox;
    const uint columns = gravelp_servers(g.arena)->columns;
    const uint n_lanes =
        gravelp_n_lanes() < GRAVELP_SERVER_ITEMS ? gravelp_n_lanes() : GRAVELP_SERVER_ITEMS;
    if (outbox->command != command)
        gravelp_outbox_publish_all(gravelp_servers(g.arena), outbox);
    outbox->command = command;
    for (uint lane = 0, n; lane < n_lanes; lane += n) {
        const uint server = outbox->to[lane];
        n = 1;
        if (server == GRAVELP_NO_SERVER)
            continue;
        local struct gravelp_open_slot *open = &outbox->open[server];
        if (open->left == 0)
            gravelp_outbox_open_next(g.arena, gravelp_origin(), outbox, server);
        if (GRAVELP_OWNERS_OF(g.arena) == 1) /* of several, neighbours seldom have the same */
            while (n < open->left && lane + n < n_lanes && outbox->to[lane + n] == server)
                n++;
        for (uint row = 0; row < GRAVELP_COMMAND_N_ARGS(command); row++)
            for (uint i = 0; i < n; i++)
                open->at[row * columns + i] = outbox->rows[row][lane + i];
        open->at += n;
        open->left -= n;
        if (open->left == 0)
            gravelp_outbox_publish(outbox, server, columns);
    }
}

/* Every work-item of the group: the active ones send a message each to the servers. */
GRAVELP_INLINE void gravelp_outbox_add(struct gravel_group g, uint active, uint command,
                                       struct gravelp_values values)
{
    const size_t lane = gravelp_lane_id() % GRAVELP_SERVER_ITEMS;
    const uint server = gravelp_server_of(command, values.value[0], GRAVELP_OWNERS_OF(g.arena));
    g.outbox->to[lane] = active ? server : GRAVELP_NO_SERVER;
    for (uint row = 0; row < GRAVELP_COMMAND_N_ARGS(command); row++)
        g.outbox->rows[row][lane] = values.value[row];
    gravelp_group_meet_apart(g.arena); /* G1: the messages are there */
    if (gravelp_is_leader())
        gravelp_outbox_write(g, command);
    gravelp_group_meet(g.arena); /* G1: they have been read */
}

/* Every work-item of the group, at the end: hand all over. Returns 0. */
GRAVELP_INLINE uint gravelp_outbox_close(struct gravel_group g)
{
    gravelp_group_meet_apart(g.arena);
    if (gravelp_is_leader())
        gravelp_outbox_publish_all(gravelp_servers(g.arena), g.outbox);
    gravelp_group_meet(g.arena); /* G1: no slot is open */
    return 0;
}

#else

GRAVELP_INLINE void gravelp_outbox_open(struct gravel_group g)
{
    if (gravelp_is_leader()) {
        g.outbox->n = g.outbox->command = g.outbox->is_server = 0;
        g.outbox->waits = g.outbox->consumed = 0;
        g.outbox->patience = (struct gravelp_patience){0, 0, 0, 0, 0, 0};
    }
    gravelp_group_meet(g.arena); /* G1: nothing is collected */
}

/* Every work-item of the group: number what is collected among the messages for each server. */
GRAVELP_INLINE void gravelp_outbox_count(struct gravel_group g, uint n)
{
    const uint n_servers = gravelp_servers(g.arena)->n_servers, n_lanes = gravelp_n_lanes();
    for (uint server = (uint)gravelp_lane_id(); server < n_servers; server += n_lanes)
        g.outbox->count[server] = 0;
    gravelp_group_meet(g.arena); /* G1: no count is of messages before */
    for (uint message = (uint)gravelp_lane_id(); message < n; message += n_lanes) {
        uint server = gravelp_server_of(g.outbox->command, g.outbox->words[message],
                                        GRAVELP_OWNERS_OF(g.arena));
        g.outbox->to[message] =
            server << 16 | gravelp_local_add_relaxed(&g.outbox->count[server], 1);
    }
    gravelp_group_meet(g.arena); /* G1: all are counted */
}

/* Every work-item of the group, a work-item a server: reserves slots at the first poll, and polls for room. */
GRAVELP_INLINE void gravelp_outbox_poll(struct gravel_group g, bool is_first)
{
    global struct gravelp_servers *servers = gravelp_servers(g.arena);
    for (uint server = (uint)gravelp_lane_id(); server < servers->n_servers;
         server += gravelp_n_lanes()) {
        global struct gravelp_queue_words *words = gravelp_inbox_words(servers, server);
        const uint n = (g.outbox->count[server] + servers->columns - 1) / servers->columns;
        if (is_first) {
            g.outbox->sent[server] = g.outbox->room[server] = 0;
            g.outbox->ticket[server] =
                n ? gravelp_device_fetch_add_relaxed(&words->reserved, n) : 0;
        }
        const uint sent = g.outbox->sent[server];
        if (sent == n)
            continue;
        g.outbox->room[server] =
            sent + gravelp_inbox_room(servers, words, g.outbox->ticket[server] + sent, n - sent);
        if (g.outbox->room[server] == n)
            continue;
        gravelp_local_max_relaxed(&g.outbox->waits, server + 1);
        gravelp_local_add_relaxed(
            &g.outbox->consumed,
            gravelp_device_load_relaxed(&words->consumed)); /* relaxed: only whether it changes */
    }
    gravelp_group_meet(g.arena); /* G1: slots and room are known */
}

/* Returns how many messages of a command are collected at most. */
GRAVELP_INLINE uint gravelp_outbox_most(uint command)
{
    const uint n_args = GRAVELP_COMMAND_N_ARGS(command);
    const uint most = GRAVELP_OUTBOX_WORDS / (n_args ? n_args : 1u);
    return most < GRAVELP_OUTBOX_MESSAGES ? most : GRAVELP_OUTBOX_MESSAGES;
}

/* Every work-item of the group: write what is collected to those slots that have room. */
GRAVELP_INLINE void gravelp_outbox_write(struct gravel_group g, uint n)
{
    global struct gravelp_servers *servers = gravelp_servers(g.arena);
    const uint n_args = GRAVELP_COMMAND_N_ARGS(g.outbox->command);
    const uint most = gravelp_outbox_most(g.outbox->command), columns = servers->columns;
    for (uint message = (uint)gravelp_lane_id(); message < n; message += gravelp_n_lanes()) {
        uint server = g.outbox->to[message] >> 16, number = g.outbox->to[message] & 0xffffu;
        uint i = number / columns;
        if (i < g.outbox->sent[server] || i >= g.outbox->room[server])
            continue;
        global uchar *slot = gravelp_inbox_slot(servers, server, g.outbox->ticket[server] + i);
        for (uint row = 0; row < n_args; row++)
            gravelp_inbox_row(servers, slot, row)[number & (columns - 1)] =
                g.outbox->words[row * most + message];
    }
    gravelp_group_meet(g.arena); /* G2: slots are written */
}

/* Every work-item of the group: publish them, a work-item a server. */
GRAVELP_INLINE void gravelp_outbox_publish(struct gravel_group g)
{
    global struct gravelp_servers *servers = gravelp_servers(g.arena);
    const uint columns = servers->columns;
    for (uint server = (uint)gravelp_lane_id(); server < servers->n_servers;
         server += gravelp_n_lanes()) {
        const uint room = g.outbox->room[server];
        for (uint i = g.outbox->sent[server]; i < room; i++) {
            uint ticket = g.outbox->ticket[server] + i;
            uint left = g.outbox->count[server] - i * columns;
            gravelp_queue_publish(gravelp_inbox_slot(servers, server, ticket), ticket,
                                  g.outbox->command, left < columns ? left : columns, 0); /* P2 */
        }
        g.outbox->sent[server] = room;
    }
    gravelp_group_meet(g.arena); /* G1: counts and tickets have been read */
}

/* Every work-item of the group, after a poll: whether to poll again, after a moment if not all has been sent. */
GRAVELP_INLINE bool gravelp_outbox_waits_on(struct gravel_group g)
{
    if (gravelp_is_leader()) {
        const uint server = g.outbox->waits - 1;
        struct gravelp_patience patience = g.outbox->patience;
        g.outbox->verdict =
            g.outbox->waits &&
            gravelp_inbox_keep_waiting(g.arena, gravelp_origin(), server,
                                       g.outbox->ticket[server] + g.outbox->sent[server],
                                       g.outbox->consumed, &patience);
        g.outbox->patience =
            g.outbox->verdict ? patience : (struct gravelp_patience){0, 0, 0, 0, 0, 0};
        g.outbox->n = g.outbox->waits = g.outbox->consumed = 0;
    }
    gravelp_group_meet(g.arena); /* G1: the verdict is known, and nothing is collected */
    return g.outbox->verdict;
}

/* Every work-item of the group: writes and publishes what has room, until all has; after a fault drops the rest. */
GRAVELP_INLINE void gravelp_outbox_flush(struct gravel_group g)
{
    const uint n = g.outbox->n;
    bool is_first = true;
    gravelp_outbox_count(g, n);
    do {
        gravelp_outbox_poll(g, is_first);
        gravelp_outbox_write(g, n);
        gravelp_outbox_publish(g);
        is_first = false;
    } while (gravelp_outbox_waits_on(g));
}

/* Every work-item of the group: the active ones send a message each to the servers. */
GRAVELP_INLINE void gravelp_outbox_add(struct gravel_group g, uint active, uint command,
                                       struct gravelp_values values)
{
    const uint n_args = GRAVELP_COMMAND_N_ARGS(command);
    const uint most = gravelp_outbox_most(command);
    gravelp_compact(g, active);
    gravelp_group_meet(g.arena); /* G1: positions are known */
    if (g.outbox->n && (g.outbox->command != command || g.outbox->n + g.scratch->n_active > most))
        gravelp_outbox_flush(g);
    uint message = active ? g.outbox->n + g.scratch->lanes[gravelp_lane_index()] : most;
    for (uint row = 0; row < n_args; row++)
        if (message < most)
            g.outbox->words[row * most + message] = values.value[row];
    gravelp_group_meet(g.arena); /* G1: the messages are there */
    if (gravelp_is_leader()) {
        g.outbox->n += g.scratch->n_active;
        g.outbox->command = command;
    }
    gravelp_group_meet(g.arena); /* G1: their number is known */
}

GRAVELP_INLINE uint gravelp_outbox_close(struct gravel_group g)
{
    gravelp_group_meet(g.arena); /* G1: what is collected is known */
    gravelp_outbox_flush(g);
    return 0;
}

#endif

#endif
