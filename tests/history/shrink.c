/* SPDX-License-Identifier: MIT */
/*
 * Makes a failing history small: takes events out, half of them, a quarter, at last one at a time, as long as what is left
 * fails. Since a failure is a matter of luck, each candidate gets several runs.
 *
 * All ranks do this alike, for all see all that was seen.
 *
 * Path:   history.c -> this (run.c, check.c) -> print.c
 * Source: Zeller, Hildebrandt, Simplifying and isolating failure-inducing input, 2002.
 */
#include "history.h"

/* Of all candidates, and of each; of rounds one takes long. */
#define N_RUNS(history) ((history)->has_rounds ? 60u : 6000u)
#define N_RUNS_EACH(history) ((history)->has_rounds ? 3u : 150u)

struct shrinking {
    history_run *run;
    void *user;
    uint32_t n_runs;
};

static struct verdict run_until_wrong(struct shrinking *shrinking, struct history *history)
{
    struct verdict verdict = {.is_wrong = false};
    for (uint32_t i = 0; i < N_RUNS_EACH(history) && !verdict.is_wrong; i++) {
        shrinking->run(history, shrinking->user);
        verdict = check_history(history);
        shrinking->n_runs++;
    }
    return verdict;
}

static void copy_without(struct history *to, const struct history *from, uint32_t first, uint32_t n)
{
    *to = *from;
    to->n_events = 0;
    for (uint32_t i = 0; i < from->n_events; i++)
        if (i < first || i >= first + n)
            to->events[to->n_events++] = from->events[i];
}

struct verdict shrink_history(struct history *history, struct verdict verdict, history_run *run,
                              void *user)
{
    static struct history candidate;
    struct shrinking shrinking = {run, user, 0};
    for (uint32_t n = (history->n_events + 1) / 2; n > 0; n /= 2)
        for (uint32_t first = 0; first < history->n_events && shrinking.n_runs < N_RUNS(history);) {
            copy_without(&candidate, history, first, n);
            struct verdict found = run_until_wrong(&shrinking, &candidate);
            if (found.is_wrong) {
                *history = candidate;
                verdict = found;
            } else {
                first += n;
            }
        }
    return verdict;
}
