/* SPDX-License-Identifier: MIT */
/*
 * Work stealing by promotion: groups with private deques, each with a block that it offers.
 *
 *     owner:  if wanted and offer == EMPTY: block = oldest tasks; offer = MADE
 *             with nothing left: offer MADE -> EMPTY, take the block back
 *     thief:  wanted = 1; offer MADE -> TAKEN; copy the block; offer = EMPTY
 *     end:    with nothing left, when as many groups are idle as have started
 *
 * Shown for 3 groups, of which one has all tasks at first and any may start late, and a task that pushes another one:
 * every task runs once, no group ends with tasks, and all groups end (LIVENESS, fewer groups).
 *
 * Models:  cl/device/promote.cl.h, schedule.cl.h. Steps are sequentially consistent here; release and acquire on X2/X3 and
 *          X6/X5 keep the block's steps between them. A deque is a set of tasks: pop takes the newest, offers the oldest.
 * Mutants: EARLY_OFFER, EARLY_REFILL, LOAD_NOT_SWAP, STEAL_NOT_SWAP, LEAVE_TASKS.
 */
#ifndef N_GROUPS
#define N_GROUPS 3
#endif
#ifdef EARLY_REFILL
#define N_FILLED 5 /* so that there is a second offer */
#else
#define N_FILLED 4
#endif
#define N_TASKS (N_FILLED + 1) /* task 1 pushes the last one */
#define NONE 255

#define EMPTY 0
#define MADE 1
#define TAKEN 2

byte offer[N_GROUPS] = EMPTY;
bool wanted[N_GROUPS] = false;
byte first[N_GROUPS] = NONE, second[N_GROUPS] = NONE; /* of a block */
byte n_started = 0, n_idle = 0, n_ended = 0;
byte n_runs[N_TASKS] = 0;

/* The oldest task of a set, taken out; NONE if it is empty. */
inline take_oldest(set, task)
{
    d_step {
        task = 0;
        do
        :: task < N_TASKS && !(set & (1 << task)) -> task++
        :: else -> break
        od;
        if
        :: task == N_TASKS -> task = NONE
        :: else -> set = set & ~(1 << task)
        fi
    }
}

inline take_newest(set, task)
{
    d_step {
        task = N_TASKS;
        do
        :: task > 0 && !(set & (1 << (task - 1))) -> task--
        :: else -> break
        od;
        if
        :: task == 0 -> task = NONE
        :: else -> task--; set = set & ~(1 << task)
        fi
    }
}

inline put(set, task)
{
    d_step {
        if
        :: task != NONE -> set = set | (1 << task)
        :: else
        fi
    }
}

/* offer[whose]: from -> to; `done` says whether it was so. A mutant looks first and stores then. */
#define SWAP_AT_ONCE(whose, to, done)                           \
    atomic {                                                    \
        if                                                      \
        :: offer[whose] == MADE -> offer[whose] = to; done = true \
        :: else -> done = false                                 \
        fi                                                      \
    }
#define SWAP_IN_STEPS(whose, to, done)         \
    done = (offer[whose] == MADE);             \
    if                                         \
    :: done -> offer[whose] = to               \
    :: else                                    \
    fi
#ifdef LOAD_NOT_SWAP
#define SWAP_BACK SWAP_IN_STEPS
#else
#define SWAP_BACK SWAP_AT_ONCE
#endif
#ifdef STEAL_NOT_SWAP
#define SWAP_STEAL SWAP_IN_STEPS
#else
#define SWAP_STEAL SWAP_AT_ONCE
#endif

#ifdef EARLY_REFILL
#define MAY_FILL (offer[me] != MADE)
#else
#define MAY_FILL (offer[me] == EMPTY)
#endif

proctype group(byte me; byte own)
{
    byte task, victim;
    bool done;

    n_started++;
boundary:
    if
    :: wanted[me] && (own & (own - 1)) && MAY_FILL -> /* two tasks or more */
#ifdef EARLY_OFFER
       offer[me] = MADE;
#endif
       take_oldest(own, task);
       first[me] = task;
       task = NONE;
       if
       :: own & (own - 1) -> take_oldest(own, task)
       :: else
       fi;
       second[me] = task;
       wanted[me] = false;
#ifndef EARLY_OFFER
       offer[me] = MADE
#endif
    :: else
    fi;
    take_newest(own, task);
    if
    :: task != NONE ->
       d_step {
           n_runs[task]++;
           assert(n_runs[task] == 1);
           if
           :: task == 1 -> own = own | (1 << (N_TASKS - 1))
           :: else
           fi
       };
       goto boundary
    :: else
    fi;
#ifndef LEAVE_TASKS
    SWAP_BACK(me, EMPTY, done);
    if
    :: done -> put(own, first[me]); put(own, second[me]); goto boundary
    :: else
    fi;
#endif
    n_idle++;
look:
    victim = 0;
    do
    :: victim == N_GROUPS -> break
    :: victim == me -> victim++
    :: victim < N_GROUPS && victim != me ->
       if
       :: offer[victim] == MADE ->
          n_idle--;
          SWAP_STEAL(victim, TAKEN, done);
          if
          :: done ->
             task = first[victim];
             put(own, task);
             task = second[victim];
             put(own, task);
             offer[victim] = EMPTY;
             goto boundary
          :: else -> n_idle++
          fi
       :: else -> wanted[victim] = true
       fi;
       victim++
    od;
    if
    :: n_idle == n_started
    :: else -> goto look
    fi;
    assert(own == 0);
#ifndef LEAVE_TASKS
    assert(offer[me] != MADE);
#endif
    atomic {
        n_ended++;
        if
        :: n_ended == N_GROUPS ->
           task = 0;
           do
           :: task < N_TASKS -> assert(n_runs[task] == 1); task++
           :: else -> break
           od
        :: else
        fi
    }
}

init
{
    atomic {
        run group(0, (1 << N_FILLED) - 1);
        run group(1, 0);
#if N_GROUPS > 2
        run group(2, 0)
#endif
    }
}

#ifdef LIVENESS
ltl all_end { <> (n_ended == N_GROUPS) }
#endif
