/* SPDX-License-Identifier: MIT */
/*
 * Runs rounds: in launches that stay for many of them, or phase by phase. See rounds.h.
 *
 * Path:    gravel_rounds_run -> this -> node/launch.c; nodes.c; waits.c for what is the host's to apply.
 */
#include "rounds/parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/growing.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GROWTH 8u /* of a slice's rounds, from one launch to the next */

/* ---- launches that stay ------------------------------------------------------------------------ */

/* Shows the kernel which allocations there are, if they have changed. Of too many it knows the heap's end alone. */
static int show_allocations(struct gravel_rounds *rounds)
{
    const struct gravel *gravel = rounds->object.gravel;
    const uint64_t at = rounds->object.memory + offsetof(struct gravelp_rounds, n_spans);
    gravel_heap_lock_shared(gravel->heap);
    const uint64_t n_changes = gravel_heap_changes(gravel->heap);
    gravel_heap_unlock_shared(gravel->heap);
    if (n_changes == rounds->n_changes)
        return 0;
    struct gravel_span *spans = malloc(GRAVELP_BOUNDS_MOST * sizeof *spans);
    struct gravelp_rounds *words = calloc(1, sizeof *words);
    int code = spans && words ? 0 : gravel_fail_memory(GRAVEL_ROUNDS_RUN, sizeof *words);
    if (!code) {
        const size_t n = gravel_heap_copy_spans(gravel->heap, spans, GRAVELP_BOUNDS_MOST);
        words->n_spans = n <= GRAVELP_BOUNDS_MOST ? (uint32_t)n : 1;
        words->spans[0] = (struct gravelp_bounds_span){0, gravel->arena->heap_bytes};
        for (size_t i = 0; n <= GRAVELP_BOUNDS_MOST && i < n; i++)
            words->spans[i] = (struct gravelp_bounds_span){spans[i].offset, spans[i].bytes};
        code = gravel_memory_write(&gravel->memory, 0, at, &words->n_spans,
                                   offsetof(struct gravelp_rounds, spans) - GRAVEL_ROUNDS_TAKEN +
                                       words->n_spans * sizeof *words->spans);
    }
    rounds->n_changes = code ? 0 : n_changes;
    free(spans);
    free(words);
    return code;
}

/* So many rounds that the next launch takes about a slice, by how long those of the last one took. */
static void fit_slice(struct gravel_rounds *rounds, uint32_t n, uint64_t took_ns)
{
    const double fitting = (double)n * (double)rounds->scheduling.slice_ns / (double)(took_ns + 1),
                 most = (double)rounds->slice_rounds * MOST_GROWTH,
                 next = fitting < most ? fitting : most;
    rounds->slice_rounds = next < 1 ? 1 : next < 0x7fffffff ? (uint32_t)next : 0x7fffffff;
}

/* Ends a launch that has failed: its words are cleared, unless it may still run, which fails the node. @return code */
static int clear(const struct gravel_rounds *rounds, int code)
{
    struct gravel *gravel = rounds->object.gravel;
    const struct gravel_kept error = gravel_keep(code);
    const int cleared =
        code == GRAVEL_EKERNEL || gravel_node_has_failed(gravel)
            ? code
            : gravel_memory_zero(&gravel->memory, 0, rounds->object.memory, GRAVEL_ROUNDS_TAKEN);
    gravel_rounds_fail_node(gravel, cleared);
    return gravel_leave(gravel, gravel_fail_again(&error));
}

/* Traces the rounds of a launch, which the host does not see one by one. */
static void trace_launch(const struct gravel_rounds *rounds, uint64_t first, uint64_t n,
                         uint64_t begin_ns)
{
    struct gravel_trace *trace = rounds->object.gravel->trace;
    char name[64];
    if (!trace)
        return;
    snprintf(name, sizeof name, "%" PRIu64 " rounds from %" PRIu64, n, first);
    gravel_trace_span(trace, name, begin_ns, gravel_clock_ns());
}

