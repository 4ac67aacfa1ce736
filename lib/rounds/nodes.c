/* SPDX-License-Identifier: MIT */
/*
 * Runs rounds of several nodes, each of its own process, whose kernels stay.
 *
 * When the groups of a node have met, member 0 reports what they have counted, and which messages lie in frames; hosts
 * exchange both, and answer all groups, which apply what came. A round in which messages went as those of any kernel
 * also ends with a barrier.
 *
 * Path:    run.c -> this -> network/exchange.c; node/waits.c.
 * Memory:  Y4, Y5.
 */
#include "rounds/parts.h"

#include "base/clock.h"
#include "base/error.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What a node reports, and then all come to. */
struct words {
    uint64_t sum;
    uint32_t flags;
    uint32_t *counts; /* [n_nodes] messages for each node, and then of each */
};

#define FIRST_BYTES 4096u /* of frames, that are read with a report */
#define FEW_NODES 4u      /* whose frames are */

/* Begins to copy bytes of what nodes meet by, between the device and the image of it here. */
static cl_int begin_copy(const struct gravel_rounds *rounds, uint64_t at, uint64_t bytes,
                         bool writes, cl_event *last)
{
    const struct gravel_memory *memory = &rounds->object.gravel->memory;
    const uint64_t there = gravel_memory_heap_offset(memory, 0) + rounds->nodes_at + at;
    unsigned char *here = rounds->image.begin + at;
    return writes ? clEnqueueWriteBuffer(memory->copies, memory->region.buffer, CL_FALSE, there,
                                         bytes, here, 0, NULL, last)
                  : gravel_cl_read(memory->copies, memory->region.buffer, there, bytes, here, last);
}

/* Waits for what begin_copy began. */
static int end_copies(const struct gravel_rounds *rounds, cl_int error, cl_event last)
{
    const struct gravel_memory *memory = &rounds->object.gravel->memory;
    return gravel_wait_command(memory->device, memory->copies, error, last,
                               "copying what nodes meet by");
}

/* Returns where a node's frame begins, of those that go. */
static uint64_t frame_at(const struct gravel_rounds *rounds, uint32_t node)
{
    return GRAVELP_ROUNDS_OUT(gravel_n_nodes(rounds->object.gravel)) +
           (uint64_t)node * rounds->room * sizeof(struct gravelp_round_message);
}

/* Reads the report, and behind it what may be all of the frames: they are whole if it is there. */
static int fetch_report(const struct gravel_rounds *rounds)
{
    const struct gravel *gravel = rounds->object.gravel;
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    unsigned char *heap = gravel_memory_heap(&gravel->memory, 0);
    if (heap) {
        uint32_t *here = (uint32_t *)rounds->image.begin;
        const uint32_t *there = (const uint32_t *)(heap + rounds->nodes_at);
        here[GRAVELP_ROUNDS_FLAGS] =
            gravel_word_load(there + GRAVELP_ROUNDS_FLAGS, memory_order_acquire); /* Y4 */
        for (uint32_t i = 0; i < GRAVELP_ROUNDS_PARTS + n_nodes; i++)
            if (i != GRAVELP_ROUNDS_FLAGS)
                here[i] = gravel_word_load(there + i, memory_order_relaxed); /* Y4 */
        return 0;
    }
    cl_event last = NULL;
    cl_int error = begin_copy(rounds, 0, GRAVELP_ROUNDS_ANSWER(n_nodes), false, &last); /* Y4 */
    for (uint32_t node = 0; node < n_nodes && n_nodes <= FEW_NODES && error == CL_SUCCESS; node++)
        if (node != gravel_node(gravel))
            error = begin_copy(rounds, frame_at(rounds, node), FIRST_BYTES, false, &last);
    return end_copies(rounds, error, last);
}

/* Looks for a report. @return 1 if all of it is there; 0; a failure */
static int read_report(const struct gravel_rounds *rounds, uint64_t number, struct words *report)
{
    const uint32_t n_nodes = gravel_n_nodes(rounds->object.gravel);
    const uint32_t *words = (const uint32_t *)rounds->image.begin;
    GRAVEL_TRY(fetch_report(rounds));
    report->sum = 0;
    for (uint32_t i = 0; i < GRAVELP_ROUNDS_PARTS + n_nodes; i++) {
        if (words[i] >> 16 != (number & 0xffff))
            return 0;
        if (i < GRAVELP_ROUNDS_FLAGS)
            report->sum |= (uint64_t)(words[i] & 0xffff) << 16 * i;
        else if (i >= GRAVELP_ROUNDS_PARTS)
            report->counts[i - GRAVELP_ROUNDS_PARTS] = words[i] & 0xffff;
    }
    report->flags = words[GRAVELP_ROUNDS_FLAGS] & 0xffff;
    return 1;
}

