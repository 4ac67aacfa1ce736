/* SPDX-License-Identifier: MIT */
/*
 * Happens-before of one execution under one model, as vector clocks.
 *
 * Path:    verdict.c, explore.c -> orders.c -> race.c, consistent.c.
 * Owner:   the caller; the memory is used again for the next execution.
 *
 * Usually there is one clock for each event. Where orders of two scopes do not combine (direct), or those of two kinds
 * of memory (opencl), there is one for each: a pass.
 */
#ifndef GRAVEL_HRF_ORDERS_H
#define GRAVEL_HRF_ORDERS_H

#include "checker/execution.h"

struct hrf_pass {
    int32_t instance; /* pairs at this scope alone; HRF_NONE: all */
    uint8_t regions;  /* pairs that order this memory */
};

struct hrf_orders {
    const struct hrf_rules *rules;
    const struct hrf_execution *execution; /* that was ordered last */
    struct hrf_pass *passes;               /* [n_passes] */
    uint32_t n_passes, max_events;
    uint16_t *clocks; /* [n_passes][max_events][n_threads] */
    uint16_t *scopes; /* [max_events] instance at which it acts, promoted or its own */
    bool is_growing;  /* events may still be added: only what no later event can undo */
    bool is_cyclic;   /* an event is before itself, so there is no such execution */
    bool looks_ahead; /* a pair's release was added after its acquire */
};

/**
 * @param is_growing  for hrf_order_last; else for hrf_order.
 * @return            0; -1 without memory, and then there is nothing to free.
 */
int hrf_orders_init(struct hrf_orders *orders, const struct hrf_program *program,
                    const struct hrf_rules *rules, bool is_growing);
void hrf_orders_free(struct hrf_orders *orders);

/** Orders a whole execution. */
void hrf_order(struct hrf_orders *orders, const struct hrf_execution *execution);

/** Orders the event that was added last: of a barrier, the group's events. */
void hrf_order_last(struct hrf_orders *orders, const struct hrf_execution *execution);

/** Returns whether event a happens before event b as far as memory of these regions goes. */
bool hrf_happens_before(const struct hrf_orders *orders, uint32_t a, uint32_t b, uint8_t regions);

/** Returns whether two operations synchronize if their orders do. */
bool hrf_meet(const struct hrf_orders *orders, uint32_t a, uint32_t b, bool may_promote);

#endif
