/* SPDX-License-Identifier: MIT */
/*
 * Frames of random messages, a heap to apply them to, and a naive interpreter of what it then holds.
 *
 * The interpreter works on the list of messages the test wrote, never on the frame, and calculates
 * in wider integers.
 *
 * Path:    frame_builder.h -> apply_frames.h -> lib/resolve/apply.c.
 */
#ifndef GRAVEL_TESTS_APPLY_FRAMES_H
#define GRAVEL_TESTS_APPLY_FRAMES_H

#include "frame_builder.h"
#include "resolve/apply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAP_BYTES 65536u
#define LENGTH(array) (sizeof(array) / sizeof *(array))

struct word {
    uint32_t op, type, bytes;
    bool has_value, is_signed, is_real;
};
#define IS_SIGNED(TYPE) (GRAVEL_##TYPE == GRAVEL_INT || GRAVEL_##TYPE == GRAVEL_LONG)
#define IS_REAL(TYPE) (GRAVEL_##TYPE == GRAVEL_FLOAT || GRAVEL_##TYPE == GRAVEL_DOUBLE)
#define WORD_OF(OP, TYPE, has_value)                                 \
    {GRAVEL_##OP, GRAVEL_##TYPE,   GRAVEL_TYPE_BYTES(GRAVEL_##TYPE), \
     has_value,   IS_SIGNED(TYPE), IS_REAL(TYPE)},
static const struct word words[] = {
#define WORD(OP, op, TYPE, type) WORD_OF(OP, TYPE, true)
#define INC_WORD(TYPE, type) WORD_OF(INC, TYPE, false)
    GRAVEL_VALUE_OPERATIONS(WORD) GRAVEL_DOUBLE_OPERATIONS(WORD) GRAVEL_INC_TYPES(INC_WORD)};

/* Heap as gravel_apply_frame leaves it, and as it should be. */
static _Alignas(64) unsigned char heap[HEAP_BYTES];
static _Alignas(64) unsigned char expected[HEAP_BYTES];
static struct frame frame;
static uint64_t seed;

static inline uint64_t random_next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ---- the interpreter ------------------------------------------------------------------------- */

__extension__ typedef __int128 wide_integer;

static inline wide_integer combine(uint32_t op, wide_integer old, wide_integer value)
{
    switch (op) {
    case GRAVEL_PUT:
        return value;
    case GRAVEL_INC:
        return old + 1;
    case GRAVEL_ADD:
        return old + value;
    case GRAVEL_MIN:
        return old < value ? old : value;
    case GRAVEL_MAX:
        return old > value ? old : value;
    case GRAVEL_AND:
        return old & value;
    case GRAVEL_OR:
        return old | value;
    case GRAVEL_XOR:
        return old ^ value;
    default:
        fail_msg("no such operation: %u", op);
        return 0;
    }
}

static inline wide_integer widen(const struct word *word, uint64_t bits)
{
    if (word->bytes == 4)
        bits &= 0xffffffffu;
    uint64_t sign = 1ull << (8 * word->bytes - 1);
    wide_integer result = bits;
    return word->is_signed && bits & sign ? result - 2 * (wide_integer)sign : result;
}

static inline uint64_t add_real(const struct word *word, uint64_t a, uint64_t b)
{
    if (word->bytes == 4) {
        float x, y;
        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        x += y;
        memcpy(&a, &x, 4);
    } else {
        double x, y;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        x += y;
        memcpy(&a, &x, 8);
    }
    return a;
}

static inline void interpret(const struct word *word, uint64_t offset, uint64_t value)
{
    uint64_t old = 0, bits;
    memcpy(&old, expected + offset, word->bytes);
    if (word->is_real)
        bits = word->op == GRAVEL_PUT ? value : add_real(word, old, value);
    else
        bits = (uint64_t)combine(word->op, widen(word, old), widen(word, value));
    memcpy(expected + offset, &bits, word->bytes); /* little-endian: the low bytes */
}

/* ---- building -------------------------------------------------------------------------------- */

static inline void begin(uint64_t a_seed)
{
    seed = a_seed;
    for (uint32_t i = 0; i < HEAP_BYTES; i++)
        heap[i] = (unsigned char)random_next();
    memcpy(expected, heap, HEAP_BYTES);
    frame_begin(&frame, 3, 1, 0);
}

/* Numbers where arithmetic is interesting: the ends of each range, small ones, and any. Finite if
 * real. */
static inline uint64_t random_value(const struct word *word)
{
    static const uint64_t ends[] = {0,          1,          UINT64_MAX, 1ull << 63, INT64_MAX,
                                    0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x7f800000};
    if (word->is_real) {
        double number = (double)(int64_t)random_next() / 1e9;
        float narrow = (float)number;
        uint64_t bits = 0;
        memcpy(&bits, word->bytes == 4 ? (void *)&narrow : (void *)&number, word->bytes);
        return bits;
    }
    return random_next() % 3 ? random_next() : ends[random_next() % LENGTH(ends)];
}

/* Append a run of n messages to random words among n_words after base, and interpret them. */
static inline void add_random_run(const struct word *word, bool is_wide, uint64_t base,
                                  uint32_t n_words, uint32_t n)
{
    uint32_t command = word->op | word->type << 8 | (is_wide ? 1u << 12 : 0);
    struct run_place place = frame_add_run(&frame, command, is_wide ? 0 : base, n, is_wide ? 8 : 4,
                                           word->bytes, word->has_value);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = (uint32_t)(random_next() % n_words);
        uint64_t offset = base + (uint64_t)index * word->bytes, value = random_value(word);
        if (is_wide)
            frame_set_u64(&frame, place.indices, i, offset);
        else
            frame_set_u32(&frame, place.indices, i, index);
        if (word->has_value && word->bytes == 8)
            frame_set_u64(&frame, place.values, i, value);
        else if (word->has_value)
            frame_set_u32(&frame, place.values, i, (uint32_t)value);
        interpret(word, offset, value);
    }
}

/* Real sums start from numbers, not from random bits that may be no number. */
static inline void clear_words(void)
{
    memset(heap, 0, sizeof heap);
    memset(expected, 0, sizeof expected);
}

/* Apply the frame, which is as it was then. */
static inline struct gravel_applied apply_frame(gravel_apply_call *call, void *context)
{
    void *copy = frame_copy(&frame, frame.n_bytes);
    struct gravel_apply apply = {heap, call, context};
    struct gravel_applied applied;
    memset(&applied, 0x55, sizeof applied);
    gravel_apply_frame(&apply, copy, &applied);
    assert_memory_equal(copy, frame.bytes, frame.n_bytes);
    free(copy);
    return applied;
}

static inline void apply_and_compare(void)
{
    struct gravel_applied applied = apply_frame(NULL, NULL);
    assert_int_equal(applied.n_messages, frame_header(&frame)->n_messages);
    assert_int_equal(applied.result, 0);
    assert_int_equal(applied.n_failed, 0);
    if (memcmp(heap, expected, HEAP_BYTES))
        fail_msg("heap differs: seed %llu", (unsigned long long)seed);
}

#endif
