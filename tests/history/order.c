/* SPDX-License-Identifier: MIT */
/*
 * What came before what in a history: by Gravel's promises, and by what was seen.
 *
 * Each edge says that one event was applied before another, in time, so edges join into ways whatever words and nodes
 * they are of. So a flag seen before its data is a circle: the data came before the flag, the flag before the look, and
 * the look, which saw no data, before the data.
 *
 * Path:   history.h -> this -> check.c
 * Source: docs/reference/promises.md, "Kernels", "Requests and waits", "Host calls". Circles: Adya, Weak Consistency,
 *         1999, section 4.2.
 */
#include "history.h"

#include <string.h>

enum reason { NONE, IN_ORDER, FENCED, QUIETED, BARRIERED, RETURNED, FLAGGED, SEEN, UNSEEN, LAST };

static const char *const reasons[] = {
    NULL,
    "calls of one group to one node",
    "a fence is between them",
    "a quiet is between them",
    "a call of all ranks, or a round's end, is between them",
    "it had returned",
    "the flag that was waited for",
    "what it did was seen",
    "it was not seen",
    "its value is the last",
};

const char *order_reason(const struct order *order, uint32_t a, uint32_t b)
{
    return reasons[order->why[a][b]];
}

/* Fences and quiets. */
struct syncs {
    const struct event *events[HISTORY_EVENTS];
    uint32_t n;
};

/* ---- promises ---------------------------------------------------------------------------------- */

/* Returns whether calls of a group to one node have an order if both are so. */
static bool is_in_order(const struct event *event)
{
    return event->op < GRAVEL_APPEND || (event->op >= GRAVEL_FETCH && event->op < HISTORY_LOOK);
}

/* Returns whether two messages are for one handler of the device, which may run them in any order. */
static bool are_for_one_handler(const struct event *a, const struct event *b)
{
    return a->form == HISTORY_HANDLER && b->form == HISTORY_HANDLER && a->type == b->type;
}

static bool are_of_one_host(const struct event *a, const struct event *b)
{
    return a->origin == b->origin || is_joint(a) || is_joint(b);
}

static bool is_between(const struct event *a, const struct event *sync, const struct event *b)
{
    return are_of_one_host(a, sync) && are_of_one_host(sync, b) &&
           host_place(a) < host_place(sync) && host_place(sync) < host_place(b);
}

/* Loads of kernels are plain: of two, the later one sees no less only at one word. */
static bool are_unordered_loads(const struct event *a, const struct event *b)
{
    return a->op == HISTORY_LOOK && b->op == HISTORY_LOOK && is_of_kernel(a) && a->cell != b->cell;
}

static bool is_behind_a_return(const struct event *a, const struct event *b)
{
    if (is_message(a) || are_unordered_loads(a, b))
        return false;
    if (is_of_kernel(a) || a->group == HISTORY_THREAD || b->group == HISTORY_THREAD)
        return are_of_one_group(a, b) && a->step < b->step;
    return are_of_one_host(a, b) && host_place(a) < host_place(b);
}

/* The last step whose signals a look waits for, or -1. */
static int last_raising_step(const struct history *history, const struct event *look)
{
    int last = -1;
    for (uint32_t i = 0; i < history->n_events; i++)
        if (is_raising(&history->events[i], look) && history->events[i].step > last)
            last = history->events[i].step;
    return last;
}

static bool is_flagged(const struct history *history, const struct event *a,
                       const struct event *look)
{
    if (!is_message(a) || !is_in_order(a) || a->node != look->node || !is_of_flag(a, look))
        return false;
    const int last = last_raising_step(history, look);
    return a->step < last || (a->step == last && raises_flag(a));
}

static bool is_sync(const struct event *event)
{
    return event->op == HISTORY_FENCE || event->op == HISTORY_QUIET ||
           event->op == HISTORY_BARRIER || event->op == HISTORY_SUM || event->op == HISTORY_SHARE;
}

/* What one of them says of two events that it is between. What is in a slot is sent when the slot is shared. */
static enum reason synced_by(const struct event *sync, const struct event *a, const struct event *b)
{
    if (a->op == HISTORY_SLOT && sync->op != HISTORY_SHARE)
        return NONE;
    if (is_joint(sync))
        return BARRIERED;
    if (sync->op == HISTORY_QUIET)
        return QUIETED;
    return a->node == b->node && is_message(a) && is_message(b) && a->op != GRAVEL_APPEND &&
                   b->op != GRAVEL_APPEND
               ? FENCED
               : NONE;
}

/* What all calls between two events say, that wait or order. */
static enum reason synced(const struct syncs *syncs, const struct event *a, const struct event *b)
{
    enum reason why = NONE;
    for (uint32_t i = 0; i < syncs->n && !why; i++)
        if (is_between(a, syncs->events[i], b))
            why = synced_by(syncs->events[i], a, b);
    return why;
}

