/* SPDX-License-Identifier: MIT */
/*
 * Races of an execution. See race.h.
 *
 * Source:  Hower et al. 2014: an ordinary conflict has a plain access, a synchronization conflict two atomics whose
 *          scopes do not meet.
 */
#include "checker/race.h"

static bool conflict(const struct hrf_orders *orders, uint32_t a, uint32_t b)
{
    const struct hrf_event *x = &orders->execution->events[a], *y = &orders->execution->events[b];
    return x->thread != y->thread && (x->writes || y->writes) &&
           !(x->is_atomic && y->is_atomic && hrf_meet(orders, a, b, true));
}

static bool race(const struct hrf_orders *orders, uint32_t a, uint32_t b)
{
    const uint8_t regions = orders->execution->events[a].regions;
    return conflict(orders, a, b) && !hrf_happens_before(orders, a, b, regions) &&
           !hrf_happens_before(orders, b, a, regions);
}

bool hrf_find_race(const struct hrf_orders *orders, uint32_t pair[2])
{
    const struct hrf_event *events = orders->execution->events;
    for (uint32_t l = 0; l < orders->execution->program->n_locations; l++)
        for (int32_t b = orders->execution->last_access[l]; b >= 0; b = events[b].previous_access)
            for (int32_t a = events[b].previous_access; a >= 0; a = events[a].previous_access)
                if (race(orders, (uint32_t)a, (uint32_t)b)) {
                    pair[0] = (uint32_t)a;
                    pair[1] = (uint32_t)b;
                    return true;
                }
    return false;
}
