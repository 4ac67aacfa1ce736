/* SPDX-License-Identifier: MIT */
/*
 * How resident servers end: when all clients have finished, the head is `reserved`, and as many messages of handlers have
 * been handled as sent.
 *
 *     client:  takes work until there is none, sends a message for each to a server; then finished + 1
 *     server:  serves what is published; with nothing left, when all clients have finished: looks at `reserved`. The
 *              handler of the first work's message sends another one, and that one's handler a last one. With all
 *              inboxes taken: adds up what rings have handled, then what was sent to them
 *
 * Shown for 2 clients, which may find no work, and 2 servers: no server ends before its last message, and all end. A
 * client may finish before it publishes, if it has reserved: the server then waits for the slot.
 *
 * Models:  cl/device/serving.cl.h, cl/device/inbox.cl.h. Steps are sequentially consistent here; release and acquire on I3/I4 keep the look at
 *          `reserved` behind the last reservation.
 * Mutants: EARLY_FINISH, EARLY_LOOK, NO_FINISH, LATE_LEAVES, NO_SUMS, ONE_SUM (of its own ring alone), SENT_FIRST,
 *          EARLY_HANDLED.
 */
#define N_CLIENTS 2
#define N_SERVERS 2
#define N_WORK 2
#define N_HOPS 2
#define N_SLOTS 3 /* room for all, and one that stays empty */

byte next = 0; /* of N_WORK */
byte finished = 0;
byte reserved[N_SERVERS] = 0;
bool is_published[N_SERVERS * N_SLOTS] = false;
byte taken[N_SERVERS] = 0; /* of the inbox, run to the end */
byte sent[N_SERVERS] = 0, handled[N_SERVERS] = 0;
bool has_ended[N_SERVERS] = false;
byte n_hops = 0; /* that handlers have sent, of N_HOPS */
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

/* A handler: there is a chain of N_HOPS messages, which the first message that a server runs begins. */
inline hop()
{
    if
    :: is_link && n_hops < N_HOPS ->
        atomic {
            n_hops++;
            if
            :: sent[0]++; assert(!has_ended[0])
            :: sent[1]++; assert(!has_ended[1])
            fi
        }
    :: else
    fi
}

active [N_SERVERS] proctype server()
{
    byte me = _pid - N_CLIENTS, head = 0, seen, n_sent, n_handled;
    bool is_link, are_taken;
    do
    :: is_published[me * N_SLOTS + head] ->
        d_step {
            is_link = (n_served == 0);
            n_served++
        }
        hop();
        head++;
        taken[me]++
    :: sent[me] > handled[me] ->
        is_link = true;
#ifdef EARLY_HANDLED
        handled[me]++;
#endif
        hop();
        n_served++;
#ifndef EARLY_HANDLED
        handled[me]++
#endif
#ifdef EARLY_LOOK
    ::
        seen = reserved[me];
        are_taken = (taken[0] == reserved[0] && taken[1] == reserved[1]);
        finished == N_CLIENTS;
#else
#ifdef NO_FINISH
    ::
#else
    :: finished == N_CLIENTS ->
#endif
        seen = reserved[me];
        are_taken = (taken[0] == reserved[0] && taken[1] == reserved[1]);
#endif
        if
        :: seen == head ->
#ifdef NO_SUMS
            break
#else
#ifdef ONE_SUM
            if
            :: sent[me] == handled[me] -> break
            :: else
            fi
#else
#ifdef SENT_FIRST
            n_sent = sent[0];
            n_sent = n_sent + sent[1];
#endif
            if
            :: are_taken ->
                n_handled = handled[0];
                n_handled = n_handled + handled[1];
#ifndef SENT_FIRST
                n_sent = sent[0];
                n_sent = n_sent + sent[1];
#endif
                if
                :: n_sent == n_handled -> break
                :: else
                fi
            :: else
            fi
#endif
#endif
        :: else
        fi
    od;
    atomic {
        has_ended[me] = true;
        assert(sent[me] == handled[me]);
        n_ended++
    }
}

active proctype check()
{
    n_ended == N_SERVERS;
    assert(n_served == N_WORK + N_HOPS)
}
