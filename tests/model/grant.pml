/* SPDX-License-Identifier: MIT */
/*
 * Transactions over keys of two nodes, and launches that take the turn from them.
 *
 *     node of the lesser key:   admits a message, locks its key, loads the datum, sends a grant
 *     node of the greater key:  admits the guest, locks its own key, runs, unlocks, sends the datum back
 *     node of the lesser key:   stores it, unlocks
 *     launch:                   wants the turn, has it, changes a datum
 *
 * Shown for 3 nodes with a key each, a window of 1, 4 transactions between all pairs of nodes, and a launch at each
 * node: no change of a datum is lost, and all end. With -DLOOPBACK one process stands for the nodes, with one turn.
 *
 * Models:  lib/serve/transactions.c, lib/serve/claims.c, turn.c. A step of a network thread is one step here, but
 * for the
 *          body, beside which launches could run.
 * Mutants: DESCENDING (one transaction takes the greater lock first), EARLY_UNLOCK (the lesser key is unlocked when
 * the
 *          grant leaves), NO_TURN (launches do not wait for transactions), GUESTS_WAIT (with LOOPBACK: guests of this
 *          process's own transactions wait for admission).
 */
#define N_NODES 3
#define N_TRANSACTIONS 4
#define WINDOW 1
#define NONE 255

#ifdef LOOPBACK
#define PROCESS(node) 0
#define N_LAUNCHES 1
#else
#define PROCESS(node) node
#define N_LAUNCHES N_NODES
#endif

mtype = { free, threads, served, waits, granted };

byte lesser[N_TRANSACTIONS], greater[N_TRANSACTIONS];
mtype state[N_TRANSACTIONS] = waits;
byte copy[N_TRANSACTIONS] = 0; /* the lesser key's datum on its way */

byte datum[N_NODES] = 0, expected[N_NODES] = 0; /* a key's: how many have changed it */
byte holder[N_NODES] = NONE;
chan claims[N_NODES] = [N_TRANSACTIONS] of { byte };
chan line[N_NODES] = [N_TRANSACTIONS] of { byte };
chan grants[N_NODES] = [N_TRANSACTIONS] of { byte };
chan unlocks[N_NODES] = [N_TRANSACTIONS] of { byte };

mtype turn[N_NODES] = free;
bool is_wanted[N_NODES] = false;
byte n_under_way[N_NODES] = 0, n_in_window[N_NODES] = 0;
byte n_ended = 0, n_launched = 0;

inline claim(t, key)
{
    if
    :: holder[key] == NONE -> holder[key] = t
    :: else -> claims[key]!t
    fi
}

inline unlock(key)
{
    if
    :: nempty(claims[key]) -> claims[key]?holder[key]
    :: empty(claims[key]) -> holder[key] = NONE
    fi
}

#define MAY_ADMIT \
    (!is_wanted[process] && (turn[process] == threads || turn[process] == free))

inline admit()
{
    turn[process] = threads;
    n_under_way[process]++
}

inline leave()
{
    n_under_way[process]--;
    if
    :: n_under_way[process] == 0 -> turn[process] = free
    :: else
    fi
}

#if defined(LOOPBACK) && !defined(GUESTS_WAIT)
#define MAY_INVITE true
#else
#define MAY_INVITE MAY_ADMIT
#endif

proctype node(byte me)
{
    byte process = PROCESS(me), t, seen;
    do
    :: atomic {
           nempty(line[me]) && n_in_window[process] < WINDOW && MAY_ADMIT ->
           line[me]?t;
           admit();
           n_in_window[process]++;
           claim(t, me)
       }
    :: atomic {
           nempty(grants[me]) && MAY_INVITE ->
           grants[me]?t;
           admit();
           claim(t, me)
       }
    :: atomic {
           holder[me] != NONE && lesser[holder[me]] == me && state[holder[me]] == waits ->
           t = holder[me];
           copy[t] = datum[me];
           state[t] = granted;
#ifdef EARLY_UNLOCK
           unlock(me);
#endif
           grants[greater[t]]!t
       }
    :: holder[me] != NONE && greater[holder[me]] == me ->
       t = holder[me];
       seen = datum[me];
       atomic {
           datum[me] = seen + 1;
           copy[t]++;
           unlocks[lesser[t]]!t;
           unlock(me);
           leave()
       }
    :: atomic {
           nempty(unlocks[me]) ->
           unlocks[me]?t;
           datum[me] = copy[t];
#ifndef EARLY_UNLOCK
           unlock(me);
#endif
           n_in_window[process]--;
           leave();
           n_ended++
       }
    :: n_ended == N_TRANSACTIONS -> break
    od
}

proctype launch(byte me)
{
    byte process = PROCESS(me), seen;
#ifndef NO_TURN
    is_wanted[process] = true;
    atomic {
        turn[process] == free -> turn[process] = served;
        is_wanted[process] = false
    }
#endif
    seen = datum[me];
    datum[me] = seen + 1;
#ifndef NO_TURN
    turn[process] = free;
#endif
    n_launched++
}

inline transaction(t, one, other)
{
    lesser[t] = one;
    greater[t] = other;
    expected[one]++;
    expected[other]++;
    line[one]!t
}

init
{
    byte i;
    atomic {
        transaction(0, 0, 1);
        transaction(1, 1, 2);
        transaction(2, 0, 2);
#ifdef DESCENDING
        transaction(3, 2, 0);
#else
        transaction(3, 0, 2);
#endif
        for (i : 0 .. N_NODES - 1) {
            run node(i)
        }
        for (i : 0 .. N_LAUNCHES - 1) {
            expected[i]++;
            run launch(i)
        }
    }
    n_ended == N_TRANSACTIONS && n_launched == N_LAUNCHES;
    for (i : 0 .. N_NODES - 1) {
        assert(datum[i] == expected[i])
    }
}
