/* SPDX-License-Identifier: MIT */
/*
 * Waits for a launch that runs tasks, finds out how it ended, and says what groups have counted.
 *
 * Groups without a task wait for those with one. Only the host knows when that is useless: once the node has
 * failed, or GRAVEL_KERNEL_LIMIT has passed, it tells them to end (H7), where the step lets it reach a running kernel.
 *
 * Path:    fill.c, launch.c, gravel_steal_stats_read -> this -> node/launches.c.
 * Threads: the caller's.
 */
#include "base/error.h"
#include "base/growing.h"
#include "base/counter.h"
#include "opencl/objects.h"
#include "steal/steal.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- while it runs ------------------------------------------------------------------------------ */

struct steal_wait {
    struct gravel_steal *steal;
    struct gravel_limit limit; /* of any kernel */
};

/* Whether the host can reach the memory while a kernel runs. */
static bool is_reached(const struct gravel_steal *steal)
{
    return steal->region.shared || gravel_step_is_pumped(steal->gravel->device.step);
}

static void tell_to_end(struct gravel_steal *steal)
{
    const gravelp_u32 yes = 1;
    if (steal->is_told || !is_reached(steal))
        return;
    struct gravelp_steal *shared = steal->region.shared;
    steal->is_told = true;
    if (shared)
        gravel_word_store(&shared->abort, yes, memory_order_relaxed); /* H7 */
    else
        gravel_region_write(&steal->region, offsetof(struct gravelp_steal, abort), &yes,
                            sizeof yes); /* H7 */
}

/* Name the groups that run tasks, behind what the wait says. */
static int name_busy(struct gravel_steal *steal, int code)
{
    const struct gravel_kept met = gravel_keep(code);
    uint32_t first = 0, n = 0;
    if (!is_reached(steal) || gravel_steal_is_list(steal) || gravel_steal_read_deques(steal))
        return gravel_fail_again(&met);
    for (uint32_t i = 0; i < steal->options.n_groups; i++) {
        const struct gravelp_deque *deque = &steal->deques[i]; /* H8: racing, for people */
        if (deque->n_begun == deque->n_ended || deque->is_waiting)
            continue;
        first = n++ ? first : i;
    }
    return gravel_fail(code, "%s; %u of %u groups run tasks, the first is group %u", met.text, n,
                       steal->options.n_groups, first);
}

static int check_wait(void *context, struct gravel_wait *wait)
{
    struct steal_wait *own = context;
    int code = own->limit.check(own->limit.context, wait);
    if (code)
        code = name_busy(own->steal, code);
    if (code || gravel_node_has_failed(own->steal->gravel))
        tell_to_end(own->steal);
    return code;
}

/* ---- when it has ended -------------------------------------------------------------------------- */

