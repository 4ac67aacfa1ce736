/* SPDX-License-Identifier: MIT */
/*
 * Marks of threads in calls of a driver: what they count, and a thread that is given up. Whose call it is, is device stalled's.
 *
 * Path: meson test -> lib/base/mark.c
 */
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "base/mark.h"

struct seen {
    const char *thread; /* whose */
    unsigned n_marks;   /* of that name */
    uint64_t n;
    struct gravel_mark *mark;
};

static void look(void *context, struct gravel_mark *mark)
{
    struct seen *seen = context;
    if (strcmp(mark->name, seen->thread) != 0)
        return;
    seen->n_marks++;
    seen->n = atomic_load(&mark->n);
    seen->mark = mark;
}

static struct seen look_for(const char *thread)
{
    struct seen seen = {.thread = thread};
    gravel_marks_visit(look, &seen);
    return seen;
}

static _Atomic bool has_parked;

_Noreturn void __real_gravel_mark_park(void);
_Noreturn void __wrap_gravel_mark_park(void);
_Noreturn void __wrap_gravel_mark_park(void)
{
    atomic_store(&has_parked, true);
    __real_gravel_mark_park();
}

/* A thread that enters a call, and leaves it when it is asked to. */
struct caller {
    pthread_t thread;
    const char *name;
    _Atomic bool is_in, may_leave, has_left;
};

static void *call_once(void *argument)
{
    struct caller *caller = argument;
    pthread_setname_np(pthread_self(), caller->name);
    struct gravel_mark *mark = gravel_mark_enter("clFinish");
    atomic_store(&caller->is_in, true);
    while (!atomic_load(&caller->may_leave))
        usleep(100);
    gravel_mark_leave(&mark);
    atomic_store(&caller->has_left, true);
    return NULL;
}

static void start(struct caller *caller, const char *name)
{
    *caller = (struct caller){.name = name};
    assert_int_equal(pthread_create(&caller->thread, NULL, call_once, caller), 0);
    while (!atomic_load(&caller->is_in))
        usleep(100);
}

TEST(calls_are_counted_and_a_call_within_one_is_not)
{
    struct gravel_mark *mark = gravel_mark_enter("clFlush"), *none = gravel_mark_enter("clFinish");
    assert_non_null(mark);
    assert_null(none);
    gravel_mark_leave(&none);
    uint64_t n = atomic_load(&mark->n);
    assert_string_equal(atomic_load(&mark->call), "clFlush");
    assert_int_equal(n & 1, 1);
    gravel_mark_leave(&mark);
    assert_int_equal(atomic_load(&mark->n), n + 1);
    assert_false(gravel_mark_give_up(mark, n)); /* it has left */
    struct gravel_mark *again = gravel_mark_enter("clFinish");
    assert_ptr_equal(again, mark);
    assert_int_equal(atomic_load(&mark->n), n + 2);
    assert_false(gravel_mark_give_up(again, n));
    gravel_mark_leave(&again);
}

TEST(thread_that_was_given_up_does_not_come_back)
{
    static struct caller caller; /* outlives the test, as its thread does */
    start(&caller, "lost");
    struct seen seen = look_for("lost");
    assert_true(gravel_mark_give_up(seen.mark, seen.n));
    atomic_store(&caller.may_leave, true);
    while (!atomic_load(&has_parked) && !atomic_load(&caller.has_left))
        usleep(100);
    assert_false(atomic_load(&caller.has_left));
    assert_int_equal(look_for("lost").n_marks, 1); /* no thread gets its mark */
    pthread_detach(caller.thread);
}

const struct fixture fixture = {.limit_s = 60};
