/* SPDX-License-Identifier: MIT */
/*
 * The list of marks. See mark.h.
 */
#include "base/mark.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Thread_local struct gravel_mark *gravel_mark_own;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list, and of whose each is */
static struct gravel_mark *marks;
static pthread_key_t at_end; /* of a thread */
static bool has_key;

static void let_go(void *mark)
{
    pthread_mutex_lock(&lock);
    ((struct gravel_mark *)mark)->is_taken = false;
    pthread_mutex_unlock(&lock);
}

struct gravel_mark *gravel_mark_make(void)
{
    struct gravel_mark *mark = NULL;
    pthread_mutex_lock(&lock);
    has_key = has_key || pthread_key_create(&at_end, let_go) == 0;
    if (has_key)
        for (mark = marks; mark && mark->is_taken; mark = mark->next)
            ;
    if (!mark && has_key && (mark = aligned_alloc(GRAVELP_CACHELINE, sizeof *mark))) {
        memset(mark, 0, sizeof *mark);
        mark->number = marks ? marks->number + 1 : 0;
        mark->next = marks;
        marks = mark;
    }
    if (mark && pthread_setspecific(at_end, mark))
        mark = NULL; /* stays free */
    if (mark) {
        mark->is_taken = true;
        mark->thread = pthread_self();
        mark->id = gettid();
        pthread_getname_np(mark->thread, mark->name, sizeof mark->name);
    }
    pthread_mutex_unlock(&lock);
    return gravel_mark_own = mark;
}

void gravel_mark_park(void)
{
    for (;;)
        pause();
}

void gravel_marks_visit(void (*visit)(void *context, struct gravel_mark *mark), void *context)
{
    pthread_mutex_lock(&lock);
    for (struct gravel_mark *mark = marks; mark; mark = mark->next)
        if (mark->is_taken)
            visit(context, mark);
    pthread_mutex_unlock(&lock);
}

bool gravel_mark_give_up(struct gravel_mark *mark, uint64_t n)
{
    return atomic_compare_exchange_strong_explicit(&mark->n, &n, UINT64_MAX, memory_order_acquire,
                                                   memory_order_relaxed); /* B3, pairs with B2 */
}
