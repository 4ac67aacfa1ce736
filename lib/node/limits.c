/* SPDX-License-Identifier: MIT */
/*
 * How long threads of a node wait for its device, for the caller's kernels, and for what the network thread applies.
 * See opencl/wait.h.
 *
 * A copy, or a kernel of Gravel, should end at once. On step drain a kernel of the caller may be before it, and
 * take as long as the caller likes, or as GRAVEL_KERNEL_LIMIT says; once the node has failed
 * kernels see that and should end too. A kernel of which the driver says nothing excuses no wait: the device may be
 * lost. While a node opens, the limit is ten times GRAVEL_TIMEOUT. While the network
 * thread waits, other nodes must not take this node for dead.
 *
 * Path:    opencl/wait.c, node/launches.c, accumulate/flush.c -> here -> liveness.c, pump/drain.c.
 * Threads: any.
 */
#include "base/clock.h"
#include "node/node.h"

bool gravel_node_is_kept(void *context)
{
    struct gravel *gravel = context;
    return !gravel_step_may_wait(gravel->device.step) &&
           (atomic_load_explicit(&gravel->is_draining, memory_order_relaxed) || /* H4 */
            gravel_launches_are_running(&gravel->launches, false));
}

int gravel_node_give_up(struct gravel *gravel, int code)
{
    gravel_node_see(gravel, GRAVEL_DEVICE_IS_STUCK);
    gravel_report(gravel, code, true, gravel_last_error());
    return code;
}

void gravel_node_keep_memory(void *context)
{
    if (!gravel_node_is_stuck(context))
        gravel_node_give_up(context, GRAVEL_ECL);
}

/* Returns whether a wait for the device was given up, and why is known: the thread that gives it up says so next. */
static bool has_given_up(const struct gravel *gravel)
{
    return gravel_node_is_stuck(gravel) && gravel_node_has_failed(gravel);
}

/* Returns how long a wait has lasted [ns]. */
static uint64_t tick(const struct gravel *gravel, struct gravel_wait *wait)
{
    wait->waited.lived.step_ns =
        gravel_limit_ns(GRAVEL_LIMIT_DEVICE, gravel->config.timeout_ms) / GRAVEL_LIVED_STEPS;
    return gravel_lived_tick(&wait->waited.lived, gravel_clock_ns());
}

static bool is_over_kernel_limit(const struct gravel *gravel, uint64_t waited_ns)
{
    uint64_t limit_ns = gravel->config.kernel_limit_ms * GRAVEL_NS_PER_MS;
    return limit_ns && waited_ns >= limit_ns;
}

int gravel_node_check_wait(void *context, struct gravel_wait *wait)
{
    struct gravel *gravel = context;
    struct gravel_waited *waited = &wait->waited;
    const uint64_t waited_ns = tick(gravel, wait);
    gravel_network_keep_alive(&gravel->network, gravel_clock_ns());
    if (has_given_up(gravel))
        return gravel_fail(GRAVEL_ETIMEOUT, "%s: the device had stopped answering", wait->what);
    if (gravel_node_is_kept(gravel) && !gravel_node_has_failed(gravel)) {
        waited->alone_ns = waited_ns;
        if (is_over_kernel_limit(gravel, waited_ns))
            return gravel_node_give_up(
                gravel, gravel_fail(GRAVEL_EKERNEL,
                                    "%s: a kernel that has not ended keeps the device for "
                                    "%.1f s (GRAVEL_KERNEL_LIMIT)",
                                    wait->what, gravel_seconds(waited_ns)));
    }
    /* while a node opens, drivers compile and allocate what is used first, on a busy machine for many seconds */
    const bool is_open = gravel_node_has_seen(gravel, GRAVEL_DEVICE_ANSWERS);
    if (waited->limit_ns == 0)
        waited->limit_ns = gravel_limit_ns(is_open ? GRAVEL_LIMIT_DEVICE : GRAVEL_LIMIT_OPENING,
                                           gravel->config.timeout_ms);
    if (waited_ns - waited->alone_ns < waited->limit_ns)
        return 0;
    /* launches of gravel_launch leave room for copies on step pump */
    return gravel_node_give_up(
        gravel, gravel_fail(GRAVEL_ETIMEOUT, "%s: the device did not answer for %.1f s%s",
                            wait->what, gravel_seconds(waited_ns - waited->alone_ns),
                            is_open && gravel_step_is_pumped(gravel->device.step)
                                ? " (does a kernel fill it that gravel_launch did not launch?)"
                                : ""));
}

