/* SPDX-License-Identifier: MIT */
/*
 * A resident launch of a flow: groups that enrol, rounds that the last member out chooses, room that admission keeps.
 *
 *     enrol:   enrolled += 1; the first closes the list and says how many members there are
 *     round:   CEs first to first + n of one level, one after another round the members; each makes up to AT_MOST
 *              CEs of the deeper level: tail += k, write them
 *     end:     out += 1; the last one out frees the round's CEs, chooses, out = 0, phase += 1
 *
 * Shown for 3 groups, of which any may start late, and a stack of 2 levels of width 2 with 2 tasks of level 0: every
 * task runs once, no CE is overwritten before it is read, no member counts that is not on the list, and all groups
 * end (LIVENESS, fewer groups).
 *
 * Models:  cl/device/members.cl.h, round.cl.h, channel.cl.h, cl/layout/choose.h. Steps are sequentially consistent here;
 *          K5 to K7 keep the steps between them. How many looks the first group waits for newcomers is left open.
 * Mutants: EARLY_OUT (a member's CEs are seen only after it is out, as without acquire and release of K5), EARLY_PHASE
 *          (the choice only after its phase, as without K6), LATE_RESET (out = 0 only then), ROOM_BY_ONE (one CE more),
 *          CLOSE_APART (the list is closed after the count), FIRST_CHOOSES (not the last member out).
 */
#ifndef N_GROUPS
#define N_GROUPS 3
#endif
#define WIDTH 2
#define AT_MOST 2
#define N_ROOTS 2
#define N_TASKS 6 /* two children of each root */
#define NONE 255
#define CLOSED 128

byte enrolled = 0, n_members = 0, out = 0, phase = 0;
byte n_ended = 0;

/* The round, and whether there is one. */
byte level, first, n;
bool goes_on;

/* Two rings: CE i of a level is in column i % WIDTH. */
byte tail[2], head[2];
byte cells[4]; /* level * WIDTH + column: the task */
byte n_runs[N_TASKS], n_made[N_TASKS];

#define CELL(l, i) cells[(l) * WIDTH + (i) % WIDTH]
#define USED(l) (tail[l] - head[l])
#ifdef ROOM_BY_ONE
#define ADMITTED ((WIDTH - USED(1)) / AT_MOST + 1)
#else
#define ADMITTED ((WIDTH - USED(1)) / AT_MOST)
#endif

/* The largest admissible round; of equals the deepest. */
inline choose()
{
    d_step {
        chosen = (USED(0) < ADMITTED -> USED(0) : ADMITTED);
        if
        :: USED(1) >= chosen -> chosen_level = 1; chosen = USED(1)
        :: else -> chosen_level = 0
        fi
    }
}

inline publish()
{
    d_step {
        level = chosen_level;
        first = head[chosen_level];
        n = chosen;
        goes_on = chosen != 0
    }
}

inline advance()
{
#ifdef LATE_RESET
    publish();
    phase++;
    out = 0
#else
    out = 0;
#ifdef EARLY_PHASE
    phase++;
    publish()
#else
    publish();
    phase++
#endif
#endif
}

/* One CE: read it, run its task; reserve for its children. */
inline process(index)
{
    d_step {
        task = CELL(level, index);
        assert(task != NONE);
        n_runs[task]++;
        assert(n_runs[task] == 1);
        k = 0
    };
    atomic {
        if
        :: level == 0 ->
           if
           :: k = 0
           :: k = 1
           :: k = AT_MOST
           fi;
           at = tail[1];
           tail[1] = tail[1] + k;
           assert(USED(1) <= WIDTH)
        :: else
        fi
    }
}

inline write_children()
{
    do
    :: d_step {
           k > 0 ->
           k--;
           CELL(1, at + k) = N_ROOTS + task * AT_MOST + k;
           n_made[N_ROOTS + task * AT_MOST + k]++
       }
    :: else -> break
    od
}

/* A member that is out. One that is the last chooses. */
inline leave()
{
    d_step {
        out++;
        seen = out
    };
#ifdef FIRST_CHOOSES
    if
    :: seen == 1 ->
#else
    if
    :: seen == n_members ->
#endif
       d_step {
           assert(part >= n);
           head[level] = head[level] + n
       };
       choose();
       advance()
    :: else
    fi
}

proctype group()
{
    byte me, my_phase = 0, part, task, k, at, seen, chosen, chosen_level;

    d_step {
        me = enrolled;
        enrolled++
    };
    if
    :: me >= CLOSED -> goto ended
    :: me == 0 ->
#ifdef CLOSE_APART
       seen = enrolled;
       enrolled = enrolled + CLOSED;
#else
       d_step {
           seen = enrolled;
           enrolled = enrolled + CLOSED
       };
#endif
       n_members = seen
    :: else
    fi;
    n_members != 0;
    assert(me < n_members);
    do
    :: !goes_on -> break
    :: else ->
       part = me;
       do
       :: part >= n -> break
       :: else ->
          process(first + part);
#ifdef EARLY_OUT
          if
          :: part + n_members >= n -> break
          :: else
          fi;
#endif
          write_children();
          part = part + n_members
       od;
#ifdef EARLY_OUT
       part = (part < n -> part + n_members : part);
#endif
       leave();
#ifdef EARLY_OUT
       write_children();
#endif
       phase != my_phase;
       my_phase++
    od;
ended:
    atomic {
        n_ended++;
        if
        :: n_ended == N_GROUPS ->
           assert(USED(0) == 0 && USED(1) == 0);
           task = 0;
           do
           :: task < N_TASKS ->
              assert(n_runs[task] == n_made[task] && n_made[task] <= 1);
              task++
           :: else -> break
           od
        :: else
        fi
    }
}

init
{
    byte chosen, chosen_level;

    atomic {
        tail[0] = N_ROOTS;
        cells[0] = 0;
        cells[1] = 1;
        cells[2] = NONE;
        cells[3] = NONE;
        n_made[0] = 1;
        n_made[1] = 1;
        choose();
        publish();
        run group();
        run group();
#if N_GROUPS > 2
        run group()
#endif
    }
}

#ifdef LIVENESS
ltl all_end { <> (n_ended == N_GROUPS) }
#endif
