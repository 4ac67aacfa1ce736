/* SPDX-License-Identifier: MIT */
/*
 * Builds node buffers for tests, by hand: arrays are appended one after the
 * other, not placed by wire.h's macros.
 *
 * Path:    a test -> frame_builder.h -> gravel_decode_check or
 * gravel_apply_runs. Owner:   the frame's bytes are the struct's own;
 * frame_copy returns a block to be freed by the caller.
 */
#ifndef GRAVEL_TESTS_FRAME_BUILDER_H
#define GRAVEL_TESTS_FRAME_BUILDER_H

#include "transport/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
        .magic = 0x47524246u,
        .version = 7,
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

/* Appends a run of n messages, all zeros, with the header of signals or the
 * shorter one of other runs. Sizes are given by hand: 0, 4 or 8 bytes an index,
 * 4 or 8 a value. */
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

/* The frame's first bytes alone on the heap, so that a sanitizer sees every
 * read beyond them. */
static inline void *frame_copy(const struct frame *frame, uint32_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    assert(copy);
    memcpy(copy, frame->bytes, bytes);
    return copy;
}

#endif
