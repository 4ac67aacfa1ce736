/* SPDX-License-Identifier: MIT */
/*
 * Nodes of a machine that share a device test it one after the other. Where processes get a device by turns, kernels of
 * each wait while those of another run: polls seem to take longer than they do, so that kernels give up too early, and
 * the host's limits pass.
 *
 * A name of the machine's abstract sockets is held while a node tests; it goes with the process.
 *
 * Path:    self_test.c -> here.
 * Owner:   who took the turn.
 * Threads: any.
 */
#ifndef GRAVEL_SELF_TEST_ONE_AT_A_TIME_H
#define GRAVEL_SELF_TEST_ONE_AT_A_TIME_H

#include <stdint.h>

/**
 * Wait until no other process tests the device.
 *
 * @param identity  of the device; 0: unknown, and there is no turn.
 * @param limit_ns  longest wait [ns], as a process may stand in its test: then without a turn.
 * @return          to give back; -1 without a turn.
 */
int gravel_test_turn_take(uint64_t identity, uint64_t limit_ns);

/** Let the next one test. @param turn  of gravel_test_turn_take; -1 is allowed. */
void gravel_test_turn_give(int turn);

#endif
