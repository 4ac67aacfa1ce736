/* SPDX-License-Identifier: MIT */
/*
 * Engine `graphs`: all executions that a model allows, weak ones too, each once.
 *
 * Path:    verdict.c -> graphs.c -> machine.c, orders.c, consistent.c; each execution -> the visitor.
 * Owner:   the engine has all; what a visitor keeps it copies.
 * Source:  Lahav et al. 2017 (RC11: no cycle of program order and reads-from); Kokologiannakis et al. 2022, "Truly
 *          Stateless, Optimal Dynamic Partial Order Reduction": graphs grow event by event.
 */
#ifndef GRAVEL_HRF_GRAPHS_H
#define GRAVEL_HRF_GRAPHS_H

#include "checker/explore.h"

/** @return 0; -1 without memory. */
int hrf_explore_graphs(struct hrf_search *search, const struct hrf_rules *rules);

#endif
