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
    uint32_t *counts;         /* [n_nodes] messages for each node, and then of each */
    struct gravel_kept error; /* this node's first in the run; all nodes end at the next exchange */
};

#define RUN_ENDS (GRAVELP_ROUNDS_REFUSED | GRAVELP_ROUNDS_FAILED)

static void note_error(struct words *words, int code)
{
    if (code && !words->error.code)
        words->error = gravel_keep(code);
}

/* Of frames that are read with a report, before it is known whether there is one: as many bytes as the last round had,
 * in steps, for so many nodes at most. A longer frame is better read once. */
#define AHEAD_STEP 4096u
#define AHEAD_MOST 65536u
#define AHEAD_NODES 4u

/* Begins to copy bytes between the device, `at` behind nodes_at, and memory here. */
static cl_int begin_copy(const struct gravel_rounds *rounds, uint64_t at, const void *here,
                         uint64_t bytes, bool writes, cl_event *last)
{
    const struct gravel_memory *memory = &rounds->object.gravel->memory;
    const uint64_t there = gravel_memory_heap_offset(memory, 0) + rounds->nodes_at + at;
    return writes ? clEnqueueWriteBuffer(memory->copies, memory->region.buffer, CL_FALSE, there,
                                         bytes, here, 0, NULL, last)
                  : gravel_cl_read(memory->copies, memory->region.buffer, there, bytes,
                                   (void *)here, last);
}

/* Waits for what begin_copy began. */
static int end_copies(const struct gravel_rounds *rounds, cl_int error, cl_event last)
{
    const struct gravel_memory *memory = &rounds->object.gravel->memory;
    return gravel_wait_command(memory->device, memory->copies, error, last,
                               "copying what nodes meet by");
}

/* Returns where a node's frame begins, of those that go; n_nodes further, of those that come. */
static uint64_t frame_at(const struct gravel_rounds *rounds, uint32_t node)
{
    return GRAVELP_ROUNDS_OUT(gravel_n_nodes(rounds->object.gravel)) +
           (uint64_t)node * rounds->room * sizeof(struct gravelp_round_message);
}

/* Begins to read bytes of the frame for a node to the outbox. */
static cl_int begin_read(const struct gravel_rounds *rounds, uint64_t number, uint32_t node,
                         uint64_t first, uint64_t end, cl_event *last)
{
    const struct gravel_network *network = &rounds->object.gravel->network;
    unsigned char *here = (unsigned char *)gravel_exchange_outbox(network, node, number);
    return first < end ? begin_copy(rounds, frame_at(rounds, node) + first, here + first,
                                    end - first, false, last)
                       : CL_SUCCESS;
}

/* Reads the report, and behind it what may be all of the frames: they are whole if it is there. */
static int fetch_report(const struct gravel_rounds *rounds, uint64_t number)
{
    const struct gravel *gravel = rounds->object.gravel;
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    unsigned char *heap = gravel_memory_heap(&gravel->memory, 0);
    if (heap) {
        uint32_t *here = (uint32_t *)rounds->image.begin;
        const uint32_t *there = (const uint32_t *)(heap + rounds->nodes_at);
        here[GRAVELP_ROUNDS_FLAGS] =
            gravel_word_load(there + GRAVELP_ROUNDS_FLAGS, memory_order_acquire); /* Y4 */
        for (uint32_t i = 0; i < GRAVELP_ROUNDS_WORDS(n_nodes); i++)
            if (i != GRAVELP_ROUNDS_FLAGS)
                here[i] = gravel_word_load(there + i, memory_order_relaxed); /* Y4 */
        return 0;
    }
    cl_event last = NULL;
    cl_int error = begin_copy(rounds, 0, rounds->image.begin, GRAVELP_ROUNDS_ANSWER(n_nodes), false,
                              &last); /* Y4 */
    for (uint32_t node = 0; node < n_nodes && error == CL_SUCCESS; node++)
        error = begin_read(rounds, number, node, 0, rounds->ahead[node], &last);
    return end_copies(rounds, error, last);
}

