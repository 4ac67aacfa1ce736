/* SPDX-License-Identifier: MIT */
/*
 * The checker of histories: it accepts what nodes do that keep the promises, and rejects what nodes do that break one. The nodes are
 * without Gravel: they keep its promises and nothing more, or break one, by drawing, again and again, one of the things that may
 * happen next: the host's next call, a group's next step, or the arrival of a message that nothing must precede.
 *
 * Path: meson test -> generate.c -> this -> order.c, check.c, shrink.c
 */
#include "cases.h"
#include "history.h"
#include "mix.h"

#include <stdio.h>
#include <string.h>

/* What is broken. */
enum fault {
    NO_FAULT,
    OVERTAKES,     /* a group's messages to a node have no order */
    LOSES,         /* one update does nothing */
    TWICE,         /* one update is applied twice */
    FENCE_EARLY,   /* a fence orders nothing */
    QUIET_EARLY,   /* a quiet waits for nothing */
    WRONG_OLD,     /* an answer is the new value */
    SIGNAL_EARLY,  /* a put_signal raises the signal when it is sent */
    ANSWER_LATE,   /* answers are counted before they come */
    HANDLED_LATE,  /* a handler is run ahead of what its group sent before */
    BARRIER_EARLY, /* a call of all ranks waits for nothing */
    N_FAULTS
};

struct simulation {
    enum fault fault;
    uint64_t random; /* state */
};

enum progress { WAITING, SENT, DONE };

struct state {
    struct history *history;
    struct simulation *simulation;
    enum progress progress[HISTORY_EVENTS];
    uint32_t epoch[HISTORY_EVENTS];   /* fences of its host before it */
    uint32_t n_fences[HISTORY_NODES]; /* of an origin */
    uint32_t raised[HISTORY_NODES][HISTORY_NODES][HISTORY_LAUNCHES][HISTORY_GROUPS]; /* at a node */
    bool has_failed; /* what is broken has been, once */
};

static uint32_t below(struct state *state, uint32_t n)
{
    state->simulation->random = mix(state->simulation->random);
    return (uint32_t)(state->simulation->random >> 32) % n;
}

static bool breaks(const struct state *state, enum fault fault)
{
    return state->simulation->fault == fault;
}

/* ---- what must be first ------------------------------------------------------------------------- */

/* Whether a comes before b in the program of their rank: a launch waits for the one before, hosts for nothing. */
static bool is_issued_before(const struct event *a, const struct event *b)
{
    const bool is_of_thread = a->group == HISTORY_THREAD || b->group == HISTORY_THREAD;
    if (is_joint(a) || is_joint(b))
        return !is_of_thread && host_place(a) < host_place(b);
    if (a->origin != b->origin)
        return false;
    if (a->group == HISTORY_THREAD || b->group == HISTORY_THREAD)
        return a->group == b->group && a->step < b->step;
    if (is_of_kernel(a) && is_of_kernel(b))
        return a->launch < b->launch ||
               (a->launch == b->launch && a->group == b->group && a->step < b->step);
    if (is_of_kernel(b))
        return a->launch <= b->launch;
    if (is_of_kernel(a))
        return a->launch < b->launch && (b->op == HISTORY_FENCE || b->op == HISTORY_QUIET);
    return a->launch < b->launch || (a->launch == b->launch && a->step < b->step);
}

static bool is_issued(const struct state *state, uint32_t i)
{
    return state->progress[i] != WAITING;
}

/* What is in slots is sent when it can be, and waited for by nobody. */
static bool all_before_are(const struct state *state, uint32_t event, enum progress least)
{
    const struct event *events = state->history->events;
    for (uint32_t i = 0; i < state->history->n_events; i++)
        if (is_issued_before(&events[i], &events[event]) &&
            state->progress[i] < (is_of_slot(&events[i]) && least == DONE ? SENT : least))
            return false;
    return true;
}

static bool has_answers(const struct state *state, const struct event *collect)
{
    for (uint32_t i = 0; i < state->history->n_events; i++)
        if (is_counted(&state->history->events[i], collect) && state->progress[i] != DONE)
            return false;
    return true;
}

