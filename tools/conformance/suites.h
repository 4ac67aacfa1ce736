/* SPDX-License-Identifier: MIT */
/*
 * The suites of gravel-conformance. Each opens a node with the default configuration, as environment and launcher say,
 * sends, checks, and prints TAP at node 0.
 *
 * Path:    gravel-conformance.c, trial.c -> suite_run (stage.c) -> a suite -> gravel.h alone.
 * Threads: main's, of a process that runs one suite: what cannot be goes to standard error, and ends the process.
 */
#ifndef TOOLS_CONFORMANCE_SUITES_H
#define TOOLS_CONFORMANCE_SUITES_H

#include <stdint.h>

struct stage;

struct suite {
    const char *text;    /* of its kernels */
    uint64_t heap_bytes; /* of each node: stage->heap */
    void (*run)(struct stage *stage);
    const struct gravel_bindings *bindings;
    int (*alone)(int n_arguments,
                 char **arguments); /* instead of all others: returns as suite_run does */
};

extern const struct suite suite_words, /* operations on words, active messages (words.c) */
    suite_requests,                    /* requests, put with signal */
    suite_waits,                       /* waits for words */
    suite_mirror,                      /* mirrors, of slots and of copies */
    suite_accumulate,                  /* accumulators (words.c) */
    suite_rounds,                      /* rounds (words.c) */
    suite_records,                     /* lines, records, asks of functions of the host */
    suite_handlers,                    /* handlers that the device runs (calls.c) */
    suite_ledger;                      /* nothing lost, doubled, torn, misrouted; MODE [MESSAGES] */

/** What a suite returns, after a TAP line `1..0 # SKIP why`, where a device cannot do at all what it is about. */
#define SUITE_REFUSED 77

/**
 * Runs a suite. With the argument "singles" stage_operations runs a tenth, in which each operation is, each type and each
 * form: every kernel is compiled, which takes longer than its cases.
 *
 * @return 0; 1 if a line failed; SUITE_REFUSED if the device lacks the step that GRAVEL_STEP names, or what handlers of the
 *         device need.
 */
int suite_run(const struct suite *suite, int n_arguments, char **arguments);

#endif