/* Lets the network thread act on what other nodes send behind round `number`. */
static void set_applied(const struct gravel_rounds *rounds, uint64_t number)
{
    atomic_store_explicit(&rounds->object.gravel->network.exchange.applied, (uint32_t)number,
                          memory_order_release); /* Y7 */
}

/* Looks for a report. @return 1 if all of it is there; 0; a failure */
static int read_report(const struct gravel_rounds *rounds, uint64_t number, struct words *report)
{
    const uint32_t n_nodes = gravel_n_nodes(rounds->object.gravel);
    const uint32_t *words = (const uint32_t *)rounds->image.begin;
    GRAVEL_TRY(fetch_report(rounds, number));
    if (words[GRAVELP_ROUNDS_APPLIED] == GRAVELP_ROUNDS_WORD(number - 1, 1))
        set_applied(rounds, number - 1); /* Y7: of the kernel */
    report->sum = 0;
    for (uint32_t i = 0; i < GRAVELP_ROUNDS_WORDS(n_nodes); i++) {
        if (words[i] >> 16 != (number & 0xffff))
            return 0;
        if (i < GRAVELP_ROUNDS_FLAGS)
            report->sum |= (uint64_t)(words[i] & 0xffff) << 16 * i;
    }
    for (uint32_t node = 0; node < n_nodes; node++)
        report->counts[node] = GRAVELP_ROUNDS_COUNT(words, node);
    report->flags = words[GRAVELP_ROUNDS_FLAGS] & 0xffff;
    set_applied(rounds, number - 1);
    return 1;
}