static int check_applying(void *context, struct gravel_wait *wait)
{
    struct gravel_applying *applying = context;
    struct gravel *gravel = applying->gravel;
    const uint64_t waited_ns = tick(gravel, wait),
                   progress = /* frames resolved, and steps into the caller's functions and out */
                   gravel_counter_load(&gravel->network.counts.resolved_buffers) +
                   gravel_counter_load(&gravel->handler_steps); /* H13 */
    GRAVEL_TRY(gravel_leave(gravel, 0));
    if (progress != applying->progress)
        wait->waited.alone_ns = waited_ns;
    applying->progress = progress;
    const uint32_t number =
        atomic_load_explicit(&gravel->in_handler, memory_order_relaxed); /* H13 */
    if (number == 0)
        return gravel_node_check_wait(gravel, wait);
    const uint64_t runs_ns = waited_ns - wait->waited.alone_ns;
    if (runs_ns < gravel_limit_ns(GRAVEL_LIMIT_APPLIED, gravel->config.timeout_ms))
        return 0;
    gravel_fail(GRAVEL_ETIMEOUT, "%s: handler %s: its function has not returned for %.1f s",
                wait->what, gravel->endpoints.handlers[number - 1].name, gravel_seconds(runs_ns));
    gravel_report(gravel, GRAVEL_ETIMEOUT, true, gravel_last_error());
    return GRAVEL_ETIMEOUT;
}

struct gravel_limit gravel_node_applying_limit(struct gravel_applying *applying)
{
    return (struct gravel_limit){.check = check_applying, .context = applying};
}

/* Checks for the cause first: what keeps a thread in the driver, or the wait for such a thread. */
static int check_stuck(void *context, struct gravel_wait *wait)
{
    struct gravel *gravel = context;
    if (!has_given_up(gravel))
        return 0;
    return gravel_leave(gravel, gravel_fail(GRAVEL_ETIMEOUT, "%s", wait->what));
}

int gravel_node_lock(struct gravel *gravel, pthread_mutex_t *lock, const char *what)
{
    struct gravel_wait wait = {.limit = {.check = check_stuck, .context = gravel}, .what = what};
    return gravel_wait_lock(&wait, lock);
}

static int check_kernel(void *context, struct gravel_wait *wait)
{
    struct gravel *gravel = context;
    uint64_t waited_ns = tick(gravel, wait);
    if (is_over_kernel_limit(gravel, waited_ns))
        return gravel_fail(GRAVEL_EKERNEL,
                           "kernel %s has not ended within %.1f s of waiting (GRAVEL_KERNEL_LIMIT)",
                           wait->what, gravel_seconds(waited_ns));
    if (!gravel_node_has_failed(gravel))
        return 0;
    const uint64_t limit_ns = gravel_limit_ns(GRAVEL_LIMIT_FAILED, gravel->config.timeout_ms);
    pthread_mutex_lock(&gravel->launches.lock);
    gravel->since_failure.step_ns = limit_ns / GRAVEL_LIVED_STEPS;
    const uint64_t since_ns = gravel_lived_tick(&gravel->since_failure, gravel_clock_ns());
    pthread_mutex_unlock(&gravel->launches.lock);
    if (since_ns < limit_ns)
        return 0;
    const struct gravel_kept cause = gravel_keep(gravel_leave(gravel, 0));
    return gravel_fail(GRAVEL_EKERNEL, "kernel %s has not ended %.1f s after the node failed: %s",
                       wait->what, gravel_seconds(since_ns), cause.text);
}

/* Rounds of applications have kernels of up to some milliseconds, and a sleep ends up to 0.1 ms late. */
#define KERNEL_AWAKE 10u /* times as long as other waits stay awake */

struct gravel_limit gravel_node_kernel_limit(struct gravel *gravel)
{
    return (struct gravel_limit){.check = check_kernel,
                                 .context = gravel,
                                 .yields_ns = KERNEL_AWAKE * gravel->awake_us * GRAVEL_NS_PER_US};
}
