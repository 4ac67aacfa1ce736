/* SPDX-License-Identifier: MIT */
/*
 * Makes every public call that returns a code, on a node that has one of everything: with right arguments, or once for each
 * argument that can be wrong. Without cmocka's assertions, so that forked children can use it.
 *
 * Path:    lib/gravel.map -> calls.h -> test_calls.c.
 * Threads: any one at a time.
 */
#ifndef GRAVEL_TESTS_CALLS_H
#define GRAVEL_TESTS_CALLS_H

#include "expect.h"

enum arguments { RIGHT, ONE_WRONG };

/**
 * Judges what a call came to.
 *
 * @param due   code for the argument that is wrong; 0 with RIGHT
 * @param part  of the text, that names what is wrong; "" with RIGHT
 */
typedef void calls_judge(const char *call, int code, int due, const char *part);

/** Opens two loop-back nodes with one of everything. @return the node */
struct gravel *calls_open(const struct gravel_bindings *bindings);
void calls_close(void);

/** Makes the calls of the node; all but gravel_abort. */
void calls_make(enum arguments arguments, calls_judge *judge);

/** Makes the calls that need no node. */
void calls_make_settings(enum arguments arguments, calls_judge *judge);

/** Notes a call that another way than these makes. */
void calls_note(const char *call);

/** Counts and prints a fault. */
void calls_fault(const char *call, const char *what);

/** Faults if the call has not failed with `due`, and a text that begins with its name and has `part`. */
void calls_expect(const char *call, int code, int due, const char *part);

/** The environment's TEST_CALLS is the path of lib/gravel.map. @return faults so far, and calls of it that were not made */
unsigned calls_end(void);

/** @return faults so far */
unsigned calls_faults(void);

#endif
