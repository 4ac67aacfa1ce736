/* SPDX-License-Identifier: MIT */
/*
 * The pause between two looks of a loop. See idle.h.
 */
#include "base/idle.h"

#include "base/counter.h"

/* A pause between two looks at a word that another core writes. */
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
    idle->wait.look_ns = limit_ns < GRAVEL_IDLE_MAX_NS ? limit_ns + !limit_ns : GRAVEL_IDLE_MAX_NS;
    gravel_wait_pause(&idle->wait); /* it has no limit */
    count(idle);
}
