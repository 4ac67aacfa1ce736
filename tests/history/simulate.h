/* SPDX-License-Identifier: MIT */
/*
 * Nodes without Gravel, which keep its promises and nothing more, or break one of them.
 *
 * Path: test_check.c -> simulate.c
 */
#ifndef TESTS_HISTORY_SIMULATE_H
#define TESTS_HISTORY_SIMULATE_H

#include "history.h"

/* What is broken. */
enum fault {
    NO_FAULT,
    OVERTAKES,     /* a group's messages to a node have no order */
    LOSES,         /* one update does nothing */
    TWICE,         /* one update is applied twice */
    FENCE_EARLY,   /* a fence orders nothing */
    QUIET_EARLY,   /* a quiet waits for nothing */
    WRONG_OLD,     /* an answer is the new value */
    SIGNAL_EARLY,  /* a put_signal raises the signal when it is sent */
    ANSWER_LATE,   /* answers are counted before they come */
    HANDLED_LATE,  /* a handler is run ahead of what its group sent before */
    BARRIER_EARLY, /* a call of all ranks waits for nothing */
    BLOCK_TWICE,   /* two work-items have one block */
    N_FAULTS
};

struct simulation {
    enum fault fault;
    uint64_t random; /* state */
};

/** A history_run; user is a struct simulation. */
void simulate(struct history *history, void *user);

#endif