/* Waits for the report of a round. @param is_over  [out] whether the kernel has ended instead */
static int await_report(const struct gravel_rounds *rounds, const struct gravel_rounds_goal *run,
                        uint64_t number, cl_event end, struct words *report, bool *is_over)
{
    struct gravel_rounds_watch watch = {.rounds = rounds, .number = run->first + run->done};
    struct gravel_wait wait = {.limit = gravel_rounds_limit(&watch),
                               .what = "that stays for rounds"};
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

/* Reads what a report did not bring of the frames, and chooses what the next one is to bring. */
static int fetch_frames(const struct gravel_rounds *rounds, uint64_t number,
                        const struct words *report)
{
    const uint32_t n_nodes = gravel_n_nodes(rounds->object.gravel);
    cl_event last = NULL;
    cl_int error = CL_SUCCESS;
    for (uint32_t node = 0; node < n_nodes && error == CL_SUCCESS; node++) {
        const uint64_t bytes = report->counts[node] * sizeof(struct gravelp_round_message),
                       step = (bytes + AHEAD_STEP - 1) / AHEAD_STEP * AHEAD_STEP;
        error = begin_read(rounds, number, node, rounds->ahead[node], bytes, &last);
        rounds->ahead[node] = step <= AHEAD_MOST && n_nodes <= AHEAD_NODES ? (uint32_t)step : 0;
    }
    return last || error ? end_copies(rounds, error, last) : 0;
}

/* Exchanges parts with all nodes. @param words  [in, out] this node's report; then what all have counted, all flags,
 * and how many messages have come from each */
static int exchange(struct gravel_rounds *rounds, uint64_t number, struct words *words)
{
    struct gravel_network *network = &rounds->object.gravel->network;
    if (words->error.code)
        words->flags |= GRAVELP_ROUNDS_FAILED;
    const uint64_t begin_ns = gravel_clock_ns();
    GRAVEL_TRY(fetch_frames(rounds, number, words));
    for (uint32_t node = 0; node < network->n_nodes; node++)
        rounds->stats.messages += words->counts[node];
    GRAVEL_TRY(gravel_exchange_run(network, number, words->sum, words->flags, words->counts));
    gravel_trace_span(rounds->object.gravel->trace, "exchange", begin_ns, gravel_clock_ns());
    for (uint32_t node = 0; node < network->n_nodes; node++) {
        const struct gravel_part *part = gravel_exchange_part(network, node, number);
        const bool is_own = node == network->node;
        words->counts[node] = is_own ? 0 : part->n;
        words->sum += is_own ? 0 : part->sum;
        words->flags |= is_own ? 0 : part->flags;
    }
    return 0;
}

/* Exchanges that this node's kernel has reported nothing, but its error. */
static int exchange_nothing(struct gravel_rounds *rounds, uint64_t number, struct words *words)
{
    words->sum = words->flags = 0;
    memset(words->counts, 0, gravel_n_nodes(rounds->object.gravel) * sizeof *words->counts);
    return exchange(rounds, number, words);
}

/* Answers all groups, behind the frames that have come. The copies are in order, and the next report's behind them. */
static int answer(const struct gravel_rounds *rounds, uint64_t number, const struct words *words,
                  bool goes_on)
{
    const struct gravel *gravel = rounds->object.gravel;
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    const uint64_t at = GRAVELP_ROUNDS_ANSWER(n_nodes);
    unsigned char *heap = gravel_memory_heap(&gravel->memory, 0);
    uint32_t *parts = (uint32_t *)(rounds->image.begin + at), n_come = 0;
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < GRAVELP_ROUNDS_FLAGS; i++)
        parts[i] = GRAVELP_ROUNDS_WORD(number, words->sum >> 16 * i);
    parts[GRAVELP_ROUNDS_FLAGS] = GRAVELP_ROUNDS_WORD(number, goes_on ? GRAVELP_ROUNDS_GO_ON : 0);
    parts[GRAVELP_ROUNDS_APPLIED] = GRAVELP_ROUNDS_WORD(number, 0);
    for (uint32_t i = 0; i < 2 * n_nodes; i++) {
        n_come |= words->counts[i / 2];
        parts[GRAVELP_ROUNDS_PARTS + i] =
            GRAVELP_ROUNDS_WORD(number, words->counts[i / 2] >> i % 2 * 16);
    }
    if (!n_come)
        set_applied(rounds, number);
    for (uint32_t i = GRAVELP_ROUNDS_WORDS(n_nodes); heap && i--;)
        gravel_word_store((uint32_t *)(heap + rounds->nodes_at + at) + i, parts[i],
                          memory_order_release); /* Y5 */
    if (heap)
        return 0;
    for (uint32_t node = 0; node < n_nodes && error == CL_SUCCESS; node++) {
        const uint64_t bytes = words->counts[node] * sizeof(struct gravelp_round_message);
        if (bytes)
            error = begin_copy(rounds, frame_at(rounds, n_nodes + node),
                               gravel_exchange_part(&gravel->network, node, number)->messages,
                               bytes, true, NULL);
    }
    if (error == CL_SUCCESS)
        error = begin_copy(rounds, at, parts, at, true, NULL); /* Y5: as long as a report */
    return gravel_check_cl(GRAVEL_ROUNDS_RUN, gravel_cl_flush(gravel->memory.copies, error));
}

