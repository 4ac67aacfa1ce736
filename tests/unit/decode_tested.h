/* SPDX-License-Identifier: MIT */
/*
 * What tests of the check of node buffers share: a node that receives them, and a frame that is built by hand, checked and
 * refused. Arrays of a run are appended one after the other, not placed by wire.h's macros.
 *
 * Path:    test_decode.c, test_decode_rows.c -> this -> lib/resolve/decode.c
 */
#ifndef GRAVEL_TESTS_DECODE_TESTED_H
#define GRAVEL_TESTS_DECODE_TESTED_H

#include "cases.h"
#include "resolve/decode.h"
#include "transport/wire.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE 3u
#define NODE 1u
#define SEQUENCE 12u
#define HEAP_BYTES (1u << 20)
#define N_HANDLERS 6u
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- frames ---------------------------------------------------------------------------------- */

#define FRAME_CAPACITY 65536u

struct frame {
    _Alignas(8) unsigned char bytes[FRAME_CAPACITY];
    uint32_t n_bytes;
};

/* Where a run's arrays begin, in bytes from the start of the frame. */
struct run_place {
    uint32_t header;
    uint32_t indices;
    uint32_t values; /* row 0; the rows follow each other */
    uint32_t end;    /* of the last array; padding follows */
};

static inline struct gravel_frame *frame_header(struct frame *frame)
{
    return (struct gravel_frame *)(void *)frame->bytes;
}

static inline void frame_begin(struct frame *frame, uint32_t source, uint32_t destination,
                               uint64_t sequence)
{
    memset(frame, 0, sizeof *frame);
    frame->n_bytes = 32;
    *frame_header(frame) = (struct gravel_frame){
        .magic = GRAVEL_FRAME_MAGIC,
        .version = GRAVEL_FRAME_VERSION,
        .kind = 1,
        .source = source,
        .bytes = 32,
        .sequence = sequence,
        .destination = destination,
    };
}

static inline uint32_t frame_append(struct frame *frame, uint32_t bytes, uint32_t alignment)
{
    uint32_t at = (frame->n_bytes + alignment - 1) / alignment * alignment;
    assert(at + bytes <= FRAME_CAPACITY);
    frame->n_bytes = at + bytes;
    return at;
}

/* Appends a run of n messages, all zeros, with the header of signals or the shorter one of other runs. Sizes are given by
 * hand: 0, 4 or 8 bytes an index, 4 or 8 a value. */
static inline struct run_place frame_add_signal_run(struct frame *frame, uint32_t command,
                                                    uint64_t base, uint64_t result, uint64_t signal,
                                                    uint32_t n, uint32_t index_bytes,
                                                    uint32_t value_bytes, uint32_t n_values)
{
    struct run_place place;
    const struct gravel_signal_run run = {{command, n, base}, result, signal};
    const uint32_t header_bytes = signal ? sizeof run : sizeof run.run;
    place.header = frame_append(frame, header_bytes, 8);
    memcpy(frame->bytes + place.header, &run, header_bytes);
    place.indices = frame_append(frame, index_bytes * n, 4);
    place.values = frame_append(frame, value_bytes * n * n_values, n_values ? value_bytes : 1);
    place.end = frame->n_bytes;
    frame_append(frame, 0, 8);
    frame_header(frame)->bytes = frame->n_bytes;
    frame_header(frame)->n_messages += n;
    return place;
}

static inline struct run_place frame_add_run(struct frame *frame, uint32_t command, uint64_t base,
                                             uint32_t n, uint32_t index_bytes, uint32_t value_bytes,
                                             uint32_t n_values)
{
    return frame_add_signal_run(frame, command, base, 0, 0, n, index_bytes, value_bytes, n_values);
}

static inline void frame_set_u32(struct frame *frame, uint32_t at, uint32_t i, uint32_t value)
{
    memcpy(frame->bytes + at + 4 * i, &value, 4);
}

static inline void frame_set_u64(struct frame *frame, uint32_t at, uint32_t i, uint64_t value)
{
    memcpy(frame->bytes + at + 8 * i, &value, 8);
}

/* ---- the node ---------------------------------------------------------------------------------- */

/* The receiving node: allocations [0, 4096), [4096, 8192), [8192, 8292); 8320 was freed. */
static struct gravel_heap *heap;
static struct frame frame;
static struct gravel_refusal refusal; /* of the last check */
static bool
    is_of_records; /* the frame is checked as one of records; begin() makes it one of messages */

static struct gravel_stream stream = {.name = "hits", .record_bytes = 8};

