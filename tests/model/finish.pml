/* SPDX-License-Identifier: MIT */
/*
 * How resident servers end: when all clients have finished, and the head is `reserved`.
 *
 *     client:  takes work until there is none, sends a message for each to a server; then finished + 1
 *     server:  serves what is published; with nothing left, when all clients have finished: looks at `reserved`
 *
 * Shown for 2 clients, which may find no work, and 2 servers: no server ends before its last message, and all end. A
 * client may finish before it publishes, if it has reserved: the server then waits for the slot.
 *
 * Models:  cl/device/resident.cl.h. Steps are sequentially consistent here; release and acquire on I3/I4 keep the look at
 *          `reserved` behind the last reservation.
 * Mutants: EARLY_FINISH, EARLY_LOOK, NO_FINISH, LATE_LEAVES.
 */
#define N_CLIENTS 2
#define N_SERVERS 2
#define N_WORK 2
#define N_SLOTS 3 /* room for all, and one that stays empty */

byte next = 0; /* of N_WORK */
byte finished = 0;
byte reserved[N_SERVERS] = 0;
bool is_published[N_SERVERS * N_SLOTS] = false;
byte n_served = 0, n_ended = 0;

active [N_CLIENTS] proctype client()
{
    byte work, s, ticket, n_sent = 0;
    do
    ::
        d_step {
            work = next;
            next++
        }
        if
        :: work >= N_WORK -> break
        :: else
        fi;
        if
        :: s = 0
        :: s = 1
        fi;
#ifdef EARLY_FINISH
        if
        :: work == N_WORK - 1 -> finished++
        :: else
        fi;
#endif
        d_step {
            ticket = reserved[s];
            reserved[s]++
        }
        is_published[s * N_SLOTS + ticket] = true;
#ifdef EARLY_FINISH
        if
        :: work == N_WORK - 1 -> goto over
        :: else
        fi;
#endif
        n_sent++
    od;
#ifdef LATE_LEAVES
    if
    :: n_sent == 0 -> goto over
    :: else
    fi;
#endif
    finished++;
over:
    skip
}

active [N_SERVERS] proctype server()
{
    byte me = _pid - N_CLIENTS, head = 0, seen;
    do
    :: is_published[me * N_SLOTS + head] ->
        head++;
        n_served++
#ifdef EARLY_LOOK
    ::
        seen = reserved[me];
        finished == N_CLIENTS;
#else
#ifdef NO_FINISH
    ::
#else
    :: finished == N_CLIENTS ->
#endif
        seen = reserved[me];
#endif
        if
        :: seen == head -> break
        :: else
        fi
    od;
    n_ended++
}

active proctype check()
{
    n_ended == N_SERVERS;
    assert(n_served == N_WORK)
}
