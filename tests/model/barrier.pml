/* SPDX-License-Identifier: MIT */
/*
 * Barrier: it ends only when no message is left anywhere, handlers' messages included.
 *
 * Every node counts node buffers it sent and buffers it resolved. In a barrier all nodes add up
 * both counts again and again; it ends when two rounds in a row give the same sums and sent equals
 * resolved (the four-counter method). A round is no snapshot: nodes contribute at different
 * moments, and messages sent behind one contribution and resolved before another can hide one that
 * is in flight. Two equal rounds cannot both be deceived.
 *
 * The method holds only if a node's counts cover what it is doing, which needs two rules:
 *   - before it contributes, a node sends all partly filled buffers (mutant NO_FLUSH);
 *   - a buffer counts as resolved after its handlers' messages are in node buffers
 *     (EARLY_RESOLVED).
 * Shown for 3 nodes, first messages from N_FIRST of them, and handlers that send up to FAN
 * messages on, LIFE deep.
 *
 * With COUNTERS the barrier is gravel_barrier_sum. Each message adds 1 to its node's counter, by a
 * load and a store, and the sum must be the number of messages. Before a node contributes to a
 * round that may be the last, it takes what its counter came to, each time (TAKE_ONCE), and
 *   - no message is half applied then (TAKE_BESIDE);
 *   - the contribution has all that was taken (LATE_TAKE);
 *   - the counter is zeroed by then, not when the node returns (LATE_ZERO): nodes that have
 *     returned add to it for the next barrier.
 *
 * Models:  lib/network, lib/resolve. Mutants: ONE_ROUND, SAME_ONLY, NO_FLUSH, EARLY_RESOLVED;
 *          TAKE_ONCE, TAKE_BESIDE, LATE_TAKE, LATE_ZERO.
 * Source:  Mattern, Algorithms for distributed termination detection, 1987, section 4.
 */
#ifndef N_NODES
#define N_NODES 3
#endif
#ifndef LIFE
#define LIFE 2 /* handlers in a chain, at most 2 */
#endif
#ifndef FAN
#define FAN 1
#endif
#ifndef N_FIRST
#define N_FIRST 2 /* nodes that send a message before they enter */
#endif

#if defined(TAKE_ONCE) || defined(TAKE_BESIDE) || defined(LATE_TAKE) || defined(LATE_ZERO)
#define COUNTERS
#endif

#define AT(node, life) ((node) * (LIFE + 1) + (life))

byte in_flight[N_NODES * (LIFE + 1)] = 0; /* buffers on their way to a node, by life left */
byte n_alive = 0; /* buffers and messages anywhere: what a barrier must wait for */

/* The all-reduce under way and the result of the one before. */
byte n_contributed = 0;
byte sum_sent = 0, sum_resolved = 0;
byte last_sent = 255, last_resolved = 0; /* no round's, nor equal */
bit round = 0;
bool is_over = false;

#ifdef COUNTERS
byte counter[N_NODES] = 0; /* in the heaps */
byte sum_taken = 0;
#define MAY_BE_LAST (last_sent == last_resolved)
#define ALL_TAKEN (sum_taken == sum_resolved)

inline take_counter()
{
#if defined(LATE_ZERO)
    taken = counter[self]
#elif defined(TAKE_ONCE)
    taken = taken + (has_taken -> 0 : counter[self]);
    has_taken = true;
    counter[self] = 0
#else
    taken = taken + counter[self];
    counter[self] = 0
#endif
}

inline contribute_counter()
{
#ifdef LATE_TAKE
    sum_taken = sum_taken + taken;
#endif
    if
    :: MAY_BE_LAST -> take_counter()
    :: else
    fi;
#ifndef LATE_TAKE
    sum_taken = sum_taken + taken
#endif
}
#else
#define ALL_TAKEN true
#endif

/* The last to contribute ends the round. */
inline contribute()
{
#ifdef COUNTERS
    contribute_counter();
#endif
    sum_sent = sum_sent + sent;
    sum_resolved = sum_resolved + resolved;
    n_contributed++;
    my_round = 1 - my_round;
    if
    :: n_contributed == N_NODES ->
        if
#if defined(ONE_ROUND)
        :: sum_sent == sum_resolved ->
#elif defined(SAME_ONLY)
        :: sum_sent == last_sent && sum_resolved == last_resolved ->
#else
        :: sum_sent == sum_resolved && sum_sent == last_sent && sum_resolved == last_resolved ->
#endif
            assert(n_alive == 0 && ALL_TAKEN);
            is_over = true
        :: else
        fi;
        last_sent = sum_sent;
        last_resolved = sum_resolved;
        sum_sent = 0;
        sum_resolved = 0;
#ifdef COUNTERS
        sum_taken = 0;
#endif
        n_contributed = 0;
        round = 1 - round
    :: else
    fi
}