/* Waits for the report of a round. @param is_over  [out] whether the kernel has ended instead */
static int await_report(const struct gravel_rounds *rounds, uint64_t number, cl_event end,
                        struct words *report, bool *is_over)
{
    struct gravel_wait wait = {.limit = gravel_node_kernel_limit(rounds->object.gravel),
                               .what = "a round of a kernel that stays"};
    int found = 0, code = 0;
    while (!found && !code && !*is_over) {
        *is_over = gravel_cl_event_status(end) <= CL_COMPLETE; /* before the report is read */
        found = read_report(rounds, number, report);
        if (!found && !*is_over)
            code = gravel_wait_pause(&wait);
    }
    gravel_wait_end(&wait);
    *is_over = *is_over && found != 1;
    return found < 0 ? found : code;
}

/* Reads what a report did not bring of the frames. */
static int fetch_frames(const struct gravel_rounds *rounds, const struct words *report)
{
    const uint32_t n_nodes = gravel_n_nodes(rounds->object.gravel);
    const uint64_t known = n_nodes <= FEW_NODES ? FIRST_BYTES : 0;
    cl_event last = NULL;
    cl_int error = CL_SUCCESS;
    for (uint32_t node = 0; node < n_nodes && error == CL_SUCCESS; node++) {
        const uint64_t bytes = report->counts[node] * sizeof(struct gravelp_round_message);
        if (bytes > known)
            error = begin_copy(rounds, frame_at(rounds, node) + known, bytes - known, false, &last);
    }
    return last || error ? end_copies(rounds, error, last) : 0;
}

/* Exchanges parts with all nodes. @param words  [in, out] this node's report; then what all have counted, all flags,
 * and how many messages have come from each */
static int exchange(struct gravel_rounds *rounds, uint64_t number, struct words *words)
{
    struct gravel *gravel = rounds->object.gravel;
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    GRAVEL_TRY(fetch_frames(rounds, words));
    for (uint32_t node = 0; node < n_nodes; node++)
        rounds->brings[node] = (struct gravel_part){
            .number = number,
            .sum = words->sum,
            .flags = words->flags,
            .n = words->counts[node],
            .messages =
                (struct gravelp_round_message *)(rounds->image.begin + frame_at(rounds, node))};
    struct gravel_job job = {
        .kind = GRAVEL_JOB_EXCHANGE, .is_rest = true, .brings = rounds->brings};
    GRAVEL_TRY(gravel_network_run(&gravel->network, &job));
    for (uint32_t node = 0; node < n_nodes; node++) {
        const struct gravel_part *part = gravel_exchange_part(&gravel->network, node, number);
        const bool is_own = node == gravel_node(gravel);
        words->counts[node] = is_own ? 0 : part->n;
        words->sum += is_own ? 0 : part->sum;
        words->flags |= is_own ? 0 : part->flags;
    }
    return 0;
}

/* Answers all groups, behind the frames that have come. The copies are in order, and the next report's behind them. */
static int answer(const struct gravel_rounds *rounds, uint64_t number, const struct words *words,
                  bool goes_on)
{
    const struct gravel *gravel = rounds->object.gravel;
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    const uint64_t at = GRAVELP_ROUNDS_ANSWER(n_nodes);
    unsigned char *heap = gravel_memory_heap(&gravel->memory, 0);
    uint32_t *parts = (uint32_t *)(rounds->image.begin + at);
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < GRAVELP_ROUNDS_FLAGS; i++)
        parts[i] = GRAVELP_ROUNDS_WORD(number, words->sum >> 16 * i);
    parts[GRAVELP_ROUNDS_FLAGS] = GRAVELP_ROUNDS_WORD(number, goes_on ? GRAVELP_ROUNDS_GO_ON : 0);
    for (uint32_t node = 0; node < n_nodes; node++)
        parts[GRAVELP_ROUNDS_PARTS + node] = GRAVELP_ROUNDS_WORD(number, words->counts[node]);
    for (uint32_t i = GRAVELP_ROUNDS_PARTS + n_nodes; heap && i--;)
        gravel_word_store((uint32_t *)(heap + rounds->nodes_at + at) + i, parts[i],
                          memory_order_release); /* Y5 */
    if (heap)
        return 0;
    for (uint32_t node = 0; node < n_nodes && error == CL_SUCCESS; node++) {
        const uint64_t bytes = words->counts[node] * sizeof(struct gravelp_round_message),
                       to = frame_at(rounds, n_nodes + node);
        if (bytes == 0)
            continue;
        memcpy(rounds->image.begin + to,
               gravel_exchange_part(&gravel->network, node, number)->messages, bytes);
        error = begin_copy(rounds, to, bytes, true, NULL);
    }
    if (error == CL_SUCCESS)
        error = begin_copy(rounds, at, at, true, NULL); /* Y5: an answer is as long as a report */
    return gravel_check_cl(GRAVEL_ROUNDS_RUN, gravel_cl_flush(gravel->memory.copies, error));
}

