/* SPDX-License-Identifier: MIT */
/*
 * Random histories, checked: what ranks and work-groups send, and what they see of it, is possible by what Gravel promises.
 * A history that is not is made small and printed as a program.
 *
 * usage: history [asks|rounds] SECONDS [SEED]   histories SEED, SEED + 1, ... for so long, times TEST_TIMES; the clock's
 *                                               without SEED. asks: to handlers of the device, too; rounds: in phases
 *        history [asks|rounds] one SEED         history SEED, a thousand times
 * exit:  0; 1 with the program that failed
 *
 * Path: meson test -> generate.c -> run.c, observe.c -> check.c -> shrink.c -> print.c
 */
#include "nodes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tally {
    uint64_t n_histories, n_events, n_open;
};

static bool fails(struct history *history, struct nodes *nodes, struct tally *tally)
{
    nodes_run(history, nodes);
    struct verdict verdict = check_history(history);
    tally->n_histories++;
    tally->n_events += history->n_events;
    tally->n_open += verdict.is_open;
    if (!verdict.is_wrong)
        return false;
    if (nodes->node == 0) {
        printf("# history %" PRIu64 " of %u events fails (%s); it is made smaller\n", history->seed,
               history->n_events, verdict.what);
        fflush(stdout);
    }
    verdict = shrink_history(history, verdict, nodes_run, nodes);
    if (nodes->node == 0)
        print_history(history, &verdict);
    return true;
}

/* The clock's of the first node. */
static uint64_t seed_of_clock(struct nodes *nodes)
{
    return nodes_sum(nodes, nodes->node == 0 ? (uint64_t)time(NULL) * 1000000 : 0);
}

static double limit_of(const char *argument)
{
    const char *times = getenv("TEST_TIMES");
    return atof(argument) * (times ? atof(times) : 1);
}

static bool find_failing(struct nodes *nodes, uint64_t seed, double limit_s, bool is_one)
{
    static struct history history;
    struct tally tally = {0};
    const double begin = seconds_now();
    bool has_failed = false, is_over = false;
    nodes_describe(nodes, &history);
    for (history.seed = seed; !has_failed && !is_over; history.seed += !is_one) {
        generate_history(&history);
        has_failed = fails(&history, nodes, &tally);
        is_over = is_one ? tally.n_histories == 1000
                         : nodes_sum(nodes, seconds_now() - begin >= limit_s) > 0;
    }
    if (nodes->node == 0)
        printf("%" PRIu64 " histories from %" PRIu64 ", %" PRIu64 " events, %" PRIu64
               " undecided, %.1f s\n",
               tally.n_histories, seed, tally.n_events, tally.n_open, seconds_now() - begin);
    return has_failed;
}

int main(int n_arguments, char **arguments)
{
    const bool asks = n_arguments > 1 && !strcmp(arguments[1], "asks");
    const bool has_rounds = n_arguments > 1 && !strcmp(arguments[1], "rounds");
    arguments += asks + has_rounds;
    n_arguments -= asks + has_rounds;
    MUST(n_arguments == 2 || n_arguments == 3);
    struct nodes *nodes = nodes_open(asks, has_rounds);
    const bool is_one = !strcmp(arguments[1], "one");
    const uint64_t seed = n_arguments > 2 ? strtoull(arguments[2], NULL, 10) : seed_of_clock(nodes);
    if (nodes->node == 0)
        printf("# from seed %" PRIu64 "\n", seed);
    fflush(stdout);
    bool has_failed = find_failing(nodes, seed, limit_of(arguments[1]), is_one);
    nodes_close(nodes);
    return has_failed;
}
