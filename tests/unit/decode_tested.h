/* SPDX-License-Identifier: MIT */
/*
 * What tests of the check of node buffers share: a node that receives them, and
 * a frame that is built, checked and refused.
 *
 * Every frame is checked in a block of exactly its size, so that a sanitizer
 * sees reads beyond it.
 *
 * Path:    test_decode.c, decode_rows.c -> this -> frame_builder.h,
 * lib/resolve/decode.c.
 */
#ifndef GRAVEL_TESTS_DECODE_TESTED_H
#define GRAVEL_TESTS_DECODE_TESTED_H

#include "cases.h"
#include "frame_builder.h"
#include "resolve/decode.h"

#include <stdio.h>
#include <string.h>

#define SOURCE 3u
#define NODE 1u
#define SEQUENCE 12u
#define HEAP_BYTES (1u << 20)
#define N_HANDLERS 6u
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* The receiving node: allocations [0, 4096), [4096, 8192), [8192, 8292); 8320
 * was freed. */
extern struct gravel_heap *heap;
extern struct gravel_handler handlers[N_HANDLERS];
extern const struct gravel_expect expect;
int handle(struct gravel *gravel, void *user, uint32_t source, const uint64_t args[4]);

extern struct frame frame;
extern struct gravel_refusal refusal; /* of the last check */

/* Every operation on a word. */
struct word {
    uint32_t op, type, bytes;
    bool has_value;
};
extern const struct word words[];
extern const size_t n_words;

/** Of the group of tests. */
void set_up(void);
void tear_down(void);

extern bool is_of_records; /* the frame is checked as one of records; begin()
                              makes it one of messages */

/** Check the first bytes of the frame as if so many had been received. */
int check_received(uint32_t bytes, const struct gravel_expect *expected);
int check(void);
/** By that code, and a text that contains `part`. */
void assert_refused(int code, const char *part);

void begin(void);
struct run_place add_word_run(const struct word *word, bool is_wide, uint64_t base, uint32_t n);
struct run_place add_call_run(uint32_t handler, uint32_t n_args, uint32_t n);
/** One run of uint increments at 4096 whose only index is given. */
void build_one_index(uint32_t index);

/** A run of n records, of a line or of a stream. */
void build_records(uint32_t command, uint32_t n);

#endif