static bool can_be_issued(const struct state *state, uint32_t i)
{
    const struct event *event = &state->history->events[i];
    if (is_issued(state, i) || !all_before_are(state, i, SENT))
        return false;
    switch (event->op) {
    case HISTORY_QUIET:
        return breaks(state, QUIET_EARLY) || all_before_are(state, i, DONE);
    case HISTORY_BARRIER:
    case HISTORY_SUM:
    case HISTORY_SHARE:
        return breaks(state, BARRIER_EARLY) || all_before_are(state, i, DONE);
    case HISTORY_COLLECT:
        return breaks(state, ANSWER_LATE) || has_answers(state, event);
    case HISTORY_LOOK:
        return state->raised[event->node][event->of_origin][event->of_launch][event->of_group] >=
               n_raising(state->history, event);
    default:
        return true;
    }
}

static bool must_precede(const struct state *state, uint32_t i, uint32_t k)
{
    const struct event *a = &state->history->events[i], *b = &state->history->events[k];
    if (state->progress[i] != SENT || a->origin != b->origin || a->node != b->node || is_of_slot(a))
        return false;
    if (state->epoch[i] < state->epoch[k] && a->group != HISTORY_THREAD &&
        b->group != HISTORY_THREAD && !breaks(state, FENCE_EARLY))
        return true;
    return is_of_kernel(a) && a->launch == b->launch && a->group == b->group && a->step < b->step &&
           is_in_order(a) == is_in_order(b) && (is_in_order(a) || a->op == b->op) &&
           !are_for_one_handler(a, b) && !breaks(state, OVERTAKES) &&
           !(breaks(state, HANDLED_LATE) && b->op == GRAVEL_AM);
}

static bool can_arrive(const struct state *state, uint32_t k)
{
    if (state->progress[k] != SENT || is_of_slot(&state->history->events[k]))
        return false;
    for (uint32_t i = 0; i < state->history->n_events; i++)
        if (must_precede(state, i, k))
            return false;
    return true;
}

/* ---- what happens ------------------------------------------------------------------------------- */

static void raise_flag(struct state *state, const struct event *event)
{
    if (raises_flag(event))
        state->raised[event->node][event->origin][event->launch][event->group]++;
}

/* Once: an update that has an effect. */
static bool breaks_now(struct state *state, enum fault fault, uint64_t before, uint64_t after)
{
    if (!breaks(state, fault) || state->has_failed || before == after || below(state, 4))
        return false;
    return state->has_failed = true;
}

static void apply(struct state *state, struct event *event)
{
    if (event->cell == HISTORY_FLAG)
        return;
    uint64_t *word = &state->history->last[event->node][event->cell], before = *word;
    event->seen = before;
    event->n_seen = is_seeing(event);
    const uint64_t after = word_after(event, before);
    if (!breaks_now(state, LOSES, before, after))
        *word = after;
    if (breaks_now(state, TWICE, after, word_after(event, after)))
        *word = word_after(event, after);
    if (is_seeing(event) && event->op != GRAVEL_CAS && breaks_now(state, WRONG_OLD, before, after))
        event->seen = after;
}

static uint64_t collected(const struct state *state, const struct event *collect)
{
    const struct event *request = request_of(state->history, collect);
    if (!request)
        return 0;
    return state->progress[request - state->history->events] == DONE ? request->seen : 0xa5a5a5a5;
}

static void arrive(struct state *state, uint32_t i)
{
    struct event *event = &state->history->events[i];
    state->progress[i] = DONE;
    apply(state, event);
    if (!breaks(state, SIGNAL_EARLY))
        raise_flag(state, event);
}

/* What is in slots is applied. */
static void share_slots(struct state *state)
{
    for (uint32_t i = 0; i < state->history->n_events; i++)
        if (is_of_slot(&state->history->events[i]) && state->progress[i] == SENT)
            arrive(state, i);
}

static uint64_t take_sum(struct state *state)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < state->history->n_nodes; node++) {
        sum += state->history->last[node][HISTORY_COUNTER];
        state->history->last[node][HISTORY_COUNTER] = 0;
    }
    return sum;
}

/* What changes nothing, or is no message. */
static void do_at_once(struct state *state, struct event *event)
{
    event->n_seen = is_seeing(event);
    if (event->op == HISTORY_FENCE)
        state->n_fences[event->origin]++;
    else if (event->op == HISTORY_COLLECT)
        event->seen = collected(state, event);
    else if (event->op == HISTORY_SUM)
        event->seen = take_sum(state);
    else if (event->op == HISTORY_SHARE)
        share_slots(state);
    if (is_of_word(event))
        apply(state, event);
}

