/* SPDX-License-Identifier: MIT */
/*
 * What an event is, and what it has to do with another one.
 *
 * Path: table.c, run.c, order.c, check.c, print.c -> this.
 */
#include "history.h"

bool is_of_kernel(const struct event *event)
{
    return event->group < HISTORY_GROUPS;
}

bool is_of_phase(const struct event *event)
{
    return is_of_kernel(event) && event->form == HISTORY_PHASE;
}

bool is_joint(const struct event *event)
{
    return event->group == HISTORY_JOINT;
}

bool is_of_word(const struct event *event)
{
    return event->op < HISTORY_COLLECT || event->op == HISTORY_SHARE;
}

uint32_t host_place(const struct event *event)
{
    return event->launch * 256u + (is_of_kernel(event) ? 255u : event->step);
}

bool are_of_one_group(const struct event *a, const struct event *b)
{
    return a->origin == b->origin && a->launch == b->launch && a->group == b->group &&
           a->group != HISTORY_HOST;
}

bool is_message(const struct event *event)
{
    return event->op < HISTORY_LOOK &&
           (is_of_kernel(event) || event->op != GRAVEL_GET); /* the host's returns with the word */
}

bool is_seeing(const struct event *event)
{
    return event->op == GRAVEL_AM || event->op == GRAVEL_APPEND ||
           (event->op >= GRAVEL_FETCH && event->op <= HISTORY_COLLECT) ||
           event->op == HISTORY_SUM || event->op == HISTORY_SHARE;
}

bool is_reading(const struct event *event)
{
    return event->op == GRAVEL_GET || event->op == HISTORY_LOOK || event->op == HISTORY_SHARE ||
           (event->op == GRAVEL_AM && event->cell != HISTORY_LOG) ||
           (event->op == GRAVEL_CAS && event->seen != event->expected);
}

bool is_request(const struct event *event)
{
    return event->op >= GRAVEL_FETCH && event->op < HISTORY_LOOK && is_message(event);
}

bool is_of_flag(const struct event *event, const struct event *look)
{
    return event->origin == look->of_origin && event->launch == look->of_launch &&
           event->group == look->of_group;
}

bool raises_flag(const struct event *event)
{
    return event->op == GRAVEL_PUT_SIGNAL || event->cell == HISTORY_FLAG;
}

bool is_raising(const struct event *event, const struct event *look)
{
    return raises_flag(event) && event->node == look->node && event->step <= look->of_step &&
           is_of_flag(event, look);
}

uint32_t n_raising(const struct history *history, const struct event *look)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < history->n_events; i++)
        n += is_raising(&history->events[i], look);
    return n;
}

bool is_counted(const struct event *event, const struct event *collect)
{
    return is_request(event) && are_of_one_group(event, collect) && event->step < collect->step;
}

const struct event *request_of(const struct history *history, const struct event *collect)
{
    for (uint32_t i = 0; i < history->n_events; i++) {
        const struct event *event = &history->events[i];
        if (is_counted(event, collect) && event->step == collect->of_step &&
            event->item == collect->item)
            return event;
    }
    return NULL;
}