/* Ends a round that has been reported, with all nodes. @param goes_on  [out] whether the launch has another one */
static int end_round(struct gravel_rounds *rounds, struct gravel_rounds_goal *run, uint64_t number,
                     struct words *words, bool *goes_on)
{
    struct gravel *gravel = rounds->object.gravel;
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_BARRIER};
    const uint64_t begin_ns = gravel_clock_ns();
    int code = exchange(rounds, number, words);
    rounds->stats.exchange_ns += gravel_clock_ns() - begin_ns;
    rounds->stats.exchanged++;
    if (!code && (words->flags & GRAVELP_ROUNDS_SENT || !rounds->room)) {
        note_error(words, gravel_leave_wait(gravel, gravel_node_barrier(gravel, &call, true)));
        code = gravel_leave(gravel, 0); /* other nodes may have no error */
    }
    if (!code) {
        gravel_rounds_count(rounds, run, 1, words->sum);
        if (rounds->room) /* what kernels send from now on is of the next round, or launch */
            atomic_store_explicit(&gravel->network.exchange.ended, (uint32_t)number,
                                  memory_order_release); /* Y7 */
    } else /* groups get an answer, and apply no frames: these may not have come */
        memset(words->counts, 0, gravel_n_nodes(gravel) * sizeof *words->counts);
    *goes_on = !code && !gravel_rounds_has_ended(rounds, run) &&
               !(words->flags & (GRAVELP_ROUNDS_LATE | RUN_ENDS));
    return gravel_first_failure(code, answer(rounds, number, words, *goes_on));
}

/* Begins a launch. It counts as none if it fails at some node. @param end  [out] this node's kernel; NULL: none */
static int begin(struct gravel_rounds *rounds, const struct gravel_rounds_goal *run, bool is_one,
                 struct words *words, cl_event *end)
{
    struct gravel *gravel = rounds->object.gravel;
    struct gravel_exchange *exchanges = &gravel->network.exchange;
    struct gravelp_rounds_begin begin = gravel_rounds_begin_at(rounds, run, GRAVELP_PHASE_ALL);
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    /* Words of 0 would be those of the first round. Slots are by number % 2, so 2 are left out. */
    if ((exchanges->number + 2) % 65536 == 0)
        exchanges->number += 2;
    begin.most = is_one ? 1 : UINT32_MAX;
    begin.nodes_at = rounds->nodes_at;
    begin.room = is_one ? 0 : rounds->room;
    begin.n_met = (uint32_t)++exchanges->number;
    int code =
        gravel_memory_zero(&gravel->memory, 0, rounds->nodes_at, GRAVELP_ROUNDS_OUT(n_nodes));
    if (!code)
        code = gravel_rounds_set_begin(rounds, &begin);
    if (!code)
        code = gravel_node_begin(gravel, rounds->object.kernels[0], rounds->n_groups,
                                 rounds->group_items, end);
    note_error(words, code);
    return exchange_nothing(rounds, exchanges->number, words);
}

/* Ends a kernel that waits for a second round, as some node has none. */
static int dismiss(const struct gravel_rounds *rounds, const struct gravel_rounds_goal *run,
                   uint64_t number, cl_event end, struct words *words)
{
    struct words report = {.counts = words->counts};
    bool is_over = false;
    GRAVEL_TRY(await_report(rounds, run, number, end, &report, &is_over));
    memset(words->counts, 0, gravel_n_nodes(rounds->object.gravel) * sizeof *words->counts);
    return is_over ? 0 : answer(rounds, number, words, false);
}

/* Runs the rounds of a launch. @return what has failed the node */
static int run_launch(struct gravel_rounds *rounds, struct gravel_rounds_goal *run, cl_event end,
                      struct words *words)
{
    struct gravel *gravel = rounds->object.gravel;
    struct gravel_exchange *exchanges = &gravel->network.exchange;
    const uint64_t begin_ns = gravel_clock_ns();
    bool goes_on = true, is_over = false;
    if (words->flags & RUN_ENDS)
        return end ? dismiss(rounds, run, exchanges->number + 1, end, words) : 0;
    while (goes_on) {
        const uint64_t number = ++exchanges->number, asked_ns = gravel_clock_ns();
        GRAVEL_TRY(await_report(rounds, run, number, end, words, &is_over));
        rounds->stats.device_ns += gravel_clock_ns() - asked_ns;
        gravel_trace_span(gravel->trace, "meeting", asked_ns, gravel_clock_ns());
        if (is_over) { /* if not well, that fails the node */
            note_error(words, gravel_rounds_fail_empty());
            return exchange_nothing(rounds, number, words);
        }
        if (gravel_clock_ns() - begin_ns > rounds->scheduling.slice_ns)
            words->flags |= GRAVELP_ROUNDS_LATE;
        GRAVEL_TRY(end_round(rounds, run, number, words, &goes_on));
        gravel_trace_span(gravel->trace, "round", asked_ns, gravel_clock_ns());
        if (gravel->pump)
            gravel_pump_watch(gravel->pump, end); /* which a barrier takes for ended */
    }
    return 0;
}

