/* SPDX-License-Identifier: MIT */
/*
 * The mailbox of resident servers: a launch that ends while mail comes.
 *
 *     network:  posts while the mailbox is open and a slot is free; what is left when it is closed, and all that is posted
 *               has been passed, it runs itself, in its turn
 *     server:   runs what it owns of its next slot, passes the slot; ends when it finds none and its clients have ended
 *     launch:   opens, runs servers in its turn, closes, has servers run once more if mail is unread
 *
 * Shown for 3 messages with two keys, 2 servers and N_SLOTS slots: every message is run once, by one thread at a time for
 * its key, and all end.
 *
 * Models:  lib/serve/mail.c, server/resident.c, serve/transactions.c (advance_mail), cl/device/mail.cl.h. Steps are
 *          sequentially consistent here; release and acquire of I5 and I6 keep the slot's steps between them.
 * Mutants: EARLY_POST (a slot is published before it is filled), NO_ROOM (posts into a slot that a server has not passed),
 *          ONE_SERVER (a slot is free when one server has passed it), NO_CLOSE (a launch ends with the mailbox open),
 *          NO_LAST (no kernel behind the close).
 */
#ifndef N_SLOTS
#define N_SLOTS 1
#endif
#define N_SERVERS 2
#define N_MESSAGES 3
#define NOBODY 255

byte slot[N_SLOTS] = NOBODY;    /* a message's number; its key is that modulo N_SERVERS */
byte published[N_SLOTS] = 0;    /* I5: ticket + 1 */
byte passed[N_SERVERS] = 0;     /* I6 */
byte n_posted = 0;
byte n_runs[N_MESSAGES] = 0;
byte n_running[N_SERVERS] = 0;  /* of a key */
byte n_serving = 0;             /* servers that have not ended */
bool is_open = false, lock = false, turn = false, are_clients_over = false;

inline handle(message)
{
    n_running[message % N_SERVERS]++;
    assert(n_running[message % N_SERVERS] == 1);
    n_runs[message]++;
    n_running[message % N_SERVERS]--
}

#define UNREAD (passed[0] != n_posted || passed[1] != n_posted)
#if defined(NO_ROOM)
#define HAS_ROOM true
#elif defined(ONE_SERVER)
#define HAS_ROOM (n_posted - passed[0] < N_SLOTS || n_posted - passed[1] < N_SLOTS)
#else
#define HAS_ROOM (n_posted - passed[0] < N_SLOTS && n_posted - passed[1] < N_SLOTS)
#endif

active proctype network()
{
    byte message = 0;
    do
    :: message == N_MESSAGES -> break
    :: message < N_MESSAGES ->
        if
        :: atomic { is_open && HAS_ROOM -> lock = true };
#ifdef EARLY_POST
            published[n_posted % N_SLOTS] = n_posted + 1;
            slot[n_posted % N_SLOTS] = message;
#else
            slot[n_posted % N_SLOTS] = message;
            published[n_posted % N_SLOTS] = n_posted + 1;
#endif
            n_posted++;
            message++;
            lock = false
        :: !is_open && !UNREAD ->
            atomic { !turn -> turn = true };
            handle(message);
            turn = false;
            message++
        fi
    od
}

proctype server(byte me)
{
    byte message;
    do
    :: published[passed[me] % N_SLOTS] == passed[me] + 1 ->
        message = slot[passed[me] % N_SLOTS];
        assert(message != NOBODY);
        if
        :: message % N_SERVERS == me -> handle(message)
        :: else
        fi;
        assert(slot[passed[me] % N_SLOTS] == message);
        passed[me]++
    :: are_clients_over && published[passed[me] % N_SLOTS] != passed[me] + 1 -> break
    od;
    n_serving--
}

active proctype launch()
{
    is_open = true;
    atomic { !turn -> turn = true };
    n_serving = N_SERVERS;
    atomic { run server(0); run server(1) };
    are_clients_over = true;
    n_serving == 0;
    turn = false;
#ifndef NO_CLOSE
    atomic { !lock -> is_open = false };
#endif
#ifndef NO_LAST
    if
    :: UNREAD ->
        atomic { !turn -> turn = true };
        n_serving = N_SERVERS;
        atomic { run server(0); run server(1) };
        n_serving == 0;
        turn = false
    :: else
    fi;
#endif
    n_runs[0] == 1 && n_runs[1] == 1 && n_runs[2] == 1
}
