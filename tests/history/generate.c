/* SPDX-License-Identifier: MIT */
/*
 * Draws a history. Few words, so that many meet at each; values as the words' kinds need them.
 *
 * Path: history.c gives seed, ranks and what the step can do -> this -> run.c
 */
#include "history.h"

#include "mix.h"

struct draw {
    struct history *history;
    uint64_t state;
    uint32_t n_of[HISTORY_NODES][HISTORY_CELLS];   /* events of each word */
    uint64_t stored[HISTORY_NODES][HISTORY_CELLS]; /* one of the values stored there */
};

static uint32_t below(struct draw *draw, uint32_t n)
{
    draw->state = mix(draw->state);
    return (uint32_t)(draw->state >> 32) % n;
}

static bool chance(struct draw *draw, uint32_t percent)
{
    return below(draw, 100) < percent;
}

/* The forms that interpret.cl has besides that with a predicate. */
static bool has_form(uint32_t op, uint32_t type, uint32_t form)
{
    static const uint32_t alone[] = {
        HISTORY_CODE(GRAVEL_PUT, GRAVEL_UINT),         HISTORY_CODE(GRAVEL_INC, GRAVEL_UINT),
        HISTORY_CODE(GRAVEL_FETCH_ADD, GRAVEL_UINT),   HISTORY_CODE(GRAVEL_CAS, GRAVEL_ULONG),
        HISTORY_CODE(GRAVEL_PUT_SIGNAL, GRAVEL_ULONG), HISTORY_CODE(GRAVEL_AM, GRAVEL_ULONG)};
    static const uint32_t all[] = {HISTORY_CODE(GRAVEL_PUT, GRAVEL_UINT),
                                   HISTORY_CODE(GRAVEL_SWAP, GRAVEL_ULONG)};
    for (uint32_t i = 0; form == HISTORY_WI && i < sizeof alone / sizeof *alone; i++)
        if (alone[i] == HISTORY_CODE(op, type))
            return true;
    for (uint32_t i = 0; form == HISTORY_WG && i < sizeof all / sizeof *all; i++)
        if (all[i] == HISTORY_CODE(op, type))
            return true;
    return form == HISTORY_WG_IF;
}

/* Of the operations that a handler can do, every second one. */
static bool has_handler(struct draw *draw, const struct event *event)
{
    const uint32_t code = HISTORY_CODE(event->op, event->type);
    return draw->history->asks && chance(draw, 50) &&
           (code == HISTORY_CODE(GRAVEL_OR, GRAVEL_UINT) ||
            code == HISTORY_CODE(GRAVEL_FETCH_OR, GRAVEL_UINT) ||
            code == HISTORY_CODE(GRAVEL_PUT, GRAVEL_ULONG) ||
            code == HISTORY_CODE(GRAVEL_SWAP, GRAVEL_ULONG));
}

static bool offers(uint32_t cell, uint32_t op, uint32_t type)
{
    const struct cell *words = &history_cells[cell];
    for (uint32_t i = 0; i < MAX_CELL_OPS && words->ops[i]; i++)
        if (words->ops[i] == op && words->type == type)
            return true;
    return false;
}

/* One that messages change, mostly. */
static uint32_t draw_any_cell(struct draw *draw)
{
    if (chance(draw, 30))
        return below(draw, HISTORY_CELLS);
    const uint32_t cell = below(draw, HISTORY_TOTAL + 1);
    return cell == HISTORY_TOTAL ? HISTORY_LOG : cell;
}

static uint32_t draw_op(struct draw *draw, uint32_t cell)
{
    uint32_t n = 0;
    while (n < MAX_CELL_OPS && history_cells[cell].ops[n])
        n++;
    return history_cells[cell].ops[below(draw, n)];
}

/* A word for an operation: active messages that look take any. */
static uint32_t draw_cell(struct draw *draw, uint32_t op, uint32_t type)
{
    uint32_t cell;
    if (op == GRAVEL_AM) {
        cell = draw->history->handlers_look ? below(draw, HISTORY_RECORDS + 1) : HISTORY_LOG;
        return cell == HISTORY_RECORDS ? HISTORY_LOG : cell;
    }
    do
        cell = below(draw, HISTORY_CELLS);
    while (!offers(cell, op, type));
    return cell;
}

static void draw_value(struct draw *draw, struct event *event)
{
    const uint32_t n = draw->n_of[event->node][event->cell]++;
    const uint64_t number = draw->history->n_events + 1;
    uint64_t *stored = &draw->stored[event->node][event->cell];
    event->expected = *stored;
    switch (history_cells[event->cell].kind) {
    case REGISTER: /* both halves of each half, so that a torn word shows */
        event->value = number * (event->type == GRAVEL_UINT ? 0x10001 : UINT64_C(0x1000100010001));
        break;
    case SUM:
    case ORS:
    case XORS:
        event->value = UINT64_C(1) << n;
        break;
    case ANDS:
        event->value = ~(UINT64_C(1) << n);
        break;
    case MAXS:
    case MINS:
        event->value = (mix(number) & 0xfffff000) | number;
        break;
    default:
        event->value = below(draw, 16);
    }
    if (chance(draw, 50))
        *stored = event->value;
}

