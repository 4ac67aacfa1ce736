/* SPDX-License-Identifier: MIT */
/*
 * Two accesses that race.
 *
 * Path:    orders.c -> race.c -> verdict.c.
 */
#ifndef GRAVEL_HRF_RACE_H
#define GRAVEL_HRF_RACE_H

#include "checker/orders.h"

/**
 * Find two conflicting accesses of an ordered execution, of which neither happens before the other.
 *
 * @param pair    [out] their events.
 * @return      whether there are any.
 */
bool hrf_find_race(const struct hrf_orders *orders, uint32_t pair[2]);

#endif
