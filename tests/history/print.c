/* SPDX-License-Identifier: MIT */
/*
 * Prints a history as a program: rank by rank what the host does, and each launch's groups call by call, with what was seen;
 * the words at the end; and what is wrong with that.
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
    [HISTORY_TAKE] = "block_alloc",
    [HISTORY_GIVE] = "block_free",
    [HISTORY_ASTRAY] = "accumulate",
    [HISTORY_FLUSH] = "gravel_accumulator_flush",
    [HISTORY_SESSION] = "gravel_session_begin or _end",
    [HISTORY_REFUSED] = "a call that is refused",
    [HISTORY_BARRIER] = "gravel_barrier",
    [HISTORY_SUM] = "gravel_barrier_sum of the counters",
    [HISTORY_SHARE] = "gravel_barrier, gravel_mirror_share",
    [HISTORY_FENCE] = "gravel_fence",
    [HISTORY_QUIET] = "gravel_quiet",
};

static const char *form_of(const struct event *event)
{
    static const char *const forms[] = {"_wg", "_wg_if", "_wi", " by a handler of the device, at"};
    if (event->op >= HISTORY_LOOK || (!is_of_kernel(event) && event->form != HISTORY_HANDLER))
        return "";
    return forms[event->form];
}

static void print_operands(const struct event *event)
{
    if (event->cell == HISTORY_FLAG)
        printf(" the group's flag at node %u", event->node);
    else if (event->cell == HISTORY_LOG)
        printf(" to the handler of node %u", event->node);
    else if (event->cell == HISTORY_RECORDS)
        printf(" to the stream of node %u", event->node);
    else if (event->op == HISTORY_TAKE || event->op == HISTORY_GIVE)
        printf(" of a block");
    else if (event->op == GRAVEL_AM)
        printf(" to the handler of node %u, which looks at word %u", event->node, event->cell);
    else
        printf(" word %u of node %u", event->cell, event->node);
    if (event->op == GRAVEL_CAS)
        printf(", expected %#" PRIx64, event->expected);
    if (!is_reading(event) && event->op != GRAVEL_INC && event->op != GRAVEL_AM)
        printf(", value %#" PRIx64, event->value);
}

static void print_event(const struct history *history, uint32_t number)
{
    const struct event *event = &history->events[number];
    printf("    %3u  ", number);
    if (is_of_kernel(event))
        printf("step %u, item %u: ", event->step, event->item);
    printf("%s%s%s%s", op_names[event->op],
           event->op >= HISTORY_FENCE   ? ""
           : event->type == GRAVEL_UINT ? "_uint"
                                        : "_ulong",
           form_of(event), event->op == HISTORY_COLLECT ? " the answer for" : "");
    if (event->op < HISTORY_FENCE || event->op == HISTORY_SHARE)
        print_operands(event);
    if (event->op == HISTORY_LOOK && n_raising(history, event))
        printf(", once the flag of rank %u, launch %u, group %u is %u", event->of_origin,
               event->of_launch, event->of_group, n_raising(history, event));
    if (is_seeing(event))
        printf(" -> %#" PRIx64, event->seen);
    printf("\n");
}

static void print_part(const struct history *history, uint32_t origin, uint32_t launch,
                       uint32_t group)
{
    bool is_titled = false;
    for (uint32_t i = 0; i < history->n_events; i++) {
        const struct event *event = &history->events[i];
        if (event->origin != origin || event->launch != launch || event->group != group)
            continue;
        if (!is_titled && group == HISTORY_JOINT)
            printf("  all ranks' hosts, ahead of launch %u\n", launch);
        else if (!is_titled && group == HISTORY_HOST)
            printf("  rank %u, host, ahead of launch %u\n", origin, launch);
        else if (!is_titled && group == HISTORY_THREAD)
            printf("  rank %u, another thread of the host\n", origin);
        else if (!is_titled)
            printf("  rank %u, launch %u, group %u of %u work-items\n", origin, launch, group,
                   (unsigned)HISTORY_ITEMS);
        is_titled = true;
        print_event(history, i);
    }
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
    printf("history %" PRIu64 ", %u nodes, %u ranks that send, %u events: %s\n", history->seed,
           history->n_nodes, history->n_origins, history->n_events,
           history->failure[0] ? history->failure : verdict->what);
    for (uint32_t origin = 0; origin < history->n_origins; origin++)
        for (uint32_t launch = 0; launch <= history->n_launches; launch++) {
            if (origin == 0)
                print_part(history, origin, launch, HISTORY_JOINT);
            print_part(history, origin, launch, HISTORY_HOST);
            for (uint32_t group = 0; group < HISTORY_GROUPS; group++)
                print_part(history, origin, launch, group);
            print_part(history, origin, launch, HISTORY_THREAD);
        }
    if (history->failure[0])
        return;
    print_words(history);
    for (uint32_t i = 0; i < verdict->n_cycle; i++)
        printf("  %3u%s%s\n", verdict->cycle[i],
               verdict->reasons[i] ? " came before the next: " : "",
               verdict->reasons[i] ? verdict->reasons[i] : "");
    if (!verdict->n_cycle)
        printf("  it is word %u of node %u\n", verdict->cell, verdict->node);
}
