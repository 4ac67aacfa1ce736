/* SPDX-License-Identifier: MIT */
/*
 * Whether a history is possible: every request answered and every handler run once, no circle of what came before what,
 * and for each word an order of its events that gives what each saw, and the word at the end.
 *
 * The search tries the events that nothing else must precede, one after the other, and remembers what was tried: a set of
 * events done and the word then.
 *
 * Path:   order.c -> this -> history.c, shrink.c
 * Source: Wing, Gong, Testing and verifying concurrent objects, 1993; Lowe, Testing for linearizability, 2017.
 */
#include "history.h"

#include <string.h>

#define N_TRIED 65536u /* states of a word's search, more than which it is given up */

struct state {
    uint64_t done, word;
    uint32_t round; /* of the search that left it */
};

struct search {
    const struct event *events[64];
    uint64_t after[64]; /* those that must be done first */
    uint32_t n, n_tried, round;
    uint64_t last;
    struct state tried[2 * N_TRIED];
};

static struct state *state_at(struct search *search, uint64_t done, uint64_t word)
{
    uint64_t hash = (done * UINT64_C(0x9e3779b97f4a7c15) ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
    for (uint64_t i = hash >> 32;; i++) {
        struct state *state = &search->tried[i % (2 * N_TRIED)];
        if (state->round != search->round || (state->done == done && state->word == word))
            return state;
    }
}

/* False if it was tried before. */
static bool is_new(struct search *search, uint64_t done, uint64_t word)
{
    struct state *state = state_at(search, done, word);
    if (state->round == search->round)
        return false;
    *state = (struct state){done, word, search->round};
    search->n_tried++;
    return true;
}

static bool can_be_next(const struct search *search, uint32_t i, uint64_t done, uint64_t word)
{
    const struct event *event = search->events[i];
    return !(done >> i & 1) && !(search->after[i] & ~done) &&
           (!is_seeing(event) || event->seen == word);
}

static bool is_possible(struct search *search, uint64_t done, uint64_t word)
{
    if (done == (search->n == 64 ? UINT64_MAX : (UINT64_C(1) << search->n) - 1))
        return word == search->last;
    for (uint32_t i = 0; i < search->n; i++) /* one that only sees may always be next */
        if (is_reading(search->events[i]) && can_be_next(search, i, done, word))
            return is_possible(search, done | UINT64_C(1) << i, word);
    if (search->n_tried >= N_TRIED || !is_new(search, done, word))
        return false;
    for (uint32_t i = 0; i < search->n; i++)
        if (can_be_next(search, i, done, word) &&
            is_possible(search, done | UINT64_C(1) << i, word_after(search->events[i], word)))
            return true;
    return false;
}

static void start_search(struct search *search, const struct history *history,
                         const struct order *order, uint32_t node, uint32_t cell)
{
    uint32_t numbers[64];
    search->n = search->n_tried = 0;
    search->round++;
    search->last = history->last[node][cell];
    for (uint32_t i = 0; i < history->n_events && search->n < 64; i++) {
        const struct event *event = &history->events[i];
        if (event->node == node && event->cell == cell && is_of_word(event)) {
            numbers[search->n] = i;
            search->events[search->n++] = event;
        }
    }
    for (uint32_t i = 0; i < search->n; i++) {
        search->after[i] = 0;
        for (uint32_t k = 0; k < search->n; k++)
            if (order->before[numbers[k]][numbers[i] / 64] >> numbers[i] % 64 & 1)
                search->after[i] |= UINT64_C(1) << k;
    }
}

static void check_word(struct search *search, const struct history *history,
                       const struct order *order, uint32_t node, uint32_t cell,
                       struct verdict *verdict)
{
    if (history_cells[cell].kind == COUNTS)
        return; /* a sum tells all of it */
    start_search(search, history, order, node, cell);
    if (is_possible(search, 0, cell_first(cell)))
        return;
    if (search->n_tried >= N_TRIED) {
        verdict->is_open = true;
        return;
    }
    *verdict = (struct verdict){.is_wrong = true,
                                .what = "no order of a word's events gives what was seen",
                                .node = node,
                                .cell = cell};
}

/* ---- without a search --------------------------------------------------------------------------- */

/* Returns what the counters come to between the sum before `sum` and it; behind the last sum, if that is NULL. */
static uint64_t count_since_sum(const struct history *history, const struct event *sum)
{
    const uint32_t end = sum ? host_place(sum) : UINT32_MAX;
    uint32_t begin = 0;
    uint64_t n = 0;
    for (uint32_t i = 0; i < history->n_events; i++) {
        const uint32_t place = host_place(&history->events[i]);
        if (history->events[i].op == HISTORY_SUM && place < end && place > begin)
            begin = place;
    }
    for (uint32_t i = 0; i < history->n_events; i++) {
        const uint32_t place = host_place(&history->events[i]);
        n += history->events[i].op == GRAVEL_INC && history->events[i].cell == HISTORY_COUNTER &&
             place >= begin && place < end;
    }
    return n;
}

static const char *what_is_wrong_with(const struct history *history, const struct event *event)
{
    if (!is_seeing(event))
        return NULL;
    const struct event *other;
    if (event->n_seen == 0)
        return "a request was not answered, or a handler not run";
    if (event->n_seen > 1)
        return "a handler was run twice, or ranks saw different numbers";
    switch (event->op) {
    case HISTORY_COLLECT:
        other = request_of(history, event);
        return other && other->seen != event->seen ? "an answer came behind its signal" : NULL;
    case HISTORY_SUM:
        return event->seen != count_since_sum(history, event) ? "a sum of counters is wrong" : NULL;
    default:
        return NULL;
    }
}

static bool has_wrong_counters(const struct history *history)
{
    uint64_t left = 0;
    for (uint32_t node = 0; node < history->n_nodes; node++)
        left += history->last[node][HISTORY_COUNTER];
    return left != count_since_sum(history, NULL);
}

static void check_cycle(const struct history *history, const struct order *order, int from,
                        struct verdict *verdict)
{
    uint32_t cycle[HISTORY_EVENTS], n = order_cycle(order, history, (uint32_t)from, cycle);
    for (uint32_t i = 0; i < n && i < MAX_CYCLE; i++) {
        verdict->cycle[i] = cycle[i];
        verdict->reasons[i] = order_reason(order, cycle[i], cycle[(i + 1) % n]);
    }
    verdict->n_cycle = n < MAX_CYCLE ? n : MAX_CYCLE;
    verdict->is_wrong = true;
    verdict->what = "events came before themselves";
}

struct verdict check_history(const struct history *history)
{
    static struct order order;
    static struct search search;
    struct verdict verdict = {.is_wrong = false};
    for (uint32_t i = 0; i < history->n_events && !verdict.is_wrong; i++) {
        verdict.what = what_is_wrong_with(history, &history->events[i]);
        verdict.is_wrong = verdict.what != NULL;
        verdict.n_cycle = verdict.is_wrong;
        verdict.cycle[0] = i;
    }
    if (!verdict.is_wrong && has_wrong_counters(history))
        verdict = (struct verdict){.is_wrong = true,
                                   .what = "counters are not what was added behind their last sum",
                                   .cell = HISTORY_COUNTER};
    if (verdict.is_wrong)
        return verdict;
    int from = order_find(&order, history);
    if (from >= 0)
        check_cycle(history, &order, from, &verdict);
    for (uint32_t node = 0; node < history->n_nodes && !verdict.is_wrong; node++)
        for (uint32_t cell = 0; cell < HISTORY_CELLS && !verdict.is_wrong; cell++)
            check_word(&search, history, &order, node, cell, &verdict);
    return verdict;
}
