/* SPDX-License-Identifier: MIT */
/*
 * Tests of what a run of an incoming node buffer may say.
 *
 * Path:    test_decode.c -> this -> decode_runs.c
 */
#ifndef GRAVEL_TESTS_DECODE_RUNS_H
#define GRAVEL_TESTS_DECODE_RUNS_H

void hostile_counts_are_refused(void **state);
void calls_without_arguments_are_limited_in_number(void **state);
void last_word_passes_and_the_next_is_refused(void **state);
void last_wide_word_passes_and_the_next_is_refused(void **state);
void bad_bases_are_refused(void **state);
void index_does_not_reach_the_neighbouring_allocation(void **state);
void freed_allocation_is_refused(void **state);
void unknown_commands_are_refused(void **state);
void bad_handlers_are_refused(void **state);
void malformed_calls_are_refused(void **state);
void padding_must_be_zero(void **state);
void flips_of_run_bits_never_pass_unless_they_make_sense(void **state);
void long_names_do_not_overflow_the_refusal(void **state);

#endif
