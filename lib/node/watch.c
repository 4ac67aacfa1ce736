/* SPDX-License-Identifier: MIT */
/*
 * The watch over calls of the driver, which have no limit: a thread of the node, which calls no driver itself, fails
 * the node if a thread of the process has been in one for GRAVEL_TIMEOUT. Then the waits of all other threads end, and
 * the other nodes get a report. If it is the network thread, it is given up: the calls that wait for it return, and its
 * heartbeats end.
 *
 * While a node opens or a program is built, every call of the process has longer: drivers compile and allocate then,
 * some with a lock held that the other calls need.
 *
 * With GRAVEL_LOG=1 the thread also logs the progress of long launches.
 *
 * Path:    gravel_open, gravel_close -> watch.c -> base/mark.h, log.c.
 * Threads: start, end_opening and stop by the one that opens or closes the node.
 */
#include "base/clock.h"
#include "base/mark.h"
#include "node/node.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NS (GRAVEL_NS_PER_S / 4) /* between two polls */
#define LEAST_NS GRAVEL_NS_PER_MS
#define LINE_NS (5 * GRAVEL_NS_PER_S)   /* between lines of progress, or half of GRAVEL_TIMEOUT */
#define BUILD_NS (60 * GRAVEL_NS_PER_S) /* at least, for a compiler on a busy machine */

static _Atomic uint32_t n_opening; /* H10: nodes of this process */

/* What the last poll saw of a mark. */
struct gravel_watched {
    uint64_t n;
    struct gravel_lived lived; /* since it first showed n */
    bool is_reported;
};

/* A poll: first whether a program is being built, then for how long each thread is in its call. */
struct poll {
    struct gravel_watch *watch;
    uint64_t now_ns, limit_ns;
    bool is_building;
    /* the first call that is over the limit and not reported, which the error text names; mark NULL: none */
    struct gravel_mark *mark;
    uint64_t n;
    pthread_t thread;
    bool is_ours; /* a thread of the library's */
};

static const char *call_of(struct gravel_mark *mark)
{
    return atomic_load_explicit(&mark->call, memory_order_relaxed); /* B4 */
}

static uint64_t count_of(struct gravel_mark *mark)
{
    return atomic_load_explicit(&mark->n, memory_order_relaxed); /* B2: only compared here */
}

static bool is_in_call(uint64_t n)
{
    return n & 1 && n != UINT64_MAX;
}

/* Polls for builds: drivers build, and release what was built, with a lock of the compiler's held. */
static void poll_for_builds(void *context, struct gravel_mark *mark)
{
    struct poll *poll = context;
    const char *call = call_of(mark);
    poll->is_building |= is_in_call(count_of(mark)) &&
                         (strstr(call, "Program") || !strcmp(call, "clReleaseKernel") ||
                          !strcmp(call, "clReleaseContext"));
}

static void poll_at(void *context, struct gravel_mark *mark)
{
    struct poll *poll = context;
    struct gravel_watch *watch = poll->watch;
    uint64_t n = count_of(mark);
    if (mark->number >= watch->n_watched) {
        const uint32_t n_wanted = 2 * mark->number + 8;
        struct gravel_watched *all = realloc(watch->watched, n_wanted * sizeof *all);
        if (!all)
            return; /* the mark is not watched */
        memset(all + watch->n_watched, 0, (n_wanted - watch->n_watched) * sizeof *all);
        watch->watched = all;
        watch->n_watched = n_wanted;
    }
    struct gravel_watched *watched = &watch->watched[mark->number];
    if (n != watched->n)
        *watched = (struct gravel_watched){.n = n};
    watched->lived.step_ns = poll->limit_ns / GRAVEL_LIVED_STEPS;
    uint64_t in_call_ns = gravel_lived_tick(&watched->lived, poll->now_ns);
    if (poll->mark || watched->is_reported || !is_in_call(n) || in_call_ns < poll->limit_ns)
        return;
    watched->is_reported = true;
    poll->mark = mark;
    poll->n = n;
    poll->thread = mark->thread;
    poll->is_ours = !strncmp(mark->name, "gravel-", 7);
    const char *call = call_of(mark);
    gravel_fail(GRAVEL_ETIMEOUT, "thread %s (%d), in a call of %s: %s has not returned for %.1f s",
                mark->name, (int)mark->id, strncmp(call, "MPI_", 4) ? "the driver" : "MPI", call,
                gravel_seconds(in_call_ns));
}

/*
 * Fails the node if a call does not return, for what the driver still does is unknown. A thread of the application does
 * not come back to return the error: the log may be the only one that has it.
 */
