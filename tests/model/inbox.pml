/* SPDX-License-Identifier: MIT */
/*
 * Clients, resident servers, and inboxes of one slot.
 *
 *     client:  reserves a ticket of each inbox; publishes each that has room, until all are published
 *     server:  when its next ticket is published: runs the message, gives the slot back
 *
 * Shown for 2 clients, which begin with different inboxes, and 2 servers: every message is served once, none is
 * overwritten, and all end.
 *
 * Models:  cl/device/outbox.cl.h (gravelp_outbox_deliver), resident.cl.h. Steps are sequentially consistent here; release
 *          and acquire on P2/I1 and I2/P1 keep the slot's steps between them.
 * Mutants: HOLD_AND_WAIT (a client waits for room in one inbox while it holds a ticket of another one that has room),
 *          NO_ROOM.
 */
#ifndef N_CLIENTS
#define N_CLIENTS 2
#endif
#define N_SERVERS 2
#define NOBODY 255

byte reserved[N_SERVERS] = 0, consumed[N_SERVERS] = 0;
byte published[N_SERVERS] = 0; /* ticket + 1 of the package in the slot */
byte slot[N_SERVERS] = NOBODY; /* the message: who sent it */
byte n_runs[N_CLIENTS * N_SERVERS] = 0;

inline reserve(s, ticket)
{
    d_step {
        ticket = reserved[s];
        reserved[s]++
    }
}

#ifdef NO_ROOM
#define HAS_ROOM(s, ticket) true
#else
#define HAS_ROOM(s, ticket) (ticket == consumed[s])
#endif

inline publish(s, ticket)
{
    assert(slot[s] == NOBODY);
    slot[s] = _pid;
    published[s] = ticket + 1
}

active [N_CLIENTS] proctype client()
{
    byte here = _pid % N_SERVERS, there = (_pid + 1) % N_SERVERS;
    byte ticket_here, ticket_there;
    bool sent_here = false, sent_there = false;
#ifdef HOLD_AND_WAIT
    reserve(there, ticket_there);
    reserve(here, ticket_here);
    HAS_ROOM(here, ticket_here);
    publish(here, ticket_here);
    HAS_ROOM(there, ticket_there);
    publish(there, ticket_there)
#else
    reserve(here, ticket_here);
    reserve(there, ticket_there);
    do
    :: !sent_here && HAS_ROOM(here, ticket_here) ->
        publish(here, ticket_here);
        sent_here = true
    :: !sent_there && HAS_ROOM(there, ticket_there) ->
        publish(there, ticket_there);
        sent_there = true
    :: sent_here && sent_there -> break
    od
#endif
}

active [N_SERVERS] proctype server()
{
    byte me = _pid - N_CLIENTS;
    do
    :: consumed[me] < N_CLIENTS ->
        published[me] == consumed[me] + 1;
        n_runs[slot[me] * N_SERVERS + me]++;
        slot[me] = NOBODY;
        consumed[me]++
    :: else -> break
    od
}

active proctype check()
{
    byte i;
    consumed[0] == N_CLIENTS && consumed[1] == N_CLIENTS;
    for (i : 0 .. N_CLIENTS * N_SERVERS - 1) {
        assert(n_runs[i] == 1)
    }
}
