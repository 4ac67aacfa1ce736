/* SPDX-License-Identifier: MIT */
/* How far a run of rounds is, and how its launches begin. See parts.h. */
#include "rounds/parts.h"

#include "base/error.h"

#include <inttypes.h>

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
        return gravel_fail(GRAVEL_ERANGE,
                           "%s: line %u: a message to node %" PRIu64 " of %u (%u messages refused)",
                           GRAVEL_ROUNDS_RUN, words->refused_line, words->refused_node, n_nodes,
                           words->last.refused);
    return gravel_fail(
        GRAVEL_ERANGE,
        "%s: line %u: index %" PRIu64 " at base %" PRIu64 " of node %" PRIu64
        " is in no allocation, or the base is no multiple of the word's size (%u messages refused)",
        GRAVEL_ROUNDS_RUN, words->refused_line, words->refused_index, words->refused_base,
        words->refused_node, words->last.refused);
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
