/* SPDX-License-Identifier: MIT */
/*
 * Marks: in which call of a driver each thread of the process is. A driver's call has no limit, and its thread
 * cannot read the clock; another thread, which calls no driver, reads the marks.
 *
 * A thread writes its mark as it enters a call and as it leaves it. A poll takes no time from it: a count that has not
 * changed means that the thread has not come back. A thread for which no thread waits longer is given up: when it
 * comes back, it sleeps without end, so that it touches nothing that others have left.
 *
 * Path:    device/driver.h, transport/mpi.c, around each call -> mark.h -> node/watch.c.
 * Owner:   a thread has its mark until it ends; the next new thread gets it then. Marks stay until the process ends.
 * Threads: enter and leave by the mark's own; the rest by any.
 * Memory:  B2 hands what the thread did before the call to the one that gives it up (B3).
 */
#ifndef GRAVEL_BASE_MARK_H
#define GRAVEL_BASE_MARK_H

#include "layout/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gravel_mark {
    _Alignas(GRAVELP_CACHELINE) _Atomic uint64_t
        n;                      /* B2: entered and left so far: odd in a call; B3: UINT64_MAX */
    _Atomic(const char *) call; /* B4: the last one entered; of static storage */
    /* As made, except for a mark that a new thread takes: guarded by the lock of mark.c. */
    struct gravel_mark *next;
    uint32_t number; /* from 0 on */
    bool is_taken;
    pid_t id;
    pthread_t thread;
    char name[16];
};

/* The calling thread's; NULL: it has been in no call yet. */
extern _Thread_local struct gravel_mark *gravel_mark_own;

/** Make the calling thread's mark, or take one that is free. @return NULL if there is no memory. */
struct gravel_mark *gravel_mark_make(void);
/** Sleeps without end: the thread was given up while it was in the call. */
_Noreturn void gravel_mark_park(void);

/**
 * Marks that the calling thread enters a call of a driver.
 *
 * @return  its mark; NULL if it is in such a call already, one that has called back, or if there is no memory.
 */
static inline struct gravel_mark *gravel_mark_enter(const char *call)
{
    struct gravel_mark *own = gravel_mark_own ? gravel_mark_own : gravel_mark_make();
    uint64_t n = own ? atomic_load_explicit(&own->n, memory_order_relaxed) : 1; /* B2: our own */
    if (n & 1)
        return NULL;
    atomic_store_explicit(&own->call, call, memory_order_relaxed); /* B4 */
    atomic_store_explicit(&own->n, n + 1, memory_order_release);   /* B2, pairs with B3 */
    return own;
}

/** Marks that it leaves the call. @param mark  what gravel_mark_enter returned. */
static inline void gravel_mark_leave(struct gravel_mark *const *mark)
{
    if (!*mark)
        return;
    uint64_t n = atomic_load_explicit(&(*mark)->n, memory_order_relaxed); /* B2: our own, or B3 */
    if (n == UINT64_MAX ||
        !atomic_compare_exchange_strong_explicit(&(*mark)->n, &n, n + 1, memory_order_relaxed,
                                                 memory_order_relaxed)) /* B3 may come between */
        gravel_mark_park();
}

/* The call between both, and its value. @param name  that the watch reports; of static storage. */
#define GRAVEL_MARKED_AS(name, call, ...)                                                  \
    __extension__({                                                                        \
        struct gravel_mark *const gravelp_mark                                             \
            __attribute__((cleanup(gravel_mark_leave), unused)) = gravel_mark_enter(name); \
        call(__VA_ARGS__);                                                                 \
    })
#define GRAVEL_MARKED(call, ...) GRAVEL_MARKED_AS(#call, call, __VA_ARGS__)

/** Visit every mark, with the lock of mark.c held: none is made or taken in between. */
void gravel_marks_visit(void (*visit)(void *context, struct gravel_mark *mark), void *context);

/**
 * Give up a thread that is in a call: it does not come back from it. What it did before is seen by the caller.
 *
 * @param n  as the mark was seen, odd.
 * @return   false if it has left that call.
 */
bool gravel_mark_give_up(struct gravel_mark *mark, uint64_t n);

#endif
