/* SPDX-License-Identifier: MIT */
/*
 * The suites of gravel-conformance. Each opens a node with the default configuration, as environment and launcher say,
 * sends, checks, and prints TAP at node 0.
 *
 * Path:    gravel-conformance.c, trial.c -> a suite -> gravel.h alone.
 * Threads: main's, of a process that runs one suite: what cannot be goes to standard error, and ends the process.
 */
#ifndef TOOLS_CONFORMANCE_SUITES_H
#define TOOLS_CONFORMANCE_SUITES_H

/** @return 0; 1 if a line failed. */
typedef int suite_function(int n_arguments, char **arguments);

suite_function suite_words;      /* operations on words, active messages (words.c) */
suite_function suite_requests;   /* requests, put with signal */
suite_function suite_waits;      /* waits for words */
suite_function suite_mirror;     /* mirrors, of slots and of copies */
suite_function suite_accumulate; /* accumulators */
suite_function suite_records;    /* lines, records, asks of functions of the host */
suite_function suite_handlers;   /* handlers that the device runs (calls.c) */
suite_function suite_ledger;     /* nothing lost, doubled, torn, misrouted; MODE [MESSAGES] */

/** What a suite returns, after a TAP line `1..0 # SKIP why`, where a device cannot do at all what it is about. */
#define SUITE_REFUSED 77

#endif