/* Fails with the name of the kernel and a group. */
__attribute__((format(printf, 3, 4))) static int fail_group(const struct gravel_steal *steal,
                                                            uint32_t group, const char *format, ...)
{
    char name[128] = "(long name)", text[GRAVEL_ERROR_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clGetKernelInfo(steal->kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    return gravel_fail(GRAVEL_EKERNEL, "kernel %s, group %u: %s", name, group, text);
}

static int fail_of(const struct gravel_steal *steal, const struct gravelp_steal *head)
{
    const uint32_t group = head->fault_group, value = head->fault_values[0];
    if (head->fault == GRAVELP_STEAL_FAULT_FULL)
        return fail_group(steal, group,
                          "a push beyond the capacity of its deque, %u tasks: %u tasks are lost",
                          steal->options.capacity, value);
    if (head->fault == GRAVELP_STEAL_FAULT_LEFT)
        return fail_group(steal, group,
                          "it has left GRAVEL_STEAL_EACH within a task, with %u more tasks in its "
                          "deque",
                          value);
    return fail_group(steal, group,
                      "built for tasks of %u bytes and policy number %u; the deques are for %u "
                      "bytes, policy %s, %u groups",
                      value, head->fault_values[1], steal->head.task_bytes,
                      steal->gravel->config.steal_policy, steal->head.n_groups);
}

/* Empties deques that kernels have overwritten: with more tasks than there is room for. */
static int check_deques(struct gravel_steal *steal)
{
    int code = 0;
    for (uint32_t i = 0; i < steal->options.n_groups && !gravel_steal_is_list(steal); i++) {
        struct gravelp_deque *deque = &steal->deques[i];
        if (deque->tail - deque->head <= steal->options.capacity &&
            deque->offer <= GRAVELP_OFFER_TAKEN && deque->n_offered <= GRAVELP_STEAL_BLOCK)
            continue;
        if (!code)
            code = fail_group(steal, i,
                              "its deque is overwritten: from task %u to %u, an offer of %u, a "
                              "capacity of %u: its tasks are lost",
                              deque->head, deque->tail, deque->n_offered, steal->options.capacity);
        deque->head = deque->tail = 0;
        deque->offer = GRAVELP_OFFER_EMPTY;
        deque->n_offered = 0;
    }
    return code;
}

static int check_ends(const struct gravel_steal *steal)
{
    uint32_t n = 0, first = 0;
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        if (steal->deques[i].n_begun != steal->deques[i].n_ended)
            first = n++ ? first : i;
    if (n == 0)
        return 0;
    return fail_group(steal, first,
                      "it has returned within GRAVEL_STEAL_EACH, as %u groups in all; what was in "
                      "their deques then is not known",
                      n);
}

/* Finds out from the memory how a launch ended. */
static int judge(struct gravel_steal *steal, const struct gravelp_steal *head)
{
    int code = head->fault != GRAVELP_STEAL_FAULT_NONE ? fail_of(steal, head) : check_ends(steal);
    int overwritten = check_deques(steal);
    code = code ? code : overwritten;
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        steal->deques[i].n_ended = steal->deques[i].n_begun;
    if (gravel_steal_is_list(steal)) {
        const bool is_left = head->next < steal->head.n_tasks; /* else the list begins anew */
        steal->head.next = is_left ? head->next : 0;
        steal->head.n_tasks = is_left ? steal->head.n_tasks : 0;
    }
    int written = code ? gravel_steal_write_deques(steal) : 0; /* that is reported once */
    return written ? written : code;
}

void gravel_steal_forget_launch(struct gravel_steal *steal)
{
    gravel_cl_event_release(steal->end);
    gravel_cl_kernel_release(steal->kernel);
    steal->end = NULL;
    steal->kernel = NULL;
}

int gravel_steal_join(struct gravel_steal *steal)
{
    struct steal_wait wait = {.steal = steal};
    struct gravelp_steal head;
    if (!steal->kernel)
        return 0;
    if (steal->is_stuck && !gravel_cl_event_has_ended(steal->end))
        return gravel_fail(GRAVEL_EKERNEL, "an earlier launch of these deques has not ended");
    wait.limit = gravel_node_kernel_limit(steal->gravel);
    int code = gravel_launches_wait_for(
        steal->kernel, steal->end, (struct gravel_limit){.check = check_wait, .context = &wait});
    steal->is_stuck = code == GRAVEL_EKERNEL;
    /* if one of these fails, the next call waits and reads again */
    GRAVEL_TRY(code);
    GRAVEL_TRY(gravel_region_read(&steal->region, 0, &head, sizeof head));
    GRAVEL_TRY(gravel_steal_read_deques(steal));
    code = judge(steal, &head);
    gravel_steal_forget_launch(steal);
    return code;
}

int gravel_steal_wait(struct gravel_steal *steal)
{
    GRAVEL_TRY(gravel_steal_enter(steal, "gravel_steal_wait"));
    return gravel_steal_join(steal);
}

/* ---- counts -------------------------------------------------------------------------------------- */

/* Adds what a group has counted, and the tasks that its deque has or offers. */
static void add(const struct gravel_steal *steal, uint32_t group, struct gravel_steal_stats *stats)
{
    const struct gravelp_deque *deque = &steal->deques[group];
    const struct gravelp_steal_counts *counts = &deque->counts;
    stats->done += counts->done;
    stats->stolen += counts->stolen;
    stats->failed += counts->failed;
    stats->offers += counts->offers;
    stats->looks += counts->looks;
    stats->most = counts->done > stats->most ? counts->done : stats->most;
    if (gravel_steal_is_list(steal))
        return;
    stats->left += deque->tail - deque->head;
    stats->left += deque->offer == GRAVELP_OFFER_MADE ? deque->n_offered : 0;
}

struct gravel_steal_stats gravel_steal_totals(const struct gravel_steal *steal)
{
    struct gravel_steal_stats stats = {.left = steal->head.n_tasks - steal->head.next};
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        add(steal, i, &stats);
    return stats;
}

int gravel_steal_stats_read(struct gravel_steal *steal, struct gravel_steal_stats *stats,
                            size_t bytes, uint32_t group)
{
    static const char call[] = "gravel_steal_stats_read";
    struct gravel_steal_stats own = {0};
    GRAVEL_TRY(gravel_steal_enter(steal, call));
    GRAVEL_TRY(gravel_require(call, "stats", stats));
    if (group != GRAVEL_ALL_GROUPS && group >= steal->options.n_groups)
        return gravel_fail(GRAVEL_EINVAL, "%s: group %u of %u", call, group,
                           steal->options.n_groups);
    GRAVEL_TRY(gravel_growing_give(call, stats, bytes, &own, sizeof own));
    int code = gravel_steal_join(steal);
    if (group == GRAVEL_ALL_GROUPS)
        own = gravel_steal_totals(steal);
    else
        add(steal, group, &own);
    gravel_growing_give(call, stats, bytes, &own, sizeof own);
    return code;
}

int gravel_steal_stats_reset(struct gravel_steal *steal)
{
    GRAVEL_TRY(gravel_steal_enter(steal, "gravel_steal_stats_reset"));
    int code = gravel_steal_join(steal);
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        steal->deques[i].counts = (struct gravelp_steal_counts){0};
    int written = steal->kernel ? 0 : gravel_steal_write_deques(steal);
    return code ? code : written;
}