static void issue(struct state *state, uint32_t i)
{
    struct event *event = &state->history->events[i];
    state->epoch[i] = state->n_fences[event->origin];
    state->progress[i] = is_message(event) ? SENT : DONE;
    if (!is_message(event))
        do_at_once(state, event);
    if (breaks(state, SIGNAL_EARLY))
        raise_flag(state, event);
}

static bool issue_one(struct state *state, uint32_t first)
{
    const uint32_t n = state->history->n_events;
    for (uint32_t i = 0; i < n; i++)
        if (can_be_issued(state, (first + i) % n)) {
            issue(state, (first + i) % n);
            return true;
        }
    return false;
}

static bool let_one_arrive(struct state *state, uint32_t first)
{
    const uint32_t n = state->history->n_events;
    for (uint32_t i = 0; i < n; i++)
        if (can_arrive(state, (first + i) % n)) {
            arrive(state, (first + i) % n);
            return true;
        }
    return false;
}

/* What is issued waits a while, so that much is under way. @return false if nothing can happen. */
static bool go_on(struct state *state)
{
    const uint32_t first = below(state, state->history->n_events);
    if (below(state, 4))
        return issue_one(state, first) || let_one_arrive(state, first);
    return let_one_arrive(state, first) || issue_one(state, first);
}

/* A history_run; user is a struct simulation. */
static void simulate(struct history *history, void *user)
{
    static struct state state;
    state = (struct state){.history = history, .simulation = user};
    for (uint32_t node = 0; node < HISTORY_NODES; node++)
        for (uint32_t cell = 0; cell < HISTORY_CELLS; cell++)
            history->last[node][cell] = cell_first(cell);
    for (uint32_t i = 0; i < history->n_events; i++)
        history->events[i].seen = history->events[i].n_seen = 0;
    while (history->n_events && go_on(&state))
        ;
    share_slots(&state); /* as a run does at its end */
}

/* ---- the tests ---------------------------------------------------------------------------------- */

static const char *const fault_names[N_FAULTS] = {
    "none",      "overtakes",    "loses",       "twice",        "fence early",  "quiet early",
    "wrong old", "signal early", "answer late", "handled late", "barrier early"};

static struct history history;

static void draw(uint64_t seed)
{
    history.seed = seed;
    history.n_nodes = 1 + seed % HISTORY_NODES;
    history.n_origins = seed % 3 ? history.n_nodes : 1;
    history.kernels_wait = seed % 5 != 0;
    history.handlers_look = seed % 7 != 0;
    history.asks = seed % 2;
    generate_history(&history);
}

TEST(promises_kept_are_accepted)
{
    struct simulation simulation = {NO_FAULT, 1};
    uint32_t n_open = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        draw(seed);
        simulate(&history, &simulation);
        struct verdict verdict = check_history(&history);
        if (verdict.is_wrong)
            print_history(&history, &verdict);
        assert_false(verdict.is_wrong);
        n_open += verdict.is_open;
    }
    printf("# 200 histories, %u undecided\n", n_open);
    assert_in_range(n_open, 0, 2);
}

static uint32_t n_circles; /* that were found, each with its reasons */

static uint32_t n_found(enum fault fault, uint32_t n)
{
    struct simulation simulation = {fault, 1};
    uint32_t n_wrong = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        draw(seed);
        simulate(&history, &simulation);
        const struct verdict verdict = check_history(&history);
        n_wrong += verdict.is_wrong;
        n_circles += verdict.n_cycle > 1 && verdict.reasons[0] && verdict.reasons[1];
    }
    return n_wrong;
}

TEST(promises_broken_are_found)
{
    for (uint32_t fault = NO_FAULT + 1; fault < N_FAULTS; fault++) {
        uint32_t n = n_found((enum fault)fault, 100);
        printf("# %s: found in %u of 100 histories\n", fault_names[fault], n);
        assert_in_range(n, 5, 100);
    }
    assert_in_range(n_circles, 50, UINT32_MAX);
}

TEST(what_fails_is_made_small)
{
    struct simulation simulation = {OVERTAKES, 1};
    struct verdict verdict = {.is_wrong = false};
    for (uint64_t seed = 1; !verdict.is_wrong; seed++) {
        draw(seed);
        simulate(&history, &simulation);
        verdict = check_history(&history);
    }
    verdict = shrink_history(&history, verdict, simulate, &simulation);
    print_history(&history, &verdict);
    assert_true(verdict.is_wrong);
    assert_in_range(history.n_events, 2, 4);
}
