/* SPDX-License-Identifier: MIT */
/*
 * Tests of nodes that break a rule; the state is the node of one process.
 *
 * Path: test_flow.c -> this -> flow_faults.c
 */
#ifndef GRAVEL_TESTS_FLOW_FAULTS_H
#define GRAVEL_TESTS_FLOW_FAULTS_H

void fault_ends_the_run_with_its_name(void **state);
void more_than_declared_is_refused_when_room_ends(void **state);

#endif
