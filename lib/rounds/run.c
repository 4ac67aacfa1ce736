/* SPDX-License-Identifier: MIT */
/*
 * Runs rounds: in launches that stay for many of them, or phase by phase. See rounds.h.
 *
 * Path:    gravel_rounds_run -> this -> node/launch.c; waits.c for what is the host's to apply.
 */
#include "rounds/rounds.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/growing.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#define MOST_GROWTH 8u /* of a slice's rounds, from one launch to the next */
#define TAKEN_BYTES offsetof(struct gravelp_rounds, n_spans)

static const char call_name[] = "gravel_rounds_run";

/* A run: when it ends, and how far it is. */
struct run {
    uint64_t until, most, done;
};

static bool has_ended(const struct gravel_rounds *rounds, const struct run *run)
{
    return run->done == run->most ||
           (run->until == GRAVEL_UNTIL_ZERO && run->done && rounds->sum == 0);
}

static void count_rounds(struct gravel_rounds *rounds, struct run *run, uint64_t n, uint64_t sum)
{
    run->done += n;
    rounds->sum = sum;
    rounds->stats.rounds += n;
}

static int set_begin(const struct gravel_rounds *rounds, const struct gravelp_rounds_begin *begin)
{
    return gravel_check_cl(call_name,
                           clSetKernelArg(rounds->object.kernels[0], 1, sizeof *begin, begin));
}