static inline int handle(struct gravel *gravel, void *user, uint32_t source, const uint64_t args[4])
{
    (void)gravel, (void)user, (void)source, (void)args;
    return 0;
}

static struct gravel_handler handlers[N_HANDLERS] = {
    {.name = "none", .function = handle, .n_answers = 1},
    {.name = "two", .n_args = 2, .function = handle, .n_answers = 1},
    {.name = "four", .n_args = 4, .function = handle},
    {.name = "one", .n_args = 1, .function = handle, .n_answers = 1},
    {.name = "three", .n_args = 3, .function = handle, .n_answers = 1},
    {.name = "mute", .function = handle}};

static const struct gravel_endpoints endpoints = {
    .handlers = handlers, .streams = &stream, .n_handlers = N_HANDLERS, .n_streams = 1};
static const struct gravel_expect expect = {SOURCE, NODE, SEQUENCE, &endpoints, .heap = NULL};

/* Every operation on a word. */
struct word {
    uint32_t op, type, bytes;
    bool has_value;
};
static const struct word words[] = {
#define WORD(OP, op, TYPE, type) \
    {GRAVEL_##OP, GRAVEL_##TYPE, GRAVEL_TYPE_BYTES(GRAVEL_##TYPE), true},
#define INC_WORD(TYPE, type) {GRAVEL_INC, GRAVEL_##TYPE, GRAVEL_TYPE_BYTES(GRAVEL_##TYPE), false},
    GRAVEL_VALUE_OPERATIONS(WORD) GRAVEL_DOUBLE_OPERATIONS(WORD) GRAVEL_INC_TYPES(INC_WORD)};
#define N_OPERATIONS LENGTH(words)

static inline void set_up(void)
{
    uint64_t offset = 0;
    assert_false(gravel_heap_create(&heap, 0, HEAP_BYTES) ||
                 gravel_heap_alloc(heap, 4096, &offset) || gravel_heap_alloc(heap, 4096, &offset) ||
                 gravel_heap_alloc(heap, 100, &offset) || gravel_heap_alloc(heap, 4096, &offset) ||
                 gravel_heap_free(heap, offset));
    assert_int_equal(offset, 8320);
}

static inline void tear_down(void)
{
    gravel_heap_destroy(heap);
}

/** Checks the first bytes of the frame as if so many had been received. */
static inline int check_received(uint32_t bytes, const struct gravel_expect *expected)
{
    void *copy = malloc(bytes ? bytes : 1); /* so that a sanitizer sees every read beyond */
    assert_non_null(copy);
    memcpy(copy, frame.bytes, bytes);
    memset(&refusal, 0x55, sizeof refusal);
    gravel_heap_lock_shared(heap);
    struct gravel_expect due = *expected;
    due.heap = is_of_records ? NULL : heap;
    due.are_records = is_of_records;
    int code = gravel_decode_check(copy, bytes, &due, NULL, &refusal);
    gravel_heap_unlock_shared(heap);
    assert_memory_equal(copy, frame.bytes, bytes);
    free(copy);
    assert_int_equal(refusal.code, code);
    assert_non_null(memchr(refusal.text, '\0', sizeof refusal.text));
    assert_true((code == 0) == (refusal.text[0] == '\0'));
    return code;
}

static inline int check(void)
{
    return check_received(frame.n_bytes, &expect);
}

/** By that code, and a text that contains `part`. */
static inline void assert_refused(int code, const char *part)
{
    int found = check();
    if (found != code || !strstr(refusal.text, part))
        fail_msg("got %d \"%s\", expected %d \"%s\"", found, refusal.text, code, part);
}

static inline void begin(void)
{
    is_of_records = false;
    frame_begin(&frame, SOURCE, NODE, SEQUENCE);
}

static inline struct run_place add_word_run(const struct word *word, bool is_far, uint64_t base,
                                            uint32_t n)
{
    uint32_t command = word->op | word->type << 8 | (is_far ? GRAVELP_COMMAND_FAR : 0);
    return frame_add_run(&frame, command, base, n, is_far ? 8 : 4, word->bytes, word->has_value);
}

static inline struct run_place add_call_run(uint32_t handler, uint32_t n_args, uint32_t n)
{
    return frame_add_run(&frame, GRAVELP_COMMAND_AM(handler, n_args), 0, n, 0, 8, n_args);
}

/** One run of uint increments at 4096 whose only index is given. */
static inline void build_one_index(uint32_t index)
{
    begin();
    struct run_place place = frame_add_run(&frame, 2u | 1u << 8, 4096, 1, 4, 4, 0);
    frame_set_u32(&frame, place.indices, 0, index);
}

#endif
