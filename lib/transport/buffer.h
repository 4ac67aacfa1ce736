/* SPDX-License-Identifier: MIT */
/*
 * A node buffer: messages for one destination, in the form in which they travel.
 *
 * The buffer's last run is open: its rows start where the longest run that still fits would put them, and
 * closing the run moves them together. So appending is a store a row, and a buffer of one operation, the
 * usual case, is closed once.
 *
 * Path:    sender.c fills it -> network thread sends or resolves it -> back, through a list (list.h).
 * Owner:   its holder; `pool` gets it back.
 * Threads: one at a time.
 * Source:  Orr 2016, sections 5.2.2 and A.1 (figure A-2).
 */
#ifndef GRAVEL_TRANSPORT_BUFFER_H
#define GRAVEL_TRANSPORT_BUFFER_H

#include "transport/wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct gravel_pool;

/* What the messages of a run have in common. */
struct gravel_run_key {
    uint32_t command;
    uint32_t call;
    /* of requests, the sender's: those of two calls are two runs, so that a run may be done in any order */
    uint64_t base;
    uint64_t result, signal;   /* of commands with a signal; else 0 */
    const unsigned char *text; /* [GRAVELP_TEXT_BYTES] of records; else NULL */
};

static inline bool gravel_run_is_same(const struct gravel_run_key *a,
                                      const struct gravel_run_key *b)
{
    const uint32_t text_bytes = GRAVELP_TEXT_BYTES(a->command);
    return a->command == b->command && a->call == b->call && a->base == b->base &&
           a->result == b->result && a->signal == b->signal &&
           (!text_bytes || !memcmp(a->text, b->text, text_bytes));
}

/* Messages of a buffer's one run that are not in its frame, but a part of a block of the pump's: rows of an OpenCL
 * buffer. */
#define GRAVEL_ROWS_MOST_BYTES (16u << 20) /* of a block */
struct gravel_rows {
    void *memory;             /* a cl_mem; NULL: they are in the frame */
    uint64_t indices, values; /* [bytes] where they begin */
};

struct gravel_buffer {
    struct gravel_buffer *next;     /* in a list of the holder's */
    struct gravel_buffer *previous; /* while a sender fills it */
    struct gravel_pool *pool;       /* gets the buffer back; NULL: it is freed */
    struct gravel_frame *frame;     /* [capacity] bytes */
    bool is_borrowed;               /* the frame's memory is not the buffer's */
    uint32_t room;                  /* for the pool's owner, which knows what it means */
    struct gravel_rows rows;
    uint32_t capacity;  /* [bytes] */
    uint32_t used;      /* [bytes] header and closed runs */
    uint64_t opened_ns; /* when the first message came */
    /* The open run; run_capacity 0 if there is none. */
    struct gravel_run_key run;
    uint32_t run_n;        /* messages in it */
    uint32_t run_capacity; /* messages it was laid out for */
};

/** @return a buffer of the given size, or NULL if memory is out. */
struct gravel_buffer *gravel_buffer_create(uint32_t capacity);
/** Create a buffer in memory that stays the caller's: `capacity` bytes, at a multiple of a cache line. */
struct gravel_buffer *gravel_buffer_create_in(void *memory, uint32_t capacity);
/** Frees it; NULL is allowed. */
void gravel_buffer_destroy(struct gravel_buffer *buffer);

/**
 * Exchange the frames of two buffers, which have one capacity. False, and nothing is done, if they have not, or if
 * memory of one is not its own.
 */
bool gravel_buffer_exchange(struct gravel_buffer *one, struct gravel_buffer *other);

/** Empty the buffer and address it. */
void gravel_buffer_reset(struct gravel_buffer *buffer, uint16_t kind, uint32_t source,
                         uint32_t destination);

/** Returns the messages of one command that an empty buffer of `capacity` bytes holds. */
uint32_t gravel_buffer_fits(uint32_t capacity, uint32_t command);

/**
 * Make room for n messages of one run: continue the open run if it is the same, or open another.
 *
 * @return false if they do not fit; the buffer is unchanged except for a closed run then.
 */
bool gravel_buffer_make_room(struct gravel_buffer *buffer, const struct gravel_run_key *run,
                             uint32_t n);

/**
 * Lay out one run of just n messages in an empty buffer.
 *
 * @param rows  where the messages stay: the frame has headers only, for a node of this process. NULL: the buffer holds
 *              them, and the caller, or a copy, writes them to where gravel_buffer_index and gravel_buffer_value say
 *              before gravel_buffer_complete, also after it.
 */
void gravel_buffer_lay_out(struct gravel_buffer *buffer, const struct gravel_run_key *run,
                           uint32_t n, const struct gravel_rows *rows);

/* Return where the next message of the open run goes: its index, and its value in row `row`. */
static inline unsigned char *gravel_buffer_index(const struct gravel_buffer *buffer)
{
    return (unsigned char *)buffer->frame + buffer->used + GRAVEL_RUN_INDICES(buffer->run.command) +
           (uint64_t)buffer->run_n * GRAVELP_INDEX_BYTES(buffer->run.command);
}

static inline unsigned char *gravel_buffer_value(const struct gravel_buffer *buffer, uint32_t row)
{
    return (unsigned char *)buffer->frame + buffer->used +
           GRAVEL_RUN_VALUES(buffer->run.command, buffer->run_capacity, row) +
           (uint64_t)buffer->run_n * GRAVELP_VALUE_BYTES(buffer->run.command);
}

/** Close the open run and complete the header: the frame may travel. */
void gravel_buffer_close(struct gravel_buffer *buffer);

/** Closes a buffer that was laid out: its messages have their offsets, and are there before it ships. */
void gravel_buffer_complete(struct gravel_buffer *buffer);

#endif