/* Ends a launch of one round, which had no exchange: by a barrier, which flushes objects. @return what has failed the
 * node */
static int end_one(struct gravel_rounds *rounds, struct gravel_rounds_goal *run,
                   const struct gravelp_rounds *taken, struct words *words)
{
    struct gravel *gravel = rounds->object.gravel;
    uint64_t sum = taken->last.count[0] | (uint64_t)taken->last.count[1] << 32;
    if (taken->n_rounds == 0)
        note_error(words, gravel_rounds_fail_empty());
    note_error(words, gravel_barrier(gravel));
    GRAVEL_TRY(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &sum, 1));
    gravel_rounds_count(rounds, run, 1, sum);
    return 0;
}

/* @return what has failed the node */
static int launch_with_nodes(struct gravel_rounds *rounds, struct gravel_rounds_goal *run,
                             struct words *words)
{
    struct gravel *gravel = rounds->object.gravel;
    struct gravelp_rounds taken;
    const bool is_one = gravel_rounds_flushes(gravel); /* a flush waits for the kernel's end */
    cl_event end = NULL;
    int code = begin(rounds, run, is_one, words, &end);
    if (!code && !is_one)
        code = run_launch(rounds, run, end, words);
    gravel_rounds_fail_node(gravel, code);
    const int waited = end ? gravel_node_end(gravel, rounds->object.kernels[0], end) : 0;
    gravel_cl_event_release(end);
    set_applied(rounds, gravel->network.exchange.number);
    code = gravel_leave(gravel, gravel_first_failure(code, waited));
    if (!code)
        code = gravel_memory_take(&gravel->memory, 0, rounds->object.memory, (uint32_t *)&taken,
                                  GRAVEL_ROUNDS_TAKEN / sizeof(uint32_t));
    GRAVEL_TRY(gravel_rounds_fail_node(gravel, code));
    rounds->stats.launches++;
    rounds->stats.stayed += taken.n_rounds;
    rounds->stats.groups = taken.members.n;
    if (taken.n_refused)
        note_error(words, gravel_rounds_fail_refused(rounds, &taken));
    return is_one && !(words->flags & RUN_ENDS) ? end_one(rounds, run, &taken, words) : 0;
}

int gravel_rounds_run_with_nodes(struct gravel_rounds *rounds, struct gravel_rounds_goal *run,
                                 int shown)
{
    struct gravel *gravel = rounds->object.gravel;
    struct words words = {.counts = rounds->counts};
    note_error(&words, shown);
    int code = 0;
    while (!code && !gravel_rounds_has_ended(rounds, run) && !(words.flags & RUN_ENDS))
        code = launch_with_nodes(rounds, run, &words);
    /* Whether messages of the last round were refused, or it has failed, all nodes learn only now. */
    if (!code && !(words.flags & RUN_ENDS))
        code = exchange_nothing(rounds, ++gravel->network.exchange.number, &words);
    GRAVEL_TRY(code);
    note_error(&words, gravel_barrier(gravel)); /* kernels have applied all that came */
    GRAVEL_TRY(gravel_leave(gravel, 0));
    if (words.error.code)
        return gravel_fail_again(&words.error);
    return words.flags & RUN_ENDS
               ? gravel_fail(GRAVEL_EMISMATCH, "%s: the run has failed at another node",
                             GRAVEL_ROUNDS_RUN)
               : 0;
}
