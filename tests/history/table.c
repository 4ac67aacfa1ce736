/* SPDX-License-Identifier: MIT */
/*
 * Where a history lies in the heap, and a launch of it as the scripts that interpret.cl runs. Each word has a page of its own, for
 * what is applied page by page. A group has a flag, which its put_signals raise at their nodes, and a count of its answers; each of
 * its calls has a place for the answer of each work-item.
 *
 * Path: history.h -> this -> run.c, interpret.cl
 */
#include "nodes.h"

#include <string.h>

uint64_t cell_offset(const struct layout *layout, uint32_t cell)
{
    return layout->words + CELL_AT(cell);
}

uint32_t place_of(const struct event *event, uint32_t step)
{
    return ((event->launch * HISTORY_GROUPS + event->group) * HISTORY_STEPS + step) *
               HISTORY_ITEMS +
           event->item;
}

static uint64_t flag_at(const struct layout *layout, uint32_t origin, uint32_t launch,
                        uint32_t group)
{
    return layout->flags + 4 * ((origin * HISTORY_LAUNCHES + launch) * HISTORY_GROUPS + group);
}

uint64_t flag_of(const struct layout *layout, const struct event *look)
{
    return flag_at(layout, look->of_origin, look->of_launch, look->of_group);
}

static uint32_t count_answers(const struct history *history, const struct event *collect)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < history->n_events; i++)
        n += is_counted(&history->events[i], collect);
    return n;
}

/* A step is as each of its events says; one that lost some of its work-items takes a predicate. */
static void fill_call(struct history_call *call, const struct layout *layout,
                      const struct history *history, const struct event *event)
{
    call->code = HISTORY_CODE(event->op, event->type);
    call->form = event->form;
    call->flag = flag_at(layout, event->origin, event->launch, event->group);
    if (event->op == HISTORY_LOOK) {
        call->flag = flag_of(layout, event);
        call->n_raised = n_raising(history, event);
    } else if (event->op == HISTORY_COLLECT) {
        call->code = HISTORY_CODE(HISTORY_LOOK, event->type);
        call->flag = layout->answered + 4 * (event->launch * HISTORY_GROUPS + event->group);
        call->n_raised = count_answers(history, event);
    }
}

static void fill_item(struct history_item *item, const struct layout *layout,
                      const struct event *event, uint32_t number)
{
    const bool is_wide = event->type == GRAVEL_ULONG;
    item->active = 1;
    item->node = event->node;
    item->value = event->op == GRAVEL_AM || event->op == GRAVEL_APPEND ? number : event->value;
    item->expected = event->op == GRAVEL_AM ? event->cell : event->expected;
    item->index = event->cell == HISTORY_FLAG
                      ? (uint32_t)(flag_at(layout, event->origin, event->launch, event->group) -
                                   layout->words) /
                            4
                      : (uint32_t)CELL_AT(event->cell) / (is_wide ? 8 : 4);
    item->place = place_of(event, event->step) *
                  (is_wide || event->form == HISTORY_HANDLER ? 1 : 2); /* its answers are ulong */
    item->poll_at = event->op == HISTORY_COLLECT
                        ? layout->answers + 8 * place_of(event, event->of_step)
                        : cell_offset(layout, event->cell);
}

static bool is_whole(const struct history_item items[HISTORY_ITEMS])
{
    for (uint32_t item = 0; item < HISTORY_ITEMS; item++)
        if (!items[item].active)
            return false;
    return true;
}

void table_fill(struct table *table, const struct layout *layout, const struct history *history,
                uint32_t origin, uint32_t launch)
{
    memset(table, 0, sizeof *table);
    for (uint32_t i = 0; i < history->n_events; i++) {
        const struct event *event = &history->events[i];
        if (event->origin != origin || event->launch != launch || !is_of_kernel(event))
            continue;
        fill_call(&table->calls[event->group][event->step], layout, history, event);
        fill_item(&table->items[event->group][event->step][event->item], layout, event, i);
    }
    for (uint32_t group = 0; group < HISTORY_GROUPS; group++)
        for (uint32_t step = 0; step < HISTORY_STEPS; step++) {
            struct history_call *call = &table->calls[group][step];
            if (call->form == HISTORY_WG && !is_whole(table->items[group][step]))
                call->form = HISTORY_WG_IF;
            if (!call->code)
                call->flag = layout->flags; /* waited for until it is 0 at least */
        }
}
