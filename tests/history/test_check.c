/* SPDX-License-Identifier: MIT */
/*
 * The checker of histories. A case is a few events in an order in which they may be applied, so that it is possible; and then
 * something is wrong with the first of them, most often that it is applied last, which the checker finds and names, or which no
 * promise forbids.
 *
 * Path: meson test -> this (generate.c) -> order.c, cells.c, check.c, shrink.c
 */
#include "cases.h"
#include "history.h"

#include <stdio.h>
#include <string.h>

/* What is wrong with an event. */
enum wrong { NOTHING, LATE, LOST, TWICE, SEES_ITSELF, UNSEEN, SEEN_TWICE };

static uint64_t take_sum(struct history *history)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < history->n_nodes; node++) {
        sum += history->last[node][HISTORY_COUNTER];
        history->last[node][HISTORY_COUNTER] = 0;
    }
    return sum;
}

/* Applies an event to its word, and notes what it sees. */
static void apply(struct history *history, struct event *event, enum wrong wrong)
{
    event->n_seen = !is_seeing(event) || wrong == UNSEEN ? 0 : wrong == SEEN_TWICE ? 2 : 1;
    if (event->op == HISTORY_COLLECT)
        event->seen = request_of(history, event)->seen;
    if (event->op == HISTORY_SUM)
        event->seen = take_sum(history);
    if (!is_of_word(event) || event->cell == HISTORY_FLAG)
        return;
    uint64_t *word = &history->last[event->node][event->cell];
    const uint64_t before = *word;
    event->seen = before;
    const uint64_t after = word_after(event, before);
    *word = wrong == LOST ? before : wrong == TWICE ? word_after(event, after) : after;
    if (wrong == SEES_ITSELF)
        event->seen = after;
}

static void forget(struct history *history)
{
    for (uint32_t node = 0; node < HISTORY_NODES; node++)
        for (uint32_t cell = 0; cell < HISTORY_CELLS; cell++)
            history->last[node][cell] = cell_first(cell);
    for (uint32_t i = 0; i < history->n_events; i++)
        history->events[i].seen = UINT64_MAX; /* until it is applied */
}

/* ---- cases -------------------------------------------------------------------------------------- */

/* What the checker says of them. */
#define IN_ORDER "calls of one group to one node"
#define FENCED "a fence is between them"
#define QUIETED "a quiet is between them"
#define BARRIERED "a call of all ranks, or a round's end, is between them"
#define RETURNED "it had returned"
#define FLAGGED "the flag that was waited for"
#define SEEN "what it did was seen"
#define NO_ORDER "no order of a word's events gives what was seen"

/* Most are of one group of rank 0, to word 0, which is put and got, of node 0. */
enum { SUMS = 4, MIXTURE = 10 };
#define NEXT_LAUNCH .launch = 1
#define JOINT(place) .group = HISTORY_JOINT, NEXT_LAUNCH, .step = (place)
#define HOST(place) .group = HISTORY_HOST, NEXT_LAUNCH, .step = HISTORY_JOINT_STEPS + (place)
#define THREAD .group = HISTORY_THREAD
#define BY_HANDLER .form = HISTORY_HANDLER
#define PHASE(at) .form = HISTORY_PHASE, .step = (at)
#define PUT .op = GRAVEL_PUT
#define GET .op = GRAVEL_GET
#define SWAP .op = GRAVEL_SWAP, .cell = 2
#define RECORD .op = GRAVEL_APPEND, .cell = HISTORY_RECORDS
#define ADDED .op = HISTORY_ADDED, .cell = HISTORY_TOTAL
#define SLOT .op = HISTORY_SLOT, .cell = HISTORY_SLOTTED
#define HANDLER .op = GRAVEL_AM
#define FENCE .op = HISTORY_FENCE, HOST(0)
#define QUIET .op = HISTORY_QUIET, HOST(0)
#define BARRIER .op = HISTORY_BARRIER, JOINT(0)
#define SHARE(place) .op = HISTORY_SHARE, JOINT(place), .cell = HISTORY_MIRRORED
#define TOTAL .op = HISTORY_SUM, JOINT(0)
#define COUNT .op = GRAVEL_INC, .cell = HISTORY_COUNTER
#define FLAG(at) .op = GRAVEL_INC, .cell = HISTORY_FLAG, .step = (at)
#define LOOK .op = HISTORY_LOOK, .group = 2
#define SEES(word) GET, HOST(3), .cell = (word)