static struct gravelp_rounds_begin begin_at(const struct gravel_rounds *rounds,
                                            const struct run *run, uint32_t phase)
{
    return (struct gravelp_rounds_begin){
        .words_at = rounds->object.memory,
        .number = run->done,
        .sum = rounds->sum,
        .phase = phase,
        .until_zero = run->until == GRAVEL_UNTIL_ZERO,
        .n_groups = rounds->n_groups,
        .n_items = rounds->n_groups * rounds->group_items,
        .wait_ms = rounds->scheduling.wait_ms,
    };
}

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
    int code = spans && words ? 0 : gravel_fail_memory(call_name, sizeof *words);
    if (!code) {
        const size_t n = gravel_heap_copy_spans(gravel->heap, spans, GRAVELP_BOUNDS_MOST);
        words->n_spans = n <= GRAVELP_BOUNDS_MOST ? (uint32_t)n : 1;
        words->spans[0] = (struct gravelp_bounds_span){0, gravel->arena->heap_bytes};
        for (size_t i = 0; n <= GRAVELP_BOUNDS_MOST && i < n; i++)
            words->spans[i] = (struct gravelp_bounds_span){spans[i].offset, spans[i].bytes};
        code = gravel_memory_write(&gravel->memory, 0, at, &words->n_spans,
                                   offsetof(struct gravelp_rounds, spans) - TAKEN_BYTES +
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

static int fail_refused(const struct gravelp_rounds *words)
{
    if (words->refused_node)
        return gravel_fail(
            GRAVEL_ERANGE, "%s: line %u: a message to node %" PRIu64 " of 1 (%u messages refused)",
            call_name, words->refused_line, words->refused_node, words->last.refused);
    return gravel_fail(
        GRAVEL_ERANGE,
        "%s: line %u: index %" PRIu64 " at base %" PRIu64
        " is in no allocation, or the base is no multiple of the word's size (%u messages refused)",
        call_name, words->refused_line, words->refused_index, words->refused_base,
        words->last.refused);
}

/* Returns whether some object of the node has words that a wait sends. */
static bool has_flushes(struct gravel *gravel)
{
    bool has = false;
    if (gravel_objects_enter(gravel))
        return true; /* the next wait says why */
    for (struct gravel_object *object = gravel->objects; object; object = object->next)
        has = has || object->kind->flush;
    gravel_objects_leave(gravel);
    return has;
}

/* Launches once, and takes what it came to. @param waits  each round's messages wait for the host */
static int launch_once(struct gravel_rounds *rounds, struct run *run, bool waits)
{
    struct gravel *gravel = rounds->object.gravel;
    struct gravelp_rounds words;
    struct gravelp_rounds_begin begin = begin_at(rounds, run, GRAVELP_PHASE_ALL);
    const uint64_t left = run->most - run->done, begin_ns = gravel_clock_ns();
    begin.most = waits ? 1 : left < rounds->slice_rounds ? (uint32_t)left : rounds->slice_rounds;
    cl_event end = NULL;
    int code = set_begin(rounds, &begin);
    if (!code)
        code = gravel_node_run(gravel, rounds->object.kernels[0], rounds->n_groups,
                               rounds->group_items, &end);
    gravel_cl_event_release(end);
    GRAVEL_TRY(gravel_leave(gravel, code));
    GRAVEL_TRY(gravel_memory_take(&gravel->memory, 0, rounds->object.memory, (uint32_t *)&words,
                                  TAKEN_BYTES / sizeof(uint32_t)));
    rounds->stats.launches++;
    rounds->stats.stayed += words.n_rounds;
    rounds->stats.groups = words.members.n;
    count_rounds(rounds, run, words.n_rounds,
                 words.last.count[0] | (uint64_t)words.last.count[1] << 32);
    fit_slice(rounds, words.n_rounds, gravel_clock_ns() - begin_ns);
    if (waits || words.last.is_sent || words.n_rounds == 0)
        GRAVEL_TRY(gravel_quiet(gravel));
    if (words.last.refused)
        return fail_refused(&words);
    return words.n_rounds
               ? 0
               : gravel_fail(GRAVEL_EKERNEL, "%s: a launch has ended no round", call_name);
}

static int run_on_device(struct gravel_rounds *rounds, struct run *run)
{
    const bool waits = has_flushes(rounds->object.gravel);
    int code = show_allocations(rounds);
    while (!code && !has_ended(rounds, run))
        code = launch_once(rounds, run, waits);
    return code;
}

/* ---- a launch is a phase ------------------------------------------------------------------------- */

static int launch_phase(const struct gravel_rounds *rounds, const struct run *run, uint32_t phase)
{
    const size_t group = rounds->group_items,
                 size = phase == GRAVELP_PHASE_NONE ? group : rounds->n_groups * group;
    const struct gravelp_rounds_begin begin = begin_at(rounds, run, phase);
    GRAVEL_TRY(set_begin(rounds, &begin));
    return gravel_launch(rounds->object.gravel, rounds->object.kernels[0], 1, &size, &group, 0,
                         NULL, NULL);
}

/* Counts the phases of the kernel, which none of them runs. */
static int count_phases(struct gravel_rounds *rounds, const struct run *run)
{
    struct gravel *gravel = rounds->object.gravel;
    struct gravelp_rounds words;
    if (rounds->n_phases)
        return 0;
    GRAVEL_TRY(launch_phase(rounds, run, GRAVELP_PHASE_NONE));
    GRAVEL_TRY(gravel_quiet(gravel));
    GRAVEL_TRY(gravel_memory_take(&gravel->memory, gravel_node_heap(gravel, gravel_node(gravel)),
                                  rounds->object.memory, (uint32_t *)&words,
                                  TAKEN_BYTES / sizeof(uint32_t)));
    rounds->n_phases = words.n_phases;
    return words.n_phases
               ? 0
               : gravel_fail(GRAVEL_EINVAL, "%s: the kernel has no GRAVEL_PHASE", call_name);
}

static int run_by_phases(struct gravel_rounds *rounds, struct run *run)
{
    const uint64_t count_at =
        rounds->object.memory + offsetof(struct gravelp_rounds, sets[0].count);
    uint64_t sums[2];
    int code = 0;
    while (!code && !has_ended(rounds, run)) {
        for (uint32_t phase = 0; phase < rounds->n_phases && !code; phase++)
            code = launch_phase(rounds, run, phase);
        const int waited = gravel_barrier_sum(rounds->object.gravel, count_at, 2, NULL, sums);
        code = gravel_first_failure(code, waited);
        if (!code)
            count_rounds(rounds, run, 1, sums[0] + (sums[1] << 32));
        rounds->stats.launches += rounds->n_phases;
    }
    return code;
}

/* ---- the call -------------------------------------------------------------------------------------- */

static int check(struct gravel_rounds *rounds, const struct run *run)
{
    if (run->until > GRAVEL_UNTIL_ZERO || run->most == 0)
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: until = %" PRIu64 ", most = %" PRIu64
                           " (GRAVEL_UNTIL_MOST or _ZERO; 1 or more)",
                           call_name, run->until, run->most);
    return gravel_rounds_stay(rounds) ? 0 : count_phases(rounds, run);
}

int gravel_rounds_run(struct gravel_rounds *rounds, uint32_t until, uint64_t most,
                      struct gravel_rounds_ended *ended, size_t bytes)
{
    struct run run = {until, most, 0};
    GRAVEL_TRY(gravel_object_refuse(rounds, "rounds", call_name));
    struct gravel *gravel = rounds->object.gravel;
    struct gravel_rounds_ended own = {0};
    const uint64_t begin_ns = gravel_clock_ns();
    int code = ended ? gravel_growing_give(call_name, ended, bytes, &own, sizeof own) : 0;
    if (!code)
        code = check(rounds, &run);
    const struct gravel_collective_call call = {
        .kind = GRAVEL_CALL_ROUNDS_RUN,
        .arguments = {most, until | (uint64_t)rounds->n_phases << 32}};
    GRAVEL_TRY(gravel_node_agree_on(gravel, &call, false, code));
    code = gravel_rounds_stay(rounds) ? run_on_device(rounds, &run) : run_by_phases(rounds, &run);
    rounds->stats.run_ns += gravel_clock_ns() - begin_ns;
    own = (struct gravel_rounds_ended){run.done, rounds->sum};
    if (ended)
        gravel_growing_give(call_name, ended, bytes, &own, sizeof own);
    return code;
}
