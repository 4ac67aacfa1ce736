/* SPDX-License-Identifier: MIT */
/*
 * Tests of who reads the lines that kernels print.
 *
 * Path: test_lines.c -> this -> lines_readers.c
 */
#ifndef GRAVEL_TESTS_LINES_READERS_H
#define GRAVEL_TESTS_LINES_READERS_H

void a_reader_that_has_stopped_fails_the_node_and_it_closes(void **state);
void quiet_waits_for_the_lines_of_its_own_node(void **state);
void a_slow_reader_makes_nothing_late(void **state);
void a_reader_that_has_gone_is_an_error_and_kernels_run_on(void **state);
void a_full_disk_is_an_error_that_counts_lost_lines(void **state);
void a_file_at_its_limit_is_an_error_that_counts_lost_lines(void **state);

#endif