static const struct row {
    enum wrong wrong;
    const char *why; /* NULL: that is possible, too */
    struct event events[6];
} rows[] = {
    /* calls of a group */
    {LATE, IN_ORDER, {{PUT}, {PUT, .step = 1}}},
    {LATE, IN_ORDER, {{PUT}, {HANDLER, .step = 1}}},
    {LATE, IN_ORDER, {{RECORD}, {RECORD, .step = 1}}},
    {LATE, NULL, {{PUT}, {PUT, .step = 1, .group = 1}}},
    {LATE, NULL, {{PUT}, {PUT, NEXT_LAUNCH}}},
    {LATE, NULL, {{PUT}, {PUT, .step = 1, .node = 1}, {GET, HOST(3), .node = 1}, {GET, HOST(4)}}},
    {LATE, NULL, {{SWAP, BY_HANDLER}, {SWAP, BY_HANDLER, .step = 1}}},
    {LATE,
     IN_ORDER,
     {{.op = GRAVEL_OR, BY_HANDLER, .cell = 5},
      {SWAP, BY_HANDLER, .type = 1, .step = 1},
      {SEES(2)},
      {GET, HOST(4), .cell = 5}}},
    {LATE, NULL, {{ADDED}, {HANDLER, .cell = HISTORY_TOTAL, .step = 1}}},
    {LATE, NULL, {{HANDLER, .cell = HISTORY_TOTAL}, {ADDED, .step = 1}}},
    /* fences, quiets and barriers */
    {LATE, FENCED, {{PUT}, {FENCE}, {PUT, NEXT_LAUNCH}}},
    {LATE, NULL, {{PUT}, {FENCE}, {GET, HOST(1)}}},
    {LATE, NULL, {{RECORD}, {FENCE}, {RECORD, NEXT_LAUNCH}}},
    {LATE,
     NULL,
     {{PUT},
      {FENCE},
      {PUT, NEXT_LAUNCH, .node = 1},
      {GET, THREAD, .node = 1},
      {GET, THREAD, .step = 1}}},
    {LATE, QUIETED, {{PUT}, {QUIET}, {GET, HOST(1)}}},
    {LATE, NULL, {{PUT}, {QUIET}, {GET, HOST(1), .origin = 1}}},
    {LATE, NULL, {{PUT}, {QUIET}, {GET, THREAD, NEXT_LAUNCH, .step = 7}}},
    {LATE, BARRIERED, {{PUT}, {BARRIER}, {GET, HOST(1), .origin = 1}}},
    {LATE, BARRIERED, {{PUT}, {TOTAL}, {GET, HOST(1), .origin = 1}}},
    {LATE, BARRIERED, {{PUT, .cell = HISTORY_MIRRORED}, {BARRIER}, {SHARE(1)}}},
    {LATE, NULL, {{SLOT}, {QUIET}, {HANDLER, .cell = HISTORY_SLOTTED, NEXT_LAUNCH}}},
    {LATE, BARRIERED, {{SLOT}, {SHARE(0)}, {HANDLER, .cell = HISTORY_SLOTTED, NEXT_LAUNCH}}},
    {LATE, "a sum of counters is wrong", {{COUNT}, {TOTAL}}},
    {LATE, "a sum of counters is wrong", {{TOTAL}, {COUNT, NEXT_LAUNCH}}},
    {LOST, "counters are not what was added behind their last sum", {{COUNT, NEXT_LAUNCH}}},
    /* what has returned */
    {LATE, RETURNED, {{GET, HOST(0)}, {PUT, HOST(1)}}},
    {LATE, NULL, {{PUT, HOST(0)}, {GET, HOST(1)}}},
    {LATE, RETURNED, {{GET, THREAD}, {PUT, THREAD, .step = 1}}},
    {LATE, NULL, {{GET, THREAD}, {PUT, HOST(0)}}},
    {LATE,
     RETURNED,
     {{.op = HISTORY_LOOK, HOST(0)},
      {.op = HISTORY_LOOK, HOST(1), .cell = 1},
      {PUT, .cell = 1},
      {PUT, .step = 1}}},
    {LATE, RETURNED, {{LOOK}, {LOOK, .step = 1}, {PUT}}},
    {LATE, NULL, {{LOOK}, {LOOK, .step = 1, .cell = 1}, {PUT, .cell = 1}, {PUT, .step = 1}}},
    {LATE,
     "an answer came behind its signal",
     {{.op = GRAVEL_FETCH_ADD, .cell = SUMS}, {.op = HISTORY_COLLECT, .step = 1, .cell = SUMS}}},
    /* rounds */
    {LATE, BARRIERED, {{PUT, PHASE(1)}, {PUT, PHASE(2), .origin = 1}}},
    {LATE, NULL, {{PUT, PHASE(0)}, {PUT, PHASE(1)}}},
    {LATE, RETURNED, {{.op = HISTORY_LOOK, PHASE(0)}, {PUT, PHASE(1)}}},
    {LATE, NULL, {{.op = HISTORY_LOOK, PHASE(0)}, {PUT, PHASE(1), .group = 1}}},
    {LATE, BARRIERED, {{PUT, PHASE(7)}, {GET, HOST(3), .origin = 1}}},
    {LATE, BARRIERED, {{PUT, .origin = 1}, {PUT, PHASE(0), NEXT_LAUNCH}}},
    /* flags */
    {LATE, FLAGGED, {{PUT}, {FLAG(1)}, {LOOK, .of_step = 1}}},
    {LATE, FLAGGED, {{.op = GRAVEL_PUT_SIGNAL}, {LOOK}}},
    {LATE, NULL, {{PUT}, {.op = GRAVEL_PUT_SIGNAL, .item = 1, .cell = 1}, {LOOK}}},
    {LATE, NULL, {{PUT, .step = 1}, {FLAG(0)}, {LOOK, .of_step = 1}}},
    {LATE,
     NULL,
     {{PUT, .node = 1}, {FLAG(1)}, {LOOK, .of_step = 1}, {GET, .group = 2, .step = 1, .node = 1}}},
    {LATE, NULL, {{PUT, .group = 1}, {FLAG(1)}, {LOOK, .of_step = 1}}},
    {LATE, NULL, {{ADDED}, {FLAG(1)}, {LOOK, .of_step = 1, .cell = HISTORY_TOTAL}}},
    /* what a value tells, of its word and so of others */
    {LATE, SEEN, {{PUT}, {PUT, .step = 1, .cell = 1}, {SEES(1)}, {GET, HOST(4)}}},
    {LATE,
     SEEN,
     {{PUT}, {.op = GRAVEL_ADD, .step = 1, .cell = SUMS}, {SEES(SUMS)}, {GET, HOST(4)}}},
    {LATE, SEEN, {{PUT}, {.op = GRAVEL_OR, .step = 1, .cell = 5}, {SEES(5)}, {GET, HOST(4)}}},
    {LATE, SEEN, {{PUT}, {.op = GRAVEL_XOR, .step = 1, .cell = 6}, {SEES(6)}, {GET, HOST(4)}}},
    {LATE, SEEN, {{PUT}, {.op = GRAVEL_AND, .step = 1, .cell = 7}, {SEES(7)}, {GET, HOST(4)}}},
    {LATE, SEEN, {{PUT}, {.op = GRAVEL_MAX, .step = 1, .cell = 8}, {SEES(8)}, {GET, HOST(4)}}},
    {LATE, SEEN, {{PUT}, {.op = GRAVEL_MIN, .step = 1, .cell = 9}, {SEES(9)}, {GET, HOST(4)}}},
    /* one word */
    {LOST, NO_ORDER, {{.op = GRAVEL_INC, .cell = MIXTURE}}},
    {TWICE, NO_ORDER, {{.op = GRAVEL_INC, .cell = MIXTURE}}},
    {SEES_ITSELF, NO_ORDER, {{SWAP}}},
    {UNSEEN, "a request was not answered, or a handler not run", {{GET}}},
    {SEEN_TWICE, "a handler was run twice, or ranks saw different numbers", {{HANDLER}}},
};

