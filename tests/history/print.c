/* SPDX-License-Identifier: MIT */
/*
 * Prints a history: who does what in which step, and what was seen; the words at the end; and what is wrong with that.
 *
 * Path: shrink.c -> this -> standard output
 */
#include "history.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const op_names[] = {
    [GRAVEL_PUT] = "put",
    [GRAVEL_INC] = "inc",
    [GRAVEL_ADD] = "add",
    [GRAVEL_MIN] = "min",
    [GRAVEL_MAX] = "max",
    [GRAVEL_AND] = "and",
    [GRAVEL_OR] = "or",
    [GRAVEL_XOR] = "xor",
    [GRAVEL_AM] = "am",
    [GRAVEL_PUT_SIGNAL] = "put_signal",
    [GRAVEL_GET] = "get",
    [GRAVEL_SWAP] = "swap",
    [GRAVEL_FETCH_ADD] = "fetch_add",
    [GRAVEL_FETCH_MIN] = "fetch_min",
    [GRAVEL_FETCH_MAX] = "fetch_max",
    [GRAVEL_FETCH_AND] = "fetch_and",
    [GRAVEL_FETCH_OR] = "fetch_or",
    [GRAVEL_FETCH_XOR] = "fetch_xor",
    [GRAVEL_CAS] = "cas",
    [HISTORY_LOOK] = "look",
    [HISTORY_COLLECT] = "collect",
    [GRAVEL_APPEND] = "append",
    [HISTORY_ADDED] = "accumulate",
    [HISTORY_MAXED] = "accumulate_max",
    [HISTORY_SLOT] = "slot_add",
    [HISTORY_FLUSH] = "gravel_accumulator_flush",
    [HISTORY_SESSION] = "gravel_session_begin or _end",
    [HISTORY_BARRIER] = "gravel_barrier",
    [HISTORY_SUM] = "gravel_barrier_sum of the counters",
    [HISTORY_SHARE] = "gravel_barrier, gravel_mirror_share",
    [HISTORY_FENCE] = "gravel_fence",
    [HISTORY_QUIET] = "gravel_quiet",
};

static const char *const forms[] = {"_wg", "_wg_if", "_wi", " by a handler of the device",
                                    "_wi in a phase of rounds"};

static void print_event(const struct history *history, uint32_t number)
{
    const struct event *event = &history->events[number];
    if (is_of_kernel(event))
        printf("  %3u  rank %u, launch %u, group %u, step %u, item %u: ", number, event->origin,
               event->launch, event->group, event->step, event->item);
    else
        printf("  %3u  %s %u, ahead of launch %u: ", number,
               is_joint(event)                  ? "all hosts, with"
               : event->group == HISTORY_THREAD ? "another thread of rank"
                                                : "host of rank",
               event->origin, event->launch);
    printf("%s", op_names[event->op]);
    if (event->op < HISTORY_LOOK)
        printf("%s%s", event->type == GRAVEL_UINT ? "_uint" : "_ulong", forms[event->form]);
    if (event->op < HISTORY_FENCE || event->op == HISTORY_SHARE)
        printf(", word %u of node %u, value %#" PRIx64 ", expected %#" PRIx64, event->cell,
               event->node, event->value, event->expected);
    if (event->op == HISTORY_LOOK && n_raising(history, event))
        printf(", once the flag of rank %u, launch %u, group %u is %u", event->of_origin,
               event->of_launch, event->of_group, n_raising(history, event));
    if (is_seeing(event))
        printf(" -> %#" PRIx64, event->seen);
    printf("\n");
}

static void print_words(const struct history *history)
{
    for (uint32_t node = 0; node < history->n_nodes; node++)
        for (uint32_t cell = 0; cell < HISTORY_RECORDS; cell++)
            if (history->last[node][cell] != cell_first(cell))
                printf("  word %u of node %u was %#" PRIx64 " and is %#" PRIx64 "\n", cell, node,
                       cell_first(cell), history->last[node][cell]);
}

void print_history(const struct history *history, const struct verdict *verdict)
{
    printf("history %" PRIu64 ", %u nodes, %u ranks that send, %u events: %s\n"
           "  words %u, %u and %u are handlers' calls, records and flags\n",
           history->seed, history->n_nodes, history->n_origins, history->n_events, verdict->what,
           HISTORY_LOG, HISTORY_RECORDS, HISTORY_FLAG);
    for (uint32_t i = 0; i < history->n_events; i++)
        print_event(history, i);
    print_words(history);
    for (uint32_t i = 0; i < verdict->n_cycle; i++)
        printf("  %3u%s%s\n", verdict->cycle[i],
               verdict->reasons[i] ? " came before the next: " : "",
               verdict->reasons[i] ? verdict->reasons[i] : "");
    if (!verdict->n_cycle)
        printf("  it is word %u of node %u\n", verdict->cell, verdict->node);
}