/* Put a message into the node buffer for any other node. */
inline append(life)
{
    select(to : 0 .. N_NODES - 2);
    if
    :: to >= self -> to++
    :: else
    fi;
    pending[AT(to, life)]++;
    n_pending++;
    n_alive++
}

/* Send one node buffer. */
inline flush()
{
    to = 0;
    do
    :: pending[to] -> break
    :: else -> to++
    od;
    pending[to]--;
    n_pending--;
    in_flight[to]++;
    sent++;
    to = 0
}

/* Take a buffer of any life. */
inline take()
{
    if
    :: in_flight[AT(self, 0)] -> in_flight[AT(self, 0)]--; life = 0
    :: in_flight[AT(self, 1)] -> in_flight[AT(self, 1)]--; life = 1
#if LIFE > 1
    :: in_flight[AT(self, 2)] -> in_flight[AT(self, 2)]--; life = 2
#endif
    fi
}

/* The last term repeats the second if LIFE is 1. */
#define HAS_MAIL (in_flight[AT(self, 0)] || in_flight[AT(self, 1)] || in_flight[AT(self, LIFE)])

/* To end, a node must not contribute for ever while mail waits; only liveness needs that. */
#if defined(NO_FLUSH)
#define MAY_CONTRIBUTE true
#elif defined(LIVENESS)
#define MAY_CONTRIBUTE (!n_pending && !is_resolving && !HAS_MAIL)
#elif defined(COUNTERS) && !defined(TAKE_BESIDE)
#define MAY_CONTRIBUTE (!n_pending && (!is_resolving || !MAY_BE_LAST))
#else
#define MAY_CONTRIBUTE (!n_pending)
#endif

proctype node(byte self)
{
    byte pending[N_NODES * (LIFE + 1)] = 0; /* messages in node buffers that have not left */
    byte n_pending = 0, sent = 0, resolved = 0, life = 0, to = 0, handlers = 0;
#ifdef COUNTERS
    byte seen = 0; /* of the counter, by the message that adds to it */
    byte taken = 0;
    bool has_taken = false;
#endif
    bool is_resolving = false;
    bit my_round = 0;
    atomic {
        if
        :: self < N_FIRST -> append(LIFE)
        :: else
        fi
    }
    do
    :: is_over -> break
    :: atomic { !is_over && n_pending -> flush() }
    /* Resolve a buffer, in steps: start, handlers, end. */
    :: atomic { !is_over && !is_resolving && HAS_MAIL ->
           take();
           is_resolving = true;
#ifdef COUNTERS
           seen = counter[self];
#endif
#ifdef EARLY_RESOLVED
           resolved++;
#endif
           handlers = (life -> FAN : 0) }
    :: atomic { !is_over && is_resolving && handlers -> append(life - 1); handlers-- }
    :: atomic { !is_over && is_resolving -> /* any handler may also send nothing */
           is_resolving = false;
           handlers = 0;
           life = 0;
#ifdef COUNTERS
           counter[self] = seen + 1;
           seen = 0;
#endif
#ifndef EARLY_RESOLVED
           resolved++;
#endif
           n_alive-- }
    /* The network thread may contribute while a resolver thread is at work. */
    :: atomic { !is_over && my_round == round && MAY_CONTRIBUTE -> contribute() }
    od;
#ifdef LATE_ZERO
    counter[self] = 0;
#endif
#ifdef COUNTERS
    counter[(self + 1) % N_NODES]++ /* for the next barrier; that node may not have returned */
#endif
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < N_NODES -> run node(i); i++
        :: else -> break
        od
    }
    (_nr_pr == 1);
    assert(is_over && n_alive == 0);
#ifdef COUNTERS
    i = 0;
    do
    :: i < N_NODES -> assert(counter[i] == 1); i++
    :: else -> break
    od
#endif
}

#ifdef LIVENESS
ltl ends { <> is_over }
#endif
