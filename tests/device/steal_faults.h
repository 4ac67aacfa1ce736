/* SPDX-License-Identifier: MIT */
/*
 * Tests of kernels, programs, launches and options of deques that are refused or told.
 *
 * Path: test_steal.c -> this -> steal_faults.c
 */
#ifndef GRAVEL_TESTS_STEAL_FAULTS_H
#define GRAVEL_TESTS_STEAL_FAULTS_H

void kernel_that_leaves_is_told(void **state);
void deque_that_is_overwritten_is_told(void **state);
void program_of_another_task_is_refused(void **state);
void launches_that_cannot_be(void **state);
void bad_options_are_named(void **state);

#endif