/* Launches once, and takes what it came to. @param waits  each round's messages wait for the host */
static int launch_once(struct gravel_rounds *rounds, struct gravel_rounds_goal *run, bool waits)
{
    struct gravel *gravel = rounds->object.gravel;
    struct gravelp_rounds words;
    struct gravelp_rounds_begin begin = gravel_rounds_begin_at(rounds, run, GRAVELP_PHASE_ALL);
    const uint64_t left = run->most - run->done, begin_ns = gravel_clock_ns();
    begin.most = waits ? 1 : left < rounds->slice_rounds ? (uint32_t)left : rounds->slice_rounds;
    struct gravel_rounds_watch watch = {
        .rounds = rounds, .number = begin.number, .may_be_later = begin.most > 1};
    cl_event end = NULL;
    int code = gravel_rounds_set_begin(rounds, &begin);
    if (!code)
        code = gravel_node_run(gravel, rounds->object.kernels[0], rounds->n_groups,
                               rounds->group_items, gravel_rounds_limit(&watch), &end);
    gravel_cl_event_release(end);
    if (!code)
        code = gravel_leave(gravel, 0);
    if (!code)
        code = gravel_memory_take(&gravel->memory, 0, rounds->object.memory, (uint32_t *)&words,
                                  GRAVEL_ROUNDS_TAKEN / sizeof(uint32_t));
    if (code)
        return clear(rounds, code);
    rounds->stats.launches++;
    rounds->stats.stayed += words.n_rounds;
    rounds->stats.groups = words.members.n;
    gravel_rounds_count(rounds, run, words.n_rounds,
                        words.last.count[0] | (uint64_t)words.last.count[1] << 32);
    fit_slice(rounds, words.n_rounds, gravel_clock_ns() - begin_ns);
    trace_launch(rounds, begin.number, words.n_rounds, begin_ns);
    if (waits || words.last.is_sent || words.n_rounds == 0)
        GRAVEL_TRY(gravel_quiet(gravel));
    if (words.n_refused)
        return gravel_rounds_fail_refused(rounds, &words);
    return words.n_rounds ? 0 : gravel_rounds_fail_empty();
}

static int run_on_device(struct gravel_rounds *rounds, struct gravel_rounds_goal *run)
{
    const bool waits = gravel_rounds_flushes(rounds->object.gravel);
    int code = show_allocations(rounds);
    if (gravel_n_nodes(rounds->object.gravel) > 1)
        return gravel_rounds_run_with_nodes(rounds, run, code);
    while (!code && !gravel_rounds_has_ended(rounds, run))
        code = launch_once(rounds, run, waits);
    return code;
}

/* ---- a launch is a phase ------------------------------------------------------------------------- */

static int launch_phase(const struct gravel_rounds *rounds, const struct gravel_rounds_goal *run,
                        uint32_t phase)
{
    const size_t group = rounds->group_items,
                 size = phase == GRAVELP_PHASE_NONE ? group : rounds->n_groups * group;
    const struct gravelp_rounds_begin begin = gravel_rounds_begin_at(rounds, run, phase);
    GRAVEL_TRY(gravel_rounds_set_begin(rounds, &begin));
    return gravel_launch(rounds->object.gravel, rounds->object.kernels[0], 1, &size, &group, 0,
                         NULL, NULL);
}

/* Counts the phases of the kernel, which none of them runs. */
static int count_phases(struct gravel_rounds *rounds, const struct gravel_rounds_goal *run)
{
    struct gravel *gravel = rounds->object.gravel;
    struct gravelp_rounds words;
    if (rounds->n_phases)
        return 0;
    GRAVEL_TRY(launch_phase(rounds, run, GRAVELP_PHASE_NONE));
    GRAVEL_TRY(gravel_quiet(gravel));
    GRAVEL_TRY(gravel_memory_take(&gravel->memory, gravel_node_heap(gravel, gravel_node(gravel)),
                                  rounds->object.memory, (uint32_t *)&words,
                                  GRAVEL_ROUNDS_TAKEN / sizeof(uint32_t)));
    rounds->n_phases = words.n_phases;
    return words.n_phases ? 0 : gravel_rounds_fail_empty();
}

/* Fails the node if a phase has not ended: other nodes need not wait for it, and what it still does is unknown. @return
 * code */
static int give_up(struct gravel *gravel, int code)
{
    return code == GRAVEL_EKERNEL && gravel_launches_are_running(&gravel->launches, true)
               ? gravel_rounds_fail_node(gravel, code)
               : code;
}

/* Reports to all nodes, in the next round, that one has failed here. @return code; what fails the node */
static int announce(const struct gravel_rounds *rounds, int code)
{
    struct gravel *gravel = rounds->object.gravel;
    const struct gravel_kept error = gravel_keep(code);
    const uint32_t one = 1;
    const int written = gravel_memory_write(
        &gravel->memory, gravel_node_heap(gravel, gravel_node(gravel)),
        rounds->object.memory + offsetof(struct gravelp_rounds, sets[0].is_sent), &one, sizeof one);
    if (written)
        gravel_report(gravel, written, true, gravel_last_error());
    return written ? written : gravel_fail_again(&error);
}

