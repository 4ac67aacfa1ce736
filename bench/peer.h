/* SPDX-License-Identifier: MIT */
/*
 * What the rivals of applications in plain C have in common: two variants, and trials that end in a report.
 *
 * Path:    bench_sssp.c, bench_kmeans.c, bench_color.c, bench_mer.c -> this -> frame/trials.h
 * Owner:   trials are the caller's until peer_report.
 * Threads: main's.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "frame/options.h"
#include "frame/trials.h"

#include <stdbool.h>

/* By OpenMP on all cores, if the compiler has it; on one. */
enum peer_variant { PEER_PARALLEL, PEER_SERIAL };

/** The variant where --variant names none. */
enum peer_variant peer_default(void);

/** Take the name of a variant, `parallel` or "serial"; other names, and `parallel` without OpenMP, are refused. */
error_t peer_take_variant(struct argp_state *state, const struct app_option *option,
                          const char *value, const char *parallel, enum peer_variant *variant);

/** Its name. */
const char *peer_name(enum peer_variant variant, const char *parallel);

/** Threads of OpenMP that it runs on [count]. */
unsigned peer_threads(enum peer_variant variant);

/** Run trials, or die. */
void peer_run(struct trials *trials, trial_step *reset, trial_step *run, void *app);

/** Report the trials and free them, or die. @param n_wrong  what the check found, if there was one. @return n_wrong. */
uint64_t peer_report(struct trials *trials, bool is_checked, uint64_t n_wrong);

#endif
