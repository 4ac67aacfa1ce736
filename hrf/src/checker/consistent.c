/* SPDX-License-Identifier: MIT */
/*
 * The axioms of an execution. See consistent.h.
 *
 * Reads-from and the atomicity of read-modify-writes hold by the way explore.c builds.
 *
 * Source:  Batty et al. 2016, "Overhauling SC Atomics in C11 and OpenCL": coherence; a partial order of seq_cst
 *          operations, those of one scope.
 */
#include "checker/consistent.h"

/* Returns whether event b, if it comes after a, neither stores nor reads something older. */
static bool are_coherent(const struct hrf_orders *orders, int32_t a, int32_t b)
{
    const struct hrf_execution *execution = orders->execution;
    const struct hrf_event *x = &execution->events[a], *y = &execution->events[b];
    const uint16_t known = hrf_newest_position(execution, x);
    return !hrf_happens_before(orders, (uint32_t)a, (uint32_t)b, x->regions) ||
           ((!y->reads || hrf_read_position(execution, y) >= known) &&
            (!y->writes || y->position > known));
}

static bool has_coherence(const struct hrf_orders *orders)
{
    const struct hrf_execution *execution = orders->execution;
    for (uint32_t l = 0; l < execution->program->n_locations; l++)
        for (int32_t b = execution->last_access[l]; b >= 0;
             b = execution->events[b].previous_access)
            for (int32_t a = execution->events[b].previous_access; a >= 0;
                 a = execution->events[a].previous_access)
                if (!are_coherent(orders, a, b) || !are_coherent(orders, b, a))
                    return false;
    return true;
}

/* ---- seq_cst --------------------------------------------------------------------------------- */

/* Returns whether the second access stores over what the first one stored or read. */
static bool is_overwritten(const struct hrf_execution *execution, const struct hrf_event *first,
                           const struct hrf_event *second)
{
    return first != second && first->location >= 0 && first->location == second->location &&
           second->writes && hrf_newest_position(execution, first) < second->position;
}

/* Returns whether y, or of a fence an access before it, stores over what x knows. */
static bool ends_before(const struct hrf_execution *execution, const struct hrf_event *x,
                        const struct hrf_event *y)
{
    if (!y->is_fence)
        return is_overwritten(execution, x, y);
    for (int32_t e = y->previous; e >= 0; e = execution->events[e].previous)
        if (is_overwritten(execution, x, &execution->events[e]))
            return true;
    return false;
}

/* Returns whether seq_cst event a must come before b in their order. */
static bool is_before(const struct hrf_orders *orders, uint32_t a, uint32_t b)
{
    const struct hrf_execution *execution = orders->execution;
    const struct hrf_event *x = &execution->events[a], *y = &execution->events[b];
    if (a == b || !hrf_meet(orders, a, b, false))
        return false;
    if (hrf_happens_before(orders, a, b, HRF_ALL_REGIONS))
        return true;
    if (!x->is_fence)
        return ends_before(execution, x, y);
    for (int32_t e = execution->last[x->thread]; e >= 0 && execution->events[e].index > x->index;
         e = execution->events[e].previous)
        if (ends_before(execution, &execution->events[e], y))
            return true;
    return false;
}

/* Takes away seq_cst events that nothing left must come before; what cannot be taken is a cycle. */
static bool has_sc_order(const struct hrf_orders *orders)
{
    uint16_t left[HRF_MAX_EVENTS];
    uint32_t n_left = 0;
    for (uint32_t e = 0; e < orders->execution->n; e++)
        if ((orders->execution->events[e].order & HRF_SEQ_CST) == HRF_SEQ_CST)
            left[n_left++] = (uint16_t)e;
    for (uint32_t i = 0; i < n_left;) {
        bool is_free = true;
        for (uint32_t j = 0; j < n_left && is_free; j++)
            is_free = !is_before(orders, left[j], left[i]);
        if (is_free) {
            left[i] = left[--n_left];
            i = 0;
        } else {
            i++;
        }
    }
    return n_left == 0;
}

bool hrf_is_consistent(const struct hrf_orders *orders)
{
    return !orders->is_cyclic && has_coherence(orders) && has_sc_order(orders);
}
