/* SPDX-License-Identifier: MIT */
/*
 * Sequential consistency: an order of an execution's events in which each reads what was stored last.
 *
 * Path:    explore.c -> linear.c -> execution.h.
 */
#ifndef GRAVEL_HRF_LINEAR_H
#define GRAVEL_HRF_LINEAR_H

#include "checker/execution.h"

/**
 * Adds the events of an execution to another one, which is emptied before, in such an order.
 *
 * @return  whether there is one; else `to` has a part.
 */
bool hrf_linearize(const struct hrf_execution *from, struct hrf_execution *to);

#endif
