/* SPDX-License-Identifier: MIT */
/*
 * How long threads of a node wait for its device. See opencl/wait.h.
 *
 * A copy, or a kernel of Gravel's own, should end at once. On step drain a kernel of the caller's may
 * be before it, and that takes as long as the caller likes, or as GRAVEL_KERNEL_LIMIT says. While a node
 * opens, the limit is ten times GRAVEL_TIMEOUT. While the network thread waits, other nodes must not take
 * this node for dead.
 *
 * Path:    opencl/wait.c -> here -> opencl/launches.c, liveness.c.
 * Threads: any.
 */
#include "base/clock.h"
#include "node/node.h"

#define OPENING_FACTOR 10 /* of GRAVEL_TIMEOUT */

static bool has_given_up(const struct gravel *gravel)
{
    return atomic_load_explicit(&gravel->is_stuck, memory_order_relaxed); /* H3 */
}

static double seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

/* A kernel that keeps the device to itself: on step pump one leaves room. */
static bool is_kept(struct gravel *gravel)
{
    return gravel->device.step == GRAVEL_STEP_DRAIN &&
           (atomic_load_explicit(&gravel->is_draining, memory_order_relaxed) || /* H4 */
            gravel_launches_are_running(&gravel->launches));
}

/* Launches of gravel_launch leave room for copies on step pump. */
static const char *excuse(const struct gravel *gravel)
{
    bool is_open = atomic_load_explicit(&gravel->is_open, memory_order_relaxed); /* H5 */
    return is_open && gravel->device.step == GRAVEL_STEP_PUMP
               ? " (does a kernel fill it that gravel_launch did not launch?)"
               : "";
}

/* What was to be done is not, and nobody can say what the device still writes: the node ends. */
static int give_up(struct gravel *gravel, int code)
{
    atomic_store_explicit(&gravel->is_stuck, true, memory_order_relaxed); /* H3 */
    gravel_report(gravel, code, true, gravel_last_error());
    return code;
}

/* While a node opens, drivers compile and allocate what is used first, on a busy machine for many seconds. */
static uint64_t patience_ns(const struct gravel *gravel)
{
    uint64_t timeout_ns = gravel->config.timeout_ms * UINT64_C(1000000);
    bool is_open = atomic_load_explicit(&gravel->is_open, memory_order_relaxed); /* H5 */
    return is_open ? timeout_ns : OPENING_FACTOR * timeout_ns;
}

int gravel_node_go_on(void *context, const char *what, struct gravel_patience_times *times)
{
    struct gravel *gravel = context;
    uint64_t now_ns = gravel_clock_ns();
    uint64_t timeout_ns = gravel->config.timeout_ms * UINT64_C(1000000);
    uint64_t limit_ns = gravel->config.kernel_limit_ms * UINT64_C(1000000);
    times->lived.step_ns = timeout_ns / GRAVEL_LIVED_STEPS;
    uint64_t waited_ns = gravel_lived_tick(&times->lived, now_ns);
    gravel_network_keep_alive(&gravel->network, now_ns);
    if (has_given_up(gravel))
        return gravel_fail(GRAVEL_ETIMEOUT, "%s: the device has not answered before", what);
    if (is_kept(gravel) && !atomic_load_explicit(&gravel->aborted, memory_order_relaxed)) { /* H2 */
        times->alone_ns = waited_ns;
        if (limit_ns && waited_ns >= limit_ns)
            return give_up(gravel,
                           gravel_fail(GRAVEL_EKERNEL,
                                       "%s: a kernel that has not ended keeps the device for "
                                       "%.1f s (GRAVEL_KERNEL_LIMIT)",
                                       what, seconds(waited_ns)));
    }
    if (times->limit_ns == 0)
        times->limit_ns = patience_ns(gravel);
    if (waited_ns - times->alone_ns < times->limit_ns)
        return 0;
    return give_up(gravel, gravel_fail(GRAVEL_ETIMEOUT, "%s: no answer of the device for %.1f s%s",
                                       what, seconds(waited_ns - times->alone_ns), excuse(gravel)));
}

bool gravel_node_is_stuck(const struct gravel *gravel)
{
    return has_given_up(gravel);
}
