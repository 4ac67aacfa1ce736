/* SPDX-License-Identifier: MIT */
/*
 * A held element's join, and its room: arrivals of groups of one round count its state down, the last one enqueues it; its
 * node, in a later round, frees it, and the chooser gives its column to another element only then.
 *
 *     arrive:  left = state--; if left == 1: place = enqueued++, ring[place] = element
 *     round:   the chooser takes what is enqueued; each work-item reads, and frees: done++
 *     between: the chooser moves the head over elements that are free
 *
 * Shown for 2 arrivals of each of 5 elements, in rounds of up to 2 groups, and a channel of width 2: each
 * element runs once, after all of its arrivals; none is enqueued twice; no column has two elements.
 *
 * Models:  cl/device/held.cl.h, cl/layout/held.h, gravelp_view_free_held. Steps of one round interleave; rounds follow
 *          each other, as K5 and K6 make them.
 * Mutants: TORN (the count is loaded and stored), FIRST_ENQUEUES (an arrival that is not the last), EARLY_ROOM (the
 *          head moves when an element is taken), ONE_LAP (even and odd laps share done counts).
 */
#define WIDTH 2
#define N_ARRIVALS 2
#define N_ELEMENTS 5
#define NONE 255

byte state[WIDTH], owner[WIDTH], ring[WIDTH];
byte tail = 0, head = 0, enqueued = 0, taken = 0;
byte done[2];
byte arrived[N_ELEMENTS], n_runs[N_ELEMENTS], n_sent[N_ELEMENTS];
byte n_busy = 0;

#ifdef ONE_LAP
#define DONE(e) done[0]
#define EXPECTED(first, n) ((first) + (n))
#else
#define DONE(e) done[((e) / WIDTH) % 2]
#define EXPECTED(first, n) ((first) / WIDTH / 2 * WIDTH + (n))
#endif

/* A group: an arrival at an element. */
proctype arrive(byte element)
{
    byte left, place;

    arrived[element]++;
#ifdef TORN
    left = state[element % WIDTH];
    state[element % WIDTH] = left - 1;
#else
    d_step {
        left = state[element % WIDTH];
        state[element % WIDTH] = left - 1
    };
#endif
    assert(owner[element % WIDTH] == element && left > 0);
#ifdef FIRST_ENQUEUES
    if
    :: left == N_ARRIVALS ->
#else
    if
    :: left == 1 ->
#endif
       d_step {
           place = enqueued;
           enqueued++
       };
       assert(place - taken < WIDTH);
       ring[place % WIDTH] = element
    :: else
    fi;
    n_busy--
}

/* A group: the element at a place of the ring. */
proctype node(byte place)
{
    byte element = ring[place % WIDTH];

    assert(element != NONE && owner[element % WIDTH] == element);
    assert(arrived[element] == N_ARRIVALS);
    n_runs[element]++;
    assert(n_runs[element] == 1);
    d_step {
        owner[element % WIDTH] = NONE;
        DONE(element)++;
        n_busy--
    }
}

/* The chooser, between rounds. */
inline free_held()
{
    d_step {
        do
        :: head != tail ->
           first = head / WIDTH * WIDTH;
           n = (tail - first < WIDTH -> tail - first : WIDTH);
           if
           :: DONE(first) == EXPECTED(first, n) -> head = first + n
           :: else -> break
           fi
        :: else -> break
        od;
        first = 0
    }
}

inline end_round()
{
    n_busy == 0;
    free_held();
#ifdef EARLY_ROOM
    head = taken
#endif
}

init
{
    byte first, n, i;

    atomic {
        ring[0] = NONE;
        ring[1] = NONE;
        owner[0] = NONE;
        owner[1] = NONE
    };
    do
    :: tail < N_ELEMENTS && tail - head < WIDTH -> /* room was admitted */
       d_step {
           assert(owner[tail % WIDTH] == NONE);
           owner[tail % WIDTH] = tail;
           state[tail % WIDTH] = N_ARRIVALS;
           tail++
       }
    :: enqueued != taken -> /* a round of the channel */
       d_step {
           n = enqueued - taken;
           n_busy = n
       };
       i = 0;
       do
       :: i < n -> run node(taken + i); i++
       :: else -> break
       od;
       n_busy == 0;
       taken = taken + n;
       n = 0;
       end_round()
    :: enqueued == taken && head != tail -> /* a round of which each group arrives */
       i = 0;
       do
       :: i < 2 ->
          n = 0;
          do
          :: n < tail -> n++
          :: n == tail || n_sent[n] < N_ARRIVALS -> break
          od;
          if
          :: n < tail && n_sent[n] < N_ARRIVALS ->
             d_step {
                 n_sent[n]++;
                 n_busy++
             };
             run arrive(n)
          :: else
          fi;
          i++
       :: else -> break
       od;
       end_round();
       i = 0;
       n = 0;
       d_step {
           do
           :: i < tail -> n = n + (n_sent[i] == N_ARRIVALS && n_runs[i] == 0); i++
           :: else -> break
           od;
           assert(enqueued - taken == n); /* none is forgotten */
           n = 0
       }
    :: tail == N_ELEMENTS && head == tail && enqueued == taken -> break
    od;
    i = 0;
    d_step {
        do
        :: i < N_ELEMENTS -> assert(n_runs[i] == 1); i++
        :: else -> break
        od;
        i = 0
    }
}