/* Calls of a group to a node have an order; accumulators and slots have none, and records one of their own. */
static bool have_order(const struct event *a, const struct event *b)
{
    return (is_in_order(a) && is_in_order(b) && !are_for_one_handler(a, b)) ||
           (a->op == GRAVEL_APPEND && b->op == GRAVEL_APPEND);
}

static enum reason promised(const struct history *history, const struct syncs *syncs,
                            const struct event *a, const struct event *b)
{
    const bool is_one_node = a->node == b->node && is_message(a) && is_message(b);
    const bool is_of_thread = a->group == HISTORY_THREAD || b->group == HISTORY_THREAD;
    const bool is_phase = is_of_phase(a) || is_of_phase(b);
    if (is_behind_a_return(a, b))
        return RETURNED;
    if (is_phase && host_place(a) == host_place(b))
        return a->step / HISTORY_PHASES < b->step / HISTORY_PHASES ? BARRIERED : NONE;
    if (is_phase && !is_of_thread && host_place(a) < host_place(b))
        return BARRIERED; /* a run is behind a barrier, and ends with one */
    if (is_one_node && is_of_kernel(a) && are_of_one_group(a, b) && a->step < b->step &&
        have_order(a, b))
        return IN_ORDER;
    if (b->op == HISTORY_LOOK && is_flagged(history, a, b))
        return FLAGGED;
    return is_of_thread ? NONE : synced(syncs, a, b);
}

/* ---- what was seen ----------------------------------------------------------------------------- */

/* Of a word each of whose values is stored once. */
static bool is_last_store(const struct history *history, const struct event *event)
{
    return history_cells[event->cell].kind == REGISTER && !is_reading(event) &&
           event->value == history->last[event->node][event->cell];
}

static enum reason seen(const struct history *history, const struct event *a, const struct event *b)
{
    if (a->node != b->node || a->cell != b->cell || a->cell == HISTORY_FLAG)
        return NONE;
    if (what_is_told(b, a) == TOLD_BEFORE)
        return SEEN;
    if (what_is_told(a, b) == TOLD_AFTER)
        return UNSEEN;
    return is_last_store(history, b) && !is_reading(a) ? LAST : NONE;
}

static void find_edges(struct order *order, const struct history *history,
                       const struct syncs *syncs)
{
    for (uint32_t i = 0; i < history->n_events; i++)
        for (uint32_t j = 0; j < history->n_events; j++) {
            const struct event *a = &history->events[i], *b = &history->events[j];
            if (i == j || !is_of_word(a) || !is_of_word(b))
                continue;
            enum reason why = promised(history, syncs, a, b);
            order->why[i][j] = (uint8_t)(why ? why : seen(history, a, b));
            if (order->why[i][j])
                order->before[i][j / 64] |= UINT64_C(1) << j % 64;
        }
}

/* ---- ways -------------------------------------------------------------------------------------- */

static bool is_before(const struct order *order, uint32_t a, uint32_t b)
{
    return order->before[a][b / 64] >> b % 64 & 1;
}

int order_find(struct order *order, const struct history *history)
{
    const uint32_t n = history->n_events;
    struct syncs syncs = {.n = 0};
    memset(order, 0, sizeof *order);
    for (uint32_t i = 0; i < n; i++)
        if (is_sync(&history->events[i]))
            syncs.events[syncs.n++] = &history->events[i];
    find_edges(order, history, &syncs);
    for (uint32_t via = 0; via < n; via++)
        for (uint32_t a = 0; a < n; a++)
            if (is_before(order, a, via))
                for (uint32_t w = 0; w < ORDER_WORDS; w++)
                    order->before[a][w] |= order->before[via][w];
    for (uint32_t a = 0; a < n; a++)
        if (is_before(order, a, a))
            return (int)a;
    return -1;
}

/* The shortest way from an event round to itself: where each event on the way was reached from. */
static void go_round(const struct order *order, uint32_t n_events, uint32_t from,
                     uint32_t came_from[HISTORY_EVENTS])
{
    uint32_t reached[HISTORY_EVENTS], n_reached = 0, at = from;
    bool is_reached[HISTORY_EVENTS] = {false};
    for (uint32_t next = 0; !is_reached[from]; at = reached[next++])
        for (uint32_t b = 0; b < n_events; b++)
            if (order->why[at][b] && !is_reached[b]) {
                is_reached[b] = true;
                came_from[b] = at;
                reached[n_reached++] = b;
            }
}

uint32_t order_cycle(const struct order *order, const struct history *history, uint32_t from,
                     uint32_t cycle[HISTORY_EVENTS])
{
    uint32_t came_from[HISTORY_EVENTS], n = 0, at = from;
    go_round(order, history->n_events, from, came_from);
    do
        n++;
    while ((at = came_from[at]) != from);
    for (uint32_t i = n; i-- > 0; at = cycle[i])
        cycle[i] = came_from[at];
    return n;
}
