/* SPDX-License-Identifier: MIT */
/* How far a run of rounds is, how its launches begin, and how long they may take. See parts.h. */
#include "rounds/parts.h"

#include "base/error.h"
#include "opencl/objects.h"

#include <inttypes.h>
#include <stddef.h>

bool gravel_rounds_has_ended(const struct gravel_rounds *rounds,
                             const struct gravel_rounds_goal *run)
{
    return run->done == run->most ||
           (run->until == GRAVEL_UNTIL_ZERO && run->done && rounds->sum == 0);
}

void gravel_rounds_count(struct gravel_rounds *rounds, struct gravel_rounds_goal *run, uint64_t n,
                         uint64_t sum)
{
    run->done += n;
    rounds->sum = sum;
    rounds->stats.rounds += n;
}

int gravel_rounds_set_begin(const struct gravel_rounds *rounds,
                            const struct gravelp_rounds_begin *begin)
{
    return gravel_check_cl(GRAVEL_ROUNDS_RUN,
                           clSetKernelArg(rounds->object.kernels[0], 1, sizeof *begin, begin));
}

struct gravelp_rounds_begin gravel_rounds_begin_at(const struct gravel_rounds *rounds,
                                                   const struct gravel_rounds_goal *run,
                                                   uint32_t phase)
{
    return (struct gravelp_rounds_begin){
        .words_at = rounds->object.memory,
        .number = run->first + run->done,
        .sum = rounds->sum,
        .phase = phase,
        .until_zero = run->until == GRAVEL_UNTIL_ZERO,
        .n_groups = rounds->n_groups,
        .wait_ms = rounds->scheduling.wait_ms,
    };
}

/* Checks a wait as any for a kernel, but groups that have met since the last time are as good as a kernel that ends. */
static int check(void *context, struct gravel_wait *wait)
{
    struct gravel_rounds_watch *watch = context;
    struct gravel *gravel = watch->rounds->object.gravel;
    const struct gravel_limit limit = gravel_node_kernel_limit(gravel);
    const uint32_t limit_ms = gravel->config.kernel_limit_ms;
    struct gravelp_rounds_set sets[GRAVELP_ROUNDS_SETS];
    char name[GRAVEL_KERNEL_NAME_BYTES];
    /* Words that cannot be read are as those that do not change: the wait continues for as long as the kernel may. */
    const bool has_read =
        limit_ms && !gravel_node_has_failed(gravel) &&
        !gravel_memory_read(&gravel->memory, 0,
                            watch->rounds->object.memory + offsetof(struct gravelp_rounds, sets),
                            sets, sizeof sets);
    for (uint32_t i = 0; has_read && i < GRAVELP_ROUNDS_SETS; i++) {
        if (sets[i].met != watch->met[i])
            gravel_wait_renew(wait);
        watch->met[i] = sets[i].met;
    }
    const int code = limit.check(limit.context, wait);
    if (code == 0 || gravel_node_has_failed(gravel))
        return code;
    gravel_cl_kernel_name(watch->rounds->object.kernels[0], name);
    return gravel_fail(code,
                       "%s: kernel %s, round %" PRIu64
                       "%s: no group has ended a phase for %.1f s (GRAVEL_KERNEL_LIMIT)",
                       GRAVEL_ROUNDS_RUN, name, watch->number,
                       watch->may_be_later ? " or a later one" : "", limit_ms * 1e-3);
}

struct gravel_limit gravel_rounds_limit(struct gravel_rounds_watch *watch)
{
    const struct gravel_limit limit = gravel_node_kernel_limit(watch->rounds->object.gravel);
    return (struct gravel_limit){.check = check, .context = watch, .yields_ns = limit.yields_ns};
}

int gravel_rounds_fail_node(struct gravel *gravel, int code)
{
    if (code && !gravel_node_has_failed(gravel))
        gravel_report(gravel, code, true, gravel_last_error());
    return code;
}

int gravel_rounds_fail_refused(const struct gravel_rounds *rounds,
                               const struct gravelp_rounds *words)
{
    const uint32_t n_nodes = gravel_n_nodes(rounds->object.gravel);
    if (words->refused_node >= n_nodes)
        return gravel_fail(
            GRAVEL_ERANGE, "%s: line %u: a message to node %" PRIu64 " of %u (%u messages refused)",
            GRAVEL_ROUNDS_RUN, words->refused_line, words->refused_node, n_nodes, words->n_refused);
    return gravel_fail(
        GRAVEL_ERANGE,
        "%s: line %u: index %" PRIu64 " at base %" PRIu64 " of node %" PRIu64
        " is in no allocation, or the base is no multiple of the word's size (%u messages refused)",
        GRAVEL_ROUNDS_RUN, words->refused_line, words->refused_index, words->refused_base,
        words->refused_node, words->n_refused);
}

int gravel_rounds_fail_empty(void)
{
    return gravel_fail(GRAVEL_EINVAL, "%s: the kernel has no GRAVEL_PHASE", GRAVEL_ROUNDS_RUN);
}

bool gravel_rounds_flushes(struct gravel *gravel)
{
    bool has = false;
    if (gravel_objects_enter(gravel))
        return true; /* the next wait says why */
    for (struct gravel_object *object = gravel->objects; object; object = object->next)
        has = has || object->kind->flush;
    gravel_objects_leave(gravel);
    return has;
}