static void add(struct draw *draw, struct event event)
{
    struct history *history = draw->history;
    if (history->n_events == HISTORY_EVENTS)
        return;
    if (is_of_word(&event) && event.cell != HISTORY_FLAG) {
        if (draw->n_of[event.node][event.cell] == HISTORY_OF_A_CELL)
            return;
        draw_value(draw, &event);
    }
    history->events[history->n_events++] = event;
}

/* ---- steps of a work-group --------------------------------------------------------------------- */

static void draw_call(struct draw *draw, struct event event)
{
    const bool is_phase = event.form == HISTORY_PHASE;
    uint32_t cell;
    do {
        cell = draw_any_cell(draw);
        event.op = (uint8_t)draw_op(draw, cell);
    } while (is_phase && (event.op == GRAVEL_PUT_SIGNAL ||
                          (event.op >= HISTORY_ADDED && event.op <= HISTORY_SLOT)));
    event.type = (uint8_t)history_cells[cell].type;
    event.form = (uint8_t)(is_phase ? HISTORY_PHASE : below(draw, 3));
    if (!is_phase && !has_form(event.op, event.type, event.form))
        event.form = HISTORY_WG_IF;
    if (!is_phase && has_handler(draw, &event))
        event.form = HISTORY_HANDLER;
    const uint32_t percent = event.form == HISTORY_WG ? 100 : 15 + below(draw, 60);
    for (event.item = 0; event.item < HISTORY_ITEMS; event.item++)
        if (chance(draw, percent)) {
            event.node = (uint8_t)below(draw, draw->history->n_nodes);
            event.cell = (uint8_t)draw_cell(draw, event.op, event.type);
            add(draw, event);
        }
}

static void draw_flag(struct draw *draw, struct event event)
{
    event.op = GRAVEL_INC;
    event.type = GRAVEL_UINT;
    event.form = chance(draw, 50) ? HISTORY_WG_IF : HISTORY_WI;
    event.cell = HISTORY_FLAG;
    for (event.node = 0; event.node < draw->history->n_nodes; event.node++) {
        event.item = (uint8_t)(event.node + HISTORY_NODES * below(draw, 2));
        add(draw, event);
    }
}

/* For the flag of a launch that a rank begins before this one, or has begun ahead of this call of the host. */
static void wait_for_earlier(struct draw *draw, struct event *event)
{
    event->of_origin = (uint8_t)below(draw, draw->history->n_origins);
    event->of_launch = (uint8_t)below(draw, event->launch);
    event->of_group = (uint8_t)below(draw, HISTORY_GROUPS);
    event->of_step = (uint8_t)below(draw, HISTORY_STEPS);
}

static void draw_look(struct draw *draw, struct event event)
{
    event.op = HISTORY_LOOK;
    event.node = event.origin;
    event.of_origin = event.origin;
    event.of_launch = event.launch;
    event.of_group = event.group;
    event.of_step = event.step;
    if (event.launch > 0 && event.form != HISTORY_PHASE && chance(draw, 60))
        wait_for_earlier(draw, &event);
    event.type = chance(draw, 50) ? GRAVEL_UINT : GRAVEL_ULONG;
    for (event.item = 0; event.item < HISTORY_ITEMS; event.item++) {
        event.cell = (uint8_t)below(draw, HISTORY_RECORDS);
        if (history_cells[event.cell].type == event.type)
            add(draw, event);
    }
}

/* The answers of the group's last requests. */
static void draw_collect(struct draw *draw, struct event event)
{
    const struct history *history = draw->history;
    const uint32_t n = history->n_events;
    uint32_t last = n;
    while (last > 0 && !is_counted(&history->events[last - 1], &event))
        last--;
    event.op = HISTORY_COLLECT;
    for (uint32_t i = 0; last > 0 && i < n; i++) {
        const struct event *request = &history->events[i];
        if (is_counted(request, &event) && request->step == history->events[last - 1].step) {
            event.item = request->item;
            event.type = request->type;
            event.of_step = request->step;
            event.node = request->node;
            event.cell = request->cell;
            add(draw, event);
        }
    }
}

static void draw_phases(struct draw *draw, struct event event)
{
    event.form = HISTORY_PHASE;
    for (event.step = 0; event.step < HISTORY_STEPS; event.step++)
        if (event.step % HISTORY_PHASES == 0 && chance(draw, 20))
            draw_collect(draw, event); /* of rounds that have ended */
        else
            (chance(draw, 20) ? draw_look : draw_call)(draw, event);
}

