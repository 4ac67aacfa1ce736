/* SPDX-License-Identifier: MIT */
/*
 * Accumulators: what work-items have added to a word is sent once, by one flush or another; a quiet that begins when they
 * have ended covers it; and a node that fails keeps nobody waiting.
 *
 *     work-item:  update the word; who finds what changes no word sets its bit
 *     flush:      clear the bit; if it was set, take the word and send it, as a kernel that waits for room
 *     quiet:      flush; count what has been sent; wait until so much is applied
 *
 * A thread flushes while work-items run, and another one makes the quiet; flushes take turns. -DSTAYS: an operation that
 * leaves the word as it is, the greatest number.
 *
 * Models:  cl/accumulator.cl.h, cl/kernels/accumulate.cl, lib/accumulate, lib/node/waits.c, gravel_quiet.
 *          Mutants: READ_FIRST, MARK_FIRST, NOT_COUNTED, NO_TURN, DEAF_FLUSH, DEAF_QUIET.
 */
#define N_ITEMS 3
#define N_FLUSHES 2

byte word = 0;
bit mark = 0;
bit turn = 0; /* somebody flushes */
bool aborted = false;
chan packages = [1] of { byte };
byte n_ended = 0, n_sent = 0, n_applied = 0;
byte owned = 0; /* the owner's word */

proctype work_item(byte number)
{
    byte old;
#ifdef MARK_FIRST
    mark = 1;
#endif
#ifdef STAYS
    atomic { old = word; word = (number > old -> number : old) }
#else
    atomic { old = word; word = old + 1 }
#endif
#ifndef MARK_FIRST
    if
#ifdef STAYS
    :: number > old -> mark = 1
#else
    :: old == 0 -> mark = 1
#endif
    :: else
    fi;
#endif
    n_ended++
}

inline take()
{
#ifdef STAYS
    value = word
#else
    atomic { value = word; word = 0 }
#endif
}

inline flush()
{
#ifndef NO_TURN
    atomic { turn == 0 -> turn = 1 };
#endif
#ifdef READ_FIRST
    was = mark;
    if
    :: was -> take(); mark = 0
    :: else
    fi;
#else
    atomic { was = mark; mark = 0 };
    if
    :: was -> take()
    :: else
    fi;
#endif
    if
    :: was && value != 0 ->
        if
        :: packages ! value -> n_sent++
#ifndef DEAF_FLUSH
        :: aborted
#endif
        fi
    :: else
    fi;
    value = 0;
    turn = 0
}

proctype flushing_thread()
{
    byte n = 0, value = 0;
    bit was;
    do
    :: n < N_FLUSHES -> flush(); n++
    :: else -> break
    od
}

proctype waiting_thread()
{
    byte value = 0, target;
    bit was;
    (n_ended == N_ITEMS);
#ifdef NOT_COUNTED
    target = n_sent;
    flush();
#else
    flush();
    target = n_sent;
#endif
    if
    :: n_applied >= target
#ifndef DEAF_QUIET
    :: aborted
#endif
    fi;
    assert(aborted || owned == N_ITEMS)
}

proctype owner()
{
    byte value;
end:
    do
    :: atomic { !aborted && packages ? [value] ->
           packages ? value;
#ifdef STAYS
           owned = (value > owned -> value : owned);
#else
           owned = owned + value;
#endif
           n_applied++ }
    :: aborted -> break
    od
}

proctype failure()
{
    if
    :: aborted = true
    :: true
    fi
}

init
{
    atomic {
        run work_item(1);
        run work_item(2);
        run work_item(3);
        run flushing_thread();
        run waiting_thread();
        run owner();
        run failure()
    }
}