static int run_by_phases(struct gravel_rounds *rounds, struct gravel_rounds_goal *run)
{
    const uint64_t count_at =
        rounds->object.memory + offsetof(struct gravelp_rounds, sets[0].count);
    struct gravel *gravel = rounds->object.gravel;
    uint64_t sums[3] = {0}; /* the last one: nodes at which the round before has failed */
    struct gravel_kept error = {.code = 0};
    while (!gravel_rounds_has_ended(rounds, run) && sums[2] == 0) {
        const uint64_t begin_ns = gravel_clock_ns();
        int code = 0;
        for (uint32_t phase = 0; phase < rounds->n_phases && !code; phase++)
            code = give_up(gravel, launch_phase(rounds, run, phase));
        const int waited = give_up(gravel, gravel_barrier_sum(gravel, count_at, 3, NULL, sums));
        code = gravel_first_failure(code, waited);
        GRAVEL_TRY(gravel_leave(gravel, 0));
        gravel_trace_span(gravel->trace, "round", begin_ns, gravel_clock_ns());
        gravel_rounds_count(rounds, run, 1, sums[0] + (sums[1] << 32));
        rounds->stats.launches += rounds->n_phases;
        if (code && !error.code && !gravel_rounds_has_ended(rounds, run) && sums[2] == 0)
            code = announce(rounds, code);
        if (code && !error.code)
            error = gravel_keep(code);
    }
    uint64_t has_failed = error.code || sums[2]; /* of the last round others learn it here */
    GRAVEL_TRY(gravel_reduce(gravel, GRAVEL_MAX, GRAVEL_ULONG, &has_failed, 1));
    if (error.code)
        return gravel_fail_again(&error);
    return has_failed ? gravel_fail(GRAVEL_EMISMATCH, "%s: the run has failed at another node",
                                    GRAVEL_ROUNDS_RUN)
                      : 0;
}

/* ---- the call -------------------------------------------------------------------------------------- */

static int check(struct gravel_rounds *rounds, const struct gravel_rounds_goal *run)
{
    if (run->until > GRAVEL_UNTIL_ZERO || run->most == 0)
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: until = %" PRIu64 ", most = %" PRIu64
                           " (GRAVEL_UNTIL_MOST or _ZERO; 1 or more)",
                           GRAVEL_ROUNDS_RUN, run->until, run->most);
    return gravel_rounds_stay(rounds) ? 0 : count_phases(rounds, run);
}

int gravel_rounds_run(struct gravel_rounds *rounds, uint32_t until, uint64_t most,
                      struct gravel_rounds_ended *ended, size_t bytes)
{
    GRAVEL_TRY(gravel_object_refuse(rounds, "rounds", GRAVEL_ROUNDS_RUN));
    struct gravel_rounds_goal run = {until & ~GRAVEL_CONTINUES, most, 0,
                                     until & GRAVEL_CONTINUES ? rounds->number : 0};
    struct gravel *gravel = rounds->object.gravel;
    struct gravel_rounds_ended own = {0};
    const uint64_t begin_ns = gravel_clock_ns();
    int code = ended ? gravel_growing_give(GRAVEL_ROUNDS_RUN, ended, bytes, &own, sizeof own) : 0;
    if (!code)
        code = check(rounds, &run);
    const struct gravel_collective_call call = {
        .kind = GRAVEL_CALL_ROUNDS_RUN,
        .arguments = {most, until | (uint64_t)rounds->n_phases << 32}};
    GRAVEL_TRY(gravel_node_agree_on(gravel, &call, false, code));
    code = gravel_rounds_stay(rounds) ? run_on_device(rounds, &run) : run_by_phases(rounds, &run);
    rounds->stats.run_ns += gravel_clock_ns() - begin_ns;
    gravel_trace_span(gravel->trace, "rounds", begin_ns, gravel_clock_ns());
    rounds->number = run.first + run.done;
    own = (struct gravel_rounds_ended){run.done, rounds->sum};
    if (ended)
        gravel_growing_give(GRAVEL_ROUNDS_RUN, ended, bytes, &own, sizeof own);
    return code;
}
