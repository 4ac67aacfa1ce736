/* SPDX-License-Identifier: MIT */
/*
 * Whether a model allows an execution.
 *
 * Path:    orders.c -> consistent.c -> explore.c.
 */
#ifndef GRAVEL_HRF_CONSISTENT_H
#define GRAVEL_HRF_CONSISTENT_H

#include "checker/orders.h"

/** Returns whether happens-before, coherence and the order of seq_cst operations of a whole execution fit together. */
bool hrf_is_consistent(const struct hrf_orders *orders);

#endif
