/* SPDX-License-Identifier: MIT */
/*
 * Quiet: a node returns from it only when everything it sent before has been applied at its owners.
 *
 *     sender:  send data frames; send FLUSH to every owner; wait for an ACK from each
 *     owner:   apply frames in the order they came; answer a FLUSH with an ACK when its turn comes
 *
 * Each node is both: a network thread that moves frames and a resolver thread that applies them.
 * Channels between nodes are in order (MPI's promise for one tag and pair) and bounded; a network
 * thread never waits for room in one direction without serving the other. Shown for 2 nodes, 2
 * quiets each: quiet keeps its promise, and nobody is stuck when every channel is full.
 *
 * Models:  lib/network. Mutants: ACK_ON_ARRIVAL, NO_ORDER, BLOCKING_SEND, ACK_OF_ANY.
 */
#define N_NODES 2
#define N_QUIETS 2
#define N_DATA 2 /* data frames before each quiet */
#define ROOM 2   /* frames that fit a channel */

mtype = { DATA, FLUSH, ACK };

#define PEER (1 - self)

chan wire[N_NODES] = [ROOM] of { mtype }; /* to that node */
chan work[N_NODES] = [ROOM] of { mtype }; /* from its network thread to its resolver */
byte acks_due[N_NODES] = 0;               /* from its resolver to its network thread */

/* What the checker knows: frames sent by a node, and applied at its peer. */
byte n_sent[N_NODES] = 0;
byte n_applied[N_NODES] = 0;
byte n_done = 0;

inline receive()
{
#ifdef NO_ORDER
    if
    :: wire[self] ?? [ACK] -> wire[self] ?? ACK; got = ACK
    :: wire[self] ?? [FLUSH] -> wire[self] ?? FLUSH; got = FLUSH
    :: wire[self] ?? [DATA] -> wire[self] ?? DATA; got = DATA
    fi
#else
    wire[self] ? got
#endif
}

/* Takes a frame off the wire only when it can be passed on. */
inline serve()
{
    receive();
    if
    :: got == ACK -> is_acked = true
#ifdef ACK_ON_ARRIVAL
    :: got == FLUSH -> acks_due[self]++
#else
    :: got == FLUSH -> work[self] ! FLUSH
#endif
    :: got == DATA -> work[self] ! DATA
    fi
}

proctype network(byte self)
{
    byte quiet = 0, to_send = N_DATA;
    bool is_flushed = false, is_acked = false;
    mtype got;
end:
    do
    /* Data, then FLUSH. */
#ifdef BLOCKING_SEND
    :: quiet < N_QUIETS && to_send -> wire[PEER] ! DATA; to_send--; n_sent[self]++
    :: quiet < N_QUIETS && !to_send && !is_flushed -> wire[PEER] ! FLUSH; is_flushed = true
    :: acks_due[self] -> wire[PEER] ! ACK; acks_due[self]--
#else
    :: atomic { quiet < N_QUIETS && to_send && nfull(wire[PEER]) ->
           wire[PEER] ! DATA; to_send--; n_sent[self]++ }
    :: atomic { quiet < N_QUIETS && !to_send && !is_flushed && nfull(wire[PEER]) ->
           wire[PEER] ! FLUSH; is_flushed = true }
    :: atomic { acks_due[self] && nfull(wire[PEER]) -> wire[PEER] ! ACK; acks_due[self]-- }
#endif
    :: atomic { nempty(wire[self]) && nfull(work[self]) -> serve() }
    /* Quiet returns; ACK_OF_ANY forgets that every quiet needs an answer of its own. */
    :: atomic { quiet < N_QUIETS && is_flushed && is_acked ->
           assert(n_applied[self] == n_sent[self]);
           is_flushed = false;
#ifndef ACK_OF_ANY
           is_acked = false;
#endif
           to_send = N_DATA;
           quiet++;
           if
           :: quiet == N_QUIETS -> n_done++
           :: else
           fi }
    od
}

proctype resolver(byte self)
{
    mtype frame;
end:
    do
    :: work[self] ? frame ->
        if
        :: frame == DATA -> n_applied[PEER]++
        :: frame == FLUSH -> acks_due[self]++
        fi
    od
}

init
{
    atomic {
        run network(0);
        run resolver(0);
        run network(1);
        run resolver(1)
    }
    /* Not an end state: a run that stops before both are done is reported. */
    (n_done == N_NODES)
}