static void draw_group(struct draw *draw, struct event event)
{
    const uint32_t n_steps = 2 + below(draw, HISTORY_STEPS - 1);
    for (event.step = 0; event.step < n_steps; event.step++)
        if (draw->history->kernels_wait && chance(draw, 20))
            draw_look(draw, event);
        else if (draw->history->kernels_wait && chance(draw, 10))
            draw_collect(draw, event);
        else if (chance(draw, 10))
            draw_flag(draw, event);
        else
            draw_call(draw, event);
}

/* ---- the host ---------------------------------------------------------------------------------- */

/* Where the host addresses the heap it may poll a flag too. */
static void draw_poll(struct draw *draw, struct event event)
{
    event.op = HISTORY_LOOK;
    event.node = event.origin;
    event.cell = (uint8_t)below(draw, HISTORY_RECORDS);
    event.type = (uint8_t)history_cells[event.cell].type;
    wait_for_earlier(draw, &event);
    add(draw, event);
}

/* What the host can do with a word: updates, active messages, and gravel_get. */
static void draw_host_call(struct draw *draw, struct event event)
{
    uint32_t cell;
    do {
        cell = draw_any_cell(draw);
        event.op = (uint8_t)draw_op(draw, cell);
    } while (event.op > GRAVEL_AM && event.op != GRAVEL_GET);
    event.type = (uint8_t)history_cells[cell].type;
    event.node = (uint8_t)below(draw, draw->history->n_nodes);
    event.cell = (uint8_t)draw_cell(draw, event.op, event.type);
    if (has_handler(draw, &event))
        event.form = HISTORY_HANDLER;
    if (event.group == HISTORY_THREAD &&
        (event.cell == HISTORY_COUNTER || event.cell == HISTORY_MIRRORED))
        return; /* which stand still while all ranks sum or share */
    add(draw, event);
}

static void draw_thread(struct draw *draw, struct event event)
{
    const uint32_t n_steps = below(draw, HISTORY_STEPS);
    for (event.step = 0; event.step < n_steps; event.step++)
        draw_host_call(draw, event);
}

static void draw_host(struct draw *draw, struct event event)
{
    static const uint8_t others[] = {HISTORY_FLUSH, HISTORY_SESSION};
    const uint32_t n_steps = HISTORY_JOINT_STEPS + below(draw, 6);
    for (event.step = HISTORY_JOINT_STEPS; event.step < n_steps; event.step++)
        if (chance(draw, 25)) {
            event.op = chance(draw, 60) ? HISTORY_FENCE : HISTORY_QUIET;
            add(draw, event);
        } else if (chance(draw, 30)) {
            event.op = others[below(draw, 2)];
            event.value = below(draw, 1000);
            add(draw, event);
        } else if (draw->history->handlers_look && event.launch > 0 && chance(draw, 30)) {
            draw_poll(draw, event);
        } else {
            draw_host_call(draw, event);
        }
}

/* What all ranks do together: nothing, mostly. */
static void draw_joint(struct draw *draw, struct event event)
{
    static const uint8_t ops[] = {HISTORY_BARRIER, HISTORY_SUM, HISTORY_SHARE};
    for (event.step = 0; event.step < HISTORY_JOINT_STEPS; event.step++) {
        if (chance(draw, 85))
            continue;
        event.op = ops[below(draw, 3)];
        event.type = GRAVEL_UINT;
        event.node = (uint8_t)below(draw, draw->history->n_nodes);
        event.cell = event.op == HISTORY_SUM ? HISTORY_COUNTER : HISTORY_MIRRORED;
        event.value = below(draw, 1000);
        add(draw, event);
    }
}

void generate_history(struct history *history)
{
    struct draw draw = {.history = history, .state = mix(history->seed)};
    history->n_events = 0;
    history->n_launches = 1 + below(&draw, HISTORY_LAUNCHES);
    for (uint32_t launch = 0; launch <= history->n_launches; launch++) {
        draw_joint(&draw, (struct event){.launch = (uint8_t)launch, .group = HISTORY_JOINT});
        for (uint32_t origin = 0; origin < history->n_origins; origin++) {
            struct event event = {.origin = (uint8_t)origin, .launch = (uint8_t)launch};
            event.group = HISTORY_HOST;
            draw_host(&draw, event);
            event.group = HISTORY_THREAD;
            if (launch == 0 && !history->has_rounds && chance(&draw, 50))
                draw_thread(&draw, event);
            for (event.group = 0; launch < history->n_launches && event.group < HISTORY_GROUPS;
                 event.group++)
                (history->has_rounds ? draw_phases : draw_group)(&draw, event);
        }
    }
}
