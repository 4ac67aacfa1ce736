/* SPDX-License-Identifier: MIT */
/*
 * The waiting policy: a few looks at once, a few after a yield, then sleeps that grow with the idle
 * time.
 *
 * Path:    idle.h -> idle.c -> event.c.
 * Threads: the owner of the struct.
 */
#include "base/idle.h"

#include "base/awake.h"
#include "base/clock.h"

#include <assert.h>
#include <sched.h>
#include <stddef.h>

#define SLEEP_SHARE 8 /* a sleep is at most 1/8 of the idle time so far */
/* A longer yield ran another thread; without another to run it takes under 1 us. */
#define YIELDED_NS 5000

/* A pause between two looks at a word that another core writes. */
static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Single writer, so a load and a store do; relaxed because counters order nothing. */
static void add(_Atomic uint64_t *counter, uint64_t n)
{
    uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + n, memory_order_relaxed);
}

/* Time given away is not time awake. */
static void yield_core(struct gravel_idle *idle)
{
    uint64_t before_ns = gravel_clock_ns();
    sched_yield();
    uint64_t yield_ns = gravel_clock_ns() - before_ns;
    if (yield_ns > YIELDED_NS)
        idle->awake_since_ns += yield_ns;
    idle->is_crowded = yield_ns > GRAVEL_CROWDED_NS;
}

/* Work was here a moment ago, and no other thread wants the core. */
static bool stays_awake(const struct gravel_idle *idle, struct gravel_event *event)
{
    uint64_t awake_ns =
        UINT64_C(1000) * atomic_load_explicit(&event->awake_us, memory_order_relaxed); /* H12 */
    return awake_ns && !idle->is_crowded && gravel_clock_ns() - idle->idle_since_ns < awake_ns;
}

static void prepare(struct gravel_idle *idle, struct gravel_event *event)
{
    idle->event = event;
    idle->key = gravel_event_prepare(event);
}

/* Sleep on the prepared event. A signal promises work, so that sleeps are short again after it. */
static void sleep_prepared(struct gravel_idle *idle, uint64_t limit_ns)
{
    uint64_t now_ns = gravel_clock_ns();
    add(&idle->poll_ns, now_ns - idle->awake_since_ns);
    uint64_t ns = (now_ns - idle->idle_since_ns) / SLEEP_SHARE;
    ns = ns > GRAVEL_IDLE_MIN_NS ? ns : GRAVEL_IDLE_MIN_NS;
    ns = ns < GRAVEL_IDLE_MAX_NS ? ns : GRAVEL_IDLE_MAX_NS;
    ns = ns < limit_ns ? ns : limit_ns;
    bool is_signalled = gravel_event_wait(idle->event, idle->key, ns);
    idle->awake_since_ns = gravel_clock_ns();
    if (is_signalled)
        idle->idle_since_ns = idle->awake_since_ns;
}

void gravel_idle_end(struct gravel_idle *idle)
{
    if (idle->event)
        gravel_event_cancel(idle->event);
    add(&idle->poll_ns, gravel_clock_ns() - idle->awake_since_ns);
    idle->event = NULL;
    idle->round = 0;
    idle->is_crowded = false;
}

void gravel_idle_wait(struct gravel_idle *idle, struct gravel_event *event, uint64_t limit_ns)
{
    assert(!idle->event || idle->event == event);
    add(&idle->polls, 1);
    if (idle->round == 0)
        idle->idle_since_ns = idle->awake_since_ns = gravel_clock_ns();
    if (idle->event) {
        sleep_prepared(idle, limit_ns);
        prepare(idle, event); /* before the caller's next look */
        return;
    }
    idle->round++;
    if (idle->round <= GRAVEL_IDLE_SPINS)
        pause_core();
    else if (idle->round <= GRAVEL_IDLE_SPINS + GRAVEL_IDLE_YIELDS || stays_awake(idle, event))
        yield_core(idle);
    else
        prepare(idle, event);
}
