/* SPDX-License-Identifier: MIT */
/*
 * The work-group package queue: leaders of work-groups on the device, one consumer on the host.
 *
 *     leader:    ticket = reserved++; wait for room; write the payload; published = ticket + 1
 *     consumer:  wait for published == head + 1; read the payload; head++; consumed = head
 *
 * Shown for 3 leaders, 2 slots, 2 packages each and indices that wrap: no unread package is
 * overwritten, none is lost, repeated or torn, they arrive in ticket order, and everybody ends,
 * also when `abort` is set at any moment. A leader looks at consumed_cache first and stores there
 * what it read of `consumed`; as these stores race, the cache may go back, which only costs the
 * next leader a look.
 *
 * Models:  cl/device/queue.cl.h (leader), lib/memory/package.h (consumer). Steps are sequentially
 *          consistent here; release and acquire on P2/C1, C2/P1 and D1/D2 keep the payload's steps
 *          between them.
 * Mutants: FULL_BY_ONE, CACHE_ONLY, EARLY_PUBLISH, EARLY_CONSUME, NO_LAP, DEAF_LEADER,
 *          DEAF_CONSUMER.
 */
#define N_LEADERS 3
#define N_ROUNDS 2
#define N_PACKAGES (N_LEADERS * N_ROUNDS)
#define N_SLOTS 2
#define MASK 7          /* indices wrap after 8: more than the largest distance, as 2^32 is */
#define START 5         /* so they wrap within the run */
#define NONE 255

#define DISTANCE(a, b) (((a) - (b)) & MASK)
#define SLOT(index) ((index) & (N_SLOTS - 1))

#ifdef FULL_BY_ONE
#define HAS_ROOM(ticket, seen) (DISTANCE(ticket, seen) <= N_SLOTS)
#else
#define HAS_ROOM(ticket, seen) (DISTANCE(ticket, seen) < N_SLOTS)
#endif

/* Device side. */
byte reserved = START;
byte consumed_cache = START;
/* Slots: a publish word and a payload of two words. */
byte published[N_SLOTS] = NONE;
byte first[N_SLOTS] = NONE;
byte second[N_SLOTS] = NONE;
/* Host side. */
byte consumed = START;
bool aborted = false;

/* What the checker knows. */
bool unread[N_SLOTS] = false;
byte n_read = 0;

/* A look before the word has changed would change nothing: a waiter waits for the change. */
#ifdef CACHE_ONLY
#define NEWS(seen) (consumed_cache != seen)
#define LOOK(seen) seen = consumed_cache
#else
#define NEWS(seen) (consumed != seen)
#define LOOK(seen) seen = consumed
#endif

inline wait_for_room()
{
    do
    :: LOOK(seen);
       if
       :: HAS_ROOM(ticket, seen) -> consumed_cache = seen; break
       :: else
       fi;
       if
       :: NEWS(seen)
#ifndef DEAF_LEADER
       :: aborted -> goto done
#endif
       fi
    od
}

proctype leader()
{
    byte round = 0, ticket, seen;
    do
    :: round < N_ROUNDS ->
        atomic { ticket = reserved; reserved = (reserved + 1) & MASK }
        seen = consumed_cache;
        if
        :: HAS_ROOM(ticket, seen)
        :: else -> wait_for_room()
        fi;
        seen = 0;
#ifdef EARLY_PUBLISH
        published[SLOT(ticket)] = (ticket + 1) & MASK;
#endif
        atomic { assert(!unread[SLOT(ticket)]); first[SLOT(ticket)] = ticket }
        atomic { second[SLOT(ticket)] = ticket; unread[SLOT(ticket)] = true }
#ifndef EARLY_PUBLISH
        published[SLOT(ticket)] = (ticket + 1) & MASK;
#endif
        ticket = 0;
        round++
    :: else -> break
    od;
done:
    skip
}

#ifdef NO_LAP
#define IS_PUBLISHED(head) (published[SLOT(head)] != NONE)
#else
#define IS_PUBLISHED(head) (published[SLOT(head)] == ((head + 1) & MASK))
#endif

proctype consumer()
{
    byte head = START;
    do
    :: n_read < N_PACKAGES ->
        if
        :: IS_PUBLISHED(head)
#ifndef DEAF_CONSUMER
        :: aborted && !IS_PUBLISHED(head) -> break
#endif
        fi;
#ifdef EARLY_CONSUME
        consumed = (head + 1) & MASK;
#endif
        assert(first[SLOT(head)] == head);
        atomic {
            assert(second[SLOT(head)] == head && unread[SLOT(head)]);
            unread[SLOT(head)] = false;
            n_read++
        }
        head = (head + 1) & MASK;
#ifndef EARLY_CONSUME
        consumed = head
#endif
    :: else -> break
    od;
    /* Without an abort nothing is left behind. */
    assert(aborted || n_read == N_PACKAGES)
}

/* The node fails at any moment, or never. */
proctype node()
{
    if
    :: aborted = true
    :: skip
    fi
}

/* A leader, the consumer or the node that cannot end is an invalid end state. */
init
{
    byte i = 0;
    atomic {
        do
        :: i < N_LEADERS -> run leader(); i++
        :: else -> break
        od;
        run consumer();
        run node()
    }
}