static void poll_at_all(struct gravel *gravel)
{
    struct poll poll = {.watch = &gravel->watch, .now_ns = gravel_clock_ns()};
    gravel_marks_visit(poll_for_builds, &poll);
    const bool is_long =
        poll.is_building || atomic_load_explicit(&n_opening, memory_order_relaxed); /* H10 */
    poll.limit_ns = gravel_limit_ns(is_long ? GRAVEL_LIMIT_OPENING : GRAVEL_LIMIT_DRIVER,
                                    gravel->config.timeout_ms);
    if (is_long && poll.limit_ns < BUILD_NS)
        poll.limit_ns = BUILD_NS;
    while (gravel_marks_visit(poll_at, &poll), poll.mark) {
        if (!poll.is_ours && !gravel_prints_log(gravel))
            gravel_print(gravel, gravel_last_error());
        gravel_node_give_up(gravel, GRAVEL_ETIMEOUT);
        gravel_network_give_up(&gravel->network, poll.mark, poll.n, poll.thread);
        poll.mark = NULL;
    }
}

/* ---- progress -------------------------------------------------------------------------------- */

/* What a line of progress says. */
struct progress {
    struct gravel_stats stats;
    uint64_t n_launches, n_sent, passed_ns; /* the last two: since the last time */
};

/* Reads the counters, each time that a line may be due. @return whether it is: a launch is not known to have ended that
 * had begun before the last time */
static bool take_progress(struct gravel *gravel, struct progress *progress)
{
    struct gravel_watch *watch = &gravel->watch;
    const uint64_t limit_ns = gravel_limit_ns(GRAVEL_LIMIT_DRIVER, gravel->config.timeout_ms) / 2;
    bool is_due = false;
    pthread_mutex_lock(&gravel->outbound_lock);
    progress->passed_ns = gravel_clock_ns() - watch->line_ns;
    if (watch->line_ns && progress->passed_ns >= (limit_ns < LINE_NS ? limit_ns : LINE_NS) &&
        !gravel_stats_read(gravel, &progress->stats, sizeof progress->stats, GRAVEL_ALL_NODES)) {
        const struct gravel_launch_counts counts = gravel_checked_read(gravel);
        const uint64_t n = progress->stats.messages;
        is_due = counts.n_over < watch->n_begun;
        progress->n_launches = counts.n_begun - counts.n_over;
        progress->n_sent = n < watch->n_messages ? n : n - watch->n_messages; /* reset */
        watch->n_begun = counts.n_begun;
        watch->n_messages = n;
        watch->line_ns += progress->passed_ns;
    }
    pthread_mutex_unlock(&gravel->outbound_lock);
    return is_due;
}

static void log_progress(struct gravel *gravel)
{
    struct progress progress = {.n_launches = 0};
    if (!gravel_prints_log(gravel) || !take_progress(gravel, &progress))
        return;
    gravel_log(gravel,
               "launches whose end no wait of the node has seen: %" PRIu64
               "; messages of kernels so far: %" PRIu64 ", %.3g/s since %.1f s ago; applied here: "
               "%" PRIu64,
               progress.n_launches, progress.stats.messages,
               (double)progress.n_sent / gravel_seconds(progress.passed_ns),
               gravel_seconds(progress.passed_ns), progress.stats.resolved_messages);
}

void gravel_watch_progress(struct gravel *gravel, bool is_open)
{
    pthread_mutex_lock(&gravel->outbound_lock);
    gravel->watch.line_ns = is_open ? gravel_clock_ns() : 0;
    pthread_mutex_unlock(&gravel->outbound_lock);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *thread_main(void *argument)
{
    struct gravel *gravel = argument;
    struct gravel_watch *watch = &gravel->watch;
    uint64_t interval_ns =
        gravel_limit_ns(GRAVEL_LIMIT_DRIVER, gravel->config.timeout_ms) / GRAVEL_LIVED_STEPS;
    interval_ns = interval_ns > MOST_NS ? MOST_NS : interval_ns < LEAST_NS ? LEAST_NS : interval_ns;
    pthread_setname_np(pthread_self(), "gravel-watch"); /* its sleeps may end late */
    while (!gravel_thread_is_stopping(&watch->thread)) {
        uint32_t key = gravel_event_prepare(&watch->event);
        if (gravel_thread_is_stopping(&watch->thread))
            gravel_event_cancel(&watch->event);
        else
            gravel_event_wait(&watch->event, key, interval_ns);
        poll_at_all(gravel);
        log_progress(gravel);
    }
    return NULL;
}

int gravel_watch_start(struct gravel *gravel)
{
    struct gravel_watch *watch = &gravel->watch;
    GRAVEL_TRY(gravel_thread_start(&watch->thread, "watching thread", thread_main, gravel));
    watch->is_opening = true;
    atomic_fetch_add_explicit(&n_opening, 1, memory_order_relaxed); /* H10 */
    return 0;
}

void gravel_watch_end_opening(struct gravel *gravel)
{
    if (gravel->watch.is_opening)
        atomic_fetch_sub_explicit(&n_opening, 1, memory_order_relaxed); /* H10 */
    gravel->watch.is_opening = false;
}

void gravel_watch_stop(struct gravel *gravel)
{
    struct gravel_watch *watch = &gravel->watch;
    gravel_watch_end_opening(gravel);
    if (!gravel_thread_stop(&watch->thread, &watch->event))
        return;
    gravel_thread_end(&watch->thread, true);
    free(watch->watched);
}