static void draw(struct history *history, const struct row *row)
{
    *history = (struct history){.n_nodes = 2, .n_origins = 2, .n_launches = 2};
    while (row->events[history->n_events].op) {
        struct event *event = &history->events[history->n_events];
        *event = row->events[history->n_events];
        event->value = UINT64_C(1) << history->n_events++;
        if (event->cell < HISTORY_CELLS && history_cells[event->cell].kind == ANDS)
            event->value = ~event->value;
    }
    forget(history);
}

static bool says(const struct verdict *verdict, const char *why)
{
    for (uint32_t i = 0; i < verdict->n_cycle; i++)
        if (verdict->reasons[i] && !strcmp(verdict->reasons[i], why))
            return true;
    return !strcmp(verdict->what, why);
}

static void expect(const struct row *row, enum wrong wrong, const char *why)
{
    static struct history history;
    draw(&history, row);
    for (uint32_t i = wrong == LATE; i < history.n_events; i++)
        apply(&history, &history.events[i], i ? NOTHING : wrong);
    if (wrong == LATE)
        apply(&history, &history.events[0], NOTHING);
    const struct verdict verdict = check_history(&history);
    if (verdict.is_wrong == !why || (why && !says(&verdict, why))) {
        print_history(&history, &verdict);
        fail_msg("case %td, expected: %s", row - rows, why ? why : "possible");
    }
}

