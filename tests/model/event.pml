/* SPDX-License-Identifier: MIT */
/*
 * The eventcount: no wake-up is lost.
 *
 *     waiter:     n_waiters++; fence; key = epoch; unless the condition holds, sleep on key
 *     signaller:  make the condition true; fence; if n_waiters: epoch++, wake all
 *
 * Stores pass through a store buffer of one entry that drains at any later moment, so that a load
 * can overtake the store before it, as on every real processor; a fence waits until the buffer is
 * empty. Nobody has a time limit here: a lost wake-up is a waiter that sleeps for ever, an invalid
 * end state. Shown for 2 waiters that each wait for both of 2 signallers.
 *
 * Models:  lib/base/event.h, edges E1 and E2.
 * Mutants: NO_SIGNAL_FENCE, NO_WAITER_FENCE, LOOK_FIRST, NO_COMPARE, NO_EPOCH.
 */
#define N_SIGNALLERS 2
#define N_WAITERS 2

/* Memory. n_waiters is the sum of the waiters' parts, so that each has its own buffered store. */
bool condition[N_SIGNALLERS] = false;
bool is_waiting[N_WAITERS] = false;
byte epoch = 0;
bool is_asleep[N_WAITERS] = false;

/* Store buffers. */
bool condition_buffered[N_SIGNALLERS] = false;
bool waiting_buffered[N_WAITERS] = false;

#define HOLDS (condition[0] && condition[1])
#define N_WAITING (is_waiting[0] || is_waiting[1])

proctype signaller(byte self)
{
    condition_buffered[self] = true;
#ifndef NO_SIGNAL_FENCE
    !condition_buffered[self]; /* E1 */
#endif
    if
    :: N_WAITING ->
#ifndef NO_EPOCH
        epoch++; /* a read-modify-write */
#endif
        atomic { is_asleep[0] = false; is_asleep[1] = false }
    :: else
    fi
}

/* Futex: compares and falls asleep in one step. */
inline sleep_while_epoch_is_key()
{
    atomic {
#ifdef NO_COMPARE
        is_asleep[self] = true
#else
        is_asleep[self] = (epoch == key)
#endif
    }
    !is_asleep[self]
}

inline prepare()
{
    waiting_buffered[self] = true;
#ifndef NO_WAITER_FENCE
    !waiting_buffered[self]; /* E1 */
#endif
    key = epoch /* E2 */
}

inline cancel()
{
    !waiting_buffered[self];
    is_waiting[self] = false
}

proctype waiter(byte self)
{
    byte key;
    bool was_true;
    do
#ifdef LOOK_FIRST
    :: was_true = HOLDS;
       prepare();
#else
    :: prepare();
       was_true = HOLDS;
#endif
       if
       :: was_true -> cancel(); break
       :: else -> sleep_while_epoch_is_key(); cancel()
       fi
    od;
    assert(HOLDS)
}

/* Drains the buffers. */
proctype memory()
{
end:
    do
    :: atomic { condition_buffered[0] -> condition[0] = true; condition_buffered[0] = false }
    :: atomic { condition_buffered[1] -> condition[1] = true; condition_buffered[1] = false }
    :: atomic { waiting_buffered[0] -> is_waiting[0] = true; waiting_buffered[0] = false }
    :: atomic { waiting_buffered[1] -> is_waiting[1] = true; waiting_buffered[1] = false }
    od
}

init
{
    atomic {
        run memory();
        run signaller(0);
        run signaller(1);
        run waiter(0);
        run waiter(1)
    }
}