/* Ends a round that has been reported, with all nodes. @param goes_on  [out] whether the launch has another one */
static int end_round(struct gravel_rounds *rounds, struct gravel_rounds_goal *run, uint64_t number,
                     struct words *words, bool *goes_on)
{
    struct gravel *gravel = rounds->object.gravel;
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_BARRIER};
    int code = exchange(rounds, number, words);
    if (!code && (words->flags & GRAVELP_ROUNDS_SENT || !rounds->room))
        code = gravel_node_barrier(gravel, &call, true);
    if (!code)
        gravel_rounds_count(rounds, run, 1, words->sum);
    *goes_on = !code && !gravel_rounds_has_ended(rounds, run) &&
               !(words->flags & (GRAVELP_ROUNDS_LATE | GRAVELP_ROUNDS_REFUSED));
    return gravel_first_failure(code, answer(rounds, number, words, *goes_on));
}

static int launch_with_nodes(struct gravel_rounds *rounds, struct gravel_rounds_goal *run,
                             struct words *words)
{
    struct gravel *gravel = rounds->object.gravel;
    struct gravelp_rounds taken;
    struct gravelp_rounds_begin begin = gravel_rounds_begin_at(rounds, run, GRAVELP_PHASE_ALL);
    struct gravel_exchange *exchange = &gravel->network.exchange;
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    const uint64_t begin_ns = gravel_clock_ns();
    const bool waits = gravel_rounds_flushes(
        gravel); /* for the kernel's end: it has one round, which a barrier ends */
    bool goes_on = !waits, is_over = false;
    cl_event end = NULL;
    /* Words of 0 would be those of such a number. Slots are by number % 2, so 2 are left out. */
    if ((exchange->number + 1) % 65536 == 0)
        exchange->number += 2;
    begin.most = waits ? 1 : UINT32_MAX;
    begin.nodes_at = rounds->nodes_at;
    begin.room = waits ? 0 : rounds->room;
    begin.n_met = (uint32_t)exchange->number;
    GRAVEL_TRY(
        gravel_memory_zero(&gravel->memory, 0, rounds->nodes_at, GRAVELP_ROUNDS_OUT(n_nodes)));
    GRAVEL_TRY(gravel_rounds_set_begin(rounds, &begin));
    int code = gravel_node_begin(gravel, rounds->object.kernels[0], rounds->n_groups,
                                 rounds->group_items, &end);
    while (goes_on && !code) {
        const uint64_t number = ++exchange->number;
        code = await_report(rounds, number, end, words, &is_over);
        if (is_over)
            break;
        if (gravel_clock_ns() - begin_ns > rounds->scheduling.slice_ns)
            words->flags |= GRAVELP_ROUNDS_LATE;
        if (!code)
            code = end_round(rounds, run, number, words, &goes_on);
        if (gravel->pump)
            gravel_pump_watch(gravel->pump, end); /* which a barrier takes for ended */
    }
    const int waited =
        end ? gravel_node_wait_for_kernel(gravel, rounds->object.kernels[0], end) : 0;
    gravel_cl_event_release(end);
    GRAVEL_TRY(gravel_leave(gravel, gravel_first_failure(code, waited)));
    GRAVEL_TRY(gravel_memory_take(&gravel->memory, 0, rounds->object.memory, (uint32_t *)&taken,
                                  GRAVEL_ROUNDS_TAKEN / sizeof(uint32_t)));
    rounds->stats.launches++;
    rounds->stats.stayed += taken.n_rounds;
    rounds->stats.groups = taken.members.n;
    if (taken.last.refused)
        return gravel_rounds_fail_refused(rounds, &taken);
    if (is_over || taken.n_rounds == 0)
        return gravel_fail(GRAVEL_EKERNEL, "%s: a launch has ended no round", GRAVEL_ROUNDS_RUN);
    if (words->flags & GRAVELP_ROUNDS_REFUSED)
        return gravel_fail(GRAVEL_ERANGE, "%s: another node has sent to a word that does not exist",
                           GRAVEL_ROUNDS_RUN);
    if (!waits)
        return 0;
    uint64_t sum = taken.last.count[0] | (uint64_t)taken.last.count[1] << 32;
    GRAVEL_TRY(gravel_barrier(gravel));
    GRAVEL_TRY(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &sum, 1));
    gravel_rounds_count(rounds, run, 1, sum);
    return 0;
}

int gravel_rounds_run_with_nodes(struct gravel_rounds *rounds, struct gravel_rounds_goal *run)
{
    struct words words = {.counts =
                              calloc(gravel_n_nodes(rounds->object.gravel), sizeof *words.counts)};
    int code = words.counts ? 0 : gravel_fail_memory(GRAVEL_ROUNDS_RUN, sizeof *words.counts);
    while (!code && !gravel_rounds_has_ended(rounds, run))
        code = launch_with_nodes(rounds, run, &words);
    free(words.counts);
    GRAVEL_TRY(code);
    return gravel_barrier(rounds->object.gravel); /* kernels have applied all that came */
}
