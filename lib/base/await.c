/* SPDX-License-Identifier: MIT */
/*
 * The pause between two polls. See await.h.
 */
#include "base/await.h"

#include "base/clock.h"
#include "base/counter.h"
#include "base/error.h"

#include <unistd.h>

#define YIELDS_NS UINT64_C(300000)      /* most copies are shorter */
#define LOCK_YIELDS_NS UINT64_C(100000) /* a round of the pump is shorter */
/* A longer yield ran another thread; without another to run it takes under 1 us. */
#define YIELDED_NS UINT64_C(5000)
#define SLEEP_MIN_NS UINT64_C(20000)
#define SLEEP_MAX_NS GRAVEL_NS_PER_MS /* so that a long wait is not much longer for it */
#define POLL_NS (GRAVEL_NS_PER_S / 4)

int gravel_wait_check(struct gravel_wait *wait)
{
    const struct gravel_limit *limit = &wait->limit;
    if (limit->check || limit->ns == 0)
        return limit->check ? limit->check(limit->context, wait) : 0;
    wait->waited.lived.step_ns = limit->ns / GRAVEL_LIVED_STEPS;
    return gravel_lived_tick(&wait->waited.lived, gravel_clock_ns()) < limit->ns ? 0
                                                                                 : GRAVEL_ETIMEOUT;
}

static bool stays_awake(struct gravel_wait *wait)
{
    uint64_t most_ns = wait->limit.yields_ns;
    if (most_ns == 0 && wait->event)
        most_ns = 1000u * (uint64_t)atomic_load_explicit(&wait->event->awake_us,
                                                         memory_order_relaxed); /* H12 */
    else if (most_ns == 0)
        most_ns = YIELDS_NS;
    if (!gravel_awake_yield(&wait->awake, most_ns)) {
        if (!wait->event || wait->n_yields++ >= GRAVEL_WAIT_YIELDS)
            return false;
        gravel_awake_give(&wait->awake);
    }
    wait->rested_ns += wait->awake.yield_ns > YIELDED_NS ? wait->awake.yield_ns : 0;
    return true;
}

/* Returns the next sleep: a share of the wait so far, by which the wait becomes longer. */
static uint64_t share_ns(const struct gravel_wait *wait, uint64_t share, uint64_t most_ns)
{
    const uint64_t ns = (gravel_clock_ns() - wait->awake.begin_ns) / share;
    const uint64_t least_ns = ns < SLEEP_MIN_NS ? SLEEP_MIN_NS : ns;
    return least_ns < most_ns ? least_ns : most_ns;
}

/* Sleeps, unless this is the first time: a poll follows the prepare, and a signal since then ends the sleep at once. A
 * signal promises work: sleeps that grow are short again after it. */
static void sleep_on(struct gravel_wait *wait)
{
    const uint64_t step_ns = wait->waited.lived.step_ns,
                   ns = wait->poll_ns ? share_ns(wait, 8, wait->poll_ns) : POLL_NS;
    if (wait->is_prepared) {
        const uint64_t begin_ns = gravel_clock_ns();
        const bool is_signalled =
            gravel_event_wait(wait->event, wait->key, step_ns && step_ns < ns ? step_ns : ns);
        const uint64_t now_ns = gravel_clock_ns();
        wait->rested_ns += now_ns - begin_ns;
        if (is_signalled && wait->poll_ns)
            wait->awake.begin_ns = now_ns;
    }
    wait->key = gravel_event_prepare(wait->event);
    wait->is_prepared = true;
}

int gravel_wait_pause(struct gravel_wait *wait)
{
    if (wait->awake.begin_ns == 0)
        wait->awake.begin_ns = gravel_clock_ns();
    if (stays_awake(wait))
        return 0;
    GRAVEL_TRY(gravel_wait_check(wait));
    if (wait->event)
        sleep_on(wait);
    else
        usleep((useconds_t)(share_ns(wait, 32, SLEEP_MAX_NS) / 1000));
    return 0;
}

/* Polls without a sleep that grows: it would miss the moment in which the pump releases its lock between rounds. */
int gravel_wait_lock(struct gravel_wait *wait, pthread_mutex_t *lock)
{
    struct gravel_awake awake = {0};
    while (pthread_mutex_trylock(lock)) {
        GRAVEL_TRY(gravel_wait_check(wait));
        if (!gravel_awake_yield(&awake, LOCK_YIELDS_NS))
            usleep(SLEEP_MIN_NS / 1000);
    }
    return 0;
}

/* ---- loops ------------------------------------------------------------------------------------ */

/* Pauses between two polls of a word that another core writes. */
static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Adds the time awake since the last call to poll_ns. */
static void count(struct gravel_idle *idle)
{
    const uint64_t now_ns = gravel_clock_ns();
    gravel_counter_add(&idle->poll_ns, now_ns - idle->counted_ns - idle->wait.rested_ns);
    idle->counted_ns = now_ns;
    idle->wait.rested_ns = 0;
}

void gravel_idle_end(struct gravel_idle *idle)
{
    count(idle);
    gravel_wait_end(&idle->wait);
    idle->wait = (struct gravel_wait){.event = NULL};
    idle->n_spins = 0;
}

void gravel_idle_wait(struct gravel_idle *idle, struct gravel_event *event, uint64_t limit_ns)
{
    gravel_counter_add(&idle->polls, 1);
    if (idle->n_spins == 0)
        idle->counted_ns = gravel_clock_ns();
    if (idle->n_spins < GRAVEL_IDLE_SPINS) {
        idle->n_spins++;
        pause_core();
        return;
    }
    idle->wait.event = event;
    idle->wait.poll_ns = limit_ns < GRAVEL_IDLE_MAX_NS ? limit_ns + !limit_ns : GRAVEL_IDLE_MAX_NS;
    gravel_wait_pause(&idle->wait); /* it has no limit */
    count(idle);
}