TEST(what_is_possible_is_accepted_and_what_is_not_is_named)
{
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        expect(row, NOTHING, NULL);
        expect(row, row->wrong, row->why);
    }
}

/* ---- random histories ---------------------------------------------------------------------------- */

/* A history_run: events happen as they were drawn, and something is wrong with the third put. */
static void run(struct history *history, void *wrong)
{
    uint32_t n_puts = 0;
    forget(history);
    for (uint32_t i = 0; i < history->n_events; i++) {
        n_puts += history->events[i].op == GRAVEL_PUT;
        apply(history, &history->events[i],
              history->events[i].op == GRAVEL_PUT && n_puts == 3 ? *(enum wrong *)wrong : NOTHING);
    }
}

TEST(each_operation_is_drawn)
{
    static struct history history = {
        .n_nodes = 2, .n_origins = 2, .kernels_wait = true, .handlers_look = true};
    bool is_drawn[HISTORY_SHARE + 1] = {false};
    uint32_t n_drawn = 0;
    for (history.seed = 1; history.seed <= 50; history.seed++) {
        generate_history(&history);
        for (uint32_t i = 0; i < history.n_events; i++) {
            n_drawn += !is_drawn[history.events[i].op];
            is_drawn[history.events[i].op] = true;
        }
    }
    assert_int_equal(n_drawn, 32); /* those that print.c names */
}

TEST(what_fails_is_made_small)
{
    static struct history history = {
        .n_nodes = 2, .n_origins = 2, .kernels_wait = true, .handlers_look = true};
    enum wrong nothing = NOTHING, lost = LOST;
    struct verdict verdict = {.is_wrong = false};
    while (!verdict.is_wrong) {
        history.seed++;
        generate_history(&history);
        run(&history, &nothing);
        assert_false(check_history(&history).is_wrong);
        run(&history, &lost);
        verdict = check_history(&history);
    }
    verdict = shrink_history(&history, verdict, run, &lost);
    print_history(&history, &verdict);
    assert_true(verdict.is_wrong);
    assert_int_equal(history.n_events, 3);
}
